"""BLT: what do the files of OpenSTV, OpaVote and their kin say?

Here: reading and writing candidates, seats, ballots and names.
Not here: what a conversion loses (ballot_losses.py); transferring votes.
Sources: SEMANTICS V10; Hill, Wichmann and Woodall, Algorithm 123, 1987, with the additions of
OpenSTV (comments, equal ranks with ``=``, skipped ranks as ``-``).

The form read, line by line, ``#`` beginning a comment::

    4 2                # candidates, seats
    -3                 # withdrawn candidates, if any
    3 1 4=2 0          # how many such ballots, the order, 0
    2 - 4 0            # a skipped rank: what follows moves up
    1 0                # a blank ballot: an abstention
    0                  # the end of the ballots
    "Ann"              # a name for each candidate; a quote inside a name is written twice
    ...
    "Board"            # the title

Every ballot ends on its own line, so that a forgotten 0 is a fault and never joins two ballots. A
number of ballots that is not whole is a weight.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from comity.core.errors import one_line, shown
from comity.formats.ballot_file import (
    BallotFile,
    BallotRow,
    Findings,
    check_names,
    check_writable,
    elected,
    exact_weight,
    lines_of,
    whole_count,
    whole_number,
)
from comity.mechanisms.voting.ballots import MOST_OPTIONS, BallotKind

__all__ = ["read_blt", "write_blt"]

_SPACE = re.compile(r"\s*")
_BALLOT = "a number of ballots, candidates by number, 0"

_Lines = Sequence[tuple[int, list[str]]]
_Ranks = list[list[int]]


class _Taken(NamedTuple):
    """The ballots of a file, with what was done to them."""

    rows: list[BallotRow]
    skipped: int
    withdrawn: int


def read_blt(text: str, *, kind: BallotKind | None = None, whose: str = "file") -> BallotFile:
    """Read a BLT file.

    Args:
        text: what the file holds.
        kind: None or ``ranking``.
        whose: the file's name, for messages.

    Returns:
        The rankings, with names, title and seats. Withdrawn candidates are taken out of names and
        ballots, which the notes say.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> text = '''2 1
        ... 3 1=2 0
        ... 4 2 0
        ... 0
        ... "Ann"
        ... "Bob"
        ... "Chair"'''
        >>> found = read_blt(text)
        >>> found.title, found.seats, found.election.size
        ('Chair', 1, 7)
    """
    findings = Findings(whose)
    if kind not in {None, "ranking"}:
        findings.add("", f"cannot be read as {shown(kind)}", "ranking", "leave the kind out")
    lines = lines_of(text)
    words = [(at, line.partition("#")[0].split()) for at, line in enumerate(lines, 1)]
    words = [(at, found) for at, found in words if found]
    end = next((place for place, (_, found) in enumerate(words) if found == ["0"]), None)
    if end is None:
        findings.add("", "does not end its ballots", "a line with 0 after them", "add the line")
        end = len(words)
    candidates, seats = _read_head(words[:end], findings)
    gone, first = _withdrawn(words[1:end], candidates, findings)
    taken = _read_ballots(words[1 + first : end], candidates, gone, findings)
    after = words[end][0] if end < len(words) else len(lines)
    names, said = _read_names(lines, after, candidates, findings)
    findings.refuse()
    standing = [name for at, name in enumerate(names, 1) if at not in gone]
    rows = [
        replace(row, ballot=[
            names[group[0] - 1] if len(group) == 1 else [names[one - 1] for one in group]
            for group in row.ballot
        ])
        for row in taken.rows
    ]  # fmt: skip
    return BallotFile(
        election=elected(rows, findings, kind="ranking", options=standing),
        title=said[0] if said else "",
        names=tuple(standing),
        seats=seats,
        notes=tuple(_notes(taken, [names[at - 1] for at in sorted(gone)], said[1:])),
        format="blt",
    )


def _notes(taken: _Taken, gone: Sequence[str], more: Sequence[str]) -> list[str]:
    notes = []
    if gone:
        who = ", ".join(map(shown, gone))
        notes.append(
            f"withdrawn before the count: {who}; ballots that named one: {shown(taken.withdrawn)}"
        )
    if taken.skipped:
        notes.append(f"ballots that skip a rank: {shown(taken.skipped)}; what follows moves up")
    return [*notes, *more]


def _read_head(words: _Lines, findings: Findings) -> tuple[int, int]:
    at, head = words[0] if words else (1, [])
    numbers = [whole_number(word) for word in head]
    if len(numbers) != 2 or None in numbers:
        what = f"begins with {shown(' '.join(head)[:80])}"
        findings.add(at, what, "two numbers: candidates and seats", "correct the first line")
        return 0, 1
    candidates, seats = numbers
    assert candidates is not None
    assert seats is not None
    if candidates > MOST_OPTIONS:
        most = f"at most {MOST_OPTIONS}"
        findings.add(at, f"has {shown(candidates)} candidates", most, "vote in groups")
        candidates = 0
    if seats < 1:
        findings.add(at, "has no seat", "1 or more", "correct the number of seats")
    return candidates, seats


def _withdrawn(words: _Lines, candidates: int, findings: Findings) -> tuple[set[int], int]:
    """Return who has withdrawn, and how many lines say so."""
    gone: set[int] = set()
    for number, (at, line) in enumerate(words):
        if not line[0].startswith("-"):
            return gone, number
        for word in line:
            one = whole_number(word[1:]) if word.startswith("-") else None
            if one is None or not 1 <= one <= candidates or one in gone:
                what = f"withdraws {shown(word)}"
                allowed = f"-1 to -{candidates}, each once, before the ballots"
                findings.add(at, what, allowed, "correct the line")
            else:
                gone.add(one)
    return gone, len(words)


def _read_ballots(words: _Lines, candidates: int, gone: set[int], findings: Findings) -> _Taken:
    rows: list[BallotRow] = []
    skipped = withdrawn = 0
    for at, line in words:
        if line[0].startswith("("):
            then = "take the ballot ids out, or use jsonl with voters"
            findings.add(at, "has a ballot id", _BALLOT, then)
            continue
        if line[0].startswith("-"):
            findings.add(at, "withdraws a candidate among the ballots", _BALLOT, "move it up")
            continue
        ranks = _ranks(line, candidates, at, findings)
        is_weight = "." in line[0] or "/" in line[0]
        count = 1 if is_weight else whole_count(line[0], at, findings)
        weight = exact_weight(line[0], at, findings) if is_weight else 1
        left = [[one for one in group if one not in gone] for group in ranks]
        skipped += count if "-" in line[1:] else 0
        withdrawn += count if sum(map(len, left)) < sum(map(len, ranks)) else 0
        rows.append(BallotRow(at, [group for group in left if group], count, "", weight))
    return _Taken(rows, skipped, withdrawn)


def _ranks(line: Sequence[str], candidates: int, at: int, findings: Findings) -> _Ranks:
    """Return the groups of a ballot's order, faults apart."""
    if line[-1] != "0" or len(line) == 1:
        findings.add(at, "does not end in 0", _BALLOT, "end each ballot on its line")
    order = line[1:-1] if line[-1] == "0" else line[1:]
    if "0" in order:
        findings.add(at, "goes on after 0", "one ballot per line", "split the line")
        return []
    seen: set[int] = set()
    ranks: _Ranks = []
    for word in order:
        if findings.is_full:
            break
        if word == "-":
            continue
        ranks.append([])
        for text in word.split("="):
            number = whole_number(text)
            if number is None or not 1 <= number <= candidates:
                allowed = f"candidates 1 to {candidates}, = between equals, - for a skipped rank"
                findings.add(at, f"names {shown(text)}", allowed, "correct the ballot")
            elif number in seen:
                findings.add(at, f"names {number} twice", "each candidate once", "name it once")
            else:
                seen.add(number)
                ranks[-1].append(number)
    return ranks


