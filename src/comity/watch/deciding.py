"""Deciding: how does a person's word get to a case that waits, and how is it taken back?

Here: applying a default whose time has come, deciding a case, taking a decision back: each is
checked whole before anything is recorded, and recorded behind exactly what was read.
Not here: which cases there are (cases.py), what the machine makes of it (protocols/, session/),
running on with other seats (app.py).
Sources: SEMANTICS G7, G8; docs/decisions/0008.

Two processes that decide at once read the same last entry, and the ledger lets one of them append
behind it. The other reads again and is told who decided what.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, SequenceConflict, raise_if
from comity.core.step import Input
from comity.ledger.port import Ledger
from comity.runner.clock import Clock
from comity.runner.local import LocalRunner, Session, taken_up
from comity.session.fold import advance
from comity.watch.cases import (
    Case,
    CaseOption,
    Deed,
    Standing,
    option_named,
    span_words,
    standing_of,
)

__all__ = ["LONGEST_WORD", "Deciding", "Word"]

LONGEST_WORD = 10_000
"""The most characters of a reason or a name."""

_TRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What somebody says to a case.

    Attributes:
        by: who says it.
        reason: why.
        option: what is decided, by its name or its number; when a decision is taken back, which
            one that is, or "" for the last one whatever it was.

    Example:
        >>> Word(by="ann", reason="cheaper", option="A").option
        'A'
    """

    by: str
    reason: str = ""
    option: str = ""


class _Looked(NamedTuple):
    """A session as it was read, and whether its default was applied by looking at it."""

    session: Session
    standing: Standing
    expired: Case | None


class Deciding:
    """Decides cases of one ledger.

    Args:
        ledger: the ledger.
        runner: records and steps; on the same ledger.
        clock: what time it is.
    """

    def __init__(self, ledger: Ledger, runner: LocalRunner, clock: Clock) -> None:
        """Keep the ports."""
        self._ledger = ledger
        self._runner = runner
        self._clock = clock

    def look(self, session_id: str) -> Session:
        """Return a session; a default whose time has come is applied, an open end is sealed.

        Args:
            session_id: the session.

        Raises:
            InvalidInput: when there is no such session.
        """
        return self._trying(lambda: self._look(session_id).session)

    def decide(
        self, session_id: str, word: Word, *, may_go_on: Callable[[Session], object]
    ) -> Session:
        """Record what a person decides on a case, and the end that it leads to.

        Args:
            session_id: the session.
            word: what is decided, by whom and why.
            may_go_on: raises when the session would go on after this and cannot do so here.

        Returns:
            The session.

        Raises:
            InvalidInput: with every fault: nothing waits, its time has run out, no such option,
                no reason; the decision is not recorded then.
        """
        return self._trying(lambda: self._decide(session_id, word, may_go_on))

    def undo(self, session_id: str, word: Word, *, within_ms: int) -> Session:
        """Take back the last decision of a person; the case waits again, with its whole time.

        Args:
            session_id: the session.
            word: who takes it back and why.
            within_ms: how long after the decision that is allowed.

        Returns:
            The session, which waits.

        Raises:
            InvalidInput: with every fault: nobody decided, it was taken back already, the session
                went on after it, it is too long ago, it was somebody else's and no reason is
                given; nothing is recorded then.
        """
        return self._trying(lambda: self._undo(session_id, word, within_ms))

    def _trying(self, attempt: Callable[[], Session]) -> Session:
        """Try again with what was recorded meanwhile, as long as others are faster."""
        for _ in range(_TRIES):
            try:
                return attempt()
            except SequenceConflict:
                continue
        return attempt()

    def _look(self, session_id: str) -> _Looked:
        entries = self._ledger.read(session_id, everything=True)
        now_ms = self._clock.now_ms()
        session = taken_up(session_id, entries)
        standing = standing_of(session_id, entries, now_ms=now_ms)
        expired = standing.case if standing.case and standing.case.is_overdue else None
        if expired is not None:
            self._runner.step(session, Input(kind="timer", now_ms=now_ms))
        self._seal(session)
        return _Looked(session, standing, expired)

    def _seal(self, session: Session) -> None:
        if session.last.outcome is not None and not session.sealed:
            self._runner.run(session, {})

    def _decide(
        self, session_id: str, word: Word, may_go_on: Callable[[Session], object]
    ) -> Session:
        session, standing, expired = self._look(session_id)
        faults, option = _faults_of_decision(word, standing, expired, session)
        raise_if(faults)
        assert option is not None
        assert standing.case is not None
        body: dict[str, Json] = {
            "text": f"DECIDE: {option.name}",
            "decide": option.name,
            "by": word.by,
            "reason": word.reason.strip(),
            "mark": secrets.token_hex(8),
        }
        happened = Input(
            kind="message", now_ms=standing.case.now_ms, party=standing.case.whom, body=body
        )
        after = advance(session.machine, session.last, happened)
        if after.outcome is None or session.opening.rules.get("output"):
            may_go_on(session)
        self._runner.step(session, happened)
        self._seal(session)
        return session

    def _undo(self, session_id: str, word: Word, within_ms: int) -> Session:
        session, standing, expired = self._look(session_id)
        now_ms = self._clock.now_ms()
        faults, deed = _faults_of_undo(word, standing, expired, session)
        if deed is not None and not word.reason.strip() and not deed.is_by(word.by):
            faults = [*faults, _without_a_reason(deed)]
        if deed is not None and now_ms - deed.at_ms > within_ms:
            faults = [*faults, _too_late(session_id, now_ms - deed.at_ms, within_ms)]
        raise_if(faults)
        assert deed is not None
        body: dict[str, Json] = {
            "text": f"UNDO: {deed.choice}",
            "by": word.by,
            "reason": word.reason.strip(),
            "takes_back": deed.mark,
            "mark": secrets.token_hex(8),
        }
        happened = Input(kind="undo", now_ms=now_ms, party=deed.seat, body=body)
        raise_if(_refused(session, happened))
        self._runner.step(session, happened)
        return session


