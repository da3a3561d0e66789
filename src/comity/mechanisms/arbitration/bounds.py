"""Bounds: how often may an agent lose in a row, at most, and which c keeps a promise?

Here: the two proved bounds of ageing by losses, c from a wanted bound, the bounds of other rules.
Not here: which bound a policy states (policy.py).
Sources: SEMANTICS R3. With fixed priorities p and highest P, n agents, k winners, c per loss:

    *Theorem.* A losing streak of i is at most ⌊(P − p)/c⌋ + ⌈n/k⌉ − 1, for any participation and
    any choice among ties. *Proof.* Let A(m) count the agents with a score above P + c·m, and
    A(−1) = n. An agent enters level m only by losing with a score above P + c·(m−1) to k winners
    that scored at least as much; those were in level m−1 and fall to at most P. So after such a
    conflict A(m) <= A(m−1) − k, and otherwise A(m) does not grow: A(m) <= max(0, n − k·(m+1)),
    which is 0 for m = ⌈n/k⌉ − 1.

With a tolerance t a winner may score t less than a loser. The same proof on levels c + t apart
gives p + c·s <= P + (c + t)·(⌈n/k⌉ − 1). With a priority per claim in a range R a winner may have
⌊(R + t)/c⌋ losses less than a loser; the proof on losses in levels 1 + ⌊(R + t)/c⌋ apart gives
(⌈n/k⌉ − 1)·(1 + ⌊(R + t)/c⌋). Nobody loses while there are no more agents than units. Agents that
leave for good may be left out; n is the most that counted at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction

__all__ = ["c_for", "fixed_bound", "number_of", "per_claim_bound", "stride_bounds", "turns"]

_ROOM = Fraction(1, 10)  # a c this much above the least that works may be taken for a short number


def number_of(value: Exact) -> int | Fraction:
    """Return an int as it is and every other exact number as a Fraction: ints are fast.

    Args:
        value: an exact number.

    Example:
        >>> from decimal import Decimal
        >>> number_of(3), number_of(Decimal("0.5"))
        (3, Fraction(1, 2))
    """
    return value if type(value) is int else to_fraction(value)


def turns(agents: int, units: int = 1) -> int:
    """Return ⌈n/k⌉ − 1: how often equals may go before an agent.

    Args:
        agents: how many there are.
        units: how many win at once.

    Example:
        >>> turns(3), turns(4, 2)
        (2, 1)
    """
    return -(-agents // units) - 1


def fixed_bound(
    *, difference: Exact, c: Exact, agents: int, units: int = 1, tolerance: Exact = 0
) -> int:
    """Return the longest losing streak with one fixed priority per agent.

    Args:
        difference: the highest priority minus the agent's own.
        c: what a loss adds, above 0.
        agents: how many there are.
        units: how many win at once.
        tolerance: how far below the maximum a winner may score.

    Returns:
        ⌊(P − p)/c⌋ + ⌈n/k⌉ − 1 when the tolerance is 0; 0 when everybody wins.

    Example:
        >>> [fixed_bound(difference=9 - p, c=2, agents=3) for p in (9, 5, 1)]
        [2, 4, 6]
    """
    last = turns(agents, units)
    if last <= 0:
        return 0
    room = number_of(difference) + number_of(tolerance) * last
    return int(room // number_of(c)) + last


def per_claim_bound(
    *, spread: Exact, c: Exact, agents: int, units: int = 1, tolerance: Exact = 0
) -> int:
    """Return the longest losing streak when every claim may have a priority of its own.

    Args:
        spread: the highest priority minus the lowest that any claim may have.
        c: what a loss adds, above 0.
        agents: how many there are.
        units: how many win at once.
        tolerance: how far below the maximum a winner may score.

    Returns:
        (⌈n/k⌉ − 1)·(1 + ⌊R/c⌋) when the tolerance is 0.

    Example:
        >>> per_claim_bound(spread=8, c=2, agents=3)
        10
    """
    room = to_fraction(spread) + to_fraction(tolerance)
    return max(0, turns(agents, units)) * (1 + int(room / to_fraction(c)))


def stride_bounds(weights: Mapping[str, Exact]) -> dict[str, int]:
    """Return agent -> its longest losing streak under stride while all claim every time.

    Args:
        weights: agent -> weight, above 0.

    Example:
        >>> stride_bounds({"a": 3, "b": 1})
        {'a': 1, 'b': 4}
    """
    exact = {agent: to_fraction(weight) for agent, weight in weights.items()}
    scale = lcm(*(one.denominator for one in exact.values()))
    whole = {agent: int(one * scale) for agent, one in exact.items()}
    counted = Counter(whole.values())
    last = {
        own: sum(many * (other // own + 1) for other, many in counted.items()) - 2  # but itself
        for own in counted
    }
    return {agent: last[own] for agent, own in whole.items()}


def c_for(
    *,
    longest_streak: int,
    priorities: Mapping[str, Exact | float | str] | Sequence[Exact | float | str],
    k: int = 1,
    per_claim: bool = False,
) -> Exact:
    """Return a c under which nobody loses more than so many conflicts in a row.

    Args:
        longest_streak: the most losses in a row that are acceptable.
        priorities: every agent's priority; with ``per_claim`` as many numbers as agents, the
            highest and the lowest of which bound what a claim may have.
        k: how many win at once.
        per_claim: whether every claim may have a priority of its own.

    Returns:
        An exact number, at most a tenth above the least that works, with a short denominator.

    Raises:
        InvalidInput: when no c can keep that promise: ``longest_streak`` is below ⌈n/k⌉ − 1.

    Example:
        >>> c_for(longest_streak=6, priorities={"a": 9, "b": 5, "c": 1})
        Fraction(5, 3)
        >>> c_for(longest_streak=2, priorities=[4, 4, 4])
        1
    """
    numbers = _read_promise(longest_streak, priorities, k)
    last = max(0, turns(len(numbers), k))
    if longest_streak < last:
        raise InvalidInput(
            Fault(
                "longest_streak",
                f"is {longest_streak}, but {len(numbers)} equals with {k} winning at once already "
                f"take turns of {last}",
                f"{last} or more",
                "allow longer streaks, or hand out more units at once",
            )
        )
    spread = max(numbers) - min(numbers)
    if not spread or not last:
        return 1
    steps = longest_streak // last if per_claim else longest_streak - last + 1
    least = spread / steps
    found = _simplest_above(least, least * (1 + _ROOM))
    return int(found) if found.denominator == 1 else found


def _read_promise(longest_streak: object, priorities: object, k: object) -> list[Fraction]:
    faults: list[Fault] = []
    for name, value, least in (("longest_streak", longest_streak, 0), ("k", k, 1)):
        if type(value) is not int or value < least:
            allowed = f"a whole number from {least}"
            faults.append(Fault(name, f"is {shown(value)}", allowed, "correct it"))
    pairs: list[tuple[object, object]] = []
    if isinstance(priorities, Mapping):
        pairs = list(priorities.items())
    elif isinstance(priorities, Sequence) and not isinstance(priorities, str):
        pairs = list(enumerate(priorities))
    if not pairs:
        what = f"are {shown(priorities)}"
        faults.append(Fault("priorities", what, "a priority for each agent", "list them"))
    numbers = []
    for agent, priority in pairs:
        try:
            numbers.append(to_fraction(read_exact(priority, f"agent {shown(agent)}", "priority")))
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return numbers


def _simplest_above(low: Fraction, high: Fraction) -> Fraction:
    """Return the number with the least denominator above ``low`` and up to ``high``."""
    whole = low.numerator // low.denominator
    if whole + 1 <= high:
        return Fraction(whole + 1)
    # both lie between whole and whole + 1: turn the rest upside down, where the order is reversed
    rest = _simplest_below(1 / (high - whole), None if low == whole else 1 / (low - whole))
    return whole + 1 / rest


def _simplest_below(low: Fraction, high: Fraction | None) -> Fraction:
    """Return the number with the least denominator from ``low`` on and below ``high``."""
    whole = -(-low.numerator // low.denominator)
    if high is None or whole < high:
        return Fraction(whole)
    base = whole - 1
    return base + 1 / _simplest_above(1 / (high - base), 1 / (low - base))
