"""Adapter checks: does a seat behind a model keep its promises when the model does not?

Here: the contract of every adapter as checks against the fake model server: turns, errors, answers
that are not whole, hangs, long briefs, what is left behind, what is used.
Not here: what every agent keeps, with or without a model (agent_checks.py).
Sources: SEMANTICS C5, C7; ARCHITECTURE contract 6; the failures of real programs, as measured.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import uuid4

from comity.agents.base import Agent, Failure, FailureKind, Question, Reply
from comity.agents.budget import Budget, Budgeted, BudgetRules
from comity.testing.agent_checks import sample_questions
from comity.testing.ledger_checks import Check
from comity.testing.model_server import ModelServer
from comity.testing.model_server.script import STOPS

__all__ = ["MakeAdapter", "check_adapter"]

MakeAdapter = Callable[[ModelServer, float], Agent]
"""Makes an agent whose model is the server, and whose calls may take so many seconds."""

ERRORS: Mapping[int, FailureKind] = {
    400: "bad_request",
    401: "auth",
    429: "rate_limited",
    500: "overloaded",
}
"""HTTP error -> the kind of failure that every adapter makes of it."""

_STOPPED: tuple[FailureKind, ...] = ("cut", "crashed", "empty")
"""What an answer may be that its model did not end by itself; it has been paid for."""

_LONG = 300_000
_SOON_S = 60.0


def check_adapter(
    make: MakeAdapter, *, patience_s: float = 60.0, hang_s: float = 1.0
) -> Iterator[tuple[str, Check]]:
    """Yield every check of the adapter contract, each with its name.

    Args:
        make: makes an adapter whose model is a given server. The server takes a call for a seat
            when the API key or the model's name holds the seat's name: ``CC``, ``CX`` or ``GM``.
        patience_s: how long a call may take.
        hang_s: how long a call may take when nobody will answer.

    Yields:
        The name, a sentence, and the check.

    Example:
        >>> from comity.agents.openai_http import ModelSeat, httpx_or_none
        >>> def seat(server, timeout_s):
        ...     return ModelSeat(model="CC", url=f"{server.url}/v1", timeout_s=timeout_s)
        >>> for name, check in check_adapter(seat) if httpx_or_none() else ():
        ...     check()
    """
    for check in (
        _it_says_what_the_model_says_and_what_was_used,
        _what_each_turn_used_is_told_and_no_sum,
        _a_brief_of_300_kilobytes_arrives_whole,
        _what_others_wrote_to_its_standard_input_stays_there,
        _a_call_beyond_the_budget_is_not_made,
    ):
        yield _named(check), partial(check, make, patience_s)
    for status, kind in ERRORS.items():
        said = {"status": status, "message": "the script says no"}
        check = partial(_it_fails, make, patience_s, said, kind)
        yield f"an error {status} is a failure: {kind}", check
    cut = {"cut": "[CONSENT]\nhalf of this is sent, and nothing after it"}
    yield "a broken answer is a failure: cut", partial(_it_fails, make, patience_s, cut, "cut")
    for stop in STOPS:
        said = {"reply": "[CONSENT]\nand then", "stop": stop}
        check = partial(_it_fails, make, patience_s, said, *_STOPPED)
        yield f"an answer that stops early ({stop}) is a failure", check
    empty = {"empty": True}
    yield "an empty answer is a failure", partial(_it_fails, make, patience_s, empty, "empty")
    hang, drip = {"hang": True}, {"drip": True}
    yield (
        _named(_no_answer_is_a_timeout_that_leaves_no_process),
        partial(_no_answer_is_a_timeout_that_leaves_no_process, make, hang_s, hang),
    )
    yield (
        "an answer that never comes to its end is a timeout that leaves no process",
        partial(_no_answer_is_a_timeout_that_leaves_no_process, make, hang_s, drip),
    )


def _named(check: Callable[..., None]) -> str:
    return check.__name__.removeprefix("_").replace("_", " ")


def _require(holds: object, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


def _question(brief: str = "") -> Question:
    """Return a question under a request id that no other has."""
    asked = replace(sample_questions()[0], request_id=f"check-{uuid4().hex}")
    return replace(asked, ask=replace(asked.ask, payload={"brief": brief})) if brief else asked


def _served(*turns: object, otherwise: object = None) -> ModelServer:
    """Return a server that says the same turns whichever seat asks."""
    seats = {seat: list(turns) for seat in ("CC", "CX", "GM")}
    after = {} if otherwise is None else {"otherwise": otherwise}
    return ModelServer({"seats": seats, **after})


def _said(agent: Agent, question: Question) -> Reply:
    said = agent.reply(question)
    _require(isinstance(said, Reply), f"it answers, and does not fail: {said}")
    assert isinstance(said, Reply)
    return said


def _it_says_what_the_model_says_and_what_was_used(make: MakeAdapter, patience_s: float) -> None:
    text = "[CONSENT]\n\nfür alle — “so” ✓"
    with _served({"reply": f"\n{text}\n", "tokens": [1_234, 56]}) as server:
        said = _said(make(server, patience_s), _question("Say whether you consent."))
        words = [one.words for one in server.calls()]
    _require(said.text == text, f"the reply is the model's words: {said.text!r}")
    told = {name: said.usage.get(name) for name in ("input_tokens", "output_tokens", "tokens")}
    _require(
        told == {"input_tokens": 1_234, "output_tokens": 56, "tokens": 1_290},
        f"the tokens are those that the model reported: {told}",
    )
    _require(len(words) == 1, f"one turn is one call of a model: {len(words)} were made")
    _require("Say whether you consent." in words[0], "the brief is what the model was told")


def _what_each_turn_used_is_told_and_no_sum(make: MakeAdapter, patience_s: float) -> None:
    turns = ({"reply": "one", "tokens": [100, 20]}, {"reply": "two", "tokens": [300, 40]})
    with _served(*turns) as server:
        agent = make(server, patience_s)
        told = [_said(agent, _question()).usage.get("tokens") for _ in turns]
    _require(told == [120, 340], f"each turn tells what it used itself: {told}")


def _a_brief_of_300_kilobytes_arrives_whole(make: MakeAdapter, patience_s: float) -> None:
    with _served("yes") as server:
        _said(make(server, patience_s), _question(f"BEGINNING {'x ' * (_LONG // 2)}ENDING"))
        call = server.calls()[-1]
    _require(call.size > _LONG, f"all of it is sent: {call.size} bytes were")
    _require("BEGINNING x" in call.words and "x ENDING" in call.words, "from beginning to end")


def _what_others_wrote_to_its_standard_input_stays_there(
    make: MakeAdapter, patience_s: float
) -> None:
    own, reader, writer = os.dup(0), *os.pipe()
    try:
        os.write(writer, b"a word for somebody else")
        os.dup2(reader, 0)
        with _served("yes") as server:
            _said(make(server, patience_s), _question("Well?"))
            words = server.calls()[-1].words
        _require("somebody else" not in words, "the brief is all that the model is told")
        left = os.read(0, 100)
        _require(left == b"a word for somebody else", f"nobody reads it: {left!r} is left")
    finally:
        os.dup2(own, 0)
        for number in (own, reader, writer):
            os.close(number)


def _a_call_beyond_the_budget_is_not_made(make: MakeAdapter, patience_s: float) -> None:
    budget = Budget(BudgetRules(tokens=15_000, reply_tokens=4_000, added_tokens=6_000))
    with _served({"reply": "yes", "tokens": [6_000, 100]}, otherwise="no") as server:
        agent = Budgeted(make(server, patience_s), budget)
        _said(agent, _question("Well?"))
        second = agent.reply(_question("And now?"))
        calls = len(server.calls())
    _require(budget.used.tokens == 6_100, f"the call is paid for: {budget.used}")
    _require(isinstance(second, Failure) and second.kind == "budget", f"the next is not: {second}")
    _require(calls == 1, f"and it is not made: there were {calls} calls")


def _it_fails(
    make: MakeAdapter, patience_s: float, turn: Mapping[str, object], *kinds: FailureKind
) -> None:
    with _served(otherwise=turn) as server:
        said = make(server, patience_s).reply(_question())
        _require(server.calls(), f"the model is called: {said}")
    _require(isinstance(said, Failure), f"it is a failure and no words: {said}")
    assert isinstance(said, Failure)
    _require(said.kind in kinds, f"its kind is {' or '.join(kinds)}: {said}")
    _require(said.detail and "\n" not in said.detail, f"it says why, on one line: {said}")


def _no_answer_is_a_timeout_that_leaves_no_process(
    make: MakeAdapter, hang_s: float, turn: Mapping[str, object]
) -> None:
    question = _question()
    with _served(otherwise=turn) as server:
        begun = time.monotonic()
        said = make(server, hang_s).reply(question)
        _require(isinstance(said, Failure) and said.kind == "timeout", f"its kind: {said}")
        _require(time.monotonic() - begun < hang_s + _SOON_S, "it fails when its time is up")
        latest = time.monotonic() + _SOON_S
        while _left(question.request_id) and time.monotonic() < latest:
            time.sleep(0.01)
        _require(not _left(question.request_id), "its program and all that it started are gone")


def _left(request_id: str) -> list[int]:
    """Return the processes that were started for a request, where the system shows them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if request_id.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found
