"""Answers: a claimant is told which kind of result it has (G1)."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import get_args

import pytest

from comity.protocols.claims import Answer, Status


@pytest.mark.parametrize("status", get_args(Status))
def test_g1_only_a_running_lease_is_a_grant(status: Status) -> None:
    answer = Answer(status=status, resource="gpu", agent="a", says="So it is.")
    kinds = {"granted": "grant", "waiting": "waiting"}
    assert answer.kind == kinds.get(status, "no_decision")
    assert answer.is_granted is (status == "granted")
    assert str(answer) == "So it is."


def test_g1_an_answer_is_written_whole_and_exact() -> None:
    answer = Answer(
        status="refused", resource="x", agent="a", losses=Fraction(1, 3), cycle=("a", "b")
    )
    written = json.loads(json.dumps(answer.to_json()))
    assert written["losses"] == "1/3"
    assert written["cycle"] == ["a", "b"]
    fields = {name for name in Answer.__slots__ if not name.startswith("_")}
    assert written.keys() == {"kind", *fields}
