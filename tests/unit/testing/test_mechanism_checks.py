"""testing/mechanism_checks.py: each check fails on a rule that breaks its promise (G1-G4)."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import digest
from comity.core.results import Choice, Grounds, NoDecision
from comity.core.ties import Tie, lot
from comity.testing.mechanism_checks import Call, call, check_mechanism

CALLS = [call({"b": 1, "a": 1, "c": 0}), call({"a": 2, "c": 1}), call({}), call(votes={"x": 3})]


def result(votes: dict[str, int], option: str, **grounds: Any) -> Choice:
    told = {"rule": "most", "ended_by": "count", "inputs_digest": digest(votes), **grounds}
    return Choice(option=option, grounds=Grounds(**told))


def most(votes: dict[str, int]) -> Choice | NoDecision:
    """Return the option with the most votes; a tie is broken by lot."""
    if not votes:
        grounds = Grounds(rule="most", ended_by="count", inputs_digest=digest(votes))
        return NoDecision(reason="no_majority", grounds=grounds)
    best = [name for name, count in votes.items() if count == max(votes.values())]
    tie = lot("7", "most", best)
    ties = (tie,) if len(best) > 1 else ()
    return result(votes, str(tie.chosen), ties=ties)


def faults(rule: Callable[..., Any], calls: list[Call] | None = None) -> dict[str, str]:
    """Return the checks that fail, with what they say."""
    found = {}
    for name, check in check_mechanism(rule, CALLS if calls is None else calls):
        try:
            check()
        except AssertionError as error:
            found[name] = str(error)
    return found


def test_a_sound_rule_passes_every_check() -> None:
    assert faults(most) == {}


def test_a_rule_with_chance_in_it_is_found() -> None:
    counter = iter(range(10**6))
    found = faults(lambda votes: result(votes, f"option {next(counter)}"))
    assert "the same inputs give the same result" in found


def test_a_rule_that_remembers_earlier_calls_is_found() -> None:
    seen: list[str] = []

    def remembering(votes: dict[str, int]) -> Choice:
        key = digest(votes)
        if key not in seen:
            seen.append(key)
        return result(votes, "first" if len(seen) == 1 else "later")

    assert "the same inputs give the same result" in faults(remembering)


@pytest.mark.parametrize(
    "change",
    [
        lambda votes: votes.update(z=0),
        lambda votes: votes.clear(),
        lambda votes: [votes.__setitem__(key, votes.pop(key)) for key in sorted(votes)],
        lambda votes: votes.update({key: Fraction(value) for key, value in votes.items()}),
    ],
    ids=["adds", "empties", "sorts", "retypes"],
)
def test_a_rule_that_changes_its_inputs_is_found(change: Callable[[dict[str, Any]], Any]) -> None:
    def careless(votes: dict[str, int]) -> Choice:
        made = result(dict(votes), "done")
        change(votes)
        return made

    assert list(faults(careless)) == ["the inputs stay as they were"]


def test_g4_a_tie_that_is_broken_by_position_is_found() -> None:
    def first(votes: dict[str, int]) -> Choice:
        return result(votes, max(votes, key=lambda name: votes[name], default="-"))

    assert list(faults(first)) == ["the order of dicts and sets changes nothing"]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (time, "time"),
        (time, "time_ns"),
        (time, "monotonic"),
        (random, "random"),
        (random, "Random"),
        (secrets, "token_hex"),
    ],
)
def test_g3_a_rule_that_asks_a_clock_or_chance_is_found(module: Any, name: str) -> None:
    def reaching(votes: dict[str, int]) -> Choice:
        getattr(module, name)()
        return result(votes, "done")

    said = f"it reached for {module.__name__}.{name}"
    assert faults(reaching) == {"it asks no clock no chance and no file": said}


def test_g3_a_rule_that_reads_a_file_is_found() -> None:
    def reading(votes: dict[str, int]) -> Choice:
        with open("/dev/null", encoding="utf-8") as file:  # noqa: PTH123  # as a rule might do it
            return result(votes, file.read())

    said = "it reached for builtins.open"
    assert faults(reading) == {"it asks no clock no chance and no file": said}


def test_what_is_no_result_is_found() -> None:
    assert "a result of the closed family comes back, not 'B'" in next(
        iter(faults(lambda votes: "B").values())
    )


def test_a_result_that_can_be_changed_is_found() -> None:
    class Open(Choice):
        __slots__ = ()

        def __setattr__(self, name: str, value: object) -> None:
            object.__setattr__(self, name, value)

    def loose(votes: dict[str, int]) -> Choice:
        made = result(votes, "done")
        return Open(option=made.option, grounds=made.grounds)

    found = faults(loose)
    assert "cannot be set" in found["the result cannot be changed"]
    assert "json leads back to the same result" in found


def test_a_result_that_explains_nothing_is_found() -> None:
    found = faults(lambda votes: result(votes, "done", ended_by=""))
    assert "the grounds say ended_by" in found["the result explains itself"]


@pytest.mark.parametrize(
    ("tie", "why"),
    [
        (Tie(label="t", tied=("a", "b"), rule="lot", chosen="a"), "a lot names its seed"),
        (Tie(label="t", tied=("b", "a"), rule="none", chosen=None), "the tied are sorted"),
    ],
)
def test_a_tie_that_nobody_could_check_is_found(tie: Tie, why: str) -> None:
    found = faults(lambda votes: result(votes, "done", ties=(tie,)))
    assert why in found["the result explains itself"]


def test_one_digest_for_different_inputs_is_found() -> None:
    def blind(votes: dict[str, int]) -> Choice:
        return result(votes, f"{len(votes)} options", inputs_digest="0")

    assert "a digest stands for one set of inputs" in faults(blind)


def test_a_result_that_speaks_python_is_found() -> None:
    found = faults(lambda votes: result(votes, repr(Fraction(1, 3))))
    assert "'Fraction('" in found["a person can read it"]


def test_arguments_by_place_and_by_name_reach_the_rule() -> None:
    heard: list[tuple[Any, Any]] = []

    def rule(first: Any, *, second: Any) -> Choice:
        heard.append((first, second))
        return result({}, "done")

    checks = dict(check_mechanism(rule, [call([1, {2}], second=(3,))]))
    checks["the order of dicts and sets changes nothing"]()
    assert heard == [([1, {2}], (3,))] * 2