# --- names -----------------------------------------------------------------------------------


def _read_names(
    lines: Sequence[str], after: int, candidates: int, findings: Findings
) -> tuple[list[str], list[str]]:
    """Return the candidates' names, then the title and what else is said."""
    found = [
        (at, name)
        for at, line in enumerate(lines[after:], after + 1)
        for name in _quoted(line, at, findings)
    ]
    if len(found) < candidates:
        what = f"names {len(found)} of {candidates} candidates"
        findings.add("", what, "a quoted name for each, after the ballots", "add the names")
    check_names(found[:candidates], findings)
    return [name for _, name in found[:candidates]], [name for _, name in found[candidates:]]


def _quoted(line: str, at: int, findings: Findings) -> list[str]:
    """Return the quoted texts of a line; a quote inside one is written twice."""
    found: list[str] = []
    start = _after_space(line, 0)
    while start < len(line) and line[start] != "#":
        end = _closing(line, start) if line[start] == '"' else None
        if end is None:
            allowed = "names in quotes; a quote inside a name is written twice"
            what = f"has {shown(line[start : start + 200])}"
            findings.add(at, what, allowed, "correct the line")
            break
        found.append(line[start + 1 : end].replace('""', '"').strip())
        start = _after_space(line, end + 1)
    return found


def _after_space(line: str, start: int) -> int:
    match = _SPACE.match(line, start)
    assert match is not None
    return match.end()


def _closing(line: str, start: int) -> int | None:
    """Return where the quote that opens at a place closes."""
    at = line.find('"', start + 1)
    while at >= 0 and line[at + 1 : at + 2] == '"':
        at = line.find('"', at + 2)
    return None if at < 0 else at


# --- writing ---------------------------------------------------------------------------------


def write_blt(ballot_file: BallotFile) -> str:
    r"""Return ballots that fit BLT as the text of a file.

    Args:
        ballot_file: the ballots, fitted to BLT (`ballot_losses.fit_ballots`).

    Returns:
        The text. One seat is written when the file has none stated; notes become comments.

    Raises:
        InvalidInput: for names that BLT cannot hold.

    Example:
        >>> from comity.mechanisms.voting.election import Election
        >>> votes = Election([["B", ["A", "C"]], ["A"]])
        >>> print(write_blt(BallotFile(election=votes, names=("A", "B", "C"))), end="")
        3 1
        1 1 0
        1 2 1=3 0
        0
        "A"
        "B"
        "C"
        ""
    """
    names = ballot_file.names
    check_writable([*names, ballot_file.title], "blt")
    number = {name: at for at, name in enumerate(names, 1)}
    ballots = []
    data: Any = ballot_file.election.to_json()
    for row in data["ballots"]:
        groups = [
            sorted(number[name] for name in ([group] if isinstance(group, str) else group))
            for group in row["ballot"] or ()
        ]
        ballots.append((-row.get("count", 1), groups))
    lines = [f"# {one_line(note)}" for note in ballot_file.notes]
    lines.append(f"{len(names)} {1 if ballot_file.seats is None else ballot_file.seats}")
    for count, groups in sorted(ballots):
        order = "".join("=".join(map(str, group)) + " " for group in groups)
        lines.append(f"{-count} {order}0")
    lines.append("0")
    lines += [_in_quotes(name) for name in (*names, ballot_file.title)]
    return "\n".join(lines) + "\n"


def _in_quotes(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
