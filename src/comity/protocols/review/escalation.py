"""Escalation: which concerns stand, how often were they raised, and when does one become a risk?

Here: every block with what became of it, counted per reviewer and category; what an approval
closes and a block raises; the conversion into a documented risk and its announcement.
Not here: reading votes (grammar.py), asking a person about what is never waived (gate.py).
Sources: SEMANTICS W3 (the k-th block of one reviewer in one category), W6 (an approval closes;
addressed concerns stop counting; what is not marked is still open).

A count is the number of rounds in which a concern stood open. A reviewer that blocks raises the
category it names and every earlier concern of its own that it does not mark ``ADDRESSED``: a new
name for a category, or a second concern, neither resets a count nor hides one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from comity.core.errors import one_line
from comity.core.parties import PartyId
from comity.protocols.letters import look
from comity.protocols.review.book import Became, Block, Book, Risk
from comity.protocols.review.grammar import BlockMark

__all__ = [
    "ESCALATION",
    "WITH_RISK",
    "Judged",
    "Raised",
    "accepted",
    "approved",
    "blocked",
    "category_of",
    "is_never_waived",
]

ESCALATION = "ESCALATION: Converting to documented risk."
"""The line that announces a conversion."""

WITH_RISK = "APPROVE (with documented risk)"
"""How a converted block is shown."""

_LONGEST_NAME = 80
_SHORT_NAME = 5  # a shorter name is a word of its own: "ops" is not in "stops"
_LONGEST_LINE = 300
_ALL = {"all", "all of them", "all earlier blocks", "everything"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """A vote that blocks, as it was read.

    Attributes:
        agent: whose it is.
        phase: the phase.
        round: the round.
        digest: of the version that it is about.
        reason: why.
        category: as the reviewer named it, or None.
        to_approve: what would turn it into an approval.
        suggestion: how.
        is_vague: whether it was asked for that in vain.
        marks: what it says about its earlier blocks.
    """

    agent: PartyId
    phase: str
    round: int
    digest: str
    reason: str
    category: str | None = None
    to_approve: str = ""
    suggestion: str = ""
    is_vague: bool = False
    marks: tuple[BlockMark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a block comes to.

    Attributes:
        book: all blocks and risks after it.
        is_converted: whether nothing of it stands, so that the vote becomes an approval.
        announcements: what is announced, line by line.
        to_person: the categories that have reached the limit and are never waived.
        stray: marks that name no earlier block.
    """

    book: Book
    is_converted: bool
    announcements: tuple[str, ...] = ()
    to_person: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()


# --- names -----------------------------------------------------------------------------------


def _folded(text: str) -> str:
    return " ".join(re.split(r"[\s_/-]+", text.casefold().strip(" .:;,!?…*`'\"()[]")))


def _looks(text: str) -> list[str]:
    """Return the words of a text as they look, without what stands between their letters."""
    words = (re.sub(r"[\W_]+", "", word) for word in look(text).split())
    return [word for word in words if word]


def is_never_waived(category: str, names: Iterable[str], reasons: Iterable[str] = ()) -> bool:
    """Tell whether a concern is, or may be, one that is never waived.

    Args:
        category: as a reviewer named it, uncut.
        names: the categories that are never waived.
        reasons: why the reviewer blocked.

    Returns:
        True when a name stands in the category or within a word of a reason, in any spelling that
        looks like it; rather once too often than once too rarely.

    Example:
        >>> names = ["security"]
        >>> [
        ...     is_never_waived(one, names)
        ...     for one in ("API s\u00e9curit\u00e9", "sec-urity", "limits")
        ... ]
        [True, True, False]
        >>> is_never_waived("logging", names, ["It logs. A SECURITY hole."])
        True
    """
    words = [word for text in (category, *reasons) for word in _looks(text)]
    apart = re.split(r"[\W_]+", " ".join(look(text) for text in (category, *reasons)))
    joined, whole = f" {' '.join([*words, *apart])} ", "".join(_looks(category))
    for name in names:
        stem = " ".join(_looks(name))
        if len(stem) < _SHORT_NAME:
            found = f" {stem} " in joined
        else:
            found = stem[:-1] in joined or stem[:-1].replace(" ", "") in whole
        if stem and found:
            return True
    return False


