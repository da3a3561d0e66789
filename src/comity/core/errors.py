"""Errors: what went wrong that is somebody's fault, and what to do about it.

Here: the one error tree, the four-part fault, how a fault shows a foreign value, and the table
from error to exit code.
Not here: outcomes of the parties; "no deal" is a result (core/results.py), never an exception.
Sources: SEMANTICS G2 and G7; ARCHITECTURE contract 5.

The tree::

    ComityError
    ├─ InvalidInput (also ValueError)   the caller's input; carries every fault at once
    │  └─ UnknownName                   a name that does not exist, with the nearest ones
    ├─ ProtocolError
    │  ├─ LocalProtocolError            our side broke the rules of a machine
    │  └─ RemoteProtocolError           a party did
    ├─ AgentError
    │  ├─ AgentTimeout                  the seat did not answer in time
    │  ├─ AgentUnavailable              the seat's program cannot be run
    │  └─ UnreadableReply               the seat answered and nothing can be read from it
    ├─ ClaimNotGranted                  a claim lapsed, or may not wait; nothing is held
    ├─ LedgerError
    │  ├─ SequenceConflict              somebody else appended first: read again and retry
    │  ├─ LedgerCorrupt                 the chain does not hold: stop
    │  ├─ LedgerReadOnly                it can be read here and not written
    │  └─ LedgerTooNew                  the file's schema is newer than this code
    └─ InternalError                    a bug of ours
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

__all__ = [
    "EXIT_CODES",
    "AgentError",
    "AgentTimeout",
    "AgentUnavailable",
    "ClaimNotGranted",
    "ComityError",
    "Fault",
    "InternalError",
    "InvalidInput",
    "LedgerCorrupt",
    "LedgerError",
    "LedgerReadOnly",
    "LedgerTooNew",
    "LocalProtocolError",
    "ProtocolError",
    "RemoteProtocolError",
    "SequenceConflict",
    "UnknownName",
    "UnreadableReply",
    "did_you_mean",
    "exit_code_of",
    "one_line",
    "raise_if",
    "shown",
]

_LONGEST_SHOWN = 200
_HARMLESS = "\u00a0\u200c\u200d\u202f\u3000"  # spaces and joiners that scripts need


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of an input in four parts.

    Attributes:
        whose: who handed it in ("seller", "ballot of 'carol'", "scenario auth.toml").
        what: what is wrong with it, as a clause ("opens at 60, below its reservation 70").
        allowed: what would have been right.
        next: what to do now.

    Example:
        >>> str(Fault("seller", "deadline is -1", "0 or more rounds", "give 0 or more"))
        'seller: deadline is -1. Allowed: 0 or more rounds. Next: give 0 or more.'
    """

    whose: str
    what: str
    allowed: str
    next: str

    def __str__(self) -> str:
        """Return the fault as one line, whatever text the parties put into it."""
        return one_line(f"{self.whose}: {self.what}. Allowed: {self.allowed}. Next: {self.next}.")

    def to_json(self) -> dict[str, str]:
        """Return the four parts under their names."""
        return {
            "whose": self.whose,
            "what": self.what,
            "allowed": self.allowed,
            "next": self.next,
        }


class ComityError(Exception):
    """Root of every error this package raises on purpose.

    Args:
        faults: one fault or several; all of them are reported together.

    Example:
        >>> ComityError(Fault("a", "b", "c", "d")).faults[0].whose
        'a'
    """

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        """Keep every fault, in the order found."""
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type[ComityError], tuple[tuple[Fault, ...]]]:
        """Survive pickling between processes."""
        return type(self), (self.faults,)


class InvalidInput(ComityError, ValueError):
    """The caller's input is wrong; nothing of it was applied."""


class UnknownName(InvalidInput):
    """A name does not exist; the message names the nearest ones."""


class ProtocolError(ComityError):
    """A rule of a machine was broken."""


class LocalProtocolError(ProtocolError):
    """Our side drove a machine in a way it does not allow."""


class RemoteProtocolError(ProtocolError):
    """A party said something the machine does not allow."""


class AgentError(ComityError):
    """A seat could not answer."""


class AgentTimeout(AgentError):
    """A seat did not answer in time."""


class AgentUnavailable(AgentError):
    """A seat's program cannot be run at all."""


