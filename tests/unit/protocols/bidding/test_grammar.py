"""Grammar: what an answer bids, and whose it is (C3, W1, A1, A2)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.protocols.bidding.amounts import Reading
from comity.protocols.bidding.grammar import forms, read_answer
from comity.protocols.bidding.opening import bidding_rules

NAMES = ["ann", "bob", "Mr. Cy-"]
SEALED = bidding_rules("x", NAMES, seed="1", reserve=0, unit="GBP")
SEVERAL = bidding_rules("x", NAMES, seed="1", reserve=0, units=3)
ENGLISH = bidding_rules("x", NAMES, seed="1", reserve=1, mode="english", end=9, step=1)
DUTCH = bidding_rules("x", NAMES, seed="1", reserve=1, mode="dutch", start=9, step=1)
HASH = "3f" * 32
NONCE = "0123456789abcdef"


def read(said: Any, kind: Any = "bid", rules: Any = SEALED, bidder: str = "ann") -> Reading:
    body = {"text": said} if isinstance(said, str) else said
    return read_answer(body, kind, bidder, rules)


@pytest.mark.parametrize(
    "said",
    [
        "BID: 42",
        "bid: 42 GBP",
        "It is worth it.\n\n**BID: 42**\n",
        "- Bid = 42.",
        "BID: 42\nBID: 42.0",
        "BID - ann: 42",
        "BID - my best: 42",
        '{"bid": 42}',
        '{"Bid ": "42", "unit": "GBP"}',
        '```json\n{"bid": 42.0}\n```',
        'BID: 42\n{"bid": 42}',
        "<think>BID: 99</think>\nBID: 42",
        "> BID: 99\n\nBID: 42",
        "```\nBID: 99\n```\nBID: 42",
        {"bid": 42},
        {"bid": "42 GBP"},
        {"bid": 42, "unit": "GBP"},
        {"bid": 42, "bidder": "ann"},
        {"bid": 42, "text": "BID: 7", "usage": {}},
    ],
)
def test_w1_a_bid_is_the_one_number_of_the_seats_own_words(said: Any) -> None:
    assert read(said) == Reading(amounts=(42,))


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("", "no_answer"),
        ("I would pay 42", "no_answer"),
        ("42", "no_answer"),
        ("> BID: 42", "no_answer"),
        ("STAY", "no_answer"),
        ("Pass me the salt", "no_answer"),
        ("OUT", "no_answer"),
        ("NONCE: x", "no_answer"),
        ("BID: I think 42 is fair", "not_a_number"),
        ("BID:", "not_a_number"),
        ("BID: 42\nBID: 43", "contradictory"),
        ("BID: 42\nPASS", "contradictory"),
        ('BID: 42\n{"bid": 43}', "contradictory"),
        ({"bid": 42, "pass": True}, "contradictory"),
        ('{"bid": 42, "BID": 43}', "no_answer"),
        ('{"bid": 42', "no_answer"),
        ('{"offer": 42}', "no_answer"),
        ('{"bid": NaN}', "not_a_number"),
        ('{"bid": true}', "not_a_number"),
        ({"bid": True, "unit": "GBP"}, "not_a_number"),
        ({"bid": 42, "unit": "EUR"}, "unit"),
        ({"bid": -1}, "negative"),
        ({"commit": HASH}, "no_answer"),
        ({"text": 42}, "no_answer"),
        (None, "no_answer"),
        ("x" * 100_001, "too_long"),
        ("BID: 1" + " " * 20_001 + "2", "no_answer"),
    ],
)
def test_w1_what_is_no_bid_says_why(said: Any, error: str) -> None:
    found = read(said)
    assert (found.error, found.amounts, found.declines) == (error, (), False)
    assert found.hint


@pytest.mark.parametrize(
    "said",
    [
        "BID - bob: 42",
        "BID - Mr. Cy-: 42",
        "BID - [BOB]: 42\nBID - bob: 42",
        "PASS - bob",
        {"bid": 42, "bidder": "bob"},
        {"bid": 42, "from": "Bob"},
        '{"bid": 42, "seat": "bob"}',
    ],
)
def test_c3_who_names_another_bidder_bids_for_nobody(said: Any) -> None:
    assert read(said).error == "other_bidder"
    assert read(said).amounts == ()


def test_c3_another_name_beside_ones_own_bid_makes_it_unclear() -> None:
    assert read("BID: 42\nBID - bob: 99").error == "contradictory"


@pytest.mark.parametrize(
    "said",
    ["PASS", "pass.", "PASS - too dear for me", "PASS: no", "BID: none", "BID: No bid.",
     {"pass": True}, {"bid": None}, '{"bid": null}', {"bid": "nothing"}],
)  # fmt: skip
def test_who_bids_nothing_may_say_so_in_many_ways(said: Any) -> None:
    assert read(said) == Reading(declines=True)


def test_a2_several_units_are_bid_for_in_one_line() -> None:
    assert read("BID: 10, 6, 2", rules=SEVERAL).amounts == (10, 6, 2)
    assert read('{"bid": [10, 6.50]}', rules=SEVERAL).amounts[0] == 10
    assert str(read('{"bid": [10, 6.50]}', rules=SEVERAL).amounts[1]) == "6.50"
    assert read("BID: 6, 10", rules=SEVERAL).error == "rising_marginals"


@pytest.mark.parametrize(
    "said",
    [
        f"COMMIT: {HASH}",
        f"commitment = {HASH.upper()}.",
        f"COMMIT: sha256: {HASH}",
        f'{{"commit": "{HASH}"}}',
        {"commit": HASH},
    ],
)
def test_a2_a_hash_is_handed_in(said: Any) -> None:
    assert read(said, "commit") == Reading(committed=HASH)


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("COMMIT: 3f", "not_a_hash"),
        (f"COMMIT: {HASH}0", "not_a_hash"),
        ({"commit": 3}, "not_a_hash"),
        ("BID: 42", "bid_shown"),
        ("REVEAL: 42 NONCE: x", "bid_shown"),
        ({"bid": 42}, "bid_shown"),
        (f"COMMIT: {HASH}\nBID: 42", "contradictory"),
        (HASH, "no_answer"),
    ],
)
def test_a2_what_is_no_hash_says_why(said: Any, error: str) -> None:
    assert read(said, "commit").error == error
    assert read(said, "commit").committed == ""


def test_a_commitment_may_be_declined() -> None:
    assert read("PASS", "commit") == read({"commit": None}, "commit") == Reading(declines=True)


@pytest.mark.parametrize(
    "said",
    [
        f"REVEAL: 42 NONCE: {NONCE}",
        f"reveal = 42 GBP; nonce = {NONCE}",
        f"REVEAL: 42\nNONCE: {NONCE}",
        f"NONCE: {NONCE}\nREVEAL: 42",
        f"REVEAL: 42, NONCE: {NONCE}\nNONCE: {NONCE}",
        f'{{"reveal": 42, "nonce": "{NONCE}"}}',
        {"reveal": 42, "nonce": NONCE},
        {"bid": "42", "nonce": NONCE},
    ],
)
def test_a2_a_bid_is_revealed_with_its_nonce(said: Any) -> None:
    assert read(said, "reveal") == Reading(amounts=(42,), nonce=NONCE)


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("REVEAL: 42", "no_nonce"),
        ("REVEAL: 42 NONCE: short", "no_nonce"),
        (f"REVEAL: 42\nNONCE: {NONCE}\nNONCE: {NONCE}x", "no_nonce"),
        (f"REVEAL: 42 NONCE: {NONCE}/{NONCE}", "no_nonce"),
        ({"reveal": 42}, "no_nonce"),
        ({"reveal": 42, "nonce": 5}, "no_nonce"),
        ({"reveal": True, "nonce": NONCE}, "not_a_number"),
        (f"REVEAL: x NONCE: {NONCE}", "not_a_number"),
        (f"NONCE: {NONCE}", "no_answer"),
        ("BID: 42", "no_answer"),
    ],
)
def test_a2_what_reveals_nothing_says_why(said: Any, error: str) -> None:
    assert read(said, "reveal").error == error


def test_a_nonce_keeps_its_capitals() -> None:
    found = read("Revealing now.\nREVEAL: 42 NONCE: AbC-dEf.012345678", "reveal")
    assert found.nonce == "AbC-dEf.012345678"


def test_a_reveal_may_be_declined() -> None:
    assert read("PASS", "reveal").declines


@pytest.mark.parametrize(
    ("rules", "said", "is_yes"),
    [
        (ENGLISH, "STAY", True),
        (ENGLISH, "Fair enough.\n**stay!**", True),
        (ENGLISH, "OUT", False),
        (ENGLISH, "Out - too dear for me", False),
        (ENGLISH, "PASS", False),
        (ENGLISH, {"stay": True}, True),
        (ENGLISH, {"stay": False}, False),
        (ENGLISH, '{"out": true}', False),
        (DUTCH, "TAKE", True),
        (DUTCH, "PASS", False),
        (DUTCH, {"take": True, "out": False}, True),
        (DUTCH, {"pass": True}, False),
    ],
)
def test_a2_a_price_is_answered_by_yes_or_no(rules: Any, said: Any, is_yes: bool) -> None:
    assert read(said, "price", rules) == Reading(yes=is_yes)


@pytest.mark.parametrize(
    ("rules", "said", "error"),
    [
        (ENGLISH, "TAKE", "no_answer"),
        (DUTCH, "STAY", "no_answer"),
        (ENGLISH, "STAY if bob goes", "no_answer"),
        (ENGLISH, "STAY?", "no_answer"),
        (ENGLISH, "STAY - bob", "other_bidder"),
        (ENGLISH, "BID: 42", "no_answer"),
        (ENGLISH, "STAY\nOUT", "contradictory"),
        (ENGLISH, 'STAY\n{"stay": false}', "contradictory"),
        (ENGLISH, {"stay": "yes"}, "not_yes_or_no"),
        (ENGLISH, {"out": False}, "no_answer"),
        (ENGLISH, "Out of the money", "no_answer"),
        (ENGLISH, {"stay": True, "party": "bob"}, "other_bidder"),
    ],
)
def test_assent_to_a_price_is_exact(rules: Any, said: Any, error: str) -> None:
    assert read(said, "price", rules).error == error


@pytest.mark.parametrize("kind", ["bid", "commit", "reveal", "price"])
def test_every_form_is_told_and_read(kind: Any) -> None:
    for rules in (SEALED, SEVERAL, DUTCH, ENGLISH):
        if (kind == "price") == (rules.mode != "sealed"):
            line, as_json = forms(kind, rules)
            sample = as_json.replace("the hash", HASH).replace("the nonce", NONCE)
            assert not read(sample, kind, rules).error
            assert line.split(":")[0].split()[0].isupper()
