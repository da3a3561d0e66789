"""Side by side: the same claims under other rules, exactly as the rules alone decide them (R6)."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.formats.claims_log import ClaimsLog
from comity.mechanisms.arbitration import RULES, Arbitration, Policy, recorded, what_if
from comity.watch.report import NO_WINNERS
from comity.watch.side_by_side import RECORDED, policies_named, rule_from, side_by_side

ABC = [("A", 3), ("B", 2), ("C", 1)]
ROWS = [recorded("ads", ABC if n % 3 else ABC[:2], ["A"], at=3600 * n) for n in range(60)]


def test_r6_every_rule_decides_as_it_does_alone() -> None:
    found = side_by_side(ROWS, policies_named(list(RULES)), seed="7")
    (happened, *rows) = found.found.rows
    alone = what_if(ROWS, [Policy(rule=name) for name in RULES], seed="7").rows
    assert (happened, *rows) == alone
    engine = Arbitration(Policy(c=2), seed="7")
    winners = [engine.conflict(one.claims, one.resource).winners[0] for one in ROWS]
    (row,) = side_by_side(ROWS, [Policy(c=2)], seed="7").found.rows[1:]
    assert row.wins == tuple(winners.count(name) for name in "ABC")


def test_r6_without_names_come_the_rules_that_the_log_says_enough_for() -> None:
    found = side_by_side(ROWS)
    names = [one.name.split(",")[0] for one in found.found.rows]
    assert names == [
        RECORDED, "losses", "hours", "static_priority", "round_robin", "least_recently_served",
        "lottery", "weighted_lottery", "stride", "second_price", "split",
    ]  # fmt: skip
    assert [one.name for one in found.skipped] == ["first_come", "latest"]
    assert list(found.to_json()["left_out"]) == ["first_come", "latest"]  # type: ignore[call-overload]


def test_r6_each_row_has_its_bound() -> None:
    rows = {one["rule"]: one for one in side_by_side(ROWS).to_json()["rows"]}  # type: ignore[union-attr,index,call-overload]
    assert rows["losses, c = 1"]["bounds"] == {"A": 2, "B": 3, "C": 4}
    assert rows["static_priority"]["bounds"] == {"A": None, "B": None, "C": None}
    assert rows["recorded"]["same"] == 60
    assert rows["static_priority"]["warnings"]


def test_g1_the_answer_is_json_with_exact_numbers() -> None:
    data = side_by_side(ROWS, policies_named(["losses"], c=Fraction(1, 2)), seed="9").to_json()
    assert json.loads(json.dumps(data)) == data
    assert (data["kind"], data["seed"], data["conflicts"]) == ("what_if", "9", 60)
    assert data["agents"] == ["A", "B", "C"]
    assert data["rows"][0]["jain"] == "1/3"  # type: ignore[index]


def test_the_sentence_names_who_lost_and_the_rule_that_lets_lose_least() -> None:
    assert side_by_side(ROWS).says == (
        "60 conflicts replayed: B lost up to 60 in a row as recorded; nobody would lose more than"
        " 2 under round_robin or least_recently_served."
    )
    even = [recorded("r", ABC, [name], at=n) for n, name in enumerate("ABC")]
    assert "an agent lost up to 2" in side_by_side(even, [Policy()]).says
    split = side_by_side(even, [Policy(rule="split")])
    assert split.says == "3 conflicts replayed: an agent lost up to 2 in a row as recorded."
    silent = ClaimsLog(
        conflicts=tuple(one._replace(winners=()) for one in even), says_who_won=False
    )
    for rule, told in (("split", "all would win"), ("human", "a person would decide each")):
        assert side_by_side(silent, [Policy(rule=rule)]).says == f"3 conflicts replayed: {told}."
    asked = side_by_side(even, policies_named(["human", "losses"])).says
    assert asked.endswith("nobody would lose more than 3 under losses, c = 1.")
    assert str(split).startswith(f"{split.says}\nwins / longest")


def test_a_log_without_winners_has_nothing_recorded_beside_the_rules() -> None:
    rows = tuple(one._replace(winners=()) for one in ROWS)
    found = side_by_side(ClaimsLog(conflicts=rows, says_who_won=False), [Policy()])
    assert found.found.rows[0].skipped == NO_WINNERS
    assert found.says.startswith(
        "60 conflicts replayed: nobody would lose more than 3 under losses"
    )
    left = side_by_side(ClaimsLog(conflicts=rows, says_who_won=False))
    assert left.found.rows[0].name == RECORDED
    assert left.found.rows[0].skipped


def test_a_named_rule_that_cannot_be_replayed_says_why() -> None:
    found = side_by_side(ROWS, policies_named(["first_come", "losses"]))
    assert "does not say when it arrived" in found.found.rows[1].skipped
    with pytest.raises(InvalidInput) as caught:
        side_by_side(ROWS, policies_named(["first_come", "latest"]))
    assert [one.whose for one in caught.value.faults] == ["rule first_come", "rule latest"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [("static", "static_priority"), ("Least-Recently Served", "least_recently_served"),
     ("lottery", "lottery"), ("w", "weighted_lottery"), ("LOSSES", "losses")],
)  # fmt: skip
def test_a_rule_may_be_named_by_its_beginning(name: str, rule: str) -> None:
    assert rule_from(name) == rule


def test_g7_every_unknown_rule_and_a_wrong_c_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        policies_named(["loses", "l", "hours", "losses", ""], c=-1)
    told = [f"{one.whose}: {one.what}" for one in caught.value.faults]
    assert [one for one in told if "does not exist" in one] == [
        "rule 'loses': does not exist",
        "rule '': does not exist",
    ]
    assert "rule 'l': is the beginning of 4 rules" in told
    assert caught.value.faults[1].next == (
        "say which: losses, least_recently_served, lottery, latest"
    )
    assert len([one for one in told if "c is" in one or "-1" in one]) == 1
    with pytest.raises(InvalidInput, match="c: is given, and static_priority takes none"):
        policies_named(["static"], c=2)
    assert [one.c for one in policies_named(["static", "hours"], c=2)] == [1, 2]
