"""Assent laws: a valid approval that is wrapped, qualified or contradicted is none (W1, C3).

Every context is drawn from a class: what stands above, below or around an approval. Ordinary prose
before it leaves it readable.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from comity.protocols.consent.grammar import read_message
from comity.protocols.review.grammar import read_vote

SEATS = ("CC", "CX", "GM")

# --- what is valid ---------------------------------------------------------------------------

VOTES = st.sampled_from(
    ["VOTE: APPROVE", "**VOTE: APPROVE**", "VOTE: APPROVE.", "vote: approved", "VOTE: `APPROVE`",
     "VOTE: APPROVE \u2705", "My vote: approve", "Vote - approve", "VOTE:\nAPPROVE"]
)  # fmt: skip
CONSENTS = st.sampled_from(["[CONSENT]", "**[CONSENT]**", "[ CONSENT ].", "[CONSENT - CC]"])
WORDS = st.sampled_from(
    ["The plan is sound.", "All tests pass", "I read four files.", "It uses Vec<T> and `x`.",
     "- the index is there", "1. the cache is small", "Line one,\nline two.", "Good work!"]
)  # fmt: skip
PROSE = st.lists(WORDS, max_size=4).map("\n\n".join)

# --- what unmakes it -------------------------------------------------------------------------

NAMES = st.from_regex(r"[a-z][a-z_.-]{0,8}(:[a-z]{1,6})?", fullmatch=True).filter(
    lambda name: name not in {"area", "base", "br", "col", "hr", "img", "input", "link", "meta",
                              "wbr"}
)  # fmt: skip
TRACES = st.sampled_from(["think", "thinking", "reasoning", "analysis", "seed:think", "draft"])
SINGLE = st.sampled_from(['"""', '"', "`", "``", "~~", "\u201c", "....", "'''"])


def tagged(name: str, end: bool) -> Callable[[str], str]:
    return lambda text: f"<{name}>\n{text}\n" + (f"</{name}>\n" if end else "")


WRAPS: st.SearchStrategy[Callable[[str], str]] = st.one_of(
    st.builds(tagged, NAMES | TRACES, st.booleans()),
    SINGLE.map(lambda mark: lambda text: f"{mark}\n{text}\n{mark}"),
    st.sampled_from(["> a quote", "> a\n> b", "   > a"]).map(
        lambda quote: lambda text: f"{quote}\n{text}"
    ),
    st.sampled_from(["\u2502", "\u258c", "\u00a6", ">", "|"]).map(
        lambda bar: lambda text: "\n".join(f"{bar} {line}" for line in text.split("\n"))
    ),
    st.sampled_from(["[THINK]\n{}\n[/THINK]", "<|channel|>analysis<|message|>\n{}\n<|end|>",
                     "<!--\n{}\n-->", "```\n{}\n```", "~~Earlier:\n{}\nno more~~", "/*\n{}\n*/",
                     "#+BEGIN_QUOTE\n{}\n#+END_QUOTE", "<pre>{}</pre>"]).map(
        lambda form: form.format
    ),
)  # fmt: skip
CONDITIONS = st.sampled_from(
    ["only if the tests pass", "provided it is fixed", "(pending the fix)", "unless it breaks",
     "subject to review", "but only with a limit", "not really", "withdrawn", "or something else"]
)  # fmt: skip
GAPS = st.sampled_from(["\n", "\n\n", "\n- ", "\n<!-- x -->\n"])
DENIALS = st.sampled_from(
    ["VOTE: REJECT", "VOTE: BLOCK", "VOTE: abstain", "vote: withdrawn", "VOTE: pending",
     "Vote - rejected", "VERDICT: BLOCKED", "Decision: no", "BLOCK", "I cannot approve this.",
     "I withdraw my vote.", "- [x] BLOCK", "CONDITION: a limit", "TO APPROVE: a limit",
     '{"vote": "BLOCK"}', '{"vote": "APPROVE", "condition": "x"}', "<b>VOTE: BLOCK</b>",
     "\u2611 BLOCK", "\U0001f645 VOTE: REJECT", "+VOTE: BLOCK"]
)  # fmt: skip
SPEAKERS = st.sampled_from(
    [
        "Critic:",
        "[Critic]",
        "Planner said:",
        "### Architect",
        "CX:",
        "[CX]",
        "GM wrote:",
        "CX said:",
    ]
)
TAILS = st.sampled_from(
    [",", ":", " (", " \u2014", "...", " \u2192", "\u2020", " once fixed", "?"]
)


@given(vote=VOTES, before=PROSE, wrap=WRAPS)
@example(vote="VOTE: APPROVE", before="", wrap=tagged("example", end=False))
def test_w1_a_wrapped_approval_is_none(vote: str, before: str, wrap: Callable[[str], str]) -> None:
    assert read_vote(f"{before}\n\n{wrap(vote)}").vote is None


@given(vote=VOTES, before=PROSE, gap=GAPS, condition=CONDITIONS)
def test_w1_an_approval_with_a_condition_below_is_none(
    vote: str, before: str, gap: str, condition: str
) -> None:
    assert read_vote(f"{before}\n\n{vote}{gap}{condition}").vote is None


@given(vote=VOTES, before=PROSE, after=PROSE, denial=DENIALS, first=st.booleans())
def test_w1_an_approval_beside_a_denial_is_none(
    vote: str, before: str, after: str, denial: str, first: bool
) -> None:
    parts = [before, denial, vote, after] if first else [before, vote, denial, after]
    assert read_vote("\n\n".join(parts)).vote != "APPROVE"


@given(vote=VOTES, before=PROSE, speaker=SPEAKERS, gap=st.sampled_from(["\n", "\n\n"]))
def test_c3_an_approval_below_anothers_name_is_none(
    vote: str, before: str, speaker: str, gap: str
) -> None:
    assert read_vote(f"{before}\n\n{speaker}{gap}{vote}", others=SEATS).vote is None


@given(tail=TAILS, before=PROSE)
def test_w1_what_is_left_open_behind_the_token_is_doubt(tail: str, before: str) -> None:
    assert read_vote(f"{before}\n\nVOTE: APPROVE{tail}").vote is None


@given(
    key=st.text(st.characters(categories=["L"]), min_size=1, max_size=12),
    value=st.text(st.characters(categories=["L"]), min_size=3, max_size=12),
)
def test_w1_a_json_approval_with_an_unknown_key_is_none(key: str, value: str) -> None:
    known = {"vote", "reason", "reasons", "category", "suggestion", "addressed", "note", "notes",
             "comment", "comments", "summary", "findings", "confidence", "phase",
             "round"}  # fmt: skip
    reading = read_vote(json.dumps({"vote": "APPROVE", key: value}))
    folded = "_".join(key.casefold().split())
    if folded not in known | {"none"} and reading.vote == "APPROVE":
        assert value.casefold() in {"nil", "null", "none", "approve", "yes", "todo", "tbd", "true"}


@given(vote=VOTES, before=PROSE, end=st.sampled_from(["", "\n", "\n\n", "\n\nRegards,\nDee\n"]))
def test_w1_a_plain_vote_after_ordinary_prose_stays_readable(
    vote: str, before: str, end: str
) -> None:
    assert read_vote(f"{before}\n\n{vote}{end}").vote == "APPROVE"


# --- consents --------------------------------------------------------------------------------


def consent(text: str) -> str | None:
    return read_message(text, seat="CC", seats=SEATS, open_check=True).answer


@given(answer=CONSENTS, before=PROSE, wrap=WRAPS)
def test_c3_a_wrapped_consent_is_none(
    answer: str, before: str, wrap: Callable[[str], str]
) -> None:
    assert consent(f"{before}\n\n{wrap(answer)}") is None


@given(answer=CONSENTS, gap=st.sampled_from(["\n", "\n\n", "\n- "]), condition=CONDITIONS)
def test_c2_a_consent_with_a_condition_below_is_none(
    answer: str, gap: str, condition: str
) -> None:
    assert consent(f"{answer}{gap}{condition}") is None


@given(
    answer=CONSENTS,
    denial=st.sampled_from(
        ["[OBJCET: slow]", "[REJECT]", "<b>[OBJECT: slow]</b>", "I object.", "I cannot agree.",
         "> x\n[OBJECT: slow]", '{"answer": "OBJECT", "reason": "slow"}', "[OBJECT: slow]"]
    ),
)  # fmt: skip
def test_c2_a_consent_beside_an_objection_is_none(answer: str, denial: str) -> None:
    assert consent(f"{denial}\n\n{answer}") != "CONSENT"


@given(answer=CONSENTS, before=PROSE)
def test_c2_a_plain_consent_stays_readable(answer: str, before: str) -> None:
    assert consent(f"{before}\n\n{answer}\n") == "CONSENT"
