"""Winner determination: does every method find the same winners, ties and all, or refuse?"""

from __future__ import annotations

import os
from random import Random
from typing import Any
from unittest import mock

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions import cpsat, determination
from comity.mechanisms.auctions.determination import Determined, Search, determine
from comity.mechanisms.auctions.item_prices import prices, upper_of
from comity.mechanisms.auctions.lots import Lots
from comity.mechanisms.auctions.packing import Optima, PackedBid, Packing, SearchGaveUp, best
from comity.mechanisms.auctions.subset_table import table

AUCTIONS = 500 if os.environ.get("COMITY_FULL") == "1" else 120
HAS_SOLVER = cpsat.cp_model_or_none() is not None


def some_packing(seed: int) -> Packing:
    chance = Random(seed)  # noqa: S311
    items, bids = chance.randint(1, 6), []
    bidders = chance.randint(1, 6)
    for bidder in range(bidders):
        masks = {chance.randint(1, 2**items - 1) for _ in range(chance.choice([1, 1, 2, 3]))}
        bids += [PackedBid(mask, chance.randint(1, 6), bidder, 0) for mask in sorted(masks)]
    return Packing(items, bidders, tuple(bids), 1)


def named(chosen: Any) -> str:
    return ",".join(map(str, chosen))


def by(method: Any, packing: Packing, **more: Any) -> tuple[Determined, Lots]:
    lots = Lots("7", "00")
    return determine(packing, Search(method=method, **more), lots, named), lots


def test_a2_random_auctions_come_out_alike_by_every_method_ties_included() -> None:
    """A2: 500 random auctions in a full run, fewer in a quick one."""
    methods = ["dynamic_programme", "branch_and_bound"] + ["cp_sat"] * HAS_SOLVER
    ties = 0
    for seed in range(AUCTIONS):
        packing = some_packing(seed)
        found = []
        for method in methods:
            one, lots = by(method, packing)
            assert one.method == method
            found.append((one.value, one.chosen, one.optima, one.without, lots.ties))
        assert all(one == found[0] for one in found), seed
        ties += found[0][2] > 1
    assert ties >= AUCTIONS // 10


def test_a4_what_a_losing_bid_needs_is_what_makes_it_win() -> None:
    for seed in range(80):
        packing = some_packing(seed)
        for method in ("dynamic_programme", "branch_and_bound"):
            found, _ = by(method, packing, nodes=10**6)
            winners = {packing.bids[at].bidder for at in found.chosen}
            losing = [at for at, bid in enumerate(packing.bids) if bid.bidder not in winners]
            assert sorted(found.needed) == losing
            for at, needed in found.needed.items():
                for more, wins in ((needed, False), (needed + 1, True)):
                    bids = list(packing.bids)
                    bids[at] = bids[at]._replace(value=more)
                    changed = Packing(packing.items, packing.bidders, tuple(bids), 1)
                    value = table(changed)[changed.real]
                    optima = Optima(changed, lambda _, value=value: value, value)  # type: ignore[misc]
                    always = all(at in optima.numbered(one) for one in range(optima.count))
                    assert always is wins


def test_g4_so_many_optima_that_they_are_drawn_by_number() -> None:
    bids = tuple(PackedBid(1 << item, 3, 3 * item + at, 0) for item in range(8) for at in range(3))
    packing = Packing(8, 24, bids, 1)
    for method in ("dynamic_programme", "branch_and_bound"):
        found, lots = by(method, packing)
        assert (found.optima, found.listed, len(found.chosen)) == (3**8, False, 8)
        assert f"of {3**8}, from 0, too many to list" in lots.ties[0].label
        assert lots.ties[0].chosen == named(found.chosen)


def large(items: int, bids: int) -> Packing:
    chance = Random(1)  # noqa: S311
    made = [
        PackedBid(
            sum(1 << at for at in chance.sample(range(items), 3)), chance.randint(9, 99), n, n
        )
        for n in range(bids)
    ]
    return Packing(items, bids, tuple(made), 1)


def test_a2_beyond_16_items_branch_and_bound_proves_it() -> None:
    found, _ = by("auto", large(20, 30))
    assert found.method == "branch_and_bound"
    assert found.nodes is not None


def test_a2_the_dynamic_programme_refuses_more_than_16_items() -> None:
    with pytest.raises(InvalidInput, match="20 items, too many for the dynamic programme"):
        by("dynamic_programme", large(20, 30))


@pytest.mark.parametrize("method", ["auto", "branch_and_bound"])
def test_a2_a_search_that_gives_up_is_refused_never_guessed(method: str) -> None:
    with (
        mock.patch.object(cpsat, "cp_model_or_none", return_value=None),
        pytest.raises(InvalidInput, match="gave up after 2 states without a proof"),
    ):
        by(method, large(20, 30), nodes=2)


