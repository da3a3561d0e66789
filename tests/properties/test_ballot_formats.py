"""Laws of ballot files: does what is written come back, and is all else refused with a sentence?

Here: every format with generated elections; arbitrary text and bytes; files near to good ones;
long lines.
Not here: single cases (tests/unit/formats), real files (tests/oracles/test_ballot_files.py).
Sources: SEMANTICS V10, V1, G7.
"""

from __future__ import annotations

import json
from fractions import Fraction
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.formats.ballots import (
    BALLOT_FORMATS,
    BallotFile,
    break_equals_by_order,
    fit_ballots,
    read_ballots_text,
    write_ballots,
)
from comity.mechanisms.voting.ballots import KINDS, BallotKind
from comity.mechanisms.voting.election import Election

KNOWN_EXACTLY = ("json", "jsonl")

names = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r>="), min_size=1)
    .map(str.strip)
    .filter(bool)
    .filter(lambda name: name != "abstain")
)
counts = st.one_of(st.integers(1, 5), st.integers(1, 10**40))
weights = st.one_of(st.integers(0, 5), st.fractions(0, 3, max_denominator=12))


@st.composite
def rankings(draw: st.DrawFn, options: list[str], *, equals: bool, short: bool) -> list[Any]:
    order = draw(st.permutations(options))
    order = order[: draw(st.integers(1, len(order)))] if short else order
    groups: list[list[str]] = []
    for name in order:
        if groups and equals and draw(st.booleans()):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def ballots_of(kind: BallotKind, options: list[str], *, equals: bool, short: bool) -> Any:
    one = st.sampled_from(options)
    return {
        "choice": one,
        "approval": st.sets(one),
        "score": st.dictionaries(one, st.fractions(max_denominator=9), min_size=1),
        "ranking": rankings(options, equals=equals, short=short),
        "yes_no": st.sampled_from(["yes", "no", "veto"]),
    }[kind]


@st.composite
def anonymous(
    draw: st.DrawFn, kind: BallotKind = "ranking", *, equals: bool = True, short: bool = True
) -> BallotFile:
    options = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    ballots = ballots_of(kind, options, equals=equals, short=short)
    rows = draw(st.lists(st.tuples(ballots, counts), max_size=6))
    election = Election.of_counts(rows, options=options, kind=kind)
    return BallotFile(
        election=election,
        names=tuple(draw(st.permutations(options))),
        title=draw(names | st.just("")),
        seats=draw(st.none() | st.integers(1, 9)),
    )


@st.composite
def anything(draw: st.DrawFn, kind: BallotKind) -> Election:
    """Draw an election of any kind: named or not, weighed or not, with abstentions."""
    options = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    ballots = st.none() | ballots_of(kind, options, equals=True, short=True)
    listed: Any = draw(st.lists(ballots, max_size=6))
    heavy: Any = None
    if draw(st.booleans()):
        heavy = draw(st.lists(weights, min_size=len(listed), max_size=len(listed)))
    if draw(st.booleans()):
        voters = draw(st.lists(names, min_size=len(listed), max_size=len(listed), unique=True))
        listed = dict(zip(voters, listed, strict=True))
        heavy = heavy and dict(zip(voters, heavy, strict=True))
    declared = None if kind == "yes_no" or draw(st.booleans()) else options
    return Election(listed, options=declared, kind=kind, weights=heavy or None)


def assert_same(found: BallotFile, file: BallotFile, *, named: bool = True) -> None:
    assert found.election.to_json() == file.election.to_json()
    if named:
        assert found.names == file.names


# --- round trips -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "equals", "short"),
    [("soc", False, False), ("soi", False, True), ("toc", True, False), ("toi", True, True)],
)
@given(data=st.data())
def test_v10_orders_come_back_with_names_and_title(
    target: str, equals: bool, short: bool, data: st.DataObject
) -> None:
    file = data.draw(anonymous(equals=equals, short=short))
    found = read_ballots_text(write_ballots(file, target), target)
    assert_same(found, file)
    assert found.title == file.title


@given(anonymous("approval"))
def test_v10_approvals_come_back_from_categories(file: BallotFile) -> None:
    found = read_ballots_text(write_ballots(file, "cat"), "cat")
    assert_same(found, file)
    assert found.title == file.title


