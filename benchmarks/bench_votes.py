"""Votes: how long does a decision take, for a team and for a million voters?

Here: one 7 x 4 decision with its full result under every rule; 100,000 x 10 with and without
numpy; 1,000,000 x 10 from ranks and from lists; 200 options; the same elections with pref_voting
in the same run, where it is installed.
Not here: Dawid-Skene (bench_dawid_skene.py), the start (bench_start.py).
Sources: SEMANTICS V3, V5. Margin of victory apart, as in the goals.

CPU time of this process; of short runs the best batch, of long ones the best of three. Each run
builds its election anew. Exit 1 when a goal is missed. BENCH_VOTES=quick leaves the largest out.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.core.arrays import numpy_or_none
from comity.mechanisms.voting import RULES, Election, bulk, profile

if TYPE_CHECKING:
    from collections.abc import Callable

TEAM_GOAL = 60e-6
PLAIN_GOAL, ARRAY_GOAL = 1.5, 0.3
MILLION_GOAL, LISTS_GOAL = 0.8, 1.6
SCHULZE_GOAL, RANKED_PAIRS_GOAL = 0.5, 1.0

RANKING_RULES = (
    "plurality", "majority", "borda", "condorcet", "copeland", "minimax", "schulze",
    "ranked_pairs", "irv", "coombs",
)  # fmt: skip
TEAM = [list(one) for one in ("ABCD", "ABDC", "ACBD", "BCAD", "BDCA", "BADC", "CABD")]
SCORES = [dict(zip("ABCD", one, strict=True)) for one in
          ((5, 4, 1, 0), (5, 4, 0, 1), (1, 5, 4, 0), (0, 5, 2, 4), (2, 4, 5, 0), (4, 3, 2, 5),
           (0, 2, 4, 5))]  # fmt: skip

missed: list[str] = []


def decide(rule: Callable[..., Any], votes: Any, options: list[str], more: dict[str, Any]) -> None:  # noqa: ANN401  # ballots of any kind
    """Build an election and count it."""
    rule(Election(votes, options=options), **more)


def from_table(rule: Callable[..., Any], ranks: Any, options: list[str]) -> None:  # noqa: ANN401  # an array
    """Build an election of an array of ranks and count it."""
    rule(Election.from_ranks(ranks, options))


def from_lists(rule: Callable[..., Any], orders: list[list[int]], options: list[str]) -> None:
    """Build an election of lists of numbers and count it."""
    rule(Election.from_orders(orders, options))


def best(run: Callable[[], object], *, times: int = 1, batches: int = 3) -> float:
    """Return the CPU seconds of one run, the best of several batches."""
    found = []
    for _ in range(batches):
        gc.collect()
        start = time.process_time()
        for _ in range(times):
            run()
        found.append((time.process_time() - start) / times)
    return min(found)


def told(name: str, seconds: float, goal: float, beside: str = "") -> None:
    """Print one line and remember a missed goal."""
    unit = (1e6, "us") if goal < 1e-3 else (1.0, "s")
    state = "ok    " if seconds <= goal else "MISSED"
    amount, limit = f"{seconds * unit[0]:.3g} {unit[1]}", f"{goal * unit[0]:.3g} {unit[1]}"
    print(f"{state} {name:<44} {amount:>10}  goal {limit:>8}  {beside}".rstrip())
    if seconds > goal:
        missed.append(name)


def team(peer: PrefVoting | None) -> None:
    """One decision of seven voters on four options, built and counted, in plain Python."""
    options = list("ABCD")
    for name in (*RANKING_RULES, "supermajority", "approval", "score", "star"):
        rule = RULES[name]
        votes: Any = TEAM
        more: dict[str, Any] = {}
        if name in {"score", "star"}:
            votes = SCORES
        elif name == "approval":
            votes = [set(one[:2]) for one in TEAM]
        elif name == "supermajority":
            more = {"ratios": {"A": 2}, "default_option": "D"}
        run = partial(decide, rule, votes, options, more)
        beside = peer.team(name) if peer else ""
        told(f"7 x 4 {name}", best(run, times=1000, batches=9), TEAM_GOAL, beside)


def made(ballots: int, options: int) -> tuple[list[list[int]], list[str]]:
    """Return Plackett-Luce rankings as lists of option numbers, and the options' names."""
    chance = random.Random(f"{ballots} {options}")  # noqa: S311  # made-up ballots
    names = [f"o{at:03}" for at in range(options)]
    draws = [1 / (1 + at / 4) for at in range(options)]
    orders = []
    for _ in range(ballots):
        keys = [chance.expovariate(one) for one in draws]
        orders.append(sorted(range(options), key=keys.__getitem__))
    return orders, names


