"""Comity watch: a claims log in, who wins and who starves out, 11 when a person should look."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.desk import DESK, open_desk
from comity.formats.claims_log import ClaimGain, claims_csv
from comity.mechanisms.arbitration import Arbitration, Policy, recorded
from comity.runner.arbiter import Arbiter
from comity.runner.recording import record_conflict

Comity = Callable[..., Any]

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAY = 86_400
DAYS = [recorded("ads", ABC, ["A"], at=DAY * day) for day in range(19)]
HEADER = "time,resource,agent,priority"


@pytest.fixture
def log(here: Path) -> str:
    (here / "claims.csv").write_text(claims_csv(DAYS))
    return "claims.csv"


@pytest.fixture
def fair(here: Path) -> str:
    engine = Arbitration(Policy(c=1), seed="7")
    rows = [engine.conflict(ABC)._replace(at=3600 * n) for n in range(50)]
    (here / "fair.csv").write_text(claims_csv(rows))
    return "fair.csv"


def test_r5_an_alarm_is_exit_11_and_none_is_0(comity: Comity, log: str, fair: str) -> None:
    said = comity("watch", log)
    assert (said.code, said.err) == (11, "")
    assert said.out.startswith(
        "19 conflicts over ads: a person should look. B and C have not won ads for 19 days"
    )
    assert comity("watch", fair).code == 0
    assert comity("watch", fair, "--policy", "losses").code == 0, "notes are no alarms"


def test_r5_the_json_has_the_alarms_and_the_exit_code(comity: Comity, log: str) -> None:
    said = comity("watch", log, "--json", "--policy", "losses", "--c", "1")
    assert (said.code, said.json["exit_code"], said.json["needs_person"]) == (11, 11, True)
    assert said.json["alarms"][0]["level"] == "critical"
    assert said.json["policy"] == {"rule": "losses"}
    assert list(said.json)[:2] == ["v", "kind"]


@pytest.mark.parametrize("by", ["day", "week", "month"])
def test_r5_the_win_table_is_by_period(comity: Comity, log: str, by: str) -> None:
    assert comity("watch", log, "--by", by, "--json").json["wins"]["by"] == by


def test_r5_the_horizon_and_the_level_decide_when(comity: Comity, log: str) -> None:
    def first(*words: str) -> int:
        alarms = comity("watch", log, "--json", *words).json["alarms"]
        return min(one["at_conflict"] for one in alarms if one["level"] == "warning")

    assert first() == 12
    assert first("--horizon", "100", "--alpha", "0.1") == 7
    assert first("--alpha", "0.0001") == 16
    assert first("--policy", "static") == 9
    assert first("--limit-streak", "4") == 5
    assert first("--limit-wait", "2d") == 4
    assert first("--limit-wait", "172800") == 4


def test_a_period_can_be_cut_out(comity: Comity, log: str) -> None:
    said = comity("watch", log, "--since", "1970-01-05", "--until", "1970-01-12", "--json")
    assert (said.code, said.json["conflicts"]) == (0, 7)


def test_r5_the_digest_is_plain_text(comity: Comity, log: str) -> None:
    said = comity("watch", log, "--digest")
    head = "Week from 1970-01-19: 1 conflict, 3 claims. A person should look: 3 alarms stand,"
    assert (said.code, said.out.splitlines()[0]) == (11, f"{head} none of them new.")
    told = comity("watch", log, "--digest", "--json").json
    assert told["digest"].splitlines()[0] == said.out.splitlines()[0]


def test_d3_gains_of_the_log_are_shown(comity: Comity, here: Path) -> None:
    gains = [ClaimGain(DAY * day, "ads", "A", True, 100, 20) for day in range(19)]
    (here / "gains.csv").write_text(claims_csv(DAYS, gains))
    assert "gains less than half of what it claims" in comity("watch", "gains.csv").out


def test_without_winners_only_other_rules_are_shown_and_it_says_so(
    comity: Comity, here: Path
) -> None:
    rows = [f"{at},gpu,{name},1" for at in range(9) for name in "abc"]
    (here / "bare.csv").write_text("\n".join([HEADER, *rows]))
    said = comity("watch", "bare.csv")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("9 conflicts over gpu: the log does not say who won")
    assert "\nlosses, c = 1 " in said.out
    assert comity("watch", "bare.csv", "--json").json["what_if"]["kind"] == "what_if"


def test_the_claims_are_drawn(comity: Comity, log: str, here: Path) -> None:
    said = comity("watch", log, "--svg", "wins.svg")
    assert (said.code, said.err) == (11, "drawn: wins.svg\n")
    ET.fromstring((here / "wins.svg").read_text())  # noqa: S314  # our own text


def test_a_log_is_never_drawn_over(comity: Comity, log: str, here: Path) -> None:
    before = (here / log).read_text()
    assert comity("watch", log, "--svg", log).code == 2
    assert (here / log).read_text() == before


def test_k4_without_a_file_the_ledger_is_looked_at(comity: Comity, here: Path) -> None:
    for _ in range(12):
        record_conflict(dict(ABC), "A", "gpu")
    said = comity("watch")
    assert (said.code, said.out.splitlines()[0].split(".")[0]) == (
        11, "12 conflicts over gpu: a person should look",
    )  # fmt: skip
    assert comity("watch", "--policy", "static").code == 11


def test_a_policy_that_the_ledger_states_is_not_overruled(comity: Comity, here: Path) -> None:
    open_desk("comity.db", {"rule": "losses", "c": 2}, name=DESK)
    comity("claim", "gpu", "--agent", "A", "--priority", "1")
    said = comity("watch", "--json")
    assert (said.code, said.json["policy"]) == (0, {"rule": "losses", "c": 2})
    refused = comity("watch", "--policy", "static")
    assert refused.code == 2
    assert "--policy: is given beside claims whose policy the ledger states" in refused.err
    assert comity("watch", "--desk", "clams").code == 2


def test_g7_no_claims_anywhere_says_how_to_get_a_log(comity: Comity, here: Path) -> None:
    said = comity("watch")
    assert said.code == 2
    assert "claims: are nowhere: no file is named, and ledger" in said.err
    assert "comity.record_conflict" in said.err
    assert list(here.iterdir()) == []


def test_g7_every_word_that_cannot_be_read_is_told_at_once(comity: Comity, log: str) -> None:
    said = comity(
        "watch", log, "--by", "wek", "--policy", "loses", "--horizon", "0", "--alpha", "1",
        "--limit-streak", "x", "--limit-wait", "soon", "--since", "then", "--until", "now",
        "--c", "x",
    )  # fmt: skip
    assert said.code == 2
    for whose in (
        "--by: is 'wek'", "rule 'loses'", "--horizon", "--alpha: is '1'", "--limit-streak",
        "--limit-wait", "--since", "--until", "--c is 'x'",
    ):  # fmt: skip
        assert whose in said.err
    assert "did you mean 'week'" in said.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--c", "2"), "--c: is given without --policy"),
        (("--policy", "static", "--c", "2"), "c: is given, and static_priority takes none"),
        (("--alpha", "x"), "--alpha is 'x'"),
        (("--alpha", "0"), "a chance between 0 and 1"),
        (("--desk", "team"), "--desk: is given beside a file"),
        (("--since", "1990-01-01"), "keep none of 19 conflicts"),
        (("--polcy", "x"), "did you mean '--policy'"),
    ],
)
def test_a_wrong_word_is_told_with_what_to_do(
    comity: Comity, log: str, words: tuple[str, ...], told: str
) -> None:
    said = comity("watch", log, *words)
    assert said.code == 2
    assert told in said.err


def test_faults_of_the_file_come_with_their_lines(comity: Comity, here: Path) -> None:
    (here / "bad.csv").write_text(f"{HEADER},won\n1,r,a,x,no\n1,r,b,1,maybe\n")
    said = comity("watch", "bad.csv", "--json")
    assert (said.code, said.json["kind"]) == (2, "error")
    assert [one["whose"] for one in said.json["faults"]] == ["bad.csv line 2", "bad.csv line 3"]


def test_the_help_has_three_examples_and_its_exit_codes(comity: Comity) -> None:
    said = comity("watch", "--help")
    examples = said.out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity watch ") == 3
    assert "Exit code 0 when no alarm stands, 11 when a warning or a critical alarm" in " ".join(
        said.out.split()
    )


TORN = "".join(
    f"{600 * slot + at},slot,{name},1,{'yes' if name == 'a' else 'no'}\n"
    for slot in range(19) for at, name in enumerate("abc")
)  # fmt: skip


def test_r5_claims_that_come_at_different_times_are_one_conflict_within_a_window(
    comity: Comity, here: Path
) -> None:
    (here / "torn.csv").write_text(f"{HEADER},won\n{TORN}")
    said = comity("watch", "torn.csv")
    assert said.code == 0
    assert said.out.startswith("57 conflicts over slot: no alarm, but look at the hint.\n\nHints")
    assert "57 of 57 conflicts have one claimant" in said.out
    assert "give --window, such as --window 5m" in said.out
    whole = comity("watch", "torn.csv", "--window", "5m")
    assert whole.code == 11
    assert whole.out.startswith(
        "19 conflicts over slot: a person should look. b and c have not won slot for 3 h (19"
    )
    replayed = comity("whatif", "torn.csv", "--window", "5m", "--rule", "first_come", "--json")
    assert replayed.json["rows"][1]["wins"] == {"a": 19, "b": 0, "c": 0}


def test_r2_resources_of_a_pattern_are_one_scope(comity: Comity, here: Path) -> None:
    won = {True: "yes", False: "no"}
    rows = "".join(
        f"2026-01-{day:02},slot-2026-01-{day:02},{name},1,{won[name == 'ab'[day % 2]]}\n"
        for day in range(1, 20) for name in "abc"
    )  # fmt: skip
    (here / "days.csv").write_text(f"{HEADER},won\n{rows}")
    torn = comity("watch", "days.csv")
    assert torn.code == 0
    assert "19 of 19 resources occur once" in torn.out
    assert "give --scope 'slot-2026-01-*'" in torn.out
    said = comity("watch", "days.csv", "--scope", "slot-*")
    assert said.code == 11
    assert said.out.startswith(
        "19 conflicts over slot-*: a person should look. c has not won slot-* for 19 days (19"
        " claims, 19 losses in a row); "
    )
    assert comity("watch", "days.csv", "--scope", "slto-*").code == 2


def test_unknown_columns_are_told_on_stderr(comity: Comity, log: str, here: Path) -> None:
    text = (here / log).read_text().replace("true", "true,eu").replace("false", "false,eu")
    (here / "wide.csv").write_text(text.replace("won\n", "won,region\n"))
    said = comity("watch", "wide.csv")
    assert (said.code, said.err) == (11, "ignored: the unknown column 'region'\n")
    assert comity("whatif", "wide.csv", "--quiet").err == ""


def test_k4_a_desk_that_others_decided_for_shows_no_bound(comity: Comity, here: Path) -> None:
    for _ in range(3):
        record_conflict(dict(ABC), "A", "gpu")
    said = comity("watch")
    assert said.code == 0
    assert "Promised: nothing: decided by others, and recorded here." in said.out
    assert comity("watch", "--json").json["policy"] is None
    stated = comity("watch", "--policy", "round_robin", "--json")
    assert stated.json["alarms"][0]["kind"] == "bound_broken"


def test_r5_a_desk_whose_rules_have_changed_is_held_to_each_for_what_it_decided(
    comity: Comity, here: Path
) -> None:
    with Arbiter("comity.db", Policy(rule="static_priority")) as desk:
        for _ in range(20):
            desk.decide(dict(ABC), "gpu")
        desk.change(Policy(c=2))
        desk.record(dict(ABC), "A", "gpu")
        for _ in range(6):
            desk.decide(dict(ABC), "gpu")
    said = comity("watch", "--json").json
    assert "bound_broken" not in {one["kind"] for one in said["alarms"]}
    assert said["notes"][-1].startswith("the rules have changed: 20 conflicts by static_priority")
    assert said["promise"].endswith("nothing of the 1 of 27 conflicts that others decided")
    assert comity("whatif", "--rule", "losses", "--json").json["conflicts"] == 27


def test_r2_a_window_is_for_files_and_a_scope_for_desks_that_count_by_resource(
    comity: Comity, here: Path
) -> None:
    open_desk("comity.db", {"rule": "losses", "scope": "global"}, name=DESK)
    comity("claim", "gpu", "--agent", "A", "--priority", "1")
    refused = comity("watch", "--window", "5m")
    assert (refused.code, "--window: is given without a file" in refused.err) == (2, True)
    refused = comity("watch", "--scope", "g*")
    assert (refused.code, "losses of this desk count by global" in refused.err) == (2, True)
