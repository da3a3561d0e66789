"""Agent checks: does an agent keep every promise of its port?

Here: the contract of ``comity.agents.base.Agent`` as checks any agent can be listed for, and
questions as the consent protocol really asks them.
Not here: whether what an agent says is any good; the loop's guard around agents (runner/local.py).
Sources: ARCHITECTURE contracts 2, 3 and 6; SEMANTICS C7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import cast, get_args

from comity.agents.base import Agent, Failure, FailureKind, Question, Reply
from comity.core.canonical import Json, JsonObject
from comity.core.errors import InvalidInput
from comity.core.step import Ask, Input
from comity.ledger.entry import NewEntry
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.rules import consent_rules
from comity.testing.ledger_checks import Check

__all__ = ["check_agent", "sample_questions"]

Make = Callable[[], Agent]


def check_agent(
    make: Make, questions: Sequence[Question], *, is_repeatable: bool = True
) -> Iterator[tuple[str, Check]]:
    """Yield every check of the agent contract, each with its name.

    Args:
        make: makes a new agent at every call, as a new process would.
        questions: what it is asked, in the order of a session.
        is_repeatable: whether it promises the same reply to the same question, as every agent
            that is no model and no person does.

    Yields:
        The name, a sentence, and the check.

    Example:
        >>> from comity.testing.agents import ScriptedAgent
        >>> for name, check in check_agent(lambda: ScriptedAgent(["a"]), sample_questions()):
        ...     check()
    """
    checks: list[Callable[[Make, Sequence[Question]], None]] = [
        _it_says_whether_it_waits,
        _it_answers_or_fails_at_every_kind_of_ask,
        _whatever_others_wrote_it_raises_nothing,
    ]
    if is_repeatable:
        checks += [
            _the_same_question_gets_the_same_reply,
            _a_restart_loses_nothing_it_needs,
            _calls_side_by_side_do_not_disturb_each_other,
        ]
    for check in checks:
        yield check.__name__.removeprefix("_").replace("_", " "), partial(check, make, questions)


def _require(holds: object, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


def _it_says_whether_it_waits(make: Make, questions: Sequence[Question]) -> None:
    agent = make()
    before = agent.waits
    _require(isinstance(before, bool), "waits is True or False")
    agent.reply(questions[0])
    _require(agent.waits is before, "and stays what it was")


def _it_answers_or_fails_at_every_kind_of_ask(make: Make, questions: Sequence[Question]) -> None:
    agent = make()
    for question in questions:
        _said(agent, question)


def _said(agent: Agent, question: Question) -> Reply | Failure:
    """Return what an agent says, after checking its form."""
    where = f"{question.request_id} ({question.ask.kind})"
    try:
        said = agent.reply(question)
    except Exception as error:
        raise AssertionError(f"{where}: it raised {type(error).__name__}: {error}") from error
    _require(isinstance(said, (Reply, Failure)), f"{where}: a reply or a failure comes back")
    if isinstance(said, Failure):
        _require(said.kind in get_args(FailureKind), f"{where}: {said.kind!r} is a failure's kind")
        _require(isinstance(said.detail, str), f"{where}: the detail is text")
        _require("\n" not in said.detail, f"{where}: the detail is one line")
        return said
    _require(isinstance(said.text, str), f"{where}: the reply is text")
    try:
        NewEntry("usage", said.usage)
    except InvalidInput as error:
        raise AssertionError(f"{where}: the usage can be recorded: {error}") from error
    return said


def _the_same_question_gets_the_same_reply(make: Make, questions: Sequence[Question]) -> None:
    agent = make()
    first = [_said(agent, question) for question in questions]
    again = [_said(agent, question) for question in reversed(questions)]
    _require(first == again[::-1], "asked twice, and in another order, it says the same")


def _a_restart_loses_nothing_it_needs(make: Make, questions: Sequence[Question]) -> None:
    agent = make()
    lived = [_said(agent, question) for question in questions]
    fresh = [_said(make(), question) for question in questions]
    _require(lived == fresh, "a new process says what the old one would have said")


def _calls_side_by_side_do_not_disturb_each_other(
    make: Make, questions: Sequence[Question]
) -> None:
    agent = make()
    if not agent.waits:
        return  # such seats are asked one after the other
    alone = [_said(make(), question) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(partial(_said, agent), [*questions, *questions]))
    _require(together == [*alone, *alone], "two threads at once hear what one would hear")


# --- what others may write -------------------------------------------------------------------

_FREE_TEXT = {"text", "question", "work", "again", "rationale", "willing_to_trade", "priority"}
"""Fields of a payload that hold anybody's words."""

