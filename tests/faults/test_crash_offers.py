"""K3, G10, complaint 26: bargaining killed at any point ends the same; nobody is asked twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comity.agents.bargainer import StrategySeat
from comity.agents.base import Agent
from comity.agents.scripted import Scripted
from comity.core.canonical import JsonObject, plain
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.protocols.collect.following import Following
from comity.protocols.offers.rules import OffersRules
from comity.session.record import Opening
from comity.testing.bargains import sample_offers
from comity.testing.crash import CrashReport, CrashRules, Scene, crash_everywhere

ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS = "OFFER: tls = 1.2; days = 60"


def scene(rules: OffersRules, agents: Callable[[], dict[str, Agent]], **more: object) -> Scene:
    recorded = plain({**rules.to_json(), **more})
    assert isinstance(recorded, dict)
    opening = Opening(kind="offers", title=rules.question, rules=recorded)
    return Scene(opening=opening, agents=agents)


def scripted(**said: tuple[str, ...]) -> Callable[[], dict[str, Agent]]:
    return lambda: {name: Scripted(lines) for name, lines in said.items()}


def three() -> Scene:
    """A counter clears the table, a refused acceptance is asked again, then all accept."""
    said = scripted(
        ann=(ANNS, "ACCEPT: cyd-0"),
        bob=("ACCEPT: ann-0", "SAY: no\nPASS", "ACCEPT: cyd-0"),
        cyd=(BOTH,),
    )
    return scene(sample_offers(3), said)


def at_once() -> Scene:
    said = scripted(
        ann=(BOTH, "PASS", "PASS", "PASS"), bob=(BOBS, "PASS", "PASS", "ACCEPT: ann-0")
    )
    return scene(sample_offers(protocol="simultaneous"), said)


def strategies() -> Scene:
    def agents() -> dict[str, Agent]:
        return {name: StrategySeat(read_strategy("linear")) for name in ("ann", "bob")}

    return scene(sample_offers(rounds=4, strategies={"ann": "linear"}), agents)


def chain() -> Scene:
    """No deal, then a vote between the last offers."""
    following = Following(
        steps=("vote",), question="Which?", seed="1", voters={"ann": {}, "bob": {}, "zoe": {}}
    )
    said = scripted(
        ann=(ANNS, "PASS", "VOTE: ann's last offer"),
        bob=(BOBS, "VOTE: bob's last offer"),
        zoe=("VOTE: bob's last offer",),
    )
    otherwise: JsonObject = following.to_json()
    return scene(sample_offers(rounds=1), said, otherwise=otherwise)


SCENES: dict[str, tuple[Callable[[], Scene], str, int]] = {
    "three": (three, "Deal in round 1: ann and bob accept cyd-0: tls = 1.3; days = 60.", 6),
    "at once": (at_once, "Deal in round 1: bob accepts ann-0: tls = 1.3; days = 60.", 8),
    "strategies": (strategies, "", 0),
    "chain": (chain, "bob's last offer", 6),
}


def crash(made: Scene, folder: Path) -> CrashReport:
    def store(name: str) -> Ledger:
        return open_ledger(folder / f"{name}.db")

    return crash_everywhere(made, store, rules=CrashRules(every=1, lives=(9, 11)))


@pytest.mark.parametrize("name", SCENES)
def test_bargaining_crashed_at_any_point_ends_the_same(name: str, tmp_path: Path) -> None:
    made, says, messages = SCENES[name]
    report = crash(made(), tmp_path)
    told = [getattr(report.outcome, name, "") for name in ("says", "option")]
    assert "".join(told).startswith(says)
    assert report.messages == (messages or report.messages)
    assert report.messages > 2
    assert report.crashes >= len(report.points)
