"""Explain: how firm is a decision, and what would other rules have said?

Here: the margin of victory, the pivotal voters and the other standard rules, computed from a
result when asked; why a decision is thin; all standard rules side by side.
Not here: the rules; what a live vote does with a thin decision (protocols/collect).
Sources: SEMANTICS V5, V9, G8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, to_fraction
from comity.core.show import as_html
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.margin import MarginOfVictory, Pivotal, margin_of_victory, pivotal
from comity.mechanisms.voting.registry import RULES, parameters_of
from comity.mechanisms.voting.results import Count

__all__ = [
    "STANDARD_RULES",
    "THIN_EFFECTIVE",
    "Comparison",
    "Explanation",
    "Said",
    "compare",
    "explain",
]

STANDARD_RULES: tuple[tuple[str, dict[str, str]], ...] = (
    ("plurality", {}),
    ("approval", {}),
    ("score", {}),
    ("star", {}),
    ("borda", {"unranked": "last"}),
    ("irv", {}),
    ("coombs", {}),
    ("condorcet", {}),
    ("copeland", {}),
    ("minimax", {}),
    ("schulze", {}),
    ("ranked_pairs", {}),
    ("kemeny", {}),
)
"""The rules that are set side by side, with the parameters they are given."""

_MOST_COMPARED = 20_000_000
_QUICK = ("plurality", "approval", "score", "borda", "condorcet")
_CHECKED = ("plurality", "borda", "condorcet", "irv")  # G8: two standard rules disagree
THIN_EFFECTIVE = Fraction(3, 2)
"""Independent votes below which a lead is thin."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one rule says.

    Attributes:
        rule: its name.
        winner: who wins, or None.
        tied: between whom it is a tie or a circle, when nobody wins.
        tally: the scores, by option.
        margin: how far the winner is before the next, in the rule's own units.
        why_not: why the rule does not apply, or "".

    Example:
        >>> Said("plurality", "A").tied
        ()
    """

    rule: str
    winner: str | None
    tied: tuple[str, ...] = ()
    tally: tuple[tuple[str, Exact], ...] = ()
    margin: Exact | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All standard rules side by side.

    Attributes:
        said: one entry per rule.
        winners: winner -> the rules that elect it.
        agree: whether every rule that applies names the same winner.

    Example:
        >>> compare(Election(["A", "B", "A"])).winners[0][0]
        'A'
    """

    said: tuple[Said, ...]
    winners: tuple[tuple[str, tuple[str, ...]], ...]
    agree: bool

    def to_json(self) -> JsonObject:
        """Return all of it."""
        return encode(self)  # type: ignore[return-value]  # a dataclass becomes an object

    def __str__(self) -> str:
        """Return one line per rule."""
        return "\n".join(f"{one.rule}: {_one_line(one)}" for one in self.said)

    def _repr_html_(self) -> str:
        return as_html({"kind": "comparison", **self.to_json()})


def _one_line(said: Said) -> str:
    """Return what one rule says."""
    if said.why_not:
        return f"not for these ballots ({said.why_not})"
    return said.winner or f"nobody ({', '.join(said.tied) or 'no winner'})"


def compare(election: Election | Iterable[Any] | Mapping[str, Any]) -> Comparison:
    """Count an election by every standard rule that can read its ballots.

    Args:
        election: every ballot; or plain ballots, read as `Election` reads them.

    Returns:
        What each rule says, and who wins under which.

    Example:
        >>> ballots = [("A", "B", "C")] * 4 + [("B", "C", "A")] * 3 + [("C", "B", "A")] * 2
        >>> [(name, len(rules)) for name, rules in compare(Election(ballots)).winners]
        [('A', 1), ('B', 9)]
    """
    if not isinstance(election, Election):
        election = Election(election)
    said = tuple(_ask(election, name, told) for name, told in STANDARD_RULES if name in RULES)
    by: dict[str, list[str]] = {}
    for one in said:
        if one.winner is not None:
            by.setdefault(one.winner, []).append(one.rule)
    asked = [one for one in said if not one.why_not]
    winners = tuple((name, tuple(rules)) for name, rules in sorted(by.items()))
    agree = len(by) == 1 and all(one.winner is not None for one in asked)
    return Comparison(said, winners, agree)


