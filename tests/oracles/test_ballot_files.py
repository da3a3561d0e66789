"""Real ballot files: are they read as their keepers count them?

Here: PrefLib and BLT files of the reference data: voters, options, winners that are published;
every file written and read again; the Debian file whose equal ranks were broken by number.
Not here: the rules (tests/oracles of voting), made-up files (tests/unit/formats).
Sources: SEMANTICS V10; the data folder's README, with the sources and licences of the files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from comity.core.errors import InvalidInput
from comity.formats.ballots import (
    BallotFile,
    break_equals_by_order,
    read_ballots,
    read_ballots_text,
    write_ballots,
)
from comity.mechanisms.voting.ballots import UNRANKED
from comity.mechanisms.voting.election import Election

FindData = Callable[[str], Path]

FILES = {
    "burlington-mayor-2009.toi": (8980, 6, "ranking"),
    "debian-dpl-2003-preflib-flawed.soi": (488, 5, "ranking"),
    "dublin-north-2002.soi": (43942, 12, "ranking"),
    "skate-euro-1998-men-short.toc": (9, 30, "ranking"),
    "french-2002-approval-gyles.cat": (365, 16, "approval"),
    "gnome-board-2018.blt": (135, 11, "ranking"),
}


def read(need_data: FindData, name: str) -> BallotFile:
    return _read(need_data(f"voting/{name}"))


@cache
def _read(path: Path) -> BallotFile:
    return read_ballots(path)


def has_equals(file: BallotFile) -> bool:
    ranks = [file.election.ranks_of(line) for line in file.election.lines]
    return any(max(Counter(one for one in row if one != UNRANKED).values()) > 1 for row in ranks)


def firsts(file: BallotFile) -> Counter[str]:
    counted: Counter[str] = Counter()
    for line in file.election.lines:
        best = [one for one, rank in enumerate(file.election.ranks_of(line)) if rank == 0]
        if len(best) == 1:
            counted[file.election.options[best[0]]] += line.count
    return counted


@pytest.mark.parametrize("name", FILES)
def test_v10_voters_options_and_kind_are_those_of_the_file(need_data: FindData, name: str) -> None:
    file = read(need_data, name)
    voters, options, kind = FILES[name]
    assert file.election.size + sum(line.count for line in file.election.abstentions) == voters
    assert (len(file.names), file.election.kind, file.format) == (
        options, kind, name.rpartition(".")[2],
    )  # fmt: skip
    assert file.title


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.full if "dublin" in one else ()) for one in FILES],
)
def test_v10_every_file_comes_back_from_every_format_that_holds_it(
    need_data: FindData, name: str
) -> None:
    file = read(need_data, name)
    held = []
    for target in ("soc", "soi", "toc", "toi", "cat", "blt", "csv", "jsonl", "json"):
        try:
            text = write_ballots(file, target)
        except InvalidInput:
            continue
        held.append(target)
        assert read_ballots_text(text, target).election.to_json() == file.election.to_json()
    assert (
        held
        == {
            "burlington-mayor-2009.toi": ["toi", "blt", "csv", "jsonl", "json"],
            "debian-dpl-2003-preflib-flawed.soi": ["soi", "toi", "blt", "csv", "jsonl", "json"],
            "dublin-north-2002.soi": ["soi", "toi", "blt", "csv", "jsonl", "json"],
            "skate-euro-1998-men-short.toc": ["toc", "toi", "blt", "csv", "jsonl", "json"],
            "french-2002-approval-gyles.cat": ["cat", "csv", "jsonl", "json"],
            "gnome-board-2018.blt": ["soi", "toi", "blt", "csv", "jsonl", "json"],
        }[name]
    )


def test_burlington_has_overvotes_and_wright_leads_the_first_ranks(need_data: FindData) -> None:
    file = read(need_data, "burlington-mayor-2009.toi")
    assert has_equals(file)
    assert firsts(file).most_common(1)[0][0] == "Kurt Wright"
    assert file.names[0] == "Bob Kiss"
    by_name = {name: at for at, name in enumerate(file.election.options)}
    montroll, kiss = by_name["Andy Montroll"], by_name["Bob Kiss"]
    matrix = file.election.pairwise()
    assert matrix[montroll][kiss] - matrix[kiss][montroll] == 590


def test_dublin_has_19_299_distinct_ballots_and_sargent_leads(need_data: FindData) -> None:
    file = read(need_data, "dublin-north-2002.soi")
    assert len(file.election.lines) == 19299
    assert firsts(file).most_common(1)[0][0] == "Trevor Sargent G.P."


def test_nine_judges_rank_thirty_skaters_some_of_them_equal(need_data: FindData) -> None:
    file = read(need_data, "skate-euro-1998-men-short.toc")
    assert has_equals(file)
    assert firsts(file) == {"Alexei Yagudin": 9}
    with pytest.raises(InvalidInput, match="would lose the equal ranks of 3 ballots"):
        write_ballots(file, "soc", lossy=True)


def test_v10_yes_and_no_are_approvals_and_thirteen_approve_of_nobody(need_data: FindData) -> None:
    election = read(need_data, "french-2002-approval-gyles.cat").election
    approved: Counter[str] = Counter()
    for line in election.lines:
        assert isinstance(line.row, bytes)
        for name, chosen in zip(election.options, line.row, strict=True):
            approved[name] += line.count * chosen
    assert approved.most_common(3) == [("Chirac", 139), ("LePen", 119), ("Jospin", 87)]
    assert sum(line.count for line in election.lines if not any(line.row or ())) == 13


def test_the_gnome_board_has_seven_seats_and_day_leads(need_data: FindData) -> None:
    file = read(need_data, "gnome-board-2018.blt")
    assert (file.seats, file.names[0]) == (7, "Allan Day")
    assert file.title == "2018 Spring Board of Directors Election"
    assert firsts(file).most_common(1)[0][0] == "Allan Day"


def official(need_data: FindData) -> BallotFile:
    """Return the leader election of 2003 as the official tally sheet has it."""
    votes = json.loads(need_data("voting/debian-votes-2003-2018.json").read_text("utf-8"))
    sheet = next(one for one in votes if one["id"] == "2003/leader2003")
    rows = []
    for ranks, count in sheet["ballots"].items():
        groups: dict[str, list[str]] = {}
        for name, rank in zip(sheet["options"], ranks, strict=True):
            if rank != "-":
                groups.setdefault(rank, []).append(name)
        rows.append(([groups[rank] for rank in sorted(groups)], count))
    election = Election.of_counts(rows, options=sheet["options"], kind="ranking")
    return BallotFile(election=election, names=tuple(sheet["options"]))


def garbee_over_michlmayr(election: Election) -> int:
    garbee = election.options.index("Bdale Garbee")
    michlmayr = election.options.index("Martin Michlmayr")
    matrix = election.pairwise()
    return matrix[garbee][michlmayr] - matrix[michlmayr][garbee]


def equal_in(election: Election, one: str, other: str) -> int:
    first, second = election.options.index(one), election.options.index(other)
    rows = ((election.ranks_of(line), line.count) for line in election.lines)
    return sum(count for row, count in rows if row[first] == row[second] != UNRANKED)


def test_v10_the_flawed_debian_file_is_the_official_one_with_equals_broken_by_number(
    need_data: FindData,
) -> None:
    """Garbee by 24, where Michlmayr won by 4: 28 ballots rank these two equal."""
    right, flawed = official(need_data), read(need_data, "debian-dpl-2003-preflib-flawed.soi")
    assert has_equals(right)
    assert not has_equals(flawed)
    assert garbee_over_michlmayr(right.election) == -4
    assert garbee_over_michlmayr(flawed.election) == 24
    assert equal_in(right.election, "Bdale Garbee", "Martin Michlmayr") == 28
    with pytest.raises(InvalidInput, match="would lose the equal ranks of 96 ballots"):
        write_ballots(right, "soi", lossy=True)
    broken = break_equals_by_order(right.election, right.names)
    assert broken.to_json() == flawed.election.to_json()
    text = write_ballots(right, "soi", lossy=True, equal_by="candidate_order")
    assert read_ballots_text(text, "soi").election.to_json() == flawed.election.to_json()
