"""session/registry.py, contract 1: every kind leads to a machine, loaded when first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from comity.core.errors import UnknownName
from comity.core.results import Choice, Grounds, Outcome
from comity.core.step import Input
from comity.session.registry import KINDS, at_once, machine_of

GROUNDS = Grounds(rule="r", ended_by="e", inputs_digest="0")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_the_table_has_a_machine(kind: str) -> None:
    machine = machine_of(kind)
    assert machine.kind == kind
    assert callable(machine.start)
    assert callable(machine.step)
    assert callable(machine.read_rules)


def test_an_unknown_kind_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="'consent'") as caught:
        machine_of("consnet")
    assert "bargain" in str(caught.value)


def test_a_rule_that_decides_at_once_asks_nobody_and_decides_once() -> None:
    decided: list[object] = []

    def rule(rules: object) -> Outcome:
        decided.append(rules)
        return Choice(option="B", grounds=GROUNDS)

    first = at_once(rule)("the rules")
    assert first.outcome == Choice(option="B", grounds=GROUNDS)
    assert (first.state, first.asks, first.wake_at_ms) == ("the rules", (), None)
    assert decided == ["the rules"]


def test_a_bargain_is_decided_at_once_and_rejects_whatever_comes_later() -> None:
    machine = machine_of("bargain")
    rules = machine.read_rules(
        {
            "parties": [
                {"role": "seller", "opening": 120, "reservation": 70, "deadline": 5},
                {"role": "buyer", "opening": 60, "reservation": 100, "deadline": 5},
            ]
        }
    )
    first = machine.start(rules)
    assert str(first.outcome).startswith("Deal at 80 in round 4")
    late = machine.step(first.state, Input(kind="message", now_ms=1, party="buyer"))
    assert [(one.reason, one.party) for one in late.rejected] == [("ended", "buyer")]
    assert (late.state, late.asks) == (first.state, ())


def test_looking_up_one_kind_does_not_load_the_others() -> None:
    code = (
        "import sys; from comity.session.registry import machine_of; "
        "before = 'comity.protocols.consent' in sys.modules; machine_of('consent'); "
        "print(before, 'comity.protocols.consent' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
