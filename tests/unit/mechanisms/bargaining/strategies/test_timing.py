"""Timing: do the losses explain the rounds, and does a stranger's schedule betray itself?

Here: the estimate, its bounds, its misfit.
Not here: what follows from it (test_comity.py).
Sources: decision 0007.
"""

from __future__ import annotations

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import layout_of
from comity.mechanisms.bargaining.strategies.timing import UNIT, TimedLosses

LAYOUT = layout_of(domain_of({"a": ["x", "y", "z"], "b": ["u", "v"], "c": ["p", "q"]}))


def losses(*told: tuple[str, int, int]) -> TimedLosses:
    model = TimedLosses(LAYOUT)
    for text, low, high in told:
        deal = dict(zip("abc", text, strict=True))
        model.saw(LAYOUT.index(deal), low, high)
    return model


def test_single_changes_are_taken_at_their_round() -> None:
    model = losses(("xup", 0, 0), ("yup", 10, 20), ("xvp", 30, 40), ("xuq", 50, 60))
    assert model.rows(1000) == ((0, 15, 1000), (0, 35), (0, 55))
    assert (len(model), model.misfit()) == (3, 0)


def test_changes_of_several_terms_move_their_losses_until_all_bounds_hold() -> None:
    model = losses(("xup", 0, 0), ("yvp", 1000, 1010), ("yup", 600, 610), ("xvq", 700, 710))
    (_, y, _), (_, v), (_, q) = model.rows(5000)
    assert (998 <= y + v <= 1012, 598 <= y <= 612, 698 <= v + q <= 712) == (True, True, True)
    assert model.misfit() <= 5


def test_only_the_first_appearance_counts() -> None:
    model = losses(("xup", 0, 0), ("yup", 10, 20), ("yup", 500, 600), ("xup", 700, 800))
    assert len(model) == 1
    assert model.rows(99) == ((0, 15, 99), (0, 99), (0, 99))


def test_before_anything_is_heard_nothing_costs_anything() -> None:
    model = TimedLosses(LAYOUT)
    assert model.rows(7) == ((0, 0, 0), (0, 0), (0, 0))
    assert (len(model), model.misfit()) == (0, 0)


def test_bounds_that_no_sum_explains_leave_a_misfit_and_end() -> None:
    part = UNIT // 100
    model = losses(
        ("xup", 0, 0),
        ("yup", 10 * part, 11 * part),
        ("xvp", 11 * part, 12 * part),
        ("yvp", 12 * part, 13 * part),
        ("yvq", 13 * part, 14 * part),
        ("xuq", 40 * part, 41 * part),
    )
    assert model.misfit() > 2 * part
    assert (
        model.misfit()
        == losses(
            ("xup", 0, 0),
            ("yup", 10 * part, 11 * part),
            ("xvp", 11 * part, 12 * part),
            ("yvp", 12 * part, 13 * part),
            ("yvq", 13 * part, 14 * part),
            ("xuq", 40 * part, 41 * part),
        ).misfit()
    )


def test_losses_never_fall_below_nothing() -> None:
    model = losses(("xup", 0, 0), ("yvp", 100, 110), ("yup", 300, 310))
    assert min(loss for row in model.rows(0) for loss in row) >= 0
