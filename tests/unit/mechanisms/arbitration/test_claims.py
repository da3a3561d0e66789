"""Claims tests: is every claim read exactly, and every fault named?

Here: the forms a claim may have, faults all at once.
Not here: who wins (test_resolve.py).
Sources: SEMANTICS R2, G5, G7.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration.claims import Claim, principal_fault, read_claims

PEOPLE: dict[str, Any] = {"a": 9, "b": 5}


def test_every_form_of_a_claim_is_read() -> None:
    forms: list[Any] = [("b", 5), ["a", "1/3"], Claim("c", Decimal("0.10"), 7), ("d", 1, None, 2)]
    found = read_claims(forms)
    assert found.claims == (
        Claim("a", Fraction(1, 3)),
        Claim("b", 5),
        Claim("c", Decimal("0.10"), 7),
        Claim("d", 1, None, 2),
    )
    assert not found.floats
    assert read_claims({"b": 1.5}).floats
    assert read_claims(iter([("b", 1)])).claims == (Claim("b", 1),)


def test_declared_agents_may_claim_by_name() -> None:
    assert read_claims(["b", ("a", 9)], PEOPLE).claims == (Claim("a", 9), Claim("b", 5))
    with pytest.raises(InvalidInput, match="did you mean 'a'"):
        read_claims(["A"], PEOPLE)
    with pytest.raises(InvalidInput, match="has the priority 7, declared is 9"):
        read_claims([("a", 7)], PEOPLE)
    assert read_claims([("a", 7)], PEOPLE, may_differ=True).claims[0].priority == 7


def test_g7_all_faults_are_named_at_once() -> None:
    wrong: list[Any] = [
        ("a", float("nan")),
        ("b", True),
        ("c", float("inf")),
        ("d", 1),
        ("d", 2),
        (" ", 1),
        ("e",),
        "f",
        ("g", 1, "soon"),
        ("h", None),
    ]
    with pytest.raises(InvalidInput) as caught:
        read_claims(wrong)
    told = str(caught.value)
    assert len(caught.value.faults) == 9
    for part in ("nan", "True", "inf", "'d'", "' '", "('e',)", "'f'", "'soon'", "None"):
        assert part in told
    assert "agent 'd': claims twice in one conflict" in told


@pytest.mark.parametrize("wrong", [[], (), {}, "a", b"a", None, 7])
def test_no_claims_are_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="claims: are"):
        read_claims(wrong)


@pytest.mark.parametrize("name", ["", " a", "a\nb", "x" * 201, 7, None, "a\u202eb"])
def test_an_unusable_name_is_refused(name: object) -> None:
    assert principal_fault(name, "agent") is not None


@pytest.mark.parametrize("name", ["a", "team/agent-1", "Ünal", "x" * 200, "mail@host:3"])
def test_a_stable_principal_may_look_like_anything_people_use(name: str) -> None:
    assert principal_fault(name, "agent") is None
