"""CP-SAT: may a solver from outside say which bids win, and is it held to a proof?

Here: the one place that loads OR-Tools, at the first call and never before; the packing problem
solved to proven optimality, and its other optima one by one.
Not here: when it is asked (determination.py), our own methods.
Sources: SEMANTICS A2; extra `solver`; OR-Tools CP-SAT with one worker and a fixed seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.auctions.packing import Packing

__all__ = ["cp_model_or_none", "solve", "solve_all"]

_FITS = 2**62
_LIMIT = 600.0  # of the solver's own deterministic time, so that no clock decides


@cache
def cp_model_or_none() -> Any:  # noqa: ANN401  # a module that may not be installed has no type here
    """Return the module of CP-SAT, or None where OR-Tools is not installed.

    Example:
        >>> cp_model_or_none() is cp_model_or_none()
        True
    """
    try:
        return import_module("ortools.sat.python.cp_model")
    except ImportError:
        return None


def solve(packing: Packing, *, without: int = -1, free: int = -1) -> int:
    """Return what the best choice of bids is worth, proven by CP-SAT.

    Args:
        packing: the problem.
        without: a bidder whose bids are left out.
        free: the items that may be used; all by default.

    Returns:
        The value.

    Raises:
        InvalidInput: where the solver is missing, the numbers are too large for it, or it does
            not prove what it found.

    Example:
        >>> cp_model_or_none() is None or solve(Packing(1, 0, (), 1)) == 0
        True
    """
    allowed = [
        at
        for at, bid in enumerate(packing.bids)
        if bid.bidder != without and bid.mask & free == bid.mask
    ]
    model, chosen = _model(packing, allowed)
    model.maximize(sum(packing.bids[at].value * chosen[at] for at in allowed))
    solver = _run(model)
    return sum(packing.bids[at].value for at in allowed if solver.value(chosen[at]))


def solve_all(packing: Packing, value: int, most: int) -> list[tuple[int, ...]]:
    """Return every choice of bids that is worth a value, up to a number of them.

    Args:
        packing: the problem.
        value: what the best choice is worth.
        most: stop after so many.

    Returns:
        The numbers of the winning bids of each, sorted.

    Example:
        >>> cp_model_or_none() is None or solve_all(Packing(1, 0, (), 1), 0, 5) == [()]
        True
    """
    numbers = range(len(packing.bids))
    model, chosen = _model(packing, numbers)
    model.add(sum(packing.bids[at].value * chosen[at] for at in numbers) == value)
    found: list[tuple[int, ...]] = []
    while len(found) < most:
        solver = _run(model, may_end=True)
        if solver is None:
            break
        one = tuple(at for at in numbers if solver.value(chosen[at]))
        found.append(one)
        if not one:
            break
        model.add(sum(chosen[at] for at in one) <= len(one) - 1)
    return sorted(found)


def _model(packing: Packing, allowed: Sequence[int]) -> tuple[Any, dict[int, Any]]:
    cp_model = cp_model_or_none()
    if cp_model is None:
        raise InvalidInput(
            Fault(
                "auction",
                "asks for the solver CP-SAT, which is not installed",
                "the extra `solver`",
                "install comity[solver]",
            )
        )
    if sum(bid.value for bid in packing.bids) >= _FITS:
        raise InvalidInput(
            Fault(
                "auction",
                "has amounts too large for the solver",
                "sums below 2**62 in the smallest unit of all bids",
                "use fewer decimals",
            )
        )
    model = cp_model.CpModel()
    chosen = {at: model.new_bool_var(f"bid{at}") for at in allowed}
    for item in range(packing.items):
        model.add(sum(chosen[at] for at in allowed if packing.bids[at].mask >> item & 1) <= 1)
    for bidder in packing.dummies:
        model.add(sum(chosen[at] for at in allowed if packing.bids[at].bidder == bidder) <= 1)
    return model, chosen


def _run(model: Any, *, may_end: bool = False) -> Any:  # noqa: ANN401  # the solver's own
    cp_model = cp_model_or_none()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.relative_gap_limit = 0.0
    solver.parameters.absolute_gap_limit = 0.0
    solver.parameters.max_deterministic_time = _LIMIT
    status = solver.solve(model)
    if may_end and status == cp_model.INFEASIBLE:
        return None
    if status != cp_model.OPTIMAL:
        raise InvalidInput(
            Fault(
                "auction",
                f"was not proven by CP-SAT ({solver.status_name(status)})",
                "an auction that it can solve to the end",
                "sell fewer items at once, or ask for fewer bids",
            )
        )
    return solver