@given(anonymous())
def test_v10_blt_comes_back_with_names_title_and_seats(file: BallotFile) -> None:
    found = read_ballots_text(write_ballots(file, "blt"), "blt")
    assert_same(found, file)
    assert (found.title, found.seats) == (file.title, file.seats or 1)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_v10_json_comes_back_whole(kind: BallotKind, data: st.DataObject) -> None:
    election = data.draw(anything(kind))
    order = tuple(data.draw(st.permutations(election.options)))
    file = BallotFile(election=election, names=order, title="T\n", seats=3, notes=("n",))
    for target in KNOWN_EXACTLY:
        found = read_ballots_text(write_ballots(file, target).encode(), target)
        assert_same(found, file)
        assert (found.title, found.seats, found.notes) == ("T\n", 3, ("n",))


@pytest.mark.parametrize("kind", ["ranking", "score", "approval", "choice", "yes_no"])
@given(data=st.data())
def test_v10_tables_come_back(kind: BallotKind, data: st.DataObject) -> None:
    """Ballots, voters, weights and counts; columns for each option declare the options."""
    election = data.draw(anything(kind))
    if kind in {"score", "approval"} and not election.declared:
        declared: Any = election.to_json()
        election = Election.from_json(declared | {"declared": True})
    file = BallotFile(election=election, names=tuple(data.draw(st.permutations(election.options))))
    try:
        text = write_ballots(file, "csv")
    except InvalidInput as refused:
        lawful = ("that no ballot names", "on no option", "as a yes/no vote")
        assert any(reason in str(refused) for reason in lawful)  # noqa: PT017  # of a table
        return
    found = read_ballots_text(text, "csv", kind=kind).election
    if kind == "choice":
        assert (found.lines, found.abstentions) == (election.lines, election.abstentions)
    else:
        assert found == election


@pytest.mark.parametrize("target", ["soc", "soi", "toc", "toi", "blt"])
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_v10_what_is_fitted_with_losses_is_what_the_file_says(
    kind: BallotKind, target: str, data: st.DataObject
) -> None:
    election = data.draw(anything(kind))
    fitted = fit_ballots(election, target, lossy=True, equal_by="candidate_order")
    text = write_ballots(election, target, lossy=True, equal_by="candidate_order")
    found = read_ballots_text(text, target).election
    assert found.lines == fitted.election.lines
    assert found.abstentions == fitted.election.abstentions
    try:
        assert fit_ballots(election, target).notes == () == fitted.notes
    except InvalidInput as refused:
        assert len(refused.faults) == len(fitted.notes)  # noqa: PT017  # each loss has its note


@given(anonymous())
def test_breaking_equals_keeps_every_preference_that_was_stated(file: BallotFile) -> None:
    broken = break_equals_by_order(file.election, file.names)
    for mine, theirs in zip(file.election.pairwise(), broken.pairwise(), strict=True):
        assert all(one <= other for one, other in zip(mine, theirs, strict=True))
    assert fit_ballots(broken, "soi").notes == ()
    assert broken.size == file.election.size


# --- reading is total ------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *"0123456789-=#:,{}[]()\"'>;\t\n\r ", "\n", "\n", "# NUMBER ALTERNATIVES: 2\n",
        "# NUMBER VOTERS: 1\n", "# ALTERNATIVE NAME 1: A\n", "# ALTERNATIVE NAME 2: B\n",
        "# NUMBER CATEGORIES: 2\n", "# CATEGORY NAME 1: Yes\n", "# CATEGORY NAME 2: No\n",
        "# DATA TYPE: ", "1: 1,2\n", "1: {1},{2}\n", "2 1\n", "1 1 2 0\n", "1 1=2 0\n", "-1\n",
        "0\n", '"A"\n', '"B"\n', "voter", "weight", "count", "ballot", "vote", "rank1", "rank:A",
        "score:B", "approved:A", "A", "B", "A>B\n", '{"ballot": ', '["A"]', '"voter": ', "}\n",
        "null", "1e9", "1/3", "NaN", "٣", "\x00", "\u2028", "\ufeff",
    ]
)  # fmt: skip
near_to_files = st.lists(PIECES, max_size=40).map("".join)


