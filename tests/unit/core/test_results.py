"""Results: is every kind closed, explained, frozen, and read back equal from its JSON?

Here: kinds and exit codes, the JSON of a result, forms of mechanisms, refusals (G1, G2, G8).
Not here: generated results of every kind (tests/properties), how they look (test_show.py).
Sources: SEMANTICS G1, G2, G7, G8; ARCHITECTURE contract 4.
"""

from __future__ import annotations

import dataclasses
import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, get_args, get_type_hints

import pytest

from comity.core import results
from comity.core.canonical import digest
from comity.core.errors import InvalidInput, UnknownName, shown
from comity.core.exact import Exact
from comity.core.results import (
    EXIT_CODE_OF_KIND,
    Agreement,
    Allocation,
    Award,
    Blocked,
    Choice,
    FinalOffer,
    Grant,
    Grounds,
    Item,
    NoDeal,
    NoDecision,
    NoQuorum,
    NoSale,
    Outcome,
    Result,
    Submission,
    Verdict,
    Waiting,
    result_form,
    result_from_json,
)
from comity.core.ties import lot

GROUNDS = Grounds(
    rule="borda",
    ended_by="count",
    inputs_digest="ab" * 32,
    parameters=(("unranked", "last"), ("weights", {"CC": [1, "1/3"]})),
    submissions=(Submission("CC", {"ranks": ["A", "B"]}), Submission("CX")),
    scores=(Item("A", 4), Item("B", Fraction(7, 2))),
    margin=Fraction(1, 2),
    abstained=("GM",),
    invalid=("PR",),
    absent=("CX",),
    ties=(lot("7", "winner", ["A", "B"]),),
    thin=("a tie rule was used",),
)
EVERY_KIND: list[tuple[Result, int]] = [
    (Agreement(terms=(("price", Fraction(171, 2)), ("tls", "1.3")), parties=("a", "b"),
               grounds=GROUNDS), 0),
    (Choice(option="A", grounds=GROUNDS), 0),
    (Award(winners=(("a", "slot"),), payments=(Item("a", Decimal("0.10")),), grounds=GROUNDS), 0),
    (Allocation(shares=(Item("a", 3), Item("b", Fraction(1, 3))), grounds=GROUNDS), 0),
    (Grant(holder="a", resource="audience", grounds=GROUNDS), 0),
    (Verdict(verdict="approved", grounds=GROUNDS), 0),
    (NoDeal(reason="stall", final_offers=(FinalOffer("a", 88), FinalOffer("b", "84.5"),
            FinalOffer("c")), gap=4, unblock=("a meets 84",), grounds=GROUNDS), 10),
    (NoSale(reason="below_reserve", highest_bid=Fraction(9, 2), grounds=GROUNDS), 10),
    (NoDecision(reason="tie", leaders=(Item("A", 2), Item("B", 2)), grounds=GROUNDS), 10),
    (Waiting(reason="human", whom=("ann",), until_ms=5, unblock=("answer",), grounds=GROUNDS), 11),
    (Blocked(by=(("b", "crosses 1/3"),), unblock=("drop it",), grounds=GROUNDS), 12),
    (NoQuorum(needed=Fraction(5, 2), present=2, unblock=("c",), grounds=GROUNDS), 13),
]  # fmt: skip
IDS = [result.kind for result, _ in EVERY_KIND]


@pytest.fixture
def own_forms() -> Iterator[None]:
    """Leave a test alone with the kinds themselves, and take back every form it registers."""
    before = dict(results._FORMS)
    results._FORMS.clear()
    results._FORMS.update({key: cls for key, cls in before.items() if not key[1]})
    yield
    results._FORMS.clear()
    results._FORMS.update(before)


# --- kinds -----------------------------------------------------------------------------------


def test_g1_the_family_of_kinds_is_closed() -> None:
    assert {type(result) for result, _ in EVERY_KIND} == set(get_args(Outcome))
    assert {one.kind for one in get_args(Outcome)} == set(EXIT_CODE_OF_KIND)
    assert len(IDS) == len(set(IDS)) == 12


@pytest.mark.parametrize(("result", "code"), EVERY_KIND, ids=IDS)
def test_g1_every_kind_has_its_exit_code(result: Result, code: int) -> None:
    assert result.exit_code == code
    assert result.is_decided == (code == 0)


@pytest.mark.parametrize(("result", "code"), EVERY_KIND, ids=IDS)
def test_g1_a_result_comes_back_from_json_text_equal(result: Result, code: int) -> None:
    again = result_from_json(json.loads(json.dumps(result.to_json())))
    assert type(again) is type(result)
    assert again == result
    assert hash(again) == hash(result)
    assert again.to_json() == result.to_json()


@pytest.mark.parametrize(("result", "code"), EVERY_KIND, ids=IDS)
def test_a_result_is_frozen_and_survives_pickling(result: Result, code: int) -> None:
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301  # our own bytes