def _ask(election: Election, name: str, told: Mapping[str, Any]) -> Said:
    try:
        result = RULES[name](election, **told)
    except InvalidInput as error:
        return Said(name, None, why_not=error.faults[0].what)
    tally = tuple(result.tally.items())
    return Said(name, result.winner, result.tied, tally, result.margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How firm a decision is.

    Attributes:
        rule: the rule that decided.
        winner: who won, or None.
        margin_of_victory: how many voters must change their ballots to alter the outcome.
        pivotal: the voters without any one of whom it would be another; None when there are too
            many ballots to try.
        others: what the other standard rules say.
        thin: why a person may want to look twice; empty when nothing says so.
        effective_margin: the lead in votes of independent voters, when their number is known.

    Example:
        >>> from comity.mechanisms.voting.positional import plurality
        >>> explain(plurality(["A", "B", "A"])).thin
        ('margin_of_victory_1',)
    """

    rule: str
    winner: str | None
    margin_of_victory: MarginOfVictory
    pivotal: tuple[Pivotal, ...] | None
    others: tuple[Said, ...]
    thin: tuple[str, ...]
    effective_margin: Exact | None = None

    def to_json(self) -> JsonObject:
        """Return all of it, with the margin of victory also as one number where it is proved."""
        data: dict[str, Any] = dict(encode(self))  # type: ignore[arg-type]  # an object
        found = self.margin_of_victory
        data["margin_of_victory"] = {
            "at_least": found.at_least,
            "at_most": found.at_most,
            "exact": found.is_exact,
        }
        return data

    def __str__(self) -> str:
        """Return how firm it is, in words."""
        thin = f"; thin: {', '.join(self.thin)}" if self.thin else ""
        return f"{self.winner or 'nobody'} under {self.rule}, {self.margin_of_victory}{thin}"

    def _repr_html_(self) -> str:
        return as_html({"kind": "explanation", **self.to_json()})


def explain(
    result: Any,  # noqa: ANN401  # a result of any rule here
    *,
    n_eff: Exact | float | None = None,
    turnout_floor: Exact | None = None,
) -> Explanation:
    """Return how firm a vote's result is.

    Args:
        result: a result of one of the rules of this package.
        n_eff: how many independent voters the roster counts as (`comity.independence`).
        turnout_floor: the share of the roster's weight below which turnout is thin.

    Returns:
        The explanation; its `thin` reasons are those of SEMANTICS G8.

    Raises:
        InvalidInput: when the result's rule no longer exists.

    Example:
        >>> from comity.mechanisms.voting.condorcet import condorcet
        >>> ballots = [["A", "B", "C"]] * 4 + [["B", "A", "C"]] * 2 + [["C", "B", "A"]]
        >>> str(explain(condorcet(ballots)).margin_of_victory)
        '1 voter'
    """
    count = getattr(result, "count", None)
    if not isinstance(count, Count):
        what = f"is given {shown(result)}"
        raise InvalidInput(
            Fault("explain", what, "the result of a vote", "count first: comity.borda(ballots)")
        )
    election = count.election
    if n_eff is not None and not 0 < n_eff <= max(_voters(election), 1):
        what = f"is given the n_eff {n_eff} for {_voters(election)} voters"
        allowed = "a number above 0, at most as many as vote"
        raise InvalidInput(Fault("explain", what, allowed, "see comity.independence"))
    rule = result.grounds.rule
    known = parameters_of(RULES[rule]) if rule in RULES else ()
    told = {name: value for name, value in result.grounds.parameters if name in known}
    told.pop("ties", None)
    winner = result.winner
    _check_winner(result, election)

    def ask(changed: Election) -> object:
        try:
            found = RULES[rule](changed, **told)
        except InvalidInput:
            return "uncountable"  # without that voter nothing is left that could be counted
        return (found.winner, sorted(getattr(found, "elected", ())), found.tied, found.kind)

    if rule in RULES and election.weight:
        margin = margin_of_victory(election, rule, _victors(result), ask, told)
        voters = pivotal(election, ask)
    else:
        margin, voters = MarginOfVictory(0, 0), ()
    others = _others(election, rule)
    effective = _effective(result, n_eff)
    thin = list(result.grounds.thin)
    if winner is not None and margin.at_most is not None and margin.at_most <= 1:
        thin.append("margin_of_victory_1")
    if effective is not None and effective < THIN_EFFECTIVE:
        thin.append("effective_margin")
    if turnout_floor is not None and _turnout(election) < to_fraction(turnout_floor):
        thin.append("turnout")
    checked = {
        one.winner or one.tied for one in others if one.rule in _CHECKED and not one.why_not
    }
    is_one = result.kind == "choice" and not result.elected
    if is_one and checked - {winner}:
        thin.append("rules_disagree")
    return Explanation(
        rule=rule,
        winner=winner,
        margin_of_victory=margin,
        pivotal=voters,
        others=others,
        thin=tuple(thin),
        effective_margin=effective,
    )


def _check_winner(result: Any, election: Election) -> None:  # noqa: ANN401  # a result
    """Refuse a result that names an option which its own election does not have."""
    named = () if result.kind != "choice" else getattr(result, "elected", ()) or (result.winner,)
    unknown = [name for name in named if name not in election.options]
    if unknown:
        what = f"elects {', '.join(map(shown, unknown))}"
        allowed = "an option of its own election"
        raise InvalidInput(Fault("result", what, allowed, "count the election again"))


def _voters(election: Election) -> int:
    return election.size + sum(line.count for line in election.abstentions)


def _others(election: Election, rule: str) -> tuple[Said, ...]:
    """Return what the other rules say; of very many ballots and options, the quick ones alone."""
    if len(election.lines) * len(election.options) ** 2 <= _MOST_COMPARED:
        return tuple(one for one in compare(election).said if one.rule != rule)
    return tuple(
        _ask(election, name, told)
        for name, told in STANDARD_RULES
        if name in _QUICK and name != rule
    )


def _victors(result: Any) -> str | tuple[str, ...] | None:  # noqa: ANN401  # a result
    """Return the options that won: several for several seats, yes or no for a verdict."""
    if result.kind == "verdict":
        return "yes" if result.verdict == "passed" else "no"
    elected: tuple[str, ...] = getattr(result, "elected", ())
    winner: str | None = result.winner
    return elected or winner


def _turnout(election: Election) -> Fraction:
    here = election.weight + election.abstained_weight + election.invalid_weight
    whole = here + election.absent_weight
    return Fraction(here, whole) if whole else Fraction(0)


def _effective(result: Any, n_eff: Exact | float | None) -> Exact | None:  # noqa: ANN401  # a result
    """Return the lead of the first places in independent votes: (k1 - k2) / n · n_eff."""
    if n_eff is None or result.winner is None:
        return None
    first = sorted(to_fraction(one) for one in result.distribution.values())
    if len(first) < 2 or not sum(first):
        return None
    share = (first[-1] - first[-2]) / sum(first)
    return Fraction(round(share * to_fraction(n_eff) * 10_000), 10_000)  # an estimate's digits
