"""Rules: how does each rule score claims, and what does it remember afterwards?

Here: every rule as a row of one table: scores, picks, marks; how each fails stands in
catalogue.py.
Not here: drawing winners (choosing.py), the loop (engine.py), reports (results.py).
Sources: SEMANTICS R4; Vickrey 1961; Waldspurger 1994 (lottery), 1995 (stride).

===================== =================================== ====================================
rule                  the highest of                      fails when
===================== =================================== ====================================
losses                priority + c × losses in a row      c = 0 or a low cap: no bound
hours                 priority + c × hours waited         conflicts are skipped, clocks jump
static_priority       priority                            a higher priority claims every time
first_come            earliest arrival                    somebody starts a second earlier
round_robin           next name after the last winner     an agent is absent at its turn
least_recently_served oldest last win                     new names keep coming
lottery               a lot                               a bound is needed
weighted_lottery      a lot by weight                     a bound is needed
stride                lowest virtual time                 an agent stays away: credit is lost
second_price          bid                                 budgets, repetition, collusion
expertise             declared weight on the topic        declarations go stale
split                 everybody                           it cannot be divided
latest                latest arrival                      two agents overwrite each other
human                 nobody: a person decides            nobody answers
===================== =================================== ====================================
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from comity.core.errors import Fault, raise_if
from comity.core.exact import Exact, to_fraction
from comity.mechanisms.arbitration.catalogue import FACTS, RuleFacts, facts_of
from comity.mechanisms.arbitration.choosing import tidy
from comity.mechanisms.arbitration.claims import Claim
from comity.mechanisms.arbitration.hours import (
    NOT_WAITING,
    count_hours,
    hours_waited,
    score_hours,
)
from comity.mechanisms.arbitration.losses import count_losses, score_losses
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.state import Moment, Scope

__all__ = ["RULES", "Picks", "Rule", "rule_named", "weight_of"]

Picks = Literal["maximum", "weighted", "everyone", "nobody"]
Scored = dict[str, int | Fraction]
Scores = Callable[[Scope, Moment], Scored]
Marks = Callable[[Scope, Moment, Collection[str], Collection[str]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How one rule decides.

    Attributes:
        name: its name in the catalogue.
        scores: scope, moment -> agent -> score; agents left out cannot win.
        picks: what happens with the scores: the ``maximum`` wins, chances are ``weighted``,
            ``everyone`` gets a share, or ``nobody`` wins yet.
        marks: what is remembered afterwards; None when the rule remembers nothing.
        fresh: the mark of an agent that is new.
        needs: which parts of a claim it cannot do without.

    Example:
        >>> rule_named("least-recently-served").facts.holds
        'always'
    """

    name: str
    scores: Scores
    picks: Picks = "maximum"
    marks: Marks | None = None
    fresh: int = 0
    needs: tuple[str, ...] = ()

    def waited(self, scope: Scope, agent: str, now: Exact | None) -> Exact:
        """Return what the rule has counted for an agent: losses, hours, its last win, ..."""
        if self.name == "hours":
            return tidy(hours_waited(scope, agent, now))
        return scope.marks.get(agent, 0)

    @property
    def facts(self) -> RuleFacts:
        """What it does, its bound in words, when it fails."""
        return FACTS[self.name]


def rule_named(name: str) -> Rule:
    """Return a rule by its name.

    Args:
        name: as in the catalogue; dashes and spaces count as underscores.

    Raises:
        UnknownName: with the nearest names.

    Example:
        >>> rule_named("stride").name
        'stride'
    """
    return RULES[facts_of(name).name]


def weight_of(claim: Claim, policy: Policy) -> Fraction:
    """Return the weight of a claim: the declared one, else its priority.

    Args:
        claim: the claim.
        policy: the policy with its weights.

    Example:
        >>> weight_of(Claim("a", 3), Policy(rule="stride", weights={"a": 2}))
        Fraction(2, 1)
    """
    return to_fraction(dict(policy.weights).get(claim.agent, claim.priority))


def _weights(moment: Moment) -> dict[str, Fraction]:
    """Return agent -> weight, or raise: a weight of 0 is no claim on a share."""
    found = {one.agent: weight_of(one, moment.policy) for one in moment.claims}
    raise_if(
        Fault(
            f"claim of {agent!r}",
            f"has the weight {weight}",
            "a weight above 0",
            "declare weights in the policy, or give positive priorities",
        )
        for agent, weight in found.items()
        if weight <= 0
    )
    return found


