"""The grammar of moves: one ending in the seat's own words, whole or not at all (W1, B9)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.offers.grammar import LONGEST_WORDS, Move, read_move

TERMS = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]})
FREE = domain_of(
    {"Pay per day": ["low, then high", "0.10"], "a-b": ["x", "X"], "who": ["me; you", "yes"]},
    free=True,
)
DEAL = (("tls", "1.3"), ("days", "30"))
OFFER = "OFFER: tls = 1.3; days = 30"


def moved(text: Any, domain: Any = TERMS) -> Move:
    reading = read_move(text, domain)
    assert reading.move is not None, reading
    return reading.move


@pytest.mark.parametrize(
    "text",
    [
        OFFER,
        "offer: days = 30, tls = 1.3",
        "I like it.\n\nOFFER:\ntls = 1.3\ndays = 30\n\nFair?",
        "**My offer:**\n\n- **TLS** = `1.3`\n- Days: 30.0\n\nNote: x = y",
        "Counter-offer: tls: 1.3; days: 30",
        "final offer:\n1. tls = 1.3.\n2. days = 30",
        "OFFER: tls = 1.3\ndays = 30\nThat is my last word",
        f"{OFFER}\n{OFFER}",
        "OFFER: tls = 1.3\n\nOFFER: tls = 1.3; days = 30",
        '{"offer": {"tls": 1.3, "days": 30}}',
        '```json\n{"Offer": {"TLS": "1.3", "days": "30"}, "accept": null, "pass": false}\n```',
        'So:\n{"offer": {"tls": "1.3", "days": 30}}',
        "> ACCEPT: bob-1\n```\nACCEPT: bob-2\n```\n<think>LEAVE: x</think>\n" + OFFER,
    ],
)
def test_an_offer_is_read_in_every_form(text: str) -> None:
    assert moved(text) == Move(kind="offer", deal=DEAL)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("ACCEPT: bob-3", Move(kind="accept", ids=("bob-3",))),
        ("I do.\n- **Accept:** `bob-3`.", Move(kind="accept", ids=("bob-3",))),
        ("ACCEPT: [cyd-1], bob-3 and bob-3", Move(kind="accept", ids=("bob-3", "cyd-1"))),
        ('{"accept": ["cyd-1", "bob-3"]}', Move(kind="accept", ids=("bob-3", "cyd-1"))),
        ("WITHDRAW: ann-0", Move(kind="withdraw", ids=("ann-0",))),
        ("PASS", Move(kind="pass")),
        ("pass.", Move(kind="pass")),
        ('{"pass": true}', Move(kind="pass")),
        ("LEAVE: too far apart", Move(kind="leave", reason="too far apart")),
        ("LEAVE", Move(kind="leave")),
        ('{"leave": true}', Move(kind="leave")),
        ("SAY: hello\nand more", Move(kind="say", words="hello\nand more")),
        ("PASS\nSAY: wait\nSAY: for it", Move(kind="pass", words="wait\nfor it")),
        ("SAY: I could\naccept\nPASS", Move(kind="pass", words="I could\naccept")),
        ('{"say": "hm", "accept": "bob-3"}', Move(kind="accept", ids=("bob-3",), words="hm")),
        ('{"say": "hm"}', Move(kind="say", words="hm")),
        ('PASS\n{"say": "aside"}', Move(kind="pass", words="aside")),
    ],
)
def test_every_other_move_is_read(text: str, move: Move) -> None:
    assert moved(text) == move


@pytest.mark.parametrize(
    ("text", "error", "part"),
    [
        ("", "no_move", "OFFER"),
        ("What do you think of tls = 1.3?", "no_move", "OFFER"),
        ("> ACCEPT: bob-1", "no_move", ""),
        ("```\nOFFER: tls = 1.3; days = 30\n```", "no_move", ""),
        ("I accept: your point", "no_move", ""),
        ("ACCEPT: a-1\nACCEPT: b-1", "contradictory", "make one"),
        (f"{OFFER}\nACCEPT: a-1", "contradictory", "make one"),
        (f'{OFFER}\n{{"accept": "a-1"}}', "contradictory", "make one"),
        (f"{OFFER}\nACCEPT:", "contradictory", "make one"),
        ("OFFER: tls = 1.3; days = 30; tls = 1.2", "contradictory", "set twice"),
        ("OFFER: tls = 1.3", "partial_deal", "days"),
        ("OFFER:", "partial_deal", "tls, days"),
        (f"{OFFER}\nOFFER: tls = 1.3", "partial_deal", "days"),
        ("OFFER: tsl = 1.3; days = 30", "unknown_issue", "did you mean 'tls'"),
        ("OFFER: tls = 1.4; days = 30", "unknown_option", "1.2"),
        ("OFFER: tls = 1.3; days = 3/0", "unknown_option", "30, 60"),
        ("ACCEPT", "no_id", "ann-3"),
        ("ACCEPT: , ", "no_id", "ann-3"),
        ('{"accept": 3}', "unreadable", "accept"),
        ('{"accept": []}', "unreadable", "accept"),
        ('{"accept": [1]}', "unreadable", "accept"),
        ('{"offer": "tls = 1.3"}', "unreadable", "object"),
        ('{"offer": {"tls": ["1.2", "1.3"], "days": 30}}', "unreadable", "tls"),
        ('{"offer": {"tls": 1.3, "tls": 1.2, "days": 30}}', "unreadable", "tls"),
        ('{"offer": {"tls": 1.3, "days": 1e300}}', "unreadable", "days"),
        ("x" * 700_000, "too_long", "700000"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, error: str, part: str) -> None:
    reading = read_move(text, TERMS)
    assert (reading.move, reading.error) == (None, error)
    assert part in reading.hint
    assert "\n" not in reading.hint


def test_data_names_what_text_cannot() -> None:
    data = {"offer": {"Pay per day": "low, then high", "a-b": "x", "who": "me; you"}}
    deal = (("Pay per day", "low, then high"), ("a-b", "x"), ("who", "me; you"))
    assert moved(data, FREE).deal == deal
    assert moved("OFFER:\npay-per-day = low, then high\nA B = x\nwho: me; you", FREE).deal == deal
    assert moved({"accept": "bob-3", "say": 7}) == Move(kind="accept", ids=("bob-3",))


def test_an_option_is_known_by_its_number_and_by_true_or_false() -> None:
    data = {"offer": {"pay per day": 0.1, "a-b": "X", "who": True}}
    assert moved(data, FREE).deal == (("Pay per day", "0.10"), ("a-b", "X"), ("who", "yes"))
    twice = domain_of({"n": ["1", "1.0"]}, free=True)
    assert read_move("OFFER: n = 01", twice).error == "unknown_option"
    assert read_move({"offer": {"n": False}}, twice).error == "unknown_option"


def test_two_options_that_only_capitals_tell_apart_are_not_guessed() -> None:
    reading = read_move("OFFER: a-b = «x»; who = yes; Pay per day = 0.10", FREE)
    assert reading.error == "unknown_option"


def test_words_for_the_others_are_cut_and_nothing_else_is_passed_on() -> None:
    found = moved(f"My reservation is 42.\nPASS\nSAY: {'x' * 10_000}")
    assert "42" not in found.words
    assert len(found.words) < LONGEST_WORDS + 60


def test_many_unknown_issues_are_told_in_few_words() -> None:
    many = {"offer": {f"k{number}": "v" for number in range(900)}}
    reading = read_move(many, TERMS)
    assert reading.error == "unknown_issue"
    assert "and 1 more" in reading.hint
    assert read_move({"offer": {f"k{n}": "v" for n in range(2_000)}}, TERMS).error == "unreadable"


def test_an_offer_of_thousands_of_lines_is_not_read_to_its_end() -> None:
    lines = "\n".join(f"k{number} = v" for number in range(1_500))
    assert read_move(f"OFFER:\n{lines}", TERMS).error == "unknown_issue"
    lasting = "\n".join(f"tls = 1.{number}" for number in range(1_500))
    reading = read_move(f"OFFER:\n{lasting}\ndays = 30\nACCEPT: bob-1", TERMS)
    assert reading.move is None


HOSTILE = [
    "OFFER: " * 12_000,
    "OFFER:\n" + "a = b\n" * 15_000,
    "OFFER: " + "a=" * 9_500,
    "OFFER:\n" + ("a:" * 1_000 + "\n") * 49,
    "OFFER:\n" + ("tls =" + "days:" * 2_000 + "\n") * 9,
    "OFFER: tls = " + "," * 19_000,
    "ACCEPT: " + "a," * 9_000,
    "SAY: " + "e\u0301" * 40_000,
    "```\n" * 25_000,
    '{"a":' * 20_000,
    "\n".join(f'{{"accept": "x{number}"' for number in range(5_000)),
    "OFFER: tls = 1.3; days = 30\n" * 3_000,
    "x" * 700_000,
    "ACCEPT: bob-1\n" * 50_000,
    "\u202e\ud800" * 350_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_in_no_time_and_raises_nothing(text: str) -> None:
    began = time.process_time()
    reading = read_move(text, TERMS)
    assert time.process_time() - began < 1.0  # 0.2 s without coverage and on a quiet machine
    assert reading.move is not None or reading.error