def test_the_json_of_a_result_opens_with_its_kind_and_ends_with_its_grounds() -> None:
    written = Choice(option="A", grounds=GROUNDS).to_json()
    assert list(written) == ["v", "kind", "form", "option", "grounds"]
    assert written["grounds"] == {
        "rule": "borda",
        "ended_by": "count",
        "inputs_digest": "ab" * 32,
        "parameters": [["unranked", "last"], ["weights", {"CC": [1, "1/3"]}]],
        "submissions": [
            {"party": "CC", "what": {"ranks": ["A", "B"]}},
            {"party": "CX", "what": None},
        ],
        "scores": [{"name": "A", "value": 4}, {"name": "B", "value": "7/2"}],
        "margin": "1/2",
        "abstained": ["GM"],
        "invalid": ["PR"],
        "absent": ["CX"],
        "ties": [lot("7", "winner", ["A", "B"]).to_json()],
        "thin": ["a tie rule was used"],
    }


def test_g3_the_digest_of_a_result_is_the_same_on_every_python() -> None:
    written = Choice(option="A", grounds=GROUNDS).to_json()
    assert digest(written) == "bcc8afa7f37167067ab9af0a6b9a9733b6dcce4ff98e1d931dceff59104af38f"


def test_g1_no_exact_number_is_ever_written_as_a_float() -> None:
    exact = (get_type_hints(Item)["value"], Exact)
    assert exact[0] == exact[1]
    for number in (3, Decimal("0.1"), Fraction(1, 10), Fraction(3), Decimal(3)):
        (score,) = Grounds(
            rule="r", ended_by="e", inputs_digest="0", scores=(Item("A", number),)
        ).scores
        written = Choice(option="A", grounds=dataclasses.replace(GROUNDS, scores=(score,)))
        (item,) = written.to_json()["grounds"]["scores"]  # type: ignore[index,call-overload]
        assert isinstance(item["value"], (int, str))


def test_what_a_party_handed_in_cannot_change_afterwards() -> None:
    handed_in: dict[str, Any] = {"ranks": ["A", "B"]}
    parameters: dict[str, Any] = {"CC": [1]}
    kept = Submission("CC", handed_in)
    grounds = Grounds(
        rule="r", ended_by="e", inputs_digest="0", parameters=(("weights", parameters),)
    )
    handed_in["ranks"].reverse()
    parameters["CC"].append(2)
    assert kept.what == {"ranks": ("A", "B")}
    assert grounds.parameters == (("weights", {"CC": (1,)}),)
    with pytest.raises(TypeError):
        kept.what["ranks"] = ()  # type: ignore[index,call-overload]


def test_a_result_reads_as_text_and_as_html() -> None:
    result = Choice(option="A", grounds=GROUNDS)
    assert str(result).startswith("choice\n  option: A\n  rule: borda\n")
    assert result._repr_html_().startswith("<table><caption>choice</caption>")


# --- forms -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_forms")
def test_a_form_of_a_mechanism_comes_back_as_itself() -> None:
    @result_form("scored")
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Scored(Choice):
        by: Exact = 0

    won = Scored(option="A", by=Fraction(1, 3), grounds=GROUNDS)
    assert won.to_json()["form"] == "scored"
    again = result_from_json(won.to_json())
    assert type(again) is Scored
    assert again == won
    with pytest.raises(InvalidInput, match=r"^choice: has an unknown field 'by'"):
        result_from_json({**won.to_json(), "form": ""})


@pytest.mark.usefixtures("own_forms")
def test_a_module_that_is_loaded_again_registers_its_form_again() -> None:
    def load() -> type[Choice]:
        @result_form("again")
        @dataclass(frozen=True, slots=True, kw_only=True)
        class Again(Choice):
            by: int = 0

        return Again

    first, second = load(), load()
    assert first is not second
    assert type(result_from_json(second(option="A", grounds=GROUNDS).to_json())) is second


@pytest.mark.usefixtures("own_forms")
def test_a_form_is_taken_once_has_a_name_and_stands_on_a_whole_dataclass_of_a_kind() -> None:
    @result_form("mine")
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Mine(Choice):
        by: int = 0

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Other(Choice):
        by: int = 0

    class Unfinished(Choice):
        kind: ClassVar[str] = "choice"

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Kindless(Result):
        by: int = 0

    for form, cls in (("mine", Other), ("", Other), ("new", Unfinished), ("new", Kindless)):
        with pytest.raises(InvalidInput) as caught:
            result_form(form)(cls)  # type: ignore[type-var]
        assert str(caught.value) == (
            f"result form {form!r} of {cls.__qualname__}: cannot be registered. "
            "Allowed: a name of its own, on a dataclass that subclasses one kind. "
            "Next: rename it, or put @result_form above @dataclass."
        )
    assert results._FORMS["choice", "mine"] is Mine
    assert results._FORMS["choice", ""] is Choice


# --- refusals --------------------------------------------------------------------------------

