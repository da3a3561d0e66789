"""Bargaining seats: a seat that plays a named strategy at the offers table, without a model.

Here: the player rebuilt from the public transcript at every turn, its move in words; what a seat
does where the deals are too many to look at each.
Not here: the strategies (mechanisms/bargaining/strategies), the table (protocols/offers).
A reply depends on the seat's own values and on the public transcript alone, both of which stand
in the payload.
Sources: SEMANTICS M3, C7, B5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from comity.agents.base import Failure, Question, Reply
from comity.agents.rational_vote import rational_ballot
from comity.core.canonical import JsonObject, canonical
from comity.core.errors import InvalidInput
from comity.core.exact import read_exact, to_fraction
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView, own_view
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem_json import problem_from_json
from comity.mechanisms.bargaining.strategies import Player, Strategy

__all__ = ["OffersPlayer", "StrategySeat"]

_NOBODY: JsonObject = {"form": "additive", "values": {}, "reservation": None, "unit": "utility"}


@dataclass(slots=True)
class OffersPlayer:
    """Answers the asks of the offers protocol by a strategy.

    Attributes:
        strategy: how it plays.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import read_strategy
        >>> from comity.protocols.offers.machine import start
        >>> from comity.testing.bargains import sample_offers
        >>> first = start(sample_offers()).asks[0]
        >>> OffersPlayer(read_strategy("linear")).move(first.payload)
        '{"offer": {"tls": "1.3", "days": "30"}}'
    """

    strategy: Strategy
    _views: dict[str, OwnView | None] = field(default_factory=dict, repr=False, compare=False)

    def move(self, payload: JsonObject) -> str:
        """Return the move in words that the protocol reads.

        Args:
            payload: the payload of an ask for a move.
        """
        told: Any = payload
        if told["kind"] == "turn" and told["yours"]["accepted"]:
            return "PASS"  # a counter would undo what it has accepted
        view = self._view(told)
        if view is None:
            return _without_a_table(told)
        player = _rebuilt(told, view, self.strategy)
        accepted = _accepted(told, player, view) if told["kind"] != "offer" else ""
        if accepted or told["kind"] == "answer":
            return _said("accept", accepted) if accepted else "PASS"
        if told["again"] and told["yours"]["last_offer"]:
            return _said("offer", _last_deal(told))
        index = player.offer(told["round"])
        return "PASS" if index is None else _said("offer", view.deal(index))

    def _view(self, told: Any) -> OwnView | None:  # noqa: ANN401  # a payload
        """Return the seat's own table; None when the deals are too many. Kept to save time."""
        seat = told["seat"]
        other = "nobody" if seat != "nobody" else "else"
        data: Any = {
            "domain": told["domain"],
            "parties": {seat: told["yours"]["values"], other: _NOBODY},
            "constraints": told["constraints"],
            "rates": None,
        }
        key = canonical(data)
        if key not in self._views:
            problem = problem_from_json(data)
            try:
                view = own_view(problem.domain, problem.party(seat), problem.constraints)
            except InvalidInput:
                self._views[key] = None
            else:
                self._views[key] = view if len(view.order) else None
        return self._views[key]


def _said(word: str, what: object) -> str:
    return json.dumps({word: what}, ensure_ascii=False)


def _last_deal(told: Any) -> Mapping[str, str]:  # noqa: ANN401  # a payload
    """Return the seat's own last offer: what is refused is not said again."""
    own = (one for one in reversed(told["transcript"]) if one["party"] == told["seat"])
    return dict(next(one["deal"] for one in own if one["kind"] == "offer"))