@pytest.mark.parametrize("target", BALLOT_FORMATS)
@given(st.text() | near_to_files, st.none() | st.sampled_from(KINDS))
def test_g7_any_text_is_a_ballot_file_or_refused(
    target: str, text: str, kind: BallotKind | None
) -> None:
    try:
        found = read_ballots_text(text, target, kind=kind)
    except InvalidInput as refused:
        assert refused.faults  # noqa: PT017  # the other lawful end
        return
    assert found.format == target
    assert tuple(sorted(found.names)) == found.election.options
    read_ballots_text(write_ballots(found, "json"), "json")


@pytest.mark.parametrize("target", BALLOT_FORMATS)
@given(st.binary())
def test_g7_any_bytes_are_a_ballot_file_or_refused(target: str, data: bytes) -> None:
    try:
        read_ballots_text(data, target)
    except InvalidInput as refused:
        assert refused.faults  # noqa: PT017  # the other lawful end


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just("A"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.data())
def test_g7_any_values_in_the_keys_of_an_election_are_read_or_refused(data: st.DataObject) -> None:
    file = {
        key: data.draw(json_values)
        for key in (
            "kind",
            "options",
            "declared",
            "ballots",
            "invalid",
            "roster",
            "names",
            "seats",
        )
    }
    good: dict[str, Any] = {
        "kind": "ranking", "options": ["A"], "declared": True, "ballots": [{"ballot": ["A"]}],
    }  # fmt: skip
    changed = data.draw(st.sets(st.sampled_from(sorted(file)), max_size=2))
    whole = good | {key: file[key] for key in changed}
    row = {key: data.draw(json_values) for key in ("ballot", "voter", "weight", "count")}
    some = data.draw(st.sets(st.sampled_from(sorted(row)), max_size=2))
    line = {"ballot": ["A"]} | {key: row[key] for key in some}
    listed = good | {"ballots": [line]}
    for text, target in [(whole, "json"), (listed, "json"), (line, "jsonl")]:
        try:
            found = read_ballots_text(json.dumps(text), target).election
        except InvalidInput as refused:
            assert refused.faults  # noqa: PT017  # the other lawful end
        else:
            assert Election.from_json(found.to_json()) == found
            assert found.weight >= 0


# --- no line is too long ---------------------------------------------------------------------

LONG = {
    "soi": "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n1: {}",
    "blt": "2 1\n1 {} 0\n0\n",
    "csv": "count,ballot\n1,A\n{}\n",
    "jsonl": '{{"kind": "ranking", "options": ["Alice", "Bob"]}}\n{{"ballot": [{}]}}',
}
FILLINGS = ["1,", "{", "{{1,", "9", '"', '""', "1=", "-", "A>", "[", '"Alise", ', ";", "\t", "#"]


@pytest.mark.parametrize("target", LONG)
@pytest.mark.parametrize("filling", FILLINGS)
def test_g7_a_line_ten_times_as_long_takes_no_hundred_times_as_long(
    target: str, filling: str
) -> None:
    """A long line ends within seconds; squares of its length would take hours."""
    text = LONG[target].format(filling * (300_000 // len(filling)))
    before = process_time()
    try:
        assert read_ballots_text(text, target).election.size <= 1
    except InvalidInput as refused:
        assert len(refused.faults) <= 101  # noqa: PT017  # the other lawful end
        assert len(str(refused)) < 200_000  # noqa: PT017
    assert process_time() - before < 20


def test_many_lines_of_faults_are_told_in_a_hundred() -> None:
    text = "vote,count\n" + "A,-1\n" * 20_000
    with pytest.raises(InvalidInput) as refused:
        read_ballots_text(text, "csv")
    assert len(refused.value.faults) == 101


def test_counts_and_weights_stay_exact_however_large() -> None:
    text = f"count,weight,vote\n{10**300},1/3,A\n{10**300 + 1},1/3,B\n"
    found = read_ballots_text(text, "csv").election
    assert found.exact(found.weight) == Fraction(2 * 10**300 + 1, 3)
