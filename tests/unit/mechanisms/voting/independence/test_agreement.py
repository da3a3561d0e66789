"""Agreement: alpha, kappa, clones and repeated runs, against published figures and by hand."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.independence.agreement import (
    KappaRecord,
    clones,
    clusters,
    kappas,
    krippendorff_alpha,
)
from comity.mechanisms.voting.independence.log import VoteLog, vote_log

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example C: four observers.
PUBLISHED = {
    "A": "1 2 3 3 2 1 4 1 2 - - -",
    "B": "1 2 3 3 2 2 4 1 2 5 - 3",
    "C": "- 3 3 3 2 3 4 2 2 5 1 -",
    "D": "1 2 3 3 2 4 4 1 2 5 1 -",
}


def published() -> VoteLog:
    return vote_log(
        {
            voter: {
                f"{at:02d}": None if one == "-" else one for at, one in enumerate(text.split())
            }
            for voter, text in PUBLISHED.items()
        }
    )


@pytest.mark.parametrize(
    ("measure", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_v9_krippendorffs_published_example(measure: str, alpha: float) -> None:
    assert krippendorff_alpha(published(), measure) == pytest.approx(alpha, abs=0.001)


def test_a_stated_order_is_taken_in_place_of_numbers() -> None:
    names = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}
    log = published()
    renamed = vote_log(
        {
            voter: {item: names.get(one or "") for item, one in zip(log.items, row, strict=True)}
            for voter, row in zip(log.voters, log.answers, strict=True)
        }
    )
    found = krippendorff_alpha(renamed, "ordinal", order=list(names.values()))
    assert found == pytest.approx(krippendorff_alpha(log, "ordinal"))
    with pytest.raises(InvalidInput, match="does not list the options"):
        krippendorff_alpha(renamed, "ordinal", order=["one"])
    with pytest.raises(InvalidInput) as caught:
        krippendorff_alpha(renamed, "interval")
    assert len(caught.value.faults) == 5


def test_numbers_are_ordered_as_numbers_and_not_as_text() -> None:
    rows = {"a": {"1": "2", "2": "10", "3": "9"}, "b": {"1": "2", "2": "9", "3": "10"}}
    in_order = krippendorff_alpha(vote_log(rows), "ordinal", order=["2", "9", "10"])
    assert krippendorff_alpha(vote_log(rows), "ordinal") == in_order


def test_alpha_is_not_defined_without_two_answers_or_two_labels() -> None:
    assert krippendorff_alpha(vote_log({"a": {"1": "x"}, "b": {"2": "y"}})) is None
    assert krippendorff_alpha(vote_log({"a": {"1": "x"}, "b": {"1": "x"}})) is None


def test_v9_disagreement_beyond_chance_is_below_0() -> None:
    rows = {"a": {"1": "x", "2": "y"}, "b": {"1": "y", "2": "x"}}
    assert krippendorff_alpha(vote_log(rows)) == pytest.approx(-0.5)


def test_v9_cohens_kappa_by_hand() -> None:
    """20 both yes, 15 both no, 5 and 10 apart of 50: the textbook's 0.4."""
    cells = ["yy"] * 20 + ["yn"] * 5 + ["ny"] * 10 + ["nn"] * 15
    rows = {
        "a": {str(at): cell[0] for at, cell in enumerate(cells)},
        "b": {str(at): cell[1] for at, cell in enumerate(cells)},
    }
    (found,) = kappas(vote_log(rows))
    assert (found.shared, found.agreement) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)


def test_kappa_is_not_defined_when_both_say_one_thing_or_share_nothing() -> None:
    (same,) = kappas(vote_log({"a": {"1": "x"}, "b": {"1": "x"}}))
    assert (same.agreement, same.kappa) == (1.0, None)
    (apart,) = kappas(vote_log({"a": {"1": "x"}, "b": {"2": "x"}}))
    assert (apart.shared, apart.agreement, apart.kappa) == (0, None, None)


def pair(first: str, second: str, kappa: float | None) -> KappaRecord:
    return KappaRecord(first=first, second=second, shared=9, agreement=0.9, kappa=kappa)


def test_v9_near_clones_are_joined_over_others_and_the_limit_itself_is_not_above() -> None:
    pairs = [
        pair("a", "b", 0.95),
        pair("c", "d", 0.91),
        pair("b", "c", 0.99),
        pair("e", "f", 0.9),
        pair("g", "h", 1.0),
        pair("a", "e", None),
    ]
    assert clones(pairs) == (("a", "b", "c", "d"), ("g", "h"))
    assert clones(pairs, 0.98) == (("b", "c"), ("g", "h"))
    assert clones([]) == ()


def runs(*columns: str) -> VoteLog:
    rows = {
        f"m {number}": {str(at): None if one == "-" else one for at, one in enumerate(column)}
        for number, column in enumerate(columns)
    }
    return vote_log({**rows, "other": {"0": "x"}}, runs_of=dict.fromkeys(rows, "m"))


def test_v9_runs_that_always_agree_count_as_one() -> None:
    (found,) = clusters(runs("xyxy", "xyxy", "xyxy"))
    assert (found.voter, found.runs) == ("m", ("m 0", "m 1", "m 2"))
    assert (found.icc, found.counting_as) == (pytest.approx(1.0), pytest.approx(1.0))


def test_v9_icc_by_hand() -> None:
    """Means 1, .5, .5, 0: between 2 * .5 / 3 = 1/3 per sign, within 1/4: (1/3-1/4)/(1/3+1/4)."""
    (found,) = clusters(runs("xxyy", "xyxy"))
    assert found.icc == pytest.approx(1 / 7)
    assert found.counting_as == pytest.approx(2 / (1 + 1 / 7))


def test_runs_that_disagree_more_than_chance_count_as_all_of_them() -> None:
    (found,) = clusters(runs("xxxyyy", "yyyxxx"))
    assert found.icc is not None
    assert found.icc < 0
    assert found.counting_as == 2.0


@pytest.mark.parametrize("columns", [("xx", "xx"), ("x-", "-x"), ("x", "x"), ("--", "--")])
def test_icc_is_not_defined_when_nothing_varies_or_repeats(columns: tuple[str, str]) -> None:
    (found,) = clusters(runs(*columns))
    assert (found.icc, found.counting_as) == (None, None)


def test_runs_with_gaps_are_weighted_by_their_answers() -> None:
    (found,) = clusters(runs("xyxy-", "xyx-y", "xy--y"))
    assert found.icc == pytest.approx(1.0)


def test_without_repeated_runs_there_is_no_cluster() -> None:
    assert clusters(vote_log([("1", "a", "x"), ("1", "b", "x")])) == ()
