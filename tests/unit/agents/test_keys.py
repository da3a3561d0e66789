"""agents/keys.py: a key stays with its seat, and comes back in nothing (C7)."""

from __future__ import annotations

import html
import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest

from comity.agents.base import Failure, Reply
from comity.agents.keys import (
    SHORTEST_KEY,
    hidden_from_commands,
    hidden_from_vendors,
    is_sendable,
    keys_known,
    without_keys,
)

KEY = "hunter2/Pa\"55&+\\'x="


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        KEY.upper(),
        quote(KEY),
        quote(KEY, safe=""),
        quote_plus(KEY).lower(),
        quote(quote(KEY, safe="")),
        "".join(f"%{ord(char):02X}" for char in KEY),
        json.dumps(KEY)[1:-1],
        json.dumps(json.dumps(KEY))[3:-3],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        "".join(f"\\u{ord(char):04x}" for char in KEY),
        html.escape(KEY),
        "".join(f"&#{ord(char)};" for char in KEY),
        repr(KEY.encode())[2:-1],
    ],
)
def test_a_key_is_struck_out_in_every_form(form: str) -> None:
    told = f"before {form} after"
    assert without_keys(Reply(text=told), [KEY]) == Reply(text="before (a key) after")
    said = without_keys(Failure(kind="auth", detail=told, retry_after_ms=5), [KEY])
    assert said == Failure(kind="auth", detail="before (a key) after", retry_after_ms=5)


@pytest.mark.parametrize("before", ["", "a", "ab", "Bearer ", "user:", "xx:y"])
@pytest.mark.parametrize("after", ["", "z", "zz"])
def test_within_base64_too_wherever_it_stands(before: str, after: str) -> None:
    data = f"{before}hunter2?>Pa55?>{after}".encode()
    for form in (b64encode(data).decode(), urlsafe_b64encode(data).decode()):
        said = without_keys(Reply(text=f"no {form}"), ["hunter2?>Pa55?>"])
        assert isinstance(said, Reply)
        assert "(a key)" in said.text
        assert len(said.text) < len("no (a key)") + (len(before) + len(after) + 3) * 2 + 4


def test_in_all_that_a_reply_holds() -> None:
    held = {"a": KEY, KEY: [f"x{KEY}", (KEY, 5), {"b": {"c": KEY}}], "d": None, "e": True}
    said = without_keys(Reply(text="", usage=held, call=held), [KEY, "another-key"])
    clean = {"a": "(a key)", "(a key)": ["x(a key)", ["(a key)", 5], {"b": {"c": "(a key)"}}],
             "d": None, "e": True}  # fmt: skip
    assert said == Reply(text="", usage=clean, call=clean)


def test_a_key_that_begins_with_another_goes_whole() -> None:
    said = without_keys(Reply(text="k hunter2-Pa55-long"), ["hunter2-Pa55", "hunter2-Pa55-long"])
    assert said == Reply(text="k (a key)")


@pytest.mark.parametrize("size", range(5, len("hunter2-Pa55")))
def test_the_beginning_of_a_key_at_the_end_of_a_detail_that_was_cut(size: int) -> None:
    said = without_keys(
        Failure(kind="auth", detail="no " + "hunter2-Pa55"[:size]), ["hunter2-Pa55"]
    )
    assert said == Failure(kind="auth", detail="no (a key)")
    assert without_keys(Reply(text="no hunter"), ["hunter2-Pa55"]) == Reply(text="no hunter")


def test_what_is_no_key_stays_as_it_is() -> None:
    assert SHORTEST_KEY == 8
    for said in (Reply(text="EMPTY CC"), Failure(kind="cut", detail="ollama")):
        assert without_keys(said, ["EMPTY", "CC", "ollama", ""]) is said
        assert without_keys(said, []) is said
        assert without_keys(said, [KEY]) == said


@pytest.mark.parametrize(
    "key", ["sk-1 2", "\tsk", "sk\n", "sk\r\nX: y", "é", "\x7f", "\x00", "\ud800"]
)
def test_a_header_carries_visible_ascii_alone(key: str) -> None:
    assert not is_sendable(key)
    assert is_sendable("sk-AZaz09!~/+=")
    assert is_sendable("")


def test_a_program_inherits_what_is_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COMITY_MODEL_KEY", "COMITY_MODEL_KEY_A_B", "COMITY_MODEL_KEY_CX", "COMITY_DB"):
        monkeypatch.setenv(name, "x")
    for name in ("OPENAI_API_KEY", "OPENAI_ORG", "ANTHROPIC_MODEL", "X_TOKEN", "X_TOKENS"):
        monkeypatch.setenv(name, "x")
    hidden = hidden_from_commands("A B")
    assert {"COMITY_MODEL_KEY", "COMITY_MODEL_KEY_CX"} <= set(hidden)
    assert {"COMITY_MODEL_KEY_A_B", "COMITY_DB", "OPENAI_API_KEY"}.isdisjoint(hidden)
    hidden = hidden_from_vendors(["OPENAI_"])
    assert {"COMITY_DB", "COMITY_MODEL_KEY_A_B", "ANTHROPIC_MODEL", "X_TOKEN"} <= set(hidden)
    assert {"OPENAI_API_KEY", "OPENAI_ORG", "X_TOKENS", "PATH"}.isdisjoint(hidden)
    assert set(hidden.values()) == {None}


def test_the_keys_that_are_known_are_those_of_this_process_and_those_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("X_SECRET", "ours-1")
    monkeypatch.setenv("X_PLACE", "place-1")
    known = keys_known({"Y_API_KEY": "added-1", "X_SECRET": None, "Y_TOKEN": "", "Z": "z"})
    assert {"ours-1", "added-1"} <= known
    assert {"place-1", "", "z", None}.isdisjoint(known)
