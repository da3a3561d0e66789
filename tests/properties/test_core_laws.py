"""Laws of the core: whatever is put in, does it come back equal or get refused with a sentence?

Here: results of every kind with generated grounds through JSON, numbers, canonical text, lots,
rosters; arbitrary JSON against the readers; one text under every hash seed.
Not here: single cases (tests/unit/core).
Sources: SEMANTICS G1, G3, G4, G5, G7; ARCHITECTURE contract 4.
"""

from __future__ import annotations

import copy
import importlib
import json
import os
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity import core
from comity.core.canonical import canonical, digest, frozen, plain
from comity.core.codec import decode, encode
from comity.core.errors import Fault, InvalidInput, did_you_mean, one_line, shown
from comity.core.exact import MAX_DIGITS, like, read_exact, show_number, to_fraction
from comity.core.parties import Party, Roster, name_fault, roster_of
from comity.core.results import (
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
    Submission,
    Verdict,
    Waiting,
    result_from_json,
)
from comity.core.show import as_html, as_text
from comity.core.step import Ask, Input
from comity.core.ties import Tie, TieRule, draw, lot, rotation, shuffled
from comity.core.units import Rates

ROOT = Path(__file__).resolve().parents[2]

# --- what is generated -----------------------------------------------------------------------

CODE_POINTS = st.characters() | st.sampled_from("\ud800\u202e\x00\x1b\n")
TEXTS = st.text(CODE_POINTS, max_size=12) | st.sampled_from(
    ["80", "-1", "1.3", "24/7", " .5 ", "5.", "1_0.5", "1/0", "1e3", "nan", "true", "<b>&amp;"]
)
NAMES = st.text("abcXYZ019é漢", min_size=1, max_size=8)
HUGE = st.integers(MAX_DIGITS - 3, MAX_DIGITS - 1).map(lambda power: 10**power + 7)
INTS = st.integers() | HUGE
DECIMALS = st.builds(
    lambda whole, places: Decimal((whole < 0, Decimal(abs(whole)).as_tuple().digits, places)),
    st.integers(),
    st.integers(-40, 40),
)
FRACTIONS = st.fractions() | st.integers().map(Fraction) | st.just(Fraction(80))
EXACT = INTS | DECIMALS | FRACTIONS
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | INTS | FLOATS | TEXTS
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXTS, inner, max_size=4)
    ),
    max_leaves=12,
)


