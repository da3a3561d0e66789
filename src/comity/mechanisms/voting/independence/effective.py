"""Effective voters: as how many independent voters does a panel count?

Here: n_eff from a number or from weights and a correlation matrix, the effective margin.
Not here: where the correlation comes from (correlation.py).
Sources: SEMANTICS V9; Kish 1965 (design effect, (sum w)^2 / sum w^2); n_eff = (sum w)^2 / (w'Rw).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, exact_fault, to_fraction

__all__ = ["clipped", "effective_margin", "effective_voters"]


def effective_voters(
    voters: int | Sequence[Exact], dependence: float | Sequence[Sequence[float]]
) -> float:
    """Return as how many independent voters a panel counts.

    Args:
        voters: how many voters, or the weight of each (exact, positive).
        dependence: the correlation of their errors: one number for every pair, or the matrix.

    Returns:
        (sum w)^2 / (w'Rw): the raw value. It is above the number of voters when errors cancel
        out, and infinite when they cancel out altogether; `clipped` keeps it within 1 and n.

    Raises:
        InvalidInput: with every fault, for no voters, weights that are no exact positive numbers,
            and correlations that are no finite numbers from -1 to 1 or no symmetric matrix.

    Example:
        >>> [round(effective_voters(9, rho), 2) for rho in (0.1, 0.2, 0.42, 0.6)]
        [5.0, 3.46, 2.06, 1.55]
        >>> round(effective_voters([2, 1, 1], 0.0), 3)
        2.667
    """
    faults: list[Fault] = []
    weights = _weights(voters, faults)
    matrix = _matrix(dependence, len(weights), faults)
    raise_if(faults)
    count = range(len(weights))
    below = sum(weights[i] * weights[j] * matrix[i][j] for i in count for j in count)
    return sum(weights) ** 2 / below if below > 1e-12 else inf


def _weights(voters: int | Sequence[Exact], faults: list[Fault]) -> list[float]:
    if not isinstance(voters, Sequence):
        if type(voters) is not int or voters < 1:
            what = f"are {shown(voters)}"
            faults.append(Fault("voters", what, "1 or more", "say how many there are"))
            return []
        return [1.0] * voters
    found: list[float] = []
    for at, weight in enumerate(voters):
        fault = exact_fault(weight, f"voter {at}", "weight")
        if fault is None and not weight > 0:
            what = f"weight is {weight}"
            fault = Fault(f"voter {at}", what, "more than 0", "leave the voter out")
        if fault is not None:
            faults.append(fault)
        else:
            found.append(float(weight))
    if not len(voters):
        faults.append(Fault("voters", "are none", "1 or more", "give their weights"))
    return found


def _matrix(
    dependence: float | Sequence[Sequence[float]], count: int, faults: list[Fault]
) -> list[list[float]]:
    if not isinstance(dependence, Sequence):
        rho = _correlation(dependence, "correlation", faults)
        return [[1.0 if i == j else rho for j in range(count)] for i in range(count)]
    rows = [list(row) for row in dependence]
    if len(rows) != count or any(len(row) != count for row in rows):
        what = f"has rows of {[len(row) for row in rows][:20]}"
        faults.append(Fault("matrix", what, f"{count} rows of {count}", "give one row per voter"))
        return [[1.0] * count] * count
    made = [
        [_correlation(one, f"correlation of {i} and {j}", faults) for j, one in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    is_even = all(abs(made[i][j] - made[j][i]) <= 1e-9 for i in range(count) for j in range(i))
    if not is_even or any(abs(made[i][i] - 1) > 1e-9 for i in range(count)):
        faults.append(
            Fault(
                "matrix",
                "is no correlation matrix",
                "1 on the diagonal, the same on both sides of it",
                "correct it",
            )
        )
    return made


def _correlation(value: object, whose: str, faults: list[Fault]) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and isfinite(value) and -1 <= value <= 1:  # type: ignore[arg-type, operator]  # is_number has just checked it
        return float(value)  # type: ignore[arg-type]  # the same
    faults.append(Fault(whose, f"is {shown(value)}", "a number from -1 to 1", "correct it"))
    return 0.0


def clipped(n_eff: float, voters: int) -> float:
    """Return a number of effective voters kept within 1 and the number of voters.

    Args:
        n_eff: the raw number.
        voters: how many there are.

    Returns:
        A panel never counts as less than one voter, and never as more than it has.

    Example:
        >>> clipped(3.4, 3), clipped(0.98, 3), clipped(2.5, 3)
        (3.0, 1.0, 2.5)
    """
    return min(max(n_eff, 1.0), float(voters))


def effective_margin(winner: Exact, runner_up: Exact, voters: Exact, n_eff: float) -> float:
    """Return by how many independent voters an option leads.

    Args:
        winner: the votes of the leading option.
        runner_up: the votes of the next.
        voters: all votes.
        n_eff: as how many independent voters they count.

    Returns:
        (winner - runner_up) / voters * n_eff.

    Raises:
        InvalidInput: for numbers that are not exact, fewer votes than 0 or than one of the two,
            and an n_eff that is not finite and positive.

    Example:
        >>> round(effective_margin(7, 2, 9, 2.2), 2)
        1.22
    """
    faults: list[Fault] = []
    for name, value in (("winner", winner), ("runner_up", runner_up), ("voters", voters)):
        fault = exact_fault(value, name, "votes")
        faults.extend([fault] if fault is not None else [])
    raise_if(faults)
    first, second, whole = (to_fraction(one) for one in (winner, runner_up, voters))
    if not 0 <= second <= first <= whole or not whole:
        what = f"are {winner} and {runner_up} of {voters}"
        allowed = "0 or more, the winner's first, no more than all"
        raise InvalidInput(Fault("votes", what, allowed, "correct them"))
    if isinstance(n_eff, bool) or not isfinite(n_eff) or n_eff <= 0:
        what = f"is {shown(n_eff)}"
        allowed = "a finite number above 0"
        raise InvalidInput(Fault("n_eff", what, allowed, "take the clipped one"))
    return float((first - second) / whole) * n_eff