def _static(_scope: Scope, moment: Moment) -> Scored:
    return {one.agent: to_fraction(one.priority) for one in moment.claims}


def _arrival(_scope: Scope, moment: Moment) -> Scored:
    sign = -1 if moment.policy.rule == "first_come" else 1
    return {one.agent: sign * to_fraction(one.at) for one in moment.claims if one.at is not None}


def _round_robin(scope: Scope, moment: Moment) -> Scored:
    """Score by turn: the first name after the last winner has the highest."""
    names = sorted(one.agent for one in moment.claims)
    turn = scope.turn
    if turn is not None:
        names = [one for one in names if one > turn] + [one for one in names if one <= turn]
    return {agent: len(names) - at for at, agent in enumerate(names)}


def _oldest_win(scope: Scope, moment: Moment) -> Scored:
    return {one.agent: -to_fraction(scope.marks.get(one.agent, 0)) for one in moment.claims}


def _equal(_scope: Scope, moment: Moment) -> Scored:
    return dict.fromkeys((one.agent for one in moment.claims), 1)


def _by_weight(_scope: Scope, moment: Moment) -> Scored:
    return dict(_weights(moment))


def _split(_scope: Scope, moment: Moment) -> Scored:
    """Score by share: equal, or by declared weights."""
    if not moment.policy.weights:
        share = Fraction(1, len(moment.claims))
        return dict.fromkeys((one.agent for one in moment.claims), share)
    weights = _weights(moment)
    total = sum(weights.values())
    return {agent: weight / total for agent, weight in weights.items()}


def _virtual(scope: Scope, agent: str) -> Fraction:
    """Return an agent's virtual time; newcomers and returners join at the current one."""
    return max(to_fraction(scope.marks.get(agent, 0)), to_fraction(scope.mark or 0))


def _stride(scope: Scope, moment: Moment) -> Scored:
    return {agent: -_virtual(scope, agent) for agent in _weights(moment)}


def _move_on(scope: Scope, moment: Moment, won: Collection[str], lost: Collection[str]) -> None:
    """Move every winner on by 1/weight; the current time is that of the first winner."""
    weights = _weights(moment)
    times = {agent: _virtual(scope, agent) for agent in (*won, *lost)}
    scope.mark = tidy(min(times[agent] for agent in won))
    for agent in won:
        times[agent] += 1 / weights[agent]
    scope.marks.update((agent, tidy(one)) for agent, one in times.items())


def _bids(_scope: Scope, moment: Moment) -> Scored:
    """Score by bid; bids below the reserve are left out."""
    bids = {
        one.agent: to_fraction(one.priority if one.bid is None else one.bid)
        for one in moment.claims
    }
    raise_if(
        Fault(f"claim of {agent!r}", f"bids {bid}", "0 or more", "correct the bid")
        for agent, bid in bids.items()
        if bid < 0
    )
    return {agent: bid for agent, bid in bids.items() if bid >= moment.policy.reserve}


def _expert(_scope: Scope, moment: Moment) -> Scored:
    """Score by the weight declared for the resource as the topic; 0 where none is declared."""
    declared = {
        agent: to_fraction(weight)
        for topic, agent, weight in moment.policy.expertise
        if topic == moment.resource
    }
    return {one.agent: declared.get(one.agent, Fraction(0)) for one in moment.claims}


def _note_wins(
    scope: Scope, _moment: Moment, won: Collection[str], _lost: Collection[str]
) -> None:
    for agent in won:
        scope.marks[agent] = scope.conflicts + 1


RULES: dict[str, Rule] = {
    one.name: one
    for one in (
        Rule(name="losses", scores=score_losses, marks=count_losses),
        Rule(name="hours", scores=score_hours, marks=count_hours, fresh=NOT_WAITING),
        Rule(name="static_priority", scores=_static),
        Rule(name="first_come", scores=_arrival, needs=("at",)),
        Rule(name="round_robin", scores=_round_robin),
        Rule(name="least_recently_served", scores=_oldest_win, marks=_note_wins),
        Rule(name="lottery", scores=_equal),
        Rule(name="weighted_lottery", scores=_by_weight, picks="weighted"),
        Rule(name="stride", scores=_stride, marks=_move_on),
        Rule(name="second_price", scores=_bids),
        Rule(name="expertise", scores=_expert),
        Rule(name="split", scores=_split, picks="everyone"),
        Rule(name="latest", scores=_arrival, needs=("at",)),
        Rule(name="human", scores=_equal, picks="nobody"),
    )
}
"""Name -> rule."""
