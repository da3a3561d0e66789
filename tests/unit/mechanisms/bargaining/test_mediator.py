"""Unit tests of the mediator: M5, M7, G4, G6."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import Item, result_from_json
from comity.mechanisms.bargaining import mediator
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal
from comity.mechanisms.bargaining.mediator import mediate
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.solutions import POINTS

DOMAIN = domain_of({"pay": [1, 2, 3], "days": [20, 30]})


def offices(ann: object = None, boss: object = None, **more: str) -> Problem:
    one = additive(
        DOMAIN,
        {"pay": {"2": 5, "3": 9}, "days": {"20": 1, "30": 4}},
        reservation=ann,  # type: ignore[arg-type]  # a number
        **more,
    )
    other = additive(
        DOMAIN,
        {"pay": {"1": 6, "2": 5}, "days": {"20": 3}},
        reservation=boss,  # type: ignore[arg-type]  # a number
    )
    return problem_of(DOMAIN, {"ann": one, "boss": other})


def test_m5_the_mediator_names_the_nash_deal_and_what_each_gives_and_gains() -> None:
    found = mediate(offices(ann=6, boss=1), seed="1")
    assert isinstance(found, IssueAgreement)
    assert found.deal == {"pay": "2", "days": "30"}
    assert found.utilities == (Item("ann", 9), Item("boss", 5))
    assert found.gains == (Item("ann", 3), Item("boss", 4))
    assert found.notes == (
        "ann: 9 of at most 10; gives 1, gains 3",
        "boss: 5 of at most 8; gives 3, gains 4",
    )
    assert found.says == ("The Nash point: pay = 2, days = 30; ann gains 3, boss gains 4.")
    assert (found.how, found.round, found.protocol) == ("mediated", 0, "mediated")
    assert result_from_json(found.to_json()) == found


def test_m7_no_overlap_is_a_no_deal_in_no_rounds_with_the_nearest_deal() -> None:
    found = mediate(offices(ann=9, boss="5.5"), seed="1")
    assert isinstance(found, IssueNoDeal)
    assert (found.reason, found.rounds, found.guard) == ("no_overlap", 0, "no_overlap")
    assert found.nearest is not None
    assert dict(found.nearest.deal) == {"pay": "2", "days": "30"}
    assert found.nearest.short == (Item("boss", Fraction(1, 2)),)
    assert found.nearest.refused_by == ("boss",)
    assert found.unblock == ("boss accepts 0.5 less",)
    assert found.says == (
        "No deal suits all; the nearest, pay = 2, days = 30, falls short for boss by 0.5."
    )
    assert result_from_json(found.to_json()) == found


def test_m7_a_red_line_in_the_way_is_named() -> None:
    lines = constraints_of(DOMAIN, [{"pay": ["1", "2", "3"]}])
    ann, boss = offices().parties
    problem = problem_of(DOMAIN, [ann, Bargainer("boss", boss.preferences, lines)])
    found = mediate(problem, seed="1")
    assert isinstance(found, IssueNoDeal)
    assert found.unblock == ("boss drops a red line",)
    assert "crosses a red line of boss" in found.says


def test_m7_a_deal_may_fall_short_and_cross_a_red_line() -> None:
    lines = constraints_of(DOMAIN, [{"pay": ["1", "2", "3"]}])
    ann, boss = offices(ann=99, boss=99).parties
    problem = problem_of(DOMAIN, [ann, Bargainer("boss", boss.preferences, lines)])
    found = mediate(problem, seed="1")
    assert isinstance(found, IssueNoDeal)
    assert "falls short for ann by" in found.says
    assert "and crosses a red line of boss" in found.says
    assert found.unblock[-1] == "boss drops a red line"


def test_g4_equal_deals_are_drawn_by_lot_and_the_lot_is_told() -> None:
    domain = domain_of({"cut": ["left", "right"]})
    problem = problem_of(
        domain,
        {
            "ann": additive(domain, {"cut": {"left": 1}}),
            "bob": additive(domain, {"cut": {"right": 1}}),
        },
    )
    drawn: Counter[str] = Counter()
    for seed in range(400):
        found = mediate(problem, seed=str(seed), inputs={"x": 1})
        assert isinstance(found, IssueAgreement)
        assert found.grounds.thin == ("tie_rule_used",)
        (tie,) = found.grounds.ties
        assert set(tie.tied) == {"cut = left", "cut = right"}
        drawn[str(found.deal["cut"])] += 1
    assert 160 < drawn["left"] < 240


def test_g4_of_very_many_equal_deals_the_note_says_how_many_were_drawn_among(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mediator, "DRAWN_AMONG", 3)
    domain = domain_of({"cut": [1, 2, 3, 4, 5]})
    problem = problem_of(domain, {name: additive(domain, {}) for name in ("ann", "bob")})
    found = mediate(problem, seed="1")
    assert isinstance(found, IssueAgreement)
    assert "more than 3 deals are equal; the lot was drawn among as many" in found.notes
    assert len(found.grounds.ties[0].tied) == 3


def test_g6_a_point_that_does_not_exist_for_these_parties_is_refused_with_the_reason() -> None:
    with pytest.raises(
        InvalidInput, match=r"point 'utilitarian': does not exist: .*different units"
    ):
        mediate(offices(unit="GBP"), point="utilitarian", seed="1")


def test_m5_no_point_is_a_deal_that_somebody_refuses() -> None:
    for point in POINTS:
        found = mediate(offices(ann=10), point=point, seed="1")
        assert isinstance(found, IssueAgreement)
        assert Fraction(found.utilities[0].value) >= 10, point
    assert (
        mediate(offices(), point="ks").says == mediate(offices(), point="kalai_smorodinsky").says
    )


def test_m5_why_a_point_does_not_exist_is_told_with_what_helps() -> None:
    with pytest.raises(InvalidInput, match=r"no ideal gain\. Allowed: a point that exists here"):
        mediate(offices(ann=13), point="ks")


def test_g4_the_lot_does_not_look_at_how_issues_and_options_were_declared() -> None:
    def drawn(order: str, options: list[str], seed: str) -> dict[str, object]:
        domain = domain_of(dict.fromkeys(order, options))
        rows = ({"x": {"1": 1, "2": 2}, "y": {"1": 2, "2": 1}},
                {"x": {"1": 2, "2": 1}, "y": {"1": 1, "2": 2}})  # fmt: skip
        problem = problem_of(
            domain, dict(zip("pq", (additive(domain, r) for r in rows), strict=True))
        )
        found = mediate(problem, point="utilitarian", seed=seed)
        assert isinstance(found, IssueAgreement)
        return dict(found.deal)

    for seed in map(str, range(8)):
        assert drawn("xy", ["1", "2"], seed) == drawn("yx", ["2", "1"], seed)
