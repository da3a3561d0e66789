"""Frequency: is what is asked for often, and kept, taken for dear?

Here: counts and weights of the frequency model.
Not here: who uses it (test_nice.py).
Sources: SEMANTICS M3.
"""

from __future__ import annotations

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import layout_of
from comity.mechanisms.bargaining.strategies.frequency import FrequencyModel

LAYOUT = layout_of(domain_of({"a": ["x", "y"], "b": ["u", "v"]}))


def test_before_any_offer_nothing_costs_anything() -> None:
    assert FrequencyModel(LAYOUT).rows(100) == ((0, 0), (0, 0))


def test_a_term_that_never_changes_weighs_most() -> None:
    model = FrequencyModel(LAYOUT)
    for a, b in (("x", "u"), ("x", "v"), ("x", "u"), ("x", "u")):
        model.saw(LAYOUT.index({"a": a, "b": b}))
    (x, y), (u, v) = model.rows(600)
    assert (x, u) == (0, 0)
    assert y == 600 * 4 // 6, "kept three times of six"
    assert v == 600 * 2 * 2 // (6 * 3), "kept once; asked for once, the other three times"


def test_the_order_of_terms_and_options_means_nothing() -> None:
    other = layout_of(domain_of({"b": ["v", "u"], "a": ["y", "x"]}))
    first, second = FrequencyModel(LAYOUT), FrequencyModel(other)
    for a, b in (("x", "u"), ("y", "v"), ("x", "v")):
        first.saw(LAYOUT.index({"a": a, "b": b}))
        second.saw(other.index({"a": a, "b": b}))
    assert first.rows(1000) == second.rows(1000)
