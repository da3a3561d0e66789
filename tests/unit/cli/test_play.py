"""Play: the JSON of a session's end."""

from __future__ import annotations

from typing import Any

from comity.app import Decided
from comity.cli.play import _deal, _terms
from comity.session.record import Opening


def decided(rules: dict[str, Any]) -> Decided:
    opening = Opening(kind="consent", title="x", rules=rules)
    return Decided(session="d_1", opening=opening, outcome=None)  # type: ignore[arg-type]


def test_the_deal_is_in_the_order_of_the_terms_whatever_the_result_says() -> None:
    order = {"terms": [["b", ["1"]], ["a", ["2"]]]}
    names = _terms(decided({"domain": {"order": order}}))
    assert names == ["b", "a"]
    assert _deal({"terms": [["a", "2"], ["b", "1"]]}, names) == ["1", "2"]


def test_a_deal_that_leaves_a_term_open_is_none() -> None:
    assert _deal({"terms": [["a", "2"]]}, ["b", "a"]) is None
    assert _deal({}, ["b"]) is None


def test_words_alone_have_no_terms() -> None:
    for rules in ({}, {"domain": None}, {"domain": {}}, {"domain": {"order": {"terms": None}}}):
        assert _terms(decided(rules)) == []
