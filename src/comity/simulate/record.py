"""Record: which negotiations of a plan are already done?

Here: the file that rows are written to as they come; reading it after a stop; its final form.
Not here: playing (run.py), CSV (rows.py), the ledger of decisions (ledger/).
Sources: JSON lines; complaint 26 of the research (what was done before a stop counts after it).

The first line names the plan. A stop can tear the last line; it is dropped when the file is read.
A whole file is written anew with its rows sorted, so that its bytes do not tell how often it was
stopped or how many processes wrote it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from comity import __version__
from comity.core.canonical import Json, canonical
from comity.core.errors import Fault, InvalidInput
from comity.simulate.plan import Plan
from comity.simulate.rows import Row, json_lines, row_from_json

__all__ = ["Record", "header_of", "rows_in"]

KIND = "tournament"


def header_of(plan: Plan) -> dict[str, Json]:
    """Return the first line of a plan's file.

    Args:
        plan: the plan.

    Example:
        >>> from comity.simulate.planning import plan_of
        >>> from comity.testing.bargains import sample_problem
        >>> header_of(plan_of({"tls": sample_problem()}, ["micro"]))["kind"]
        'tournament'
    """
    return {
        "v": 1,
        "kind": KIND,
        "made_by": __version__,
        "digest": plan.digest,
        "plan": plan.to_json(),
    }


def _first_line(plan: Plan) -> str:
    return canonical(header_of(plan)) + "\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # a seed may come from words that are no UTF-8


def rows_in(path: Path, plan: Plan | None = None) -> tuple[Mapping[str, Any] | None, list[Row]]:
    """Return the first line of a file and its rows.

    Args:
        path: the file.
        plan: the plan it must belong to; None for any.

    Returns:
        The first line, None for an empty file or one torn in its first line; every whole row,
        sorted by id, each once.

    Raises:
        InvalidInput: for a file that is no record, is damaged or belongs to another plan.
    """
    header, rows, _ = _read(path, plan)
    return header, rows


def _read(path: Path, plan: Plan | None) -> tuple[Mapping[str, Any] | None, list[Row], int]:
    """Return the first line, the rows, and how many bytes of the file are whole lines."""
    try:
        data = path.read_bytes()
    except OSError as error:
        allowed = "a file of a tournament"
        what = f"cannot be read: {error.strerror}"
        raise InvalidInput(Fault(str(path), what, allowed, "check the path")) from error
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].split(b"\n")[:-1]
    if not lines:
        if data and (plan is None or not _bytes(_first_line(plan)).startswith(data)):
            raise _not_a_record(path)
        return None, [], 0
    header = _object(path, 1, lines[0])
    if header.get("kind") != KIND or not isinstance(header.get("plan"), Mapping):
        raise _not_a_record(path)
    if plan is not None:
        _check_plan(path, header, plan)
    found: dict[str, Row] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            row = row_from_json(_object(path, number, line))
        except InvalidInput as error:
            raise _damaged(path, number) from error
        if found.setdefault(row.id, row) != row:
            raise _damaged(path, number)
    if plan is not None:
        _check_rows(path, found, plan)
    return header, [found[one] for one in sorted(found)], whole


def _object(path: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise _not_a_record(path) if number == 1 else _damaged(path, number)
    return found


def _not_a_record(path: Path) -> InvalidInput:
    what, allowed = "is no file of a tournament", "what `comity tournament --out` wrote"
    return InvalidInput(Fault(str(path), what, allowed, "choose another file"))


def _damaged(path: Path, number: int) -> InvalidInput:
    what, allowed = f"is damaged in line {number}", "rows as they were written"
    return InvalidInput(Fault(str(path), what, allowed, "start anew in another file"))


def _check_plan(path: Path, header: Mapping[str, Any], plan: Plan) -> None:
    """Refuse a file of another plan, and say in what they differ."""
    if header.get("made_by") != __version__:
        what = f"was made by comity {header.get('made_by')}"
        allowed = f"one made by this version, {__version__}"
        raise InvalidInput(Fault(str(path), what, allowed, "start anew in another file"))
    if header.get("digest") == plan.digest:
        return
    mine, theirs = plan.to_json(), header["plan"]
    differing = ", ".join(key for key in mine if theirs.get(key) != mine[key]) or "its digest"
    what = f"belongs to another plan: they differ in {differing.replace('_', ' ')}"
    next_step = "call it as it was begun, or start anew in another file"
    raise InvalidInput(Fault(str(path), what, "a file of the same plan", next_step))


def _check_rows(path: Path, found: Mapping[str, Row], plan: Plan) -> None:
    seeds = {task.id: task.seed for task in plan.tasks()}
    for number, row in enumerate(found.values(), 2):
        if seeds.get(row.id) != row.seed:
            raise _damaged(path, number)


class Record:
    """The file of a running tournament: what it holds, and what is added.

    Attributes:
        rows: the rows found when it was opened, sorted by id.
    """

    __slots__ = ("_file", "_path", "_plan", "rows")

    def __init__(self, path: Path, plan: Plan) -> None:
        """Open a file to go on with, or begin one.

        Args:
            path: where; a missing or empty file is begun.
            plan: the plan.

        Raises:
            InvalidInput: when the file is of another plan, damaged, or cannot be written.
        """
        self._path, self._plan = path, plan
        header: Mapping[str, Any] | None = None
        self.rows: list[Row] = []
        whole = 0
        if path.exists():
            header, self.rows, whole = _read(path, plan)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open("r+b" if header is not None else "wb")
            self._file.truncate(whole)
            self._file.seek(whole)
            if header is None:
                self._write(_first_line(plan))
        except OSError as error:
            raise self._unwritable(error) from error

    def add(self, rows: Iterable[Row]) -> None:
        """Write rows and hand them to the system, so that the end of this process loses none."""
        try:
            self._write("".join(json_lines(rows)))
        except OSError as error:
            raise self._unwritable(error) from error

    def finish(self, rows: Iterable[Row]) -> None:
        """Put the final file in place, all at once: the first line, then every row by id."""
        self._file.close()
        beside = self._path.with_name(f".{self._path.name}.{os.getpid()}.tmp")
        try:
            with beside.open("wb") as file:
                file.write(_bytes(_first_line(self._plan)))
                file.writelines(map(_bytes, json_lines(rows)))
            beside.replace(self._path)
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            beside.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, text: str) -> None:
        self._file.write(_bytes(text))
        self._file.flush()

    def _unwritable(self, error: OSError) -> InvalidInput:
        what = f"cannot be written: {error.strerror}"
        allowed = "a place where files may be made"
        return InvalidInput(Fault(str(self._path), what, allowed, "choose another place"))
