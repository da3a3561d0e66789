"""EM: do plain lists and numpy say the same, and is the best start taken?"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.independence import em
from comity.mechanisms.voting.independence.em import EmRules, Fit, dawid_skene_codes
from comity.mechanisms.voting.independence.resampling import Stream

Votes = tuple[list[int], list[int], list[int]]
needs_numpy = pytest.mark.skipif(find_spec("numpy") is None, reason="numpy: not installed here")


def some_votes(items: int = 60, voters: int = 6, classes: int = 3) -> Votes:
    """Return votes of voters that are right about two times of three."""
    draw = Stream("votes", f"{items} {voters} {classes}").below
    found: Votes = ([], [], [])
    for item in range(items):
        (truth,) = draw(classes, 1)
        for voter in draw(voters, 3 + item % 2):
            (luck, other) = draw(900, 2)
            found[0].append(item)
            found[1].append(voter)
            found[2].append(truth if luck < 600 else other % classes)
    return found


def with_numpy(monkeypatch: pytest.MonkeyPatch, votes: Votes, rules: EmRules) -> Fit:
    monkeypatch.setattr(em, "NUMPY_FROM", 0)
    return dawid_skene_codes(*votes, rules=rules)


def without_numpy(monkeypatch: pytest.MonkeyPatch, votes: Votes, rules: EmRules) -> Fit:
    monkeypatch.setattr(em, "numpy_or_none", lambda: None)
    return dawid_skene_codes(*votes, rules=rules)


def assert_same(one: Fit, other: Fit) -> None:
    assert (one.iterations, one.start, one.is_converged) == (
        other.iterations,
        other.start,
        other.is_converged,
    )
    assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-12)
    for mine, theirs in (
        ([one.shares], [other.shares]),
        (one.confusion, other.confusion),
        (one.posteriors, other.posteriors),
    ):
        for row, same in zip(mine, theirs, strict=True):
            assert row == pytest.approx(same, abs=1e-9)


@needs_numpy
@pytest.mark.parametrize("one_coin", [False, True])
@pytest.mark.parametrize("shape", [(60, 6, 3), (15, 4, 2), (200, 5, 4)])
def test_v9_numpy_and_plain_python_say_the_same(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int, int], *, one_coin: bool
) -> None:
    votes, rules = some_votes(*shape), EmRules(one_coin=one_coin)
    fast = with_numpy(monkeypatch, votes, rules)
    assert_same(fast, without_numpy(monkeypatch, votes, rules))


@needs_numpy
def test_arrays_are_taken_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = em.numpy_or_none()
    votes = some_votes()
    arrays = tuple(numpy.array(column) for column in votes)
    assert_same(dawid_skene_codes(*arrays), dawid_skene_codes(*votes))
    assert_same(with_numpy(monkeypatch, arrays, EmRules()), dawid_skene_codes(*votes))


@needs_numpy
def test_an_item_without_a_vote_takes_every_class_for_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    votes = ([0, 0, 0, 2, 2, 2], [0, 1, 2] * 2, [0, 0, 0, 1, 1, 1])
    plain = dawid_skene_codes(*votes)
    assert plain.posteriors[1] == pytest.approx(plain.shares, abs=1e-6)
    assert_same(with_numpy(monkeypatch, votes, EmRules()), plain)


def test_g3_the_order_of_the_votes_means_nothing() -> None:
    votes = some_votes()
    turned = tuple(column[::-1] for column in votes)
    assert dawid_skene_codes(*votes) == dawid_skene_codes(*turned)


def test_v9_good_voters_are_told_from_bad_ones() -> None:
    """Three are right on 9 of 10, one answers the same always, one is always wrong."""
    votes: Votes = ([], [], [])
    for item in range(60):
        truth = item % 2
        answers = [truth] * 3 + [0, 1 - truth]
        if item % 10 < 3:
            answers[item % 10] = 1 - truth
        for voter, answer in enumerate(answers):
            votes[0].append(item)
            votes[1].append(voter)
            votes[2].append(answer)
    fit = dawid_skene_codes(*votes)
    assert fit.is_converged
    assert all(fit.posteriors[item][item % 2] > 0.95 for item in range(60))
    right = [[fit.confusion[c][voter * 2 + c] for c in (0, 1)] for voter in range(5)]
    assert all(min(row) > 0.75 for row in right[:3])
    assert right[3] == pytest.approx([1.0, 0.0], abs=0.01)
    assert max(right[4]) < 0.05


def test_v9_one_coin_has_one_accuracy_for_every_class() -> None:
    fit = dawid_skene_codes(*some_votes(), rules=EmRules(one_coin=True))
    for voter in range(6):
        rows = [fit.confusion[c][voter * 3 : voter * 3 + 3] for c in range(3)]
        assert len({round(rows[c][c], 12) for c in range(3)}) == 1
        assert all(sum(row) == pytest.approx(1.0) for row in rows)
        assert len({round(rows[0][c], 12) for c in (1, 2)}) == 1


def test_v9_more_starts_never_fit_worse() -> None:
    for shape in ((30, 5, 3), (45, 6, 4), (20, 4, 2)):
        one = dawid_skene_codes(*some_votes(*shape), rules=EmRules(starts=1, smoothing=1e-6))
        many = dawid_skene_codes(*some_votes(*shape), rules=EmRules(starts=8, smoothing=1e-6))
        assert many.log_likelihood >= one.log_likelihood - 1e-3


def test_giving_up_is_told() -> None:
    fit = dawid_skene_codes(*some_votes(), rules=EmRules(most_iterations=2))
    assert (fit.iterations, fit.is_converged) == (2, False)
    assert dawid_skene_codes(*some_votes(), rules=EmRules(tolerance=1.0)).iterations == 1


def test_every_step_fits_better() -> None:
    reached = [
        dawid_skene_codes(
            *some_votes(), rules=EmRules(most_iterations=steps, starts=1, smoothing=1e-9)
        ).log_likelihood
        for steps in range(1, 12)
    ]
    assert reached == sorted(reached)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(
    ("votes", "told"),
    [
        (([], [], []), ["votes: have lengths [0]"]),
        (([0], [0, 1], [0]), ["votes: have lengths [1, 2]"]),
        (([0, 0], [0, 1], [0, 1]), ["voters: are 2"]),
        (([0, 0, 0], [0, 1, 2], [1, 1, 1]), ["classes: are 1"]),
        (([-1, 0], [0, 0], [0, 0]), ["items: run from -1 to 0", "voters: are 1", "classes: are"]),
        (([0, 0, 0], [0, 1, 10**8], [0, 1, 1]), ["voters: run from 0 to 100000000"]),
        (([0, 0, 0], [0, 1, 2], [0, 1, 10**4]), ["classes: are 10001 for 1 items and 3 voters"]),
        (
            ([10**7, 0, 0], [0, 1, 2], [0, 1, 3]),
            ["classes: are 4 for 10000001 items and 3 voters"],
        ),
        (([0, 0.5, 0], [0, 1, 2], [0, 1, 1]), ["items: are not whole numbers"]),
        (([0, 0, 0], [0, "1", 2], [0, 1, 1]), ["voters: are not whole numbers"]),
        (([0, 0, 0], [0, 1, 2], [0, 1, [1]]), ["answers: are not whole numbers"]),
    ],
)
def test_g7_votes_that_tell_nothing_are_refused(
    monkeypatch: pytest.MonkeyPatch, votes: Votes, told: list[str], *, fast: bool
) -> None:
    if fast:
        pytest.importorskip("numpy", reason="numpy: not installed here")
        monkeypatch.setattr(em, "NUMPY_FROM", 0)
    with pytest.raises(InvalidInput) as caught:
        dawid_skene_codes(*votes)
    faults = [str(fault) for fault in caught.value.faults]
    assert len(faults) == len(told)
    assert all(fault.startswith(one) for fault, one in zip(faults, told, strict=True))


def test_g7_rules_that_cannot_be_used_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        EmRules(smoothing=0, starts=0, most_iterations=True, tolerance=float("inf"))
    assert [fault.whose for fault in caught.value.faults] == [
        "smoothing",
        "tolerance",
        "starts",
        "most_iterations",
    ]
    with pytest.raises(InvalidInput, match="smoothing"):
        EmRules(smoothing=True)
