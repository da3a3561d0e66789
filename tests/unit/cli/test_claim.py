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
from comity.runner.recording import record_conflict
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
    assert not (here / "comity.db").exists(), "what is refused makes no ledger"
    assert "does not exist" in comity("release", "gpu", "--token", "1").err


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


def test_r5_who_is_always_turned_away_is_seen_by_the_operator(
    comity: Comity, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    monkeypatch.setattr("comity.runner.arbiter.RealClock", lambda: clock)
    comity("claim", "gpu", "--agent", "A", "--lease", "1h")
    for _ in range(40):
        said = comity("claim", "gpu", "--agent", "C", "--wait", "1m", "--json")
        assert said.json["status"] == "lapsed"
        comity("arbiter", "--wait", "90")
    shown = comity("arbiter").out
    assert shown.splitlines()[-1] == (
        "C was turned away 40 times from gpu and has never won; it first asked 40 min ago."
    )
    row = next(one for one in comity("arbiter", "--json").json["agents"] if one["agent"] == "C")
    assert (row["turned_away"], row["wins"], row["losses"]) == (40, 0, 0)


def test_r5_a_win_that_nobody_picked_up_is_told_apart(
    comity: Comity, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    monkeypatch.setattr("comity.runner.arbiter.RealClock", lambda: clock)
    comity("claim", "gpu", "--agent", "A")
    comity("claim", "gpu", "--agent", "B")
    released = comity("release", "gpu", "--token", "1").out
    assert released.startswith("The lease of A on gpu under token 1 is over; B won it next.\n")
    assert "not yet" in comity("arbiter").out
    clock.advance(60_000)
    shown = comity("arbiter").out
    assert "B won gpu once without picking it up; those are no wins." in shown
    assert comity("claim", "gpu", "--agent", "C", "--json").json["token"] == 3


def test_r7_one_name_is_told_of_a_lease_once(comity: Comity) -> None:
    comity("claim", "gpu", "--agent", "A")
    again = comity("claim", "gpu", "--agent", "A", "--json")
    assert again.code == 10
    assert "is its second: claim 1 holds it" in again.err
    assert "repeat the request id of the first" in again.err


def test_a_new_desk_is_said_and_one_that_may_be_a_slip_is_not_opened(comity: Comity) -> None:
    said = comity("claim", "gpu", "--agent", "A")
    assert said.err.startswith("opened the new desk claims in ")
    assert comity("claim", "disk", "--agent", "A").err == ""
    slip = comity("claim", "disk", "--agent", "B", "--desk", "claim")
    assert slip.code == 2
    assert "did you mean 'claims'; else open it first: comity arbiter --desk claim" in slip.err
    opened = comity("arbiter", "--c", "2", "--desk", "claim", "--json")
    assert (opened.json["is_new_desk"], opened.json["rules"]["policy"]) == (
        True,
        {"rule": "losses", "c": 2},
    )
    assert "opened the new desk claim" in opened.err
    assert comity("arbiter", "--c", "3", "--desk", "claim").err == ""
    told = comity("claim", "disk", "--agent", "B", "--desk", "claim", "--json")
    assert (told.json["desk"], told.code) == ("claim", 0)


def test_r1_a_claim_that_waits_is_withdrawn_by_its_name(comity: Comity) -> None:
    for agent in "ABC":
        comity("claim", "gpu", "--agent", agent)
    for _ in range(2):
        said = comity("release", "gpu", "--agent", "C", "--json")
        assert (said.code, said.json["status"]) == (0, "withdrawn")
    assert [one["agent"] for one in comity("arbiter", "--json").json["waits"]] == ["B"]
    held = comity("release", "gpu", "--agent", "A")
    assert (held.code, held.out.splitlines()[0]) == (10, "A holds gpu under token 1.")
    assert comity("release", "gpu", "--agent", "Z").code == 10


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "is told neither --token nor --agent"),
        (("--token", "1", "--agent", "A"), "is told both --token and --agent"),
        (("--agent", "A", "--request-id", "r"), "--request-id: is given beside --agent"),
    ],
)
def test_g7_what_ends_must_be_clear(comity: Comity, words: tuple[str, ...], told: str) -> None:
    said = comity("release", "gpu", *words)
    assert said.code == 2
    assert told in said.err


