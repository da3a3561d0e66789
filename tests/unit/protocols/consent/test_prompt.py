"""Prompt (C1, G7): a question, seats and settings from one free sentence, faults all at once."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.protocols.consent.prompt import ConsentPrompt, parse_prompt

TWO = (("CC", "Speed"), ("CX", "Cost"))


def test_c1_the_prompts_of_the_source_are_read() -> None:
    assert parse_prompt(
        "Use negotiation for authentication protocol design. CC advocates Reliability, "
        "CX advocates Speed, GM advocates Security. Output: projects/auth/protocol.md"
    ) == ConsentPrompt(
        question="authentication protocol design",
        seats=(("CC", "Reliability"), ("CX", "Speed"), ("GM", "Security")),
        output="projects/auth/protocol.md",
    )
    assert parse_prompt(
        "Use negotiation to decide on team meeting frequency.\n"
        "CC=Productivity, CX=Work-Life-Balance, GM=Collaboration."
    ) == ConsentPrompt(
        question="team meeting frequency",
        seats=(("CC", "Productivity"), ("CX", "Work-Life-Balance"), ("GM", "Collaboration")),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Which queue? CC=Speed, CX=Cost",
        "Which queue? CC=Speed; CX=Cost.",
        "Which queue?\nCC=Speed\nCX=Cost\n",
        "Which queue?\r\nCC=Speed\rCX=Cost",
        "Which queue?\n- CC = Speed\n- CX = Cost",
        "Which queue?\n* CC=Speed\n\u2022 CX=Cost",
        "CC=Speed, CX=Cost. Which queue?",
        "Which queue (CC=Speed, CX=Cost)?",
        "Which queue? With CC=Speed and CX=Cost",
        "Which queue? CC=Speed & CX=Cost",
        "Which queue? Seats: CC=Speed, CX=Cost",
        "Which queue? The advocates are: CC=Speed, CX=Cost",
        "Which queue? The advocates: CC advocates Speed, CX advocates Cost",
        'Which queue? CC="Speed", CX=\u201cCost\u201d',
        "Which queue? CC='Speed', CX=`Cost`",
        "Which queue? CC advocates Speed and CX advocates Cost",
        "Which queue? CC advocates for Speed, and CX advocates for Cost!",
        "Which queue? Let CC advocate Speed, and have CX champion Cost",
        "Which queue? CC represents Speed, CX argues for Cost",
        "Which queue?\uff1bCC\uff1dSpeed\uff0cCX\uff1dCost\u3002",
        "Please use negotiation: which queue? CC=Speed, CX=Cost",
        "Use the negotiation skill on which queue. CC=Speed, CX=Cost",
        "Use negotiation to agree about which queue. CC=Speed, CX=Cost",
    ],
)
def test_punctuation_and_wording_may_vary(text: str) -> None:
    prompt = parse_prompt(text)
    assert prompt.question.rstrip("?").lower() == "which queue"
    assert prompt.seats == TWO
    assert (prompt.output, prompt.work, prompt.max_turns) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ('CC="low p99, always. Really", CX=b', "low p99, always. Really"),
        ("CC=Node 1.2 speed, CX=b", "Node 1.2 speed"),
        ("CC=two words, CX=b", "two words"),
        ("CC = \u901f\u3055, CX=b", "\u901f\u3055"),
        ("CC=sand and stone, CX=b", "sand and stone"),
        ("CC=a=b, CX=b", "a=b"),
    ],
)
def test_a_priority_ends_with_its_clause_unless_it_is_quoted(text: str, priority: str) -> None:
    assert parse_prompt(f"Which queue? {text}").seats == (("CC", priority), ("CX", "b"))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Is p99=200 or p99=300 our target? CC=a, CX=b", "Is p99=200 or p99=300 our target?"),
        ("Is a==b fine? CC=a, CX=b", "Is a==b fine?"),
        (
            "Decide how we work: remote or office. CC=a, CX=b",
            "Decide how we work: remote or office",
        ),
        ("Pick a queue. CC=a, CX=b. Keep it\n short.", "Pick a queue. Keep it short"),
        ("Pick the output=json flag? CC=a, CX=b", "Pick the output=json flag?"),
        ("Choose TLS 1.3? CC=a, CX=b", "Choose TLS 1.3?"),
        (
            "CC=a, CX=b. Output: c.md. Say how we work: slowly or fast",
            "Say how we work: slowly or fast",
        ),
    ],
)
def test_the_question_is_what_is_left(text: str, question: str) -> None:
    assert parse_prompt(text).question == question


@pytest.mark.parametrize(
    ("text", "output", "work", "turns"),
    [
        ("Output: a/b.md. Work: c.md, max_turns: 12", "a/b.md", "c.md", 12),
        ("output=a.md work=c.md max-turns=5", "a.md", "c.md", 5),
        ("\nMax Turns: 7\nOUTPUT: a.md\n", "a.md", None, 7),
        ("maxturns: 7", None, None, 7),
        ('Output: "my folder/a b.md"', "my folder/a b.md", None, None),
        ("Output: 'a b.md', work: `c d.md`", "a b.md", "c d.md", None),
        ("Output\uff1aa.md\u3002Work\uff1ac.md", "a.md", "c.md", None),
    ],
)
def test_settings_stand_anywhere(
    text: str, output: str | None, work: str | None, turns: int | None
) -> None:
    for whole in (
        f"Which queue? CC=Speed, CX=Cost. {text}",
        f"{text}. Which queue? CC=Speed, CX=Cost",
    ):
        prompt = parse_prompt(whole)
        assert (prompt.output, prompt.work, prompt.max_turns) == (output, work, turns)
        assert (prompt.question, prompt.seats) == ("Which queue?", TWO)


def test_a_work_file_may_hold_the_question() -> None:
    prompt = parse_prompt("work: q.md. CC=Speed, CX=Cost")
    assert (prompt.question, prompt.work) == ("", "q.md")


def faults(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        parse_prompt(text)
    return [f"{fault.whose}: {fault.what}" for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which queue?", ["prompt: it names no seats"]),
        ("Which queue? CC=Speed", ["prompt: it names only the seat CC"]),
        ("Which queue? CC=a, CX=b, cc=c, Cc=d", ["prompt: the seat CC is named 3 times"]),
        ("Which queue? CC=, CX=b", ["seat CC: its priority is empty"]),
        ('Which queue? CC="", CX=-', ["seat CC: its priority is empty",
                                      "seat CX: its priority is empty"]),
        ("CC=a, CX=b", ["prompt: it does not say what to decide"]),
        ("Use negotiation. CC=a, CX=b", ["prompt: it does not say what to decide"]),
        ("Which queue? CC=a, CX=b. Output:", ["prompt: output is empty"]),
        ("CC=a, CX=b. work: ", ["prompt: work is empty"]),
        ("Which queue? CC=a, CX=b. Output: a. Output: b", ["prompt: output is given 2 times"]),
        *[
            (f"Which queue? CC=a, CX=b. max_turns: {turns}", [f"prompt: max_turns is '{shown}'"])
            for turns, shown in [("0", "0"), ("-3", "-3"), ("3.5", "3.5"), ("many", "many"),
                                 ("", ""), ("03", "03"), ("1234567890", "1234567890"),
                                 ("\u0663", "\u0663")]
        ],
    ],
)  # fmt: skip
def test_g7_each_fault_is_named(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


def test_g7_all_faults_come_at_once() -> None:
    assert faults("CC=. Output: . Output: . max_turns: none") == [
        "prompt: it names only the seat CC",
        "seat CC: its priority is empty",
        "prompt: output is given 2 times",
        "prompt: output is empty",
        "prompt: output is empty",
        "prompt: max_turns is 'none'",
        "prompt: it does not say what to decide",
    ]


def test_g7_a_fault_says_what_is_allowed_and_what_to_do() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_prompt("Which queue? CC=Speed. max_turns: no")
    assert str(caught.value) == (
        "prompt: it names only the seat CC. Allowed: two or more seats, each with a priority. "
        "Next: write for example CC=Speed, CX=Security.\n"
        "prompt: max_turns is 'no'. Allowed: a whole number from 1 to 999999999. "
        "Next: write for example max_turns: 30."
    )


def test_the_same_priority_twice_is_allowed() -> None:
    assert parse_prompt("Which queue? CC=Speed, CX=Speed").seats[1] == ("CX", "Speed")


def test_c1_settings_behind_the_seats_need_no_comma_before_them() -> None:
    found = parse_prompt("X? CC=a, CX=b Output: o2.md max_turns: 7 work: w.md")
    assert found.seats == (("CC", "a"), ("CX", "b"))
    assert (found.output, found.max_turns, found.work) == ("o2.md", 7, "w.md")
    with pytest.raises(InvalidInput, match="max_turns is 'abc'"):
        parse_prompt("X? CC=a, CX=b max_turns: abc")


def test_c1_a_word_before_the_seats_is_no_setting() -> None:
    found = parse_prompt("Pick the build output: binary or source. CC=Size, CX=Trust")
    assert found.output is None
    assert "output: binary" in found.question
