"""Lots: are the draws of an auction seeded, listed, recorded and fair?"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import Fault, InvalidInput
from comity.core.ties import lot
from comity.mechanisms.auctions.lots import NO_SEED, Lots, read_seed, seed_json


def test_g4_a_seeded_draw_is_the_common_lot() -> None:
    lots = Lots("7", "00")
    assert lots.pick("winner", ["b", "a", "c"]) == lot("7", "winner", ["a", "b", "c"]).chosen
    assert lots.ties[0] == lot("7", "winner", ["a", "b", "c"])
    assert lots.thin == ("a lot decided",)


def test_g4_one_alone_needs_no_draw() -> None:
    lots = Lots((), "00")
    assert lots.pick("winner", ["a"]) == "a"
    assert lots.ties == []
    assert lots.thin == ()


def test_g4_listed_draws_are_consumed_only_by_ties() -> None:
    lots = Lots((Fraction(0), Fraction(2, 3)), "00")
    drawn = [lots.pick("1", ["x"]), lots.pick("2", ["b", "a"]), lots.pick("3", ["a", "b", "c"])]
    assert drawn == ["x", "a", "c"]
    with pytest.raises(InvalidInput, match="no draw left for 4"):
        lots.pick("4", ["a", "b"])


def test_g4_without_a_seed_the_digest_draws_and_the_result_is_thin() -> None:
    lots = Lots(None, "ab")
    lots.pick("winner", ["a", "b"])
    assert lots.thin == ("a lot decided", NO_SEED)
    assert (lots.ties[0].rule, lots.ties[0].seed) == ("ballot_hash", "ab")


def test_g4_a_number_among_many_is_noted_with_what_it_stands_for() -> None:
    lots = Lots("7", "00")
    found = lots.number("allocation", 10**12, str)
    assert 0 <= found < 10**12
    assert lots.ties[0].chosen == str(found)
    assert lots.ties[0].label.startswith(f"allocation: number {found} of {10**12}")
    by_draw = Lots((Fraction(1, 2),), "00")
    assert by_draw.number("allocation", 10, str) == 5
    assert by_draw.ties[0].seed is None
    by_digest = Lots(None, "ab")
    by_digest.number("allocation", 10, str)
    assert by_digest.ties[0].rule == "ballot_hash"


def test_g4_several_are_drawn_without_replacement_each_choice_equally_likely() -> None:
    found = Counter(
        tuple(sorted(Lots(str(seed), "00").several("x", ["a", "b", "c"], 2)))
        for seed in range(3_000)
    )
    assert len(found) == 3
    assert all(abs(count - 1_000) < 100 for count in found.values())
    assert Lots("7", "00").several("x", ["b", "a"], 2) == ["a", "b"]


def test_g4_an_order_by_hashes_is_noted_and_does_not_depend_on_the_order_given() -> None:
    one, other = Lots("7", "00"), Lots("7", "00")
    names = [f"n{at}" for at in range(20)]
    assert one.order("units", names) == other.order("units", names[::-1])
    assert sorted(one.order("units", names)) == sorted(names)
    assert one.ties[0].tied == ()
    by_draw = Lots((Fraction(1, 2),), "00")
    by_draw.order("units", names)
    assert by_draw.ties[0].seed == "1/2"
    by_digest = Lots(None, "ab")
    by_digest.order("units", names)
    assert by_digest.ties[0].rule == "ballot_hash"


@pytest.mark.parametrize(
    ("seed", "told"),
    [
        (7, "seed: is 7"),
        ([1], "draw 1 is 1"),
        ([0, -1], "draw 2 is -1"),
        (["x"], "draw 1 is 'x'"),
    ],
)
def test_g7_a_seed_that_is_none_is_refused(seed: Any, told: str) -> None:
    faults: list[Fault] = []
    read_seed(seed, faults)
    assert told in str(faults[0])


def test_seeds_are_recorded_as_json() -> None:
    assert seed_json(None) is None
    assert seed_json((Fraction(1, 3),)) == ["1/3"]
    assert read_seed("text", []) == "text"