def several(one: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(one, max_size=3).map(tuple)


def word(cls: type, name: str) -> st.SearchStrategy[str]:
    """Return one of the words that the field's Literal lists."""
    return st.sampled_from(get_args(get_type_hints(cls)[name]))


TIES = st.builds(
    Tie,
    label=TEXTS,
    tied=several(NAMES),
    rule=st.sampled_from(get_args(TieRule)),
    chosen=st.none() | NAMES,
    seed=st.none() | TEXTS,
)
ITEMS = st.builds(Item, NAMES, EXACT)
GROUNDS = st.builds(
    Grounds,
    rule=TEXTS,
    ended_by=TEXTS,
    inputs_digest=TEXTS,
    parameters=several(st.tuples(TEXTS, JSON)),
    submissions=several(st.builds(Submission, NAMES, JSON)),
    scores=several(ITEMS),
    margin=st.none() | EXACT,
    abstained=several(NAMES),
    invalid=several(NAMES),
    absent=several(NAMES),
    ties=several(TIES),
    thin=several(TEXTS),
)
UNBLOCK = several(TEXTS)
OFFERS = several(st.builds(FinalOffer, NAMES, st.none() | EXACT | TEXTS))
BY_KIND: dict[type, st.SearchStrategy[Any]] = {
    Agreement: st.builds(
        Agreement,
        terms=several(st.tuples(TEXTS, EXACT | TEXTS)),
        parties=several(NAMES),
        grounds=GROUNDS,
    ),
    Choice: st.builds(Choice, option=TEXTS, grounds=GROUNDS),
    Award: st.builds(
        Award,
        winners=several(st.tuples(NAMES, TEXTS)),
        payments=several(ITEMS),
        grounds=GROUNDS,
    ),
    Allocation: st.builds(Allocation, shares=several(ITEMS), grounds=GROUNDS),
    Grant: st.builds(Grant, holder=NAMES, resource=TEXTS, grounds=GROUNDS),
    Verdict: st.builds(Verdict, verdict=TEXTS, grounds=GROUNDS),
    NoDeal: st.builds(
        NoDeal,
        reason=word(NoDeal, "reason"),
        final_offers=OFFERS,
        gap=st.none() | EXACT,
        unblock=UNBLOCK,
        grounds=GROUNDS,
    ),
    NoSale: st.builds(
        NoSale,
        reason=word(NoSale, "reason"),
        highest_bid=st.none() | EXACT,
        unblock=UNBLOCK,
        grounds=GROUNDS,
    ),
    NoDecision: st.builds(
        NoDecision,
        reason=word(NoDecision, "reason"),
        leaders=several(ITEMS),
        unblock=UNBLOCK,
        grounds=GROUNDS,
    ),
    Waiting: st.builds(
        Waiting,
        reason=word(Waiting, "reason"),
        whom=several(NAMES),
        until_ms=st.none() | st.integers(),
        unblock=UNBLOCK,
        grounds=GROUNDS,
    ),
    Blocked: st.builds(
        Blocked, by=several(st.tuples(NAMES, TEXTS)), unblock=UNBLOCK, grounds=GROUNDS
    ),
    NoQuorum: st.builds(NoQuorum, needed=EXACT, present=EXACT, unblock=UNBLOCK, grounds=GROUNDS),
}
RESULTS = st.one_of(list(BY_KIND.values()))


def through_text(value: Any) -> Any:
    """Return JSON as another process reads it from a file."""
    return json.loads(json.dumps(value))


def tried(call: Callable[..., Any], *given: Any) -> tuple[Any, InvalidInput | None]:
    """Return what a call gives, or its InvalidInput once that is found whole (G7)."""
    try:
        return call(*given), None
    except InvalidInput as error:
        parts = [part for fault in error.faults for part in fault.to_json().values()]
        is_whole = bool(parts) and all(parts)
        assert is_whole  # any other error of the call is the failure these tests look for
        assert str(error).splitlines() == [str(fault) for fault in error.faults]  # noqa: PT017
        return None, error


def values_in(value: Any) -> list[Any]:
    """Return every leaf of a dataclass, so that their types can be looked at."""
    if is_dataclass(value):
        return [leaf for field in fields(value) for leaf in values_in(getattr(value, field.name))]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in values_in(item)]
    return [value]


# --- results through JSON (G1) ---------------------------------------------------------------


def test_every_kind_is_generated() -> None:
    assert set(BY_KIND) == set(get_args(Outcome))


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(core.__path__)])
def test_every_value_of_the_core_is_frozen_and_has_no_room_for_more(name: str) -> None:
    module = importlib.import_module(f"comity.core.{name}")
    for cls in vars(module).values():
        if isinstance(cls, type) and is_dataclass(cls):
            assert cls.__dataclass_params__.frozen, cls  # type: ignore[attr-defined]
            assert "__slots__" in vars(cls), cls
            assert not hasattr(object.__new__(cls), "__dict__"), cls


@pytest.mark.parametrize("kind", BY_KIND, ids=lambda kind: kind.kind)
@given(data=st.data())
def test_g1_a_result_of_any_kind_comes_back_equal(kind: type, data: st.DataObject) -> None:
    result = data.draw(BY_KIND[kind])
    again = result_from_json(through_text(result.to_json()))
    assert type(again) is kind
    assert again == result
    assert hash(again) == hash(result)
    assert canonical(again.to_json()) == canonical(result.to_json())
    assert [isinstance(leaf, str) for leaf in values_in(again)] == [
        isinstance(leaf, str) for leaf in values_in(result)
    ]


@given(RESULTS)
def test_a_result_survives_pickling_and_copying(result: Outcome) -> None:
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301  # our own bytes
    assert copy.deepcopy(result) == result