# --- faults ----------------------------------------------------------------------------------


def _faults_of_decision(
    word: Word, standing: Standing, expired: Case | None, session: Session
) -> tuple[list[Fault], CaseOption | None]:
    """Return everything that is wrong with a decision, and the option it means."""
    faults = _faults_of_word(word)
    if not word.reason.strip():
        allowed, following = "why, in a few words", "say --reason TEXT"
        faults.append(Fault("reason", "is empty", allowed, following))
    option = None
    if expired is not None:
        faults.append(_expired(expired))
    elif standing.case is None:
        faults.append(_nothing_waits(standing, session))
    else:
        try:
            option = option_named(standing.case, word.option)
        except InvalidInput as error:
            faults.extend(error.faults)
    return faults, option


def _faults_of_word(word: Word) -> list[Fault]:
    faults = []
    if not word.by.strip():
        allowed, following = "the name of who decides", "say --by NAME"
        faults.append(Fault("name", "is empty", allowed, following))
    for name, said in (("reason", word.reason), ("name", word.by)):
        if len(said) > LONGEST_WORD:
            what = f"has {len(said)} characters"
            faults.append(Fault(name, what, f"at most {LONGEST_WORD}", "put it shorter"))
    return faults


def _expired(case: Case) -> Fault:
    """Return the fault of an answer that came too late; the default was applied by this look."""
    assert case.until_ms is not None
    late = span_words(case.now_ms - case.until_ms)
    what = f"ran out of time {late} ago: its default {case.default!r} has been applied"
    following = f"look at `comity why {case.session}`"
    return Fault(f"session {case.session}", what, "an answer in time", following)


