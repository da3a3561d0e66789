"""Tests of how a negotiation ends: agreement and the useful no deal (C4, C5, C6, G1, G2, G8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest

from comity.core.canonical import digest
from comity.core.step import Input
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.protocols.consent.draft import Draft, DraftTerm
from comity.protocols.consent.endings import guard_of
from comity.protocols.consent.results import Objection
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.protocols.consent.state import new_state

SPEED = {"CX": {"priority": "Speed", "red_lines": ["p99_latency_ms < 90", "no toil"]}}
SEATS: dict[str, object] = {"CC": "Reliability", "CX": "Speed", "GM": "Security"}


def all_say(talk: Any, *answers: tuple[str, str]) -> Any:
    for party, text in answers:
        talk.says(party, text)
    return talk


def cancelled(talk: Any) -> Any:
    return talk.happens(Input(kind="cancel", now_ms=0)).ended


# --- agreement -------------------------------------------------------------------------------


def test_g1_an_agreement_names_its_terms_parties_and_grounds(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(seats={**SEATS, **SPEED}, domain=tls, work="w", order=None)
    talk.positions()
    first, second, third = talk.rules.ids
    talk.says(first, "[CONSENT CHECK]\n- be kind\n- retries = 0\n- tls = full")
    found = all_say(talk, (second, "[CONSENT]"), (third, "[CONSENT]")).agreed
    assert found.terms == (("tls", "full"), ("retries", "0"), ("term 3", "be kind"))
    assert found.parties == ("CC", "CX", "GM")
    assert found.says == "All 3 seats consented to version 1 after 6 turns."
    grounds = found.grounds
    assert grounds.ended_by == grounds.rule == "consent"
    assert grounds.inputs_digest == talk.rules.digest
    assert grounds.absent == grounds.thin == ()
    told = dict(grounds.parameters)
    assert told["work_sha256"] == sha256(b"w").hexdigest()
    assert told["transcript_digest"] == digest(list(talk.state.transcript))
    assert told["order"] == talk.rules.ids
    (tie,) = grounds.ties
    assert tie.chosen == first
    assert {one.party: one.what for one in grounds.submissions}[first] == {
        "messages": 2,
        "answer": "CONSENT",
        "priority": talk.state.seat(first).priority,
    }


def test_c6_each_red_line_says_how_it_is_kept_and_who_saw_to_it(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    seats = {
        "CC": {"priority": "R", "red_lines": ["retries >= 1", "no loss"]},
        "CX": {"priority": "S", "red_lines": ["p99_latency_ms < 190", "no toil"]},
        "GM": {"priority": "S", "red_lines": ["tls in {full}"]},
    }
    talk = make_talk(seats=seats, domain=tls).positions()
    talk.says("CC", "[CONSENT CHECK]\n- tls = full\n- retries = 2")
    found = all_say(talk, ("CX", "[CONSENT]"), ("GM", "[CONSENT]")).agreed.record.red_lines
    assert [(one.party, one.text, one.checked_by, one.kept) for one in found] == [
        ("CC", "retries >= 1", "code", "retries is 2"),
        ("CC", "no loss", "owner", "CC called the check of version 1"),
        ("CX", "p99_latency_ms < 190", "code", "p99_latency_ms is 110"),
        ("CX", "no toil", "owner", "CX was asked and consented to version 1"),
        ("GM", "tls in {full}", "code", "tls is full"),
    ]
    assert {one.loosened_from for one in found} == {""}


def test_c4_a_loosened_red_line_is_listed_with_what_it_was_and_a_tightened_one_is_not(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(seats={**SEATS, **SPEED}, domain=tls).positions(CC="retries >= 1")
    talk.says("CC", "RED LINE: retries >= 2").says("CX", "RED LINE: p99_latency_ms < 95")
    talk.says("GM", "hm").says("CC", "well").says("CX", "RED LINE: p99_latency_ms < 200")
    talk.says("GM", "[CONSENT CHECK]\n- tls = full\n- retries = 2")
    talk.says("CC", "[CONSENT]").says("CX", "[CONSENT]")
    found = {one.text: one.loosened_from for one in talk.agreed.record.red_lines}
    assert found == {
        "retries >= 2": "",
        "no toil": "",
        "p99_latency_ms < 200": "p99_latency_ms < 95, before that p99_latency_ms < 90",
    }


def test_a_line_loosened_and_taken_back_is_not_loosened(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(seats={**SEATS, **SPEED}, domain=tls).positions().says("CC", "hm")
    talk.says("CX", "RED LINE: p99_latency_ms < 200").says("GM", "hm").says("CC", "so")
    talk.says("CX", "RED LINE: p99_latency_ms < 90")
    assert {one.loosened_from for one in cancelled(talk).record.red_lines} == {""}


def test_c6_what_each_gave_and_got_over_terms_is_measured_against_its_first_proposal(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls).positions()
    talk.proposes("CC", want="retries=2.", offer="TLS = none")
    talk.proposes("CX", want="tls = none", offer="tls")
    talk.says("GM", "[CONSENT CHECK]\n- tls = full\n- retries = 2")
    seats = all_say(talk, ("CC", "[CONSENT]"), ("CX", "[CONSENT]")).agreed.record.seats
    assert [(one.party, one.gave, one.got) for one in seats] == [
        ("CC", ("tls = full (asked for none)",), ("retries = 2",)),
        ("CX", ("tls = full (asked for none)",), ()),
        ("GM", (), ()),
    ]


def test_c6_what_each_gave_and_got_in_words_is_what_it_offered_and_finds_in_the_draft(
    talk: Any,
) -> None:
    talk.positions().proposes("CC", want="weekly notes", offer="my mornings")
    talk.proposes("CX", want="calls", offer="my mornings")
    talk.says("GM", "[CONSENT CHECK]\n- Weekly notes\n- my mornings")
    seats = all_say(talk, ("CC", "[CONSENT]"), ("CX", "[CONSENT]")).agreed.record.seats
    assert [(one.party, one.gave, one.got, one.asked) for one in seats] == [
        ("CC", ("my mornings",), ("weekly notes",), ()),
        ("CX", ("my mornings",), (), ("calls",)),
        ("GM", (), (), ()),
    ]


def test_c6_the_number_of_an_amended_term_is_no_part_of_what_was_given(talk: Any) -> None:
    talk.positions().proposes("CC", want="weekly notes", offer="my mornings")
    talk.proposes("CX", want="DROP TERM 2", offer="TERM 1: some mornings")
    talk.says("GM", "[CONSENT CHECK]")
    seats = all_say(talk, ("CC", "[CONSENT]"), ("CX", "[CONSENT]")).agreed.record.seats
    assert [(one.gave, one.got, one.asked) for one in seats] == [
        (("my mornings",), (), ("weekly notes",)),
        (("some mornings",), (), ()),
        ((), (), ()),
    ]


def test_c6_without_agreement_nothing_was_given_and_what_was_asked_for_is_told(talk: Any) -> None:
    talk.positions().proposes("CC", want="weekly notes", offer="my mornings")
    seat = cancelled(talk).record.seats[0]
    assert (seat.gave, seat.got, seat.asked) == ((), (), ("weekly notes",))


def test_c6_every_objection_says_how_it_was_answered(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes\n- calls")
    talk.says("CX", "[OBJECT: too many calls]").says("GM", "[CONSENT]")
    talk.says("CX", "[CONSENT CHECK]\n- notes\n- one call")
    found = all_say(talk, ("CC", "[CONSENT]"), ("GM", "[CONSENT]")).agreed.record.objections
    assert [one.answered for one in found] == ["version 2: added: one call; dropped: calls"]
    assert talk.agreed.record.flags == ()


WITHOUT = (
    "agreement without concession: {} objected to version 1 over {}, "
    "and consented with that unchanged"
)


def test_c5_agreement_with_the_term_objected_to_unchanged_is_without_concession(
    talk: Any,
) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes\n- calls")
    talk.says("CX", "[OBJECT: terms 1 and 2 are too much]").says("GM", "[OBJECT: term 2, no]")
    talk.says("CX", "[CONSENT CHECK]\n- notes\n- calls\n- lunch")
    found = all_say(talk, ("CC", "[CONSENT]"), ("GM", "[CONSENT]")).agreed
    assert found.record.flags == (
        WITHOUT.format("CX", "notes, calls"),
        WITHOUT.format("GM", "calls"),
    )
    assert found.grounds.thin == found.record.flags


def test_c5_a_reason_may_name_a_term_by_its_name(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = (
        make_talk(domain=tls)
        .positions()
        .says("CC", "[CONSENT CHECK]\n- tls = full\n- retries = 0")
    )
    talk.says("CX", "[OBJECT: tls is slow]").says("GM", "[OBJECT: the tls-ish retries, term 9]")
    talk.says("CX", "[CONSENT CHECK]\n- tls = full\n- retries = 1")
    found = all_say(talk, ("CC", "[CONSENT]"), ("GM", "[CONSENT]")).agreed
    assert found.record.flags == (WITHOUT.format("CX", "tls = full"),)


def test_c5_a_withdrawn_objection_is_flagged_once_where_it_was_withdrawn(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes").says("CX", "[OBJECT: term 1]")
    talk.tells("CX", "[CONSENT]").says("GM", "[CONSENT]")
    assert [flag for flag in talk.agreed.record.flags if "term 1" in flag or "notes" in flag] == []
    assert len(talk.agreed.record.flags) == 1


# --- guards ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "spent", "guard"),
    [
        ({"tokens": 9}, {"tokens": 9}, None),
        ({"tokens": 9}, {"tokens": 10}, "budget"),
        ({"tokens": 0}, {"tokens": 0}, None),
        ({"money": 1}, {"money": Fraction(1)}, None),
        ({"money": 1}, {"money": Fraction(101, 100)}, "budget"),
        ({"max_turns": 3}, {"turn": 2}, None),
        ({"max_turns": 3}, {"turn": 3}, "round_limit"),
        ({"stall": 4}, {"idle": 3}, None),
        ({"stall": 4}, {"idle": 4}, "stall"),
        ({}, {"idle": 5}, None),
        ({}, {"idle": 6}, "stall"),
        ({}, {"versions": (Draft(), Draft(1, (DraftTerm("a", "CC"),)))}, None),
        ({}, {"versions": (Draft(), Draft(1, (DraftTerm("a", "CC"),)), Draft(2))}, "ping_pong"),
        ({"tokens": 9, "stall": 1}, {"tokens": 10, "idle": 1}, "budget"),
    ],
)
def test_c5_a_guard_fires_at_its_limit_and_not_before(
    limits: dict[str, Any], spent: dict[str, Any], guard: str | None
) -> None:
    rules = consent_rules("q", SEATS, seed="1", limits=ConsentLimits(**limits))
    assert guard_of(replace(new_state(rules), **spent)) == guard


# --- no deal ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "words"),
    [("cancelled", "it was cancelled"), ("round_limit", "the turn limit was reached")],
)
def test_g2_a_no_deal_says_why_in_a_sentence(
    reason: str, words: str, make_talk: Callable[..., Any]
) -> None:
    talk = make_talk(limits=ConsentLimits(max_turns=4)).positions()
    found = cancelled(talk) if reason == "cancelled" else talk.says("CC", "hm").ended
    assert found.reason == reason
    assert found.says == f"No agreement: {words} (turn {found.record.turns} of 4)."
    assert found.grounds.ended_by == reason


def test_c8_done_with_and_without_a_proposal_read_differently(talk: Any) -> None:
    found = talk.positions().says("CC", "[DONE]").says("CX", "[DONE]").says("GM", "[DONE]").ended
    assert found.says == (
        "No agreement: everybody was done and nothing was proposed (turn 6 of 30)."
    )


def test_g2_the_closest_draft_is_the_one_with_the_fewest_seats_against_it(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes\n- calls")
    talk.says("CX", "[OBJECT: term 2 is too much]").says("GM", "[CONSENT]")
    talk.says("CX", "[CONSENT CHECK]\n- calls")
    talk.says("CC", "[OBJECT: no notes]").says("GM", "[OBJECT: no]")
    talk.proposes("GM", want="silence")
    found = cancelled(talk)
    assert (found.record.version, found.record.draft) == (1, ("notes", "calls"))
    assert found.accepted_terms == ("notes",)
    assert found.unblock == ("CX consents when this is met: term 2 is too much",)
    assert [(one.party, one.version, one.answered) for one in found.record.objections] == [
        ("CX", 1, "version 2: dropped: notes"),
        ("CC", 2, ""),
        ("GM", 2, ""),
    ]
    assert [(one.party, one.offer) for one in found.final_offers] == [
        ("CC", None),
        ("CX", None),
        ("GM", "P1: offers nothing, wants silence"),
    ]


def test_g2_of_equally_close_drafts_it_is_the_latest(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes")
    talk.says("CX", "[OBJECT: no]").says("GM", "[CONSENT]")
    talk.says("CX", "[CONSENT CHECK]\n- calls").says("CC", "[OBJECT: no]").says("GM", "[CONSENT]")
    assert cancelled(talk).record.version == 2


def test_g2_silence_keeps_a_draft_away_from_agreement_as_an_objection_does(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes").fails("CX").fails("GM")
    talk.says("CX", "[CONSENT CHECK]\n- calls").says("CC", "[CONSENT]").fails("GM")
    found = cancelled(talk)
    assert found.record.version == 2
    assert found.unblock == ("GM answers the check of version 2",)
    assert found.accepted_terms == ()


def test_an_objection_taken_back_no_longer_counts_against_a_draft(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes").says("CX", "[OBJECT: no]")
    talk.tells("CX", "[CONSENT]").says("GM", "[OBJECT: term 1]")
    found = cancelled(talk)
    assert found.unblock == ("GM consents when this is met: term 1",)
    assert found.record.objections[0] == Objection(
        party="CX", version=1, reason="no", answered="withdrawn, nothing changed"
    )
    assert found.accepted_terms == ()


def test_an_objection_that_names_no_term_leaves_it_unknown_what_all_accept(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes\n- calls")
    talk.says("CX", "[OBJECT: term 2]").says("GM", "[OBJECT: I do not like it]")
    assert cancelled(talk).accepted_terms == ()


def test_an_objection_is_open_when_its_party_never_consented_to_a_later_version(
    talk: Any,
) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes\n- calls")
    talk.says("CX", "[OBJECT: calls]").says("GM", "[OBJECT: calls]")
    talk.proposes("CX", want="DROP TERM 2").says("GM", "[CONSENT CHECK]")
    talk.says("CX", "[CONSENT]").says("CC", "[OBJECT: then no]")
    found = {(one.party, one.version): one.answered for one in cancelled(talk).record.objections}
    assert found == {
        ("CX", 1): "version 2: dropped: calls",
        ("GM", 1): "version 2: dropped: calls",
        ("CC", 2): "",
    }


def test_g1_who_never_spoke_is_absent_and_named_as_a_way_out(talk: Any) -> None:
    talk.says("CC", "PRIORITY: x").fails("CX").says("GM", "PRIORITY: x")
    found = cancelled(talk)
    assert found.grounds.absent == ("CX",)
    assert {one.party: one.what for one in found.grounds.submissions}["CX"] is None
    assert found.unblock == ("CX answers; it has been silent",)


def test_g2_every_no_deal_says_what_would_unblock_it(make_talk: Callable[..., Any]) -> None:
    short = make_talk(limits=ConsentLimits(max_turns=4)).positions().proposes("CC", want="notes")
    assert short.ended.unblock == ("more than 4 turns (max_turns)",)
    poor = make_talk(limits=ConsentLimits(tokens=1)).positions().says("CC", "hm", tokens=2)
    assert poor.ended.unblock[0] == "a larger budget"
    idle = make_talk(limits=ConsentLimits(stall=1)).positions().proposes("CC", want="notes")
    idle.says("CX", "hm")
    assert idle.ended.unblock == ("somebody calls a consent check on the draft, or changes it",)


def test_g2_answers_to_the_open_check_are_told_when_it_is_cancelled(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes").says("CX", "[CONSENT]")
    told = {one.party: one.what for one in cancelled(talk).grounds.submissions}
    assert [told[name]["answer"] for name in ("CC", "CX", "GM")] == ["CONSENT", "CONSENT", None]


def test_c4_a_conflict_names_every_smallest_set_and_the_single_lines_that_could_give_way(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    seats = {
        "CC": {"priority": "R", "red_lines": ["retries >= 1"]},
        "CX": {"priority": "S", "red_lines": ["p99_latency_ms <= 40"]},
        "GM": {"priority": "S", "red_lines": ["tls in {full}"]},
    }
    found = make_talk(seats=seats, domain=tls).ended
    assert found.conflict == ("CX's p99_latency_ms <= 40 and GM's tls in {full}",)
    assert [one.split(" loosened")[0] for one in found.unblock] == [
        "CX's p99_latency_ms <= 40",
        "GM's tls in {full}",
    ]
    assert found.record.version == 0


def test_c4_without_a_conflict_no_red_line_is_asked_to_give_way(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(seats={**SEATS, **SPEED}, domain=tls).positions(GM="tls in {none}")
    assert cancelled(talk).unblock == ("somebody puts a proposal on the table",)


def test_c4_when_no_single_line_resolves_it_the_sets_say_who_must_move(
    make_talk: Callable[..., Any],
) -> None:
    domain = domain_of({"a": [1, 2], "b": [1, 2]})
    seats = {
        "CC": {"priority": "R", "red_lines": ["a > 1", "b > 9"]},
        "CX": {"priority": "S", "red_lines": ["a < 2"]},
    }
    found = make_talk(seats=seats, domain=domain).ended
    assert found.conflict == ("CC's b > 9",)
    assert found.unblock == (
        "CC loosens its red line (CC's b > 9), or the terms get more options",
    )
    seats["CC"] = {"priority": "R", "red_lines": ["a > 1", "b > 1"]}
    seats["CX"] = {"priority": "S", "red_lines": ["a < 2", "b < 2"]}
    found = make_talk(seats=seats, domain=domain).ended
    assert found.unblock == (
        "one of CC, CX loosens its red line (CC's a > 1 and CX's a < 2)",
        "one of CC, CX loosens its red line (CC's b > 1 and CX's b < 2)",
    )


def test_c4_a_conflict_that_came_up_later_is_in_the_no_deal_too(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls).positions(CX="p99_latency_ms < 50")
    talk.says("CC", "[CONSENT CHECK]\n- tls = none\n- retries = 1").says("CX", "[CONSENT]")
    talk.says("GM", "[OBJECT: no]").says("CX", "so").says("GM", "RED LINE: tls in {full}")
    found = cancelled(talk)
    assert found.conflict == ("CX's p99_latency_ms < 50 and GM's tls in {full}",)
    assert found.says == "No agreement: it was cancelled (turn 8 of 30)."
    assert found.unblock[2:] == (
        "GM consents when this is met: no",
        "version 1 changes so that it no longer crosses GM's red line tls in {full}",
    )