@given(RESULTS)
def test_a_result_reads_as_lines_that_no_text_can_break(result: Outcome) -> None:
    written = result.to_json()
    said = {**written["grounds"], **written}  # type: ignore[dict-item]
    rows = [
        name
        for name, item in said.items()
        if name not in {"v", "kind", "form", "grounds"} and item not in (None, "", [], {})
    ]
    assert len(str(result).splitlines()) == 1 + len(rows)
    assert as_html(written).count("<td>") == len(rows)
    assert "<b>" not in as_html(written)


@given(st.dictionaries(TEXTS, JSON, max_size=5))
def test_any_json_object_can_be_shown(data: dict[str, Any]) -> None:
    made = plain({**data, "says": ""})
    assert isinstance(made, dict)
    lines = as_text(made).splitlines()
    assert all(line == one_line(line) for line in lines)


# --- exact numbers (G5) ----------------------------------------------------------------------


@given(EXACT)
def test_g5_an_exact_number_comes_back_equal_from_its_json(number: Any) -> None:
    written = through_text(plain(number))
    assert type(written) in {int, str}
    again = read_exact(written, "CC", "bid")
    assert again == number
    assert Fraction(again) == Fraction(number)


@given(EXACT)
def test_g5_whole_numbers_are_written_as_integers_and_others_never_as_floats(number: Any) -> None:
    made = plain(number)
    is_scaled = isinstance(number, Decimal) and int(number.as_tuple().exponent) < 0
    assert isinstance(made, int) == (Fraction(number).denominator == 1 and not is_scaled)


@given(FLOATS)
def test_g5_a_float_is_read_as_the_text_its_author_sees(number: float) -> None:
    found = read_exact(number, "CC", "bid")
    assert float(found) == number
    assert found == Decimal(repr(number))


@given(st.text("0123456789._/+- eE", max_size=8))
def test_g5_text_is_read_as_python_reads_it_or_refused(text: str) -> None:
    found, error = tried(read_exact, text, "CC", "bid")
    if error is None:
        assert Fraction(found) == Fraction(text.strip().rstrip("."))
    else:
        assert str(error).startswith("CC: bid is ")


@given(st.fractions(), st.lists(EXACT, max_size=3))
def test_g5_giving_back_changes_the_type_and_never_the_value(
    value: Fraction, models: list[Any]
) -> None:
    found = like(value, *models)
    assert to_fraction(found) == value
    if any(isinstance(model, Fraction) for model in models):
        assert type(found) is Fraction
    elif models and not any(isinstance(model, Decimal) for model in models):
        assert (type(found) is int) == (value.denominator == 1)


@given(EXACT)
def test_a_shown_number_begins_with_the_number(number: Any) -> None:
    first = show_number(number).partition(" ")[0]
    assert to_fraction(read_exact(first, "CC", "bid")) == Fraction(number)


# --- canonical text (G3) ---------------------------------------------------------------------


def shuffled_dicts(value: Any, turn: Callable[[list[Any]], list[Any]]) -> Any:
    """Return equal JSON whose dicts were filled in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled_dicts(item, turn)) for key, item in value.items()]
        return dict(turn(items))
    if isinstance(value, (list, tuple)):
        return type(value)(shuffled_dicts(item, turn) for item in value)
    return value


@given(JSON, st.randoms(use_true_random=False))
def test_g3_the_canonical_text_is_stable_under_the_order_of_dicts(value: Any, random: Any) -> None:
    turned = shuffled_dicts(value, lambda items: random.sample(items, len(items)))
    assert canonical(turned) == canonical(value)
    assert digest(turned) == digest(value)
    assert frozen(turned) == frozen(value)
    assert hash(frozen(turned)) == hash(frozen(value))


@given(JSON)
def test_g3_the_canonical_text_is_a_fixed_point_and_frozen_json_has_the_same(value: Any) -> None:
    text = canonical(value)
    assert canonical(json.loads(text)) == text
    assert canonical(frozen(value)) == text
    assert digest(value) == sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


UNDER_A_SEED = r"""
import json
from fractions import Fraction
from comity.core.canonical import canonical, digest, frozen
from comity.core.errors import InvalidInput, did_you_mean
from comity.core.parties import Party, roster_of
from comity.core.results import Choice, Grounds, Item, Submission, result_from_json
from comity.core.ties import lot, rotation, shuffled
from comity.core.units import unit_faults