def _nothing_waits(standing: Standing, session: Session) -> Fault:
    """Return the fault of a decision where no case waits."""
    whose, allowed = f"session {session.id}", "a case that waits"
    last = standing.story[-1] if standing.story else None
    if session.last.outcome is None:
        what = "is under way: no person is waited for"
        return Fault(whose, what, allowed, f"take it up with `comity resume {session.id}`")
    if last is None:
        what = "is decided already, and no person was asked"
        return Fault(whose, what, allowed, f"look at `comity why {session.id}`")
    return Fault(whose, f"is decided already: {_told(last)}", allowed, _after(last, session.id))


def _told(deed: Deed) -> str:
    if deed.what == "default":
        return f"nobody answered in time, and its default {deed.choice!r} applied"
    return f"{deed.by or deed.seat} decided {deed.choice!r}"


def _after(deed: Deed, session_id: str) -> str:
    looking = f"look at `comity why {session_id}`"
    if deed.what == "default":
        return looking
    return f"{looking}, or take it back with `comity decide {session_id} --undo --reason TEXT`"


def _faults_of_undo(
    word: Word, standing: Standing, expired: Case | None, session: Session
) -> tuple[list[Fault], Deed | None]:
    """Return everything that is wrong with taking back, and the decision that is meant."""
    faults = _faults_of_word(word)
    last = standing.story[-1] if standing.story else None
    whose, allowed = f"session {session.id}", "a decision of a person, taken back once"
    looking = f"look at `comity why {session.id}`"
    if expired is not None:
        what = f"has nothing to take back: its default {expired.default!r} has been applied"
        return [*faults, Fault(whose, what, allowed, looking)], None
    if last is None or last.what == "default":
        what = "has nothing to take back: " + (_told(last) if last else "no person decided it")
        return [*faults, Fault(whose, what, allowed, looking)], None
    if last.what == "undone":
        who = last.by or last.seat
        what = f"has nothing to take back: {who} took {last.choice!r} back already"
        following = "decide it anew; `comity inbox` lists how"
        return [*faults, Fault(whose, what, allowed, following)], None
    if session.last.before is None:
        what = f"went on after {_told(last)}: another step has begun on it"
        return [*faults, Fault(whose, what, "a decision that ended it", looking)], None
    if word.option and not _is_of(last, word.option, standing.choices):
        what = f"is not what was decided: {_told(last)}"
        following = "leave --option out, and decide anew afterwards"
        return [*faults, Fault(f"option {word.option!r}", what, last.choice, following)], None
    return faults, last


def _without_a_reason(deed: Deed) -> Fault:
    """Return the fault of a decision that somebody else would take back without a word."""
    what = f"is empty: {_told(deed)}, and somebody else takes it back"
    return Fault("reason", what, "why, in a few words", "say --reason TEXT")


def _too_late(session_id: str, ago_ms: int, within_ms: int) -> Fault:
    what = f"was decided {span_words(ago_ms)} ago"
    allowed = f"taking it back within {span_words(within_ms)}" if within_ms else "no taking back"
    following = "decide the matter in a new session, or raise undo_hours of the settings"
    return Fault(f"session {session_id}", what, allowed, following)


def _refused(session: Session, happened: Input) -> list[Fault]:
    """Return why the machine of a session takes no undo, when it takes none."""
    rejected = advance(session.machine, session.last, happened).rejected
    whose, allowed = f"session {session.id}", "a decision that its kind can take back"
    what = f"is a {session.opening.kind}, which takes no decision back"
    return [Fault(whose, f"{what}: {one.hint}", allowed, "leave it as it is") for one in rejected]


def _is_of(deed: Deed, given: str, choices: tuple[str, ...]) -> bool:
    """Tell whether a name, or a number of the list, is what was decided."""
    numbers = [str(at) for at, name in enumerate(choices, 1) if name == deed.choice]
    return given.strip().casefold() in {deed.choice.casefold(), *numbers}
