"""Intervals: is the resampling fixed by its seed, and does it find what is there?"""

from __future__ import annotations

import pytest

from comity.mechanisms.voting.independence import intervals, resampling
from comity.mechanisms.voting.independence.correlation import (
    Errors,
    PairRecord,
    errors_of,
    pair_records,
    panel_of,
)
from comity.mechanisms.voting.independence.intervals import bootstrap, permutation_null
from comity.mechanisms.voting.independence.log import VoteLog, vote_log
from comity.mechanisms.voting.independence.resampling import Stream


def a_log(items: int, shares: tuple[float, ...], *, copies: int = 0) -> VoteLog:
    """Return voters that err on a drawn share of items; the last ones copy the first."""
    rows: dict[str, dict[str, str]] = {}
    for number, share in enumerate(shares):
        drawn = Stream("log", str(number)).below(1000, items)
        rows[f"v{number}"] = {
            f"{at:03d}": "no" if one < 1000 * share else "yes" for at, one in enumerate(drawn)
        }
    for number in range(copies):
        rows[f"x{number}"] = dict(rows["v0"])
    return vote_log(rows, truth={f"{at:03d}": "yes" for at in range(items)})


def seen(log: VoteLog) -> tuple[Errors, tuple[PairRecord, ...]]:
    errors = errors_of(log)
    return errors, pair_records(errors)


def test_v9_independent_errors_lie_within_chance() -> None:
    log = a_log(200, (0.2, 0.3, 0.25))
    errors, pairs = seen(log)
    panel = panel_of(log.voters, log.weights, pairs)
    null = permutation_null(errors, panel.rho, pairs, seed="1", wanted=300)
    assert null is not None
    assert null.permutations == 300
    assert null.p > 0.01
    assert abs(null.mean) < 0.02
    assert 0.02 < null.deviation < 0.08
    found = bootstrap(errors, log.weights, pairs, seed="1", wanted=300)
    assert found is not None
    assert found.rho[0] < 0 < found.rho[1]
    assert found.n_eff[0] < 3 < found.n_eff[1]


def test_v9_a_copy_is_far_beyond_chance() -> None:
    log = a_log(200, (0.2, 0.3), copies=1)
    errors, pairs = seen(log)
    panel = panel_of(log.voters, log.weights, pairs)
    null = permutation_null(errors, panel.rho, pairs, seed="1", wanted=199)
    assert null is not None
    assert null.p == pytest.approx(1 / 200)
    found = bootstrap(errors, log.weights, pairs, seed="1", wanted=200)
    assert found is not None
    assert found.rho[0] < panel.rho < found.rho[1]
    assert found.n_eff[0] < panel.n_eff < found.n_eff[1] < 3


def test_g3_the_seed_and_nothing_else_makes_the_draws() -> None:
    log = a_log(60, (0.2, 0.3, 0.25))
    errors, pairs = seen(log)
    one = bootstrap(errors, log.weights, pairs, seed="1", wanted=120)
    assert one == bootstrap(errors, log.weights, pairs, seed="1", wanted=120)
    assert one != bootstrap(errors, log.weights, pairs, seed="2", wanted=120)
    first = permutation_null(errors, 0.1, pairs, seed="1", wanted=120)
    assert first == permutation_null(errors, 0.1, pairs, seed="1", wanted=120)
    assert first != permutation_null(errors, 0.1, pairs, seed="2", wanted=120)


def test_v9_weights_move_n_eff_and_not_rho() -> None:
    log = a_log(60, (0.2, 0.3, 0.25))
    errors, pairs = seen(log)
    even = bootstrap(errors, [1, 1, 1], pairs, seed="1", wanted=120)
    heavy = bootstrap(errors, [9, 1, 1], pairs, seed="1", wanted=120)
    assert even is not None
    assert heavy is not None
    assert even.rho == heavy.rho
    assert heavy.n_eff[1] < even.n_eff[0]


def test_v9_permuting_stays_within_the_true_class() -> None:
    """Both err on all of one class and never on the other: only chance within counts."""
    truth = {f"{at:02d}": "x" if at < 10 else "y" for at in range(40)}
    log = vote_log({one: dict.fromkeys(truth, "y") for one in "ab"}, truth=truth)
    errors, pairs = seen(log)
    null = permutation_null(errors, pairs[0].phi, pairs, seed="1", wanted=100)
    assert null is not None
    assert (null.mean, null.deviation, null.p) == (1.0, 0.0, 1.0)


