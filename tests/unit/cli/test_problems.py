"""Problems: words become deals, and every word that does not is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import comity
from comity.cli.problems import deal_of, point_name, read_files
from comity.core.errors import InvalidInput
from comity.formats.loaded_problem import LoadedProblem


def loaded(terms: Any) -> LoadedProblem:
    d = comity.domain_of(terms, free=True)
    sides = {"ann": comity.additive(d, {}), "bob": comity.additive(d, {})}
    return LoadedProblem(problem=comity.problem_of(d, sides), question="?", form="offers")


PLAIN = loaded({"tls": ["1.2", "1.3"], "days": [30, 60]})
ODD = loaded({"A, B": ["x, y", "z"], "A": ["p=q", "r"]})


@pytest.mark.parametrize(
    "text", ["tls=1.3,days=30", " days = 30 , tls = 1.3 ", '{"tls": "1.3", "days": 30}']
)
def test_a_deal_is_read_from_pairs_or_json(text: str) -> None:
    assert deal_of(text, PLAIN) == {"tls": "1.3", "days": "30"}


def test_names_of_other_programs_may_hold_commas_and_equal_signs() -> None:
    assert deal_of("A, B=x, y, A=p=q", ODD) == {"A, B": "x, y", "A": "p=q"}
    assert deal_of("A=r,A, B=z", ODD) == {"A": "r", "A, B": "z"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tls=1.3", "days"),
        ("tls=1.3,days=31", "31"),
        ("tls=1.3,day=30,days=30", "did you mean 'days'"),
        ("tls=1.3,tls=1.2,days=30", "settles 'tls' twice"),
        ("tls=,days=30", "cannot be read at 'tls'"),
        ("=1.3,days=30", "cannot be read at '1.3'"),
        ("", "cannot be read"),
        ("fast", "cannot be read at 'fast'"),
        ('{"tls": }', "not valid JSON"),
        ('{"tls": "1.2", "tls": "1.3"}', "not valid JSON"),
        ('{"tls": NaN}', "not valid JSON"),
    ],
)
def test_g7_a_deal_that_cannot_be_read_is_refused_with_the_place(text: str, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        deal_of(text, PLAIN)
    assert told in " ".join(map(str, caught.value.faults))
    assert {fault.whose for fault in caught.value.faults} == {"--deal"}


def test_g7_every_fault_of_a_deal_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        deal_of("tls=1.4,dys=30", PLAIN)
    assert len(caught.value.faults) >= 3


def test_a_point_may_be_written_as_people_write_it() -> None:
    assert point_name("Kalai-Smorodinsky") == point_name("ks") == "kalai_smorodinsky"
    assert point_name(" Nearest diagonal ") == "nearest_diagonal"


def test_every_file_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "dommain.xml").write_text("<x/>")
    with pytest.raises(InvalidInput) as caught:
        read_files([str(tmp_path / "domain.xml"), str(tmp_path / "nothing")])
    first, second = caught.value.faults
    assert "did you mean" in first.next
    assert "does not exist" in second.what
