"""Genius domains and profiles: exact, with limits that survive and clear faults (M1, N1 to N4)."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.genius_xml import GRID, genius_parties, read_genius, read_genius_texts
from comity.formats.loaded_problem import LoadedProblem
from comity.formats.xml_tree import LARGEST_XML
from comity.mechanisms.bargaining.preferences import Additive

DAY = '<issue name="day" index="1" type="discrete"><item value="Mon"/><item value="Tue"/></issue>'
CREW = '<issue name="crew" index="2" type="integer" lowerbound="2" upperbound="4"/>'
PRICE = (
    '<issue name="price" index="3" type="real"><range lowerbound="10.0" upperbound="20"/></issue>'
)
TOLD_DAY = '<issue name="day" index="1"><item value="Mon" evaluation="3"/>'
TOLD_DAY += '<item value="Tue" evaluation="4"/></issue>'
HALF = '<weight index="1" value="0.5"/>'


def domain_of_issues(*issues: str, agents: str = "") -> bytes:
    objective = f'<objective index="0">{"".join(issues)}</objective>'
    space = f"<utility_space>{objective}</utility_space>"
    return f"<negotiation_template>{agents}{space}</negotiation_template>".encode()


def profile_of(*inside: str, before: str = "", after: str = "", kind: str = "") -> bytes:
    objective = f'<objective index="0">{"".join(inside)}</objective>'
    return f"<utility_space{kind}>{before}{objective}{after}</utility_space>".encode()


PLAIN = profile_of(TOLD_DAY, HALF)


def loaded(domain: bytes, profile: bytes = PLAIN, **more: Any) -> LoadedProblem:
    return read_genius_texts(
        domain, [("ann.xml", profile), ("bob.xml", profile)], whose="d.xml", **more
    )


def ann_of(found: LoadedProblem) -> Additive:
    preferences = found.problem.party("ann").preferences
    assert isinstance(preferences, Additive)
    return preferences


def ann(*inside: str, domain: bytes | None = None, **more: str) -> Additive:
    return ann_of(loaded(domain or domain_of_issues(DAY), profile_of(*inside, **more)))


def refusal(domain: bytes, profile: bytes = PLAIN) -> str:
    with pytest.raises(InvalidInput) as refused:
        loaded(domain, profile)
    for fault in refused.value.faults:
        assert all((fault.whose, fault.what, fault.allowed, fault.next))
    return str(refused.value)


def profile_refusal(*inside: str, domain: bytes | None = None, **more: str) -> str:
    said = refusal(domain or domain_of_issues(DAY), profile_of(*inside, **more))
    assert said.startswith("ann.xml")
    return said


# --- utilities -------------------------------------------------------------------------------


def test_n2_evaluations_are_divided_by_the_largest_of_their_issue() -> None:
    told = ann(TOLD_DAY, HALF).table()
    assert told == {"day": {"Mon": Fraction(3, 8), "Tue": Fraction(1, 2)}}


def test_complaint_7_cost_changes_nothing() -> None:
    dear = TOLD_DAY.replace('value="Mon"', 'value="Mon" cost="999"')
    assert ann(dear, HALF) == ann(TOLD_DAY, HALF)


def test_an_issue_whose_largest_evaluation_is_not_over_0_counts_nothing_and_says_so() -> None:
    for number in ("0", "-2"):
        told = re.sub(r'evaluation="\d"', f'evaluation="{number}"', TOLD_DAY)
        found = loaded(domain_of_issues(DAY), profile_of(told, HALF))
        assert ann_of(found).best == 0
        assert any("has no evaluation over 0 and counts nothing" in one for one in found.notes)


def test_weights_count_as_given_and_a_note_says_when_they_do_not_sum_to_1() -> None:
    found = loaded(domain_of_issues(DAY))
    assert "ann.xml: the weights sum to 0.5, not 1; they count as given" in found.notes
    whole = loaded(
        domain_of_issues(DAY), profile_of(TOLD_DAY, HALF.replace("0.5", "0.9999999999"))
    )
    assert whole.notes == ()


def test_weights_are_divided_by_their_sum_when_that_is_asked_for() -> None:
    found = loaded(domain_of_issues(DAY), scaled=True)
    assert ann_of(found).table() == {"day": {"Mon": Fraction(3, 4), "Tue": 1}}
    assert found.notes == ()
    none = loaded(
        domain_of_issues(DAY), profile_of(TOLD_DAY, HALF.replace("0.5", "0")), scaled=True
    )
    assert ann_of(none).best == 0


def test_exponents_as_java_writes_them_are_numbers() -> None:
    assert ann(TOLD_DAY, HALF.replace("0.5", "2.5E-1")).best == Fraction(1, 4)


def test_n1_reservation_and_discount_are_kept_together_wherever_they_stand() -> None:
    reservation, discount = '<reservation value="0.50"/>', '<discount_factor value="0.75"/>'
    kept = [
        ann(TOLD_DAY, HALF, before=reservation + discount),
        ann(TOLD_DAY, HALF, after=discount + reservation),
        ann(TOLD_DAY, HALF, before=reservation, after=discount),
    ]
    assert {(one.reservation, one.discount) for one in kept} == {(Fraction(1, 2), Fraction(3, 4))}


@pytest.mark.parametrize(
    "discount", ["", '<discount_factor value="0.0"/>', '<discount_factor value="1"/>']
)
def test_a_discount_of_0_or_1_or_none_is_no_discount(discount: str) -> None:
    found = ann(TOLD_DAY, HALF, after=discount)
    assert found.discount == 1
    assert found.reservation == 0


def test_n4_one_discounted_and_one_plain_profile_stay_on_the_same_scale() -> None:
    discounted = profile_of(TOLD_DAY, HALF, after='<discount_factor value="0.5"/>')
    found = read_genius_texts(
        domain_of_issues(DAY), [("a.xml", discounted), ("b.xml", PLAIN)], whose="d.xml"
    )
    first, second = (found.problem.party(name).preferences for name in ("a", "b"))
    assert isinstance(first, Additive)
    assert isinstance(second, Additive)
    assert first.values == second.values


def test_nested_objectives_multiply_their_weights_and_say_so() -> None:
    inner = f'<objective index="7" name="when">{TOLD_DAY}{HALF}</objective>'
    domain = domain_of_issues(f'<objective index="7">{DAY}</objective>')
    found = loaded(domain, profile_of(inner, '<weight index="7" value="0.4"/>'))
    assert ann_of(found).best == Fraction(1, 5)
    assert any("Genius 10.4 leaves it out" in one for one in found.notes)
    assert ann_of(loaded(domain, profile_of(inner))).best == Fraction(1, 2)


def test_a_weight_of_the_objective_itself_is_passed_over_and_a_lost_one_noted() -> None:
    assert loaded(
        domain_of_issues(DAY), profile_of(TOLD_DAY, HALF, '<weight index="0" value="1"/>')
    ).problem
    found = loaded(
        domain_of_issues(DAY), profile_of(TOLD_DAY, HALF, '<weight index="9" value="1"/>')
    )
    assert "ann.xml: a weight for index '9' belongs to no issue and counts nothing" in found.notes


def test_items_of_other_elements_inside_an_issue_are_not_its_values() -> None:
    other = '<similarity_function><item value="Sun" evaluation="9"/></similarity_function></issue>'
    assert ann(TOLD_DAY.replace("</issue>", other), HALF) == ann(TOLD_DAY, HALF)


# --- integer and real issues -----------------------------------------------------------------


def test_an_integer_issue_takes_every_number_and_counts_from_its_lower_bound() -> None:
    told = CREW.replace("/>", '><evaluator ftype="linear" offset="0.2" slope="0.3"/></issue>')
    found = ann(told, '<weight index="2" value="0.5"/>', domain=domain_of_issues(CREW))
    assert found.table() == {
        "crew": {"2": Fraction(1, 10), "3": Fraction(1, 4), "4": Fraction(2, 5)}
    }


def test_a_line_is_cut_to_0_and_1() -> None:
    told = CREW.replace("/>", '><evaluator ftype="linear" offset="-1" slope="1.5"/></issue>')
    found = ann(told, '<weight index="2" value="1"/>', domain=domain_of_issues(CREW))
    assert list(found.table()["crew"].values()) == [0, Fraction(1, 2), 1]


def test_an_integer_issue_may_be_valued_item_by_item() -> None:
    told = '<issue name="crew" index="2">'
    told += "".join(f'<item value="{n}" evaluation="{n}"/>' for n in (2, 3, 4)) + "</issue>"
    found = ann(told, '<weight index="2" value="1"/>', domain=domain_of_issues(CREW))
    assert found.table()["crew"]["2"] == Fraction(1, 2)


@pytest.mark.parametrize(
    ("evaluator", "at_ends_and_middle"),
    [
        ('ftype="linear" parameter0="-1" parameter1="0.1"', [0, Fraction(1, 2), 1]),
        ('ftype="constant" parameter0="0.3"', [Fraction(3, 10)] * 3),
        (
            'ftype="triangular" parameter0="10" parameter1="20" parameter2="12.5"',
            [0, Fraction(2, 3), 0],
        ),
        ('ftype="triangular" parameter0="10" parameter1="20" parameter2="15"', [0, 1, 0]),
    ],
)
def test_a_real_issue_is_put_on_a_stated_grid(
    evaluator: str, at_ends_and_middle: list[Any]
) -> None:
    told = PRICE.replace("</issue>", f"<evaluator {evaluator}/></issue>")
    profile = profile_of(told, '<weight index="3" value="1"/>')
    found = loaded(domain_of_issues(PRICE), profile)
    names = found.problem.domain.terms[0].names
    assert (len(names), names[0], names[1], names[-1]) == (GRID, "10", "10.5", "20")
    assert "issue 'price' is real: put on 21 points from 10 to 20" in found.notes
    table = ann_of(found).table()["price"]
    assert [table[name] for name in ("10", "15", "20")] == at_ends_and_middle
    coarse = loaded(domain_of_issues(PRICE), profile, points=3)
    assert coarse.problem.domain.terms[0].names == ("10", "15", "20")


# --- faults ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("issues", "told"),
    [
        ([], "has no issues"),
        (['<issue index="1"><item value="a"/></issue>'], "has an issue without a name in line 1"),
        ([DAY, DAY], "has two issues 'day'"),
        ([DAY.replace("Tue", "Mon")], "d.xml: issue 'day': lists 'Mon' twice"),
        ([DAY.replace("Tue", " ")], "has an item without a value"),
        (['<issue name="x" index="1"/>'], "issue 'x': has no items and no bounds"),
        ([CREW.replace('"4"', '"1"')], "runs from 2 down to 1"),
        ([CREW.replace('"4"', '"4.5"')], "between numbers that are not whole"),
        ([CREW.replace('"4"', '"many"')], "upperbound in line 1 is 'many'"),
        ([CREW.replace(' upperbound="4"', "")], "has a <issue> without upperbound"),
        ([CREW.replace('"4"', '"9999999999"')], "options. Allowed: 100000 at most"),
        ([CREW.replace("integer", "complex")], "has the type 'complex'"),
        ([DAY.replace("day", "d\u00a0y")], "cannot be used as a name"),
    ],
)
def test_a_broken_domain_is_told_with_file_and_issue(issues: list[str], told: str) -> None:
    said = refusal(domain_of_issues(*issues))
    assert told in said
    assert said.startswith("d.xml")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("Mon", "Sun"), "ann.xml: issue 'day': evaluates 'Sun', which the domain does not have"),
        (("Mon", "Sun"), "leaves 'Mon' without an evaluation"),
        (("Tue", "Mon"), "evaluates 'Mon' twice"),
        ((' evaluation="3"', ""), "value 'Mon': has a <item> without evaluation in line 1"),
        (('"3"', '"NaN"'), "value 'Mon': evaluation in line 1 is 'NaN'"),
        (('"3"', '"Infinity"'), "evaluation in line 1 is 'Infinity'"),
        (('"3"', '"three"'), "evaluation in line 1 is 'three'"),
        (('name="day"', 'name="days"'), "has an issue 'days', which the domain does not have"),
        (('name="day"', 'name="days"'), "lacks the issue 'day'"),
        (('index="1"', 'index="2"'), "gives issue 'day' no weight"),
    ],
)
def test_n6_what_is_wrong_with_a_profile_names_file_issue_and_value(
    change: tuple[str, str], told: str
) -> None:
    assert told in profile_refusal(TOLD_DAY.replace(*change), HALF)


@pytest.mark.parametrize(
    ("inside", "more", "told"),
    [
        ((TOLD_DAY, TOLD_DAY, HALF), {}, "gives issue 'day' no weight"),
        ((TOLD_DAY, TOLD_DAY, HALF), {}, "has two issues 'day'"),
        ((TOLD_DAY, HALF, HALF), {}, "weighs index '1' twice"),
        ((TOLD_DAY, HALF.replace("0.5", "-1")), {}, "weighs index '1' by -1"),
        ((TOLD_DAY, HALF.replace("0.5", "nan")), {}, "weight '1': value in line 1 is 'nan'"),
        (
            (TOLD_DAY, HALF),
            {"after": "<reservation/>"},
            "reservation: has a <reservation> without value",
        ),
        ((TOLD_DAY, HALF), {"after": '<reservation value="NaN"/>'}, "value in line 1 is 'NaN'"),
        ((TOLD_DAY, HALF), {"after": '<reservation value="0"/>' * 2}, "has two <reservation>"),
        ((TOLD_DAY, HALF), {"after": '<discount_factor value="1.5"/>'}, "the discount factor 1.5"),
        ((TOLD_DAY, HALF), {"after": '<discount_factor value="-1"/>'}, "the discount factor -1"),
        (
            (TOLD_DAY, HALF),
            {"kind": ' type="nonlinear"'},
            "not a sum over the issues (type 'nonlinear')",
        ),
        ((TOLD_DAY, HALF), {"after": "<ufun><hyperRectangle/></ufun>"}, "(<ufun>)"),
        ((TOLD_DAY, HALF), {"after": "<objective/>"}, "has 2 root objective"),
    ],
)
def test_limits_weights_and_kinds_that_cannot_be_used_are_refused(
    inside: tuple[str, ...], more: dict[str, str], told: str
) -> None:
    assert told in profile_refusal(*inside, **more)


@pytest.mark.parametrize(
    ("domain", "inside", "told"),
    [
        (CREW, "", "has no evaluator"),
        (CREW, "<evaluator/><evaluator/>", "has 2 evaluators"),
        (
            CREW,
            '<evaluator ftype="faratin"/>',
            "an evaluator of the type 'faratin'. Allowed: linear",
        ),
        (CREW, '<evaluator ftype="linear" offset="1"/>', "has a <evaluator> without slope"),
        (PRICE, '<evaluator ftype="linear" offset="1" slope="1"/>', "without parameter0"),
        (
            PRICE,
            '<evaluator ftype="triangular" parameter0="1" parameter1="2" parameter2="3"/>',
            "a triangle whose top is not between its ends",
        ),
    ],
)
def test_evaluators_that_cannot_be_read_are_refused(domain: str, inside: str, told: str) -> None:
    name, index = ("crew", 2) if domain == CREW else ("price", 3)
    profile = f'<issue name="{name}" index="{index}">{inside}</issue>'
    weight = f'<weight index="{index}" value="1"/>'
    assert told in profile_refusal(profile, weight, domain=domain_of_issues(domain))


def test_a_profile_over_another_range_than_the_domain_is_refused() -> None:
    other = CREW.replace('"4"', '"5"').replace("/>", '><evaluator offset="0" slope="0"/></issue>')
    said = profile_refusal(other, '<weight index="2" value="1"/>', domain=domain_of_issues(CREW))
    assert "issue 'crew': runs from 2 to 5. Allowed: the domain's 2 to 4" in said


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"<negotiation_template/>", "has no <utility_space>"),
        (
            b"<negotiation_template><utility_space/></negotiation_template>",
            "has no root objective",
        ),
        (
            f"<negotiation_template><utility_space>{DAY}</utility_space></negotiation_template>".encode(),
            "has no root objective",
        ),
    ],
)
def test_a_domain_without_its_root_is_refused(data: bytes, told: str) -> None:
    assert told in refusal(data)


def test_g7_all_faults_of_all_profiles_are_told_at_once() -> None:
    broken = profile_of(TOLD_DAY.replace("Mon", "Sun"), HALF.replace("0.5", "x"))
    files = [("ann.xml", broken), ("bob.xml", b"1,2"), ("cyd.xml", domain_of_issues(DAY))]
    with pytest.raises(InvalidInput) as refused:
        read_genius_texts(domain_of_issues(DAY), files, whose="d.xml")
    whose = [fault.whose.split(":")[0] for fault in refused.value.faults]
    assert whose == ["ann.xml"] * 3 + ["bob.xml", "cyd.xml"]
    assert "is no profile: its outermost element is <negotiation_template>" in str(refused.value)


def test_one_party_is_too_few() -> None:
    with pytest.raises(InvalidInput, match="two or more parties"):
        read_genius_texts(domain_of_issues(DAY), [("ann.xml", PLAIN)], whose="d.xml")


def test_parties_have_the_names_of_their_files_or_the_nearest_usable_ones() -> None:
    names, notes = genius_parties(["a b.XML", "(x).xml", "...xml", "a b.xml", "p" * 90 + ".xml"])
    assert names == ["a b", "x", "party", "a b-2", "p" * 60]
    assert len(notes) == 4


# --- files -----------------------------------------------------------------------------------


def agent(name: str) -> str:
    return f'<agent class="" name="" utility_space="{name}"/>'


def folder_of(tmp_path: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True, parents=True)
        place.write_bytes(data)
    return tmp_path


def test_the_profiles_that_the_domain_names_are_read_by_path_or_by_bare_name(
    tmp_path: Path,
) -> None:
    named = agent("my ann.xml") + agent("etc\\templates\\bob.xml") + agent("sub/cyd.xml")
    files = {
        "d.xml": domain_of_issues(DAY, agents=named),
        "my ann.xml": PLAIN,
        "bob.xml": PLAIN,
        "sub/cyd.xml": PLAIN,
        "other.xml": PLAIN,
        "pareto.xml": b"0.5,0.7\n",
    }
    folder = folder_of(tmp_path, files)
    assert read_genius(folder / "d.xml").problem.names == ("bob", "cyd", "my ann")
    assert read_genius(folder).problem.names == ("bob", "cyd", "my ann")


def test_without_names_every_profile_beside_the_domain_is_a_party(tmp_path: Path) -> None:
    files = {"d.xml": domain_of_issues(DAY), "a.xml": PLAIN, "b.xml": PLAIN, "pareto.xml": b"1,2"}
    assert read_genius(folder_of(tmp_path, files)).problem.names == ("a", "b")


def test_profiles_that_are_given_come_first(tmp_path: Path) -> None:
    named = agent("a.xml") + agent("b.xml")
    files = {"d.xml": domain_of_issues(DAY, agents=named), "x.xml": PLAIN, "y.xml": PLAIN}
    folder = folder_of(tmp_path, files)
    found = read_genius(folder / "d.xml", [folder / "x.xml", folder / "y.xml"])
    assert found.problem.names == ("x", "y")


def path_refusal(path: Path, *profiles: Path) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_genius(path, profiles)
    return str(refused.value)


def test_a_profile_alone_is_told_which_domain_is_needed(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.xml": PLAIN})
    assert "name the domain's file" in path_refusal(folder / "a.xml")
    folder_of(folder, {"other.xml": domain_of_issues(DAY)})
    assert "name other.xml instead" in path_refusal(folder / "a.xml")
    folder_of(folder, {"d.xml": domain_of_issues(DAY, agents=agent("a.xml"))})
    said = path_refusal(folder / "a.xml")
    assert "a.xml: is the profile of one party" in said
    assert "name d.xml instead" in said


def test_missing_profiles_and_those_outside_the_folder_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    named = agent("gone.xml") + agent("../out.xml") + agent("/etc/hostname")
    folder_of(tmp_path, {"in/d.xml": domain_of_issues(DAY, agents=named), "out.xml": PLAIN})
    (folder / "hostname").symlink_to(tmp_path / "out.xml")
    said = path_refusal(folder / "d.xml")
    assert said.count("which is not in its folder") == 3


def test_folders_without_a_domain_or_with_several_are_told(tmp_path: Path) -> None:
    assert "holds no Genius domain" in path_refusal(tmp_path)
    folder = folder_of(tmp_path, {"d.xml": domain_of_issues(DAY), "e.xml": domain_of_issues(DAY)})
    assert "holds several domains: d.xml, e.xml" in path_refusal(folder)


def test_files_that_are_no_domain_are_told(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"p.xml": b"0.5,0.7", "r.xml": b"<repository/>"})
    assert "is no XML: it begins with '0.5,0.7'" in path_refusal(folder / "p.xml")
    assert "is no domain: its outermost element is <repository>" in path_refusal(folder / "r.xml")
    assert "cannot be read: No such file" in path_refusal(folder / "gone.xml")
    folder_of(folder, {"d.xml": domain_of_issues(DAY)})
    said = path_refusal(folder / "d.xml", folder / "gone.xml", folder / "also gone.xml")
    assert said.count("cannot be read") == 2


def test_a_file_that_is_too_large_is_told_before_it_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_bytes(b" " * (LARGEST_XML + 1))
    assert f"d.xml: is larger than {LARGEST_XML} bytes" in path_refusal(tmp_path / "d.xml")
