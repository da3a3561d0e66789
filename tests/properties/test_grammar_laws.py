"""Grammar laws: no dressing of a reply turns dissent into assent, and no quote is an answer.

Sources: SEMANTICS C3, W1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.protocols.consent.grammar import parse_consent_json, read_message, read_proposal
from comity.protocols.consent.prompt import parse_prompt
from comity.protocols.review.grammar import parse_review_json, read_vote
from comity.protocols.text import normalise, read_page

SEATS = ("CC", "CX", "GM")

# --- replies ---------------------------------------------------------------------------------

VOTES = ["VOTE: APPROVE", "VOTE: BLOCK", "vote: block", "My vote = approved", "VOTE - BLOCKED",
         "VOTE: APPROVE once fixed", "VOTE: DISAPPROVE", "VOTE: APPROVE or BLOCK", "VOTE: LGTM",
         "VOTE: <APPROVE|BLOCK>", "VOTE:", "APPROVE", "BLOCK", "REASON: the index is missing",
         "CATEGORY: tests", "I would approve it.", "It blocks.", ""]  # fmt: skip
ANSWERS = ["[CONSENT]", "[CONSENT - CC]", "[CONSENT - CX]", "[CONSENT] if the cap goes",
           "[OBJECT: too slow]", "[OBJECT]", "[OBJECT: too slow", "CX: [CONSENT]", "CX: fine",
           "[CONSENT CHECK]", "[DONE]", "RED LINE: kept", "RED LINE: crossed - term 1",
           "I OFFER: a", "- a term", "You have my [CONSENT] then.", ""]  # fmt: skip
ALPHABET = st.characters(codec=None, exclude_categories=())
SNIPPETS = st.sampled_from(
    [*VOTES, *ANSWERS, "```", "~~~", "> ", "    ", "\t", "<!--", "-->", "<think>", "</think>",
     "@@ -1,2 +1,2 @@", "{", "}", '{"vote": "APPROVE"}', '{"answer": "CONSENT"}', "[", "]", "\n",
     "\r", "\u200b", "\u202e", "**", "`", "|", "- ", "# ", "\ud800", "\u0301", "\u2028", ":",
     "CC="]
)  # fmt: skip
ANYTHING = st.lists(SNIPPETS | st.text(ALPHABET, max_size=8), max_size=20).map("".join)
VOTE_REPLIES = st.lists(st.sampled_from(VOTES), min_size=1, max_size=6)
ANSWER_REPLIES = st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=6)


def vote(text: str) -> tuple[str, str | None]:
    reading = read_vote(text)
    return reading.status, reading.vote


def answer(text: str) -> tuple[object, ...]:
    reading = read_message(text, seat="CC", seats=SEATS, open_check=True)
    return reading.status, reading.answer, reading.calls_check, reading.done


Reading = Callable[[str], tuple[object, ...]]
BOTH = pytest.mark.parametrize(
    ("replies", "read"), [(VOTE_REPLIES, vote), (ANSWER_REPLIES, answer)], ids=["vote", "answer"]
)

# --- dressing --------------------------------------------------------------------------------


def star(line: str) -> str:
    return f"**{line}**" if line else line


DRESSES: list[Callable[[list[str]], str]] = [
    "\r\n".join,
    "\r".join,
    "\u2028".join,
    lambda lines: "\n".join(line + "  \t" for line in lines),
    lambda lines: "\n".join("  " + line for line in lines),
    lambda lines: "\n".join(map(star, lines)),
    lambda lines: "\n".join(f"`{line}`" if line else line for line in lines),
    lambda lines: "\n".join(f"_{line}_" if line else line for line in lines),
    lambda lines: "\n".join(f"\u2705 {line}" if line else line for line in lines),
    lambda lines: "\n".join("\u200b".join(line) for line in lines),
    lambda lines: "\u202e" + "\n".join(lines) + "\u202c",
    lambda lines: "\n".join("".join(map(wide, line)) for line in lines),
    lambda lines: "\x1b[1m" + "\n".join(lines) + "\x1b[0m",
    lambda lines: "\n" + "\n".join(lines) + "\n\n",
]


def wide(char: str) -> str:
    return chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char


@BOTH
@given(data=st.data(), dress=st.sampled_from(DRESSES))
def test_dressing_never_changes_an_answer(
    replies: st.SearchStrategy[list[str]], read: Reading, data: st.DataObject, dress: object
) -> None:
    lines = data.draw(replies)
    assert callable(dress)
    assert read(dress(lines)) == read("\n".join(lines))


@BOTH
@given(data=st.data())
def test_bullets_and_headings_never_turn_an_answer_round(
    replies: st.SearchStrategy[list[str]], read: Reading, data: st.DataObject
) -> None:
    # A bullet before prose may end another seat's paragraph or a term list; an answer that
    # counts either way must be the same one.
    lines = data.draw(replies)
    lead = data.draw(st.sampled_from(["- ", "* ", "1. ", "## "]))
    before = read("\n".join(lines))
    after = read("\n".join(lead + line if line else line for line in lines))
    if before[0] == after[0] == "ok":
        assert before[1] == after[1]


# --- quoting ---------------------------------------------------------------------------------


def quoted(lines: list[str]) -> str:
    return "\n".join(f"> {line}" for line in lines)


QUOTES: list[Callable[[list[str]], str]] = [
    quoted,
    lambda lines: "```\n" + "\n".join(lines) + "\n```",
    lambda lines: "~~~~ text\n" + "\n".join(lines) + "\n~~~~",
    lambda lines: quoted(["```", *lines]),
    lambda lines: "\n".join(f"    {line}" for line in lines),
    lambda lines: "\n".join(f"\t{line}" for line in lines),
    lambda lines: "\n".join(f"| {line} |" for line in lines),
    lambda lines: "<!--\n" + "\n".join(lines) + "\n-->",
    lambda lines: "<think>\n" + "\n".join(lines) + "\n</think>",
    lambda lines: f"@@ -0,0 +1,{len(lines)} @@\n" + "\n".join(f"+{line}" for line in lines),
]


@BOTH
@given(data=st.data(), quote=st.sampled_from(QUOTES))
def test_what_is_only_quoted_is_no_answer(
    replies: st.SearchStrategy[list[str]], read: Reading, data: st.DataObject, quote: object
) -> None:
    assert callable(quote)
    status, given_answer, *signals = read(quote(data.draw(replies)))
    assert (status, given_answer) == ("invalid", None)
    assert not any(signals)


@BOTH
@given(data=st.data(), quote=st.sampled_from(QUOTES))
def test_a_quote_between_paragraphs_never_changes_the_answer(
    replies: st.SearchStrategy[list[str]], read: Reading, data: st.DataObject, quote: object
) -> None:
    assert callable(quote)
    before, after, words = data.draw(replies), data.draw(replies), data.draw(replies)
    plain = "\n".join([*before, "", "Well.", "", *after])
    dressed = "\n".join([*before, "", "Well.", "", quote(words), "", *after])
    assert read(dressed) == read(plain)


@BOTH
@given(data=st.data(), fence=st.sampled_from(["```", "~~~", "<!--", "<think>"]))
def test_what_follows_an_unclosed_quote_never_counts(
    replies: st.SearchStrategy[list[str]], read: Reading, data: st.DataObject, fence: str
) -> None:
    lines, rest = data.draw(replies), data.draw(replies)
    assert read("\n".join([*lines, "", fence, *rest])) == read("\n".join([*lines, ""]))


# --- assent is exact -------------------------------------------------------------------------

WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12).filter(
    lambda word: normalise(word).strip()
)


@given(words=WORDS)
def test_any_word_behind_an_assent_unmakes_it(words: str) -> None:
    assert read_vote(f"VOTE: APPROVE {words}").vote != "APPROVE"
    assert read_vote(f"VOTE: {words} APPROVE").vote != "APPROVE"
    assert read_message(f"[CONSENT] {words}", seat="CC", open_check=True).answer is None
    assert read_message(f"{words} [CONSENT]", seat="CC", open_check=True).answer is None
    assert read_message(f"[CONSENT {words}]", seat="CC", open_check=True).answer is None


@given(text=ANYTHING)
def test_assent_needs_its_token_and_dissent_its_reason(text: str) -> None:
    reading = read_vote(text)
    if reading.vote == "APPROVE":
        assert "approve" in normalise(text).casefold()
    if reading.vote == "BLOCK":
        assert reading.reason
    told = read_message(text, seat="CC", seats=SEATS, open_check=True)
    if told.answer == "CONSENT":
        assert "consent" in normalise(text).casefold()
        assert told.red_line is None or told.red_line.state == "kept"
    if told.answer == "OBJECT":
        assert told.reason


@given(text=ANYTHING)
def test_a_conflict_is_never_resolved(text: str) -> None:
    both = (
        text + "\n</think>\n\nVOTE: APPROVE\n\nVOTE: BLOCK\nREASON: x\n\n[CONSENT]\n\n[OBJECT: x]"
    )
    assert read_vote(both).status == "invalid"
    assert read_message(both, seat="CC", seats=SEATS, open_check=True).status == "invalid"


# --- total and linear ------------------------------------------------------------------------


@given(text=ANYTHING, open_check=st.booleans(), seat=st.sampled_from([None, "CC"]))
def test_every_text_is_read(text: str, open_check: bool, seat: str | None) -> None:
    for role in ("voter", "verdict", "advisor", None):
        told = parse_review_json(text, role=role)
        assert told["status"] in {"ok", "invalid", "not_a_voter"}
        assert ("error" in told) is (told["status"] == "invalid")
    reading = read_message(text, seat=seat, seats=SEATS, open_check=open_check)
    assert (reading.error is not None) is (reading.status == "invalid")
    assert parse_consent_json(text, seat=seat, open_check=open_check)["status"] != "none"
    assert read_proposal(text).status in {"ok", "incomplete", "no_proposal"}
    with suppress(InvalidInput):
        parse_prompt(text)


@given(text=ANYTHING)
def test_the_normal_form_and_its_page_are_their_own(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal) == normal
    page = read_page(text)
    assert page == read_page(normal)
    assert len(page.lines) == len(page.kinds) == normal.count("\n") + 1
    normal.encode("utf-8")


HARD = ["a\n", "\n", " ", "[", "]", "[]", "*", "_", "`", "~", "<", "<!--", "<!--\n", "x <!-- \n",
        "<think>", "<think>\n", "</think>\n", "```\n", "{", '{"a":', '{"a":\n', "\x1b[",
        "a\u0301\u0323", "\u0301\u0323", "\uff9e\u0301", "\u0f73", "\u2705", "\u6295", "|", "> ",
        "VOTE\n", "VOTE: ", "VOTE: APPROVE\n", "VOTE: BLOCK - a\n", "APPROVE/", "/", "REASON: a\n",
        "ADDRESSED: a\n", "[OBJECT: a\n", "[OBJECT: a]", "[OBJECT]", "[OBJECT ", "[CONSENT]\n",
        "[CONSENT CHECK]\n", "- a\n", "I OFFER: a\n", "RED LINE: b\n", "CX:\n", "CX: a\n",
        "Current proposal:\n", "@@ -1 +1 @@\n", "CC=", "CC advocates ", "output: ",
        '"', ". "]  # fmt: skip
STARTS = ["", "VOTE: APPROVE", "[CONSENT]", "[OBJECT: a]", "[CONSENT CHECK]\n- "]


def steps(text: str) -> int:
    """Count the calls, of Python and of C, that reading a text takes."""
    count = 0

    def counted(_frame: object, event: str, _what: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        parse_review_json(text)
        read_message(text, seat="CC", seats=SEATS, open_check=True)
        with suppress(InvalidInput):
            parse_prompt(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("unit", HARD)
def test_twice_the_text_takes_at_most_twice_the_steps(unit: str, start: str) -> None:
    size = 100
    once, twice = steps(start + unit * size), steps(start + unit * size * 2)
    assert twice <= 2 * once + 100


LISTED = ["</think>", "\ufdfa\n", "VOTE:\n", "REASON:\n", "ADDRESSED: b1\n", "VOTE: APPROVE\n",
          "\n{", "\u3300", "\u2028", "<b>", "</b>", "<b>\n", "~~", "VOTE: REJECT\n", "\u201c\n",
          "Critic:\n", "[OBJCET: a]\n", "```\n", "<!--"]  # fmt: skip


def review_steps(text: str) -> int:
    count = 0

    def counted(_frame: object, event: str, _what: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        read_vote(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("unit", LISTED)
def test_a_hostile_text_takes_few_more_steps_than_a_plain_one_of_its_size(unit: str) -> None:
    size = 20_000
    plain = review_steps("Plain words of a review.\n" * (size // 25))
    lines = unit.count("\n") + unit.count("\u2028")
    many = min(size // len(unit), 4_000, 5_000 // lines if lines else size)
    assert review_steps(unit * many) <= 25 * plain
    assert review_steps(unit * (700_000 // len(unit))) <= 2 * plain  # not read at all


@pytest.mark.no_cover  # what is traced takes minutes here; other tests reach these lines
@pytest.mark.parametrize("unit", HARD)
@pytest.mark.parametrize("size", [65_536, pytest.param(700_000, marks=pytest.mark.full)])
def test_no_pattern_goes_back_over_a_long_message(unit: str, size: int) -> None:
    # The work inside a pattern cannot be counted; one that goes back would not come to an end.
    for start in STARTS:
        text = start + unit * (size // len(unit))
        read_vote(text)
        read_message(text, seat="CC", seats=SEATS, open_check=True)
