"""K3, A2, G10: a live auction killed at any point ends the same, and nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.agents.base import Agent
from comity.agents.bidder import RationalBidder
from comity.agents.scripted import Scripted
from comity.core.canonical import plain
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.protocols.bidding.opening import bidding_rules
from comity.protocols.collect.following import Following
from comity.session.record import Opening
from comity.testing.crash import CrashReport, CrashRules, Scene, crash_everywhere


def scene(agents: Callable[[], dict[str, Agent]], names: str, **settings: Any) -> Scene:
    more = {"otherwise": settings.pop("then").to_json()} if "then" in settings else {}
    rules = bidding_rules("a slot", names.split(), seed="1", **{"reserve": 0, **settings})
    recorded = plain({**rules.to_json(), **more})
    assert isinstance(recorded, dict)
    return Scene(opening=Opening(kind="bidding", title="a slot", rules=recorded), agents=agents)


def scripted(**said: tuple[str, ...]) -> Callable[[], dict[str, Agent]]:
    return lambda: {name: Scripted(lines) for name, lines in said.items()}


def committed() -> Scene:
    """Hashes, then bids: the nonces of a seat are the same after a restart."""
    worth = {"ann": 42, "bob": 37, "cyd": 51}
    return scene(
        lambda: {name: RationalBidder(name, (one,), name * 5) for name, one in worth.items()},
        "ann bob cyd",
        commit=True,
    )


def clock() -> Scene:
    said = scripted(ann=("STAY", "hm", "OUT"), bob=("STAY", "STAY"), cyd=("OUT",))
    return scene(said, "ann bob cyd", mode="english", reserve=10, end=30, step=10)


def chain() -> Scene:
    """Nothing reaches the reserve; then a vote on the bids."""
    voters: Any = {"ann": {}, "zoe": {}}
    then = Following(steps=("vote",), question="Which?", seed="1", voters=voters)
    said = scripted(
        ann=("BID: x", "BID: 42", "VOTE: ann's bid"), bob=("BID: 37",), zoe=("VOTE: ann's bid",)
    )
    return scene(said, "ann bob", reserve=99, then=then)


SCENES: dict[str, tuple[Callable[[], Scene], Any, int]] = {
    "committed": (committed, (("cyd", "item"),), 6),
    "clock": (clock, (("bob", "item"),), 6),
    "chain": (chain, "ann's bid", 5),
}


def crash(made: Scene, folder: Path) -> CrashReport:
    def store(name: str) -> Ledger:
        return open_ledger(folder / f"{name}.db")

    return crash_everywhere(made, store, rules=CrashRules(every=1, lives=(9,)))


@pytest.mark.parametrize("name", SCENES)
def test_an_auction_crashed_at_any_point_ends_the_same(name: str, tmp_path: Path) -> None:
    made, won, messages = SCENES[name]
    report = crash(made(), tmp_path)
    assert getattr(report.outcome, "winners", getattr(report.outcome, "option", None)) == won
    assert report.messages == messages
    assert report.crashes >= len(report.points)
