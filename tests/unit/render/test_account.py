"""Account: why a decision came out as it did."""

from __future__ import annotations

from typing import Any

from comity import bargain
from comity.core.results import FinalOffer, Grounds, NoDeal, Submission
from comity.core.ties import Tie
from comity.render.account import account_json, account_text, desk_account_text
from comity.render.ink import Ink

OPENED = {"session": "d_1", "kind": "x", "title": "What?", "at_ms": 0, "agents": {"CC": "person"}}


def grounds(**more: Any) -> Grounds:
    return Grounds(rule="r", ended_by="guard", inputs_digest="f" * 64, **more)


def test_g1_every_question_has_its_answer_in_the_json() -> None:
    data = bargain(buyer=(60, 100), seller=(120, 70)).to_json()
    told = account_json(OPENED, data)
    assert list(told)[:2] == ["v", "kind"]
    assert told["question"] == "What?"
    assert told["terms"] == [["price", 80]]
    assert told["said_at_the_end"] == [
        {"party": "buyer", "what": 92},
        {"party": "seller", "what": 80},
    ]
    assert told["result"] == data


def test_g2_a_no_deal_tells_the_final_offers() -> None:
    offers = (FinalOffer("a", 88), FinalOffer("b", "3 less"), FinalOffer("c"))
    result = NoDeal(reason="stall", final_offers=offers, grounds=grounds())
    text = account_text(OPENED, result.to_json(), Ink())
    assert "  - a: 88\n  - b: 3 less\n\n" in text
    assert "rule r, ended by guard" in text


def test_submissions_stand_in_for_offers() -> None:
    submitted = (Submission("a", {"x": 1, "y": None}), Submission("b"), Submission("c", [1, 2]))
    result = NoDeal(reason="left", grounds=grounds(submissions=submitted, absent=("b",)))
    text = account_text(OPENED, result.to_json(), Ink())
    assert "  - a: x 1\n  - b: silent\n  - c: 1, 2" in text
    assert "silent: b" in text


def test_g4_every_tie_is_told_with_its_rule_and_seed() -> None:
    ties = (
        Tie(label="order", tied=("a", "b"), rule="lot", chosen="b", seed="7"),
        Tie(label="winner", tied=("a", "b"), rule="none", chosen=None),
    )
    result = NoDeal(reason="stall", grounds=grounds(ties=ties))
    text = account_text(OPENED, result.to_json(), Ink())
    assert "order: a, b; lot chose b (seed 7)" in text
    assert "winner: a, b; none: it stands" in text


def test_c4_red_lines_and_objections_tell_what_became_of_them() -> None:
    record = {
        "question": "Which protocol?",
        "draft": ["a = 1"],
        "red_lines": [
            {"party": "CC", "text": "p < 2", "checked_by": "code", "kept": "p is 1"},
            {"party": "CX", "text": "q < 3", "checked_by": "owner", "loosened_from": "q < 2"},
        ],
        "objections": [
            {"party": "CX", "version": 1, "reason": "slow", "answered": "version 2: faster"},
            {"party": "CC", "version": 2, "reason": "odd", "answered": ""},
        ],
    }
    data = {**NoDeal(reason="stall", grounds=grounds()).to_json(), "form": "consent"}
    data |= {"kind": "agreement", "record": record}
    text = account_text(OPENED, data, Ink())
    for line in (
        "Which protocol?",
        "CC: p < 2; checked by code; kept: p is 1",
        "CX: q < 3 (loosened by its owner, was q < 2); judged by its owner",
        "CX to version 1: slow -> version 2: faster",
        "CC to version 2: odd -> open",
        "seats: CC by person",
        f"inputs {'f' * 64}",
    ):
        assert line in text


def test_parameters_read_as_words() -> None:
    parameters = (("blind", False), ("order", ("a", "b")), ("stall", None), ("tick", "0.5"))
    result = NoDeal(reason="stall", grounds=grounds(parameters=parameters))
    assert "blind no, order a b, tick 0.5" in account_text(OPENED, result.to_json(), Ink())


def test_what_the_parties_wrote_stays_on_its_line() -> None:
    result = NoDeal(
        reason="stall", grounds=grounds(submissions=(Submission("a", "x\nDecided: y"),))
    )
    opened = {**OPENED, "title": "two\nlines", "agents": {}}
    text = account_text(opened, result.to_json(), Ink())
    assert "\nDecided" not in text
    assert "two\\nlines" in text


def test_g8_what_people_decided_and_took_back_is_told() -> None:
    deed = {"what": "decided", "at_ms": 0, "choice": "A", "seat": "human", "by": "zoe"}
    story = [{**deed, "reason": "newer"}, {**deed, "what": "undone", "by": "yan", "reason": ""}]
    data = NoDeal(reason="stall", grounds=grounds()).to_json()
    opened: Any = {**OPENED, "story": story}
    assert account_json(opened, data)["story"] == story
    assert account_json(OPENED, data)["story"] == []
    text = account_text(opened, data, Ink())
    assert (
        "What people decided\n"
        "  - 1970-01-01 00:00:00Z zoe decided 'A': newer\n"
        "  - 1970-01-01 00:00:00Z yan took 'A' back\n"
    ) in text
    assert "What people decided" not in account_text(OPENED, data, Ink())


def test_what_was_submitted_in_lists_and_tables_reads_as_words() -> None:
    submissions = (
        Submission("a", [[["A", "B"], 6], [["A"], "2.5"]]),
        Submission("b", {"segments": [[4, 2], [4, "11/10"]], "soft": []}),
        Submission("c", [10, 6]),
    )
    parameters = (("asks", {"a": 3, "b": 1}), ("order", ["a", ["b", "c"]]), ("reserves", {}))
    result = NoDeal(
        reason="stall", grounds=grounds(submissions=submissions, parameters=parameters)
    )
    text = account_text(OPENED, result.to_json(), Ink())
    for line in (
        "a: A B, 6; A, 2.5",
        "b: segments 4 2, 4 11/10",
        "c: 10, 6",
        "asks a 3, b 1, order a, b c",
    ):
        assert f"  - {line}\n" in text


def test_k4_the_account_of_a_desk_tells_the_last_conflict_and_where_to_look() -> None:
    claims = [
        {"agent": "a", "priority": 3, "counted": "1/2"},
        {"agent": "b\nb", "priority": "5/2", "counted": 1},
        {"agent": "c", "priority": 0, "counted": None},
    ]
    last = {"says": "a won gpu over b\nb, c.", "claims": claims, "winners": ["a"], "seed": "7"}
    data: dict[str, Any] = {"desk": "ours", "at_ms": 0, "next": ["comity arbiter", "comity watch"]}
    drawn = {**last, "drawn_from": [["a", "b\nb"], ["c"]], "decided_elsewhere": False}
    text = desk_account_text({**data, "last": drawn}, Ink())
    assert text.startswith(
        "desk ours  1970-01-01 00:00:00Z\nLast conflict: a won gpu over b\\nb, c."
    )
    rows = [line.split() for line in text.split("\n")[3:7]]
    assert rows == [
        ["claimant", "priority", "counted"],
        ["a", "3", "0.5", "won"],
        ["b\\nb", "2.5", "1"],
        ["c", "0", "-"],
    ]
    assert "drawn among a, b\\nb by the seed 7" in text
    assert text.endswith("Look further\n  comity arbiter\n  comity watch")
    elsewhere = {**last, "drawn_from": [], "decided_elsewhere": True}
    assert "decided elsewhere and recorded here" in desk_account_text(
        {**data, "last": elsewhere}, Ink()
    )
