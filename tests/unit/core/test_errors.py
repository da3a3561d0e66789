"""Errors: does every error carry its four parts, survive a process and know its exit code?

Here: the tree and its table (G7), sentences, escapes, pickling, did-you-mean.
Not here: which input is wrong (the tests of the module that reads it).
Sources: SEMANTICS G2, G7; ARCHITECTURE contract 5.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pickle
import pkgutil
from typing import Any

import pytest

import comity.core
from comity.core.errors import (
    EXIT_CODES,
    AgentError,
    ClaimNotGranted,
    ComityError,
    Fault,
    InternalError,
    InvalidInput,
    LedgerError,
    UnknownName,
    did_you_mean,
    exit_code_of,
    one_line,
    raise_if,
    shown,
)

ONE = Fault("seller", "opens at 60, below its reservation 70", "70 or more", "raise the opening")
TWO = Fault("buyer", "deadline is -1", "0 or more rounds", "give a deadline of 0 or more")


def tree(error: type[ComityError]) -> set[type[ComityError]]:
    """Return an error with everything of this package derived from it."""
    below = [one for one in error.__subclasses__() if one.__module__.startswith("comity.core")]
    return {error}.union(*map(tree, below))


@pytest.fixture(scope="module")
def every_error() -> set[type[ComityError]]:
    for module in pkgutil.iter_modules(comity.core.__path__, "comity.core."):
        importlib.import_module(module.name)
    return tree(ComityError)


# --- the tree and its table ------------------------------------------------------------------


def test_every_error_of_the_tree_has_a_row_and_no_row_lacks_its_error(
    every_error: set[type[ComityError]],
) -> None:
    assert every_error == set(EXIT_CODES)


def test_only_wrong_input_exits_with_two(every_error: set[type[ComityError]]) -> None:
    for error in every_error:
        is_wrong_input = issubclass(error, InvalidInput)
        assert (exit_code_of(error(ONE)) == 2) is is_wrong_input, error


def test_g1_a_claim_that_is_not_granted_exits_as_a_no_decision_does_and_the_rest_fail(
    every_error: set[type[ComityError]],
) -> None:
    """G1: no_decision is 10; whoever claims sees the same code from Python and from the shell."""
    codes = {error: exit_code_of(error(ONE)) for error in every_error}
    assert {error for error, code in codes.items() if code == 10} == {ClaimNotGranted}
    assert set(codes.values()) == {1, 2, 10}
    assert not issubclass(ClaimNotGranted, (ValueError, LedgerError, AgentError))


def test_an_error_derived_elsewhere_exits_like_the_nearest_of_the_tree() -> None:
    class Unheard(UnknownName):
        """Somebody else's."""

    class Strange(ComityError):
        """Somebody else's."""

    assert exit_code_of(Unheard(ONE)) == 2
    assert exit_code_of(Strange(ONE)) == 1


def test_wrong_input_is_a_value_error_and_nothing_else_is(
    every_error: set[type[ComityError]],
) -> None:
    wrong = {error for error in every_error if issubclass(error, ValueError)}
    assert wrong == {InvalidInput, UnknownName}


def test_every_error_says_what_it_means(every_error: set[type[ComityError]]) -> None:
    assert [error for error in every_error if not error.__doc__] == []


# --- four parts, all at once (G7) ------------------------------------------------------------


def test_a_fault_is_one_sentence_of_four_parts() -> None:
    assert str(ONE) == (
        "seller: opens at 60, below its reservation 70. "
        "Allowed: 70 or more. Next: raise the opening."
    )
    assert ONE.to_json() == {
        "whose": "seller",
        "what": "opens at 60, below its reservation 70",
        "allowed": "70 or more",
        "next": "raise the opening",
    }


def test_an_error_lists_all_its_faults_one_a_line() -> None:
    error = InvalidInput([ONE, TWO])
    assert error.faults == (ONE, TWO)
    assert str(error) == f"{ONE}\n{TWO}"


def test_an_error_takes_one_fault_several_or_a_stream_of_them() -> None:
    assert ComityError(ONE).faults == (ONE,)
    assert ComityError(fault for fault in (ONE, TWO)).faults == (ONE, TWO)


