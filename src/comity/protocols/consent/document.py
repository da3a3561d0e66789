"""Consensus document: the decision as a text that stands on its own.

Here: the document of an agreement or of an INCOMPLETE negotiation, and its footer. What seats
said stands inside our own lines, each behind a mark of ours, with its markers made harmless: the
last seven lines are always ours, and no other line can be taken for one of them.
Not here: where it is written (app.py).
Sources: SEMANTICS C6; the six footer lines and their order come from the consent protocol's
source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from comity.core.errors import one_line
from comity.protocols.consent.brief import defused
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal, ConsentRecord

__all__ = ["consensus_document", "footer"]

ConsentResult = ConsentAgreement | ConsentNoDeal

_TAG = re.compile(r"<(?=[A-Za-z/!?])")  # "ms < 200" is no tag


def footer(result: ConsentResult, *, output: str) -> str:
    """Return the closing lines: the marker and the six lines of the source, seats by name.

    Args:
        result: how it ended.
        output: where the document goes, or "".

    Returns:
        Seven lines.

    Example:
        >>> from comity.core.step import Input
        >>> from comity.protocols.consent.machine import start, step
        >>> from comity.protocols.consent.rules import consent_rules
        >>> rules = consent_rules("q", {"CC": "Calm", "CX": "Speed"}, seed="1", order=["CC", "CX"])
        >>> ended = step(start(rules).state, Input(kind="cancel", now_ms=0))
        >>> print(footer(ended.outcome, output=""))
        [INCOMPLETE]
        SKILL: negotiation
        STATUS: INCOMPLETE
        TURNS: 0
        OUTPUT: none
        PARTICIPANTS: CC (Calm), CX (Speed)
        CONSENSUS: Not achieved
    """
    done = isinstance(result, ConsentAgreement)
    record = result.record
    by_name = sorted(record.seats, key=lambda seat: seat.party)
    seats = ", ".join(f"{seat.party} ({_one_line(seat.priority)})" for seat in by_name)
    return "\n".join(
        [
            "[DONE] - Consensus reached." if done else "[INCOMPLETE]",
            "SKILL: negotiation",
            f"STATUS: {'DONE' if done else 'INCOMPLETE'}",
            f"TURNS: {record.turns}",
            f"OUTPUT: {_one_line(output) or 'none'}",
            f"PARTICIPANTS: {seats}",
            f"CONSENSUS: {'Achieved' if done else 'Not achieved'}",
        ]
    )


def consensus_document(result: ConsentResult, *, output: str, session: str = "") -> str:
    """Return the whole document in Markdown.

    Args:
        result: how it ended.
        output: where it goes, for the footer.
        session: the session's id in the ledger, or "".

    Returns:
        The document, ending in the footer and a line break.

    Example:
        >>> from comity.core.step import Input
        >>> from comity.protocols.consent.machine import start, step
        >>> from comity.protocols.consent.rules import consent_rules
        >>> rules = consent_rules("Meetings?", {"CC": "Calm", "CX": "Speed"}, seed="1")
        >>> ended = step(start(rules).state, Input(kind="cancel", now_ms=0))
        >>> consensus_document(ended.outcome, output="").splitlines()[0]
        '# Meetings?'
    """
    record = result.record
    parts = [f"# {_line(record.question)}", _line(result.says)]
    if isinstance(result, ConsentAgreement):
        parts.append(_section("Decision", _numbered(record.draft)))
    else:
        parts.extend(_incomplete(result))
    parts.append(_section("What each seat gave and got", _gave_and_got(record)))
    parts.append(_section("Red lines", _red_lines(record) or ["- none stated"]))
    parts.append(_section("Objections", _objections(record) or ["- none"]))
    dissent = [
        f"- {one.party} to version {one.version}: {_line(one.reason)}"
        for one in record.objections
        if not one.answered
    ]
    parts.append(_section("Open dissent", dissent or ["- none"]))
    parts.append(_section("Worth a second look", [f"- {_line(flag)}" for flag in record.flags]))
    kept = f"Session {session} in the ledger; " if session else ""
    parts.append(
        f"{kept}rules {result.grounds.inputs_digest[:12]}, "
        f"version {record.version}, turn {record.turns} of {record.max_turns}."
    )
    parts.append("---")
    body = "\n\n".join(part for part in parts if part)
    return f"{body}\n\n{footer(result, output=output)}\n"


def _one_line(text: str) -> str:
    return one_line(" ".join(text.split()))


def _line(text: str) -> str:
    """Return a seat's words as part of one of our lines: no marker, no HTML, no second line."""
    plain = _TAG.sub(r"\\<", defused(_one_line(text)))
    return plain.replace("](", "]\\(")  # no link and no picture of a seat's own


def _section(title: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f"## {title}\n\n{body}" if body else ""


def _numbered(lines: Iterable[str]) -> list[str]:
    return [f"{number}. {_line(line)}" for number, line in enumerate(lines, 1)]


def _incomplete(result: ConsentNoDeal) -> list[str]:
    record = result.record
    title = f"Closest draft (version {record.version}, not agreed)"
    return [
        _section(
            "Red lines that cannot be kept together",
            [f"- {_line(line)}" for line in result.conflict],
        ),
        _section(title, _numbered(record.draft) or ["- nothing was proposed"]),
        _section("Terms nobody objected to", _numbered(result.accepted_terms)),
        _section("What would unblock it", [f"- {_line(line)}" for line in result.unblock]),
        _section(
            "Where each seat stood",
            [
                f"- {one.party}: {_line(str(one.offer or 'made no proposal'))}"
                for one in result.final_offers
            ],
        ),
    ]


def _gave_and_got(record: ConsentRecord) -> list[str]:
    lines = []
    for seat in record.seats:
        gave = "; ".join(_line(line) for line in seat.gave) or "nothing on record"
        got = "; ".join(_line(line) for line in seat.got) or "nothing on record"
        asked = "; ".join(_line(line) for line in seat.asked)
        also = f" Asked for {asked}." if asked else ""
        lines.append(f"- **{seat.party}** ({_line(seat.priority)}): gave {gave}. Got {got}.{also}")
    return lines


def _red_lines(record: ConsentRecord) -> list[str]:
    lines = []
    for one in record.red_lines:
        kept = f": kept, {_line(one.kept)}" if one.kept else ""
        was = _line(one.loosened_from)
        loosened = f" (loosened by its owner; was {was})" if was else ""
        checked = "checked by code" if one.checked_by == "code" else "judged by its owner"
        lines.append(f"- {one.party}: {_line(one.text)}{loosened}, {checked}{kept}.")
    return lines


def _objections(record: ConsentRecord) -> list[str]:
    return [
        f"- {one.party} to version {one.version}: {_line(one.reason)} "
        f"-> {_line(one.answered) or 'open'}"
        for one in record.objections
    ]
