"""Results: who waits for whom in a circle, who gives way, and what would unblock it?

Here: the deadlock and the answer that there is none.
Not here: finding them (detect.py), kinds and grounds that all mechanisms share (core/results.py).
Sources: SEMANTICS L1, L2, G1 (a deadlock cycle is a no-decision), G2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from comity.core.results import NoDecision, Verdict, result_form

__all__ = ["Cycle", "Deadlock", "NoDeadlock", "Wait"]


@dataclass(frozen=True, slots=True)
class Wait:
    """One waits for another.

    Attributes:
        waiter: who waits.
        holder: for whom.
        kind: ``hard`` when the other holds what it wants, ``soft`` when the other is only before
            it in a queue.

    Example:
        >>> str(Wait("a", "b"))
        'a waits for b'
    """

    waiter: str
    holder: str
    kind: Literal["hard", "soft"] = "hard"

    def __str__(self) -> str:
        """Return it in words."""
        behind = " in a queue" if self.kind == "soft" else ""
        return f"{self.waiter} waits for {self.holder}{behind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """One shortest cycle of one component.

    Attributes:
        members: each waits for the next, the last for the first; the first by name stands first.
        waits: the waits of the cycle in that order.
        component: everybody who waits in a circle together with them, sorted.
        equally_short: how many cycles of the component are as short, this one counted.
        victim: who gives way; None when a queue can be reordered instead.
        rule: the rule that chose the victim, and what broke its ties.
        exempt: members that were the victim too often to be it again.
        cures: soft waits of the cycle of which turning one round undoes the whole component.

    Example:
        >>> one = Cycle(members=("a", "b"), waits=(), component=("a", "b"), victim="b", rule="lot")
        >>> one.says
        'a -> b -> a'
    """

    members: tuple[str, ...]
    waits: tuple[Wait, ...]
    component: tuple[str, ...]
    equally_short: int = 1
    victim: str | None = None
    rule: str = ""
    exempt: tuple[str, ...] = ()
    cures: tuple[Wait, ...] = ()

    @property
    def says(self) -> str:
        """The cycle on one line."""
        return " -> ".join((*self.members, self.members[0]))


@result_form("deadlock")
@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlock(NoDecision):
    """Agents wait for each other in a circle; none of them can ever go on.

    It is true, has a length and can be gone through like the members of its first cycle.

    Attributes:
        cycles: one shortest cycle for each component, by its first member.
        blocked: everybody who waits for ever, in a cycle or for one.
        says: the result in one sentence.
    """

    cycles: tuple[Cycle, ...]
    blocked: tuple[str, ...]
    says: str

    @property
    def members(self) -> tuple[str, ...]:
        """The members of the first cycle in order."""
        return self.cycles[0].members

    @property
    def victims(self) -> tuple[str, ...]:
        """Who gives way, one for each component that needs a victim."""
        return tuple(one.victim for one in self.cycles if one.victim is not None)

    def __len__(self) -> int:
        """Return how many members the first cycle has."""
        return len(self.members)

    def __iter__(self) -> Iterator[str]:
        """Go through the members of the first cycle."""
        return iter(self.members)

    def __str__(self) -> str:
        """Return the sentence, each cycle and what would unblock it."""
        lines = [self.says]
        for one in self.cycles:
            lines.append(f"  cycle: {one.says}")
            lines += [f"    {wait}" for wait in one.waits]
        lines += [f"  to unblock: {one}" for one in self.unblock]
        return "\n".join(lines)


@result_form("deadlock")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoDeadlock(Verdict):
    """Nobody waits in a circle. It is false and has no members.

    Attributes:
        waiting: how many wait for somebody.
        says: the result in one sentence.
    """

    waiting: int
    says: str

    @property
    def members(self) -> tuple[str, ...]:
        """Nobody."""
        return ()

    @property
    def cycles(self) -> tuple[Cycle, ...]:
        """No cycle."""
        return ()

    def __len__(self) -> int:
        """Return 0."""
        return 0

    def __iter__(self) -> Iterator[str]:
        """Go through nobody."""
        return iter(())