def test_a_fault_stays_one_line_whatever_a_party_wrote_into_it() -> None:
    forged = Fault("CX\nseller: all is well", "says \x1b[2J\u202e", "text", "escape it")
    assert str(forged) == (
        "CX\\nseller: all is well: says \\x1b[2J\\u202e. Allowed: text. Next: escape it."
    )
    assert len(str(InvalidInput([forged, forged])).splitlines()) == 2


def test_raise_if_raises_all_or_nothing() -> None:
    raise_if(iter(()))
    with pytest.raises(InvalidInput) as caught:
        raise_if(iter((TWO, ONE)))
    assert caught.value.faults == (TWO, ONE)


def test_a_fault_is_frozen_and_can_be_hashed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ONE.whose = "nobody"  # type: ignore[misc]
    assert len({ONE, TWO, Fault(*dataclasses.astuple(ONE))}) == 2


# --- from process to process -----------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_error_survives_pickling(every_error: set[type[ComityError]], protocol: int) -> None:
    for kind in every_error:
        error = kind([ONE, TWO])
        again = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301  # our own bytes
        assert type(again) is kind
        assert again.faults == (ONE, TWO)
        assert str(again) == str(error)
        assert again.args == error.args


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_every_error_survives_copying(every_error: set[type[ComityError]], way: Any) -> None:
    for kind in every_error:
        again = way(kind([ONE, TWO]))
        assert (type(again), again.faults) == (kind, (ONE, TWO))


# --- did you mean ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "known", "clause"),
    [
        ("seler", ["buyer", "seller"], "did you mean 'seller'"),
        ("SELLER", ["buyer", "seller"], "did you mean 'seller'"),
        ("gm", ["GM", "CC"], "did you mean 'GM'"),
        ("seller", ["Seller", "SELLER"], "did you mean 'SELLER' or 'Seller'"),
        ("aaaa", ["aaab", "aaac", "aaad", "aaae"], "did you mean 'aaae' or 'aaad' or 'aaac'"),
        ("ab", ["Ab", "aB", "AB", "ab "], "did you mean 'AB' or 'Ab' or 'aB'"),
        ("x", ["seller", "buyer"], "use one of: buyer, seller"),
        ("x", ["buyer", "buyer"], "use one of: buyer"),
        ("", ["buyer"], "use one of: buyer"),
        ("x", [], "leave it out"),
    ],
)
def test_did_you_mean_names_the_nearest_or_lists_all(
    name: str, known: list[str], clause: str
) -> None:
    assert did_you_mean(name, known) == clause
    assert did_you_mean(name, reversed(known)) == clause
    assert did_you_mean(name, set(known)) == clause


# --- how a foreign value is shown ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain words, ümlauts, 漢字 and 🙂", "plain words, ümlauts, 漢字 and 🙂"),
        ("10\u00a0€ \u200d\u3000", "10\u00a0€ \u200d\u3000"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x1b[31m\x00\x7f", "\\x1b[31m\\x00\\x7f"),
        ("\u2028\u202e\ufeff\ud800", "\\u2028\\u202e\\ufeff\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_one_line_escapes_what_could_forge_a_line_or_hide(text: str, line: str) -> None:
    assert one_line(text) == line


def test_a_foreign_value_is_shown_short_and_never_fails() -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert shown(True) == "True"
    assert shown("x\n") == r"'x\n'"
    assert shown(10**5000) == "an int that is too long to show"
    assert shown([10**5000]) == "a list that is too long to show"
    assert shown(nested) == "a list that is too long to show"
    assert shown("x" * 198) == "'" + "x" * 198 + "'"
    assert shown("x" * 199) == "'" + "x" * 198 + "…"
    assert len(shown("x" * 10**6)) == 200


def test_a_foreign_value_cannot_break_the_line_with_its_own_text() -> None:
    class Loud:
        def __repr__(self) -> str:
            return "one\ntwo"

    assert shown(Loud()) == "one\\ntwo"


def test_a_bug_of_ours_names_itself() -> None:
    assert str(InternalError(ONE)) == str(ONE)
