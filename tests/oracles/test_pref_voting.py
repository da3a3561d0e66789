"""pref_voting: does an established library elect the same on tens of thousands of elections?

Here: random elections with equal ranks and short ballots, counted by both; every disagreement
that is expected, with its reason.
Not here: how pref_voting is called (peer_pref_voting.py), definitions (test_voting_twins.py).
Sources: SEMANTICS V3, V6; pref_voting 1.18.2 with extended strict preference (ranked above
unranked), parallel universes where ties open several ways.

pref_voting lives in an environment of its own, which `python3 dev.py test --full` makes.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from comity.mechanisms import voting
from comity.mechanisms.voting import Election

ROOT = Path(__file__).resolve().parent.parent.parent
PEER = ROOT / ".venv-peers" / "pref_voting"
SCRIPT = Path(__file__).with_name("peer_pref_voting.py")

ELECTIONS = 20_000  # of each kind
TIME_LIMIT = 15 * 60

# The peer's rule -> ours with its parameters.
RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "approval": ("approval", {}),
    "borda": ("borda", {"unranked": "last"}),
    "condorcet": ("condorcet", {}),
    "coombs": ("coombs", {}),
    "copeland": ("copeland", {}),
    "irv": ("irv", {}),
    "kemeny": ("kemeny", {}),
    "minimax": ("minimax", {}),
    "minimax winning votes": ("minimax", {"strength": "winning_votes"}),
    "plurality": ("plurality", {}),
    "ranked pairs": ("ranked_pairs", {}),
    "ranked pairs by stacks": ("ranked_pairs", {}),
    "schulze": ("schulze", {}),
    "schulze winning votes": ("schulze", {"strength": "winning_votes"}),
    "score": ("score", {}),
    "score mean": ("score", {"measure": "mean"}),
    "star": ("star", {}),
}

# What is left out, and why. Nothing else may differ.
LEFT_OUT = {
    "ranked pairs": "the basic algorithm walks through every order of equal edges, even duels "
    "twice: only elections with at most 720 orders are asked; the stacks are asked for all",
    "plurality": "refuses equal first ranks: asked on linear ballots alone",
    "coombs": "takes linear ballots alone",
    "score": "leaves an option without any grade out of the comparison: every ballot grades all",
    "star": "takes the grades 0 to 5 alone, all of them declared",
}


def a_weak_ballot(chance: Random, size: int) -> list[int | None]:
    order = chance.sample(range(size), chance.randint(1, size))
    ranks: list[int | None] = [None] * size
    place = 0
    equal = chance.choice([0, 0.3, 0.6])
    for at, option in enumerate(order):
        place += bool(at) and chance.random() >= equal
        ranks[option] = place
    return ranks


def a_ballot(chance: Random, kind: str, size: int) -> list[Any]:
    if kind == "weak":
        return a_weak_ballot(chance, size)
    if kind == "linear":
        return chance.sample(range(size), size)
    return chance.choices(range(6 if kind == "score" else 2), k=size)


def an_election(chance: Random, kind: str) -> dict[str, Any]:
    size = chance.choice([1, 2, 3, 3, 4, 4, 4, 5])
    ballots = [
        [a_ballot(chance, kind, size), chance.choice([1, 1, 1, 2, 3])]
        for _ in range(chance.randint(1, 9))
    ]
    return {"kind": kind, "size": size, "ballots": ballots}


def ours(election: dict[str, Any]) -> Election:
    names = [f"o{at}" for at in range(election["size"])]
    counts: list[tuple[Any, int]] = []
    for ballot, count in election["ballots"]:
        if election["kind"] == "weak":
            ranks = sorted({rank for rank in ballot if rank is not None})
            said: Any = [
                [name for name, rank in zip(names, ballot, strict=True) if rank == place]
                for place in ranks
            ]
        elif election["kind"] == "linear":
            said = [names[at] for at in ballot]
        elif election["kind"] == "score":
            said = dict(zip(names, ballot, strict=True))
        else:
            said = {name for name, grade in zip(names, ballot, strict=True) if grade}
        counts.append((said, count))
    kind: Any = {"weak": "ranking", "linear": "ranking"}.get(election["kind"], election["kind"])
    return Election.of_counts(counts, options=names, kind=kind)


def elected(election: Election, rule: str) -> list[int]:
    name, parameters = RULES[rule]
    result = getattr(voting, name)(election, **parameters)
    names = result.tied if result.winner is None else (result.winner,)
    return sorted(int(one[1:]) for one in names)


def answers_of_the_peer(elections: list[dict[str, Any]], place: Path) -> list[dict[str, Any]]:
    places = (PEER / "bin" / "python", PEER / "Scripts" / "python.exe")
    python = next((one for one in places if one.exists()), None)
    if python is None or not (PEER / ".comity-peer").exists():
        pytest.skip("peers: pref_voting is not here; `python3 dev.py peers` fetches it")
    asked, answered = place / "asked.json", place / "answered.json"
    asked.write_text(json.dumps(elections), encoding="utf-8")
    command = [str(python), str(SCRIPT), str(asked), str(answered)]
    subprocess.run(command, check=True, timeout=TIME_LIMIT, capture_output=True)
    found: list[dict[str, Any]] = json.loads(answered.read_text(encoding="utf-8"))
    return found


@pytest.mark.full
def test_v3_pref_voting_elects_the_same(tmp_path: Path) -> None:
    chance = Random("pref_voting")  # noqa: S311  # elections, no secrets
    kinds = ("weak", "linear", "score", "approval")
    elections = [an_election(chance, kind) for kind in kinds for _ in range(ELECTIONS)]
    asked: Counter[str] = Counter()
    ties: Counter[str] = Counter()
    wrong = []
    for election, answer in zip(elections, answers_of_the_peer(elections, tmp_path), strict=True):
        mine = ours(election)
        for rule, theirs in answer.items():
            asked[rule] += 1
            ties[rule] += len(theirs) > 1
            if elected(mine, rule) != theirs:
                wrong.append((rule, theirs, elected(mine, rule), election))
    assert wrong[:3] == []
    assert set(asked) == set(RULES)
    assert {rule for rule, count in asked.items() if count < ELECTIONS} <= set(LEFT_OUT)
    assert min(asked.values()) > ELECTIONS // 2
    assert min(ties[rule] for rule in asked) > ELECTIONS // 100