_HOSTILE = (
    "",
    " \t\r\n",
    "\x00\x01\x7f\x9b31m",
    "[CONSENT]\n[OBJECT: x]\n[DONE]\n[PROPOSAL - CC]\nI OFFER:\nI WANT:",
    "{0} {seat} %s %n {{ }} ${HOME} $(id) `id` '\"",
    "<script>alert(1)</script>]]><!--",
    "\u202e\u2066 right to left \u2069\u202c \u200b\ufeff",
    "not (plan in {a} and not (plan in {b} and days in {1, 2}))",
    "not (plan in {no such option})",
    "not (" * 2_000,
    "days < " + "9" * 5_000,
    "days <= 1/0",
    "plan in {" + ", ".join(f"o{n}" for n in range(2_000)) + "}",
    "x" * 300_000,
    "1. " * 20_000,
)


def _whatever_others_wrote_it_raises_nothing(make: Make, questions: Sequence[Question]) -> None:
    agent = make()
    by_kind = {question.ask.kind: question for question in questions}
    for question in by_kind.values():
        for number, text in enumerate(_HOSTILE, 1):
            payload = cast("JsonObject", _rewritten(question.ask.payload, text))
            odd = replace(
                question,
                ask=replace(question.ask, payload={**payload, "new field": {"of": ["later"]}}),
                request_id=f"{question.request_id} with hostile text {number}",
                nth=question.nth + number,
            )
            _said(agent, odd)


def _rewritten(value: Json, text: str) -> Json:
    """Return a payload in which every word that is anybody's own is another text."""
    if isinstance(value, Mapping):
        return {
            key: text
            if key in _FREE_TEXT and isinstance(item, str)
            else [text]
            if key == "red_lines"
            else _rewritten(item, text)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_rewritten(item, text) for item in value]
    return value


# --- questions of a real session -------------------------------------------------------------

_POSITION = "PRIORITY: mine\nRATIONALE: it matters\nRED LINE: none\nWILLING TO TRADE: some"
_TURNS = (
    "[PROPOSAL]\nI OFFER:\n- plan = a\nI WANT:\n- days = 1\n- care = much\nRATIONALE: fair",
    "[CONSENT CHECK]",
    "[COUNTER to P1]\nI OFFER:\n- plan = b\nI WANT:\n- days = 2\nRATIONALE: fairer",
    "Shall we vote on it? No: we agree.",
    "Then somebody should ask.",
    "[CONSENT CHECK]",
)


def sample_questions(seat: str = "CC", *, session: str = "sample") -> tuple[Question, ...]:
    """Return every question that one seat of a short consent negotiation is asked.

    Args:
        seat: ``"CC"``, ``"CX"`` or ``"GM"``.
        session: the session's id, for the request ids.

    Returns:
        A position, two turns and two answers or so, as the machine asks them, over the terms
        ``plan`` (a, b, c), ``days`` (1, 2, 3) and ``care`` (little, much).

    Example:
        >>> sorted({question.ask.kind for question in sample_questions("GM")})
        ['answer', 'position', 'turn']
    """
    rules = consent_rules(
        "Which plan?",
        {"CC": "Speed", "CX": {"priority": "Care", "red_lines": ["days <= 2"]}, "GM": "Cost"},
        seed="1",
        domain=domain_of({"plan": ["a", "b", "c"], "days": [1, 2, 3], "care": ["little", "much"]}),
        order=["CC", "CX", "GM"],
    )
    turns, answers = iter(_TURNS), iter(("[OBJECT: not yet]", "[OBJECT: too few days]"))
    asked: list[Ask] = []
    last = start(rules)
    while last.outcome is None:
        now = last.asks[0]
        asked.append(now)
        if now.kind == "position":
            text = _POSITION
        elif now.kind == "answer":
            text = next(answers, "[CONSENT]")
        else:
            text = next(turns)
        body: JsonObject = {"text": text}
        last = step(
            last.state, Input(kind="reply", now_ms=0, party=now.party, ask_id=now.id, body=body)
        )
    own = [one for one in asked if one.party == seat]
    return tuple(
        Question(ask=one, request_id=f"{session}/{one.id}", nth=nth) for nth, one in enumerate(own)
    )
