"""Timed play: is the fast play of two timed parties the same as the slow one?

Here: single cases; the property stands in tests/properties/test_issue_play_laws.py.
Not here: the strategies.
Sources: SEMANTICS M2, M3.
"""

from __future__ import annotations

from typing import Any

import pytest

from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import outcomes_of
from comity.mechanisms.bargaining.playing import Table, play_alternating
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, problem_of
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.mechanisms.bargaining.timed_play import play_timed

TIMED = ["boulware", "linear", "conceder", "boulware:0.5", "conceder:2"]


def both(size: int, red: str, least: tuple[Any, Any]) -> Any:
    domain = domain_of({f"t{at}": [str(one) for one in range(size)] for at in range(3)})
    tables = [
        {
            f"t{at}": {str(one): (one * sign * (at + 1)) % 11 for one in range(size)}
            for at in range(3)
        }
        for sign in (1, -1)
    ]
    lines = constraints_of(domain, [{"t0": [red], "t1": [red]}])
    return problem_of(
        domain,
        [
            Bargainer("ann", additive(domain, tables[0], reservation=least[0])),
            Bargainer("bob", additive(domain, tables[1], reservation=least[1]), lines),
        ],
    )


@pytest.mark.parametrize("size", [3, 9])
@pytest.mark.parametrize("least", [(None, None), (12, 9), (24, 24)])
@pytest.mark.parametrize("rounds", [1, 2, 7, 100])
def test_fast_and_slow_play_are_the_same(size: int, least: Any, rounds: int) -> None:
    outcomes = outcomes_of(both(size, "2", least))
    for seed, (one, two) in enumerate([(a, b) for a in TIMED for b in TIMED]):
        plays = {"bob": read_strategy(one), "ann": read_strategy(two)}
        views = {name: outcomes.view(name) for name in plays}
        if not all(len(view.order) for view in views.values()):
            continue
        slow = play_alternating(
            Table(
                outcomes.layout,
                {n: s.start(views[n], rounds, tuple(plays), str(seed)) for n, s in plays.items()},
                {name: len(view.order) for name, view in views.items()},
                rounds,
                None,
                str(seed),
            )
        )
        first, second = ((views[n], s.schedule) for n, s in plays.items())
        fast = play_timed(first, second, rounds, (str(seed), str(seed)))  # type: ignore[arg-type]  # timed
        told = [
            (*map(list, (p.rounds, p.parties, p.outcomes)), p.accepted, *p[4:])
            for p in (slow, fast)
        ]
        assert told[0] == told[1]
