"""agents/retrying.py: what may pass is asked once more, on a clock, and never for ever (C5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from comity.agents.base import Agent, Failure, Question, Reply
from comity.agents.retrying import MOST_RETRIES, Retrying
from comity.testing.agent_checks import sample_questions
from comity.testing.clock import FakeClock

QUESTION = sample_questions("CC")[0]
YES = Reply(text="yes")


@dataclass
class Flaky:
    """Says what it is given, in order, and remembers under which ids it was asked."""

    said: list[Reply | Failure]
    asked: list[str] = field(default_factory=list)
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        self.asked.append(question.request_id)
        return self.said.pop(0)


def failures(*kinds: str) -> list[Reply | Failure]:
    return [*(Failure(kind=kind) for kind in kinds), YES]  # type: ignore[arg-type]  # all are kinds


@pytest.mark.parametrize("kind", ["timeout", "overloaded", "cut", "empty", "rate_limited"])
def test_c5_what_may_pass_is_asked_once_more_under_the_same_request(kind: str) -> None:
    agent = Flaky(failures(kind))
    assert Retrying(agent, FakeClock()).reply(QUESTION) == YES
    assert agent.asked == [QUESTION.request_id] * 2
    twice = Flaky(failures(kind, kind))
    assert Retrying(twice, FakeClock()).reply(QUESTION) == Failure(kind=kind)  # type: ignore[arg-type]
    assert len(twice.asked) == 2


@pytest.mark.parametrize(
    "kind", ["auth", "bad_request", "quota", "budget", "left", "unavailable", "crashed"]
)
def test_c5_what_does_not_pass_is_never_asked_again(kind: str) -> None:
    agent = Flaky(failures(kind))
    assert Retrying(agent, FakeClock()).reply(QUESTION) == Failure(kind=kind)  # type: ignore[arg-type]
    assert len(agent.asked) == 1


def test_c5_who_gave_no_answer_in_time_twice_in_a_row_is_not_called_again() -> None:
    late = Failure(kind="timeout", detail="no answer in 600 s")
    agent = Flaky([late, late, YES])
    clock = FakeClock()
    seat = Retrying(agent, clock)
    said = [seat.reply(QUESTION) for _ in range(5)]
    assert len(agent.asked) == 2
    assert said[0] == late
    told = "no answer in 600 s, 2 times in a row: it is not called again"
    assert said[1:] == [Failure(kind="timeout", detail=told)] * 4
    anew = Retrying(agent, clock)
    assert anew.reply(QUESTION) == YES, "whoever seats it anew calls it again"
    assert anew == seat, "how it went so far is no part of what it is"


def test_c5_any_other_word_ends_the_row() -> None:
    late, slow = Failure(kind="timeout"), Failure(kind="crashed")
    agent = Flaky([late, YES, late, slow, late, YES, YES])
    seat = Retrying(agent, FakeClock())
    assert [seat.reply(QUESTION) for _ in range(4)] == [YES, slow, YES, YES]
    assert agent.said == []


def test_c5_a_program_that_is_not_asked_again_at_once_has_two_questions() -> None:
    late = Failure(kind="timeout")
    agent = Flaky([late, late, YES])
    seat = Retrying(agent, retries={})
    assert [seat.reply(QUESTION).kind for _ in range(3)] == ["timeout"] * 3  # type: ignore[union-attr]
    assert len(agent.asked) == 2


def test_all_kinds_together_have_a_cap() -> None:
    agent = Flaky(failures("timeout", "cut", "empty", "overloaded"))
    assert Retrying(agent, FakeClock()).reply(QUESTION) == Failure(kind="empty")
    assert len(agent.asked) == MOST_RETRIES + 1


def test_a_rate_limit_is_waited_for_as_long_as_it_is_told() -> None:
    clock = FakeClock(1_000)
    agent = Flaky([Failure(kind="rate_limited", retry_after_ms=30_000), YES])
    assert Retrying(agent, clock).reply(QUESTION) == YES
    assert clock.now_ms() == 31_000
    agent = Flaky([Failure(kind="rate_limited"), YES])
    assert Retrying(agent, clock).reply(QUESTION) == YES
    assert clock.now_ms() == 41_000


def test_what_would_take_too_long_is_not_waited_for() -> None:
    clock = FakeClock(1_000)
    agent = Flaky([Failure(kind="rate_limited", retry_after_ms=600_000), YES])
    assert isinstance(Retrying(agent, clock).reply(QUESTION), Failure)
    asked = replace(QUESTION, ask=replace(QUESTION.ask, deadline_ms=20_000))
    agent = Flaky([Failure(kind="rate_limited", retry_after_ms=19_000), YES])
    assert isinstance(Retrying(agent, clock).reply(asked), Failure)
    assert clock.now_ms() == 1_000
    agent = Flaky([Failure(kind="rate_limited", retry_after_ms=18_999), YES])
    assert Retrying(agent, clock).reply(asked) == YES


def test_a_question_whose_time_is_over_is_not_paid_for_again() -> None:
    asked = replace(QUESTION, ask=replace(QUESTION.ask, deadline_ms=2_000))
    late, early = Flaky(failures("timeout")), Flaky(failures("timeout"))
    assert Retrying(late, FakeClock(2_000)).reply(asked) == Failure(kind="timeout")
    assert Retrying(early, FakeClock(1_999)).reply(asked) == YES


def test_without_a_clock_nothing_is_waited_for() -> None:
    assert isinstance(Retrying(Flaky(failures("rate_limited"))).reply(QUESTION), Failure)
    told = Failure(kind="overloaded", retry_after_ms=5)
    assert Retrying(Flaky([told, YES])).reply(QUESTION) == told
    assert Retrying(Flaky(failures("overloaded"))).reply(QUESTION) == YES
    at_once = Failure(kind="rate_limited", retry_after_ms=0)
    assert Retrying(Flaky([at_once, YES])).reply(QUESTION) == YES


def test_it_waits_when_its_agent_does_and_retries_can_be_set() -> None:
    agent: Agent = Flaky(failures("crashed"), waits=False)
    assert not Retrying(agent).waits
    assert Retrying(agent, retries={"crashed": 1}).reply(QUESTION) == YES
