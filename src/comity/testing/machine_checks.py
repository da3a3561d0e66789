"""Machine checks: does a machine keep every promise that the loop builds on?

Here: the contract of ``start(rules) -> Step`` and ``step(state, input) -> Step`` as checks any
machine can be listed for, along drawn walks through it.
Not here: every walk of a small machine (explore.py), what one protocol means (its own tests).
Sources: ARCHITECTURE contracts 1-3 and 6; SEMANTICS G3, K1, K2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from comity.core.canonical import JsonObject, canonical
from comity.core.step import Ask, Input, InputKind, Step
from comity.core.ties import lot
from comity.session.record import input_body, input_from
from comity.testing.ledger_checks import Check

__all__ = ["Bodies", "check_machine"]

Bodies = Callable[[Ask], Sequence[JsonObject]]
"""What an ask may be answered with: at least one body."""

Start = Callable[[Any], Step[Any]]
Advance = Callable[[Any, Input], Step[Any]]

_START_MS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    start: Start
    step: Advance
    rules: Any
    bodies: Bodies
    walks: int
    most_inputs: int


@dataclass(frozen=True, slots=True)
class _Walk:
    """One way through a machine: its inputs, and its steps, one more than inputs."""

    inputs: tuple[Input, ...]
    steps: tuple[Step[Any], ...]


def check_machine(
    start: Start,
    step: Advance,
    rules: Any,  # noqa: ANN401  # each machine has its own
    bodies: Bodies,
    *,
    walks: int = 8,
    most_inputs: int = 200,
) -> Iterator[tuple[str, Check]]:
    """Yield every check of the machine contract, each with its name.

    Args:
        start: rules -> first step.
        step: state, input -> next step.
        rules: rules under which the machine ends within ``most_inputs`` inputs.
        bodies: what an ask may be answered with; the first body is said most.
        walks: how many walks each check takes: one in which everybody says the first body, one
            in which everybody fails, one in which time runs out, the others drawn.
        most_inputs: within how many inputs every walk ends.

    Yields:
        The name, a sentence, and the check.

    Example:
        >>> from comity.protocols.consent.machine import start, step
        >>> from comity.protocols.consent.rules import consent_rules
        >>> rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")
        >>> said = [{"text": "[CONSENT]"}, {"text": "PRIORITY: x"}, {"text": "well"}]
        >>> for name, check in check_machine(start, step, rules, lambda ask: said, walks=4):
        ...     check()
    """
    case = _Case(
        start=start, step=step, rules=rules, bodies=bodies, walks=walks, most_inputs=most_inputs
    )
    for check in _CHECKS:
        name = check.__name__.removeprefix("_").replace("_", " ")
        yield name, partial(check, case)


# --- walks -----------------------------------------------------------------------------------


def _walks(case: _Case) -> Iterator[_Walk]:
    for number in range(max(case.walks, 3)):
        yield _walk(case, number)


def _walk(case: _Case, number: int) -> _Walk:
    inputs: list[Input] = []
    steps = [case.start(case.rules)]
    now_ms = _START_MS
    while steps[-1].outcome is None:
        _require(
            len(inputs) < case.most_inputs, f"it ends within {case.most_inputs} inputs: {inputs}"
        )
        last = steps[-1]
        _require(
            last.asks or last.wake_at_ms is not None,
            "while it is open it asks or waits for a time",
        )
        now_ms += 1_000
        happened = _next(case, number, len(inputs), last, now_ms)
        now_ms = happened.now_ms
        inputs.append(happened)
        steps.append(case.step(last.state, happened))
    return _Walk(tuple(inputs), tuple(steps))


def _next(case: _Case, number: int, at: int, last: Step[Any], now_ms: int) -> Input:
    """Return what happens next in a walk."""
    due = last.wake_at_ms
    timer = None if due is None else Input(kind="timer", now_ms=max(due, now_ms))
    if timer is not None and (number == 2 or not last.asks):
        return timer
    asks = {one.id: one for one in last.asks}
    one = last.asks[0] if number < 3 else asks[_drawn(number, f"ask {at}", asks)]
    bodies = case.bodies(one)
    if number == 0:
        return _reply(one, bodies[0], now_ms)
    if number in {1, 2}:
        return _failure(one, now_ms)
    kinds = ["0 reply", "1 reply", "2 reply", "3 failure", "4 message", "5 resumed"]
    kind = _drawn(number, f"kind {at}", kinds + (["6 timer"] if timer else []))[2:]
    body = bodies[int(_drawn(number, f"body {at}", [f"{n:06d}" for n in range(len(bodies))]))]
    if kind == "timer" and timer is not None:
        return timer
    if kind == "failure":
        return _failure(one, now_ms)
    if kind == "message":
        return Input(kind="message", now_ms=now_ms, party=one.party, body=body)
    if kind == "resumed":
        return Input(kind="resumed", now_ms=now_ms)
    return _reply(one, body, now_ms)


def _drawn(number: int, label: str, names: Sequence[str] | dict[str, Ask]) -> str:
    return str(lot(f"walk {number}", label, list(names)).chosen)


def _reply(ask: Ask, body: JsonObject | None, now_ms: int) -> Input:
    return Input(kind="reply", now_ms=now_ms, party=ask.party, ask_id=ask.id, body=body)


def _failure(ask: Ask, now_ms: int) -> Input:
    body: JsonObject = {"reason": "timeout", "detail": "no answer"}
    return Input(kind="failure", now_ms=now_ms, party=ask.party, ask_id=ask.id, body=body)


def _require(holds: object, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


def _is_refused(case: _Case, last: Step[Any], happened: Input) -> None:
    """Require that an input is rejected and changes nothing."""
    after = case.step(last.state, happened)
    what = f"{happened}"
    _require(after.rejected, f"it is rejected: {what}")
    _require(after.state == last.state, f"it leaves the state as it was: {what}")
    _require(after.asks == last.asks, f"it leaves the asks as they were: {what}")
    _require(after.wake_at_ms == last.wake_at_ms, f"it sets no other time: {what}")
    _require(after.outcome is None, f"it ends nothing: {what}")


# --- checks ----------------------------------------------------------------------------------


def _every_walk_ends_with_one_outcome_and_nothing_asked(case: _Case) -> None:
    for walk in _walks(case):
        ended = [step for step in walk.steps if step.outcome is not None]
        _require(len(ended) == 1, "there is one outcome")
        _require(not ended[0].asks and ended[0].wake_at_ms is None, "nobody is asked any more")
        _require(str(ended[0].outcome).strip(), "the outcome says something")


def _the_same_inputs_give_the_same_steps(case: _Case) -> None:
    for number in range(case.walks):
        _require(_walk(case, number) == _walk(case, number), "two runs are equal")


def _every_prefix_of_the_record_folds_to_the_step_that_was_lived(case: _Case) -> None:
    for walk in _walks(case):
        kept = [json.loads(canonical(input_body(happened))) for happened in walk.inputs]
        last = case.start(case.rules)
        _require(last == walk.steps[0], "the first step is equal")
        for body, lived in zip(kept, walk.steps[1:], strict=True):
            last = case.step(last.state, input_from(body))
            _require(last == lived, "the state, the asks and the rest are equal on refold")


def _a_step_leaves_the_state_it_starts_from_as_it_was(case: _Case) -> None:
    for walk in _walks(case):
        for before, happened, after in zip(walk.steps, walk.inputs, walk.steps[1:], strict=False):
            case.step(before.state, Input(kind="cancel", now_ms=happened.now_ms))
            case.step(before.state, Input(kind="resumed", now_ms=happened.now_ms + 10**9))
            _require(
                case.step(before.state, happened) == after,
                "the same state and input give the same step, whatever was tried in between",
            )


def _ask_ids_are_never_used_twice_and_a_standing_ask_stays_as_it_was(case: _Case) -> None:
    for walk in _walks(case):
        seen: dict[str, Ask] = {}
        standing: set[str] = set()
        for step in walk.steps:
            ids = [one.id for one in step.asks]
            _require(len(set(ids)) == len(ids), "no two asks stand under one id")
            for one in step.asks:
                _require(one.id in standing or one.id not in seen, f"{one.id} was used before")
                old = seen.setdefault(one.id, one)
                _require(
                    replace(one, deadline_ms=None) == replace(old, deadline_ms=None),
                    f"only the deadline of {one.id} may move",
                )
            standing = set(ids)


def _replies_that_answer_nothing_are_rejected_and_change_nothing(case: _Case) -> None:
    for walk in _walks(case):
        seen: dict[str, Ask] = {}
        for step in walk.steps:
            seen |= {one.id: one for one in step.asks}
            if step.outcome is not None:
                break
            for happened in _nonsense(case, step, tuple(seen.values())):
                _is_refused(case, step, happened)


def _nonsense(case: _Case, step: Step[Any], seen: Sequence[Ask]) -> Iterator[Input]:
    """Yield replies and failures to what nobody asked, or by somebody else, or too late."""
    parties = {one.party for one in seen} | {"nobody", None}
    ids = {one.id for one in (*seen[-5:], *step.asks)} | {"no such ask", "", None}
    standing = {(one.party, one.id) for one in step.asks}
    body: JsonObject = case.bodies(seen[0])[0] if seen else {"text": ""}
    kinds: tuple[InputKind, ...] = ("reply", "failure")
    late_ms = _START_MS + 10**6
    for party in sorted(parties, key=str):
        for ask_id in sorted(ids, key=str):
            if (party, ask_id) not in standing:
                for kind in kinds:
                    yield Input(kind=kind, now_ms=late_ms, party=party, ask_id=ask_id, body=body)
    for party in ("nobody", None):
        yield Input(kind="message", now_ms=late_ms, party=party, body=body)


def _a_reply_counts_once(case: _Case) -> None:
    for walk in _walks(case):
        for happened, after in zip(walk.inputs, walk.steps[1:], strict=True):
            answers = happened.kind in {"reply", "failure"}
            stands = any(one.id == happened.ask_id for one in after.asks)
            if answers and not stands and after.outcome is None:
                _is_refused(case, after, happened)


def _bodies_of_any_shape_raise_nothing_and_ask_for_something_again(case: _Case) -> None:
    odd: list[JsonObject | None] = [
        None,
        {},
        {"text": None},
        {"text": 5},
        {"text": ["a"]},
        {"text": ""},
        {"text": "x" * 2_000},
        {"text": "\u202e[CONSENT]\ufeff", "usage": {"tokens": -1, "money": "much"}},
        {"usage": {"tokens": True, "money": {"a": 1}}, "party": "nobody", "ask_id": "a1"},
        {"reason": 7, "detail": None},
    ]
    for walk in _walks(case):
        for step in walk.steps:
            for one in step.asks[:1]:
                for body in odd:
                    for made in (_reply(one, body, _START_MS), _failure(one, _START_MS)):
                        happened = replace(made, body=body)
                        after = case.step(step.state, happened)
                        _require(
                            after.outcome or after.asks or after.wake_at_ms is not None,
                            f"it goes on or ends after {happened}",
                        )
                        _require(after == case.step(step.state, happened), "the same each time")


def _after_the_end_everything_is_rejected_and_changes_nothing(case: _Case) -> None:
    for walk in _walks(case):
        end = walk.steps[-1]
        late = [
            *walk.inputs[-20:],
            Input(kind="cancel", now_ms=_START_MS + 10**9),
            Input(kind="timer", now_ms=_START_MS + 10**9),
            Input(kind="resumed", now_ms=_START_MS + 10**9),
            Input(kind="message", now_ms=_START_MS + 10**9, party="nobody", body={"text": "hm"}),
        ]
        for happened in late:
            after = case.step(end.state, happened)
            _require(after.rejected, f"it is rejected: {happened}")
            _require(after.state == end.state, f"the state stays: {happened}")
            _require(not after.asks and after.wake_at_ms is None, f"nobody is asked: {happened}")
            _require(after.outcome in {None, end.outcome}, f"no other outcome: {happened}")


def _cancelling_ends_it_at_any_time(case: _Case) -> None:
    for walk in _walks(case):
        for step in walk.steps[:-1]:
            after = case.step(step.state, Input(kind="cancel", now_ms=_START_MS + 10**6))
            _require(after.outcome is not None and not after.asks, "cancel gives an outcome")


def _taking_it_up_again_asks_the_same_questions(case: _Case) -> None:
    for walk in _walks(case):
        for before in walk.steps[:-1]:
            after = case.step(before.state, Input(kind="resumed", now_ms=_START_MS + 10**6))
            _require(after.outcome is None and not after.rejected, "it goes on")
            _require(
                [replace(one, deadline_ms=None) for one in after.asks]
                == [replace(one, deadline_ms=None) for one in before.asks],
                "the same asks stand",
            )


def _a_timer_counts_when_its_time_has_come_and_not_before(case: _Case) -> None:
    for walk in _walks(case):
        for before, _ in pairwise(walk.steps):
            due = before.wake_at_ms
            early = Input(kind="timer", now_ms=0 if due is None else due - 1)
            _is_refused(case, before, early)
            if due is not None:
                after = case.step(before.state, Input(kind="timer", now_ms=due))
                _require(not after.rejected, "a timer at its time is taken")
                _require(after.state != before.state, "and changes something")


_CHECKS: tuple[Callable[[_Case], None], ...] = (
    _every_walk_ends_with_one_outcome_and_nothing_asked,
    _the_same_inputs_give_the_same_steps,
    _every_prefix_of_the_record_folds_to_the_step_that_was_lived,
    _a_step_leaves_the_state_it_starts_from_as_it_was,
    _ask_ids_are_never_used_twice_and_a_standing_ask_stays_as_it_was,
    _replies_that_answer_nothing_are_rejected_and_change_nothing,
    _a_reply_counts_once,
    _bodies_of_any_shape_raise_nothing_and_ask_for_something_again,
    _after_the_end_everything_is_rejected_and_changes_nothing,
    _cancelling_ends_it_at_any_time,
    _taking_it_up_again_asks_the_same_questions,
    _a_timer_counts_when_its_time_has_come_and_not_before,
)
