"""PrefLib: what do the files of the preference library say?

Here: reading and writing orders (soc, soi, toc, toi) and categories (cat).
Not here: what a conversion loses (ballot_losses.py); the old form of before 2022.
Sources: SEMANTICS V10; Mattei and Walsh, PrefLib, 2013, and the format page of preflib.org: lines
``# KEY: value``, then ``count: order``, alternatives as numbers from 1, equals in braces.

==== ====================================================
soc  strict orders, complete: every alternative, no equals
soi  strict orders, incomplete
toc  orders with ties, complete
toi  orders with ties, incomplete
cat  one group of alternatives for every category
==== ====================================================

Two categories named yes and no (or approve and disapprove) are approvals. Other categories say
nothing about their meaning: ``kind="ranking"`` reads them as ranks, ``kind="approval"`` takes the
first for yes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    lines_of,
    whole_count,
    whole_number,
)
from comity.mechanisms.voting.ballots import MOST_OPTIONS, BallotKind

__all__ = ["read_preflib", "write_preflib"]

_COMPLETE = ("soc", "toc")
_STRICT = ("soc", "soi")
_YES = {"yes", "approve", "approved", "approval", "approves"}
_NO = {
    "no", "disapprove", "disapproved", "disapproval", "disapproves", "not approved",
    "not approve", "do not approve",
}  # fmt: skip
_NAMED = re.compile(r"(ALTERNATIVE|CATEGORY) NAME ([0-9]{1,9})")
_TOKENS = re.compile("[{},]|[^{},]+")
_LINE = "count: order, such as 12: 3,{1,2}"


class _Head(NamedTuple):
    values: dict[str, tuple[int, str]]
    alternatives: list[str]
    categories: list[str]


def read_preflib(
    text: str, data_type: str, *, kind: BallotKind | None = None, whose: str = "file"
) -> BallotFile:
    """Read a PrefLib file.

    Args:
        text: what the file holds.
        data_type: ``soc``, ``soi``, ``toc``, ``toi`` or ``cat``.
        kind: None, or how the categories of a ``cat`` file are to be read.
        whose: the file's name, for messages.

    Returns:
        The ballots: rankings, or approvals from yes/no categories.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> text = '''# NUMBER ALTERNATIVES: 2
        ... # NUMBER VOTERS: 5
        ... # ALTERNATIVE NAME 1: Tea
        ... # ALTERNATIVE NAME 2: Coffee, black
        ... 3: 2,1
        ... 2: 1'''
        >>> found = read_preflib(text, "soi")
        >>> found.names, found.election.pairwise()
        (('Tea', 'Coffee, black'), ((0, 3), (2, 0)))
    """
    findings = Findings(whose)
    lines = lines_of(text)
    head = _read_head(lines, data_type, findings)
    found: BallotKind = kind or "ranking"
    notes = _notes(head)
    yes = 0
    if data_type == "cat":
        found, yes = _categories(head.categories, kind, findings, notes)
    elif found != "ranking":
        allowed = "ranking"
        findings.add("", f"cannot be read as {shown(kind)}", allowed, "leave the kind out")
    rows = _read_rows(lines, head, data_type, findings)
    _check_voters(head, rows, findings, notes)
    if found == "approval":
        _note_neither(rows, len(head.alternatives), notes)
    findings.refuse()
    ballots = [
        replace(row, ballot=_ballot(row.ballot, head.alternatives, found, yes)) for row in rows
    ]
    return BallotFile(
        election=elected(ballots, findings, kind=found, options=head.alternatives),
        title=head.values.get("TITLE", (0, ""))[1],
        names=tuple(head.alternatives),
        notes=tuple(notes),
        format=data_type,
    )


# --- the head --------------------------------------------------------------------------------


def _read_head(lines: Sequence[str], data_type: str, findings: Findings) -> _Head:
    values: dict[str, tuple[int, str]] = {}
    named: dict[str, dict[int, tuple[int, str]]] = {"ALTERNATIVE": {}, "CATEGORY": {}}
    for at, line in enumerate(lines, 1):
        if not line.startswith("#") or ":" not in line:
            continue
        before, _, value = line[1:].partition(":")
        key = " ".join(before.split()).upper()
        match = _NAMED.fullmatch(key)
        table: dict[Any, tuple[int, str]] = named[match[1]] if match else values
        name: Any = int(match[2]) if match else key
        if name in table and (match or key.startswith("NUMBER ") or key == "TITLE"):
            first = f"once; the first is in line {table[name][0]}"
            findings.add(at, f"says {shown(key)} a second time", first, "drop one")
        table.setdefault(name, (at, value.strip()))
    stated = values.get("DATA TYPE", (0, data_type))
    if stated[1].casefold() != data_type:
        what = f"has the data type {shown(stated[1])}"
        findings.add(stated[0], what, data_type, "name the file by its data type")
    return _Head(
        values,
        _listed("ALTERNATIVE", "NUMBER ALTERNATIVES", values, named, findings),
        _listed("CATEGORY", "NUMBER CATEGORIES", values, named, findings)
        if data_type == "cat"
        else [],
    )


def _listed(
    what: str,
    key: str,
    values: Mapping[str, tuple[int, str]],
    named: Mapping[str, Mapping[int, tuple[int, str]]],
    findings: Findings,
) -> list[str]:
    """Return the names of alternatives or categories, as many as the head announces."""
    number = _stated(key, values, findings)
    if number is None:
        return []
    if number > MOST_OPTIONS:
        most = f"at most {MOST_OPTIONS}"
        findings.add(values[key][0], f"says {key}: {shown(number)}", most, "vote in groups")
        return []
    table = named[what]
    for at in range(1, number + 1):
        if at not in table:
            lacks = f"lacks {what} NAME {at}"
            findings.add("", lacks, f"a name for each of {number}", "add the line")
    for at, (line, _) in table.items():
        if not 1 <= at <= number:
            findings.add(line, f"names number {at}", f"1 to {number}", f"correct {key}")
    found = [table.get(at, (0, f"{what} {at}")) for at in range(1, number + 1)]
    check_names([(line or "", name) for line, name in found], findings)
    return [name for _, name in found]


def _stated(key: str, values: Mapping[str, tuple[int, str]], findings: Findings) -> int | None:
    if key not in values:
        then = f"add # {key}; files of before 2022 have another form"
        findings.add("", f"lacks the line # {key}", "PrefLib's head", then)
        return None
    line, value = values[key]
    number = whole_number(value)
    if number is None:
        findings.add(line, f"says {key}: {shown(value)}", "a whole number", "correct it")
    return number


def _notes(head: _Head) -> list[str]:
    """Keep what the head says about the making of the file."""
    description = head.values.get("DESCRIPTION", (0, ""))[1]
    how = head.values.get("MODIFICATION TYPE", (0, ""))[1]
    notes = [description] if description else []
    if how.casefold() not in {"", "original"}:
        notes.append(f"modification type: {how}")
    return notes


def _categories(
    names: Sequence[str], kind: BallotKind | None, findings: Findings, notes: list[str]
) -> tuple[BallotKind, int]:
    """Return how categories are read, and which of them approves."""
    folded = [name.casefold() for name in names]
    if kind == "ranking":
        notes.append(f"categories read as ranks: {', '.join(names)}")
        return "ranking", 0
    if len(folded) == 2 and kind in {None, "approval"}:
        for yes in (0, 1):
            if folded[yes] in _YES and folded[1 - yes] in _NO:
                return "approval", yes
        if kind == "approval":
            notes.append(f"category {shown(names[0])} read as approval")
            return "approval", 0
    then = "ask for kind='ranking'" + (" or kind='approval'" if len(folded) == 2 else "")
    what = f"has the categories {', '.join(map(shown, names[:12]))}"
    if kind not in {None, "approval"}:
        what = f"cannot be read as {shown(kind)}"
    findings.add("", what, "yes and no, unless the kind says what they mean", then)
    return "approval", 0


# --- the orders ------------------------------------------------------------------------------


def _read_rows(
    lines: Sequence[str], head: _Head, data_type: str, findings: Findings
) -> list[BallotRow]:
    rows = []
    known = {str(number): number - 1 for number in range(1, len(head.alternatives) + 1)}
    for at, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        before, colon, order = line.partition(":")
        if not colon:
            findings.add(at, f"is {shown(line)}", _LINE, "correct the line")
            continue
        count = whole_count(before, at, findings)
        groups = _groups(order)
        if groups is None:
            what = f"has the order {shown(order.strip())}"
            findings.add(at, what, "numbers and groups in braces, with commas", "correct it")
            continue
        numbers = _numbers(groups, known, at, findings)
        if numbers is not None:
            _check_order(numbers, head, data_type, at, findings)
            rows.append(BallotRow(at, numbers, count))
    return rows


def _groups(order: str) -> list[list[str]] | None:
    """Return the groups of an order as texts, or None when it is none."""
    if "{" not in order and "}" not in order:
        return [[one.strip()] for one in order.split(",")]
    groups: list[list[str]] = []
    inside: list[str] | None = None
    wanted = True  # a number or a group comes next, not a comma
    for token in _TOKENS.findall(order):
        word = token.strip()
        if not word:
            continue
        if word == "{" and inside is None and wanted:
            inside = []
        elif word == "}" and inside is not None and not (wanted and inside):
            groups.append(inside)
            inside, wanted = None, False
        elif word == "," and not wanted:
            wanted = True
        elif word not in {"{", "}", ","} and wanted:
            wanted = False
            if inside is None:
                groups.append([word])
            else:
                inside.append(word)
        else:
            return None
    return None if wanted or inside is not None else groups


def _numbers(
    groups: Sequence[Sequence[str]], known: Mapping[str, int], at: int, findings: Findings
) -> list[list[int]] | None:
    """Return groups of numbers, or None with faults."""
    seen: set[int] = set()
    found: list[list[int]] = []
    is_good = True
    for group in groups:
        if findings.is_full:
            return None
        found.append([])
        for text in group:
            number = known.get(text)
            if number is None:
                what = f"names {shown(text)}"
                findings.add(at, what, f"alternatives 1 to {len(known)}", "correct the order")
            elif number in seen:
                findings.add(at, f"names {text} twice", "each alternative once", "name it once")
            else:
                seen.add(number)
                found[-1].append(number)
                continue
            is_good = False
    return found if is_good else None


def _check_order(
    groups: Sequence[Sequence[int]], head: _Head, data_type: str, at: int, findings: Findings
) -> None:
    """Hold an order against what its data type promises."""
    if data_type == "cat":
        if len(groups) != len(head.categories):
            what = f"has {len(groups)} categories"
            findings.add(at, what, f"{len(head.categories)}, as the head says", "correct it")
        return
    if not all(groups):
        findings.add(at, "has an empty group", "at least one alternative", "drop the braces")
    if data_type in _STRICT and any(len(group) > 1 for group in groups):
        then = f"name the file .t{data_type[1:]}"
        findings.add(at, "has equal ranks", f"none in a {data_type} file", then)
    ranked = sum(map(len, groups))
    if data_type in _COMPLETE and ranked != len(head.alternatives):
        what = f"ranks {ranked} of {len(head.alternatives)} alternatives"
        findings.add(at, what, f"all in a {data_type} file", f"name the file .{data_type[:2]}i")


def _check_voters(
    head: _Head, rows: Sequence[BallotRow], findings: Findings, notes: list[str]
) -> None:
    """Hold the number of ballots against the head, once every line could be read."""
    stated = _stated("NUMBER VOTERS", head.values, findings)
    if findings.faults or stated is None:
        return
    voters = sum(row.count for row in rows)
    if voters != stated:
        what = f"says NUMBER VOTERS: {shown(stated)}"
        then = "look for missing lines, or correct the number"
        line = head.values["NUMBER VOTERS"][0]
        findings.add(line, what, f"{shown(voters)}, as the lines below count", then)
    for key in ("NUMBER UNIQUE ORDERS", "NUMBER UNIQUE PREFERENCES"):
        unique = head.values.get(key)
        if unique is not None and whole_number(unique[1]) != len(rows):
            notes.append(f"the head says {key}: {one_line(unique[1][:40])}; lines: {len(rows)}")


def _note_neither(rows: Sequence[BallotRow], alternatives: int, notes: list[str]) -> None:
    short = sum(row.count for row in rows if sum(map(len, row.ballot)) != alternatives)
    if short:
        notes.append(
            f"ballots with options in no category: {shown(short)}; these are not approved"
        )


def _ballot(
    groups: Sequence[Sequence[int]], names: Sequence[str], kind: BallotKind, yes: int
) -> list[Any]:
    if kind == "approval":
        return [names[number] for number in groups[yes]]
    ranks = [[names[number] for number in group] for group in groups if group]
    return [group[0] if len(group) == 1 else group for group in ranks]


# --- writing ---------------------------------------------------------------------------------


def write_preflib(ballot_file: BallotFile, data_type: str, *, modification: str = "") -> str:
    """Return ballots that fit a PrefLib data type as the text of a file.

    Args:
        ballot_file: the ballots, fitted to the data type (`ballot_losses.fit_ballots`).
        data_type: ``soc``, ``soi``, ``toc``, ``toi`` or ``cat``.
        modification: PrefLib's modification type; ``original`` when nothing is given.

    Returns:
        The text. Most frequent orders come first.

    Raises:
        InvalidInput: for names that a head cannot hold.

    Example:
        >>> from comity.mechanisms.voting.election import Election
        >>> votes = Election([["B", "A"], ["A"]])
        >>> text = write_preflib(BallotFile(election=votes, names=("A", "B")), "soi")
        >>> text.splitlines()[-2:]
        ['1: 1', '1: 2,1']
    """
    names = ballot_file.names
    check_writable([*names, ballot_file.title], data_type)
    number = {name: at for at, name in enumerate(names, 1)}
    orders = []
    data: Any = ballot_file.election.to_json()
    for row in data["ballots"]:
        groups = [
            sorted(number[name] for name in ([group] if isinstance(group, str) else group))
            for group in row["ballot"]
        ]
        if data_type == "cat":
            chosen = [one for group in groups for one in group]
            groups = [sorted(chosen), sorted(set(number.values()) - set(chosen))]
        orders.append((-row.get("count", 1), groups))
    is_cat = data_type == "cat"
    head = [
        ("TITLE", ballot_file.title),
        ("DESCRIPTION", one_line("; ".join(ballot_file.notes))),
        ("DATA TYPE", data_type),
        ("MODIFICATION TYPE", modification or "original"),
        ("RELATES TO", ""),
        ("RELATED FILES", ""),
        ("NUMBER ALTERNATIVES", str(len(names))),
        ("NUMBER VOTERS", str(-sum(count for count, _ in orders))),
        (f"NUMBER UNIQUE {'PREFERENCES' if is_cat else 'ORDERS'}", str(len(orders))),
        *([("NUMBER CATEGORIES", "2")] if is_cat else []),
        *([("CATEGORY NAME 1", "Yes"), ("CATEGORY NAME 2", "No")] if is_cat else []),
        *((f"ALTERNATIVE NAME {at}", name) for name, at in number.items()),
    ]
    lines = [f"# {key}: {value}".rstrip() for key, value in head]
    lines += [f"{-count}: {','.join(map(_group, groups))}" for count, groups in sorted(orders)]
    return "\n".join(lines) + "\n"


def _group(numbers: Sequence[int]) -> str:
    text = ",".join(map(str, numbers))
    return text if len(numbers) == 1 else f"{{{text}}}"
