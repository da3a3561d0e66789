"""Parties: is a roster fixed, sorted, and refused with every fault at once?

Here: names, weights, rosters and their digest (V1, C3, G5, G7).
Not here: what a quorum makes of the weights (mechanisms).
Sources: SEMANTICS V1, C3, G5, G7.
"""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.parties import NAME_ALLOWED, Party, Roster, name_fault, roster_of


@pytest.mark.parametrize(
    "name",
    ["CC", "a", "1", "Senior Engineer", "gpt-4.1_mini", "Zoë", "漢字", "a" * 64, "a.", "a_", "a-"],
)
def test_a_usable_name_has_no_fault(name: str) -> None:
    assert name_fault(name, "party") is None


@pytest.mark.parametrize(
    "name",
    ["", " ", " a", "a ", "_a", ".a", "-a", "a" * 65, "a\n", "a\tb", "a/b", "a:b", "[CC]",
     "a\u202eb", "a\u00a0b", "a\x00", None, 7, True, b"CC", ["CC"]],
)  # fmt: skip
def test_a_name_that_could_not_be_written_in_a_record_is_refused(name: Any) -> None:
    fault = name_fault(name, "term")
    assert str(fault) == (
        f"term {name!r}: cannot be used as a name. Allowed: {NAME_ALLOWED}. Next: rename it."
    )


def test_v1_a_roster_is_sorted_and_the_order_it_was_named_in_is_forgotten() -> None:
    there = roster_of(["GM", "CC", Party("CX", 2)])
    back = roster_of((Party("CX", 2), "CC", "GM"))
    assert there == back
    assert hash(there) == hash(back)
    assert there.ids == ("CC", "CX", "GM")
    assert there.digest == back.digest
    assert there.digest != roster_of(["GM", "CC", "CX"]).digest
    assert "CC" in there
    assert "cc" not in there
    assert 3 not in there


def test_v1_a_roster_has_the_digest_of_its_names_and_weights() -> None:
    roster = roster_of([Party("a", Fraction(1, 3)), Party("b", Decimal("0.5"))])
    assert [party.to_json() for party in roster.parties] == [
        {"id": "a", "weight": Fraction(1, 3)},
        {"id": "b", "weight": Decimal("0.5")},
    ]
    text = '[{"id":"a","weight":"1/3"},{"id":"b","weight":"0.5"}]'
    assert roster.digest == sha256(text.encode()).hexdigest()
    assert Roster(roster.parties) == roster


def test_a_roster_and_its_parties_are_frozen() -> None:
    roster = roster_of(["CC"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        roster.parties = ()  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        roster.parties[0].weight = 9  # type: ignore[misc]


@pytest.mark.parametrize("weight", [0, 1, Decimal("0.5"), Fraction(2, 3), 10**30])
def test_g5_weights_are_exact(weight: Any) -> None:
    assert roster_of([Party("CC", weight)]).parties[0].weight is weight


EXACT = "a finite int, Decimal or Fraction, or text such as 120, 0.10 or 1/3"
NUMBER = "a number such as 120, 0.10 or 1/3"


@pytest.mark.parametrize(
    ("parties", "sentences"),
    [
        ([], ["roster: is empty. Allowed: at least one party. Next: name the parties."]),
        (
            "CC",
            ["roster: is the text 'CC'. Allowed: a list of names or parties. Next: list it."],
        ),
        (
            ["b", "a", "b", "c", "a", "a"],
            [
                "roster: 'a' is listed 3 times. Allowed: each party once. Next: remove one.",
                "roster: 'b' is listed twice. Allowed: each party once. Next: remove one.",
            ],
        ),
        (
            [Party("a", -1), Party("b", True), Party("c", 0.5)],  # type: ignore[arg-type]
            [
                "party 'a': weight is -1. Allowed: 0 or more. Next: correct the weight.",
                (
                    f"party 'b': weight is True. Allowed: {NUMBER}. "
                    "Next: give weight as an exact number."
                ),
                (
                    f"party 'c': weight is 0.5. Allowed: {EXACT}. "
                    "Next: give weight as an exact number."
                ),
            ],
        ),
        (
            [Party("a", Decimal("NaN")), Party("b", Decimal("sNaN"))],
            [
                (
                    f"party 'a': weight is NaN. Allowed: {NUMBER}. "
                    "Next: give weight as an exact number."
                ),
                (
                    f"party 'b': weight is NaN. Allowed: {NUMBER}. "
                    "Next: give weight as an exact number."
                ),
            ],
        ),
        (
            [3, [10**5000], "a", Party(7)],  # type: ignore[arg-type]
            [
                (
                    "roster: lists 3. Allowed: a list of names or parties. "
                    "Next: give a name or a Party."
                ),
                (
                    "roster: lists a list that is too long to show. "
                    "Allowed: a list of names or parties. Next: give a name or a Party."
                ),
                f"party 7: cannot be used as a name. Allowed: {NAME_ALLOWED}. Next: rename it.",
            ],
        ),
        (
            [" a", Party("b", -1), "c", "c", Party(["d"])],  # type: ignore[arg-type]
            [
                f"party ' a': cannot be used as a name. Allowed: {NAME_ALLOWED}. Next: rename it.",
                (
                    "party ['d']: cannot be used as a name. "
                    f"Allowed: {NAME_ALLOWED}. Next: rename it."
                ),
                "roster: 'c' is listed twice. Allowed: each party once. Next: remove one.",
                "party 'b': weight is -1. Allowed: 0 or more. Next: correct the weight.",
            ],
        ),
    ],
)
def test_g7_every_fault_of_a_roster_is_told_at_once(parties: Any, sentences: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        roster_of(parties)
    assert str(caught.value).splitlines() == sentences


def test_a_roster_of_many_is_checked_in_linear_time() -> None:
    names = [f"p{number}" for number in range(20_000)]
    assert len(roster_of(iter(names)).parties) == 20_000