@pytest.mark.parametrize("nodes", [1, 20, 60, 150, 250])
def test_a2_wherever_the_search_gives_up_it_refuses(nodes: int) -> None:
    with (
        mock.patch.object(cpsat, "cp_model_or_none", return_value=None),
        pytest.raises(InvalidInput, match=f"gave up after {nodes} states without a proof"),
    ):
        by("auto", large(20, 40), nodes=nodes)


def test_a2_a_winners_absence_that_the_search_cannot_prove_goes_to_the_solver() -> None:
    packing = large(20, 40)
    whole, _ = by("branch_and_bound", packing)
    nodes = next(n for n in range(10, 2_000, 10) if wins_are_proven(packing, n))
    with stand_in(packing, [], 0):
        found, _ = by("branch_and_bound", packing, nodes=nodes)
    assert (found.chosen, found.value) == (whole.chosen, whole.value)
    assert -7 in found.without.values()


def wins_are_proven(packing: Packing, nodes: int) -> bool:
    upper = upper_of(prices(packing))
    found = best(packing, upper, packing.whole, nodes=nodes)
    return (
        not isinstance(found, SearchGaveUp) and not Optima(packing, upper, found[0], nodes).gave_up
    )


def test_a2_very_many_items_go_to_the_solver() -> None:
    packing = large(401, 3)
    with (
        mock.patch.object(cpsat, "cp_model_or_none", return_value=None),
        pytest.raises(InvalidInput, match="401 items"),
    ):
        by("auto", packing)


def stand_in(packing: Packing, optima: list[tuple[int, ...]], value: int) -> Any:
    """Return the solver's two functions as they answer for a problem."""

    def solve(one: Packing, *, without: int = -1, free: int = -1) -> int:
        if one.items > 16:
            return -7
        kept = tuple(bid for bid in one.bids if bid.bidder != without)
        return int(table(Packing(one.items, one.bidders, kept, 1))[one.real])

    return mock.patch.multiple(
        cpsat,
        cp_model_or_none=lambda: "there",
        solve=solve,
        solve_all=lambda one, value, most: optima[:most],
    )


def test_a2_the_solver_is_the_last_step_of_the_ladder() -> None:
    packing = some_packing(4)
    value = int(table(packing)[packing.real])
    optima = Optima(packing, lambda _: value, value)
    listed = sorted(map(optima.numbered, range(optima.count)))
    with stand_in(packing, listed, value):
        found, _ = by("cp_sat", packing)
        plain, _ = by("dynamic_programme", packing)
        assert (found.method, found.nodes, found.needed) == ("cp_sat", None, {})
        assert (found.chosen, found.without, found.optima) == (
            plain.chosen, plain.without, plain.optima,
        )  # fmt: skip
        with mock.patch.object(determination, "_by_branching", return_value=None):
            big = large(20, 3)
            fake = [(0,)]
            with stand_in(big, fake, 1), mock.patch.object(cpsat, "solve", return_value=1):
                assert by("auto", big)[0].method == "cp_sat"


def test_g4_more_equal_optima_than_can_be_counted_are_refused() -> None:
    packing = some_packing(4)
    with (
        stand_in(packing, [(at,) for at in range(200)], 1),
        pytest.raises(InvalidInput, match="more equal optima than CP-SAT can count"),
    ):
        by("cp_sat", packing)
    with (
        mock.patch.object(Optima, "_counted", lambda self: setattr(self, "gave_up", True) or 0),
        pytest.raises(InvalidInput, match="than the dynamic programme can count"),
    ):
        by("dynamic_programme", packing)
    with (
        mock.patch.object(Optima, "_counted", lambda self: setattr(self, "gave_up", True) or 0),
        mock.patch.object(cpsat, "cp_model_or_none", return_value=None),
        pytest.raises(InvalidInput, match="without a proof"),
    ):
        by("branch_and_bound", packing)


def test_a4_what_a_loser_with_several_bids_needs_is_left_out_where_the_search_gives_up() -> None:
    short = 0
    for seed in range(200):
        packing = some_packing(seed)
        found, _ = by("dynamic_programme", packing, nodes=1)
        whole, _ = by("dynamic_programme", packing)
        assert found.needed.items() <= whole.needed.items()
        short += len(found.needed) < len(whole.needed)
    assert short


def test_a2_no_winner_leaves_nobody_out() -> None:
    found, _ = by("dynamic_programme", Packing(1, 0, (), 1))
    assert (found.value, found.chosen, found.without) == (0, (), {})
