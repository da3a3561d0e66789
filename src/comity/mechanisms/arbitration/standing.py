"""Standing: many agents claim every time; who is next, without looking at all of them?

Here: ageing by losses for claims that stand: a heap instead of a scan.
Not here: claims that come and go with every conflict (engine.py).
Sources: SEMANTICS R1; research on arbitration: while all claim every time, the key
p − c·(number of the last win) never changes between wins.

The outcome is that of the engine: same scores, same tied sets, same lots. A decision costs a few
steps of a heap, whatever the number of claimants.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import lcm
from typing import NamedTuple

from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact, to_fraction
from comity.mechanisms.arbitration.choosing import Lots, Number, Seed, label_of
from comity.mechanisms.arbitration.claims import Claim, read_claims
from comity.mechanisms.arbitration.policy import Policy

__all__ = ["Standing", "Won"]


class Won(NamedTuple):
    """One conflict among standing claims: only what changed.

    Attributes:
        number: its number.
        winners: who won, in the order drawn.
        tied: from how many each was drawn.
    """

    number: int
    winners: tuple[str, ...]
    tied: tuple[int, ...]


class Standing:
    """Claims that stand: everybody claims in every conflict until it leaves.

    Args:
        priorities: agent -> priority, whole or exact.
        policy: ageing by losses without tolerance, cap or expiry.
        seed: the seed of the lots, or draws.
        resource: what is claimed.

    Raises:
        InvalidInput: for another policy, for floats, and for unusable claims.

    Example:
        >>> standing = Standing({"a": 9, "b": 5, "c": 1}, policy=Policy(c=2), seed="7")
        >>> "".join(standing.conflict().winners[0] for _ in range(9))
        'aaabacaba'
    """

    __slots__ = (
        "_agents",
        "_buckets",
        "_heap",
        "_lots",
        "_number",
        "_scale",
        "_step",
        "policy",
        "resource",
    )

    def __init__(
        self,
        priorities: Mapping[str, Exact],
        *,
        policy: Policy,
        seed: Seed,
        resource: str = "resource",
    ) -> None:
        """Build the heap."""
        special = policy.tolerance or policy.cap is not None or policy.expiry is not None
        if special or policy.rule != "losses":
            allowed = "losses, without tolerance, cap or expiry"
            raise InvalidInput(Fault("policy", "cannot stand", allowed, "use Arbitration"))
        self.policy, self.resource = policy, resource
        self._lots, self._number = Lots(seed), 0
        claims = _exact_claims(priorities) if priorities else ()
        numbers = [to_fraction(one.priority) for one in claims]
        self._scale = lcm(*(one.denominator for one in (*numbers, to_fraction(policy.c))))
        self._step = _whole(to_fraction(policy.c) * self._scale)
        self._agents: dict[str, list[Number]] = {}
        self._buckets: dict[Number, list[str]] = {}
        for claim, priority in zip(claims, numbers, strict=True):
            scaled = _whole(priority * self._scale)
            self._agents[claim.agent] = [scaled, 0]
            self._buckets.setdefault(-scaled, []).append(claim.agent)
        self._heap: list[Number] = list(self._buckets)
        heapify(self._heap)

    def __len__(self) -> int:
        """Return how many claims stand."""
        return len(self._agents)

    def conflict(self) -> Won:
        """Decide the next conflict among all standing claims.

        Returns:
            Who won.

        Raises:
            InvalidInput: when no claim stands.
        """
        heap, buckets = self._heap, self._buckets
        number = self._number + 1
        winners: list[str] = []
        tied: list[int] = []
        left = self.policy.units
        while left and heap:
            key = heap[0]
            bucket = buckets[key]
            count = len(bucket)
            if count <= left:
                heappop(heap)
                del buckets[key]
                winners += bucket
                tied += [1] * count
                left -= count
                continue
            label = label_of(self.resource, number, len(winners))
            winners.append(bucket.pop(self._lots.index(label, count)))
            tied.append(count)
            left -= 1
        if not winners:
            raise InvalidInput(Fault("standing", "has no claims", "one or more", "let one join"))
        self._number = number
        moved = self._step * number
        agents = self._agents
        for winner in winners:
            row = agents[winner]
            row[1] = number
            key = moved - row[0]
            bucket_there = buckets.get(key)
            if bucket_there is None:
                buckets[key] = [winner]
                heappush(heap, key)
            else:
                insort(bucket_there, winner)
        return Won(number, tuple(winners), tuple(tied))

    def losses(self) -> dict[str, int]:
        """Return agent -> its losses in a row, sorted by agent."""
        return {
            agent: int(self._number - self._agents[agent][1]) for agent in sorted(self._agents)
        }

    def join(self, agent: str, priority: Exact, losses: int = 0) -> None:
        """Let an agent claim from the next conflict on.

        Args:
            agent: who.
            priority: its priority.
            losses: its losses in a row so far: what :meth:`leave` returned.

        Raises:
            InvalidInput: when it stands already, and for unusable claims.
        """
        claim = _exact_claims({agent: priority})[0]
        if agent in self._agents:
            what = "claims already"
            raise InvalidInput(Fault(f"agent {agent!r}", what, "one claim each", "let it leave"))
        scaled = _whole(to_fraction(claim.priority) * self._scale)
        self._agents[agent] = [scaled, self._number - losses]
        key = self._step * (self._number - losses) - scaled
        if key not in self._buckets:
            self._buckets[key] = []
            heappush(self._heap, key)
        insort(self._buckets[key], agent)

    def leave(self, agent: str) -> int:
        """Take an agent's claim away and return its losses in a row.

        Args:
            agent: who.

        Raises:
            InvalidInput: when it does not stand.
        """
        if agent not in self._agents:
            near = "name an agent that stands"
            raise InvalidInput(Fault(f"agent {agent!r}", "has no claim", "a standing claim", near))
        scaled, last = self._agents.pop(agent)
        key = self._step * last - scaled
        bucket = self._buckets[key]
        del bucket[bisect_left(bucket, agent)]
        if not bucket:
            del self._buckets[key]
            self._heap.remove(key)
            heapify(self._heap)
        return int(self._number - last)


def _exact_claims(priorities: Mapping[str, Exact]) -> tuple[Claim, ...]:
    read = read_claims(priorities)
    if read.floats:
        allowed = "exact priorities"
        raise InvalidInput(Fault("priorities", "hold floats", allowed, "give them as decimals"))
    return read.claims


def _whole(value: Fraction) -> Number:
    """Return a whole Fraction as an int: ints make the heap fast."""
    return value.numerator if value.denominator == 1 else value
