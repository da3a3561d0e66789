"""Comity claim, release and arbiter: a desk at the command line (R1, R2, R7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.cli.lengths import milliseconds
from comity.core.errors import Fault
from comity.ledger import open_ledger
from comity.ledger.entry import NewEntry
from comity.testing.clock import FakeClock

Comity = Callable[..., Any]


def test_r7_what_is_won_has_a_token_and_what_is_not_waits(comity: Comity, here: Path) -> None:
    won = comity("claim", "budget", "--agent", "A", "--priority", "9", "--json")
    assert (won.code, won.json["kind"], won.json["token"]) == (0, "grant", 1)
    waits = comity("claim", "budget", "--agent", "B", "--json")
    assert (waits.code, waits.json["kind"], waits.json["token"]) == (11, "waiting", None)
    assert waits.json["holders"] == ["A"]
    told = comity("claim", "budget", "--agent", "C").out
    assert told.startswith("C waits for budget: held by A; 0 counted for it so far.\n")
    assert "also waiting  B" in told
    assert (here / "comity.db").exists()


def test_r7_released_it_goes_to_the_next_and_an_old_token_opens_nothing(comity: Comity) -> None:
    comity("claim", "budget", "--agent", "A")
    comity("claim", "budget", "--agent", "B")
    given = comity("release", "budget", "--token", "1", "--json")
    assert (given.code, given.json["status"], given.json["holders"]) == (0, "ended", ["B"])
    again = comity("release", "budget", "--token", "1", "--json")
    assert (again.code, again.json["exit_code"]) == (10, 10)
    assert "never given out" in comity("release", "budget", "--token", "7").out
    assert comity("claim", "budget", "--agent", "B", "--json").json["token"] == 2


def test_k3_the_same_request_counts_once(comity: Comity) -> None:
    words = ("claim", "gpu", "--agent", "A", "--request-id", "r1", "--json")
    first, second = comity(*words).json, comity(*words).json
    assert first == second
    release = ("release", "gpu", "--token", "1", "--request-id", "r2", "--json")
    assert [comity(*release).json["status"] for _ in range(2)] == ["ended", "ended"]
    assert comity("arbiter", "--json").json["conflicts"] == 1


def test_g2_a_wait_that_ends_in_vain_exits_with_ten(
    comity: Comity, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    monkeypatch.setattr("comity.runner.arbiter.RealClock", lambda: clock)
    comity("claim", "gpu", "--agent", "A", "--lease", "1h")
    said = comity("claim", "gpu", "--agent", "B", "--wait", "30ms", "--json")
    assert (said.code, said.json["status"], said.json["kind"]) == (10, "lapsed", "no_decision")


def test_g7_every_fault_of_a_claim_is_told_at_once(comity: Comity, here: Path) -> None:
    said = comity("claim", "gpu", "--agent", "A", "--lease", "soon", "--wait", "0")
    assert said.code == 2
    assert "--lease: is 'soon'" in said.err
    assert "--wait: is '0'" in said.err
    said = comity("claim", " ", "--agent", "", "--priority", "nan")
    assert said.code == 2
    for part in ("resource ' '", "agent ''", "nan"):
        assert part in said.err
    assert comity("claim", "gpu").code == 2
    assert comity("release", "gpu", "--token", "x").code == 2
    assert "is not there" in comity("release", "gpu", "--token", "1", "--desk", "no").err
    assert here.exists()


def test_r3_the_desk_shows_who_can_starve_and_by_how_much_nobody_does(comity: Comity) -> None:
    shown = comity("arbiter", "--rule", "losses", "--c", "2")
    assert shown.out.startswith("desk claims: rule losses (c 2), 0 conflicts\n")
    for agent, priority in (("A", "9"), ("B", "5"), ("C", "1")):
        comity("claim", "budget", "--agent", agent, "--priority", priority)
    view = comity("arbiter", "--json").json
    assert [one["agent"] for one in view["holds"]] == ["A"]
    assert [one["agent"] for one in view["waits"]] == ["B", "C"]
    comity("release", "budget", "--token", "1")
    shown = comity("arbiter").out
    for part in ("held\n", "waiting\n", "at most", "budget  C"):
        assert part in shown
    starves = comity("arbiter", "--rule", "static_priority", "--desk", "other")
    assert "warning: an agent can starve" in starves.out
    assert comity("arbiter", "--list").out.split() == ["claims", "other"]
    assert comity("arbiter", "--list", "--json").json["desks"] == ["claims", "other"]


def test_rules_can_be_changed_and_are_read_with_all_faults(comity: Comity) -> None:
    comity("arbiter", "--c", "1")
    assert comity("arbiter", "--c", "3", "--json").json["rules"]["policy"]["c"] == 3
    said = comity("arbiter", "--rule", "losess", "--circles", "square")
    assert said.code == 2
    assert "did you mean 'losses'" in said.err
    assert "refuse, wound_wait" in said.err
    said = comity("arbiter", "--c", "much", "--capacity", "none", "--gather", "-")
    for part in ("--c", "--capacity", "--gather"):
        assert part in said.err
    assert comity("arbiter", "--desk", "nowhere").code == 2


def test_k2_check_decides_every_conflict_again(comity: Comity, here: Path) -> None:
    comity("claim", "gpu", "--agent", "A")
    comity("release", "gpu", "--token", "1")
    assert comity("arbiter", "--check").out == "Desk claims: every conflict comes out the same.\n"
    forged = {
        "number": 2,
        "resource": "gpu",
        "claims": [["A", 9, 0], ["B", 1, 0]],
        "stages": [["B"]],
        "winners": ["B"],
        "seed": "7",
    }
    with open_ledger(here / "comity.db") as ledger:
        ledger.append(
            "desk/claims",
            [NewEntry("conflict", forged)],
            expected_head=None,
            request_id=None,
            now_ms=1,
        )
    said = comity("arbiter", "--check", "--json")
    assert (said.code, said.json["same"]) == (1, False)
    assert "winners" in said.json["wrong"][0] or "stages" in said.json["wrong"][0]
    assert comity("arbiter", "--check").code == 1


@pytest.mark.parametrize("name", ["claim", "release", "arbiter"])
def test_the_help_has_three_examples(comity: Comity, name: str) -> None:
    examples = comity(name, "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count(f"comity {name}") == 3


@pytest.mark.parametrize("text", ["", "1 year", "-5", "1e3", "0", "0.0001", "nan", "5 5", "٣"])
def test_g7_what_is_no_length_of_time_is_refused(text: str) -> None:
    faults: list[Fault] = []
    assert milliseconds(text, "--lease", faults) is None
    assert len(faults) == 1


def test_lengths_of_time_are_whole_milliseconds() -> None:
    faults: list[Fault] = []
    given = {"30": 30_000, "0.001": 1, "1.5m": 90_000, "2 h": 7_200_000, "1d": 86_400_000}
    assert {one: milliseconds(one, "--wait", faults) for one in given} == given
    assert milliseconds(None, "--wait", faults) is None
    assert faults == []
