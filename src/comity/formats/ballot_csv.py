"""Ballots in CSV: one row, one ballot; which column says what?

Here: reading and writing tables of ballots.
Not here: what a conversion loses (ballot_losses.py).
Sources: SEMANTICS V10, V1; RFC 4180.

The first row names the columns. Three are known in every table and may be left out: ``voter``,
``weight`` (exact, such as 1/3) and ``count`` (how many voters cast this ballot). The others say
how ballots are written:

===================== ==========================================================================
``ballot``            a ranking as text, best first: ``A>B=C``
``vote``              one option; yes, no and veto alone make a yes/no vote
``rank1``, ``rank2``… rankings: the option at each rank, equals as ``B=C``
``rank:A``, ``rank:B``…     rankings: the option's rank, 1 is best; empty: not ranked
``score:A``, …        the option's score; empty: no score
``approved:A``, …     1, yes, true or x: approved; 0, no, false or empty: not
``A``, ``B``, …       one option each; ``kind`` must say which of the last three it is, because a 1
                      is the best rank and a low score
===================== ==========================================================================

Empty ballots abstain; a row of approvals with a 0 in it approves of nothing. Columns are parted by
tabs when the first row has one outside quotes, else by semicolons when it has one and no comma,
else by commas.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from comity.core.errors import InvalidInput, shown
from comity.core.exact import Exact, read_exact
from comity.formats.ballot_file import (
    BallotFile,
    BallotRow,
    Findings,
    check_names,
    check_writable,
    elected,
    exact_weight,
    nearest,
    whole_count,
    whole_number,
)
from comity.mechanisms.voting.ballots import YES_NO, BallotKind, guess_kind

__all__ = ["read_ballot_csv", "write_ballot_csv"]

_COMMON = ("voter", "weight", "count")
_QUOTED = re.compile('"[^"]*"?')
_RANK = re.compile("rank ?([0-9]{1,3})")
_PREFIXES: dict[str, BallotKind] = {"rank": "ranking", "score": "score", "approved": "approval"}
_CHOSEN = {"1", "yes", "true", "x"}
_NOT_CHOSEN = {"0", "no", "false", ""}
_LAYOUTS = (
    "ballot; vote; rank1, rank2…; rank:A, rank:B…; score:A…; approved:A…; or the options, with a"
    " kind"
)

_Cells = Sequence[str]


class _Layout(NamedTuple):
    """How ballots are written: their kind, the options if declared, and who reads a row."""

    kind: BallotKind | None
    options: tuple[str, ...] | None
    read: Callable[[_Cells, int, Findings], Any]


def read_ballot_csv(
    text: str, *, kind: BallotKind | None = None, whose: str = "file"
) -> BallotFile:
    """Read a table of ballots.

    Args:
        text: what the file holds.
        kind: the kind of ballot; needed when columns are named by the options alone.
        whose: the file's name, for messages.

    Returns:
        The ballots. Options are declared where columns name them, else all that ballots name.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> found = read_ballot_csv('''voter,ballot
        ... ann,Tea>Water=Milk
        ... bob,Milk''')
        >>> found.names, found.election.is_named
        (('Milk', 'Tea', 'Water'), True)
    """
    findings = Findings(whose)
    table = _table(text, findings)
    if not table:
        findings.add("", "is empty", "a first row that names the columns", "add the row")
        findings.refuse()
    at, head = table[0]
    notes: list[str] = []
    columns = [cell.strip() for cell in head]
    layout = _layout(columns, at, kind, findings)
    findings.refuse()
    common = [name.casefold() if name.casefold() in _COMMON else "" for name in columns]
    own = [place for place, name in enumerate(common) if not name]
    rows = []
    for line, cells in table[1:]:
        if len(cells) != len(columns):
            what = f"has {len(cells)} cells"
            findings.add(line, what, f"{len(columns)}, as the first row", "correct the row")
            continue
        found = {name: cells[place].strip() for place, name in enumerate(common) if name}
        ballot = layout.read([cells[place].strip() for place in own], line, findings)
        if "voter" in found and not found["voter"]:
            findings.add(line, "names no voter", "a voter in every row", "name the voter")
        count = whole_count(found["count"], line, findings) if "count" in found else 1
        weight = exact_weight(found["weight"], line, findings) if "weight" in found else 1
        rows.append(BallotRow(line, ballot, count, found.get("voter", ""), weight))
    _note_gaps(layout, rows, notes)
    rows = [replace(row, ballot=_without_gaps(row.ballot)) for row in rows]
    found_kind = layout.kind or _kind_of_votes(rows)
    election = elected(rows, findings, kind=found_kind, options=layout.options)
    names = layout.options or election.options
    return BallotFile(election=election, names=names, notes=tuple(notes), format="csv")


def _table(text: str, findings: Findings) -> list[tuple[int, list[str]]]:
    first = _QUOTED.sub("", text[: text.find("\n") + 1 or None])
    parted = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=parted, strict=True)
    found: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if cells:
                found.append((reader.line_num, cells))
    except csv.Error as error:
        findings.add(reader.line_num, f"is no CSV: {error}", "RFC 4180", "correct the row")
        findings.refuse()
    return found


# --- layouts ---------------------------------------------------------------------------------


def _layout(
    columns: Sequence[str], at: int, kind: BallotKind | None, findings: Findings
) -> _Layout:
    """Return how the columns write ballots."""
    folded = [name.casefold() for name in columns]
    for name in sorted({one for one in folded if one in _COMMON and folded.count(one) > 1}):
        findings.add(at, f"has the column {name} twice", "once", "drop one")
    own = [name for name in columns if name.casefold() not in _COMMON]
    small = [name.casefold() for name in own]
    if "ballot" in small or "vote" in small:
        return _one_column(own, at, kind, findings)
    if small and all(_RANK.fullmatch(name) for name in small):
        _check_kind(at, kind, ("ranking",), findings)
        return _rank_columns(small, at, findings)
    prefixes = {name.partition(":")[0].strip() if ":" in name else "" for name in small}
    if len(prefixes) == 1 and (found := _PREFIXES.get(next(iter(prefixes)))) is not None:
        _check_kind(at, kind, (found,), findings)
        return _option_columns(
            [name.partition(":")[2].strip() for name in own], at, found, findings
        )
    if own and kind is not None and kind in _PREFIXES.values():
        return _option_columns(own, at, kind, findings)
    what = f"has the columns {shown(', '.join(columns)[:160])}"
    then = "name the columns"
    if own:
        then = "give kind='ranking', 'score' or 'approval' if they are the options"
    findings.add(at, what, _LAYOUTS, then)
    return _Layout(None, None, _text)


def _check_kind(
    at: int, kind: BallotKind | None, allowed: Sequence[BallotKind], findings: Findings
) -> None:
    if kind is not None and kind not in allowed:
        what = f"has columns for {' or '.join(allowed)} ballots, read as {shown(kind)}"
        findings.add(at, what, " or ".join(allowed), "leave the kind out, or rename the columns")


def _one_column(
    own: Sequence[str], at: int, kind: BallotKind | None, findings: Findings
) -> _Layout:
    name = next(one.casefold() for one in own if one.casefold() in {"ballot", "vote"})
    others = [one for one in own if one.casefold() != name]
    if others or len(own) > 1:
        other = (others or own)[0]
        what = f"has the column {shown(other)} beside {name}"
        near = nearest(other, _COMMON)
        findings.add(at, what, "voter, weight, count and one of ballot and vote", near)
    if name == "vote":
        _check_kind(at, kind, ("choice", "yes_no"), findings)
        return _Layout(kind, None, _vote)
    _check_kind(at, kind, ("ranking",), findings)
    return _Layout("ranking", None, _text)


def _rank_columns(names: Sequence[str], at: int, findings: Findings) -> _Layout:
    numbers = [int(name[4:]) for name in names]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        allowed = f"rank1 to rank{len(numbers)}, each once"
        findings.add(
            at, f"has the columns {shown(', '.join(names)[:160])}", allowed, "rename them"
        )
    order = sorted(range(len(numbers)), key=numbers.__getitem__)

    def read(cells: _Cells, line: int, findings: Findings) -> list[Any]:
        return [_group(cells[place], line, findings) if cells[place] else [] for place in order]

    return _Layout("ranking", None, read)


def _option_columns(
    options: Sequence[str], at: int, kind: BallotKind, findings: Findings
) -> _Layout:
    check_names([(at, name) for name in options], findings)
    read_cells = {"ranking": _by_rank, "score": _by_score, "approval": _by_approval}[kind]

    def read(cells: _Cells, line: int, findings: Findings) -> object:
        return read_cells(options, cells, line, findings) if any(cells) else None

    return _Layout(kind, tuple(options), read)


# --- rows ------------------------------------------------------------------------------------


def _text(cells: _Cells, line: int, findings: Findings) -> list[Any]:
    if not cells[0]:
        return []
    return [_group(part, line, findings) for part in cells[0].split(">")]


def _group(text: str, line: int, findings: Findings) -> str | list[str]:
    names = [name.strip() for name in text.split("=")]
    if not all(names):
        findings.add(line, f"has an empty place in {shown(text)}", "A>B=C", "name the option")
    return names[0] if len(names) == 1 else names


def _vote(cells: _Cells, line: int, findings: Findings) -> str | None:
    del line, findings  # any text is a vote; the election knows which options there are
    return cells[0] or None


def _by_rank(options: _Cells, cells: _Cells, line: int, findings: Findings) -> list[Any]:
    groups: dict[int, list[str]] = {}
    for name, cell in zip(options, cells, strict=True):
        rank = whole_number(cell)
        if rank:
            groups.setdefault(rank, []).append(name)
        elif cell:
            what = f"ranks {shown(name)} {shown(cell)}"
            findings.add(line, what, "1 for the best, 2, …, or nothing", "correct the rank")
    return [group if group[1:] else group[0] for _, group in sorted(groups.items())]


def _by_score(
    options: _Cells, cells: _Cells, line: int, findings: Findings
) -> dict[str, Exact] | None:
    found: dict[str, Exact] = {}
    for name, cell in zip(options, cells, strict=True):
        if cell:
            try:
                found[name] = read_exact(cell, "x", f"score of {shown(name)}")
            except InvalidInput as error:
                one = error.faults[0]
                findings.add(line, one.what, one.allowed, one.next)
    return found or None


def _by_approval(options: _Cells, cells: _Cells, line: int, findings: Findings) -> list[str]:
    found = []
    for name, cell in zip(options, cells, strict=True):
        if cell.casefold() in _CHOSEN:
            found.append(name)
        elif cell.casefold() not in _NOT_CHOSEN:
            what = f"says {shown(cell)} about {shown(name)}"
            findings.add(
                line, what, "1, yes, true, x; 0, no, false or nothing", "correct the cell"
            )
    return found


def _note_gaps(layout: _Layout, rows: Sequence[BallotRow], notes: list[str]) -> None:
    if layout.kind != "ranking":
        return
    skipped = sum(row.count for row in rows if row.ballot and _has_gap(row.ballot))
    if skipped:
        notes.append(f"ballots that skip a rank: {shown(skipped)}; what follows moves up")


def _has_gap(ballot: Sequence[Any]) -> bool:
    empty = [group == [] for group in ballot]
    return any(empty[: len(empty) - empty[::-1].index(False)]) if not all(empty) else False


def _without_gaps(ballot: object) -> object:
    if not isinstance(ballot, list):
        return ballot
    return [group for group in ballot if group != []]


def _kind_of_votes(rows: Sequence[BallotRow]) -> BallotKind:
    said = [row.ballot for row in rows if row.ballot and row.ballot.casefold() != "abstain"]
    return guess_kind(said)


# --- writing ---------------------------------------------------------------------------------


def write_ballot_csv(ballot_file: BallotFile) -> str:
    r"""Return ballots as a table.

    Args:
        ballot_file: the ballots, fitted to CSV (`ballot_losses.fit_ballots`).

    Returns:
        The text: votes in a column ``vote``, rankings of undeclared options in a column
        ``ballot``, all others with a column for each option.

    Raises:
        InvalidInput: for names that such a table cannot hold, and for votes that do not name every
            declared option.

    Example:
        >>> from comity.mechanisms.voting.election import Election
        >>> votes = Election([{"A": 3, "B": 1}])
        >>> write_ballot_csv(BallotFile(election=votes, names=("A", "B")))
        'score:A,score:B\n3,1\n'
    """
    election, names = ballot_file.election, ballot_file.names
    data: Any = election.to_json()
    rows: list[dict[str, Any]] = data["ballots"]
    check_writable([*names, *(row["voter"] for row in rows if "voter" in row)], "csv")
    common = [name for name in _COMMON if any(name in row for row in rows)]
    if election.kind in {"choice", "yes_no"}:
        _check_votes(election.kind, names, rows)
        own, cells = ["vote"], _vote_cell
    elif election.kind == "ranking" and not election.declared:
        check_writable(names, "csv", ">=")
        own, cells = ["ballot"], _text_cell
    else:
        prefix = next(one for one, kind in _PREFIXES.items() if kind == election.kind)
        own = [f"{prefix}:{name}" for name in names]

        def cells(ballot: Any) -> list[str]:  # noqa: ANN401  # a ballot of any of these kinds
            return _option_cells(election.kind, ballot, names)

    if not own:
        findings = Findings("csv")
        findings.add("", "cannot hold ballots on no option", "an option", "write jsonl or json")
        findings.refuse()
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    # A name with another parting mark is quoted, so that the reader does not take it for one.
    is_plain = not any(set(name) & set(";\t") for name in own)
    head = writer if is_plain else csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    head.writerow([*common, *own])
    for row in rows:
        first = [str(row.get(name, "" if name == "voter" else 1)) for name in common]
        writer.writerow([*first, *cells(row["ballot"])])
    return written.getvalue()


def _check_votes(kind: BallotKind, names: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    if kind == "yes_no":
        return
    findings = Findings("csv")
    silent = sorted(set(names) - {row["ballot"] for row in rows})
    if silent:
        what = f"would lose the options that no ballot names: {shown(silent)}"
        findings.add("", what, "votes for every option", "write jsonl or json")
    if names and all(name.casefold() in YES_NO for name in names):
        what = "would be read as a yes/no vote"
        findings.add("", what, "other options than yes, no and veto", "write jsonl or json")
    if "abstain" in names:
        what = "would read the option 'abstain' as an abstention"
        findings.add("", what, "another name", "write jsonl or json")
    findings.refuse()


def _vote_cell(ballot: str | None) -> list[str]:
    return [ballot or ""]


def _text_cell(ballot: Sequence[Any] | None) -> list[str]:
    return [">".join(one if isinstance(one, str) else "=".join(one) for one in ballot or ())]


def _option_cells(kind: BallotKind, ballot: Any, names: Sequence[str]) -> list[str]:  # noqa: ANN401  # a ballot of any of these kinds
    if ballot is None:
        return [""] * len(names)
    if kind == "approval":
        return ["1" if name in ballot else "0" for name in names]
    if kind == "score":
        return [str(ballot.get(name, "")) for name in names]
    ranks = {
        name: rank
        for rank, group in enumerate(ballot, 1)
        for name in ([group] if isinstance(group, str) else group)
    }
    return [str(ranks.get(name, "")) for name in names]
