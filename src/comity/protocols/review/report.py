"""Review report: the whole review as a text that stands on its own.

Here: the closing report of any result: every phase with its ballots, every block with what became
of it, every risk.
Not here: how it ended (ending.py), where it is written (doors).
Sources: SEMANTICS W3, W4 (risks are all listed at the end); what reviewers said stands on our own
lines, with its marks made harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from comity.core.errors import one_line
from comity.protocols.review.book import Block, Risk
from comity.protocols.review.escalation import WITH_RISK
from comity.protocols.review.results import ReviewOutcome, ReviewRecord, RoundTally

__all__ = ["closing_report"]

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LONGEST = 1_000

_BECAME = {
    "open": "stands",
    "addressed": "addressed, says its reviewer",
    "closed": "closed by its reviewer's approval",
    "risk": "documented as a risk",
    "accepted": "accepted as a risk by a person",
}


def closing_report(result: ReviewOutcome) -> str:
    """Return the closing report in Markdown; the risks come last.

    Args:
        result: how the review ended.

    Returns:
        The report, ending in a line break.

    Example:
        >>> from comity.core.step import Input
        >>> from comity.protocols.review.machine import start, step
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> ended = step(start(rules).state, Input(kind="cancel", now_ms=0))
        >>> print(closing_report(ended.outcome).splitlines()[0])
        # Review of PLAN.md
    """
    record = result.review
    unblock = result.unblock if not result.is_decided and hasattr(result, "unblock") else ()
    parts = [
        f"# Review of {_line(record.name)}",
        _line(result.says),
        _apart(record),
        *(_round(one) for one in record.rounds),
        _section("What would unblock it", [f"- {_line(one)}" for one in unblock]),
        _section("Open questions", [f"- {_line(one)}" for one in record.questions]),
        _section("Blocks", [_block(one) for one in _told_once(record.blocks)]),
        _section("Announced", [_line(one) for one in record.announcements]),
        _section("Findings", _findings(record)),
        _section("Comments", [f"- {one.agent}: {_line(one.text)}" for one in record.comments]),
        f"Version {record.digest[:12]}, inputs {result.grounds.inputs_digest[:12]}.",
        _section("Documented risks", [_risk(one) for one in record.risks] or ["- none"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _line(text: str) -> str:
    """Return words as part of one of our lines: no HTML, no second line, no link of their own."""
    words = one_line(" ".join(text.split()))
    short = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
    return _TAG.sub(r"\\<", short).replace("](", "]\\(")


def _apart(record: ReviewRecord) -> str:
    """Return what makes this approval less than it looks: other phases, another text."""
    told = []
    if record.skipped:
        have = "has" if len(record.skipped) == 1 else "have"
        names = _line(", ".join(record.skipped))
        told.append(f"Reviewed though {names} {have} not passed.")
    if record.before:
        told.append(
            f"What passed {_line(record.phase)} before was another text: version "
            f"{_line(record.before[:12])}."
        )
    return "\n".join(told)


def _section(title: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f"## {title}\n\n{body}" if body else ""


def _round(one: RoundTally) -> str:
    why = {each.agent: each.why.replace("_", " ") for each in one.unread}
    tokens = dict(one.verdicts)
    votes = [
        *((name, tokens.get(name, "APPROVE")) for name in one.approvals),
        *((name, WITH_RISK) for name in one.with_risk),
        *((name, "APPROVE (by a person)") for name in one.by_person),
        *((name, tokens.get(name, "BLOCK")) for name in one.blocks),
        *((name, f"no vote that counts ({why[name]})") for name in (*one.invalid, *one.absent)),
    ]
    lines = [f"- {name}: {vote}" for name, vote in sorted(votes)]
    title = f"{_line(one.phase)}, round {one.round}: {one.in_favour} of {one.needed}"
    return _section(title, [*lines, "", f"Version {one.digest[:12]}."])


def _told_once(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that were said, not the rounds in which they stood on."""
    return [one for one in blocks if not one.repeats]


def _block(one: Block) -> str:
    vague = " (did not say what must change)" if one.is_vague else ""
    lines = [
        (
            f"- {one.id}, {one.agent}, {_line(one.phase)} round {one.round}, "
            f"{_line(one.category)}: {_line(one.reason)}{vague}"
        )
    ]
    lines += [f"    - to approve: {_line(one.to_approve)}"] if one.to_approve else []
    lines += [f"    - suggested: {_line(one.suggestion)}"] if one.suggestion else []
    return "\n".join([*lines, f"    - {_BECAME[one.became]}"])


def _findings(record: ReviewRecord) -> list[str]:
    return [
        f"- {one.agent}, round {one.round}: {_line(one.text) or f'none ({_line(one.why)})'}"
        for one in record.findings
    ]


def _risk(one: Risk) -> str:
    how = (
        f"accepted by {one.accepted_by}"
        if one.accepted_by
        else f"blocked {one.count} time{'' if one.count == 1 else 's'}"
    )
    state = "open" if one.is_open else f"closed: {one.agent} approved in round {one.closed_in}"
    lines = [
        f"- {one.id}, {one.agent}, {_line(one.phase)}, {_line(one.category)} ({how}; {state})",
        f"    - Risk: {_line(one.risk)}",
        f"    - Mitigation: {_line(one.mitigation)}",
    ]
    lines += [f"    - Closed when: {_line(one.to_approve)}"] if one.to_approve else []
    return "\n".join(lines)
