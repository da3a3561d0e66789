"""Laws of problem files: does what is written come back, and is all else refused with a sentence?

Here: records, Genius, GeniusWeb and our own files with generated problems; arbitrary bytes, text
and data; files near to good ones; the time that hostile files take.
Not here: single cases (tests/unit/formats), real domains (tests/oracles/test_genius_domains.py).
Sources: SEMANTICS M1, G3, G5, G7.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.canonical import canonical
from comity.core.errors import Fault, InvalidInput
from comity.formats.genius_write import write_genius
from comity.formats.genius_xml import read_genius_texts
from comity.formats.geniusweb_json import read_geniusweb_data
from comity.formats.geniusweb_write import write_geniusweb
from comity.formats.offers_file import SCHEMA, loaded_from
from comity.formats.scenario import json_data, scenario_from
from comity.formats.schema import schema_faults
from comity.formats.xml_tree import LARGEST_XML, parse_xml, root_tag
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.problem_json import problem_from_json, problem_to_json
from comity.mechanisms.bargaining.valuations import tabled

free_names = (
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda name: bool(name) and name.isprintable())
)
fractions = st.fractions(-3, 3, max_denominator=60)
tenths = st.integers(0, 10).map(lambda number: Fraction(number, 10))


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    names = draw(st.lists(free_names, min_size=1, max_size=4, unique=True))
    options = st.lists(free_names, min_size=1, max_size=4, unique=True)
    return domain_of({name: draw(options) for name in names}, free=True)


@st.composite
def problems(draw: st.DrawFn, values: Any = fractions, *, with_tables: bool = True) -> Problem:
    domain = draw(domains())
    parties = []
    for name in ("ann", "bob", "cyd")[: draw(st.integers(2, 3))]:
        limits: dict[str, Any] = {
            "reservation": draw(st.none() | values),
            "discount": draw(st.sampled_from([1, Fraction(3, 4)])),
        }
        if with_tables and draw(st.booleans()):
            rows = [(list(deal.values()), draw(values)) for deal in domain.deals()]
            parties.append(Bargainer(name, tabled(domain, rows, **limits)))
        else:
            table = {
                term.name: {option: draw(values) for option in term.names} for term in domain.terms
            }
            parties.append(Bargainer(name, additive(domain, table, **limits)))
    return problem_of(domain, parties)


@given(problems())
def test_k2_a_record_says_the_problem_again(problem: Problem) -> None:
    recorded = json.loads(canonical(problem_to_json(problem)))
    assert problem_from_json(recorded) == problem


def same(written: Problem, read: Problem) -> None:
    assert read.domain == written.domain
    assert read.names == written.names
    for one, other in zip(written.parties, read.parties, strict=True):
        assert other.preferences.discount == one.preferences.discount
        assert other.preferences.reservation == (one.preferences.reservation or 0)
        assert all(one.preferences.of(deal) == other.preferences.of(deal)
                   for deal in written.domain.deals())  # fmt: skip


@given(problems(tenths, with_tables=False))
def test_genius_files_say_the_problem_again_or_are_refused(problem: Problem) -> None:
    best = max(one.preferences.best for one in problem.parties)  # type: ignore[union-attr]
    if best > 1:
        with pytest.raises(InvalidInput, match="values the best deal at"):
            write_genius(problem)
        return
    same(problem, _genius(write_genius(problem)))


@given(problems(st.fractions(0, 3, max_denominator=9), with_tables=False))
def test_lossy_genius_files_keep_the_order_of_deals_that_are_not_close(problem: Problem) -> None:
    read = _genius(write_genius(problem, lossy=True))
    deals = list(problem.domain.deals())
    for one, other in zip(problem.parties, read.parties, strict=True):
        scale = max(1, one.preferences.best)  # type: ignore[union-attr]
        for deal in deals:
            off = one.preferences.of(deal) / scale - other.preferences.of(deal)
            assert abs(off) < Fraction(1, 10**12)


@given(problems(tenths, with_tables=False))
def test_geniusweb_files_say_the_problem_again_or_are_refused(problem: Problem) -> None:
    try:
        files = write_geniusweb(problem)
    except InvalidInput:
        read = _geniusweb(write_geniusweb(problem, lossy=True))
        assert read.names == problem.names
        return
    read = _geniusweb(files)
    for one, other in zip(problem.parties, read.parties, strict=True):
        assert other.preferences.reservation == one.preferences.reservation
        assert all(one.preferences.of(deal) == other.preferences.of(deal)
                   for deal in problem.domain.deals())  # fmt: skip


def _genius(files: Mapping[str, str]) -> Problem:
    domain = files["scenario-domain.xml"].encode()
    rest = [(name, text.encode()) for name, text in files.items() if "-domain" not in name]
    return read_genius_texts(domain, rest).problem


def _geniusweb(files: Mapping[str, str]) -> Problem:
    data = {name: json_data(text, exact=True) for name, text in files.items()}
    rest = [(name, body) for name, body in data.items() if name != "scenario.json"]
    return read_geniusweb_data(("scenario.json", data["scenario.json"]), rest).problem


# --- nonsense --------------------------------------------------------------------------------

TAGS = st.sampled_from(
    ["negotiation_template", "utility_space", "objective", "issue", "item", "weight", "range",
     "evaluator", "reservation", "discount_factor", "agent", "ufun"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["name", "index", "value", "evaluation", "type", "vtype", "lowerbound", "upperbound", "ftype",
     "offset", "slope", "parameter0", "parameter1", "parameter2", "cost", "utility_space"]
)  # fmt: skip
TEXTS = st.sampled_from(
    ["a", "b", "1", "2", "0", "-1", "0.5", "1e3", "1e999", "nan", "Infinity", "", " ", "integer",
     "real", "discrete", "linear", "triangular", "99999999999", "1/3", "é", "9" * 5000]
)  # fmt: skip


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    tag = draw(TAGS)
    attributes = draw(st.dictionaries(NAMES, TEXTS, max_size=5))
    inside = "".join(draw(st.lists(elements(depth + 1), max_size=4))) if depth < 4 else ""
    told = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{told}>{inside}</{tag}>"


def read_or_refused(read: Callable[[], object]) -> None:
    """Read something; what is refused has faults of four parts, and nothing takes long."""
    faults: tuple[Fault, ...] | None = None
    began = process_time()
    try:
        read()
    except InvalidInput as error:
        faults = error.faults
    assert process_time() - began < 5
    if faults is not None:
        assert faults
        assert all((one.whose, one.what, one.allowed, one.next) for one in faults)


def only_refused(domain: bytes, *profiles: bytes) -> None:
    files = [(f"p{at}.xml", data) for at, data in enumerate(profiles)]
    read_or_refused(lambda: read_genius_texts(domain, files, whose="d.xml"))


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode()))
def test_arbitrary_bytes_are_refused_with_a_sentence(data: bytes) -> None:
    only_refused(data, data)
    only_refused(GOOD["domain"], GOOD["ann"], data)
    root_tag(data)


@given(elements(), elements())
def test_arbitrary_elements_are_read_or_refused_with_a_sentence(first: str, second: str) -> None:
    space = f"<utility_space><objective>{first}</objective></utility_space>"
    template = f"<negotiation_template>{space}</negotiation_template>"
    for domain in (first, template):
        only_refused(domain.encode(), second.encode(), space.encode())


GOOD = {
    "domain": (
        b'<negotiation_template><agent utility_space="ann.xml"/><utility_space>'
        b'<objective index="0">'
        b'<issue index="1" name="a"><item index="1" value="x"/><item index="2" value="y"/></issue>'
        b'<issue index="2" name="n" type="integer" lowerbound="1" upperbound="3"/>'
        b"</objective></utility_space></negotiation_template>"
    ),
    "ann": (
        b'<utility_space><objective index="0"><issue index="1" name="a">'
        b'<item index="1" value="x" evaluation="3"/>'
        b'<item index="2" value="y" evaluation="4"/></issue>'
        b'<issue index="2" name="n"><evaluator ftype="linear" offset="0.1" slope="0.2"/></issue>'
        b'<weight index="1" value="0.5"/><weight index="2" value="0.5"/></objective>'
        b'<reservation value="0.5"/><discount_factor value="0.75"/></utility_space>'
    ),
}


@given(
    st.sampled_from(["domain", "ann"]),
    st.integers(0, 500),
    st.integers(0, 20),
    st.sampled_from(
        [b"", b'"', b"<", b"&", b"0", b"nan", b"</objective>", b"<!DOCTYPE a>", b"\x00"]
    ),
)
def test_files_near_to_good_ones_are_read_or_refused(
    which: str, at: int, cut: int, put: bytes
) -> None:
    changed = dict(GOOD)
    changed[which] = GOOD[which][:at] + put + GOOD[which][at + cut :]
    only_refused(changed["domain"], changed["ann"], GOOD["ann"])


def test_the_good_files_are_read() -> None:
    found = read_genius_texts(GOOD["domain"], [("a.xml", GOOD["ann"]), ("b.xml", GOOD["ann"])])
    assert found.problem.domain.size == 6


@pytest.mark.parametrize(
    "data",
    [
        b'<a x="' + b"&amp;" * 700_000 + b'"/>',
        b"<a>" + b"<b/>" * 900_000 + b"</a>",
        b"<a" + b"".join(b' a%d="1"' % at for at in range(200_000)) + b"/>",
        b"<a><![CDATA[" + b"]" * 3_900_000 + b"]]></a>",
        b"<a>" + b"<!--" + b"-x" * 1_900_000 + b"--></a>",
    ],
    ids=["long value", "many elements", "many attributes", "cdata", "comment"],
)  # fmt: skip
def test_the_largest_files_take_bounded_time(data: bytes) -> None:
    assert len(data) <= LARGEST_XML
    began = process_time()
    with suppress(InvalidInput):
        parse_xml(data, whose="a.xml")
    assert process_time() - began < 20


plain_data = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["issuesValues", "LinearAdditiveUtilitySpace", "issueUtilities", "issueWeights",
             "domain", "reservationBid", "issuevalues", "discreteutils", "valueUtilities",
             "numberutils",
             "values", "range", "a", "b", "name", "lowValue", "highValue"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@given(plain_data, plain_data)
def test_arbitrary_json_is_read_as_geniusweb_or_refused(first: Any, second: Any) -> None:
    space = {"LinearAdditiveUtilitySpace": second}
    for domain in (("d.json", first), ("d.json", {"issuesValues": first}), None):
        profiles = [("a.json", first), ("b.json", space)]
        read_or_refused(partial(read_geniusweb_data, domain, profiles))


ISSUES = st.fixed_dictionaries(
    {"a": st.just(["x", "y"])},
    optional={"n": st.fixed_dictionaries(
        {"from": st.integers(-2, 2), "to": st.integers(0, 4)},
        optional={"step": st.sampled_from([1, "0.5", 0, "x"]), "points": st.integers(0, 4)},
    )},
)  # fmt: skip
SCALARS = (
    st.none() | st.integers(-3, 3) | st.floats() | st.sampled_from(["1/3", "x", "y", "nan", ""])
)
LOOSE = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["a", "n", "x", "y", "from", "to", "from_value", "to_value", "exclude",
                         "require", "agent", "values", "weights", "table", "reservation", "unit"]),
        inner, max_size=4,
    ),
    max_leaves=15,
)  # fmt: skip


@given(
    ISSUES | LOOSE,
    st.fixed_dictionaries({"ann": LOOSE, "bob": LOOSE}) | LOOSE,
    st.dictionaries(st.sampled_from(sorted(SCHEMA["properties"])), LOOSE, max_size=3),
)
def test_arbitrary_scenarios_are_read_or_refused(issues: Any, parties: Any, more: Any) -> None:
    data = {**more, "kind": "offers", "issues": issues, "parties": parties}
    read_or_refused(lambda: scenario_from(data, whose="x.toml", folder=Path(), seed="1"))


@given(problems(st.fractions(-1, 1, max_denominator=9), with_tables=True))
def test_our_own_files_say_any_problem_again(problem: Problem) -> None:
    sizes = [len(term.options) for term in problem.domain.terms]
    issues = {f"i{at}": [f"o{one}" for one in range(size)] for at, size in enumerate(sizes)}
    deals = list(problem.domain.deals())
    rows = list(product(*issues.values()))
    parties: dict[str, Any] = {}
    for party in problem.parties:
        told = party.preferences
        parties[party.name] = {
            "discount": str(told.discount),
            "table": [
                [list(row), str(told.of(deal))] for row, deal in zip(rows, deals, strict=True)
            ],
            **({} if told.reservation is None else {"reservation": str(told.reservation)}),
        }
    data = {"kind": "offers", "issues": issues, "parties": parties}
    assert not schema_faults(SCHEMA, data, whose="x")
    read = loaded_from(data, whose="x").problem
    for row, deal in zip(rows, deals, strict=True):
        named = dict(zip(issues, row, strict=True))
        assert read.utilities(named) == problem.utilities(deal)
        assert read.refused_by(named) == problem.refused_by(deal)


@pytest.mark.parametrize("form", ["genius", "geniusweb", "offers"])
def test_n14_an_issue_of_very_many_prices_is_read_in_little_time(form: str) -> None:
    count = 2_000 if form == "geniusweb" else 10_000
    prices = [str(price) for price in range(count + 1)]
    values = {price: Fraction(int(price), count) for price in prices}
    domain = domain_of({"price": prices}, free=True)
    both = {name: additive(domain, {"price": values}, reservation=0) for name in ("ann", "bob")}
    listed = {price: str(value) for price, value in values.items()}
    own = {
        "kind": "offers",
        "issues": {"price": {"from": 0, "to": count}},
        "parties": {name: {"values": {"price": listed}} for name in both},
    }
    files = write_genius(problem_of(domain, both)) if form == "genius" else {}
    web = write_geniusweb(problem_of(domain, both), lossy=True) if form == "geniusweb" else {}
    began = process_time()
    read = {
        "genius": lambda: _genius(files),
        "geniusweb": lambda: _geniusweb(web),
        "offers": lambda: loaded_from(own, whose="x").problem,
    }[form]()
    assert process_time() - began < 8
    assert read.domain.terms[0].names == tuple(prices)
    assert read.utilities({"price": str(count)}) == (1, 1)
