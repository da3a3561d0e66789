"""Ballots in files: which format is it, and what does it say?

Here: the one way in and the one way out, for every format.
Not here: the formats themselves, what a conversion loses (ballot_losses.py), counting.
Sources: SEMANTICS V10, G7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean, shown
from comity.formats.ballot_csv import read_ballot_csv, write_ballot_csv
from comity.formats.ballot_file import BallotFile
from comity.formats.ballot_lines import (
    read_ballot_json,
    read_ballot_lines,
    write_ballot_json,
    write_ballot_lines,
)
from comity.formats.ballot_losses import break_equals_by_order, fit_ballots
from comity.formats.blt import read_blt, write_blt
from comity.formats.preflib import read_preflib, write_preflib
from comity.mechanisms.voting.ballots import KINDS, BallotKind
from comity.mechanisms.voting.election import Election

__all__ = [
    "BALLOT_FORMATS",
    "LARGEST_BALLOT_FILE",
    "BallotFile",
    "break_equals_by_order",
    "fit_ballots",
    "read_ballots",
    "read_ballots_text",
    "write_ballots",
]

LARGEST_BALLOT_FILE = 50_000_000
"""The most bytes of a file."""

_PREFLIB = ("soc", "soi", "toc", "toi", "cat")
_READERS: Mapping[str, Callable[..., BallotFile]] = {
    **{name: partial(read_preflib, data_type=name) for name in _PREFLIB},
    "blt": read_blt,
    "csv": read_ballot_csv,
    "jsonl": read_ballot_lines,
    "json": read_ballot_json,
}
_WRITERS: Mapping[str, Callable[[BallotFile], str]] = {
    "blt": write_blt,
    "csv": write_ballot_csv,
    "jsonl": write_ballot_lines,
    "json": write_ballot_json,
}
BALLOT_FORMATS = tuple(_READERS)
"""The formats, each named by its ending."""


def read_ballots(
    path: Path | str,
    *,
    kind: BallotKind | None = None,
    format: str | None = None,  # noqa: A002  # the word callers look for
) -> BallotFile:
    r"""Read a file of ballots.

    Args:
        path: the file. UTF-8, at most `LARGEST_BALLOT_FILE` bytes.
        kind: the kind of ballot, where the file alone does not say it.
        format: the format; None goes by the file's ending.

    Returns:
        The election with its title, the order of its options, seats and notes.

    Raises:
        InvalidInput: with every fault of the file, each with its line.
        UnknownName: for an unknown ending, format or kind.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "lunch.csv")
        ...     _ = path.write_text("count,ballot\n3,Soup>Salad\n2,Salad\n")
        ...     read_ballots(path).election
        Election(kind='ranking', options=('Salad', 'Soup'), size=5)
    """
    path = Path(path)
    found = _format(path.suffix[1:].lower() if format is None else format, path.name)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BALLOT_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fault = Fault(str(path), f"cannot be read: {reason}", "a ballot file", "check the path")
        raise InvalidInput(fault) from error
    return read_ballots_text(data, found, kind=kind, whose=path.name)


def read_ballots_text(
    data: str | bytes,
    format: str,  # noqa: A002  # the word callers look for
    *,
    kind: BallotKind | None = None,
    whose: str = "ballots",
) -> BallotFile:
    r"""Read ballots that are at hand already, from a request or a test.

    Args:
        data: text, or bytes in UTF-8.
        format: the format.
        kind: the kind of ballot, where the text alone does not say it.
        whose: what to call it in messages.

    Returns:
        As `read_ballots`.

    Raises:
        InvalidInput: as `read_ballots`.
        UnknownName: as `read_ballots`.

    Example:
        >>> read_ballots_text("vote\nTea\nTea\n", "csv").election.size
        2
    """
    found = _format(format, whose)
    if kind is not None and kind not in KINDS:
        listed, near = ", ".join(KINDS), did_you_mean(str(kind), KINDS)
        raise UnknownName(Fault(whose, f"is to be read as {shown(kind)}", listed, near))
    if len(data) > LARGEST_BALLOT_FILE:
        what = f"is larger than {LARGEST_BALLOT_FILE:,} bytes"
        then = "count alike ballots together (count), or split the file"
        raise InvalidInput(Fault(whose, what, "a smaller file", then))
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text: byte {error.start + 1} cannot be read"
        raise InvalidInput(Fault(whose, what, "UTF-8", "save it as UTF-8")) from error
    return _READERS[found](text.removeprefix("\ufeff"), kind=kind, whose=whose)


def write_ballots(
    what: BallotFile | Election,
    format: str,  # noqa: A002  # the word callers look for
    *,
    lossy: bool = False,
    equal_by: str | None = None,
) -> str:
    """Return ballots as the text of a file.

    Args:
        what: the ballots, as read or as an election.
        format: the format.
        lossy: whether what the format cannot hold may be left out. The notes then say what was
            lost; they stand in the file where it has a place for them.
        equal_by: ``"candidate_order"`` breaks equal ranks by the order of the names, in formats
            without equal ranks, and only together with ``lossy``.

    Returns:
        The text; `read_ballots` reads the same election from it.

    Raises:
        InvalidInput: with everything that would be lost, and how many ballots it concerns.
        UnknownName: for an unknown format.

    Example:
        >>> print(write_ballots(Election([["B", "A"], ["A", "B"]]), "soc").splitlines()[-1])
        1: 2,1
    """
    found = _format(format, "ballots")
    try:
        fitted = fit_ballots(what, found, lossy=lossy, equal_by=equal_by)
        if found in _PREFLIB:
            text = write_preflib(fitted, found, modification=_modification(fitted.notes))
        else:
            text = _WRITERS[found](fitted)
        text.encode("utf-8")
    except InvalidInput:
        raise
    except UnicodeEncodeError as error:
        name = f"cannot hold {shown(error.object[error.start : error.end])}"
        raise InvalidInput(Fault(found, name, "Unicode text", "correct the name")) from error
    except ValueError as error:
        allowed = "numbers of at most as many digits as Python writes"
        fault = Fault(found, f"cannot be written: {error}", allowed, "count in a larger unit")
        raise InvalidInput(fault) from error
    return text


def _modification(notes: Sequence[str]) -> str:
    """Return PrefLib's word for what was done: something was added, or left out, or nothing."""
    lost = [note for note in notes if note.startswith("lost: ")]
    if any("broken by" in note or "as equal last" in note for note in lost):
        return "imbued"
    return "induced" if lost else "original"


def _format(name: object, whose: str) -> str:
    if isinstance(name, str) and name in _READERS:
        return name
    what = f"has the format {shown(name)}" if name else "has no ending that names its format"
    near = did_you_mean(str(name)[:20], BALLOT_FORMATS)
    raise UnknownName(Fault(whose, what, ", ".join(BALLOT_FORMATS), near))
