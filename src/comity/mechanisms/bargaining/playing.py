"""Playing: in which order do parties offer and answer, and when is it over?

Here: alternating and simultaneous offers between players, the guard against endless waiting.
Not here: how a player decides (strategies/), live sessions (protocols/offers), results.
Sources: SEMANTICS M2, B7, B9; complaints 1, 2 and 29 of the research.

A round is one turn of every party. Alternating: in its turn a party accepts the offer that stands
or makes another, which takes its place and clears all acceptances; an offer that all others have
accepted is the deal. After the last round the offer that stands is put once more to those who have
not answered it. Simultaneous: all offer at once, then all are asked about each offer of the round.

A session ends early when all parties wait (see :class:`Player`) and nothing new has been offered
for as many rounds as any party has offers to repeat (times the parties, when there are more than
two): whatever can still be put to anybody has then been put.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from comity.core.parties import PartyId
from comity.core.results import NoDealReason
from comity.core.ties import Tie, lot
from comity.mechanisms.bargaining.outcomes import Layout
from comity.mechanisms.bargaining.strategies import Player

__all__ = ["Played", "Table", "play_alternating", "play_simultaneous"]


class Played(NamedTuple):
    """What happened at the table.

    Attributes:
        rounds: per offer, its round.
        parties: per offer, who made it.
        outcomes: per offer, the place of its deal.
        accepted: place of an offer -> who accepted it, in the order of accepting.
        deal: the place of the offer that all accepted; None without one.
        reason: what ended it without a deal.
        played: how many rounds were played, the last one counted whole.
        quiet: how many rounds had passed since anybody offered anything new.
        ties: lots between several offers that all had accepted.
        unwilling: who has no deal that it would accept.
    """

    rounds: Sequence[int]
    parties: Sequence[PartyId]
    outcomes: Sequence[int]
    accepted: Mapping[int, tuple[PartyId, ...]]
    deal: int | None = None
    reason: NoDealReason = "round_limit"
    played: int = 0
    quiet: int = 0
    ties: tuple[Tie, ...] = ()
    unwilling: PartyId | None = None


@dataclass(slots=True)
class Table:
    """A table while it is played at.

    Attributes:
        layout: the canonical order of the deals.
        players: name -> player, in speaking order.
        acceptable: name -> how many deals the party would accept at all.
        rounds: how many rounds there are.
        stall: rounds of waiting after which it ends; None for as many as there are to repeat.
        seed: of the lot between several offers that all accept.
    """

    layout: Layout
    players: Mapping[PartyId, Player]
    acceptable: Mapping[PartyId, int]
    rounds: int
    stall: int | None
    seed: str
    made_in: list[int] = field(default_factory=list)
    made_by: list[PartyId] = field(default_factory=list)
    made: list[int] = field(default_factory=list)
    accepted: dict[int, list[PartyId]] = field(default_factory=dict)
    seen: dict[PartyId, set[int]] = field(default_factory=dict)
    moved: int = 0
    waited: int = 0

    def offers(self, at: int, name: PartyId) -> int | None:
        """Let a party offer; return the deal, or None when it would accept none."""
        outcome = self.players[name].offer(at)
        if outcome is None:
            return None
        self.made_in.append(at)
        self.made_by.append(name)
        self.made.append(outcome)
        seen = self.seen.setdefault(name, set())
        if outcome not in seen:
            seen.add(outcome)
            self.moved = at
        return outcome

    def tell(self, at: int, by: PartyId, outcome: int) -> None:
        """Let all others hear an offer."""
        for name, player in self.players.items():
            if name != by:
                player.hears(at, by, outcome)

    def agrees(self, at: int, name: PartyId, place: int) -> bool:
        """Ask a party about an offer of another; return whether all have accepted it now."""
        if self.players[name].accepts(at, self.made_by[place], self.made[place]):
            self.accepted.setdefault(place, []).append(name)
        return len(self.accepted.get(place, ())) == len(self.players) - 1

    def all_wait(self) -> bool:
        """Tell whether nobody changes anything until somebody offers something new."""
        return all(player.is_waiting for player in self.players.values())

    def stuck(self, at: int, *, waited: bool) -> NoDealReason | None:
        """Return what ends the session after a round; ``waited`` when all waited before it."""
        is_still = waited and self.moved < at and self.all_wait()
        self.waited = self.waited + 1 if is_still else 0
        longest = max(len(seen) for seen in self.seen.values())
        count = len(self.players)
        if self.waited < (self.stall or longest * (1 if count == 2 else count)):
            return None
        spent = all(len(self.seen.get(name, ())) == self.acceptable[name] for name in self.players)
        return "exhausted" if spent else "stall"

    def played(
        self,
        at: int,
        deal: int | None = None,
        reason: NoDealReason = "round_limit",
        ties: tuple[Tie, ...] = (),
        unwilling: PartyId | None = None,
    ) -> Played:
        """Return what happened up to a round."""
        accepted = {place: tuple(names) for place, names in self.accepted.items()}
        return Played(
            rounds=self.made_in,
            parties=self.made_by,
            outcomes=self.made,
            accepted=accepted,
            deal=deal,
            reason=reason,
            played=at + 1,
            quiet=at - self.moved,
            ties=ties,
            unwilling=unwilling,
        )


def play_alternating(table: Table) -> Played:
    """Play alternating offers until all accept one, or a guard ends it.

    Args:
        table: fresh, with at least two players and one round.

    Returns:
        What happened.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import holding
        >>> play_alternating.__name__
        'play_alternating'
    """
    order = tuple(table.players)
    for at in range(table.rounds):
        waited = table.all_wait()
        for name in order:
            standing = len(table.made) - 1
            if standing >= 0:
                if table.agrees(at, name, standing):
                    return table.played(at, standing)
                if name in table.accepted.get(standing, ()):
                    continue
            outcome = table.offers(at, name)
            if outcome is None:
                return table.played(at, reason="exhausted", unwilling=name)
            table.tell(at, name, outcome)
        reason = table.stuck(at, waited=waited)
        if reason is not None:
            return table.played(at, reason=reason)
    return _last_call(table, order)


def _last_call(table: Table, order: tuple[PartyId, ...]) -> Played:
    """Put the offer that stands to those who have not answered it."""
    at, standing = table.rounds - 1, len(table.made) - 1
    owner = order.index(table.made_by[standing])
    for name in order[:owner]:  # pragma: no branch  # a refusal or the last assent ends it
        if table.agrees(at, name, standing):
            return table.played(at, standing)
        if name not in table.accepted.get(standing, ()):
            break
    return table.played(at)


def play_simultaneous(table: Table) -> Played:
    """Play simultaneous offers until all accept one, or a guard ends it.

    Args:
        table: fresh, with at least two players and one round.

    Returns:
        What happened; a seeded lot chooses when several deals of one round are accepted by all.

    Example:
        >>> play_simultaneous.__name__
        'play_simultaneous'
    """
    for at in range(table.rounds):
        waited = table.all_wait()
        first = len(table.made)
        for name in table.players:
            if table.offers(at, name) is None:
                return table.played(at, reason="exhausted", unwilling=name)
        places = range(first, len(table.made))
        for place in places:
            table.tell(at, table.made_by[place], table.made[place])
        agreed = []
        for place in places:
            others = [name for name in table.players if name != table.made_by[place]]
            if [table.agrees(at, name, place) for name in others][-1]:
                agreed.append(place)
        if agreed:
            place, ties = _one_of(table, at, agreed)
            return table.played(at, place, ties=ties)
        reason = table.stuck(at, waited=waited)
        if reason is not None:
            return table.played(at, reason=reason)
    return table.played(table.rounds - 1)


def _one_of(table: Table, at: int, agreed: list[int]) -> tuple[int, tuple[Tie, ...]]:
    """Return the offer of the deal that a lot draws; equal deals count once."""
    by_text: dict[str, list[int]] = {}
    for place in agreed:
        by_text.setdefault(table.layout.text(table.made[place]), []).append(place)
    ties = []
    chosen = next(iter(by_text))
    if len(by_text) > 1:
        ties.append(lot(table.seed, f"deals of round {at}", tuple(by_text)))
        chosen = str(ties[0].chosen)
    makers = {table.made_by[place]: place for place in by_text[chosen]}
    if len(makers) == 1:
        return by_text[chosen][0], tuple(ties)
    ties.append(lot(table.seed, f"maker of the deal of round {at}", tuple(makers)))
    return makers[str(ties[-1].chosen)], tuple(ties)