def category_of(raised: Raised, earlier: Sequence[Block]) -> str:
    """Return the category that a block counts under.

    Args:
        raised: the block.
        earlier: the reviewer's blocks that stood before it.

    Returns:
        The one it names, as it was written first; else the one earlier concern that it marks
        ``STILL OPEN``; else the first sentence of its reason.

    Example:
        >>> made = Raised(agent="A", phase="plan", round=1, digest="", reason="No limit. Add one.")
        >>> category_of(made, [])
        'no limit'
    """
    still = [name for mark in raised.marks if mark.state == "open"
             for name in _meant(mark.text, earlier)]  # fmt: skip
    if raised.category is None and len(set(still)) == 1:
        return still[0]
    sentence = re.split(r"(?<=[.!?…])\s|\n", raised.reason.strip(), maxsplit=1)[0]
    name = raised.category or sentence
    known = {_folded(one.category): one.category for one in reversed(earlier)}
    short = " ".join(name.casefold().strip(" .:;,!?…*`'\"").split())[:_LONGEST_NAME].strip()
    return known.get(_folded(name)[:_LONGEST_NAME].strip(), one_line(short) or "unnamed")


def _meant(text: str, earlier: Sequence[Block]) -> list[str]:
    """Return the categories of earlier blocks that a mark means: by id, name or reason.

    Words that may mean several concerns mean none: what is not marked is still open.
    """
    words = _folded(text)
    if words in _ALL:
        return sorted({one.category for one in earlier})
    named = set(re.findall(r"\bb[0-9]{1,9}\b", words))
    by_id = {one.category for one in earlier if one.id in named}
    same = {
        one.category for one in earlier if words in {_folded(one.category), _folded(one.reason)}
    }
    part = {
        one.category
        for one in earlier
        if f" {_folded(one.category)} " in f" {words} " or (words and words in _folded(one.reason))
    }
    return sorted(by_id or same or (part if len(part) == 1 else ()))


# --- votes -----------------------------------------------------------------------------------


def approved(book: Book, *, phase: str, agent: PartyId, round_: int) -> Book:
    """Return the book after a reviewer approved: all its concerns of the phase are closed.

    Args:
        book: the book so far.
        phase: the phase.
        agent: the reviewer.
        round_: the round.

    Example:
        >>> approved(Book(), phase="plan", agent="Architect", round_=1)
        Book(blocks=(), risks=())
    """
    mine = {one.id for one in book.open_in(phase, agent)}
    return Book(
        blocks=_became(book.blocks, mine, "closed"),
        risks=tuple(
            replace(one, closed_in=round_)
            if (one.phase, one.agent) == (phase, agent) and one.is_open
            else one
            for one in book.risks
        ),
    )


def _became(blocks: Sequence[Block], ids: Iterable[str], became: Became) -> tuple[Block, ...]:
    chosen = set(ids)
    return tuple(replace(one, became=became) if one.id in chosen else one for one in blocks)


def blocked(
    book: Book,
    raised: Raised,
    *,
    limit: int,
    mitigation: str,
    is_waivable: bool = True,
    never_waived: Sequence[str] = (),
) -> Judged:
    """Return what a block comes to, counted with those before it.

    Args:
        book: the book so far.
        raised: the block.
        limit: the N-th block in one category becomes a risk.
        mitigation: what is done about a risk.
        is_waivable: whether this reviewer's blocks may become risks at all.
        never_waived: the categories that never do.

    Returns:
        The book with it, and whether the vote still holds.

    Example:
        >>> made = Raised(agent="A", phase="plan", round=1, digest="", reason="No limit.")
        >>> judged = blocked(Book(), made, limit=1, mitigation="Later")
        >>> judged.is_converted, judged.announcements[1]
        (True, 'ESCALATION: Converting to documented risk.')
    """
    after, names, stray = _raise(book, raised, never_waived)
    person: list[str] = []
    new: list[Risk] = []
    for name in names:
        count = after.count(raised.phase, raised.agent, name)
        known = after.risk_of(raised.phase, raised.agent, name)
        if known is None and count < limit:
            continue
        standing_now = after.open_in(raised.phase, raised.agent)
        reasons = [one.reason for one in standing_now if one.category == name]
        if not is_waivable or is_never_waived(name, never_waived, reasons):
            person.append(name)
            continue
        after, risk = _converted(after, raised, name, mitigation)
        new += [] if known else [risk]
    standing = tuple(name for name in names if after.count(raised.phase, raised.agent, name))
    return Judged(
        book=after,
        is_converted=not standing,
        announcements=_announced(raised.agent, new, standing),
        to_person=tuple(person),
        stray=stray,
    )