def test_a_resample_in_which_nobody_errs_is_left_out() -> None:
    truth = {str(at): "x" for at in range(8)}
    rows = {one: {**truth, "0": "y"} for one in "ab"}
    errors, pairs = seen(vote_log(rows, truth=truth))
    found = bootstrap(errors, [1, 1], pairs, seed="1", wanted=100)
    assert found is not None
    assert found.rho == (1.0, 1.0)
    empty = [seed for seed in map(str, range(30))
             if bootstrap(errors, [1, 1], pairs, seed=seed, wanted=1) is None]  # fmt: skip
    assert empty
    assert len(empty) < 30


def test_a_permutation_without_a_defined_pair_counts_as_no_correlation() -> None:
    """On the three items both answered one of the two may come to err never."""
    rows = {
        "a": {str(at): "y" if at == 0 else "x" for at in range(6)},
        "b": {"0": "y", "1": "x"},
    }
    errors, pairs = seen(vote_log(rows, truth={str(at): "x" for at in range(6)}))
    null = permutation_null(errors, pairs[0].phi, pairs, seed="1", wanted=100)
    assert null is not None
    assert -1 < null.mean < 1


def test_v9_blocks_of_items_give_the_same_intervals_as_items(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = a_log(600, (0.2, 0.3), copies=1)
    errors, pairs = seen(log)
    items = bootstrap(errors, log.weights, pairs, seed="1", wanted=400)
    monkeypatch.setattr(intervals, "MOST_KINDS", 0)
    blocks = bootstrap(errors, log.weights, pairs, seed="1", wanted=400)
    assert items is not None
    assert blocks is not None
    assert items != blocks
    assert blocks.rho == pytest.approx(items.rho, abs=0.02)
    assert blocks.n_eff == pytest.approx(items.n_eff, abs=0.1)


def test_v9_clones_count_as_one_whatever_their_weights() -> None:
    log = a_log(60, (0.3,), copies=2)
    errors, pairs = seen(log)
    found = bootstrap(errors, [3, 1, 2], pairs, seed="1", wanted=60)
    assert found is not None
    assert found.rho == pytest.approx((1.0, 1.0))
    assert found.n_eff == pytest.approx((1.0, 1.0))


@pytest.mark.parametrize("most_kinds", [0, 400])
def test_only_items_both_answered_are_resampled(
    monkeypatch: pytest.MonkeyPatch, most_kinds: int
) -> None:
    """They err together on all they share, and apart from each other on all else."""
    monkeypatch.setattr(intervals, "MOST_KINDS", most_kinds)
    items = [f"{at:03d}" for at in range(260)]
    said = {item: "xy"[at % 3 == 0] for at, item in enumerate(items)}
    rows = {
        "a": {item: said[item] for item in items[:140]},
        "b": {item: said[item] for item in items[120:]},
    }
    errors, pairs = seen(vote_log(rows, truth=dict.fromkeys(items, "x")))
    found = bootstrap(errors, [1, 1], pairs, seed="1", wanted=60)
    assert found is not None
    assert found.rho == pytest.approx((1.0, 1.0))
    null = permutation_null(errors, 1.0, pairs, seed="1", wanted=200)
    assert null is not None
    assert null.deviation == pytest.approx(1 / 19**0.5, rel=0.2)  # 20 shared items, not 260


def test_nothing_is_resampled_without_a_pair_or_a_wish_or_when_it_is_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = a_log(60, (0.2, 0.3))
    errors, pairs = seen(log)
    assert bootstrap(errors, log.weights, pairs, seed="1", wanted=0) is None
    assert permutation_null(errors, 0.1, pairs, seed="1", wanted=0) is None
    assert bootstrap(errors, log.weights, [], seed="1", wanted=100) is None
    assert permutation_null(errors, None, pairs, seed="1", wanted=100) is None
    monkeypatch.setattr(resampling, "WORK", 100)
    assert bootstrap(errors, log.weights, pairs, seed="1", wanted=100) is None
    assert permutation_null(errors, 0.1, pairs, seed="1", wanted=100) is None
