"""Comity decide: what does the person behind a session say to a case that waits?

Here: the command: an option with its reason, taking a decision back, the short form without one.
Not here: which cases wait (inbox.py), the checks (watch/deciding.py), taking up other sessions
(resume.py).
Sources: SEMANTICS G7, G8; docs/decisions/0008.
"""

from __future__ import annotations

import getpass
from typing import TypedDict, Unpack

import click

from comity.app import App, Decided
from comity.cli.door import Door
from comity.cli.live import Live
from comity.cli.opened import session_id
from comity.cli.options import DoorCommand
from comity.cli.places import settings_here, working_folder
from comity.cli.play import play
from comity.cli.terminal import Terminal
from comity.core.errors import Fault, InvalidInput, raise_if

__all__ = ["command"]

EXAMPLES = (
    'comity decide last --option shared --reason "it survives a restart"',
    'comity decide last --undo --reason "the figures were wrong"',
    "comity decide last accept",
)


class Words(TypedDict):
    """What the command line said, as text."""

    option: str | None
    reason: str | None
    by: str | None
    undo: bool


@click.command(
    "decide",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Answer a case that waits for a person: accept what the votes came to, or choose.

    --option is accept, one of the options, or passed or rejected; or its number in `comity
    inbox`. It needs a --reason, which is recorded with who decided. --undo takes the last decision
    back while nothing was built on it and it is not too long ago (undo_hours of the settings, 24):
    the case waits again (exit code 11). With --undo, --option says which decision is meant; it
    needs a --reason when somebody else decided.

    The short form names the CHOICE without a reason. A case whose time has run out ends by its
    default, whatever is said.
    """,
)
@click.argument("session", metavar="SESSION")
@click.argument("choice", metavar="[CHOICE]", required=False)
@click.option("--option", metavar="N", help="What is decided: a name, or a number of the inbox.")
@click.option("--reason", metavar="TEXT", help="Why; recorded with the decision.")
@click.option("--by", metavar="NAME", help="Who decides; else the user's name on this machine.")
@click.option("--undo", is_flag=True, help="Take the last decision back.")
def command(door: Door, session: str, choice: str | None, **words: Unpack[Words]) -> int:
    """Decide a case."""
    raise_if(_faults(choice, words))
    if choice is not None and words["reason"] is None and words["by"] is None:
        return play(door, Live(door), lambda app: _short(app, session, choice), create=False)
    by = _name(words["by"])
    given = words["reason"]

    def run(app: App) -> Decided:
        found = session_id(app, session)
        option = words["option"] or choice or ""
        if words["undo"]:
            within_ms = settings_here().undo_ms
            is_own = not (story := app.story(found)) or story[-1].is_by(by)
            reason = given if given is not None or is_own else _asked(door)
            return app.undo(found, by=by, within_ms=within_ms, reason=reason or "", option=option)
        reason = _asked(door) if given is None else given
        return app.decide_case(found, option, reason=reason, by=by, folder=working_folder())

    return play(door, Live(door), run, create=False)


def _faults(choice: str | None, words: Words) -> list[Fault]:
    """Return what is wrong with the words, before anything is looked at."""
    faults = []
    option, whose = words["option"], "comity decide"
    if choice is not None and (option is not None or words["undo"]):
        other = "--option" if option is not None else "--undo"
        what = f"is given {choice!r} and {other}"
        faults.append(Fault(whose, what, "one of them", f"leave {choice!r} out"))
    if choice is None and option is None and not words["undo"]:
        allowed = "--option N --reason TEXT, or --undo"
        faults.append(Fault(whose, "is told no decision", allowed, "look at `comity inbox`"))
    if option is not None and not option.strip():
        allowed = "the name of an option, or its number"
        faults.append(Fault("--option", "is empty", allowed, "look at `comity inbox`"))
    return faults


def _short(app: App, session: str, choice: str) -> Decided:
    """Decide by the choice alone, as a person in the session's seat would."""
    found = session_id(app, session)
    if app.outcome(found) is not None:
        what, following = "is decided already", f"look at `comity why {found}`"
        raise InvalidInput(Fault(f"session {found}", what, "a case that waits", following))
    return app.resume(found, folder=working_folder(), decides=choice)


def _name(given: str | None) -> str:
    """Return who decides."""
    if given is not None:
        return given
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError) as error:
        what, allowed = "is not known on this machine", "the name of who decides"
        raise InvalidInput(Fault("user", what, allowed, "say --by NAME")) from error


def _asked(door: Door) -> str:
    """Return the reason that a person at the terminal gives; "" when there is none."""
    if not door.has_person:
        return ""
    door.warn("Why? One line, recorded with the decision:")
    return Terminal(door).line() or ""
