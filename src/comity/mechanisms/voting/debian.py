"""Debian: which option wins under the project's constitution, A.6?

Here: the ready composite: quorum, supermajorities against the default option, then the strongest
paths of defeats.
Not here: its parts (supermajority.py, beatpaths.py).
Sources: SEMANTICS V3, V10; Debian constitution A.6 (quorum 3Q with Q = sqrt(developers) / 2;
cloneproof Schwartz sequential dropping, which elects as Schulze's rule by winning votes does).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from comity.core.errors import Fault, InvalidInput, shown
from comity.mechanisms.voting.beatpaths import schulze
from comity.mechanisms.voting.counting import (
    Ballots,
    Counted,
    Outcome,
    no_ballots,
    read_election_for,
)
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.supermajority import drop_below
from comity.mechanisms.voting.tie_breaking import TieBreak

__all__ = ["debian"]


@rule("debian")
def debian(
    ballots: Ballots,
    *,
    default: str,
    ratios: Mapping[str, Any] | None = None,
    developers: int | None = None,
    quorum: Any = None,  # noqa: ANN401  # any exact number, also as text
    ties: TieBreak | str = "none",
) -> Outcome:
    """Decide as Debian does: quorum, majority ratios, then beatpaths by winning votes.

    Args:
        ballots: an election of rankings, or plain rankings; unranked options stand below.
        default: the default option ("further discussion", "none of the above").
        ratios: option -> the ratio that it needs against the default; 1 for those not named.
        developers: how many may vote; an option needs 3·sqrt(developers)/2 votes above the
            default. Compared exactly, by its square.
        quorum: the votes above the default that an option needs, instead of ``developers``.
        ties: the casting vote; by default a tie stands.

    Returns:
        The choice, with who was dropped and why; the default option may win.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> ballots = [["A", "none", "B"]] * 4 + [["B", "none"]] * 3
        >>> result = debian(ballots, default="none", ratios={"A": 3}, developers=4)
        >>> result.winner, [name for name, reason in result.count.dropped]
        ('none', ['A', 'B'])
    """
    election = read_election_for(ballots, "debian", ("ranking",), "ranking")
    if developers is not None and (type(developers) is not int or developers < 1):
        raise InvalidInput(
            Fault("debian", f"has {shown(developers)} developers", "1 or more", "correct it")
        )
    if developers is not None and quorum is not None:
        raise InvalidInput(
            Fault("debian", "is given developers and a quorum", "one of them", "drop one")
        )
    squared = None if developers is None else Fraction(9 * developers, 4)
    told = (
        ("default", default),
        ("ratios", {name: str(one) for name, one in sorted((ratios or {}).items())}),
        ("developers", developers),
        ("quorum", None if quorum is None else str(quorum)),
    )
    if not election.size:
        return no_ballots(election, Counted(rule="debian", best=(), parameters=told))
    kept, dropped = drop_below(
        election, default, ratios or {}, quorum or 0, quorum_squared=squared
    )
    is_whole = len(kept) == len(election.options)
    left = election if is_whole else election.only(kept)
    found = schulze(left, strength="winning_votes", ties=ties)
    grounds = replace(
        found.grounds,
        rule="debian",
        inputs_digest=election.digest,
        parameters=(*told, *(one for one in found.grounds.parameters if one[0] == "ties")),
    )
    return replace(
        found, grounds=grounds, count=replace(found.count, election=election, dropped=dropped)
    )
