"""Real votes: do 40 official Debian tallies and six other elections come out as published?

Here: every pairwise matrix, dropped option and winner of the Debian votes of 2003 to 2018; how
the rules differ on one electorate; what breaking equal ranks by position does.
Not here: random elections (test_voting_twins.py), the readers of files (formats/).
Sources: SEMANTICS V3, V10, G4; the reference data's own README; Debian constitution A.6.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.mechanisms.voting import (
    Election,
    approval,
    borda,
    condorcet,
    copeland,
    debian,
    irv,
    minimax,
    plurality,
    ranked_pairs,
    schulze,
)

DATA = "voting/debian-votes-2003-2018.json"
CONDORCET = [condorcet, copeland, minimax, schulze, ranked_pairs]
RANKS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# --- reading, by hand ------------------------------------------------------------------------


def ranking(text: str, names: list[str]) -> list[list[str]]:
    """Read a string of ranks: one character per option, "-" for none."""
    assert len(text) == len(names)
    return [
        [name for name, rank in zip(names, text, strict=True) if rank == place]
        for place in RANKS
        if place in text
    ]


def of_vote(vote: dict[str, Any]) -> Election:
    names = vote["options"]
    counts = [(ranking(text, names), count) for text, count in vote["ballots"].items()]
    return Election.of_counts(counts, options=names, kind="ranking")


def of_preflib(path: Path) -> tuple[Election, list[str]]:
    """Read a PrefLib file of orders; its options by name, and its ballots."""
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"^# ALTERNATIVE NAME \d+: (.*)$", text, re.MULTILINE)
    counts: list[tuple[Any, int]] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            count, _, order = line.partition(":")
            groups = re.findall(r"\{([^}]*)\}|(\d+)", order)
            ballot = [
                [names[int(one) - 1] for one in re.findall(r"\d+", equal or single)]
                for equal, single in groups
            ]
            counts.append((ballot, int(count)))
    return Election.of_counts(counts, options=names, kind="ranking"), names


@pytest.fixture(scope="module")
def votes(need_data: Callable[[str], Path]) -> list[dict[str, Any]]:
    found = json.loads(need_data(DATA).read_text(encoding="utf-8"))
    listed: list[dict[str, Any]] = found
    assert len(listed) == 40
    return listed


@pytest.fixture(scope="module")
def leader_2003(votes: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = [vote for vote in votes if vote["id"] == "2003/leader2003"]
    return found


# --- 40 official tallies ---------------------------------------------------------------------


def test_v10_every_official_matrix_is_reproduced(votes: list[dict[str, Any]]) -> None:
    wrong = []
    for vote in votes:
        election, names = of_vote(vote), vote["options"]
        at = [election.options.index(name) for name in names]
        matrix = election.pairwise()
        if [[matrix[i][j] for j in at] for i in at] != vote["pairwise_official"]:
            wrong.append(vote["id"])
        assert election.size == sum(vote["ballots"].values())
    assert wrong == []


def test_v3_every_lawful_winner_wins_and_all_who_were_dropped_are_dropped(
    votes: list[dict[str, Any]],
) -> None:
    wrong = []
    for vote in votes:
        names = vote["options"]
        default = names[vote["default_option"] - 1]
        needed = Fraction(str(vote["quorum_votes"]))
        developers = round(float(needed * 2 / 3) ** 2)  # the page rounds 3 sqrt(developers) / 2
        assert abs(float(needed) - 1.5 * developers**0.5) < 1e-4
        others = [name for name in names if name != default]
        result = debian(
            of_vote(vote),
            default=default,
            ratios=dict(zip(others, vote["majority_ratio"], strict=True)),
            developers=developers,
        )
        reasons = {name: reason.split(":")[0] for name, reason in result.count.dropped}
        dropped = {
            word: sorted(names.index(name) + 1 for name, why in reasons.items() if why == word)
            for word in ("quorum", "majority")
        }
        official = {"quorum": vote["dropped_quorum"], "majority": vote["dropped_majority"]}
        if result.winner != names[vote["winner"] - 1] or dropped != official:
            wrong.append((vote["id"], result.winner, dropped, official))
    assert wrong == []


def test_v3_a_condorcet_winner_without_its_supermajority_loses_by_law(
    votes: list[dict[str, Any]],
) -> None:
    (vote,) = [vote for vote in votes if vote["id"] == "2008/vote_003"]
    assert condorcet(of_vote(vote)).winner == vote["options"][1]
    assert vote["winner"] == 5


def test_v3_every_one_of_the_votes_has_a_condorcet_winner(votes: list[dict[str, Any]]) -> None:
    for vote in votes:
        election = of_vote(vote)
        winners = {rule(election).winner for rule in CONDORCET}
        assert len(winners) == 1, vote["id"]
        assert None not in winners


# --- one electorate, three winners -----------------------------------------------------------


@pytest.mark.parametrize("rule", CONDORCET)
def test_v3_debian_2003_elects_michlmayr_by_four(rule: Any, leader_2003: dict[str, Any]) -> None:
    result = rule(of_vote(leader_2003))
    assert result.winner == "Martin Michlmayr"
    assert result.pairwise["Martin Michlmayr"]["Bdale Garbee"] == 228
    assert result.pairwise["Bdale Garbee"]["Martin Michlmayr"] == 224
    if rule is condorcet:
        assert result.margin == 4


def test_v3_plurality_and_borda_elect_two_others(leader_2003: dict[str, Any]) -> None:
    election = of_vote(leader_2003)
    assert plurality(election).winner == "Branden Robinson"
    assert borda(election, unranked="last").winner == "Bdale Garbee"
    assert borda(election, unranked="zero").winner == "Bdale Garbee"
    assert irv(election).winner == "Martin Michlmayr"
    assert plurality(election).count.flags == ("not_condorcet_winner",)


def test_g4_equal_ranks_broken_by_position_elect_another(
    leader_2003: dict[str, Any], need_data: Callable[[str], Path]
) -> None:
    """The research file broke 28 equal ranks by the order of the candidates."""
    flawed, _ = of_preflib(need_data("voting/debian-dpl-2003-preflib-flawed.soi"))
    names = leader_2003["options"]
    counts = [
        ([name for group in ranking(text, names) for name in group], count)
        for text, count in leader_2003["ballots"].items()
    ]
    by_position = Election.of_counts(counts, options=names, kind="ranking")
    for election in (flawed, by_position):
        for rule in CONDORCET:
            assert rule(election).winner == "Bdale Garbee"
        assert condorcet(election).margin == 24


@pytest.mark.parametrize(
    ("name", "winner", "margin"),
    [("2006/vote_002", "Towns", 6), ("2007/vote_001", "Hocevar", 8)],
)
def test_v3_narrow_leads_are_exact(
    name: str, winner: str, margin: int, votes: list[dict[str, Any]]
) -> None:
    (vote,) = [vote for vote in votes if vote["id"] == name]
    result = condorcet(of_vote(vote))
    assert result.winner is not None
    assert winner in result.winner
    assert result.margin == margin


def test_v4_what_unranked_is_worth_decides_2006(votes: list[dict[str, Any]]) -> None:
    (vote,) = [vote for vote in votes if vote["id"] == "2006/vote_002"]
    last = borda(of_vote(vote), unranked="last")
    zero = borda(of_vote(vote), unranked="zero")
    assert last.winner is not None
    assert "McIntyre" in last.winner
    assert [name.split()[-1] for name in zero.tied] == ["Towns", "McIntyre"]


# --- other elections -------------------------------------------------------------------------


def test_v3_burlington_2009_has_three_winners(need_data: Callable[[str], Path]) -> None:
    election, _ = of_preflib(need_data("voting/burlington-mayor-2009.toi"))
    found = condorcet(election)
    assert "Wright" in plurality(election).winner
    assert "Montroll" in found.winner
    assert found.margin == 590
    assert "Kiss" in irv(election).winner
    for rule in (copeland, minimax, schulze, ranked_pairs):
        assert rule(election).winner == found.winner


def test_v3_dublin_north_2002(need_data: Callable[[str], Path]) -> None:
    election, _ = of_preflib(need_data("voting/dublin-north-2002.soi"))
    found = condorcet(election)
    assert "Sargent" in found.winner
    assert (found.margin, election.size) == (2723, 43_942)
    # Unranked as "no opinion" elects another by Copeland and by beatpaths.
    assert "Kennedy" in copeland(election, unranked="no_opinion").winner
    assert "Kennedy" in schulze(election, unranked="no_opinion").winner


def test_v3_thirty_skaters_and_many_equal_defeats(need_data: Callable[[str], Path]) -> None:
    election, _ = of_preflib(need_data("voting/skate-euro-1998-men-short.toc"))
    assert len(election.options) == 30
    for rule in (*CONDORCET, plurality, borda):
        assert "Yagudin" in rule(election).winner
    assert plurality(election).tally[plurality(election).winner] == 9


def test_v4_what_unranked_is_worth_decides_gnome_2018(need_data: Callable[[str], Path]) -> None:
    lines = need_data("voting/gnome-board-2018.blt").read_text(encoding="utf-8").splitlines()
    options, _ = map(int, lines[0].split())
    ballots = [list(map(int, line.split())) for line in lines[1 : lines.index("0")]]
    names = [line.strip('" ') for line in lines[lines.index("0") + 1 :] if line.strip()][:options]
    assert all(ballot[-1] == 0 for ballot in ballots)
    counts = [([names[at - 1] for at in ballot[1:-1]], ballot[0]) for ballot in ballots]
    election = Election.of_counts(counts, options=names, kind="ranking")
    assert borda(election, unranked="last").winner == "Allan Day"
    assert borda(election, unranked="zero").winner == "Carlos Soriano"
    assert condorcet(election).margin == 9
    assert condorcet(election).winner == plurality(election).winner == "Allan Day"


def test_v3_french_approval_2002(need_data: Callable[[str], Path]) -> None:
    path = need_data("voting/french-2002-approval-gyles.cat")
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"^# ALTERNATIVE NAME \d+: (.*)$", text, re.MULTILINE)
    counts = []
    for count, equal, single in re.findall(r"^(\d+): (?:\{([\d,]*)\}|(\d+))", text, re.MULTILINE):
        approved = [names[int(at) - 1] for at in re.findall(r"\d+", equal or single)]
        counts.append((approved, int(count)))
    election = Election.of_counts(counts, options=names, kind="approval")
    found = approval(election)
    assert (election.size, found.winner, found.tally["Chirac"]) == (365, "Chirac", 139)
    assert (found.tally["LePen"], found.tally["Jospin"]) == (119, 87)
