"""Catalogue: which arbitration rules are there, and when does each fail?

Here: the facts of every rule: what it does, its bound in words, when it fails.
Not here: how a rule scores (rules.py), the bounds as numbers (bounds.py).
Sources: SEMANTICS R1, R3, R4; Waldspurger 1994, 1995 (lottery, stride); Vickrey 1961.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from comity.core.errors import Fault, UnknownName, did_you_mean, shown
from comity.core.show import table

__all__ = ["FACTS", "Holds", "RuleFacts", "facts_of", "facts_table"]

Holds = Literal["always", "standing", "never"]


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """What a person should know of a rule before choosing it.

    Attributes:
        name: how policies call it.
        does: what it does.
        bound: how long an agent may lose, in words.
        holds: ``always``; ``standing`` for agents that claim in every conflict; ``never``.
        fails: when it fails.

    Example:
        >>> facts_of("losses").holds
        'always'
    """

    name: str
    does: str
    bound: str
    holds: Holds
    fails: str


_LISTED = (
    RuleFacts(
        "losses",
        "priority plus c for every conflict claimed and lost in a row; the highest wins",
        "at most ⌊(P − p)/c⌋ + ⌈n/k⌉ − 1 losses in a row, whoever claims when",
        "always",
        "it gives turns, not exact shares; c = 0, a low cap or a new name for each run undo it",
    ),
    RuleFacts(
        "hours",
        "priority plus c for every hour waited; the highest wins",
        "at most ⌊(P − p)/(cΔ)⌋ + ⌈n/k⌉ − 1 losses in a row when all claim every Δ hours",
        "standing",
        "who skips conflicts does not age; a clock set forward lets every waiter win once",
    ),
    RuleFacts(
        "static_priority",
        "the highest priority wins",
        "none",
        "never",
        "a lower priority starves as long as a higher one claims",
    ),
    RuleFacts(
        "first_come",
        "the earliest claim wins",
        "none",
        "never",
        "whoever starts a second earlier wins every day",
    ),
    RuleFacts(
        "round_robin",
        "the next name after the last winner, in the order of the names",
        "at most ⌈n/k⌉ − 1 losses in a row for agents that claim every time",
        "standing",
        "who is absent when its turn comes loses the turn; need and priority count for nothing",
    ),
    RuleFacts(
        "least_recently_served",
        "whoever won longest ago wins",
        "at most ⌈n/k⌉ − 1 losses in a row, whoever claims when",
        "always",
        "priority counts for nothing; every new name goes first",
    ),
    RuleFacts(
        "lottery",
        "a lot among all claimants",
        "none; short on average",
        "never",
        "long losing streaks happen by chance; priority counts for nothing",
    ),
    RuleFacts(
        "weighted_lottery",
        "a lot, with chances in proportion to weight",
        "none; short on average unless the weight is small",
        "never",
        "long losing streaks happen by chance; shares are only right in the long run",
    ),
    RuleFacts(
        "stride",
        "the lowest virtual time wins and moves on by 1/weight",
        "at most Σ(⌊w_j/w_a⌋ + 1) losses in a row for agents that claim every time",
        "standing",
        "who stays away returns at the current virtual time and loses what it was owed",
    ),
    RuleFacts(
        "second_price",
        "the highest bid wins and pays the highest losing bid, or the reserve",
        "none",
        "never",
        "the rich win every time; with budgets, repetition or collusion bids stop being honest",
    ),
    RuleFacts(
        "expertise",
        "the highest declared weight on the topic wins",
        "none",
        "never",
        "the expert always wins; declared weights go stale; agents never report their own",
    ),
    RuleFacts(
        "split",
        "every claimant gets a share",
        "no losses",
        "always",
        "what cannot be divided is worth nothing in parts; more names get more shares",
    ),
    RuleFacts(
        "latest",
        "the latest claim wins",
        "none",
        "never",
        "whoever claims last wins; two agents overwrite each other for ever",
    ),
    RuleFacts(
        "human",
        "a person decides",
        "none",
        "never",
        "nothing moves until somebody answers",
    ),
)

FACTS: dict[str, RuleFacts] = {one.name: one for one in _LISTED}
"""Name -> facts, the default first."""


def facts_of(name: object) -> RuleFacts:
    """Return the facts of a rule.

    Args:
        name: as in the table; dashes and spaces count as underscores.

    Raises:
        UnknownName: with the nearest names.

    Example:
        >>> facts_of("round robin").name
        'round_robin'
    """
    plain = str(name).strip().casefold().replace("-", "_").replace(" ", "_")
    found = FACTS.get(plain) if isinstance(name, str) else None
    if found is None:
        raise UnknownName(
            Fault(f"rule {shown(name)}", "does not exist", ", ".join(FACTS),
                  did_you_mean(plain, FACTS))
        )  # fmt: skip
    return found


def facts_table() -> str:
    """Return every rule with its bound and when it fails, as a text table.

    Example:
        >>> facts_table().splitlines()[1].split()[0]
        'losses'
    """
    return table(
        [(one.name, one.bound, one.fails) for one in _LISTED], ("rule", "bound", "fails when")
    )
