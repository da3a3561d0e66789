"""Root: which command runs, and what becomes of its errors?

Here: the table of commands with their one line of help, loading the one that runs, exit codes.
Not here: the commands (one module each).
Sources: ux research 2.1; exit codes of SEMANTICS G1.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from comity import __version__
from comity.cli.door import Door, OutputLost, close_quietly, make_streams_safe, reason_lost
from comity.cli.interruption import tell_interruption, term_interrupts
from comity.cli.options import DoorGroup, usage_fault
from comity.core.errors import ComityError, InvalidInput

__all__ = ["COMMANDS", "LazyGroup", "root", "run"]

FAILED = 1
USAGE = 2

COMMANDS: dict[str, tuple[str, str]] = {
    "bargain": ("comity.cli.bargain", "A price between two, or a deal over several issues."),
    "frontier": ("comity.cli.frontier", "The best deals over several issues; how good is one?"),
    "tournament": ("comity.cli.tournament", "Strategies meet in every pair, on every scenario."),
    "negotiate": ("comity.cli.negotiate", "Advocates negotiate until all consent."),
    "vote": ("comity.cli.vote", "A live vote among agents: one deadline, every ballot kept."),
    "review": ("comity.cli.review", "Reviewers approve or block; no block goes on for ever."),
    "tally": ("comity.cli.tally", "Count a ballot file by a rule, and how firm the result is."),
    "compare": ("comity.cli.compare", "A ballot file under all standard rules, side by side."),
    "convert": ("comity.cli.convert", "Ballots in another format, or what would be lost."),
    "quorum": ("comity.cli.quorum", "Have enough said yes, or can they still?"),
    "independence": ("comity.cli.independence", "How many independent voters do these count as?"),
    "auction": ("comity.cli.auction", "Sealed bids: who wins, at what price, and why?"),
    "share": ("comity.cli.share", "One budget, split by what each gains; other rules beside."),
    "deadlock": ("comity.cli.deadlock", "Who waits in a circle, and who gives way?"),
    "claim": ("comity.cli.claim", "Claim an exclusive thing: won at once, or in turn."),
    "release": ("comity.cli.release", "Give back what a claim has won."),
    "arbiter": ("comity.cli.arbiter", "A desk: who holds, who waits, who can starve."),
    "watch": ("comity.cli.watch", "Recorded claims: who wins, who starves, since when?"),
    "whatif": ("comity.cli.whatif", "The same claims under other rules, side by side."),
    "sessions": ("comity.cli.sessions", "What every session waits for, and who drives it."),
    "worker": ("comity.cli.worker", "Drive sessions together with other workers."),
    "run": ("comity.cli.run", "Decide what a scenario file describes, of any kind."),
    "advise": ("comity.cli.advise", "Which mechanism fits? Four questions, one answer."),
    "demo": ("comity.cli.demo", "See both at work: no key, no network, under a second."),
    "examples": ("comity.cli.examples", "Write the example files that the help names."),
    "ledger": ("comity.cli.ledger", "What was decided: sessions, entries, head, export."),
    "why": ("comity.cli.why", "Why a decision came out as it did."),
    "replay": ("comity.cli.replay", "Recompute a decision from its recorded inputs."),
    "verify": ("comity.cli.verify", "Is the ledger whole and unchanged?"),
    "inbox": ("comity.cli.inbox", "What waits for a person, why, and how to decide it."),
    "decide": ("comity.cli.decide", "What a person says to a case that waits."),
    "resume": ("comity.cli.resume", "Take up a session that a process left."),
    "schema": ("comity.cli.schema", "The JSON Schema of a kind of scenario file."),
    "doctor": ("comity.cli.doctor", "Paths, versions, programs and keys, as comity sees them."),
    "skill": ("comity.cli.skill", "Skills that teach a coding agent to use all this."),
    "parse": ("comity.cli.parse", "How a reply of an agent is read, and why."),
}


class LazyGroup(DoorGroup):
    """A group whose commands are loaded when they run; its help needs none of them."""

    table: dict[str, tuple[str, str]]

    def __init__(self, table: dict[str, tuple[str, str]], **kwargs: Any) -> None:  # noqa: ANN401  # what click passes on
        """Keep the table: name -> (module, one line)."""
        super().__init__(**kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        del ctx
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        del ctx
        if cmd_name not in self.table:
            return None
        found: click.Command = import_module(self.table[cmd_name][0]).command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.table.items()])


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: FBT001
    del param
    if value and not ctx.resilient_parsing:
        click.echo(f"comity {__version__}")
        ctx.exit()


root = LazyGroup(
    COMMANDS,
    name="comity",
    help="""Settle what software and agents disagree on while nobody is in charge.

    Start with `comity demo`. Every decision can be kept in a ledger that remembers all of it:
    `comity ledger`, `comity why last`, `comity verify`.

    \b
    Exit codes: 0 decided, 1 failed, 2 usage, 10 no deal, 11 waits for a person, 12 blocked,
    13 quorum missed, 130 interrupted, 143 ended by SIGTERM.
    """,
    examples=(
        "comity demo",
        "comity bargain --seller 120:70 --buyer 60:100",
        'comity negotiate "Meetings? CC=Focus, CX=Contact" --agent auto',
    ),
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_version,
            help="Print the version.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code; errors are told, never raised.

    Args:
        words: the words after the program's name.

    Returns:
        The exit code.
    """
    make_streams_safe()
    if "_COMITY_COMPLETE" in os.environ:
        return int(root.main(list(words), prog_name="comity", standalone_mode=False) or 0)
    color = _said(words, "--color")
    color = color if color in {"always", "never"} else "auto"
    door = Door(as_json="--json" in words, color=color, db=_said(words, "--db"))
    if not words:
        door.talk(root.get_help(click.Context(root, info_name="comity")))
        return USAGE
    try:
        return _called(words, door)
    except OutputLost as lost:
        door.warn(str(lost))
        return FAILED


def _called(words: Sequence[str], door: Door) -> int:
    """Run the command and tell its errors; raise only that stdout cannot be written."""
    try:
        with term_interrupts(), root.make_context("comity", list(words)) as ctx:
            return int(root.invoke(ctx) or 0)
    except click.exceptions.Exit as ending:
        return int(ending.exit_code)
    except (KeyboardInterrupt, click.Abort) as ending:
        return tell_interruption(door, ending, "interrupted")
    except BrokenPipeError:  # help, and its reader had enough; the door writes all else
        close_quietly(sys.stdout)
        return 0
    except Exception as error:  # noqa: BLE001  # the last resort: a bug is told, not dumped
        return _told(error, door)


def _told(error: Exception, door: Door) -> int:
    """Tell an error and return the exit code; how is loaded only now: most calls have none."""
    if isinstance(error, OutputLost):
        raise error
    if isinstance(error, OSError) and (reason := reason_lost(sys.stdout)):  # help, on a full disk
        raise OutputLost(reason) from error
    faults = import_module("comity.cli.faults")
    if isinstance(error, click.UsageError):
        return int(faults.told(InvalidInput(usage_fault(error)), door))
    if isinstance(error, ComityError):
        return int(faults.told(error, door))
    return int(faults.unexpected(error, door))


def _said(words: Sequence[str], option: str) -> str:
    """Return what the words say about an option, for errors found before they are read, or ""."""
    value = ""
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            value = words[at + 1]
        elif word.startswith(f"{option}="):
            value = word.partition("=")[2]
    return value
