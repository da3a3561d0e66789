"""The other side of test_pref_voting.py: what does pref_voting elect?

Here: reading elections from a file, counting each with pref_voting, writing the winners.
Not here: our own counts and the comparison (test_pref_voting.py).
Sources: pref_voting 1.18.2. Runs with the peer's own python: `peer_pref_voting.py IN OUT`.

An election is {"kind": "weak" | "linear" | "score" | "approval", "size": options, "ballots":
[[ballot, count], ...]}. A weak ballot lists for each option its rank or null, a linear one the
options from best to worst, a score or approval ballot a grade per option. The answer holds, per
election, rule -> winners.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib import import_module
from math import factorial, prod
from pathlib import Path
from typing import Any

PEER = "pref_voting"  # imported late: this file is read by our own python too, which has none
MOST_ORDERS = 720  # the basic algorithm of ranked pairs walks through every order of equal edges


@cache
def peer(module: str) -> Any:
    return import_module(f"{PEER}.{module}")


def weak(size: int, ballots: list[Any]) -> dict[str, Any]:
    rankings = [{at: rank + 1 for at, rank in enumerate(ranks) if rank is not None}
                for ranks, _ in ballots]  # fmt: skip
    profile = peer("profiles_with_ties").ProfileWithTies(
        rankings, [count for _, count in ballots], candidates=list(range(size))
    )
    profile.use_extended_strict_preference()
    return {
        "borda": peer("scoring_methods").borda_for_profile_with_ties(profile),
        "irv": peer("iterative_methods").instant_runoff_put(profile, score_method="split"),
        **pairwise(profile),
        "minimax winning votes": peer("margin_based_methods").minimax(
            profile, strength_function=profile.support
        ),
        "schulze winning votes": peer("margin_based_methods").beat_path(
            profile, strength_function=profile.support
        ),
    }


def linear(size: int, ballots: list[Any]) -> dict[str, Any]:
    profile = peer("profiles").Profile(
        [list(order) for order, _ in ballots], [count for _, count in ballots]
    )
    return {
        "plurality": peer("scoring_methods").plurality(profile),
        "borda": peer("scoring_methods").borda(profile),
        "irv": peer("iterative_methods").instant_runoff_put(profile),
        "coombs": peer("iterative_methods").coombs_put(profile),
        **pairwise(profile),
    }


def pairwise(profile: Any) -> dict[str, Any]:
    found = {
        "condorcet": peer("c1_methods").top_cycle(profile),
        "copeland": peer("c1_methods").copeland(profile),
        "minimax": peer("margin_based_methods").minimax(profile),
        "schulze": peer("margin_based_methods").beat_path(profile),
        "ranked pairs by stacks": peer("margin_based_methods").ranked_pairs(
            profile, algorithm="from_stacks"
        ),
        "kemeny": peer("other_methods").kemeny_young(profile),
    }
    if orders(profile) <= MOST_ORDERS:
        found["ranked pairs"] = peer("margin_based_methods").ranked_pairs(profile)
    return found


def orders(profile: Any) -> int:
    """Return how many orders of equal edges there are; even duels are edges both ways."""
    strengths: dict[int, int] = {}
    for one in profile.candidates:
        for other in profile.candidates:
            margin = int(profile.margin(one, other))
            if one != other and margin >= 0:
                strengths[margin] = strengths.get(margin, 0) + 1
    return prod(factorial(alike) for alike in strengths.values())


def score(size: int, ballots: list[Any]) -> dict[str, Any]:
    profile = peer("grade_profiles").GradeProfile(
        [dict(enumerate(grades)) for grades, _ in ballots],
        [0, 1, 2, 3, 4, 5],
        gcounts=[count for _, count in ballots],
        candidates=list(range(size)),
    )
    return {
        "score": peer("grade_methods").score_voting(profile),
        "score mean": peer("grade_methods").score_voting(profile, evaluation_method="mean"),
        "star": peer("grade_methods").star(profile),
    }


def approvals(size: int, ballots: list[Any]) -> dict[str, Any]:
    profile = peer("grade_profiles").GradeProfile(
        [dict(enumerate(grades)) for grades, _ in ballots],
        [0, 1],
        gcounts=[count for _, count in ballots],
        candidates=list(range(size)),
    )
    return {"approval": peer("grade_methods").approval(profile)}


COUNTS = {"weak": weak, "linear": linear, "score": score, "approval": approvals}


def main(asked: Path, answered: Path) -> None:
    elections = json.loads(asked.read_text(encoding="utf-8"))
    answers = [
        {
            rule: sorted(int(one) for one in winners)
            for rule, winners in COUNTS[election["kind"]](
                election["size"], election["ballots"]
            ).items()
        }
        for election in elections
    ]
    answered.write_text(json.dumps(answers), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
