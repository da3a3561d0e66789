"""Cases: what waits for a person in a ledger, why, and what did people decide before?

Here: one pass over a ledger that finds the sessions whose state waits, each with its options, its
default and its story; what people decided; sealed results that are thin. Nothing is recorded.
Not here: deciding and taking back (deciding.py), words and tables (render/inbox.py).
Sources: SEMANTICS G8 (what becomes a case, the default when nobody answers), K1.

What a person was asked is the ask that the machine made, so a case of any machine reads the same.
Whether a default is due is told as the next look would find it: a session that never heard what
time it is gives the person the whole time then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from comity.core.canonical import Json, JsonObject, plain
from comity.core.errors import ComityError, Fault, InvalidInput, did_you_mean
from comity.core.parties import PartyId
from comity.core.results import EXIT_CODE_OF_KIND
from comity.core.step import Input, Step
from comity.ledger.entry import Entry
from comity.ledger.port import Ledger
from comity.protocols.collect.grammar import read_decision
from comity.runner.local import standing_seals
from comity.session.fold import advance, waiting_of
from comity.session.record import OPENED, Opening, inputs_of
from comity.session.registry import machine_of

__all__ = [
    "Case",
    "CaseOption",
    "Deed",
    "Ended",
    "Inbox",
    "Standing",
    "inbox_of",
    "option_named",
    "span_words",
    "standing_of",
]

_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS
_DAY_MS = 24 * _HOUR_MS
_NEVER_MS = 2**63
_MEANINGS = {
    "accept": "the outcome as it stands",
    "passed": "the answer is yes",
    "rejected": "the answer is no",
    "no deal": "everything stays as it is",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOption:
    """What a person may decide.

    Attributes:
        number: its number in the list, from 1.
        name: its name.
        means: what it would mean, or "".
        is_default: whether it applies when nobody answers in time.

    Example:
        >>> CaseOption(number=1, name="accept", means="").is_default
        False
    """

    number: int
    name: str
    means: str
    is_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What became of a case at one time.

    Attributes:
        what: a person ``decided``, nobody did and the ``default`` applied, or a decision was
            ``undone``.
        at_ms: when.
        choice: what was decided, or taken back.
        seat: the person's seat.
        by: who it was, or "".
        reason: why, or "".
        mark: names this decision, or "".

    Example:
        >>> Deed(what="decided", at_ms=0, choice="A", seat="human").to_json()["choice"]
        'A'
    """

    what: Literal["decided", "default", "undone"]
    at_ms: int
    choice: str
    seat: PartyId
    by: str = ""
    reason: str = ""
    mark: str = ""

    def is_by(self, name: str) -> bool:
        """Tell whether somebody of that name did it; without a name it was the seat's."""
        return (self.by or self.seat) == name.strip()

    def to_json(self) -> JsonObject:
        """Return all fields but the mark."""
        return {
            "what": self.what,
            "at_ms": self.at_ms,
            "choice": self.choice,
            "seat": self.seat,
            "by": self.by,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A session that waits for a person.

    Attributes:
        session: its id, which is the case's.
        kind: its kind.
        title: what the session is about.
        question: what the person is asked.
        whom: the person's seat.
        why: why it is a case: a tie, a margin of one voter, turnout, no majority, ...
        options: what may be decided.
        default: what applies when nobody answers in time.
        until_ms: when it applies, or None for never.
        since_ms: since when it waits.
        now_ms: when this was looked at.
        result: what the session came to without the person.
        story: what was decided and taken back before.
    """

    session: str
    kind: str
    title: str
    question: str
    whom: PartyId
    why: tuple[str, ...]
    options: tuple[CaseOption, ...]
    default: str
    until_ms: int | None
    since_ms: int
    now_ms: int
    result: JsonObject
    story: tuple[Deed, ...] = ()

    @property
    def is_overdue(self) -> bool:
        """Whether its time has run out: the default applies at the next look."""
        return self.until_ms is not None and self.now_ms >= self.until_ms

    def to_json(self) -> dict[str, Json]:
        """Return all fields but the result, with the age and the time that is left in words."""
        return {
            "id": self.session,
            "session": self.session,
            "kind": self.kind,
            "title": self.title,
            "question": self.question,
            "whom": self.whom,
            "why": list(self.why),
            "options": [
                {
                    "number": one.number,
                    "name": one.name,
                    "means": one.means,
                    "default": one.is_default,
                }
                for one in self.options
            ],
            "default": self.default,
            "until_ms": self.until_ms,
            "overdue": self.is_overdue,
            "since_ms": self.since_ms,
            "now_ms": self.now_ms,
            "age": span_words(self.now_ms - self.since_ms),
            "left": None
            if self.until_ms is None or self.is_overdue
            else span_words(self.until_ms - self.now_ms),
            "story": [one.to_json() for one in self.story],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A session that has ended, as far as a person may want to look at it again.

    Attributes:
        session: its id.
        kind: its kind.
        title: what it is about.
        at_ms: when its end was recorded.
        now_ms: when this was looked at.
        outcome: how it ended, as recorded.
    """

    session: str
    kind: str
    title: str
    at_ms: int
    now_ms: int
    outcome: JsonObject

    @property
    def ended_by(self) -> str:
        """What ended it."""
        return str(_object(self.outcome.get("grounds")).get("ended_by") or "")

    @property
    def why(self) -> tuple[str, ...]:
        """Why it deserves a second look: what is thin, and why nothing was decided."""
        thin = _words(_object(self.outcome.get("grounds")).get("thin"))
        reason = self.outcome.get("reason") if self._exit_code else None
        none = str(reason or self.outcome.get("kind")) if self._exit_code else ""
        return (*thin, *([none] if none else ()))

    @property
    def _exit_code(self) -> int:
        return EXIT_CODE_OF_KIND.get(str(self.outcome.get("kind")), 0)

    @property
    def said(self) -> Mapping[str, Json]:
        """What the person said who decided it: ``decides``, ``reason``, ``by``."""
        grounds = _object(self.outcome.get("grounds"))
        submitted = [_object(_object(one).get("what")) for one in _items(grounds, "submissions")]
        return next((one for one in reversed(submitted) if "decides" in one), {})

    def to_json(self) -> dict[str, Json]:
        """Return all fields but the outcome, with what there is to know of it."""
        said = self.said
        return {
            "id": self.session,
            "session": self.session,
            "kind": self.kind,
            "title": self.title,
            "result": self.outcome.get("kind"),
            "why": list(self.why),
            "ended_by": self.ended_by,
            "choice": said.get("decides"),
            "by": said.get("by"),
            "reason": said.get("reason"),
            "at_ms": self.at_ms,
            "age": span_words(self.now_ms - self.at_ms),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """What a ledger holds for people.

    Attributes:
        waiting: the cases that wait, the one whose default comes first in front.
        decided: what ended by a person or by a person's default, newest first.
        thin: sealed results that deserve a second look and had none, newest first.
        unreadable: sessions that are open and cannot be read, each with the reason.
    """

    waiting: tuple[Case, ...] = ()
    decided: tuple[Ended, ...] = ()
    thin: tuple[Ended, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a session stands towards its person.

    Attributes:
        last: its last step.
        case: the case, while it waits.
        choices: what a person was last asked to decide between.
        story: what was decided and taken back, in order.
    """

    last: Step[Any]
    case: Case | None
    choices: tuple[str, ...]
    story: tuple[Deed, ...]


# --- one session -----------------------------------------------------------------------------


def standing_of(session: str, entries: Sequence[Entry], *, now_ms: int) -> Standing:
    """Return how a session stands towards its person.

    Args:
        session: its id.
        entries: its entries, in order; private ones are not looked at.
        now_ms: what time it is.

    Returns:
        Its last step, its case, its story.

    Raises:
        InvalidInput: when the record cannot be read.
    """
    lines = [(one.kind, one.body) for one in entries if one.party is None]
    opening = Opening.read(lines[0][1])
    machine = machine_of(opening.kind)
    last = machine.start(machine.read_rules(opening.rules))
    asked, since_ms = _asked(last, {}), entries[0].at_ms
    story: list[Deed] = []
    for happened in inputs_of(lines):
        before, last = last, advance(machine, last, happened)
        deed = _deed(before, happened, last, asked, story)
        if deed is not None:
            story.append(deed)
        if waiting_of(last) and (deed is not None or not waiting_of(before)):
            since_ms = happened.now_ms
        asked = _asked(last, asked)
    names = _words(asked.get("choices"))
    if waiting_of(last) is None:
        return Standing(last=last, case=None, choices=names, story=tuple(story))
    waiting = waiting_of(advance(machine, last, Input(kind="resumed", now_ms=now_ms)))
    assert waiting is not None  # to be told the time decides nothing
    default = str(asked.get("default"))
    case = Case(
        session=session,
        kind=opening.kind,
        title=opening.title,
        question=str(asked.get("question")),
        whom=waiting.whom[0],
        why=_words(asked.get("why")),
        options=tuple(
            CaseOption(number=at, name=name, means=_means(name, asked), is_default=name == default)
            for at, name in enumerate(names, 1)
        ),
        default=default,
        until_ms=waiting.until_ms,
        since_ms=since_ms,
        now_ms=now_ms,
        result=_object(asked.get("result")),
        story=tuple(story),
    )
    return Standing(last=last, case=case, choices=names, story=tuple(story))


def _asked(step: Step[Any], before: JsonObject) -> JsonObject:
    """Return what a person was asked last; a question that went unanswered stays the question."""
    return next((one.payload for one in step.asks if one.kind == "decide"), before)


def _deed(
    before: Step[Any], happened: Input, after: Step[Any], asked: JsonObject, story: list[Deed]
) -> Deed | None:
    """Return what an input made of a case; None when it decided nothing."""
    if after.rejected:
        return None
    body = happened.body or {}
    told = {name: str(body.get(name) or "") for name in ("by", "reason", "mark")}
    if happened.kind == "undo":
        seat, choice = str(happened.party), story[-1].choice if story else ""
        return Deed(what="undone", at_ms=happened.now_ms, choice=choice, seat=seat, **told)
    waiting = waiting_of(before)
    if waiting is None:
        return None
    seat, choices = waiting.whom[0], _words(asked.get("choices"))
    if happened.kind == "timer":
        default = str(asked.get("default"))
        return Deed(what="default", at_ms=happened.now_ms, choice=default, seat=seat)
    said = body.get("decide", body.get("text"))
    if happened.kind not in {"reply", "message"} or not isinstance(said, str):
        return None
    found = read_decision(said, choices)
    if found is None:
        return None
    return Deed(what="decided", at_ms=happened.now_ms, choice=found, seat=seat, **told)


def _means(name: str, asked: JsonObject) -> str:
    """Return what an option would mean: its own words, what it got, whether it leads."""
    result = _object(asked.get("result"))
    about = str(_object(asked.get("about")).get(name) or "")
    scores = {
        str(_object(one).get("name")): _object(one).get("value")
        for one in _items(_object(result.get("grounds")), "scores")
    }
    parts = [about or _MEANINGS.get(name, "")]
    if name in scores:
        parts.append(f"{plain(scores[name])} in the count")
    if name in {result.get("option"), result.get("verdict")}:
        parts.append("what accept comes to")
    return "; ".join(part for part in parts if part)


def option_named(case: Case, given: str) -> CaseOption:
    """Return the option that a name or a number means; a name goes first.

    Args:
        case: the case.
        given: a name, in any capitals, or a number of its list.

    Raises:
        InvalidInput: when it is neither, with what is near.
    """
    wanted = given.strip()
    exact = [one for one in case.options if one.name == wanted]
    alike = [one for one in case.options if one.name.casefold() == wanted.casefold()]
    numbered = [one for one in case.options if str(one.number) == wanted]
    found = exact or alike or numbered
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{one.number} {one.name}" for one in case.options)
    near = did_you_mean(wanted, [one.name for one in case.options])
    what = "is none of this case" if not found else "names several that differ in capitals"
    raise InvalidInput(Fault(f"option {given!r}", what, listed, near))


def span_words(ms: int) -> str:
    """Return a span of time in words, in its largest whole unit.

    Args:
        ms: how long, in milliseconds.

    Example:
        >>> span_words(59_999), span_words(60_000), span_words(7_200_000), span_words(200_000_000)
        ('less than a minute', '1 minute', '2 hours', '2 days')
    """
    for unit, size in (("day", _DAY_MS), ("hour", _HOUR_MS), ("minute", _MINUTE_MS)):
        if ms >= size:
            count = ms // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"


# --- the whole ledger ------------------------------------------------------------------------


def inbox_of(ledger: Ledger, *, now_ms: int, thin_ms: int = 0) -> Inbox:
    """Return what a ledger holds for people; nothing is recorded.

    Args:
        ledger: the ledger.
        now_ms: what time it is.
        thin_ms: how old a thin result may be to be listed; 0 lists none.

    Returns:
        What waits, what was decided, what is thin.
    """
    seals = standing_seals(ledger)
    waiting: list[Case] = []
    ended: list[Ended] = []
    unreadable: list[tuple[str, str]] = []
    for opened in ledger.find(OPENED):
        seal = seals.get(opened.scope)
        if seal is not None:
            ended.append(_ended(opened, seal, now_ms))
            continue
        try:
            case = standing_of(opened.scope, ledger.read(opened.scope), now_ms=now_ms).case
        except ComityError as error:
            unreadable.append((opened.scope, str(error.faults[0])))
            continue
        if case is not None:
            waiting.append(case)
    waiting.sort(
        key=lambda one: (_NEVER_MS if one.until_ms is None else one.until_ms, one.session)
    )
    ended.sort(key=lambda one: (-one.at_ms, one.session))
    return Inbox(
        waiting=tuple(waiting),
        decided=tuple(one for one in ended if one.ended_by in {"person", "default"}),
        thin=tuple(one for one in ended if thin_ms and _is_thin(one, now_ms - thin_ms)),
        unreadable=tuple(unreadable),
    )


def _ended(opened: Entry, seal: Entry, now_ms: int) -> Ended:
    return Ended(
        session=opened.scope,
        kind=str(opened.body.get("kind")),
        title=str(opened.body.get("title")),
        at_ms=seal.at_ms,
        now_ms=now_ms,
        outcome=_object(seal.body.get("outcome")),
    )


def _is_thin(one: Ended, since_ms: int) -> bool:
    if one.at_ms < since_ms or "cancelled" in one.why:
        return False
    return bool(one.why) and one.ended_by != "person"


def _object(value: object) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _items(value: Mapping[str, Json], name: str) -> Iterable[Json]:
    found = value.get(name)
    return found if isinstance(found, (list, tuple)) else ()


def _words(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()
