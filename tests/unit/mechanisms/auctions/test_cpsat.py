"""CP-SAT: is the solver outside asked the right question, and held to a proof?

Where OR-Tools is not installed a stand-in that tries every choice takes its place: what is tested
then is our side of the talk.
"""

from __future__ import annotations

from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions import cpsat
from comity.mechanisms.auctions.packing import Optima, PackedBid, Packing
from comity.mechanisms.auctions.subset_table import table

LOAD = cpsat.cp_model_or_none  # before any stand-in takes its place
OPTIMAL, INFEASIBLE, UNKNOWN = "OPTIMAL", "INFEASIBLE", "UNKNOWN"


class Linear:
    """A sum of variables with factors, as the solver's own expressions are written."""

    def __init__(self, terms: dict[int, int]) -> None:
        self.terms = terms

    def __add__(self, other: Any) -> Linear:
        more = other.terms if isinstance(other, Linear) else {}
        keys = {*self.terms, *more}
        return Linear({key: self.terms.get(key, 0) + more.get(key, 0) for key in keys})

    __radd__ = __add__

    def __rmul__(self, factor: int) -> Linear:
        return Linear({key: factor * one for key, one in self.terms.items()})

    def __le__(self, bound: int) -> Any:
        return lambda values: self.of(values) <= bound

    def __eq__(self, other: object) -> Any:  # type: ignore[override]
        return lambda values: self.of(values) == other

    __hash__ = None  # type: ignore[assignment]

    def of(self, values: tuple[int, ...]) -> int:
        return sum(factor * values[key] for key, factor in self.terms.items())


class Model:
    def __init__(self) -> None:
        self.count, self.rules, self.target = 0, [], Linear({})  # type: ignore[var-annotated]

    def new_bool_var(self, name: str) -> Linear:
        self.count += 1
        return Linear({self.count - 1: 1})

    def add(self, rule: Any) -> None:
        self.rules.append(rule if callable(rule) else lambda _, fixed=rule: fixed)

    def maximize(self, target: Any) -> None:
        self.target = target if isinstance(target, Linear) else Linear({})


class Solver:
    status = OPTIMAL

    def __init__(self) -> None:
        self.parameters = SimpleNamespace()
        self.values: tuple[int, ...] = ()

    def solve(self, model: Model) -> str:
        if self.status != OPTIMAL:
            return self.status
        fits = [
            values
            for values in product((0, 1), repeat=model.count)
            if all(rule(values) for rule in model.rules)
        ]
        if not fits:
            return INFEASIBLE
        self.values = max(fits, key=model.target.of)
        return OPTIMAL

    def value(self, variable: Linear) -> int:
        return variable.of(self.values)

    def status_name(self, status: str) -> str:
        return status


STAND_IN = SimpleNamespace(
    CpModel=Model, CpSolver=Solver, OPTIMAL=OPTIMAL, INFEASIBLE=INFEASIBLE, UNKNOWN=UNKNOWN
)


@pytest.fixture(params=["stand-in", "ortools"], autouse=True)
def solver(request: pytest.FixtureRequest) -> Any:
    if request.param == "ortools":
        pytest.importorskip("ortools", reason="ortools: the extra `solver` is not installed")
        yield None
        return
    with mock.patch.object(cpsat, "cp_model_or_none", return_value=STAND_IN):
        yield Solver


def some_packing(seed: int) -> Packing:
    chance = Random(seed)  # noqa: S311
    items, bids = chance.randint(1, 4), []
    bidders = chance.randint(1, 4)
    for bidder in range(bidders):
        masks = {chance.randint(1, 2**items - 1) for _ in range(chance.choice([1, 1, 2]))}
        bids += [PackedBid(mask, chance.randint(1, 4), bidder, 0) for mask in sorted(masks)]
    return Packing(items, bidders, tuple(bids), 1)


def test_a2_the_solver_finds_the_value_of_the_table() -> None:
    for seed in range(40):
        packing = some_packing(seed)
        values = table(packing)
        assert cpsat.solve(packing) == values[packing.real]
        assert cpsat.solve(packing, free=1) == values[1]
        alone = Packing(packing.items, packing.bidders, packing.bids[1:], 1)
        if packing.bids[0].bidder not in packing.dummies:
            assert cpsat.solve(packing, without=0) == table(alone)[packing.real]


def test_g4_all_equal_optima_are_found_one_by_one() -> None:
    for seed in range(40):
        packing = some_packing(seed)
        value = table(packing)[packing.real]
        optima = Optima(packing, lambda _, value=value: value, value)  # type: ignore[misc]
        wanted = sorted(map(optima.numbered, range(optima.count)))
        assert cpsat.solve_all(packing, value, 100) == wanted
        assert len(cpsat.solve_all(packing, value, 1)) == 1


def test_a2_no_bids_are_one_empty_choice() -> None:
    assert cpsat.solve(Packing(1, 0, (), 1)) == 0
    assert cpsat.solve_all(Packing(1, 0, (), 1), 0, 5) == [()]


def test_a2_without_a_proof_the_auction_is_refused(solver: Any) -> None:
    if solver is None:
        pytest.skip("ortools: it proves problems of this size")
    with (
        mock.patch.object(Solver, "status", UNKNOWN),
        pytest.raises(InvalidInput, match=r"not proven by CP-SAT \(UNKNOWN\)"),
    ):
        cpsat.solve(some_packing(1))


def test_a2_numbers_too_large_for_the_solver_are_refused() -> None:
    huge = Packing(1, 1, (PackedBid(1, 2**62, 0, 0),), 1)
    with pytest.raises(InvalidInput, match="too large for the solver"):
        cpsat.solve(huge)


def test_a2_a_missing_solver_is_named_with_its_extra() -> None:
    with (
        mock.patch.object(cpsat, "cp_model_or_none", return_value=None),
        pytest.raises(InvalidInput, match=r"install comity\[solver\]"),
    ):
        cpsat.solve(some_packing(1))


def test_the_solver_is_loaded_at_the_first_call_or_found_missing() -> None:
    for effect, wanted in ((None, "module"), (ImportError, None)):
        LOAD.cache_clear()
        with mock.patch.object(cpsat, "import_module", side_effect=effect, return_value="module"):
            assert LOAD() == wanted
    LOAD.cache_clear()