WHOLE: dict[str, Any] = dict(Choice(option="A", grounds=GROUNDS).to_json())
NEXT = "agreement, allocation, award, blocked, choice"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            [WHOLE],
            "result: is [{'v': 1, 'kind': 'choice', 'form': '', 'option': 'A', 'grounds':",
        ),
        ([10**5000], "result: is a list that is too long to show. Allowed: an object. "),
        (None, "result: is None. Allowed: an object. Next: give what a result's to_json wrote."),
        (
            {},
            (
                "result: has version None. Allowed: v = 1. "
                "Next: read it with the version of this package that wrote it."
            ),
        ),
        ({**WHOLE, "v": 2}, "result: has version 2. Allowed: v = 1. "),
        ({**WHOLE, "v": True}, "result: has version True. "),
        ({**WHOLE, "v": 1.0}, "result: has version 1.0. "),
        ({**WHOLE, "v": 10**5000}, "result: has version an int that is too long to show. "),
        ({"v": 1}, "result: is of kind None. Allowed: the kinds listed. Next: use one of: "),
        (
            {**WHOLE, "kind": "choise"},
            "result: is of kind 'choise'. Allowed: the kinds listed. Next: did you mean 'choice'.",
        ),
        (
            {**WHOLE, "kind": "consensus"},
            f"result: is of kind 'consensus'. Allowed: the kinds listed. Next: use one of: {NEXT}",
        ),
        ({**WHOLE, "kind": ["choice"]}, "result: is of kind ['choice']. "),
        ({**WHOLE, "kind": 10**5000}, "result: is of kind an int that is too long to show. "),
        ({**WHOLE, "form": "nobody's"}, "result: is of kind 'choice', form \"nobody's\". "),
        ({**WHOLE, "form": {}}, "result: is of kind 'choice'. "),
        ({**WHOLE, "form": 3}, "result: is of kind 'choice', form 3. "),
        (
            {**WHOLE, "option": 3},
            "choice.option: is 3. Allowed: text. Next: correct the value.",
        ),
    ],
    ids=shown,
)
@pytest.mark.usefixtures("own_forms")
def test_json_that_is_no_result_is_refused_with_a_sentence(data: object, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        result_from_json(data)
    assert str(caught.value).startswith(sentence)


def test_an_unknown_kind_is_an_unknown_name() -> None:
    with pytest.raises(UnknownName):
        result_from_json({**WHOLE, "kind": "choise"})


def test_g7_all_faults_of_a_result_are_told_at_once() -> None:
    bad = {
        "v": 1,
        "kind": "no_deal",
        "reason": "tired",
        "final_offers": [{"party": 1}, {"offer": True}],
        "gap": float("nan"),
        "unblock": "x",
        "colour": "red",
        "grounds": {"rule": "r", "ended_by": 3, "ties": [{"rule": "coin"}], "margin": "1/0"},
    }
    with pytest.raises(InvalidInput) as caught:
        result_from_json(bad)
    assert [(fault.whose, fault.what) for fault in caught.value.faults] == [
        ("no_deal", "has an unknown field 'colour'"),
        ("no_deal.grounds.ended_by", "is 3"),
        ("no_deal.grounds", "lacks the field 'inputs_digest'"),
        ("no_deal.grounds.margin", "value is '1/0'"),
        ("no_deal.grounds.ties[0]", "lacks the field 'label'"),
        ("no_deal.grounds.ties[0]", "lacks the field 'tied'"),
        ("no_deal.grounds.ties[0].rule", "is 'coin'"),
        ("no_deal.grounds.ties[0]", "lacks the field 'chosen'"),
        ("no_deal.reason", "is 'tired'"),
        ("no_deal.final_offers[0].party", "is 1"),
        ("no_deal.final_offers[1]", "lacks the field 'party'"),
        ("no_deal.final_offers[1].offer", "value is True"),
        ("no_deal.gap", "value is nan"),
        ("no_deal.unblock", "is 'x'"),
    ]


@pytest.mark.parametrize(
    ("kind", "reasons"),
    [
        (
            NoDeal,
            (
                "no_overlap deadline stall ping_pong exhausted round_limit time_limit budget left "
                "red_lines objections cancelled"
            ),
        ),
        (NoSale, "no_bids below_reserve too_few_bidders cancelled"),
        (NoDecision, "tie cycle no_majority infeasible expired cancelled"),
        (Waiting, "human votes absent resource"),
    ],
)
def test_g2_the_reasons_are_these(kind: type, reasons: str) -> None:
    assert get_args(get_type_hints(kind)["reason"]) == tuple(reasons.split())


@pytest.mark.usefixtures("own_forms")
def test_a_mistyped_form_is_told_the_nearest_kind_and_form() -> None:
    @result_form("scored")
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Scored(Choice):
        by: int = 0

    with pytest.raises(UnknownName) as caught:
        result_from_json({**Scored(option="A", grounds=GROUNDS).to_json(), "form": "scord"})
    assert str(caught.value) == (
        "result: is of kind 'choice', form 'scord'. Allowed: the kinds listed. "
        "Next: did you mean 'choice/scored' or 'choice'."
    )


def test_g2_the_reasons_of_a_no_decision_are_closed() -> None:
    for result, code in EVERY_KIND:
        if "reason" in {field.name for field in dataclasses.fields(result)}:
            with pytest.raises(InvalidInput, match=r"reason: is 'because'. Allowed: one of "):
                result_from_json({**result.to_json(), "reason": "because"})
            assert code > 0
