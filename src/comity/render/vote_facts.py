"""Vote facts: where in the JSON of a vote does which fact stand?

Here: one reading of it for every page and drawing, the names of units, numbers for tables.
Not here: sentences (vote.py), tables (vote_tables.py), drawings (vote_charts.py).
Sources: SEMANTICS V5, G1, G8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact, to_fraction
from comity.render.price import number_text, objects, words

__all__ = [
    "DUELS",
    "LEAST_WINS",
    "THIN",
    "Facts",
    "cell",
    "facts_of",
    "in_words",
    "items_of",
    "number_of",
    "object_of",
    "rounding_note",
]

DUELS = {
    "condorcet", "copeland", "minimax", "schulze", "ranked_pairs", "kemeny", "debian",
    "supermajority",
}  # fmt: skip
"""Rules whose count is read from the duels of all pairs."""

LEAST_WINS = {"minimax", "kemeny"}
_UNITS = {
    "plurality": "votes",
    "majority": "votes",
    "approval": "approvals",
    "score": "score",
    "star": "score",
    "borda": "points",
    "copeland": "duels",
    "condorcet": "duels won",
    "schulze": "paths won",
    "debian": "paths won",
    "ranked_pairs": "stands above",
    "minimax": "worst duel",
    "kemeny": "disagreements",
    "irv": "last count",
    "coombs": "last count",
    "stv": "last count",
}

THIN = {
    "tie_rule_used": "a tie rule decided",
    "margin_of_victory_1": "one voter could have changed it",
    "effective_margin": "the lead is below 1.5 independent votes",
    "turnout": "turnout is below its floor",
    "rules_disagree": "other standard rules disagree",
}
"""Reasons to look twice -> the same in words."""


def in_words(names: Sequence[str], *, last: str = "and") -> str:
    """Return names as a list in a sentence.

    Args:
        names: the names.
        last: the word before the last one.

    Example:
        >>> in_words(["A", "B", "C"])
        'A, B and C'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the JSON of a vote says, wherever it stands in it.

    Attributes:
        data: the JSON.
        grounds: its grounds.
        count: its count.

    Example:
        >>> facts_of({"kind": "choice", "grounds": {"rule": "ranked_pairs"}}).under
        'ranked pairs'
    """

    data: JsonObject
    grounds: Mapping[str, Json]
    count: Mapping[str, Json]

    @property
    def rule(self) -> str:
        """The name of the rule."""
        return one_line(str(self.grounds.get("rule", "")))

    @property
    def under(self) -> str:
        """The rule as people write it."""
        return self.rule.replace("_", " ")

    @property
    def tally(self) -> list[tuple[str, Json]]:
        """Option and score, best first where the order is known."""
        scored = {
            str(one.get("name")): one.get("value") for one in items_of(self.grounds, "scores")
        }
        order = [name for place in self.ranking for name in place]
        if set(order) != set(scored):
            sign = 1 if self.rule in LEAST_WINS else -1
            order = sorted(scored, key=lambda name: sign * number_of(scored[name]))
        return [(one_line(name), scored[name]) for name in order]

    @property
    def ranking(self) -> list[list[str]]:
        """The options from best to worst, equals together."""
        places = self.count.get("ranking")
        return [words(place) for place in places] if isinstance(places, (list, tuple)) else []

    @property
    def rounds(self) -> list[Mapping[str, Json]]:
        """The stages of the count."""
        return items_of(self.count, "rounds")

    @property
    def winners(self) -> list[str]:
        """Who won."""
        elected = words(self.data.get("elected"))
        option = self.data.get("option")
        return elected or ([] if option is None else [one_line(str(option))])

    @property
    def tied(self) -> list[str]:
        """Between whom a tie or a circle stands."""
        return [one_line(str(one.get("name"))) for one in items_of(self.data, "leaders")]

    @property
    def thin(self) -> list[str]:
        """Why to look twice, in words."""
        own = self.data.get("thin", self.grounds.get("thin"))
        return [THIN.get(reason, reason.replace("_", " ")) for reason in words(own)]

    @property
    def duels(self) -> Mapping[str, Mapping[str, Json]]:
        """Option -> other option -> votes; empty where nobody looked."""
        found = self.data.get("pairwise")
        if not isinstance(found, Mapping):
            return {}
        return {name: row for name, row in found.items() if isinstance(row, Mapping)}

    @property
    def unit(self) -> str:
        """What the tally counts."""
        return _UNITS.get(self.rule, "tally")


def facts_of(data: JsonObject) -> Facts:
    """Return what the JSON of a vote says.

    Args:
        data: what ``to_json`` of a vote returned, or `comity tally --json` wrote.

    Example:
        >>> facts_of({"kind": "choice", "option": "A"}).winners
        ['A']
    """
    return Facts(data=data, grounds=object_of(data, "grounds"), count=object_of(data, "count"))


def object_of(data: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    """Return the object under a key, or an empty one."""
    found = data.get(key)
    return found if isinstance(found, Mapping) else {}


def items_of(data: Mapping[str, Json], key: str) -> list[Mapping[str, Json]]:
    """Return the objects listed under a key."""
    return objects(data.get(key))


def number_of(value: Json) -> Fraction:
    """Return a number of the JSON."""
    return to_fraction(read_exact(value, "vote", "number"))


def cell(value: Json) -> str:
    """Return a number for a table: fractions that no short decimal holds are rounded."""
    text = number_text(value)
    _, bracket, rounded = text.partition(" (")
    return rounded.removesuffix(")") if bracket else text


def rounding_note(values: Iterable[Json]) -> str:
    """Return the note that numbers were rounded, or ""."""
    if any(" (" in number_text(value) for value in values):
        return "Fractions are rounded to four places here; --json has them exactly."
    return ""
