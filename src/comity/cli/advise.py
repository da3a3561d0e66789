"""Comity advise: which mechanism fits?

Here: the command, asking what is not said on the command line.
Not here: which mechanism it is (comity.advise), words (render/advice.py). Nothing is recorded: it
is a question, not a decision.
Sources: issue "which mechanism?"; SEMANTICS G7.
"""

from __future__ import annotations

import sys
from typing import TypedDict, Unpack

import click

import comity
from comity.cli.door import Door
from comity.cli.options import DoorCommand
from comity.core.errors import Fault, InvalidInput
from comity.render.advice import advice_text, question_text

__all__ = ["command"]

EXAMPLES = (
    "comity advise --imposes yes",
    "comity advise --imposes nobody --stake once --values yes",
    "comity advise --imposes nobody --stake choice --consent majority --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    imposes: str | None
    stake: str | None
    values: str | None
    consent: str | None


@click.command(
    "advise",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Name the mechanism that fits, what it costs, when it fails and what to run next.

    At a terminal it asks what is not said, at most four questions, and none whose answer changes
    nothing. Where one side can impose the outcome it says so: that is an assignment, and no
    rounds are needed. Nothing is recorded.
    """,
)
@click.option(
    "--imposes",
    metavar="WHO",
    help="Who can impose the outcome: nobody (no), side (yes), supervisor.",
)
@click.option(
    "--stake",
    metavar="WHAT",
    help="choice, amount, turns (again and again), once, price, issues, work or waiting.",
)
@click.option(
    "--values",
    metavar="YES|NO",
    help="Can each say honestly what it is worth, in one unit for all?",
)
@click.option(
    "--consent", metavar="WHOSE", help="Must all consent (all), or does a majority suffice?"
)
def command(door: Door, **words: Unpack[Words]) -> int:
    """Advise once."""
    said: dict[str, str | None] = {
        name: str(one) for name, one in words.items() if one is not None
    }
    try:
        asked = _ask(door, said) if door.has_person else False
        found = comity.advise(**said)
    except InvalidInput as error:
        raise InvalidInput(map(_of_option, error.faults)) from error
    if door.as_json:
        door.json(found.to_json())
    else:
        door.data(advice_text(found.to_json(), door.ink))
    if asked:
        words_again = " ".join(f"--{name} {answer}" for name, answer in found.answers)
        door.talk(door.talk_ink.dim(f"\nThe same without questions: comity advise {words_again}"))
    return 0


def _of_option(fault: Fault) -> Fault:
    """Return a fault of an answer as one of the option that gives it."""
    return Fault(f"--{fault.whose}", fault.what, fault.allowed, fault.next)


def _ask(door: Door, said: dict[str, str | None]) -> bool:
    """Ask the person at the terminal what still matters, until nothing does or the input ends.

    Returns:
        Whether anything was asked.
    """
    asked = False
    while questions := comity.open_questions(**said):
        (question, *_), asked = questions, True
        answers = [(one.name, one.words) for one in question.answers]
        door.warn(question_text(question.words, answers, door.talk_ink))
        answer = _answer(door, question.name)
        if answer is None:
            break
        said[question.name] = answer
    return asked


def _answer(door: Door, name: str) -> str | None:
    """Return what the person answers, asked again until it is an answer; None at the end."""
    while True:
        click.echo("> ", nl=False, err=True)
        line = sys.stdin.buffer.readline().decode("utf-8", "replace")
        if not line:
            door.warn("")
            return None
        try:
            comity.open_questions(**{name: line.strip()})
        except InvalidInput as error:
            (fault,) = error.faults
            door.warn(f"{fault.what}; {fault.next}")
            continue
        door.warn("")
        return line.strip()
