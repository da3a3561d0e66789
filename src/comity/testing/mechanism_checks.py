"""Mechanism checks: does a rule keep every promise that results and replays build on?

Here: the contract of a pure rule (inputs -> result) as checks any mechanism can be listed for.
Not here: whether the rule is the right one (its own tests and oracles), machines
(machine_checks.py). What depends on how Python hashes text differs only between processes: run
the checks under two values of PYTHONHASHSEED to see it.
Sources: SEMANTICS G1-G4; ARCHITECTURE contracts 1, 4 and 6.
"""

from __future__ import annotations

import builtins
import json
import os
import random
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import FrozenInstanceError, dataclass, fields
from functools import partial
from typing import Any, NoReturn
from unittest import mock

from comity.core.canonical import canonical
from comity.core.results import Result, result_from_json
from comity.testing.ledger_checks import Check

__all__ = ["Call", "call", "check_mechanism"]

Rule = Callable[..., Any]

_OUTSIDE = (
    (builtins, "open"),
    (os, "urandom"),
    (random, "random"),
    (random, "randrange"),
    (random, "choice"),
    (random, "shuffle"),
    (random, "Random"),
    (secrets, "token_bytes"),
    (secrets, "token_hex"),
    (time, "monotonic"),
    (time, "perf_counter"),
    (time, "sleep"),
    (time, "time"),
    (time, "time_ns"),
)
"""Clock, chance and files as a rule would reach for them."""