def hundred_thousand(peer: PrefVoting | None) -> None:
    """100,000 voters on ten options, from lists of names."""
    orders, names = made(100_000, 10)
    ballots = [[names[at] for at in order] for order in orders]
    for label, goal in (("plain", PLAIN_GOAL), ("numpy", ARRAY_GOAL)):
        hidden = mock.patch.multiple
        no_numpy = (lambda: None) if label == "plain" else numpy_or_none
        with hidden(bulk, numpy_or_none=no_numpy), hidden(profile, numpy_or_none=no_numpy):
            for name in RANKING_RULES:
                run = partial(decide, RULES[name], ballots, names, {})
                told(f"100,000 x 10 {label} {name}", best(run, batches=2), goal)
    if peer:
        print("       pref_voting:", peer.large(orders, ("borda", "schulze", "irv")))


def million(np: Any) -> None:  # noqa: ANN401  # numpy
    """A million voters on ten options, from an array of ranks and from lists of lists."""
    chance = np.random.default_rng(7)
    keys = chance.gumbel(size=(1_000_000, 10)) + np.linspace(0, 1, 10)
    places = np.argsort(-keys, axis=1).astype(np.uint8)
    ranks = np.argsort(places, axis=1).astype(np.uint8)
    names = [f"o{at}" for at in range(10)]
    for name in RANKING_RULES:
        run = partial(from_table, RULES[name], ranks, names)
        told(f"1,000,000 x 10 ranks {name}", best(run, batches=2), MILLION_GOAL)
    lists = places.tolist()
    converted = best(lambda: np.array(lists))
    for name in ("borda", "schulze", "irv"):
        run = partial(from_lists, RULES[name], lists, names)
        ours = best(run)
        beside = f"np.array alone {converted:.3g} s"
        told(f"1,000,000 x 10 lists {name} / conversion", ours / converted, LISTS_GOAL, beside)


def many_options(peer: PrefVoting | None) -> None:
    """Two hundred options, ten thousand voters, from names."""
    orders, names = made(10_000, 200)
    ballots = [[names[at] for at in order] for order in orders]
    election = Election(ballots, options=names)
    election.pairwise()
    whole = best(lambda: RULES["schulze"](Election(ballots, options=names)), batches=1)
    print(f"       10,000 x 200 schulze with build and pairs   {whole:.3g} s")
    told("200 options schulze", best(lambda: RULES["schulze"](election)), SCHULZE_GOAL)
    told(
        "200 options ranked_pairs",
        best(lambda: RULES["ranked_pairs"](election)),
        RANKED_PAIRS_GOAL,
    )
    found = RULES["ranked_pairs"](election)
    print(
        f"       ranked_pairs elects {found.winner}, schulze {RULES['schulze'](election).winner}"
    )
    if peer:
        print("       pref_voting:", peer.large(orders, ("schulze",)))


class PrefVoting:
    """The same elections with pref_voting, after it has compiled."""

    def __init__(self) -> None:
        """Load it and compile what is measured."""
        methods: Any = import_module("pref_voting.voting_methods")
        self.profiles: Any = import_module("pref_voting.profiles")
        self.rules = {
            "plurality": methods.plurality, "borda": methods.borda, "copeland": methods.copeland,
            "condorcet": methods.condorcet, "minimax": methods.minimax,
            "schulze": methods.beat_path, "ranked_pairs": methods.ranked_pairs,
            "irv": methods.instant_runoff, "coombs": methods.coombs,
        }  # fmt: skip
        self.votes = [["ABCD".index(one) for one in ballot] for ballot in TEAM]
        for rule in self.rules.values():
            rule(self.profiles.Profile(self.votes))

    def team(self, name: str) -> str:
        """Return how long one small decision takes there, and the ratio-free figure."""
        rule = self.rules.get(name)
        if rule is None:
            return ""
        seconds = best(lambda: rule(self.profiles.Profile(self.votes)), times=200, batches=5)
        return f"pref_voting {seconds * 1e6:.0f} us"

    def large(self, orders: list[list[int]], names: tuple[str, ...]) -> str:
        """Return build and count of a large election there."""
        start = time.process_time()
        built = self.profiles.Profile(orders)
        built.margin(0, 1)
        parts = [f"build {time.process_time() - start:.3g} s"]
        for name in names:
            start = time.process_time()
            self.rules[name](built)
            parts.append(f"{name} {time.process_time() - start:.3g} s")
        return ", ".join(parts)


def main() -> int:
    """Run all of it and say which goals were missed."""
    peer = PrefVoting() if find_spec("pref_voting") else None
    if peer is None:
        print("SKIPPED pref_voting: not installed here")
    team(peer)
    np = numpy_or_none()
    if np is None:
        print("SKIPPED numpy: not installed here")
    elif os.environ.get("BENCH_VOTES") != "quick":
        hundred_thousand(peer)
        many_options(peer)
        million(np)
    print(f"missed: {', '.join(missed)}" if missed else "every goal met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
