"""Status: the figures of a running session."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from comity.core.step import Input
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.rules import ConsentRules, consent_rules
from comity.protocols.consent.state import ConsentState
from comity.protocols.review import machine
from comity.protocols.review.presets import preset_rules
from comity.watch.status import Used, status_of

SEATS: dict[str, object] = {"CC": "Focus", "CX": "Contact", "GM": "Calm"}
POSITION = "PRIORITY: x\nRATIONALE: y"


def after(rules: ConsentRules, *said: tuple[str, str]) -> ConsentState:
    last = start(rules)
    for party, text in said:
        (asked,) = (one for one in last.asks if one.party == party)
        body = {"text": text}
        last = step(
            last.state, Input(kind="reply", now_ms=0, party=party, ask_id=asked.id, body=body)
        )
        assert not last.rejected, last.rejected
    return last.state


def rules(**more: Any) -> ConsentRules:
    return consent_rules("q", SEATS, order=["CC", "CX", "GM"], seed="1", **more)


POSITIONS = [(seat, POSITION) for seat in SEATS]


def test_c2_turns_and_the_consents_of_an_open_check() -> None:
    assert status_of(after(rules())) == {"turn": 0, "max_turns": 30}
    called = [*POSITIONS, ("CC", "[CONSENT CHECK]\n- Tuesday")]
    told = status_of(after(rules(), *called))
    assert told == {"turn": 4, "max_turns": 30, "consents": 1, "seats": 3}
    told = status_of(after(rules(), *called, ("CX", "[CONSENT]")), Used(tokens=5))
    assert told == {"turn": 5, "max_turns": 30, "consents": 2, "seats": 3, "tokens": 5}


def test_c2_what_is_open_are_unsettled_terms_and_objections() -> None:
    from_words = [
        *POSITIONS,
        ("CC", "[CONSENT CHECK]\n- Tuesday"),
        ("CX", "[OBJECT: too early in the week]"),
    ]
    assert status_of(after(rules(), *from_words))["open"] == ["CX objects"]
    domain = domain_of({"day": ["mon", "tue"], "hour": ["9", "10"]})
    offer = ("CC", "[PROPOSAL - CC]\nI OFFER: day = mon\nI WANT: quiet\nRATIONALE: x")
    told = status_of(after(rules(domain=domain), *POSITIONS, offer))
    assert told["open"] == ["hour"]
    check = "[CONSENT CHECK]\n- day = mon\n- hour = "
    first = [*POSITIONS, ("CC", f"{check}9"), ("GM", "[OBJECT: hour, and nothing else]")]
    assert status_of(after(rules(domain=domain), *first))["open"] == ["hour"]
    again = [*first, ("CX", "[CONSENT]"), ("CX", f"{check}10")]
    assert status_of(after(rules(domain=domain), *again))["open"] == ["hour"]
    assert "open" not in status_of(after(rules(domain=domain), *again, ("GM", "[CONSENT]")))
    by_itself = [*first, ("CX", "[CONSENT]"), ("CX", "Hm."), ("GM", f"{check}10")]
    assert "open" not in status_of(after(rules(domain=domain), *by_itself)), "it has called it"


def test_g1_nothing_is_open_once_it_has_ended() -> None:
    check = "[CONSENT CHECK]\n- Tuesday"
    said = [*POSITIONS, ("CC", check), ("CX", "[CONSENT]"), ("GM", "[OBJECT: no]")]
    again = [*said, ("CX", f"{check} at ten"), ("CC", "[CONSENT]"), ("GM", "[CONSENT]")]
    assert status_of(after(rules(), *again)) == {"turn": 9, "max_turns": 30}


def test_w4_a_review_tells_its_round_and_the_votes_of_its_phase() -> None:
    made = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
    first = machine.start(made)
    assert status_of(first.state) == {"round": 1, "votes": 0, "voters": 3}
    body = {"text": "VOTE: APPROVE"}
    asked = first.asks[0]
    said = Input(kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body=body)
    assert status_of(machine.step(first.state, said).state)["votes"] == 1


def test_other_machines_tell_their_rounds_and_their_voters() -> None:
    cast = (SimpleNamespace(voter="ann"), SimpleNamespace(voter="bob"))
    state = SimpleNamespace(round=2, cast=cast, missing=("bob", "cyd"))
    assert status_of(state) == {"round": 2, "votes": 1, "voters": 3}
    assert status_of(SimpleNamespace(inner=state)) == status_of(state)
    assert status_of(None, Used(money=Decimal("0.50"))) == {"money": "0.50"}