class UnreadableReply(AgentError):
    """A seat answered and nothing can be read from its reply."""


class ClaimNotGranted(ComityError):
    """A claim lapsed, or may not wait; whoever claimed holds nothing."""


class LedgerError(ComityError):
    """The ledger refused."""


class SequenceConflict(LedgerError):
    """Somebody else appended first: read again and retry."""


class LedgerCorrupt(LedgerError):
    """The chain does not hold; nothing may be appended."""


class LedgerReadOnly(LedgerError):
    """The ledger can be read here and not written."""


class LedgerTooNew(LedgerError):
    """The ledger was written by a newer version of the schema."""


class InternalError(ComityError):
    """A bug of ours: please report it."""


EXIT_CODES: dict[type[ComityError], int] = {
    ComityError: 1,
    InvalidInput: 2,
    UnknownName: 2,
    ProtocolError: 1,
    LocalProtocolError: 1,
    RemoteProtocolError: 1,
    AgentError: 1,
    AgentTimeout: 1,
    AgentUnavailable: 1,
    UnreadableReply: 1,
    ClaimNotGranted: 10,
    LedgerError: 1,
    SequenceConflict: 1,
    LedgerCorrupt: 1,
    LedgerReadOnly: 1,
    LedgerTooNew: 1,
    InternalError: 1,
}


def exit_code_of(error: ComityError) -> int:
    """Return the process exit code for an error.

    Args:
        error: any error of the tree, or of a class derived from one outside this package.

    Returns:
        2 for wrong input, 10 for a claim that was not granted, 1 for every other failure.

    Example:
        >>> exit_code_of(InvalidInput(Fault("a", "b", "c", "d")))
        2
    """
    return next(EXIT_CODES[one] for one in type(error).__mro__ if one in EXIT_CODES)


def raise_if(faults: Iterable[Fault]) -> None:
    """Raise :class:`InvalidInput` with all faults when there is at least one.

    Args:
        faults: what was found, in order.

    Raises:
        InvalidInput: when ``faults`` is not empty.

    Example:
        >>> raise_if([])
        >>> raise_if([Fault("buyer", "deadline is -1", "0 or more", "mend it")])
        Traceback (most recent call last):
            ...
        comity.core.errors.InvalidInput: buyer: deadline is -1. Allowed: 0 or more. Next: mend it.
    """
    found = tuple(faults)
    if found:
        raise InvalidInput(found)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a clause that names the nearest known names, or lists them all.

    Capitals are not looked at, so ``SELLER`` is close to ``seller``.

    Args:
        name: what was given.
        known: what would have been understood.

    Returns:
        A clause for the *next* part of a fault, without a full stop.

    Example:
        >>> did_you_mean("seler", ["buyer", "seller"])
        "did you mean 'seller'"
        >>> did_you_mean("x", ["buyer", "seller"])
        'use one of: buyer, seller'
    """
    names = sorted(set(known))
    folded = [one.casefold() for one in names]
    near = get_close_matches(name.casefold(), dict.fromkeys(folded), n=3, cutoff=0.6)
    close = [names[at] for one in near for at in range(len(names)) if folded[at] == one]
    if close:
        return "did you mean " + " or ".join(f"'{one}'" for one in close[:3])
    return "use one of: " + ", ".join(names) if names else "leave it out"


def one_line(text: str) -> str:
    r"""Return text with line ends, controls and invisible marks written as escapes.

    Args:
        text: any text, perhaps written by a party to look like several lines.

    Returns:
        The same text when there is nothing of the kind in it.

    Example:
        >>> one_line("B\nverdict: approved")
        'B\\nverdict: approved'
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in _HARMLESS else ascii(char)[1:-1] for char in text
    )


def shown(value: object) -> str:
    """Return a foreign value as a fault shows it: short, on one line, never failing.

    Args:
        value: anything; its ``repr`` is taken.

    Returns:
        At most 200 characters, or the name of the type when the value cannot be written out (a
        number of many thousand digits, endless nesting).

    Example:
        >>> shown("buyer"), shown(10**5000)
        ("'buyer'", 'an int that is too long to show')
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        name = type(value).__name__
        return f"{'an' if name[:1] in 'aeiou' else 'a'} {name} that is too long to show"
    return one_line(text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…")
