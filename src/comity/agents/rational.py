"""Rational seats: an advocate that needs no model.

Here: one party's private values and red lines, speaking the consent protocol in words: positions,
proposals that give where it costs little and ask where it matters, concessions over time, checks,
consents and objections that say which combination is impossible.
Not here: which deals are left (outlook.py), how far it concedes at a move (concession.py).
A reply depends on the seat's own values and on the public transcript alone.
Sources: SEMANTICS C7, B3 (concession over time); Raiffa 1982 on logrolling.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from comity.agents.bargainer import OffersPlayer
from comity.agents.base import Failure, Question, Reply
from comity.agents.concession import choose, window
from comity.agents.outlook import Outlook, Pick, others_like, worthless_part
from comity.agents.rational_vote import rational_ballot
from comity.core.canonical import JsonObject
from comity.core.errors import InvalidInput
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.domain import Domain
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.protocols.consent.red_lines import (
    Clause,
    Predicate,
    clause_text,
    crossed,
    find_clauses,
    read_predicate,
)

__all__ = ["AT_OFFERS", "RationalAdvocate"]

AT_OFFERS = "comity"
"""The strategy by which a rational seat bargains over offers."""

MOVES_AT_MOST = 30
_PATIENCE = 6


@dataclass(slots=True)
class RationalAdvocate:
    """A seat that knows what it wants.

    Attributes:
        seat: its name.
        preferences: its private values over the terms, with its reservation value.
        red_lines: its own red lines that code can check.
        patience: after how many own moves it settles for anything acceptable.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> RationalAdvocate("GM", additive(d, {"tls": {"1.3": 1}})).waits
        False
    """

    seat: PartyId
    preferences: Additive
    red_lines: tuple[Predicate, ...] = ()
    patience: int = _PATIENCE
    waits: bool = False
    _outlook: Outlook | None = field(default=None, repr=False, compare=False)
    _player: OffersPlayer | None = field(default=None, repr=False, compare=False)

    @property
    def outlook(self) -> Outlook:
        """The deals it can hope for; kept between asks only to save time."""
        if self._outlook is None:
            self._outlook = Outlook(self.preferences, self.red_lines)
        return self._outlook

    def reply(self, question: Question) -> Reply | Failure:
        """Answer an ask of the consent or the offers protocol, or of a vote that follows."""
        ask = question.ask
        if ask.payload.get("protocol") == "offers":
            if self._player is None:
                self._player = OffersPlayer(read_strategy(AT_OFFERS))
            return Reply(text=self._player.move(ask.payload))
        if ask.kind == "ballot":
            return Reply(text=rational_ballot(ask.payload, self.preferences, self.red_lines))
        if ask.kind == "position":
            return Reply(text=self._position(ask.payload))
        if ask.kind == "answer":
            return Reply(text=self._answer(ask.payload))
        return Reply(text=self._turn(ask.payload))

    def _own_seat(self, payload: JsonObject) -> Mapping[str, object]:
        return next(one for one in _objects(payload["seats"]) if one["id"] == self.seat)

    def _position(self, payload: JsonObject) -> str:
        own = self._own_seat(payload)
        weights = self._weights()
        ranked = sorted(weights, key=lambda term: (-weights[term], term))
        firm = [term for term in ranked if weights[term] > 0]
        loose = [term for term in reversed(ranked) if term not in firm[:1]]
        lines = [str(line) for line in _texts(own["red_lines"])]
        if self.preferences.reservation is not None:
            lines.append("No package below my walk-away value")
        red = "\n".join(f"- {line}" for line in lines) or "none"
        why = own["rationale"] or (
            f"What matters most to me: {', '.join(firm[:2])}" if firm else "I can live with all"
        )
        trade = own["willing_to_trade"] or (
            f"I can move on {', '.join(loose)}" if loose else "little"
        )
        return (
            f"[ADVOCATE - {self.seat}]\nPRIORITY: {own['priority']}\nRATIONALE: {why}\n"
            f"RED LINE:\n{red}\nWILLING TO TRADE: {trade}"
        )

    def _weights(self) -> dict[str, Fraction]:
        return {
            name: max(values.values()) - min(values.values())
            for name, values in self.preferences.table().items()
        }

    def _answer(self, payload: JsonObject) -> str:
        trouble = self._trouble(payload)
        if trouble is not None:
            return f"[OBJECT: {trouble}]"
        judged = "RED LINE: kept\n" if _texts(payload["judge"]) else ""
        return f"{judged}[CONSENT]"

    def _trouble(self, payload: JsonObject) -> str | None:
        """Return why the draft is unacceptable, or None."""
        draft = _object(payload["draft"])
        settled = {str(term): str(option) for term, option in _object(draft["settled"]).items()}
        domain = self.preferences.domain
        words = [
            str(one["number"])
            for one in _objects(draft["terms"])
            if str(one["text"]) not in {f"{term} = {option}" for term, option in settled.items()}
        ]
        if words:
            return (
                f"term {', term '.join(words)} is in words that I cannot value; "
                "write it as term = option"
            )
        missing = [name for name in domain.names if name not in settled]
        if missing:
            return f"it leaves {', '.join(missing)} open"
        for line in self.red_lines:
            if crossed(line, domain, settled):
                return f"it crosses my red line {line}"
        part = worthless_part(self.preferences, settled)
        if part is None:
            return None
        return f"below my walk-away value; I can accept no deal with this: {clause_text(part)}"

    def _turn(self, payload: JsonObject) -> str:
        transcript = _objects(payload["transcript"])
        moves = sum(
            one["party"] == self.seat and one["kind"] in {"propose", "counter", "check"}
            for one in transcript
        )
        left = self.outlook.left(*_learned(payload, self.seat, self.preferences.domain))
        if not left:
            return self._nothing_left(payload)
        seen = _seen(payload, self.outlook)
        draft = _object(payload["draft"])
        trouble = self._trouble(payload)
        wanted = window(self.outlook, left, moves, self.patience)
        checkable = trouble is None and not payload["draft_objected"]
        if moves >= MOVES_AT_MOST:
            return "[DONE]\nI have said what I can say."
        turns_left, seats = _whole(payload["turns_left"]), len(_objects(payload["seats"]))
        if checkable and turns_left >= seats:
            standing = self.outlook.pick(_names(draft["settled"]))
            if standing in wanted or turns_left < 2 * seats:
                return f"[CONSENT CHECK - {self.seat}]"
        fresh = [pick for pick in wanted if pick not in seen]
        if not fresh:
            fresh = [pick for pick in left if pick not in seen]
        if not fresh:
            if checkable:
                return f"[CONSENT CHECK - {self.seat}]"
            return "[DONE]\nEvery deal I could accept has been on the table."
        label = f"{self.seat} at turn {payload['turn']}"
        liked = others_like(transcript, self.seat, self.preferences.domain)
        pick = choose(self.outlook, fresh, liked, (str(payload["seed"]), label))
        return self._proposal(pick, payload, trouble)

    def _nothing_left(self, payload: JsonObject) -> str:
        if not self.outlook.is_complete:
            return "[DONE]\nI find no deal that meets every red line stated so far."
        part = self._trouble(payload) if _object(payload["draft"])["settled"] else None
        why = f" The draft: {part}." if part else ""
        return f"[DONE]\nNo deal meets every red line stated so far together with mine.{why}"

    def _proposal(self, pick: Pick, payload: JsonObject, trouble: str | None) -> str:
        deal = self.outlook.deal(pick)
        offer: list[str] = []
        want: list[str] = []
        for name, values in self.preferences.table().items():
            best = max(values.values())
            keeps = values[deal[name]] == best and min(values.values()) < best
            (want if keeps else offer).append(f"{name} = {deal[name]}")
        draft = _object(payload["draft"])
        previous = _objects(payload["proposals"])
        last = previous[-1] if previous else None
        header = f"[PROPOSAL - {self.seat}]"
        if last is not None and last["by"] != self.seat:
            header = f"[COUNTER - {self.seat} to {last['id']}]"
        why = "this keeps every red line stated so far"
        if trouble is not None and draft["settled"]:
            why = f"version {draft['version']}: {trouble}; {why}"
        offered = "\n".join(f"- {line}" for line in offer) or "nothing further"
        wanted = "\n".join(f"- {line}" for line in want) or "nothing further"
        return f"{header}\nI OFFER:\n{offered}\nI WANT:\n{wanted}\nRATIONALE: {why}"


def _learned(
    payload: JsonObject, seat: PartyId, domain: Domain
) -> tuple[tuple[Predicate, ...], tuple[Clause, ...]]:
    """Return the red lines others stated and the combinations they said they cannot accept."""
    lines: list[Predicate] = []
    for one in _objects(payload["seats"]):
        if one["id"] == seat:
            continue
        for text in _texts(one["red_lines"]):
            with suppress(InvalidInput):
                found = read_predicate(text, domain, whose=str(one["id"]))
                lines.extend([found] if found else [])
    clauses = [
        clause
        for message in _objects(payload["transcript"])
        if message["party"] != seat
        for clause in find_clauses(str(message["text"]), domain)
    ]
    return tuple(lines), tuple(clauses)


def _seen(payload: JsonObject, outlook: Outlook) -> set[Pick]:
    """Return the deals that have been on the table: a draft that returns is ping-pong."""
    transcript = _objects(payload["transcript"])
    found = [_names(one["settled"]) for one in transcript if one.get("settled")]
    found.append(_names(_object(payload["draft"])["settled"]))
    names = set(outlook.domain.names)
    return {outlook.pick(deal) for deal in found if set(deal) == names}


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _objects(value: object) -> list[Mapping[str, object]]:
    items = value if isinstance(value, (list, tuple)) else ()
    return [item for item in items if isinstance(item, Mapping)]


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (list, tuple)) else []


def _names(value: object) -> dict[str, str]:
    return {str(term): str(option) for term, option in _object(value).items()}