def _raise(
    book: Book, raised: Raised, never_waived: Sequence[str] = ()
) -> tuple[Book, list[str], tuple[str, ...]]:
    """Return the book with a vote's concerns, what it raises, and marks that name nothing."""
    earlier = book.open_in(raised.phase, raised.agent)
    addressed: set[str] = set()
    still: set[str] = set()
    stray: list[str] = []
    for mark in raised.marks:
        meant = _meant(mark.text, earlier)
        stray += [] if meant else [mark.text]
        (addressed if mark.state == "addressed" else still).update(meant)
    addressed -= still
    own = category_of(raised, earlier)
    if lost := [one for one in never_waived if is_never_waived(raised.category or "", [one])]:
        # A long name is cut: what is never waived must not be cut off with its end.
        kept_names = [one for one in lost if not is_never_waived(own, [one])]
        own = ", ".join([*(one.casefold() for one in kept_names), own])
    done = {one.id for one in earlier if one.category in addressed}
    blocks = list(_became(book.blocks, done, "addressed"))
    kept = sorted({one.category for one in earlier} - addressed - {own})
    for name in kept:
        last = [one for one in earlier if one.category == name][-1]
        blocks.append(
            replace(last, id=f"b{len(blocks) + 1}", round=raised.round, digest=raised.digest,
                    repeats=last.repeats or last.id)
        )  # fmt: skip
    blocks.append(
        Block(
            id=f"b{len(blocks) + 1}",
            agent=raised.agent,
            phase=raised.phase,
            round=raised.round,
            digest=raised.digest,
            category=own,
            reason=raised.reason,
            to_approve=raised.to_approve,
            suggestion=raised.suggestion,
            is_vague=raised.is_vague,
        )
    )
    return replace(book, blocks=tuple(blocks)), [*kept, own], tuple(stray)


def _converted(
    book: Book, raised: Raised, category: str, mitigation: str, accepted_by: str = ""
) -> tuple[Book, Risk]:
    """Return the book with a concern turned into a risk, and the risk."""
    own = [one for one in book.open_in(raised.phase, raised.agent) if one.category == category]
    known = book.risk_of(raised.phase, raised.agent, category)
    said = [one.reason for one in own if not one.repeats]
    text = " ".join(own[-1].reason.split())
    risk = Risk(
        id=known.id if known else f"r{len(book.risks) + 1}",
        agent=raised.agent,
        phase=raised.phase,
        category=category,
        risk=one_line(text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…"),
        mitigation=mitigation,
        reasons=(*(known.reasons if known else ()), *said),
        to_approve=next((one.to_approve for one in reversed(own) if one.to_approve), ""),
        digest=own[-1].digest,
        count=(known.count if known else 0) + len({one.round for one in own}),
        accepted_by=accepted_by or (known.accepted_by if known else ""),
    )
    became: Became = "accepted" if accepted_by else "risk"
    risks = tuple(risk if one is known else one for one in book.risks)
    return Book(
        blocks=_became(book.blocks, {one.id for one in own}, became),
        risks=risks if known else (*risks, risk),
    ), risk


def _announced(agent: PartyId, risks: Sequence[Risk], standing: Sequence[str]) -> tuple[str, ...]:
    """Return the announcement of new risks, line by line, as the source words it."""
    lines: list[str] = []
    for one in risks:
        times = "once" if one.count == 1 else f"{one.count} times"
        lines += [
            f'{agent} blocked {times} on: "{one.category[:1].upper()}{one.category[1:]}"',
            ESCALATION,
            f'- Risk: "{one.risk}"',
            f'- Mitigation: "{one.mitigation}"',
        ]
    if lines and standing:
        lines.append(f"- {agent} vote stays: BLOCK (still open: {', '.join(standing)})")
    elif lines:
        lines.append(f"- {agent} vote converted to: {WITH_RISK}")
    return tuple(lines)


def accepted(
    book: Book, *, phase: str, concerns: Iterable[tuple[PartyId, str]], by: str, mitigation: str
) -> Book:
    """Return the book after a person accepted concerns as risks.

    Args:
        book: the book so far.
        phase: the phase.
        concerns: (reviewer, category) of each.
        by: who accepted them.
        mitigation: what is done about them.

    Example:
        >>> accepted(Book(), phase="plan", concerns=[], by="lead", mitigation="Later")
        Book(blocks=(), risks=())
    """
    for agent, category in concerns:
        as_raised = Raised(agent=agent, phase=phase, round=0, digest="", reason="")
        book, _ = _converted(book, as_raised, category, mitigation, accepted_by=by)
    return book
