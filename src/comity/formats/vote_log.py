"""Vote log files: past votes from CSV or JSON lines, and back.

Here: the long form (one vote a line), the wide form (one item a line), JSON lines; every fault of
a file with its line; writing the long form.
Not here: what a log says (mechanisms/voting/independence).
Sources: SEMANTICS V9, V10, G7; RFC 4180 (CSV); jsonlines.org.

Long form: ``item,voter,answer`` (or ``vote``), with ``truth`` and ``run`` (or ``occasion``) or
``run_of`` where they are known. Wide form: ``item`` and one column per voter, perhaps ``truth``.
An empty answer is an abstention. Other columns of the long form are not read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact
from comity.formats.scenario import json_data
from comity.mechanisms.voting.independence.log import (
    VoteLog,
    is_usable_name,
    own_truth_fault,
    vote_log,
)

__all__ = ["read_vote_log", "write_vote_log"]

LARGEST_LOG = 100_000_000
MOST_TOLD = 100

_ANSWERS = ("answer", "vote")
_RUNS = ("run", "occasion")
_TRUTH = "truth"
_NAME = "printable text of 1 to 200 characters"
_SHAPE = "a header with item, voter and answer, or with item and one column per voter"


def read_vote_log(
    text: str,
    *,
    whose: str = "vote log",
    truth: str | None = None,
    options: Sequence[str] | None = None,
    weights: Mapping[str, Exact] | None = None,
) -> VoteLog:
    r"""Read a log of votes and tell every fault of it at once.

    Args:
        text: the file's text: CSV in long or wide form, or JSON lines.
        whose: the file's name, for messages.
        truth: the column or key with the right answers; by default ``truth`` where there is one.
        options: the answers that are possible; by default all that occur.
        weights: voter -> weight.

    Returns:
        The log. Repeated runs of one voter become voters of their own, and the log says whose.

    Raises:
        InvalidInput: with every fault and its line; also for a truth that is the panel's own
            majority.

    Example:
        >>> log = read_vote_log("item,voter,answer,truth\n1,a,yes,yes\n1,b,no,yes\n")
        >>> log.voters, log.answers, log.truth
        (('a', 'b'), (('yes',), ('no',)), ('yes',))
        >>> read_vote_log("item,a,b\n1,yes,no\n") == read_vote_log('''
        ... {"item": 1, "voter": "a", "answer": "yes"}
        ... {"item": 1, "voter": "b", "answer": "no"}
        ... ''')
        True
    """
    own = None if truth is None else own_truth_fault(truth)
    if own is not None:
        raise InvalidInput(own)
    if len(text) > LARGEST_LOG:
        what = f"is longer than {LARGEST_LOG} characters"
        raise InvalidInput(Fault(whose, what, "a smaller log", "split it"))
    body = text.removeprefix("\ufeff")
    found = _Found(whose)
    if body.lstrip()[:1] == "{":
        _read_lines(body, truth, found)
    else:
        _read_csv(body, truth, found)
    found.tell()
    return vote_log(
        [(item, voter, answer) for (item, voter), (answer, _) in found.cells.items()],
        options=options,
        truth={item: label for item, (label, _) in found.truths.items()} or None,
        weights=weights,
        runs_of=found.runs_of,
    )


@dataclass(slots=True)
class _Found:
    """What was read so far, and what is wrong with it."""

    whose: str
    cells: dict[tuple[str, str], tuple[str | None, int]] = field(default_factory=dict)
    truths: dict[str, tuple[str, int]] = field(default_factory=dict)
    runs_of: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, line: int, what: str, allowed: str, next_step: str = "correct it") -> None:
        self.faults.append(Fault(f"{self.whose} line {line}", what, allowed, next_step))

    def name(self, line: int, what: str, value: str) -> bool:
        if is_usable_name(value):
            return True
        self.fault(line, f"{what} is {shown(value)}", _NAME)
        return False

    def vote(self, line: int, item: str, voter: str, answer: str) -> None:
        """Note a vote; an empty answer is an abstention."""
        sound = [self.name(line, "item", item), self.name(line, "voter", voter)]
        sound.append(not answer or self.name(line, "answer", answer))
        if not all(sound):
            return
        if (item, voter) in self.cells:
            first = self.cells[item, voter][1]
            what = f"{shown(voter)} answers item {shown(item)} again, after line {first}"
            next_step = "drop one, or add a column run"
            self.fault(line, what, "one answer of each voter to an item", next_step)
            return
        self.cells[item, voter] = answer or None, line

    def truth(self, line: int, item: str, label: str) -> None:
        """Note the truth of an item; empty where it is not known."""
        if not label or not is_usable_name(item) or not self.name(line, "truth", label):
            return
        known, first = self.truths.setdefault(item, (label, line))
        if known != label:
            what = f"truth of item {shown(item)} is {shown(label)}, in line {first} {shown(known)}"
            self.fault(line, what, "one truth for an item")

    def run(self, line: int, voter: str, whose: str) -> None:
        """Note whose run a voter is."""
        if whose and self.name(line, "run_of", whose) and is_usable_name(voter):
            known = self.runs_of.setdefault(voter, whose)
            if known != whose:
                what = f"{shown(voter)} is a run of {shown(whose)}, before of {shown(known)}"
                self.fault(line, what, "one voter for all lines of a run")

    def tell(self) -> None:
        """Raise with every fault; of very many the first, and how many more there are."""
        if not self.faults and not self.cells:
            self.faults.append(Fault(self.whose, "holds no vote", _SHAPE, "add the votes"))
        more = len(self.faults) - MOST_TOLD
        if more > 0:
            told = Fault(self.whose, f"has {more} more faults", _SHAPE, "correct these first")
            raise InvalidInput([*self.faults[:MOST_TOLD], told])
        raise_if(self.faults)


# --- CSV -------------------------------------------------------------------------------------


def _rows(text: str, found: _Found) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the fields of each row that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            found.fault(line, f"is no CSV: {error}", "fields between commas, quotes doubled")
            return
        if any(one.strip() for one in row):
            yield line, [one.strip() for one in row]
        line = reader.line_num + 1


def _read_csv(text: str, truth: str | None, found: _Found) -> None:
    rows = _rows(text, found)
    line, header = next(rows, (1, []))
    if not header:
        return
    twice = sorted({one for one in header if header.count(one) > 1})
    for name in twice:
        found.fault(line, f"names the column {shown(name)} twice", "each column once")
    told = _truth_name(truth, header, line, found)
    answer = next((one for one in _ANSWERS if one in header), "")
    is_long = "voter" in header and bool(answer)
    if "item" not in header or not (is_long or "voter" not in header):
        lacking = [one for one in ("item", "voter", "answer") if one not in header]
        near = did_you_mean(lacking[0], header) if lacking else "add it"
        found.fault(line, f"lacks {' and '.join(lacking)}", _SHAPE, near)
        return
    if twice:
        return
    voters = [one for one in header if one not in ("item", told, _TRUTH)]
    if not is_long and not [one for one in voters if found.name(line, "voter", one)]:
        found.fault(line, "names no voter", _SHAPE, "add a column per voter")
    whole = list(_whole_rows(rows, header, found))
    if is_long:
        _long(whole, answer, told, found)
        return
    for at, row in whole:
        for voter in voters:
            found.vote(at, row["item"], voter, row[voter])
        found.truth(at, row["item"], row.get(told, ""))


def _truth_name(truth: str | None, known: Sequence[str], line: int, found: _Found) -> str:
    if truth is None or truth in known:
        return truth or _TRUTH
    columns = [one for one in known if one]
    what = f"has no column {shown(truth)} for the truth"
    found.fault(line, what, ", ".join(columns) or _SHAPE, did_you_mean(truth, columns))
    return truth


def _whole_rows(
    rows: Iterator[tuple[int, list[str]]], header: Sequence[str], found: _Found
) -> Iterator[tuple[int, dict[str, str]]]:
    for line, row in rows:
        if len(row) == len(header):
            yield line, dict(zip(header, row, strict=True))
        else:
            found.fault(line, f"has {len(row)} fields", f"{len(header)}, as the header has")


def _long(
    rows: Sequence[tuple[int, Mapping[str, str]]], answer: str, truth: str, found: _Found
) -> None:
    """Note votes in long form; several runs of a voter become voters of their own."""
    runs = next((one for one in _RUNS if rows and one in rows[0][1]), "")
    seen: dict[str, set[str]] = {}
    for _, row in rows:
        seen.setdefault(row["voter"], set()).add(row.get(runs, ""))
    for line, row in rows:
        voter = row["voter"]
        if len(seen[voter]) > 1:
            voter = f"{voter} run {row[runs]}"
            found.run(line, voter, row["voter"])
        found.run(line, voter, row.get("run_of", ""))
        found.vote(line, row["item"], voter, row[answer])
        found.truth(line, row["item"], row.get(truth, ""))


# --- JSON lines ------------------------------------------------------------------------------


def _read_lines(text: str, truth: str | None, found: _Found) -> None:
    used = ("item", "voter", *_ANSWERS, *_RUNS, "run_of", truth or _TRUTH)
    rows: list[tuple[int, dict[str, str]]] = []
    for line, written in enumerate(text.split("\n"), 1):
        if written.strip():
            row = _object(line, written, used, found)
            if row is not None:
                rows.append((line, row))
    known = sorted({key for _, row in rows for key in row})
    _long(rows, "answer", _truth_name(truth, known, 1, found), found)


def _object(line: int, written: str, used: Sequence[str], found: _Found) -> dict[str, str] | None:
    try:
        data = json_data(written)
    except (ValueError, RecursionError) as error:
        found.fault(line, f"is no JSON: {error}", "one object on each line")
        return None
    if not isinstance(data, Mapping):
        found.fault(line, f"is {shown(data)}", "one object on each line")
        return None
    row: dict[str, str] = {}
    faults = len(found.faults)
    for key in used:
        value = data.get(key)
        if value is None or type(value) in (str, int):
            row.update({key: "" if value is None else str(value).strip()} if key in data else {})
        else:
            found.fault(line, f"{key} is {shown(value)}", "text, a whole number or null")
    row["answer"] = row.get("answer", row.get("vote", ""))
    lacking = [one for one in ("item", "voter") if one not in data]
    lacking += [] if any(one in data for one in _ANSWERS) else ["answer"]
    if lacking:
        allowed = "item, voter and answer (null for an abstention)"
        found.fault(line, f"lacks {' and '.join(lacking)}", allowed, "add it")
    row["run"] = row.get("run", row.get("occasion", ""))
    return row if len(found.faults) == faults else None


# --- writing ---------------------------------------------------------------------------------


def write_vote_log(log: VoteLog) -> str:
    r"""Return a log as CSV in the long form.

    Args:
        log: the log.

    Returns:
        Every voter and item, also where there is no answer; weights and options are not written.

    Example:
        >>> print(write_vote_log(read_vote_log("item,a,b\n1,yes,\n")), end="")
        item,voter,answer
        1,a,yes
        1,b,
    """
    has_runs = any(voter != whose for voter, whose in zip(log.voters, log.runs_of, strict=True))
    header = ["item", "voter", "answer"]
    header += ["truth"] if log.truth is not None else []
    header += ["run_of"] if has_runs else []
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(header)
    for at, item in enumerate(log.items):
        for voter, whose, answers in zip(log.voters, log.runs_of, log.answers, strict=True):
            row = [item, voter, answers[at] or ""]
            row += [log.truth[at] or ""] if log.truth is not None else []
            row += ["" if whose == voter else whose] if has_runs else []
            writer.writerow(row)
    return made.getvalue()
