"""Comity negotiate: files, prompts, scores; who sits where; how it ends."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comity.cli import negotiate

PROMPT = "Use negotiation to decide on meetings. CC=Focus, CX=Contact."
FOOTER = [
    "[DONE] - Consensus reached.",
    "SKILL: negotiation",
    "STATUS: DONE",
    "TURNS: 5",
    "OUTPUT: out/m.md",
    "PARTICIPANTS: CC (Focus), CX (Contact)",
    "CONSENSUS: Achieved",
]


@pytest.fixture
def nothing_on_path(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no program be on PATH, and put a list where a table is expected."""
    monkeypatch.setenv("PATH", str(here))
    (here / "list.json").write_text("[1]")


def scripted(name: str) -> tuple[str, ...]:
    return ("--agent", f"CC=script:{name}", "--agent", f"CX=script:{name}")


def test_c6_the_footer_is_the_end_of_stdout_and_of_the_document(
    comity: Callable[..., Any], here: Path, script: str
) -> None:
    said = comity("negotiate", PROMPT + " Output: out/m.md", *scripted(script))
    assert said.code == 0
    assert said.out.rstrip("\n").split("\n")[-7:] == FOOTER
    document = (here / "out" / "m.md").read_text()
    assert document.rstrip("\n").split("\n")[-7:] == FOOTER
    assert "no meeting before noon" in document


def test_talk_goes_to_stderr_and_quiet_leaves_it_out(
    comity: Callable[..., Any], script: str
) -> None:
    loud = comity("negotiate", PROMPT, *scripted(script))
    assert "CX states its position" in loud.err
    assert "CX proposes" in loud.err
    assert "recorded as d_" in loud.err
    assert "proposes" not in loud.out
    quiet = comity("negotiate", PROMPT, *scripted(script), "--quiet")
    assert quiet.err == ""
    assert quiet.out == loud.out


def test_c1_one_transcript_for_all_seats_fixes_the_speaking_order(
    comity: Callable[..., Any], script: str
) -> None:
    told = comity("negotiate", PROMPT, *scripted(script), "--json").json
    assert dict(told["grounds"]["parameters"])["order"] == ["CX", "CC"]
    assert told["grounds"]["ties"] == []


def test_an_order_that_is_given_wins_over_the_transcript(
    comity: Callable[..., Any], script: str
) -> None:
    told = comity("negotiate", PROMPT, *scripted(script), "--order", "CC, CX", "--json").json
    assert dict(told["grounds"]["parameters"])["order"] == ["CC", "CX"]


def test_the_json_has_the_result_and_where_it_is_kept(
    comity: Callable[..., Any], script: str
) -> None:
    said = comity("negotiate", PROMPT, *scripted(script), "--output", "m.md", "--json")
    told = said.json
    assert list(told)[:2] == ["v", "kind"]
    assert (told["v"], told["kind"], told["status"]) == (1, "agreement", "DONE")
    assert (told["turns"], told["output"]) == (5, "m.md")
    assert told["session"].startswith("d_")
    assert "deal" not in told


def test_c5_no_agreement_is_incomplete_with_exit_code_10(
    comity: Callable[..., Any], script: str
) -> None:
    said = comity("negotiate", PROMPT, *scripted(script), "--max-turns", "3", "--json")
    assert said.code == 10
    told = said.json
    assert (told["kind"], told["status"], told["reason"]) == (
        "no_deal",
        "INCOMPLETE",
        "round_limit",
    )
    assert told["output"] is None
    text = comity("negotiate", PROMPT, *scripted(script), "--max-turns", "3")
    assert "[INCOMPLETE]\nSKILL: negotiation" in text.out
    assert "Closest draft" in text.out


def test_c4_a_scenario_file_with_rational_seats_needs_nobody(
    comity: Callable[..., Any], auth: str
) -> None:
    said = comity("negotiate", auth, "--seed", "7", "--json", "--svg", "who.svg")
    assert said.code == 0
    assert said.json["deal"][:2] == ["tls-handshake-then-symmetric", "at-least-once"]
    assert len(said.json["deal"]) == 5
    assert comity("replay", "last").out == "same\n"


def test_a_seed_decides_every_lot(comity: Callable[..., Any], auth: str) -> None:
    first = comity("negotiate", auth, "--seed", "7", "--json").json
    again = comity("negotiate", auth, "--seed", "7", "--json").json
    assert {**first, "session": ""} == {**again, "session": ""}


def test_options_win_over_the_file(comity: Callable[..., Any], here: Path, auth: str) -> None:
    (here / "work.md").write_text("# The spec\n")
    words = ("--max-turns", "4", "--order", "GM,CC,CX", "--work", "work.md", "--output", "o.md")
    said = comity("negotiate", auth, *words, "--json")
    parameters = dict(said.json["grounds"]["parameters"])
    assert parameters["max_turns"] == 4
    assert parameters["order"] == ["GM", "CC", "CX"]
    assert said.json["output"] == "o.md"
    entries = comity("ledger", "last", "--json").json["entries"]
    assert entries[0]["body"]["rules"]["work"] == "# The spec\n"


