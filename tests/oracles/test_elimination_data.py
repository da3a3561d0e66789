"""Elimination rules on real elections: do the published winners and last rounds come out?

Here: IRV and STV on Debian, Burlington, Dublin North and GNOME ballots.
Not here: reading these formats (formats/), other rules on the same data.
Sources: the data README names each file's source; SEMANTICS V3, V6.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.elimination import coombs, irv
from comity.mechanisms.voting.results import VoteChoice
from comity.mechanisms.voting.stv import stv

NeedData = Callable[[str], Path]


def debian(need_data: NeedData, vote: str) -> Election:
    text = need_data("voting/debian-votes-2003-2018.json").read_text("utf-8")
    found = next(one for one in json.loads(text) if one["id"] == vote)
    counts = []
    for ranks, count in found["ballots"].items():
        groups: dict[str, list[str]] = {}
        for name, rank in zip(found["options"], ranks, strict=True):
            if rank != "-":
                groups.setdefault(rank, []).append(name)
        counts.append(([groups[rank] for rank in sorted(groups)], count))
    return Election.of_counts(counts, options=found["options"], kind="ranking")


def preflib(path: Path) -> Election:
    names: dict[str, str] = {}
    counts: list[tuple[Any, int]] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("#"):
            if found := re.match(r"# ALTERNATIVE NAME (\d+): (.*)", line):
                names[found[1]] = found[2]
            continue
        count, _, order = line.partition(":")
        groups = re.findall(r"\{([^}]*)\}|(\d+)", order)
        ballot = [
            [names[one.strip()] for one in (many or single).split(",")] for many, single in groups
        ]
        counts.append((ballot, int(count)))
    return Election.of_counts(counts, options=names.values(), kind="ranking")


def blt(path: Path) -> Election:
    head, *lines = path.read_text("utf-8").splitlines()
    end = lines.index("0")
    names = [line.strip('"') for line in lines[end + 1 : end + 1 + int(head.split()[0])]]
    counts = []
    for line in lines[:end]:
        count, *order, _ = map(int, line.split())
        counts.append(([names[one - 1] for one in order], count))
    return Election.of_counts(counts, options=names, kind="ranking")


def last_round(result: Any) -> dict[str, Any]:
    return {item.name: item.value for item in result.count.rounds[-1].tally}


def test_v3_debian_2003_splits_equal_ranks_and_elects_michlmayr(need_data: NeedData) -> None:
    result = irv(debian(need_data, "2003/leader2003"))
    assert result.winner == "Martin Michlmayr"
    assert result.grounds.parameters == (("equal", "split"),)


@pytest.mark.parametrize(
    ("vote", "winner", "first", "second"),
    [
        ("2006/vote_002", "Towns", Fraction(409, 2), Fraction(397, 2)),
        ("2007/vote_001", "Hocevar", 227, 219),
    ],
)
def test_v3_debian_last_rounds(
    need_data: NeedData, vote: str, winner: str, first: Any, second: Any
) -> None:
    result = irv(debian(need_data, vote))
    assert result.winner is not None
    assert result.winner.endswith(winner)
    found = last_round(result)
    assert sorted(found.values(), reverse=True)[:2] == [first, second]
    assert found[result.winner] == first
    assert result.margin == first - second


def test_v3_burlington_2009_elects_kiss(need_data: NeedData) -> None:
    result = irv(preflib(need_data("voting/burlington-mayor-2009.toi")))
    assert result.winner == "Bob Kiss"
    assert last_round(result) == {"Bob Kiss": 4314, "Kurt Wright": 4064}
    assert result.margin == 250
    exhausted = [one.exhausted for one in result.count.rounds]
    assert exhausted == sorted(exhausted)
    assert exhausted[-1] == 8980 - 4314 - 4064
    assert isinstance(result, VoteChoice)
    assert "not_condorcet_winner" in result.count.flags


def test_v6_gnome_2018_has_an_elimination_tie_that_decides_nothing(need_data: NeedData) -> None:
    result = irv(blt(need_data("voting/gnome-board-2018.blt")))
    assert result.winner == "Allan Day"
    assert result.tied == ()
    assert not result.grounds.thin
    notes = [one.note for one in result.count.rounds if "tie to leave" in one.note]
    assert notes
    assert "however it is broken, the same are elected" in notes[0]


def test_v3_dublin_north_2002(need_data: NeedData) -> None:
    election = preflib(need_data("voting/dublin-north-2002.soi"))
    alone = irv(election)
    assert alone.winner is not None
    assert alone.winner.startswith("Trevor Sargent")
    result = stv(election, seats=4)
    assert isinstance(result, VoteChoice)
    surnames = [name.split()[1] for name in result.elected]
    assert surnames == ["Sargent", "Ryan", "Glennon", "Wright"]
    assert dict(result.grounds.parameters)["votes_needed"] == "8789"
    assert result.option == ", ".join(result.elected)
    # No vote is invented and none is lost: shares, kept quotas and exhausted ballots add up.
    kept = Fraction(0)
    for one in result.count.rounds[:-1]:
        held = sum(Fraction(item.value) for item in one.tally)
        assert held + Fraction(one.exhausted) + kept == 43942
        kept += 8789 * sum("quota reached" in one.note for _ in one.out)


def test_v3_gnome_2018_seven_seats(need_data: NeedData) -> None:
    result = stv(blt(need_data("voting/gnome-board-2018.blt")), seats=7)
    assert isinstance(result, VoteChoice)
    assert len(set(result.elected)) == 7


@pytest.mark.parametrize("stop", [True, False])
def test_v3_coombs_elects_the_condorcet_winner_of_burlington(
    need_data: NeedData, stop: bool
) -> None:
    election = preflib(need_data("voting/burlington-mayor-2009.toi"))
    assert coombs(election, stop_at_majority=stop).winner == "Andy Montroll"