_PYTHON_SPEAKING = re.compile(
    r"\bobject at 0x|\b(?:Fraction|Decimal|FrozenObject|Grounds|Submission)\(|<class '"
)


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of one use of a rule; :func:`call` makes it.

    Attributes:
        args: by place.
        named: by name.
    """

    args: tuple[Any, ...]
    named: Mapping[str, Any]


def call(*args: Any, **named: Any) -> Call:  # noqa: ANN401  # whatever the rule takes
    """Return the arguments of one use of a rule.

    Example:
        >>> call(1, ties="lot")
        Call(args=(1,), named={'ties': 'lot'})
    """
    return Call(args, named)


def check_mechanism(rule: Rule, calls: Sequence[Call]) -> Iterator[tuple[str, Check]]:
    """Yield every check of the contract of a pure rule, each with its name.

    Args:
        rule: the rule; it returns a result of the closed family.
        calls: at least one use of it; more uses that end in different ways find more.

    Yields:
        The name, a sentence, and the check.

    Example:
        >>> from comity.core.canonical import digest
        >>> from comity.core.results import Choice, Grounds
        >>> def first(options):
        ...     grounds = Grounds(rule="first", ended_by="once", inputs_digest=digest(options))
        ...     return Choice(option=min(options), grounds=grounds)
        >>> for name, check in check_mechanism(first, [call(["b", "a"]), call(["c"])]):
        ...     check()
    """
    for check in _CHECKS:
        name = check.__name__.removeprefix("_").replace("_", " ")
        yield name, partial(check, rule, calls)


def _require(holds: object, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


def _result(rule: Rule, one: Call) -> Result:
    fresh = deepcopy(one)
    found = rule(*fresh.args, **fresh.named)
    _require(isinstance(found, Result), f"a result of the closed family comes back, not {found!r}")
    assert isinstance(found, Result)
    return found


def _text(result: Result) -> str:
    return canonical(result.to_json())


def _the_same_inputs_give_the_same_result(rule: Rule, calls: Sequence[Call]) -> None:
    forwards = [_text(_result(rule, one)) for one in calls]
    backwards = [_text(_result(rule, one)) for one in reversed(calls)]
    _require(forwards == backwards[::-1], "the same whatever was computed before")
    for one in calls:
        _require(_result(rule, one) == _result(rule, one), f"equal twice: {one}")


def _the_inputs_stay_as_they_were(rule: Rule, calls: Sequence[Call]) -> None:
    for one in calls:
        given = deepcopy(one)
        rule(*given.args, **given.named)
        _require(given == one, f"equal afterwards: {one}")
        _require(repr(given) == repr(one), f"in the same order and types afterwards: {one}")


def _the_order_of_dicts_and_sets_changes_nothing(rule: Rule, calls: Sequence[Call]) -> None:
    for one in calls:
        turned = Call(_turned(one.args), _turned(one.named))
        _require(_text(_result(rule, one)) == _text(_result(rule, turned)), f"the same: {one}")


def _turned(value: Any) -> Any:  # noqa: ANN401  # any value of a result
    """Return a value with the order of its dicts and sets turned round."""
    if type(value) is dict:
        return {key: _turned(item) for key, item in reversed(value.items())}
    if type(value) in {list, tuple}:
        return type(value)(_turned(item) for item in value)
    if type(value) is set:
        return set(sorted(value, key=repr, reverse=True))  # noqa: C414  # the order it is built in
    return value


def _it_asks_no_clock_no_chance_and_no_file(rule: Rule, calls: Sequence[Call]) -> None:
    expected = [_text(_result(rule, one)) for one in calls]

    def refuse(*_: object, name: str, **__: object) -> NoReturn:
        raise AssertionError(f"it reached for {name}")

    with ExitStack() as stack:
        for module, name in _OUTSIDE:
            stand_in = partial(refuse, name=f"{module.__name__}.{name}")
            stack.enter_context(mock.patch.object(module, name, stand_in))
        found = [_text(_result(rule, one)) for one in calls]
    _require(found == expected, "the same without them")


def _the_result_cannot_be_changed(rule: Rule, calls: Sequence[Call]) -> None:
    for one in calls:
        result = _result(rule, one)
        _require(isinstance(hash(result), int), "it can be hashed")
        for field in fields(result):
            try:
                setattr(result, field.name, None)
            except (FrozenInstanceError, AttributeError, TypeError):
                continue
            raise AssertionError(f"{field.name} cannot be set")


def _json_leads_back_to_the_same_result(rule: Rule, calls: Sequence[Call]) -> None:
    for one in calls:
        result = _result(rule, one)
        back = result_from_json(json.loads(_text(result)))
        _require(back == result, f"equal after a round trip: {back!r} for {result!r}")
        _require(type(back) is type(result), "and of the same class")


def _the_result_explains_itself(rule: Rule, calls: Sequence[Call]) -> None:
    for one in calls:
        result = _result(rule, one)
        grounds = result.grounds
        for name in ("rule", "ended_by", "inputs_digest"):
            _require(getattr(grounds, name), f"the grounds say {name}: {one}")
        for tie in grounds.ties:
            _require(tie.rule != "lot" or tie.seed, f"a lot names its seed: {tie}")
            _require(list(tie.tied) == sorted(tie.tied), f"the tied are sorted: {tie}")


def _a_digest_stands_for_one_set_of_inputs(rule: Rule, calls: Sequence[Call]) -> None:
    found: dict[str, str] = {}
    for one in calls:
        result = _result(rule, one)
        same = found.setdefault(result.grounds.inputs_digest, _text(result))
        _require(same == _text(result), f"two results need two digests: {one}")


def _a_person_can_read_it(rule: Rule, calls: Sequence[Call]) -> None:
    for one in calls:
        shown = str(_result(rule, one))
        _require(shown.strip(), "str() says something")
        foreign = _PYTHON_SPEAKING.search(shown)
        _require(
            foreign is None, f"str() speaks to people, not {foreign and foreign[0]!r}: {shown}"
        )


_CHECKS: tuple[Callable[[Rule, Sequence[Call]], None], ...] = (
    _the_same_inputs_give_the_same_result,
    _the_inputs_stay_as_they_were,
    _the_order_of_dicts_and_sets_changes_nothing,
    _it_asks_no_clock_no_chance_and_no_file,
    _the_result_cannot_be_changed,
    _json_leads_back_to_the_same_result,
    _the_result_explains_itself,
    _a_digest_stands_for_one_set_of_inputs,
    _a_person_can_read_it,
)