def test_a_prompt_may_come_from_stdin(
    comity: Callable[..., Any], script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = SimpleNamespace(buffer=io.BytesIO(PROMPT.encode()), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", stdin)
    assert comity("negotiate", "-", *scripted(script)).code == 0


def test_a_prompt_may_stand_in_a_file(comity: Callable[..., Any], here: Path, script: str) -> None:
    (here / "ask.txt").write_text(f"{PROMPT}\nOutput: o.md\n")
    said = comity("negotiate", "ask.txt", *scripted(script), "--json")
    assert said.code == 0
    assert said.json["output"] == "o.md"


def test_a_long_prompt_is_not_taken_for_the_name_of_a_file(
    comity: Callable[..., Any], script: str
) -> None:
    assert comity("negotiate", PROMPT + " " + "x" * 5000, *scripted(script)).code == 0


def test_a_prompt_may_leave_the_question_to_its_work_file(
    comity: Callable[..., Any], here: Path, script: str
) -> None:
    (here / "w.md").write_text("\n# How often do we meet?\nDetails.\n")
    said = comity("negotiate", "CC=Focus, CX=Contact. work: w.md", *scripted(script), "--json")
    assert said.json["record"]["question"] == "How often do we meet?"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "lacks what to decide"),
        (("auht.toml",), "did you mean 'auth.toml'"),
        (("nothing",), "does not exist"),
        (("no seats in this prompt",), "it names no seats"),
        (("auth.toml", "--max-turns", "0"), "a whole number of 1 or more"),
        (("auth.toml", "--order", "CC,CX"), "each of CC, CX, GM once"),
        (("auth.toml", "--agent", "CC"), "write --agent SEAT=HOW"),
        (("auth.toml", "--agent", "CC=person", "--agent", "CC=rational"), "seats 'CC' twice"),
        (("auth.toml", "--agent", "ZZ=rational"), "names 'ZZ', which has no seat here"),
        (("auth.toml", "--agent", "CC=ratonal"), "did you mean 'rational'"),
        (("auth.toml", "--output", "../x.md"), "add --allow-outside"),
        (("auth.toml", "--game", "base"), "lacks --scores FILE"),
        (("price.toml",), "use `comity run price.toml`"),
        (("list.json",), "is no table"),
        ((PROMPT,), "--agent CC=claude|model:NAME@URL|command:...|rational|person|script:FILE"),
        ((PROMPT, "--agent", "auto"), "is not on PATH"),
        ((PROMPT, "--agent", "CC=rational", "--agent", "CX=rational"), "no terms to value"),
    ],
)
@pytest.mark.usefixtures("auth", "price", "nothing_on_path")
def test_wrong_input_is_refused_with_what_to_do(
    comity: Callable[..., Any], words: Any, told: Any
) -> None:
    said = comity("negotiate", *words)
    assert said.code == 2
    assert told in said.err


def test_a_document_outside_the_folder_needs_a_word_for_it(
    comity: Callable[..., Any], here: Path, auth: str
) -> None:
    said = comity("negotiate", auth, "--output", "../outside.md", "--allow-outside")
    assert said.code == 0
    assert (here.parent / "outside.md").exists()


def test_the_settings_seat_what_nobody_seated(
    comity: Callable[..., Any], here: Path, script: str
) -> None:
    (here / "comity.toml").write_text(
        f'[seats]\nCC = "script:{script}"\nCX = "script:{script}"\nZZ = "person"\n'
    )
    assert comity("negotiate", PROMPT).code == 0


def test_a_files_scripts_are_found_beside_the_file(
    comity: Callable[..., Any], here: Path, script: str
) -> None:
    (here / "sub").mkdir()
    (here / script).rename(here / "sub" / script)
    (here / "sub" / "meet.toml").write_text(
        'kind = "consent"\nquestion = "Meetings?"\n'
        f'[seats.CC]\npriority = "Focus"\nagent = "script:{script}"\n'
        f'[seats.CX]\npriority = "Contact"\nagent = "script:{script}"\n'
    )
    said = comity("negotiate", "sub/meet.toml", "--json")
    assert said.code == 0
    assert dict(said.json["grounds"]["parameters"])["order"] == ["CX", "CC"]