names = {"GM", "CC", "CX", "PR", "alpha", "beta", "gamma", "delta"}
told = [
    canonical(frozen({name: {other: 1 for other in names} for name in names})),
    digest({name: Fraction(1, 3) for name in names}),
    roster_of(names).digest,
    repr(lot("7", "winner", names)),
    repr(rotation("7", "turns", names)),
    repr(shuffled("7", "order", names)),
    did_you_mean("alpa", names), did_you_mean("zzz", names),
    str(unit_faults({name: name for name in names}, for_what="a sum")[0]),
]
what = {name: 1 for name in names}
result = Choice(option="A", grounds=Grounds(
    rule="r", ended_by="e", inputs_digest=digest(what), submissions=(Submission("CC", what),),
    scores=tuple(Item(name, 1) for name in sorted(names))))
told.append(canonical(result_from_json(result.to_json()).to_json()))
for wrong in ({"v": 1, "kind": "choice", "option": 3, "grounds": {}}, {"v": 1, "kind": "chioce"}):
    try:
        result_from_json(wrong)
    except InvalidInput as error:
        told.append(str(error))
try:
    roster_of([*sorted(names), *names])
except InvalidInput as error:
    told.append(str(error))
print(json.dumps(told))
"""


def test_g3_nothing_depends_on_the_hash_seed() -> None:
    told = set()
    for seed in range(4):
        done = subprocess.run(
            [sys.executable, "-c", UNDER_A_SEED],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        )
        told.add(done.stdout)
    assert len(told) == 1
    assert len(json.loads(told.pop())) == 13


# --- lots (G4) -------------------------------------------------------------------------------

TIED = st.lists(TEXTS, min_size=1, max_size=12, unique=True)


@given(TEXTS, TEXTS, TIED, st.randoms(use_true_random=False))
def test_g4_a_lot_is_its_formula_whatever_the_order(
    seed: str, label: str, tied: list[str], random: Any
) -> None:
    raw = (seed + label).encode("utf-8", "surrogatepass")
    at = (int(sha256(raw).hexdigest(), 16) * len(tied)) >> 256
    drawn = lot(seed, label, random.sample(tied, len(tied)))
    assert drawn == lot(seed, label, tied)
    assert drawn.chosen == sorted(tied)[at]
    assert (drawn.label, drawn.tied, drawn.rule, drawn.seed) == (
        label, tuple(sorted(tied)), "lot", seed
    )  # fmt: skip


@given(st.fractions(0, 1).filter(lambda value: value < 1), TIED)
def test_g4_a_listed_draw_is_the_floor_of_its_share(value: Fraction, tied: list[str]) -> None:
    at = sorted(tied).index(str(draw(value, "x", tied).chosen))
    assert Fraction(at, len(tied)) <= value < Fraction(at + 1, len(tied))


@given(TEXTS, TEXTS, TIED, st.randoms(use_true_random=False))
def test_g4_drawn_orders_hold_everybody_once_whatever_the_order(
    seed: str, label: str, names: list[str], random: Any
) -> None:
    turned = random.sample(names, len(names))
    for order in (rotation, shuffled):
        found = order(seed, label, names)
        assert found == order(seed, label, turned)
        assert sorted(found) == sorted(names)
    cycle, at = sorted(names), sorted(names).index(rotation(seed, label, names)[0])
    assert rotation(seed, label, names) == tuple(cycle[at:] + cycle[:at])


# --- rosters and rates -----------------------------------------------------------------------


@given(
    st.dictionaries(NAMES, EXACT.filter(lambda number: number >= 0), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_v1_a_roster_forgets_the_order_and_comes_back_equal(
    weights: dict[str, Any], random: Any
) -> None:
    members = [Party(name, weight) for name, weight in weights.items()]
    roster = roster_of(members)
    assert roster == roster_of(random.sample(members, len(members)))
    again = decode(Roster, through_text(encode(roster)))
    assert (again, again.digest, hash(again)) == (roster, roster.digest, hash(roster))


@given(st.lists(JSON | st.builds(Party, JSON, JSON), max_size=5))
def test_g7_a_roster_of_anything_is_built_or_refused_with_sentences(parties: list[Any]) -> None:
    roster, _ = tried(roster_of, parties)
    if roster is not None:
        assert [name_fault(name, "party") for name in roster.ids] == [None] * len(parties)


@given(EXACT, EXACT.filter(lambda rate: rate > 0))
def test_g6_converting_there_and_back_gives_the_amount_exactly(amount: Any, rate: Any) -> None:
    there = Rates("GBP", (("ms", rate),)).convert(amount, "ms", whose="CC")
    assert there / to_fraction(rate) == to_fraction(amount)


# --- arbitrary JSON against the readers (G7) -------------------------------------------------

STRANGE = st.sampled_from(
    [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), {1, 2}, b"x", object]
) | st.integers(MAX_DIGITS, MAX_DIGITS + 99).map(lambda power: -(10**power))
ANYTHING = st.recursive(
    SCALARS | STRANGE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=10,
)
READABLE: list[type] = [
    Ask, FinalOffer, Fault, Grounds, Input, Item, Party, Rates, Roster, Submission, Tie, *BY_KIND
]  # fmt: skip


def with_one_change(data: st.DataObject, value: Any) -> Any:
    """Return JSON with one place of it replaced, removed or added to."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 4)):
        changed, key = dict(value), data.draw(st.sampled_from(sorted(value, key=str)))
        way = data.draw(st.sampled_from(["below", "below", "below", "remove", "add"]))
        if way == "remove":
            del changed[key]
        elif way == "add":
            changed[data.draw(TEXTS)] = data.draw(ANYTHING)
        else:
            changed[key] = with_one_change(data, changed[key])
        return changed
    if isinstance(value, list) and value and data.draw(st.integers(0, 4)):
        at = data.draw(st.integers(0, len(value) - 1))
        return [*value[:at], with_one_change(data, value[at]), *value[at + 1 :]]
    return data.draw(ANYTHING)


