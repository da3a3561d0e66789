"""PrefLib files: heads, orders, categories, and every fault with its line."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.ballot_file import BallotFile
from comity.formats.preflib import read_preflib, write_preflib
from comity.mechanisms.voting.election import Election

HEAD = """# FILE NAME: lunch.toi
# TITLE: Lunch, Tuesday: which?
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 6
# ALTERNATIVE NAME 1: Soup, thick
# ALTERNATIVE NAME 2: Pie: apple
# ALTERNATIVE NAME 3: Rice
"""
TOI = HEAD + "3: 1,{2,3}\n2: 2\n1: { 3 } , 1\n"

CAT = """# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 5
# NUMBER CATEGORIES: 2
# CATEGORY NAME 1: No
# CATEGORY NAME 2: Yes
# ALTERNATIVE NAME 1: A
# ALTERNATIVE NAME 2: B
# ALTERNATIVE NAME 3: C
3: {1,2},3
1: {1,2,3},{}
1: {},1
"""
GRADES = """# NUMBER ALTERNATIVES: 2
# NUMBER VOTERS: 2
# NUMBER CATEGORIES: 3
# CATEGORY NAME 1: Good
# CATEGORY NAME 2: Fair
# CATEGORY NAME 3: Poor
# ALTERNATIVE NAME 1: A
# ALTERNATIVE NAME 2: B
2: {},2,1
"""


def refusal(text: str, data_type: str = "toi", **named: object) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_preflib(text, data_type, whose="x", **named)  # type: ignore[arg-type]  # wrong on purpose
    return str(refused.value)


def orders(election: Election) -> list[tuple[object, int]]:
    data = election.to_json()["ballots"]
    assert isinstance(data, list)
    return [(row["ballot"], row.get("count", 1)) for row in data]


def test_v10_a_file_of_orders_with_ties_is_read_with_its_names_and_title() -> None:
    found = read_preflib(TOI, "toi")
    assert found.title == "Lunch, Tuesday: which?"
    assert found.names == ("Soup, thick", "Pie: apple", "Rice")
    assert found.format == "toi"
    assert found.notes == ()
    assert sorted(orders(found.election), key=repr) == [
        (["Pie: apple"], 2),
        (["Rice", "Soup, thick"], 1),
        (["Soup, thick", ["Pie: apple", "Rice"]], 3),
    ]
    assert found.election.declared


def test_line_ends_of_any_system_and_blank_lines_read_alike() -> None:
    plain = read_preflib(TOI, "toi").election
    assert read_preflib(TOI.replace("\n", "\r\n"), "toi").election == plain
    assert read_preflib(TOI.replace("\n", "\r"), "toi").election == plain
    assert read_preflib(TOI.replace("\n", "\n\n"), "toi").election == plain


def test_what_the_head_says_about_the_making_stands_in_the_notes() -> None:
    more = "# DESCRIPTION: By hand.\n# MODIFICATION TYPE: induced\n# NUMBER UNIQUE ORDERS: 2\n"
    assert read_preflib(more + TOI, "toi").notes == (
        "By hand.",
        "modification type: induced",
        "the head says NUMBER UNIQUE ORDERS: 2; lines: 3",
    )


def test_g7_all_faults_come_at_once_each_with_its_line() -> None:
    text = HEAD + "x: 1\n-1: 2\n1: 4\n1: 1,1\n1 2\n1: {1,2\n1: {}\n1: \n"
    told = refusal(text)
    for expected in [
        "x, line 9: has the count 'x'",
        "x, line 10: has the count '-1'",
        "x, line 11: names '4'. Allowed: alternatives 1 to 3.",
        "x, line 12: names 1 twice",
        "x, line 13: is '1 2'. Allowed: count: order",
        "x, line 14: has the order '{1,2'",
        "x, line 15: has an empty group",
        "x, line 16: names ''",
    ]:
        assert expected in told


@pytest.mark.parametrize(
    "order", ["1,,2", "{1,2,}", "{1}{2}", "1,", ",1", "}", "{{1}}", "1 2", "{1},2}", "{,}", "1{2}"]
)
def test_an_order_that_is_none_is_refused(order: str) -> None:
    assert "line 9" in refusal(HEAD.replace("VOTERS: 6", "VOTERS: 1") + f"1: {order}\n")


def test_v10_the_number_of_voters_is_held_against_the_head() -> None:
    told = refusal(TOI.replace("VOTERS: 6", "VOTERS: 7"))
    assert told.startswith(
        "x, line 5: says NUMBER VOTERS: 7. Allowed: 6, as the lines below count"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("# NUMBER VOTERS: 6\n", "", "lacks the line # NUMBER VOTERS"),
        ("# NUMBER ALTERNATIVES: 3\n", "", "lacks the line # NUMBER ALTERNATIVES"),
        ("ALTERNATIVES: 3", "ALTERNATIVES: many", "line 4: says NUMBER ALTERNATIVES: 'many'"),
        ("ALTERNATIVES: 3", "ALTERNATIVES: 999999999", "Allowed: at most 250"),
        ("ALTERNATIVES: 3", "ALTERNATIVES: 4", "lacks ALTERNATIVE NAME 4"),
        ("ALTERNATIVES: 3", "ALTERNATIVES: 2", "line 8: names number 3. Allowed: 1 to 2"),
        ("2: Pie: apple", "2: Rice", "line 8: names the option 'Rice' a second time"),
        ("2: Pie: apple", "2:", "line 7: names an option with no text"),
        ("2: Pie: apple", "2: " + "x" * 501, "line 7: names an option in 501 characters"),
        ("NAME 3: Rice", "NAME 2: Rice", "line 8: says 'ALTERNATIVE NAME 2' a second time"),
        ("TYPE: toi", "TYPE: soc", "line 3: has the data type 'soc'. Allowed: toi"),
    ],
)
def test_a_head_that_does_not_hold_is_refused(old: str, new: str, expected: str) -> None:
    assert expected in refusal(TOI.replace(old, new))


def test_a_file_of_the_old_form_is_told_apart() -> None:
    assert "files of before 2022 have another form" in refusal("2\n1,A\n2,B\n3,3,1\n3,1,2\n")


def test_strict_files_have_no_equals_and_complete_files_leave_nothing_out() -> None:
    text = TOI.replace("DATA TYPE: toi", "DATA TYPE: {}")
    assert "line 9: has equal ranks. Allowed: none in a soi file. Next: name the file .toi" in (
        refusal(text.replace("{}", "soi"), "soi")
    )
    told = refusal(text.replace("{}", "toc"), "toc")
    assert "line 10: ranks 1 of 3 alternatives. Allowed: all in a toc file" in told
    assert "Next: name the file .toi" in told
    strict = refusal(text.replace("{}", "soc"), "soc")
    assert "has equal ranks" in strict
    assert "Next: name the file .soi" in strict


def test_counts_of_nothing_add_nothing_and_counts_of_a_thousand_digits_are_exact() -> None:
    many = 10**999
    text = HEAD.replace("VOTERS: 6", f"VOTERS: {many}") + f"{many}: 1\n0: 2\n"
    assert read_preflib(text, "toi").election.size == many
    assert "at most 1000 digits" in refusal(HEAD + f"{10**1000}: 1\n")


def test_orders_are_read_as_no_other_kind() -> None:
    assert "cannot be read as 'approval'" in refusal(TOI, kind="approval")


# --- categories ------------------------------------------------------------------------------


def test_v10_yes_and_no_are_approvals_in_whatever_order_they_stand() -> None:
    found = read_preflib(CAT, "cat")
    assert found.election.kind == "approval"
    assert sorted(orders(found.election), key=repr) == [(["A"], 1), (["C"], 3), ([], 1)]
    assert found.notes == ("ballots with options in no category: 1; these are not approved",)


def test_v10_other_categories_become_ranks_only_when_asked() -> None:
    told = refusal(GRADES, "cat")
    assert "has the categories 'Good', 'Fair', 'Poor'" in told
    assert "ask for kind='ranking'." in told
    found = read_preflib(GRADES, "cat", kind="ranking")
    assert orders(found.election) == [(["B", "A"], 2)]
    assert found.notes == ("categories read as ranks: Good, Fair, Poor",)
    assert "cannot be read as 'score'" in refusal(GRADES, "cat", kind="score")
    assert "has the categories" in refusal(GRADES, "cat", kind="approval")


def test_two_categories_of_other_names_are_approvals_when_asked() -> None:
    text = CAT.replace("1: No", "1: Fine").replace("2: Yes", "2: Bad")
    assert "or kind='approval'" in refusal(text, "cat")
    found = read_preflib(text, "cat", kind="approval")
    assert found.notes[0] == "category 'Fine' read as approval"
    assert (["A", "B", "C"], 1) in orders(found.election)


def test_a_line_has_a_group_for_every_category() -> None:
    assert "line 9: has 3 categories. Allowed: 2" in refusal(
        CAT.replace("3: {1,2},3", "3: 1,2,3"), "cat"
    )
    assert "lacks the line # NUMBER CATEGORIES" in refusal(
        CAT.replace("# NUMBER CATEGORIES: 2\n", ""), "cat"
    )


# --- writing ---------------------------------------------------------------------------------


def test_what_is_written_has_a_whole_head_and_the_most_frequent_orders_first() -> None:
    votes = Election.of_counts([(["B"], 1), (["C", ["A", "B"]], 4)], options=["A", "B", "C"])
    file = BallotFile(election=votes, names=("C", "B", "A"), title="T", notes=("one", "two"))
    assert write_preflib(file, "toi", modification="synthetic") == (
        "# TITLE: T\n"
        "# DESCRIPTION: one; two\n"
        "# DATA TYPE: toi\n"
        "# MODIFICATION TYPE: synthetic\n"
        "# RELATES TO:\n"
        "# RELATED FILES:\n"
        "# NUMBER ALTERNATIVES: 3\n"
        "# NUMBER VOTERS: 5\n"
        "# NUMBER UNIQUE ORDERS: 2\n"
        "# ALTERNATIVE NAME 1: C\n"
        "# ALTERNATIVE NAME 2: B\n"
        "# ALTERNATIVE NAME 3: A\n"
        "4: 1,{2,3}\n"
        "1: 2\n"
    )


def test_approvals_are_written_as_yes_and_no() -> None:
    found = read_preflib(CAT, "cat")
    text = write_preflib(found, "cat")
    assert "# CATEGORY NAME 1: Yes\n# CATEGORY NAME 2: No\n" in text
    assert text.endswith("3: 3,{1,2}\n1: {},{1,2,3}\n1: 1,{2,3}\n")
    assert read_preflib(text, "cat").election == found.election


def test_names_that_would_not_come_back_are_refused() -> None:
    votes = Election([["A\nB", " C"]])
    with pytest.raises(InvalidInput) as refused:
        write_preflib(BallotFile(election=votes, names=votes.options), "soi")
    assert len(refused.value.faults) == 2
