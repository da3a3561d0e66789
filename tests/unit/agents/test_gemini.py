"""agents/gemini.py: its command and settings, and what its JSON means (C7)."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from comity.agents.base import Failure, Reply
from comity.agents.coding_agent import Place
from comity.agents.gemini import Gemini, _read, read_gemini
from comity.agents.process import Ran

TRACE = """Warning: 256-color support not detected.
Error when talking to Gemini API Full report available at: /tmp/x.json _ApiError: {"error":{}}
    at throwErrorIfNotOK (file:///x/chunk.js:1:2) {
  status: 400
}
"""


def said(**told: object) -> Ran:
    return Ran(0, json.dumps({"session_id": "s", **told}, indent=2) + "\n", "Warning: x\n")


def failed(message: object, code: object) -> Ran:
    error = {"session_id": "s", "error": {"type": "Error", "message": message, "code": code}}
    return Ran(144, "", TRACE + json.dumps(error, indent=2) + "\n")


def test_a_reply_comes_with_the_tokens_of_all_its_models_and_no_cost() -> None:
    one = {"tokens": {"prompt": 100, "candidates": 20, "cached": 50, "thoughts": 5, "total": 125}}
    other = {"tokens": {"prompt": 10, "candidates": 2}}
    got = read_gemini(said(response="[CONSENT]\n", stats={"models": {"a": one, "b": other}}))
    used = {"input_tokens": 110, "output_tokens": 27, "tokens": 137}
    assert got == Reply(text="[CONSENT]", usage=used)


@pytest.mark.parametrize(
    "stats", [None, {}, {"models": []}, {"models": {"a": 5}}, {"models": {"a": {"tokens": None}}},
              {"models": {"a": {"tokens": {"prompt": "x", "candidates": None}}}}]
)  # fmt: skip
def test_a_reply_without_counts_is_a_reply(stats: object) -> None:
    assert read_gemini(said(response="yes", stats=stats)) == Reply(text="yes")


@pytest.mark.parametrize(
    ("left", "kind"),
    [
        (replace(said(response="VOTE: APPROVE"), code=1), "cut"),
        (replace(said(response="VOTE: APPROVE"), is_cut=True), "cut"),
        (
            said(response="VOTE: APPROVE", error={"message": "overloaded", "code": 503}),
            "overloaded",
        ),
        (said(response="VOTE: APPROVE", error="no"), "crashed"),
    ],
)
def test_w1_words_beside_an_error_are_no_reply(left: Ran, kind: str) -> None:
    got = read_gemini(left)
    assert isinstance(got, Failure)
    assert got.kind == kind


@pytest.mark.parametrize("stops", [[], ["MAX_TOKENS"], ["SAFETY"], ["STOP", "OTHER"], ["NEW"]])
def test_w1_an_answer_counts_when_its_model_is_known_to_have_said_all(stops: list[str]) -> None:
    got = read_gemini(said(response="VOTE: APPROVE"), stops)
    assert isinstance(got, Failure)
    assert (got.kind, got.detail.count("APPROVE")) == ("cut", 0)
    assert isinstance(read_gemini(said(response="yes"), ["STOP", "STOP"]), Reply)


@pytest.mark.parametrize("response", ["", " ", None, 5])
def test_exit_0_with_nothing_said_is_a_failure(response: object) -> None:
    assert read_gemini(said(response=response)) == Failure(
        kind="empty", detail="exit 0 and nothing said"
    )


@pytest.mark.parametrize(
    ("left", "kind", "detail"),
    [
        (
            failed('{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}', 400),
            "bad_request",
            "INVALID_ARGUMENT: no",
        ),
        (failed("no", 401), "auth", "no"),
        (failed("", 429), "rate_limited", "HTTP 429"),
        (
            failed("You exceeded your current quota", 429),
            "quota",
            "You exceeded your current quota",
        ),
        (failed("terminated", 1), "cut", "terminated"),
        (failed("Invalid auth method selected.", 41), "auth", "Invalid auth method selected."),
        (failed(None, None), "crashed", "exit 144"),
        (Ran(41, "", "Please set an Auth method\n"), "auth", "exit 41 Please set an Auth method"),
        (Ran(1, "[CONSENT]", ""), "crashed", "exit 1 [CONSENT]"),
        (Ran(0, "", ""), "empty", "exit 0"),
        (Ran(0, '{"error": {"message": "fetch failed"}}', ""), "unavailable", "fetch failed"),
    ],
)
def test_an_error_is_a_failure_of_its_kind(left: Ran, kind: str, detail: str) -> None:
    got = read_gemini(left)
    assert isinstance(got, Failure)
    assert (got.kind, got.detail) == (kind, detail)


def test_its_settings_leave_it_no_tools_and_no_view_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEMINI_API_KEY", "GEMINI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "one").mkdir()
    place = Place(tmp_path / "one")
    argv, added = Gemini()._start(place)
    assert argv == ("gemini", "-o", "json", "-e", "none", "-m", "pro")
    assert "GEMINI_CLI_HOME" not in added, "the log-in is in the person's own folder"
    settings = json.loads((place.work / ".gemini" / "settings.json").read_text("utf-8"))
    assert settings["tools"] == {"core": []}
    assert settings["context"] == {"includeDirectoryTree": False}
    assert "security" not in settings
    (tmp_path / "two").mkdir()
    place = Place(tmp_path / "two")
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    monkeypatch.setenv("GEMINI_MODEL", "flash")
    argv, added = Gemini()._start(place)
    assert argv[-1] == "flash"
    assert added["GEMINI_CLI_HOME"] == str(place.home)
    written = (place.home / ".gemini" / "settings.json").read_text("utf-8")
    assert json.loads(written)["security"] == {"auth": {"selectedType": "gemini-api-key"}}
    assert "k" not in json.loads(written)
    argv, _ = Gemini(model="ultra", environment={"GEMINI_API_KEY": ""})._start(place)
    assert argv[-1] == "ultra"


def test_its_hook_notes_how_its_model_stopped_and_no_word_of_it(tmp_path: Path) -> None:
    (tmp_path / "a 'place'").mkdir()
    place = Place(tmp_path / "a 'place'")
    Gemini(environment={"GEMINI_API_KEY": "k"})._start(place)
    settings = json.loads((place.home / ".gemini" / "settings.json").read_text("utf-8"))
    hook = settings["hooks"]["AfterModel"][0]["hooks"][0]["command"]
    assert isinstance(_read(said(response="yes"), place), Failure), "nothing is known of it"
    text = 'VOTE: APPROVE "finishReason":"LIE"'
    for stop in (None, "STOP"):
        told = {"text": text, "candidates": [{"content": {"parts": [text]}, "finishReason": stop}]}
        piece = json.dumps({"llm_response": told}, separators=(",", ":")).encode()
        subprocess.run(["/bin/sh", "-c", hook], input=piece, check=True)
    assert place.stops.read_text("utf-8") == '"finishReason":"STOP"\n'
    assert _read(said(response="yes"), place) == Reply(text="yes")
