"""Tetrads: is a copied voter found without the truth, and nobody accused without a reason?"""

from __future__ import annotations

import pytest

from comity.mechanisms.voting.independence import tetrads as module
from comity.mechanisms.voting.independence.log import VoteLog, vote_log
from comity.mechanisms.voting.independence.resampling import Stream
from comity.mechanisms.voting.independence.tetrads import tetrads


def a_log(voters: int, *, copied: float = 0.0, items: int = 400, seed: str = "1") -> VoteLog:
    """Return voters that are right on three items of four; v1 copies v0 on some share."""
    names = [f"v{at}" for at in range(voters)]
    draw = Stream(seed, "tetrad log").below
    rows: dict[str, dict[str, str]] = {name: {} for name in names}
    for item in range(items):
        (truth,) = draw(2, 1)
        said = [truth if luck < 750 else 1 - truth for luck in draw(1000, voters)]
        if draw(1000, 1)[0] < 1000 * copied:
            said[1] = said[0]
        for name, one in zip(names, said, strict=True):
            rows[name][f"{item:03d}"] = "ab"[one]
    return vote_log(rows)


def test_v9_the_dependent_pair_of_five_is_named() -> None:
    found = tetrads(a_log(5, copied=0.9), resamples=200)
    assert found.named == ("v0", "v1")
    assert found.says.startswith("v0 and v1 depend on each other (z ")
    assert (found.pairs[0].first, found.pairs[0].second) == ("v0", "v1")
    assert found.resamples == 200
    assert set(found.quadruples[0].voters) >= {"v0", "v1"}
    assert len(found.quadruples) == 5
    assert abs(found.quadruples[0].differences[0]) > 0.05
    assert abs(found.quadruples[0].z[0]) > 3


def test_v9_of_four_voters_the_pair_or_the_other_two_are_named() -> None:
    found = tetrads(a_log(4, copied=0.9, items=900), resamples=200)
    assert found.named is None
    assert found.says.startswith("Either v0 and v1 or v2 and v3 depend on each other (z ")
    assert tetrads(a_log(4, copied=0.9), resamples=0).says.startswith("Nothing was resampled")
    first, second = found.pairs[:2]
    assert {first.first, first.second, second.first, second.second} == {"v0", "v1", "v2", "v3"}
    assert first.score == pytest.approx(second.score)


def test_v9_independent_voters_are_rarely_accused() -> None:
    accused = [seed for seed in range(6) if tetrads(a_log(5, seed=str(seed)), resamples=100).named]
    assert accused == []


@pytest.mark.parametrize("pair", ["ab", "ac", "ad", "bc", "bd", "cd"])
def test_v9_whichever_two_of_four_depend_their_pairing_is_found(pair: str) -> None:
    log = a_log(4, copied=0.95)
    others = [one for one in "abcd" if one not in pair]
    names = dict(zip(log.voters, [*pair, *others], strict=True))
    rows = {
        names[voter]: dict(zip(log.items, answers, strict=True))
        for voter, answers in zip(log.voters, log.answers, strict=True)
    }
    says = tetrads(vote_log(rows), resamples=100).says
    halves = sorted([" and ".join(pair), " and ".join(others)])
    assert says.startswith(f"Either {halves[0]} or {halves[1]} depend on each other")


def test_without_resamples_nobody_is_named() -> None:
    found = tetrads(a_log(5, copied=0.9), resamples=0)
    assert (found.named, found.resamples) == (None, 0)
    assert found.says == "Nothing was resampled, so no pair is named."
    assert found.quadruples[0].z == ()


def test_no_pair_that_stands_out_is_said() -> None:
    found = tetrads(a_log(5), resamples=100)
    assert found.named is None
    assert found.says.startswith("No pair stands out (largest z ")


def test_g4_two_pairs_that_stand_out_equally_are_not_told_apart() -> None:
    rows: dict[str, dict[str, str]] = {name: {} for name in "abcde"}
    for item in range(64):
        bits = [item >> at & 1 for at in range(6)]
        said = [bits[0], bits[0], bits[1], bits[1], bits[2]]
        for name, one in zip(rows, said, strict=True):
            rows[name][f"{item:02d}"] = "xy"[one]
    found = tetrads(vote_log(rows), resamples=100)
    assert found.named is None
    assert found.says == "Two pairs stand out equally, so none is named."


def test_v9_voters_that_nearly_always_say_the_same_are_left_out() -> None:
    log = a_log(4)
    constant = {item: "a" if at else "b" for at, item in enumerate(log.items)}
    rows = {
        voter: dict(zip(log.items, answers, strict=True))
        for voter, answers in zip(log.voters, log.answers, strict=True)
    }
    found = tetrads(vote_log({**rows, "same": constant, "silent": {"000": None}}), resamples=0)
    assert found.uninformative == ("same", "silent")
    assert found.informative == log.voters


def test_what_cannot_be_looked_at_is_said() -> None:
    three = vote_log({one: {"1": "x", "2": "y", "3": "z"} for one in "abcd"})
    assert tetrads(three).says == "Tetrads need two options; this log has 3."
    few = tetrads(a_log(3))
    assert few.says == "Tetrads need four informative voters; this log has 3."
    assert few.informative == ("v0", "v1", "v2")
    many = tetrads(a_log(module.MOST_VOTERS + 1, items=60))
    assert many.says == "Tetrads were not looked at: 13 voters, at most 12."


def test_pairs_that_share_no_item_have_no_covariance() -> None:
    rows = {
        name: {f"{at:02d}": "xy"[at % 2] for at in range(start, start + 10)}
        for name, start in (("a", 0), ("b", 0), ("c", 10), ("d", 10))
    }
    found = tetrads(vote_log(rows), resamples=0)
    (four,) = found.quadruples
    both = (10 / 9) ** 2  # the variance of five times +1 and five times -1
    assert four.differences == pytest.approx((both, both, 0.0))


def test_g3_the_seed_makes_the_draws() -> None:
    log = a_log(5, copied=0.5, items=100)
    assert tetrads(log, seed="1", resamples=100) == tetrads(log, seed="1", resamples=100)
    assert tetrads(log, seed="1", resamples=100) != tetrads(log, seed="2", resamples=100)


def test_renaming_the_options_changes_nothing() -> None:
    log = a_log(5, copied=0.5, items=100)
    turned = vote_log(
        {
            voter: {
                item: {"a": "z", "b": "c"}[str(one)]
                for item, one in zip(log.items, answers, strict=True)
            }
            for voter, answers in zip(log.voters, log.answers, strict=True)
        }
    )
    one, other = tetrads(log, resamples=100), tetrads(turned, resamples=100)
    assert [pair.score for pair in one.pairs] == pytest.approx([p.score for p in other.pairs])
    assert one.named == other.named
