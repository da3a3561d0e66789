"""Command seats: any program that reads a brief and prints a reply.

Here: one program per ask, with the brief on standard input and the reply on standard output; it
inherits the environment but the keys of other seats' models, and no key comes back from it.
Not here: how a program is run and ended (process.py), adapters for particular coding agents.
Sources: SEMANTICS C7. Exit code 0 with empty output is a failure, and so is output that is longer
than what is kept: what is lost may have been a block.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from comity.agents.base import Failure, Question, Reply
from comity.agents.briefing import briefing
from comity.agents.failures import failure
from comity.agents.keys import hidden_from_commands, keys_known, without_keys
from comity.agents.process import TIMEOUT_S, Program, run
from comity.core.errors import Fault, InvalidInput

__all__ = ["Command", "command", "told_to_programs"]


@dataclass(frozen=True, slots=True)
class Command:
    """A seat that a program answers for.

    Attributes:
        argv: the program and its arguments; no shell.
        timeout_s: how long one call may take.

    Example:
        >>> Command(("cat",)).waits
        True
    """

    argv: tuple[str, ...]
    timeout_s: float = TIMEOUT_S
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Run the program once."""
        environment = {**hidden_from_commands(question.ask.party), **told_to_programs(question)}
        said = self._said(question, environment)
        return without_keys(said, keys_known(environment))

    def _said(self, question: Question, environment: Mapping[str, str | None]) -> Reply | Failure:
        program = Program(argv=self.argv, environment=environment, timeout_s=self.timeout_s)
        ran = run(program, briefing(question.ask.payload))
        if isinstance(ran, Failure):
            return ran
        if ran.code != 0:
            return failure("crashed", f"exit {ran.code} {ran.last_line}".strip())
        if ran.is_cut:
            return failure("cut", f"it said more than {program.output_bytes} bytes")
        text = ran.out.strip()
        if not text:
            return failure("empty", "exit 0 and nothing said")
        return Reply(text=text)


def told_to_programs(question: Question) -> dict[str, str]:
    """Return what any program is told of an ask in its environment.

    Args:
        question: the ask.

    Example:
        >>> from comity.core.step import Ask
        >>> ask = Ask(id="a1", party="CC", kind="turn", payload={})
        >>> told_to_programs(Question(ask=ask, request_id="s/a1"))["COMITY_SEAT"]
        'CC'
    """
    return {
        "COMITY_SEAT": question.ask.party,
        "COMITY_ASK": question.ask.kind,
        "COMITY_REQUEST_ID": question.request_id,
    }


def command(words: str, *, seat: str, timeout_s: float = TIMEOUT_S) -> Command:
    """Build a command seat from one line of words.

    Args:
        words: the program with its arguments, quoted as in a shell.
        seat: the seat, for messages.
        timeout_s: how long one call may take.

    Returns:
        The seat's agent.

    Raises:
        InvalidInput: when the words hold no program.

    Example:
        >>> command("python3 advocate.py 'two words'", seat="CC").argv
        ('python3', 'advocate.py', 'two words')
    """
    try:
        argv = tuple(shlex.split(words))
    except ValueError as error:
        argv = ()
        detail = f" ({error})"
    else:
        detail = ""
    if not argv:
        raise InvalidInput(
            Fault(
                f"seat {seat!r}",
                f"has the command {words!r}{detail}",
                "a program with arguments",
                "write command:PROGRAM ARGUMENTS",
            )
        )
    return Command(argv, timeout_s)
