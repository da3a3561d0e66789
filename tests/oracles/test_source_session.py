"""The source's own session: does it replay word for word?

Here: the transcript of the consent protocol's source, fed to the machine message by message.
Not here: the same script through the command line and its agents (tests of cli/).
Sources: SEMANTICS C2 (the caller's explicit consent is no turn, so it counts 8), C6 (footer).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.agents.scripted import lines_of, order_in
from comity.core.step import Input, Step
from comity.protocols.consent.document import consensus_document, footer
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.prompt import parse_prompt
from comity.protocols.consent.results import ConsentAgreement
from comity.protocols.consent.rules import ConsentRules, consent_rules
from comity.protocols.consent.state import ConsentState

SCRIPT = (Path(__file__).parent.parent / "data" / "source_session.txt").read_text("utf-8")
PROMPT = """Use negotiation for authentication protocol design.
CC advocates Reliability, CX advocates Speed, GM advocates Security.
Output: projects/auth/protocol.md
"""
CLOSING = SCRIPT.splitlines()[-7:]


def the_rules() -> ConsentRules:
    told = parse_prompt(PROMPT)
    seats = dict(told.seats)
    order = order_in(SCRIPT, tuple(seats))
    return consent_rules(told.question, seats, seed="1", order=order, output=told.output or "")


def blocks() -> list[tuple[str, str]]:
    """Return (seat, words) in the order of the script."""
    texts = {seat: list(lines_of(SCRIPT, seat)) for seat in ("CC", "CX", "GM")}
    found = [(SCRIPT.index(text), seat, text) for seat in texts for text in texts[seat]]
    return [(seat, text) for _, seat, text in sorted(found)]


def play(lines: list[tuple[str, str]]) -> list[Step[ConsentState]]:
    steps = [start(the_rules())]
    for at, (seat, text) in enumerate(lines):
        last = steps[-1]
        asked = next((one for one in last.asks if one.party == seat), None)
        happened = Input(
            kind="reply" if asked else "message",
            now_ms=at,
            party=seat,
            ask_id=asked.id if asked else None,
            body={"text": text},
        )
        steps.append(step(last.state, happened))
    return steps


def outcome_of(steps: list[Step[ConsentState]]) -> ConsentAgreement:
    ended = [one.outcome for one in steps if one.outcome is not None]
    assert len(ended) == 1
    assert isinstance(ended[0], ConsentAgreement)
    return ended[0]


def test_the_script_has_the_nine_messages_and_the_seven_closing_lines_of_the_source() -> None:
    assert [seat for seat, _ in blocks()] == ["CC", "CX", "GM", "CC", "CX", "GM", "CC", "CX", "GM"]
    assert CLOSING[0] == "[DONE] - Consensus reached."
    assert "OUTPUT: projects/auth/protocol.md" in CLOSING


def test_c2_the_source_session_ends_after_eight_turns_with_the_footer_of_the_source() -> None:
    outcome = outcome_of(play(blocks()))
    assert outcome.record.turns == 8
    assert outcome.record.version == 3
    assert footer(outcome, output=the_rules().output).splitlines() == CLOSING


def test_c6_the_document_ends_in_the_seven_closing_lines() -> None:
    outcome = outcome_of(play(blocks()))
    document = consensus_document(outcome, output=the_rules().output)
    assert document.splitlines()[-7:] == CLOSING
    assert outcome.record.draft == (
        "150ms p99 target",
        "At-least-once delivery",
        "Fast path for small messages",
        "TLS required, symmetric encryption after handshake",
    )


def test_c2_the_caller_s_own_consent_changes_nothing_wherever_it_comes() -> None:
    *said, first, second, own = blocks()
    early = play([*said, own, first, second])
    assert [one.reason for one in early[-3].rejected] == ["already_answered"]
    assert early[-3].state == early[-4].state
    late = play(blocks())
    assert outcome_of(early) == outcome_of(late)
    assert [one.reason for one in late[-1].rejected] == ["ended"]


@pytest.mark.parametrize("missing", [6, 7])
def test_c2_without_one_consent_there_is_no_agreement(missing: int) -> None:
    lines = blocks()
    steps = play([*lines[:missing], *lines[missing + 1 :]])
    assert all(one.outcome is None for one in steps)


def test_every_message_of_the_session_is_in_the_transcript_as_it_was_written() -> None:
    steps = play(blocks())
    transcript = steps[-2].state.transcript
    assert [(one["party"], one["text"]) for one in transcript] == blocks()[:8]
    assert [one["kind"] for one in transcript] == [
        *["position"] * 3,
        *["propose"] * 2,
        "check",
        *["answer"] * 2,
    ]
