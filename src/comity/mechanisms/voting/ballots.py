"""Ballots: what may one voter say, and what does it say to a count?

Here: the kinds of ballots, reading one into its row, why one does not count, writing it back.
Not here: whole elections (election.py) and what a rule makes of a row.
Sources: SEMANTICS V1 (one kind per vote; what cannot be read is invalid, with its reason, and
never a new option), V3 (equal ranks and short ballots), G5.

A row is what counts read. ``choice`` and ``yes_no``: the option's index in one byte. ``approval``:
a byte per option, 1 when approved. ``ranking``: a byte per option, its rank from 0 without gaps,
`UNRANKED` when it has none. ``score``: an exact number or None per option.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Literal, get_args

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction

__all__ = [
    "KINDS",
    "MOST_OPTIONS",
    "QUICK",
    "UNRANKED",
    "YES_NO",
    "BallotKind",
    "Row",
    "guess_kind",
    "names_in",
    "read_ballot",
    "write_ballot",
]

BallotKind = Literal["choice", "approval", "score", "ranking", "yes_no"]
KINDS: tuple[BallotKind, ...] = get_args(BallotKind)

Row = bytes | tuple[int | Fraction | None, ...]

UNRANKED = 255
_PLAIN = 2**63  # whole numbers below need no look at their digits
MOST_OPTIONS = 250
YES_NO = ("no", "veto", "yes")
"""The options of a yes/no vote; an abstention is no option."""

_WORDS = {True: "yes", False: "no"}


def guess_kind(ballots: Iterable[object]) -> BallotKind:
    """Return the kind that ballots are of by their Python types.

    Args:
        ballots: the ballots; None says nothing.

    Returns:
        ``yes_no`` when all are yes, no, veto or booleans; ``ranking`` for lists, tuples and text
        such as ``A > B = C``; ``choice`` for other text, ``approval`` for sets, ``score`` for
        mappings; ``choice`` when there is nothing to go by.

    Example:
        >>> guess_kind([None, ["a", "b"]]), guess_kind([{"a"}]), guess_kind(["yes", "no"])
        ('ranking', 'approval', 'yes_no')
    """
    found = [one for one in ballots if one is not None]
    if found and isinstance(found[0], (str, bool)):
        words = {_as_word(one) if isinstance(one, (str, bool)) else "" for one in found}
        if words <= {*YES_NO, "abstain"} and words != {"abstain"}:
            return "yes_no"
    texts = [one for one in found if isinstance(one, str)]
    if texts and len(texts) == len(found) and _are_rankings(texts):
        return "ranking"
    first = found[0] if found else ""
    if isinstance(first, Mapping):
        return "score"
    if isinstance(first, AbstractSet):
        return "approval"
    return "ranking" if isinstance(first, (list, tuple)) else "choice"


def names_in(kind: BallotKind, ballot: object) -> set[str]:
    """Return the option names that a ballot mentions; what cannot be read mentions none.

    Args:
        kind: the kind of ballot.
        ballot: as the voter gave it.

    Example:
        >>> sorted(names_in("ranking", ["b", ["a", "c"]]))
        ['a', 'b', 'c']
    """
    if kind in {"choice", "yes_no"}:
        return {ballot} if isinstance(ballot, str) else set()
    if kind == "ranking" and isinstance(ballot, str) and ">" in ballot:
        ballot = _in_groups(ballot)
    if not isinstance(ballot, Iterable) or isinstance(ballot, str):
        return set()
    found: set[str] = set()
    for item in ballot:
        group = [item] if isinstance(item, str) else item
        if isinstance(group, Iterable):
            found.update(name for name in group if isinstance(name, str))
    return found


def read_ballot(
    kind: BallotKind, ballot: object, index: Mapping[str, int], whose: object
) -> Row | None:
    r"""Return the row of a ballot.

    Args:
        kind: the kind of ballot.
        ballot: as the voter gave it.
        index: option -> its place among the options.
        whose: the voter, or the number of the ballot, for messages.

    Returns:
        The row; None for an abstention: None, the word ``abstain`` where options are named one
        at a time, an empty ranking or no scores.

    Raises:
        InvalidInput: with every reason why it does not count.

    Example:
        >>> read_ballot("ranking", ["b", ["a", "c"]], {"a": 0, "b": 1, "c": 2}, "ann")
        b'\x01\x00\x01'
    """
    if ballot is None:
        return None
    if kind == "ranking" and (row := _quick_ranking(ballot, index)) is not None:
        return row
    return _read(kind, ballot, index, f"ballot {shown(whose)}")


def _read(kind: BallotKind, ballot: object, index: Mapping[str, int], whose: str) -> Row | None:
    if kind == "ranking":
        return _ranking(ballot, index, whose)
    if kind == "score":
        return _scores(ballot, index, whose)
    if kind == "approval":
        return _approvals(ballot, index, whose)
    word = _as_word(ballot) if kind == "yes_no" else ballot
    if word == "abstain" and "abstain" not in index:
        return None
    if not isinstance(word, str) or word not in index:
        raise InvalidInput(_unknown(word, index, whose))
    return bytes((index[word],))


def write_ballot(kind: BallotKind, row: Row | None, options: Sequence[str]) -> Json:
    """Return a row as JSON; `read_ballot` reads it back.

    Args:
        kind: the kind of ballot.
        row: the row, or None for an abstention.
        options: the options in the order of the row.

    Returns:
        A name, a list of names, a list of groups of equal rank, or an object of scores.

    Example:
        >>> write_ballot("ranking", bytes([1, 0, 255]), ("a", "b", "c"))
        ['b', 'a']
    """
    if row is None:
        return None
    if kind == "score":
        return {
            name: _written(value) for name, value in zip(options, row, strict=True)
            if value is not None
        }  # fmt: skip
    assert isinstance(row, bytes)
    if kind == "ranking":
        groups: dict[int, list[str]] = {}
        for name, rank in zip(options, row, strict=True):
            if rank != UNRANKED:
                groups.setdefault(rank, []).append(name)
        ordered = [groups[rank] for rank in sorted(groups)]
        return [group[0] if len(group) == 1 else group for group in ordered]
    if kind == "approval":
        return [name for name, chosen in zip(options, row, strict=True) if chosen]
    return options[row[0]]


def _whole(value: Exact) -> int | Fraction:
    exact = to_fraction(value)
    return exact.numerator if exact.denominator == 1 else exact


def _written(value: Fraction | int) -> int | str:
    return int(value) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _as_word(ballot: object) -> object:
    if isinstance(ballot, bool):
        return _WORDS[ballot]
    return ballot.strip().casefold() if isinstance(ballot, str) else ballot


def _unknown(name: object, index: Mapping[str, int], whose: str) -> Fault:
    listed = ", ".join(list(index)[:12]) + (", …" if len(index) > 12 else "")
    near = did_you_mean(name, index) if isinstance(name, str) else "correct the ballot"
    return Fault(whose, f"names the unknown option {shown(name)}", listed or "no option", near)


# --- whole and plain ballots -----------------------------------------------------------------


def _quick_ranking(ballot: object, index: Mapping[str, int]) -> bytes | None:
    """Return the row of a ranking without equals; None when there is more to it, or a fault."""
    if not isinstance(ballot, (list, tuple)) or not ballot:
        return None
    ranks = [UNRANKED] * len(index)
    try:
        for place, name in enumerate(ballot):
            ranks[index[name]] = place
    except (KeyError, TypeError):
        return None
    return bytes(ranks) if ranks.count(UNRANKED) + len(ballot) == len(ranks) else None


def _quick_choice(ballot: object, index: Mapping[str, int]) -> bytes | None:
    """Return the row of a choice; None when it names no option."""
    at = index.get(ballot) if isinstance(ballot, str) else None
    return None if at is None else bytes((at,))


def _quick_approval(ballot: object, index: Mapping[str, int]) -> bytes | None:
    """Return the row of a set of options; None for a list, or when it names another."""
    if not isinstance(ballot, (set, frozenset)):
        return None
    row = bytearray(len(index))
    try:
        for name in ballot:
            row[index[name]] = 1
    except KeyError:
        return None
    return bytes(row)


def _quick_score(ballot: object, index: Mapping[str, int]) -> Row | None:
    """Return the row of whole scores for every option; None when one is missing or no int."""
    if not isinstance(ballot, dict) or ballot.keys() != index.keys():
        return None
    row = tuple([ballot[name] for name in index])
    if set(map(type, row)) != {int} or min(row) < -_PLAIN or max(row) > _PLAIN:
        return None
    return row


QUICK: dict[BallotKind, Callable[[object, Mapping[str, int]], Row | None]] = {
    "ranking": _quick_ranking,
    "choice": _quick_choice,
    "approval": _quick_approval,
    "score": _quick_score,
}
"""Kind -> how to read a ballot that is whole and plain; None says to read it with care."""


# --- rankings --------------------------------------------------------------------------------


def _ranking(ballot: object, index: Mapping[str, int], whose: str) -> bytes | None:
    """Read a ranking with groups of equals, or find all that is wrong with it."""
    if isinstance(ballot, str) and ">" in ballot:
        ballot = _in_groups(ballot)
    if not isinstance(ballot, (list, tuple)):
        what = f"is {shown(ballot)}"
        allowed = "a list of options, best first; equals in a list of their own"
        raise InvalidInput(Fault(whose, what, allowed, "give a list"))
    ranks = [UNRANKED] * len(index)
    faults: list[Fault] = []
    place = 0
    for item in ballot:
        group = list(item) if isinstance(item, (list, tuple, set, frozenset)) else [item]
        for name in group:
            at = index.get(name) if isinstance(name, str) else None
            if at is None:
                faults.append(_unknown(name, index, whose))
            elif ranks[at] != UNRANKED:
                faults.append(_twice(name, whose))
            else:
                ranks[at] = place
        place += bool(group)
    raise_if(faults)
    return bytes(ranks) if place else None


def _are_rankings(words: Sequence[str]) -> bool:
    """Whether texts are rankings such as ``A > B``, or name what others of them rank."""
    ranked = {name for one in words if ">" in one for group in _in_groups(one) for name in group}
    return bool(ranked) and all(">" in one or one.strip() in ranked for one in words)


def _in_groups(words: str) -> list[list[str]]:
    """Return the groups of a ranking in words: ``A > B = C``."""
    groups = ([name.strip() for name in group.split("=")] for group in words.split(">"))
    return [named for group in groups if (named := [name for name in group if name])]


def _twice(name: object, whose: str) -> Fault:
    return Fault(whose, f"names {shown(name)} twice", "each option once", "name it once")


# --- approvals and scores --------------------------------------------------------------------


def _approvals(ballot: object, index: Mapping[str, int], whose: str) -> bytes:
    if not isinstance(ballot, (list, tuple, AbstractSet)):
        what = f"is {shown(ballot)}"
        raise InvalidInput(Fault(whose, what, "the approved options", "give a list or a set"))
    row = bytearray(len(index))
    faults: list[Fault] = []
    for name in ballot:
        at = index.get(name) if isinstance(name, str) else None
        if at is None:
            faults.append(_unknown(name, index, whose))
        elif row[at]:
            faults.append(_twice(name, whose))
        else:
            row[at] = 1
    raise_if(faults)
    return bytes(row)


def _scores(ballot: object, index: Mapping[str, int], whose: str) -> Row | None:
    if not isinstance(ballot, Mapping):
        what = f"is {shown(ballot)}"
        raise InvalidInput(Fault(whose, what, "a score per option", "give option -> score"))
    row: list[int | Fraction | None] = [None] * len(index)
    faults: list[Fault] = []
    for name, value in ballot.items():
        if type(value) is int and name in index and -_PLAIN < value < _PLAIN:
            row[index[name]] = value
            continue
        at = index.get(name) if isinstance(name, str) else None
        if at is None:
            faults.append(_unknown(name, index, whose))
            continue
        try:
            row[at] = _whole(read_exact(value, whose, f"score of {shown(name)}"))
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return tuple(row) if ballot else None