def _rebuilt(told: Any, view: OwnView, strategy: Strategy) -> Player:  # noqa: ANN401  # a payload
    """Return the player as it is after all that the public transcript says."""
    seat = told["seat"]
    player = strategy.start(view, told["rounds"], tuple(told["order"]), told["seed"])
    standing: dict[PartyId, int] = {}
    for one in told["transcript"]:
        by, at, kind = one["party"], one["round"], one["kind"]
        if by == seat:
            _relive(player, at, kind, standing if told["way"] == "alternating" else {})
        elif kind == "hold":
            player.hears(at, by, standing[by])
        if kind == "offer":
            if told["way"] == "alternating":
                standing.clear()
            standing[by] = view.index(one["deal"])
            if by != seat:
                player.hears(at, by, standing[by])
        elif kind in {"withdraw", "leave"}:
            standing.pop(by, None)
        standing.pop(seat, None)
    return player


def _relive(player: Player, at: int, kind: str, standing: Mapping[PartyId, int]) -> None:
    """Let the player decide once more what it decided then; what came of it is known."""
    for by, outcome in standing.items():
        if player.accepts(at, by, outcome):
            return
    if kind in {"offer", "hold"}:
        player.offer(at)


def _accepted(told: Any, player: Player, view: OwnView) -> str:  # noqa: ANN401  # a payload
    """Return the id of the offer that the player accepts, the one worth most to it; or ""."""
    found = [
        one
        for one in told["standing"]
        if one["you_may_accept"]
        and player.accepts(told["round"], one["by"], view.index(one["deal"]))
    ]
    best = max(found, key=lambda one: (_number(one["worth"]), one["id"]), default=None)
    return str(best["id"]) if best else ""


def _number(value: object) -> Fraction:
    return to_fraction(read_exact(value, "payload", "worth"))


def _without_a_table(told: Any) -> str:  # noqa: ANN401  # a payload
    """Return a move by the suggestions alone: down a straight line from the best to the limit."""
    offers = [(_number(one["worth"]), one["deal"]) for one in told["suggested"]]
    best = _best(told["yours"]["values"], [worth for worth, _ in offers])
    limit = told["yours"]["reservation"]
    floor = _number(limit) if limit is not None else Fraction(0)
    time = Fraction(told["round"], max(told["rounds"] - 1, 1))
    target = best - (best - floor) * time
    for one in told["standing"]:
        if one["you_may_accept"] and _number(one["worth"]) >= target:
            return _said("accept", one["id"])
    over = [(worth, dict(deal)) for worth, deal in offers if worth >= target]
    if told["kind"] == "answer" or not over:
        return "PASS"
    return _said("offer", min(over, key=lambda pair: (pair[0], canonical(pair[1])))[1])


def _best(values: Any, suggested: list[Fraction]) -> Fraction:  # noqa: ANN401  # of a payload
    """Return what the best deal is worth by the values per option, else the best one known."""
    if values["form"] == "additive":
        tops = (max(map(_number, table.values())) for table in values["values"].values())
        return sum(tops, Fraction(0))
    return max(suggested, default=Fraction(0))


@dataclass(frozen=True, slots=True)
class StrategySeat:
    """A seat that plays a named strategy.

    Attributes:
        strategy: such as ``boulware:0.2``.
        preferences: its values, for a vote that follows a no-deal; None to abstain there.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import read_strategy
        >>> StrategySeat(read_strategy("boulware:0.2")).waits
        False
    """

    strategy: Strategy
    preferences: Additive | None = None
    waits: bool = False
    _players: list[OffersPlayer] = field(default_factory=list, repr=False, compare=False)

    def reply(self, question: Question) -> Reply | Failure:
        """Answer an ask of the offers protocol, or of a vote that follows it."""
        payload = question.ask.payload
        if payload.get("protocol") == "offers":
            if not self._players:
                self._players.append(OffersPlayer(self.strategy))
            return Reply(text=self._players[0].move(payload))
        if question.ask.kind == "ballot" and self.preferences is not None:
            return Reply(text=rational_ballot(payload, self.preferences))
        if question.ask.kind == "ballot":
            return Reply(text="VOTE: abstain")
        return Failure(kind="unavailable", detail="a strategy answers offers and votes alone")