@pytest.mark.parametrize("rule", ["human", "split", "second_price"])
def test_r4_a_desk_where_nothing_can_be_claimed_is_refused(comity: Comity, rule: str) -> None:
    said = comity("arbiter", "--rule", rule)
    assert said.code == 2
    assert f"rule {rule}: gives no leases" in said.err
    assert "losses, hours, static_priority" in said.err


def test_r1_priorities_are_declared_for_agents(comity: Comity) -> None:
    words = ("--priority", "A=9", "--priority", "B=1/2", "--gather", "1h", "--wait", "2h")
    shown = comity("arbiter", *words).out
    assert shown.startswith("desk claims: rule losses (priorities A=9 B=1/2), 0 conflicts\n")
    comity("claim", "gpu", "--agent", "B")
    view = comity("arbiter", "--json").json
    assert (view["waits"][0]["priority"], view["rules"]["claim_ms"]) == ("1/2", 7_200_000)
    said = comity("claim", "gpu", "--agent", "C")
    assert "agent 'C': is not declared" in said.err
    said = comity("arbiter", *("--priority", "A", "--priority", "B=x"))
    assert "--priority: is 'A'" in said.err
    assert "'x'" in said.err
    assert "names A twice" in comity("arbiter", "--priority", "A=1", "--priority", "A=2").err


@pytest.mark.parametrize(
    "words", [("--check", "--list"), ("--check", "--c", "2"), ("--list", "--wait", "5")]
)
def test_g7_two_wishes_at_once_are_refused(comity: Comity, words: tuple[str, ...]) -> None:
    comity("arbiter", "--c", "1")
    said = comity("arbiter", *words)
    assert said.code == 2
    assert "comity arbiter: is given" in said.err
    assert comity("arbiter", "--json").json["rules"]["policy"] == {"rule": "losses"}


def test_k2_what_was_decided_elsewhere_is_not_said_to_come_out_the_same(
    comity: Comity, here: Path
) -> None:
    record_conflict({"A": 1, "B": 2}, "A", "gpu", db=here / "comity.db")
    said = comity("arbiter", "--check")
    assert said.out == (
        "Desk claims: every conflict comes out the same; 1 of 1, decided elsewhere, stand as "
        "recorded.\n"
    )
    assert comity("arbiter", "--check", "--json").json["elsewhere"] == 1
    assert "1 of 1 conflicts were decided elsewhere" in comity("arbiter").out


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


def test_g7_a_token_of_too_many_digits_is_told_as_such(comity: Comity) -> None:
    comity("claim", "gpu", "--agent", "A")
    said = comity("release", "gpu", "--token", "1" * 30)
    assert said.code == 2
    assert "has 30 digits\n  allowed: a token of a claim: at most 18 digits" in said.err


def test_r7_a_clock_far_off_is_told_beside_the_answer_and_can_be_set(
    comity: Comity, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, fast = FakeClock(), FakeClock(FakeClock().now_ms() + 86_400_000)
    monkeypatch.setattr("comity.runner.arbiter.RealClock", lambda: clock)
    comity("claim", "gpu", "--agent", "A")
    monkeypatch.setattr("comity.runner.arbiter.RealClock", lambda: fast)
    said = comity("claim", "gpu", "--agent", "B", "--json")
    assert (said.code, said.json["status"]) == (11, "waiting")
    assert "is 86400 s ahead of this desk" in said.err
    assert "86400 s ahead" in comity("arbiter").out
    assert "86400 s ahead" not in comity("arbiter", "--set-clock").out
    assert comity("arbiter", "--check").code == 0
    assert comity("claim", "gpu", "--agent", "B", "--json").err == ""
