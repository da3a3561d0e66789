"""app.py: what every door can ask for, on a real ledger and a fake clock (K1, K2, K4, C6)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comity import __version__
from comity.app import (
    App,
    Decided,
    Event,
    document_path,
    new_seed,
    transcript_order,
    write_document,
)
from comity.core.errors import InvalidInput, UnknownName
from comity.formats.scenario import Scenario, read_scenario, scenario_from
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.runner.local import LocalRunner
from comity.session.record import PRIVATE, SEALED, Opening
from comity.testing.agents import FailingAgent, RecordingAgent, ScriptedAgent
from comity.testing.clock import FakeClock
from comity.testing.crash import Crashed, scene_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
START_MS = 1_700_000_000_000


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db")


@pytest.fixture
def app(place: str) -> Iterator[App]:
    with App(place, clock=FakeClock(START_MS)) as made:
        yield made


def auth(output: str = "") -> Scenario:
    found = read_scenario(EXAMPLES / "auth-protocol.toml", seed="1")
    return with_output(found, output) if output else found


def with_output(scenario: Scenario, output: str) -> Scenario:
    return Scenario(
        kind=scenario.kind,
        title=scenario.title,
        rules={**scenario.rules, "output": output},
        agents=scenario.agents,
        private=scenario.private,
        output=output,
    )


def words(seats: str = "CC CX", **more: Any) -> Scenario:
    data = {
        "kind": "consent",
        "question": "Tea or coffee?",
        "seats": {seat: {"priority": f"the case of {seat}"} for seat in seats.split()},
        "order": seats.split(),
        **more,
    }
    return scenario_from(data, whose="tea.toml", folder=Path(), seed="1")


def done(app: App, tmp_path: Path, **more: Any) -> Decided:
    """Decide a small question in which everybody is done at once."""
    lines = {"position": "PRIORITY: x", "turn": "[DONE]"}
    agents = {seat: ScriptedAgent(lines) for seat in ("CC", "CX")}
    return app.decide(words(**more), {}, folder=tmp_path, agents=agents)


# --- deciding --------------------------------------------------------------------------------


def test_a_scenario_is_decided_recorded_and_told(app: App, tmp_path: Path) -> None:
    decided = app.decide(auth("out/protocol.md"), {}, folder=tmp_path)
    assert isinstance(decided.outcome, ConsentAgreement)
    assert decided.session.startswith("d_")
    assert decided.opening.made_by == __version__
    assert decided.opening.agents == dict.fromkeys(("CC", "CX", "GM"), "rational")
    assert decided.calls == len(app.messages(decided.session)) > 5
    assert decided.written == "out/protocol.md"
    assert (tmp_path / "out" / "protocol.md").read_text("utf-8") == decided.document
    assert decided.document.rstrip().endswith(decided.footer.rstrip())
    assert "OUTPUT: out/protocol.md" in decided.footer
    assert app.outcome(decided.session) == decided.outcome
    assert app.replay(decided.session).same
    assert app.verify().ok


def test_scores_are_in_their_own_seats_private_entry_and_nowhere_else(
    app: App, tmp_path: Path
) -> None:
    decided = app.decide(auth(), {}, folder=tmp_path)
    everything = app.ledger.read(decided.session, everything=True)
    tables = {one.party: one.body for one in everything if one.kind == PRIVATE}
    assert sorted(tables, key=str) == ["CC", "CX", "GM"]
    assert tables["CX"]["reservation"] == auth().private["CX"]["reservation"]
    public = [one.body for one in app.entries(decided.session)]
    assert "reservation" not in json.dumps(public, default=dict)
    for seat in tables:
        seen = [one for one in app.ledger.read(decided.session, party=seat) if one.party]
        assert [one.party for one in seen] == [seat]


def test_a_decision_without_a_document_writes_none(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    decided = done(app, folder)
    assert (decided.written, list(folder.iterdir())) == ("", [])
    assert "Tea or coffee?" in decided.document
    assert "OUTPUT: none" in decided.footer


def test_the_document_is_written_when_there_is_no_agreement_too(app: App, tmp_path: Path) -> None:
    decided = done(app, tmp_path, output="tea.md")
    assert isinstance(decided.outcome, ConsentNoDeal)
    assert "[INCOMPLETE]" in (tmp_path / "tea.md").read_text("utf-8")


def test_a_kind_that_is_decided_at_once_has_no_document(app: App, tmp_path: Path) -> None:
    scenario = read_scenario(EXAMPLES / "price.toml", seed="1")
    decided = app.decide(scenario, {}, folder=tmp_path)
    assert decided.outcome.kind == "agreement"
    assert (decided.document, decided.footer, decided.calls) == ("", "", 0)
    assert app.outcome(decided.session) == decided.outcome


def test_seats_of_the_caller_win_over_those_of_the_scenario(app: App, tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text('["PRIORITY: x", "[DONE]"]', "utf-8")
    seats = dict.fromkeys(("CC", "CX", "GM"), "script:talk.txt")
    decided = app.decide(auth(), seats, folder=tmp_path)
    assert decided.opening.agents == seats
    private = [one for one in app.ledger.read(decided.session, everything=True) if one.party]
    assert [one.body["lines"] for one in private] == [("PRIORITY: x", "[DONE]")] * 3


def test_a_person_is_asked_through_the_prompt(app: App, tmp_path: Path) -> None:
    asked: list[str] = []

    def prompt(seat: str, brief: str) -> str | None:
        asked.append(seat)
        return None

    seats = {"CC": "person", "CX": "person"}
    decided = app.decide(words(stall=2), seats, folder=tmp_path, prompt=prompt)
    assert {"CC", "CX"} == set(asked)
    assert decided.outcome.kind == "no_deal"


def test_agents_of_the_callers_own_are_recorded_as_such(app: App, tmp_path: Path) -> None:
    calls: list[str] = []
    lines = {"position": "PRIORITY: x", "turn": "[DONE]"}
    own = {"CC": RecordingAgent(ScriptedAgent(lines), calls)}
    (tmp_path / "cx.txt").write_text('["PRIORITY: x", "[DONE]"]', "utf-8")
    decided = app.decide(words(), {"CX": "script:cx.txt"}, folder=tmp_path, agents=own)
    assert decided.opening.agents == {"CC": "own", "CX": "script:cx.txt"}
    assert calls == [f"{decided.session}/a1", f"{decided.session}/a3"]


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        ({"CC": "rational"}, "CX still without an agent"),
        ({}, "--agent CC=claude|model:NAME@URL|command:...|rational|person|script:FILE"),
        ({"CC": "ratoinal", "CX": "person"}, "'ratoinal'"),
        ({"CC": "person", "CX": "person", "XX": "person"}, "names 'XX', which has no seat here"),
        ({"CC": "script:gone.txt", "CX": "person"}, "gone.txt"),
        ({"CC": "rational", "CX": "rational"}, "no terms to value"),
        ({"CC": "person", "CX": "person"}, "there is no terminal"),
    ],
)
def test_a_seat_that_cannot_be_seated_is_told_before_anything_is_recorded(
    seats: Mapping[str, str], said: str, app: App, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as caught:
        app.decide(words(), seats, folder=tmp_path)
    assert said in str(caught.value)
    assert app.sessions() == ()


def test_every_fault_of_every_seat_is_told_at_once(app: App, tmp_path: Path) -> None:
    seats = {"CC": "ratoinal", "CX": "script:gone.txt", "XX": "person"}
    with pytest.raises(InvalidInput) as caught:
        app.decide(words("CC CX GM"), seats, folder=tmp_path)
    assert len(caught.value.faults) == 4


def test_a_kind_without_seats_takes_none(app: App, tmp_path: Path) -> None:
    scenario = read_scenario(EXAMPLES / "price.toml", seed="1")
    with pytest.raises(InvalidInput, match=r"Allowed: none"):
        app.decide(scenario, {"CC": "person"}, folder=tmp_path)


def test_listeners_hear_what_happens(place: str, tmp_path: Path) -> None:
    heard: list[Event] = []
    with App(place, listen=heard.append) as app:
        done(app, tmp_path)
    assert heard[0].kind == "opened"
    assert heard[-1].kind == "sealed"


# --- where documents go ----------------------------------------------------------------------


@pytest.mark.parametrize("output", ["../out.md", "/out.md", "a/../../out.md", "link/out.md"])
def test_c6_a_document_outside_the_folder_needs_to_be_wanted(
    output: str, app: App, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(InvalidInput, match="outside the working directory"):
        app.decide(auth(output), {}, folder=folder)
    assert app.sessions() == ()
    path = document_path(output, folder, allow_outside=True)
    assert path.name == "out.md"
    assert not path.is_relative_to(folder)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (".", "is a folder"),
        ("sub", "is a folder"),
        ("file/x.md", "lies below a file"),
        ("a\x00b", "is no path"),
    ],
)
def test_a_document_that_could_not_be_written_is_told_before_anybody_is_asked(
    output: str, said: str, app: App, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InvalidInput, match=said):
        app.decide(auth(output), {}, folder=tmp_path)
    assert app.sessions() == ()


def test_a_document_that_is_wanted_outside_is_written_there(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    app.decide(auth("../out.md"), {}, folder=folder, allow_outside=True)
    assert (tmp_path / "out.md").exists()


def test_a_document_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folders" / "x.md"
    write_document(path, "first")
    write_document(path, "zweiter, für alle")
    assert path.read_text("utf-8") == "zweiter, für alle"
    assert list(path.parent.iterdir()) == [path]


def test_a_document_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    write_document(path, "first")
    with pytest.raises(UnicodeEncodeError):
        write_document(path, "half \ud800")
    assert path.read_text("utf-8") == "first"
    assert list(tmp_path.iterdir()) == [path]


# --- resuming --------------------------------------------------------------------------------


def crashed(place: str, scenario: Scenario, point: int, tmp_path: Path) -> None:
    """Leave a session as a process does that dies at a point."""
    scene = scene_of(scenario, folder=tmp_path, session="d_1")
    reached = 0

    def probe(name: str) -> None:
        nonlocal reached
        reached += 1
        if reached == point:
            raise Crashed(name)

    with App(place) as app:
        runner = LocalRunner(app.ledger, clock=FakeClock(START_MS), probe=probe)
        with suppress(Crashed):
            session = runner.start(scene.session, scene.opening, scene.private)
            runner.run(session, scene.agents())
    assert reached == point


@pytest.mark.parametrize("point", [2, 3, 20, 23])
def test_a_session_that_a_process_left_is_run_to_its_end(
    point: int, place: str, tmp_path: Path
) -> None:
    with App(str(tmp_path / "other.db")) as other:
        expected = other.decide(auth("out.md"), {}, folder=tmp_path)
    crashed(place, auth("out.md"), point, tmp_path)
    with App(place, clock=FakeClock(START_MS)) as app:
        assert app.sessions()[0].result == "open"
        assert app.outcome("d_1") is None
        decided = app.resume("d_1", folder=tmp_path)
        assert decided.outcome == expected.outcome
        assert decided.document == expected.document.replace(expected.session, "d_1")
        assert app.outcome("d_1") == expected.outcome


def test_a_session_that_has_ended_is_told_again_and_its_document_written_again(
    app: App, tmp_path: Path
) -> None:
    decided = app.decide(auth("out.md"), {}, folder=tmp_path)
    (tmp_path / "out.md").unlink()
    before = app.entries(decided.session)
    again = app.resume(decided.session, folder=tmp_path)
    assert replace(again, opening=decided.opening) == decided
    assert again.opening.to_json() == decided.opening.to_json()
    assert (tmp_path / "out.md").read_text("utf-8") == decided.document
    assert app.entries(decided.session) == before


def test_a_script_is_resumed_from_the_record_when_its_file_is_gone(
    place: str, tmp_path: Path
) -> None:
    script = tmp_path / "talk.txt"
    script.write_text('["PRIORITY: x", "[DONE]"]', "utf-8")
    data = {
        "kind": "consent",
        "question": "q",
        "seats": {seat: {"priority": "a", "agent": "script:talk.txt"} for seat in ("CC", "CX")},
    }
    crashed(place, scenario_from(data, whose="x", folder=tmp_path, seed="1"), 6, tmp_path)
    script.unlink()
    with App(place) as app:
        assert app.resume("d_1", folder=tmp_path).outcome.kind == "no_deal"


def test_a_session_with_seats_of_another_program_is_not_resumed_here(
    app: App, tmp_path: Path
) -> None:
    runner = LocalRunner(app.ledger)
    rules = words().rules
    runner.start(
        "d_1", Opening(kind="consent", title="q", rules=rules, agents={"CC": "own", "CX": "own"})
    )
    with pytest.raises(InvalidInput, match="the program that opened the session"):
        app.resume("d_1", folder=tmp_path)


def test_the_program_that_opened_a_session_resumes_it_with_its_own_agents(
    app: App, tmp_path: Path
) -> None:
    runner = LocalRunner(app.ledger)
    rules = words().rules
    runner.start(
        "d_1", Opening(kind="consent", title="q", rules=rules, agents={"CC": "own", "CX": "own"})
    )
    own = {seat: ScriptedAgent(["PRIORITY: x", "[DONE]"]) for seat in ("CC", "CX")}
    decided = app.resume("d_1", folder=tmp_path, agents=own)
    assert decided.outcome.kind == "no_deal"
    assert app.replay("d_1").same


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_document_never_replaces_a_ledger(
    app: App, place: str, tmp_path: Path, end: str
) -> None:
    assert app.sessions() == ()
    with pytest.raises(InvalidInput, match="is a ledger, or another database"):
        app.decide(auth(Path(place).name + end), {}, folder=tmp_path)
    assert app.verify().ok


def test_a_name_too_long_for_a_file_is_refused_before_anybody_is_asked(
    app: App, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match="is no path"):
        app.decide(auth("x" * 300 + ".md"), {}, folder=tmp_path)


def test_a_session_with_programs_or_a_document_goes_on_only_where_it_was_opened(
    app: App, tmp_path: Path
) -> None:
    runner = LocalRunner(app.ledger)
    here, other = tmp_path / "here", tmp_path / "other"
    for folder in (here, other):
        folder.mkdir()
    rules = words().rules
    scripts = {"CC": "script:a", "CX": "script:b"}
    programs = {**scripts, "CX": "command:echo"}
    for name, agents, output in (("d_1", programs, ""), ("d_2", scripts, "out.md")):
        opening = Opening(
            kind="consent",
            title="q",
            rules={**rules, "output": output},
            agents=agents,
            folder=str(here),
        )
        lines = {"lines": ["PRIORITY: x", "[DONE]"]}
        runner.start(name, opening, {"CC": lines, "CX": lines})
        with pytest.raises(InvalidInput, match=f"was opened in {here}"):
            app.resume(name, folder=other)
        assert app.resume(name, folder=here).outcome.kind == "no_deal"
        assert app.resume(name, folder=other, allow_outside=True).outcome.kind == "no_deal"
    plain = Opening(kind="consent", title="q", rules=rules, agents=scripts, folder=str(here))
    runner.start("d_3", plain, {"CC": {"lines": ["x"]}, "CX": {"lines": ["x"]}})
    assert app.resume("d_3", folder=other).outcome.kind == "no_deal"


# --- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["", "d", "d_", "d_0"])
def test_a_word_of_three_characters_names_no_session(app: App, tmp_path: Path, given: str) -> None:
    """An empty variable of a script must not decide the only case there is."""
    done(app, tmp_path)
    with pytest.raises(InvalidInput, match="its first 4 or more characters"):
        app.full_id(given)


def test_a_session_is_named_by_its_id_or_its_beginning(app: App, tmp_path: Path) -> None:
    first, second = done(app, tmp_path), done(app, tmp_path)
    assert app.full_id(first.session) == first.session
    beginning = first.session[:-1]
    if not second.session.startswith(beginning):
        assert app.full_id(beginning) == first.session
    with pytest.raises(InvalidInput, match="names no session"):
        app.full_id("e_12")


def test_a_beginning_of_two_names_neither(app: App) -> None:
    runner = LocalRunner(app.ledger, clock=FakeClock())
    for name in ("d_abc1", "d_abc2"):
        runner.start(name, Opening(kind="consent", title=name, rules=words().rules))
    with pytest.raises(InvalidInput, match="names 2 sessions"):
        app.full_id("d_abc")


def test_an_id_that_is_the_beginning_of_another_names_itself(app: App) -> None:
    runner = LocalRunner(app.ledger, clock=FakeClock())
    for name in ("d_1", "d_12"):
        runner.start(name, Opening(kind="consent", title=name, rules=words().rules))
    assert app.full_id("d_1") == "d_1"
    assert app.full_id("d_12") == "d_12"


def test_sessions_are_listed_newest_first_with_what_came_out(place: str, tmp_path: Path) -> None:
    clock = FakeClock(START_MS)
    with App(place, clock=clock) as app:
        old = done(app, tmp_path)
        clock.advance(1_000)
        new = app.decide(auth(), {}, folder=tmp_path)
        clock.advance(1_000)
        LocalRunner(app.ledger, clock=clock).start(
            "d_open", Opening(kind="consent", title="Open?", rules=words().rules)
        )
        listed = app.sessions()
        assert [(one.session, one.result, one.at_ms - START_MS) for one in listed] == [
            ("d_open", "open", 2_000),
            (new.session, "agreement", 1_000),
            (old.session, "no_deal", 0),
        ]
        assert listed[1].says == new.outcome.says  # type: ignore[union-attr]
        assert (listed[0].says, listed[0].title) == ("", "Open?")
        assert app.sessions(limit=1) == listed[:1]
        assert listed[2].to_json() == {
            "session": old.session,
            "kind": "consent",
            "title": "Tea or coffee?",
            "at_ms": START_MS,
            "result": "no_deal",
            "says": listed[2].says,
            "ended_by": "exhausted",
        }


def test_messages_are_the_recorded_inputs_in_order(app: App, tmp_path: Path) -> None:
    decided = done(app, tmp_path)
    told: list[Any] = list(app.messages(decided.session))
    assert [(one["party"], one["body"]["text"]) for one in told] == [
        ("CC", "PRIORITY: x"),
        ("CX", "PRIORITY: x"),
        ("CC", "[DONE]"),
        ("CX", "[DONE]"),
    ]


def test_an_open_session_has_no_outcome_and_replays(app: App) -> None:
    runner = LocalRunner(app.ledger, clock=FakeClock())
    runner.start("d_1", Opening(kind="consent", title="q", rules=words().rules))
    assert app.outcome("d_1") is None
    assert app.replay("d_1").same
    assert app.messages("d_1") == ()


def test_entries_are_exported_for_one_session_or_all_oldest_first(
    place: str, tmp_path: Path
) -> None:
    clock = FakeClock(START_MS)
    with App(place, clock=clock) as app:
        first = done(app, tmp_path)
        clock.advance(5)
        second = app.decide(auth(), {}, folder=tmp_path)
        lines = [json.loads(line) for line in app.export("json")]
        scopes = list(dict.fromkeys(one["scope"] for one in lines))
        assert scopes == [first.session, second.session]
        assert not any(one["kind"] == PRIVATE for one in lines)
        assert lines[-1]["kind"] == SEALED
        alone = list(app.export("csv", second.session))
        assert len(alone) == 1 + len(app.entries(second.session))
        assert second.session in alone[1]


def test_verify_finds_a_head_that_never_was(app: App, tmp_path: Path) -> None:
    done(app, tmp_path)
    assert app.verify(head=app.ledger.head()).ok
    assert not app.verify(head="f" * 64).ok


def test_a_ledger_that_must_be_there_is_not_made(tmp_path: Path) -> None:
    with App(str(tmp_path / "none.db"), create=False) as app, pytest.raises(InvalidInput):
        app.sessions()
    assert list(tmp_path.iterdir()) == []


def test_faults_of_a_scenario_are_told_before_a_ledger_is_made(tmp_path: Path) -> None:
    with App(str(tmp_path / "new.db")) as app, pytest.raises(InvalidInput):
        app.decide(words(), {"CC": "ratoinal"}, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_app_is_closed_with_its_block(place: str) -> None:
    with App(place) as app:
        assert app.sessions() == ()
    with pytest.raises(Exception, match="closed"):
        app.sessions()


def test_g4_a_seed_is_128_bits_and_never_the_same() -> None:
    seeds = {new_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(len(seed) == 32 and int(seed, 16) >= 0 for seed in seeds)


# --- transcripts -----------------------------------------------------------------------------


def test_one_transcript_of_all_seats_fixes_the_order(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("[CONSENT - CX]\n[CONSENT - CC]\n", "utf-8")
    (tmp_path / "list.txt").write_text('["a"]', "utf-8")
    (tmp_path / "latin.txt").write_bytes(b"[CONSENT - CC]\xe9")

    def order(*specs: str) -> tuple[str, ...] | None:
        return transcript_order(dict(zip(("CC", "CX"), specs, strict=True)), folder=tmp_path)

    assert order("script:talk.txt", "script:talk.txt") == ("CX", "CC")
    assert order("script:talk.txt", "script:list.txt") is None
    assert order("script:list.txt", "script:list.txt") is None
    assert order("script:gone.txt", "script:gone.txt") is None
    assert order("script:latin.txt", "script:latin.txt") is None
    assert order("rational", "rational") is None
    assert transcript_order({}, folder=tmp_path) is None


def test_an_unknown_kind_of_scenario_records_nothing(app: App, tmp_path: Path) -> None:
    odd = Scenario(kind="duel", title="t", rules={}, agents={}, private={})
    with pytest.raises(UnknownName, match="duel"):
        app.decide(odd, {}, folder=tmp_path)
    assert app.sessions() == ()


def test_a_seat_that_fails_throughout_ends_in_a_result(app: App, tmp_path: Path) -> None:
    agents = {"CC": FailingAgent("auth"), "CX": FailingAgent("left")}
    decided = app.decide(words(stall=2), {}, folder=tmp_path, agents=agents)
    assert isinstance(decided.outcome, ConsentNoDeal)
    assert sorted(decided.outcome.grounds.absent) == ["CC", "CX"]
