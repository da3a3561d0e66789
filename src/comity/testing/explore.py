"""Explore: what can happen in a small machine, all of it?

Here: a breadth-first walk over every state that a finite alphabet of inputs can reach: how many
states and transitions, how it can end, where it gets stuck, where no end can be reached any more.
Not here: drawn walks through larger machines (machine_checks.py).
Sources: explicit-state model checking (Holzmann 1997); ARCHITECTURE contract 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.step import Ask, Input, Step

__all__ = ["Explored", "answers", "explore"]

Inputs = Callable[[Step[Any]], Iterable[Input]]
"""What may happen next after a step."""

Path = tuple[Input, ...]
"""The inputs that lead to a state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What the walk found.

    Attributes:
        states: distinct states, the ended ones too.
        transitions: inputs tried in states that had not ended.
        refused: how many of these changed nothing.
        depth: the most inputs that the shortest way to a state takes.
        endings: how the machine ended -> in how many distinct states, sorted.
        stuck: ways to states in which nothing may happen and nothing has been decided.
        endless: ways to states from which no end can be reached.
        reopened: ways to ended states that an input changed, or that ended in two ways.
    """

    states: int
    transitions: int
    refused: int
    depth: int
    endings: tuple[tuple[str, int], ...]
    stuck: tuple[Path, ...]
    endless: tuple[Path, ...]
    reopened: tuple[Path, ...]

    @property
    def is_sound(self) -> bool:
        """Whether every state can still finish, and finishes once."""
        return not (self.stuck or self.endless or self.reopened)


@dataclass(slots=True)
class _Seen:
    """A state as the walk keeps it."""

    step: Step[Any]
    came: tuple[Hashable, Input] | None
    depth: int
    before: list[Hashable] = field(default_factory=list)


def answers(bodies: Callable[[Ask], Sequence[JsonObject]], *, now_ms: int = 0) -> Inputs:
    """Return an alphabet in which every standing ask may be answered by every body.

    Args:
        bodies: what an ask may be answered with.
        now_ms: the time of every input; the same for all, so that equal states are equal.

    Returns:
        The alphabet, for :func:`explore`.

    Example:
        >>> ask = Ask(id="a1", party="CC", kind="turn", payload={})
        >>> alphabet = answers(lambda ask: [{"text": "yes"}, {"text": "no"}])
        >>> [one.body["text"] for one in alphabet(Step(state=0, asks=(ask,)))]
        ['yes', 'no']
    """

    def inputs(step: Step[Any]) -> Iterable[Input]:
        for one in step.asks:
            for body in bodies(one):
                yield Input(kind="reply", now_ms=now_ms, party=one.party, ask_id=one.id, body=body)

    return inputs


def explore(
    first: Step[Any],
    step: Callable[[Any, Input], Step[Any]],
    inputs: Inputs,
    *,
    ending: Callable[[Any], str] | None = None,
    key: Callable[[Any], Hashable] | None = None,
    most_states: int = 100_000,
) -> Explored:
    """Walk through every state that the alphabet can reach.

    Args:
        first: the machine's first step.
        step: state, input -> next step.
        inputs: what may happen after a step; finitely much, and the same for equal states.
        ending: the name of an outcome; its kind and reason when None.
        key: what makes two states the same; the state itself when None. A coarser key is sound
            only when states of one key have the same future.
        most_states: where to give up.

    Returns:
        The counts, and every way to a state that breaks a promise.

    Raises:
        AssertionError: when there are more states than ``most_states``.

    Example:
        >>> from comity.protocols.consent.machine import start, step
        >>> from comity.protocols.consent.rules import ConsentLimits, consent_rules
        >>> rules = consent_rules(
        ...     "q", {"CC": "a", "CX": "b"}, seed="1", limits=ConsentLimits(max_turns=2)
        ... )
        >>> alphabet = answers(lambda ask: [{"text": "PRIORITY: x"}])
        >>> found = explore(start(rules), step, alphabet)
        >>> found.states, found.transitions, found.endings, found.is_sound
        (5, 4, (('no_deal: round_limit', 2),), True)
    """
    walk = _Walk(step, inputs, ending or _ending, key or _whole, most_states)
    walk.run(first)
    return walk.found()


def _ending(outcome: Any) -> str:  # noqa: ANN401  # any member of the closed family
    reason = getattr(outcome, "reason", "")
    return f"{outcome.kind}: {reason}" if reason else str(outcome.kind)


def _whole(value: Any) -> Hashable:  # noqa: ANN401  # any value of a state
    """Return a key that is equal for equal values, also when they hold dicts and lists."""
    names = _field_names(type(value))  # type: ignore[arg-type]  # every class can be hashed
    if names:
        return (type(value), *[_whole(getattr(value, name)) for name in names])
    if isinstance(value, dict):
        return frozenset([(key, _whole(item)) for key, item in value.items()])
    if isinstance(value, (list, tuple)):
        return tuple([_whole(item) for item in value])
    assert isinstance(value, Hashable)
    return value


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()


@dataclass(slots=True)
class _Walk:
    step: Callable[[Any, Input], Step[Any]]
    inputs: Inputs
    ending: Callable[[Any], str]
    key: Callable[[Any], Hashable]
    most_states: int
    seen: dict[Hashable, _Seen] = field(default_factory=dict)
    transitions: int = 0
    refused: int = 0
    stuck: list[Hashable] = field(default_factory=list)
    reopened: list[Hashable] = field(default_factory=list)

    def run(self, first: Step[Any]) -> None:
        """See every state once."""
        start = self.key(first.state)
        self.seen[start] = _Seen(first, None, 0)
        waiting = [start]
        for here in waiting:  # grows while it is read: breadth first
            now = self.seen[here]
            if now.step.outcome is not None:
                self._check_the_end(here, now)
                continue
            waiting.extend(self._beyond(here, now))

    def _beyond(self, here: Hashable, now: _Seen) -> list[Hashable]:
        """Return the new states that one input leads to."""
        new: list[Hashable] = []
        tried = 0
        for happened in self.inputs(now.step):
            tried += 1
            after = self.step(now.step.state, happened)
            there = here if after.state is now.step.state else self.key(after.state)
            self.refused += there == here
            known = self.seen.get(there)
            if known is None:
                if len(self.seen) >= self.most_states:
                    raise AssertionError(f"there are more than {self.most_states} states")
                known = self.seen[there] = _Seen(after, (here, happened), now.depth + 1)
                new.append(there)
            elif there != here and not _agree(known.step, after):
                self.reopened.append(there)
            known.before.append(here)
        self.transitions += tried
        if not tried:
            self.stuck.append(here)
        return new

    def _check_the_end(self, here: Hashable, now: _Seen) -> None:
        """Require that nothing counts after the end, whatever could happen just before it."""
        if now.step.asks or now.step.wake_at_ms is not None:
            self.reopened.append(here)
        if now.came is None:
            return
        for happened in self.inputs(self.seen[now.came[0]].step):
            after = self.step(now.step.state, happened)
            if not after.rejected or after.state != now.step.state or after.outcome is not None:
                self.reopened.append(here)

    def found(self) -> Explored:
        """Return the counts and the ways to what is wrong."""
        endings = Counter(
            self.ending(one.step.outcome)
            for one in self.seen.values()
            if one.step.outcome is not None
        )
        finishing = {here for here, one in self.seen.items() if one.step.outcome is not None}
        waiting = list(finishing)
        for here in waiting:
            for before in self.seen[here].before:
                if before not in finishing:
                    finishing.add(before)
                    waiting.append(before)
        return Explored(
            states=len(self.seen),
            transitions=self.transitions,
            refused=self.refused,
            depth=max(one.depth for one in self.seen.values()),
            endings=tuple(sorted(endings.items())),
            stuck=tuple(map(self._way, self.stuck)),
            endless=tuple(self._way(here) for here in self.seen if here not in finishing),
            reopened=tuple(self._way(here) for here in dict.fromkeys(self.reopened)),
        )

    def _way(self, here: Hashable) -> Path:
        way: list[Input] = []
        came = self.seen[here].came
        while came is not None:
            before, happened = came
            way.append(happened)
            came = self.seen[before].came
        return tuple(reversed(way))


def _agree(one: Step[Any], other: Step[Any]) -> bool:
    """Tell whether two steps into one state say the same about what comes next."""
    return one.outcome == other.outcome and _asked(one) == _asked(other)


def _asked(step: Step[Any]) -> list[tuple[str, str, str, int]]:
    return [(one.id, one.party, one.kind, one.attempt) for one in step.asks]
