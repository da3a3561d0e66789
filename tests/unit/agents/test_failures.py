"""agents/failures.py: a status or words become a kind, and a detail is one short line (C5, C7)."""

from __future__ import annotations

import pytest

from comity.agents.failures import (
    LONGEST_DETAIL,
    failure,
    kind_of_status,
    kind_of_words,
    plain_words,
    retry_after_ms,
)


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (400, "", "bad_request"),
        (400, "Your credit balance is too low to access the API", "quota"),
        (401, "", "auth"),
        (402, "", "quota"),
        (403, "", "auth"),
        (404, "", "bad_request"),
        (407, "", "auth"),
        (408, "", "overloaded"),
        (413, "", "bad_request"),
        (425, "", "overloaded"),
        (429, "", "rate_limited"),
        (429, "You exceeded your current quota, please check your plan", "quota"),
        (429, "insufficient_quota: no", "quota"),
        (429, "Rate limit reached for requests", "rate_limited"),
        (500, "", "overloaded"),
        (503, "", "overloaded"),
        (504, "", "overloaded"),
        (529, "", "overloaded"),
        (301, "", "bad_request"),
    ],
)
def test_c5_a_status_has_one_kind(status: int, words: str, kind: str) -> None:
    assert kind_of_status(status, words) == kind


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("unexpected status 401 Unauthorized: no, url: http://127.0.0.1:5/v1/responses", "auth"),
        ("unexpected status 402 Payment Required: no", "quota"),
        ("unexpected status 404 Not Found: no", "bad_request"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limited"),
        ("API Error: 400 messages: too long", "bad_request"),
        ("We’re currently experiencing high demand, which may cause errors.", "overloaded"),
        ("Selected model is at capacity. Please try a different model.", "overloaded"),
        ("stream disconnected before completion: Transport error: network error", "cut"),
        ("stream disconnected before completion: error sending request for url", "unavailable"),
        ("API Error: Connection to the API was lost (ECONNRESET).", "cut"),
        ("API Error: Connection closed mid-response", "cut"),
        (
            "API Error: Connection refused — a firewall may be blocking it (ECONNREFUSED)",
            "unavailable",
        ),
        ("getaddrinfo ENOTFOUND example.invalid", "unavailable"),
        ("terminated", "cut"),
        ("API Error: Claude's response exceeded the 128000 output token maximum.", "cut"),
        ("The model returned an empty response with no text or thoughts.", "empty"),
        ("Incomplete response returned, reason: max_output_tokens", "cut"),
        ("Request timed out. Set API_TIMEOUT_MS above 4000.", "timeout"),
        ("Not logged in · Please run /login", "auth"),
        ("Invalid auth method selected.", "auth"),
        ("Missing environment variable: `OPENAI_API_KEY`.", "auth"),
        ("Claude usage limit reached", "quota"),
        ("invalid_request_error: the prompt", "bad_request"),
        ("RESOURCE_EXHAUSTED", "rate_limited"),
    ],
)
def test_the_words_of_real_programs_have_one_kind(words: str, kind: str) -> None:
    assert kind_of_words(words) == kind


@pytest.mark.parametrize("words", ["", "Something went wrong", "I vote to APPROVE in 500 words"])
def test_words_that_tell_no_kind_tell_none(words: str) -> None:
    assert kind_of_words(words) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            '{"error": {"message": "no", "type": "invalid_request_error"}}',
            "invalid_request_error: no",
        ),
        (
            '{"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}',
            "INVALID_ARGUMENT: no",
        ),
        ('{"error": {"message": "no", "code": 7}}', "7: no"),
        ('{"error": {"message": "no"}}', "error: no"),
        ('{"error": "model not found"}', "model not found"),
        ('{"error": 5}', '{"error": 5}'),
        ("[1]", "[1]"),
        ("<html>", "<html>"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_the_body_of_an_error_is_taken_apart(body: str, words: str) -> None:
    assert plain_words(body) == words


@pytest.mark.parametrize(
    ("told", "expected"),
    [("0", 0), (" 30 ", 30_000), ("1.5", 1_000), (None, None), ("", None), ("-1", None),
     ("soon", None), ("99999999", None)],
)  # fmt: skip
def test_only_seconds_are_a_time_to_wait(told: str | None, expected: int | None) -> None:
    assert retry_after_ms(told) == expected


def test_a_detail_is_one_line_of_bounded_length_without_keys() -> None:
    said = failure("auth", "Incorrect key sk-abcdefghijklmnop1234:\n\tno\x1b[31m\n" + "x" * 5_000)
    assert said.detail.startswith("Incorrect key (a key): no\\x1b[31m xxx")
    assert len(said.detail) == LONGEST_DETAIL
    assert said.retry_after_ms is None
    assert failure("rate_limited", "later", retry_ms=5).retry_after_ms == 5