@given(st.data())
def test_g7_a_result_with_one_change_is_read_or_refused_and_never_crashed_on(
    data: st.DataObject,
) -> None:
    changed = with_one_change(data, through_text(data.draw(RESULTS).to_json()))
    result, _ = tried(result_from_json, changed)
    if result is not None:
        assert result_from_json(through_text(result.to_json())) == result


@given(ANYTHING)
def test_g7_any_json_at_all_is_read_or_refused_and_never_crashed_on(value: Any) -> None:
    for read in (result_from_json, *(lambda data, cls=cls: decode(cls, data) for cls in READABLE)):
        found, error = tried(read, value)
        assert error is not None or isinstance(hash(found), int)


@given(st.data())
def test_g7_fields_of_any_content_are_read_or_refused_and_never_crashed_on(
    data: st.DataObject,
) -> None:
    cls = data.draw(st.sampled_from(READABLE))
    names = [field.name for field in fields(cls)]
    value = {name: data.draw(ANYTHING) for name in names if data.draw(st.booleans())}
    found, _ = tried(decode, cls, value)
    if found is not None:
        assert decode(cls, encode(found)) == found


@given(ANYTHING)
def test_g5_any_value_is_a_number_or_refused(value: Any) -> None:
    found, error = tried(read_exact, value, "CC", "bid")
    if error is not None:
        assert [fault.whose for fault in error.faults] == ["CC"]
    else:
        assert isinstance(found, (int, Decimal, Fraction))
        assert not isinstance(found, bool)
        assert Fraction(found) == found


@given(ANYTHING)
def test_any_value_has_a_canonical_text_or_is_refused(value: Any) -> None:
    text, error = tried(canonical, value)
    assert (text is None) == (error is not None)
    for write in (encode, digest):
        assert (tried(write, value)[1] is None) == (error is None)


@given(ANYTHING, TEXTS, st.lists(TEXTS, max_size=6))
def test_messages_never_fail_and_stay_on_one_line(value: Any, name: str, known: list[str]) -> None:
    assert len(shown(value).splitlines()) <= 1
    assert shown(value) == one_line(shown(value))
    assert one_line(did_you_mean(name, known)) == one_line(did_you_mean(name, reversed(known)))
