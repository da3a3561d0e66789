"""Registry: is every rule found by its name, and a misspelt one told its neighbours? (V3)"""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.mechanisms import voting
from comity.mechanisms.voting.registry import RULES, rule, rule_named, tally

OF_V3 = [
    "plurality",
    "majority",
    "supermajority",
    "approval",
    "score",
    "star",
    "stv",
    "borda",
    "copeland",
    "minimax",
    "schulze",
    "ranked_pairs",
    "kemeny",
    "irv",
    "coombs",
    "condorcet",
]


@pytest.mark.parametrize("name", OF_V3)
def test_v3_every_rule_of_the_list_is_there(name: str) -> None:
    assert rule_named(name) is RULES[name]
    assert RULES[name].__name__ == name
    assert getattr(voting, name) is RULES[name]


@pytest.mark.parametrize("name", ["ranked pairs", "Ranked-Pairs", " RANKED_PAIRS "])
def test_v3_a_name_in_any_spelling(name: str) -> None:
    assert rule_named(name) is RULES["ranked_pairs"]


@pytest.mark.parametrize(
    ("name", "near"), [("bordo", "did you mean 'borda'"), ("", "use one of: approval")]
)
def test_g7_an_unknown_rule_is_told_its_neighbours(name: str, near: str) -> None:
    with pytest.raises(UnknownName) as caught:
        rule_named(name)
    (fault,) = caught.value.faults
    assert fault.whose == f"rule {name!r}"
    assert fault.next.startswith(near)
    assert set(OF_V3) <= set(fault.allowed.split(", "))


def test_a_rule_registers_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RULES, "borda")

    def mine() -> None:
        raise NotImplementedError

    assert rule("borda")(mine) is mine
    assert RULES["borda"] is mine


def test_v3_an_election_is_counted_by_the_name_of_its_rule() -> None:
    found = tally([["A", "B"], ["B"]], "Borda", unranked="zero", ties="lot:7")
    assert found == RULES["borda"]([["A", "B"], ["B"]], unranked="zero", ties="lot:7")
    with pytest.raises(UnknownName):
        tally(["A"], "first past the post")


def test_g7_every_parameter_that_a_rule_does_not_take_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        tally([["A"]], "minimax", strenght="margins", seed=1, ties="none")
    told = [(fault.whose, fault.what, fault.allowed) for fault in caught.value.faults]
    assert told == [
        ("minimax", "takes no 'seed'", "strength, unranked, ties"),
        ("minimax", "takes no 'strenght'", "strength, unranked, ties"),
    ]
    assert caught.value.faults[1].next == "did you mean 'strength'"