def test_auto_seats_the_programs_that_are_on_path(
    comity: Callable[..., Any], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = here / "claude"
    program.write_text("#!/bin/sh\ncat > /dev/null\necho '[DONE]'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{here}:/usr/bin:/bin")
    said = comity("negotiate", PROMPT, "--agent", "auto", "--agent", "CX=command:echo [DONE]")
    assert said.code == 10
    opened = comity("ledger", "last", "--json").json["entries"][0]["body"]
    assert opened["agents"]["CC"] == "claude"


# --- score files -----------------------------------------------------------------------------

GAMES = {
    "tiny": {
        "issues": [["A1", "A2"], ["B1", "B2"]],
        "parties": {
            "p1": {"name": "One", "threshold": 5, "scores": [[4, 1], [1, 4]]},
            "p2": {"name": "Two", "threshold": 5, "scores": [[4, 1], [1, 4]]},
        },
    },
    "hopeless": {
        "issues": [["A1", "A2"], ["B1", "B2"]],
        "parties": {
            "p1": {"name": "One", "threshold": 8, "scores": [[4, 0], [4, 0]]},
            "p2": {"name": "Two", "threshold": 8, "scores": [[0, 4], [0, 4]]},
        },
    },
}


@pytest.fixture
def games(here: Path) -> str:
    (here / "games.json").write_text(json.dumps(GAMES))
    return "games.json"


def test_a_score_game_gives_the_deal_in_the_order_of_the_issues(
    comity: Callable[..., Any], games: str
) -> None:
    said = comity("negotiate", "--scores", games, "--game", "tiny", "--seed", "1", "--json")
    assert said.code == 0
    assert said.json["deal"] == ["A1", "B2"]
    assert said.json["turns"] > 0


def test_a_score_game_without_a_deal_says_null(comity: Callable[..., Any], games: str) -> None:
    said = comity("negotiate", "--scores", games, "--game", "hopeless", "--seed", "1", "--json")
    assert said.code == 10
    assert said.json["deal"] is None


def test_a_score_game_takes_a_limit_of_turns(comity: Callable[..., Any], games: str) -> None:
    words = ("negotiate", "--scores", games, "--game", "tiny", "--seed", "1", "--max-turns", "2")
    assert comity(*words, "--json").json["reason"] == "round_limit"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--scores", "games.json"), "lacks --game NAME"),
        (("--scores", "games.json", "--game", "tony"), "did you mean 'tiny'"),
        (("--scores", "gone.json", "--game", "tiny"), "cannot be read"),
        (("auth.toml", "--scores", "games.json", "--game", "tiny"), "beside a score file"),
        (("--scores", "games.json", "--game", "tiny", "--order", "p1,p2"), "--order"),
    ],
)
def test_wrong_words_about_scores_are_refused(
    comity: Callable[..., Any], games: str, words: Any, told: Any
) -> None:
    said = comity("negotiate", *words)
    assert said.code == 2
    assert told in said.err


def test_a_path_that_no_system_takes_is_a_prompt() -> None:
    assert not negotiate._is_there(negotiate.Path("x\0y"))


@pytest.mark.parametrize("target", ["said.txt", "w.txt", "p.txt", "comity.db", "comity.db-wal"])
@pytest.mark.parametrize("flag", ["--output", "--svg"])
def test_what_is_written_spares_the_files_of_the_call(
    comity: Callable[..., Any], here: Path, script: str, flag: str, target: str
) -> None:
    (here / "p.txt").write_text(PROMPT)
    (here / "w.txt").write_text("work")
    before = {one.name: one.read_text() for one in here.iterdir()}
    said = comity("negotiate", "p.txt", "--work", "w.txt", *scripted(script), flag, target)
    assert said.code == 2
    assert f"{flag} '{target}'" in said.err
    assert {one.name: one.read_text() for one in here.iterdir()} == before


def test_a_drawing_is_not_the_document_and_stays_in_the_folder(
    comity: Callable[..., Any], here: Path, auth: str
) -> None:
    same = comity("negotiate", auth, "--output", "o", "--svg", "o")
    assert (same.code, "uses otherwise" in same.err) == (2, True)
    assert "lies outside" in comity("negotiate", auth, "--svg", "../x.svg").err
    assert not (here / "comity.db").exists()


def test_a_scenario_and_a_score_file_are_spared(
    comity: Callable[..., Any], here: Path, auth: str
) -> None:
    before = (here / auth).read_bytes()
    for flag in ("--output", "--svg"):
        assert comity("negotiate", auth, flag, auth).code == 2
    assert (here / auth).read_bytes() == before
    games = Path(__file__).resolve().parents[3] / "examples" / "games.json"
    (here / "g.json").write_bytes(games.read_bytes())
    words = ("--scores", "g.json", "--game", "offsite", "--seed", "7")
    assert "uses otherwise" in comity("negotiate", *words, "--svg", "g.json").err
    assert (here / "g.json").read_bytes() == games.read_bytes()


def test_a_failing_run_leaves_no_drawing(comity: Callable[..., Any], here: Path) -> None:
    said = comity("negotiate", PROMPT, "--no-input", "--svg", "x.svg")
    assert said.code == 2
    assert list(here.iterdir()) == []


def test_an_empty_output_is_refused(comity: Callable[..., Any], auth: str, here: Path) -> None:
    said = comity("negotiate", auth, "--output", "")
    assert said.code == 2
    assert "error: --output: is ''" in said.err
    assert not (here / "comity.db").exists()


@pytest.mark.parametrize("nothing", ["", "  "])
def test_nothing_to_decide_is_said_so(comity: Callable[..., Any], nothing: str) -> None:
    said = comity("negotiate", nothing)
    assert said.code == 2
    assert "is given nothing to decide" in said.err
