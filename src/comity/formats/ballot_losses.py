"""Losses: what would a ballot file of another format no longer say?

Here: what each format can hold, refusing a conversion that loses something, fitting ballots to a
format when the loss is accepted, breaking equal ranks by an order that somebody names.
Not here: the text of the formats.
Sources: SEMANTICS V10, V3; the Debian leader election of 2003, whose equal ranks a widespread
file broke by the number of the candidate, which elects somebody else.

Titles, seats and notes are about the count, not in the ballots: a format without a place for them
leaves them out without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from comity.core.errors import Fault, UnknownName, did_you_mean, raise_if, shown
from comity.core.exact import read_exact, to_fraction
from comity.formats.ballot_file import BallotFile, ballot_file_of
from comity.mechanisms.voting.ballots import KINDS, BallotKind, write_ballot
from comity.mechanisms.voting.election import Election

__all__ = ["FORMS", "Form", "break_equals_by_order", "fit_ballots"]

CANDIDATE_ORDER = "candidate_order"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a format can hold.

    Attributes:
        kinds: the kinds of ballot.
        equals: whether rankings may have equal ranks.
        short: whether rankings may leave options out.
        blank: whether it tells an abstention.
        voters: whether it knows voters and weights.
        roster: whether it knows who may vote, and ballots that do not count.
    """

    kinds: tuple[BallotKind, ...]
    equals: bool = True
    short: bool = True
    blank: bool = True
    voters: bool = True
    roster: bool = True


def _orders(*, equals: bool, short: bool) -> Form:
    return Form(
        kinds=("ranking",), equals=equals, short=short, blank=False, voters=False, roster=False
    )


FORMS: Mapping[str, Form] = {
    "soc": _orders(equals=False, short=False),
    "soi": _orders(equals=False, short=True),
    "toc": _orders(equals=True, short=False),
    "toi": _orders(equals=True, short=True),
    "cat": Form(kinds=("approval",), blank=False, voters=False, roster=False),
    "blt": Form(kinds=("ranking",), voters=False, roster=False),
    "csv": Form(kinds=KINDS, roster=False),
    "jsonl": Form(kinds=KINDS, roster=False),
    "json": Form(kinds=KINDS),
}
"""Format -> what it can hold."""


def break_equals_by_order(election: Election, order: Iterable[str]) -> Election:
    """Return an election whose equal ranks are broken by a fixed order of the options.

    This invents preferences that nobody stated. It is here to show what it does, and because
    somebody may have to write a format without equal ranks.

    Args:
        election: rankings.
        order: every option once; of two equals, the earlier here goes first.

    Returns:
        The same election without equal ranks. Options that a ballot leaves out stay out.

    Raises:
        InvalidInput: when the ballots are no rankings, or the order is not one of the options.

    Example:
        >>> votes = Election([[["A", "B"]]])
        >>> votes.pairwise(), break_equals_by_order(votes, ["B", "A"]).pairwise()
        (((0, 0), (0, 0)), ((0, 0), (1, 0)))
    """
    listed = [order] if isinstance(order, str) else list(order)
    faults = []
    if election.kind != "ranking":
        faults.append(Fault("election", f"is of {election.kind} ballots", "rankings", "leave it"))
    if sorted(listed, key=str) != list(election.options):
        allowed = f"each option once: {shown(election.options)}"
        faults.append(Fault("order", f"is {shown(listed)}", allowed, "list the options"))
    raise_if(faults)
    place = {name: at for at, name in enumerate(listed)}
    data: Any = election.to_json()
    for row in data["ballots"]:
        if row["ballot"] is not None:
            row["ballot"] = [
                name for group in _groups(row) for name in sorted(group, key=place.__getitem__)
            ]
    return Election.from_json(data)


def fit_ballots(
    what: BallotFile | Election,
    target: str,
    *,
    lossy: bool = False,
    equal_by: str | None = None,
) -> BallotFile:
    """Return ballots as a format can hold them, or refuse and say what would be lost.

    Args:
        what: the ballots.
        target: the format.
        lossy: whether losses are accepted. They then stand in the notes.
        equal_by: ``"candidate_order"`` breaks equal ranks by the order of the names where the
            format has no equals. Nothing else breaks them.

    Returns:
        The fitted ballots; read back from the written file they are the same election.

    Raises:
        InvalidInput: with every loss and the number of ballots it concerns.
        UnknownName: when there is no such format.

    Example:
        >>> fit_ballots(Election([[["A", "B"]], ["A"]]), "soi", lossy=True)
        Traceback (most recent call last):
            ...
        comity.core.errors.InvalidInput: soi: would lose the equal ranks of 1 ballot. Allowed: \
toc, toi, blt, csv, jsonl, json. Next: write one of these, or name the order that breaks them: \
equal_by='candidate_order'.
    """
    found = ballot_file_of(what)
    if target not in FORMS:
        listed = ", ".join(FORMS)
        near = did_you_mean(str(target), FORMS)
        raise UnknownName(Fault("ballots", f"have no format {shown(target)}", listed, near))
    if equal_by not in {None, CANDIDATE_ORDER}:
        near = did_you_mean(str(equal_by), [CANDIDATE_ORDER])
        raise UnknownName(Fault("equal_by", f"is {shown(equal_by)}", CANDIDATE_ORDER, near))
    fitting = _Fitting(found, FORMS[target])
    for step in (_kind, _roster, _blank, _short):
        step(fitting)
    _equals(fitting, equal_by)
    _weights(fitting)
    _voters(fitting)
    faults = [_refused(target, loss) for loss in fitting.losses if not (lossy and loss.may_be)]
    raise_if(faults)
    if not fitting.losses:
        return replace(found, format=target)
    fitting.data["ballots"] = [row for row in fitting.rows if row.get("count", 1)]
    return replace(
        found,
        election=Election.from_json(fitting.data),
        notes=(*found.notes, *(f"lost: {loss.what}{loss.how}" for loss in fitting.losses)),
        format=target,
    )


# --- the steps -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Loss:
    """One thing that would be lost, how it is done if accepted, and what keeps it."""

    what: str
    how: str
    keeps: Callable[[Form], bool]
    may_be: bool = True
    next: str = "write one of these, or accept the loss: lossy=True"


class _Fitting:
    """Ballots on their way into a format."""

    __slots__ = ("data", "election", "form", "losses", "made", "names", "rows")

    def __init__(self, found: BallotFile, form: Form) -> None:
        self.election, self.names, self.form = found.election, found.names, form
        self.data: Any = found.election.to_json()
        rows: Any = self.data["ballots"]
        self.rows: list[dict[str, Any]] = rows
        self.losses: list[_Loss] = []
        self.made: set[int] = set()  # rows whose equals come from what they leave out


def _refused(target: str, loss: _Loss) -> Fault:
    keepers = ", ".join(name for name, form in FORMS.items() if loss.keeps(form))
    return Fault(target, f"would lose {loss.what}", keepers, loss.next)


def _groups(row: Mapping[str, Any]) -> list[list[str]]:
    return [[one] if isinstance(one, str) else list(one) for one in row["ballot"] or ()]


def _ballots(rows: Iterable[Mapping[str, Any]], what: str = "") -> str:
    """Return "the WHAT of N ballots"."""
    count = sum(row.get("count", 1) for row in rows)
    return f"{what}{shown(count)} {'ballot' if count == 1 else 'ballots'}"


def _kind(fitting: _Fitting) -> None:
    """Scores, approvals and choices become rankings; a choice becomes an approval."""
    kind, form = fitting.election.kind, fitting.form
    if kind in form.kinds:
        return
    said = [row for row in fitting.rows if row["ballot"] is not None]
    may_be = "ranking" in form.kinds or kind in {"choice", "yes_no"}
    then = "write one of these, or accept the loss: lossy=True" if may_be else "write one of these"
    how = f"; written as {'rankings' if 'ranking' in form.kinds else 'approvals'}"
    what = _ballots(said, f"the {'scores' if kind == 'score' else 'kind (' + kind + ')'} of ")
    fitting.losses.append(_Loss(what, how, lambda one: kind in one.kinds, may_be, then))
    if not may_be:
        return
    options = fitting.election.options
    for line, row in zip(fitting.election.lines, said, strict=True):
        row["ballot"] = write_ballot("ranking", fitting.election.ranks_of(line), options) or None
    fitting.data |= {"kind": form.kinds[0], "declared": True}


def _roster(fitting: _Fitting) -> None:
    election = fitting.election
    if fitting.form.roster:
        return
    if election.roster is not None:
        what = f"the roster of {len(election.roster.parties)} members"
        fitting.losses.append(_Loss(what, "", lambda form: form.roster))
        del fitting.data["roster"]
    if election.invalid:
        what = f"{len(election.invalid)} ballots that do not count, with their reasons"
        fitting.losses.append(_Loss(what, "", lambda form: form.roster))
        del fitting.data["invalid"]


def _blank(fitting: _Fitting) -> None:
    blank = [row for row in fitting.rows if row["ballot"] is None]
    if blank and not fitting.form.blank:
        what = _ballots(blank, "the abstention of ")
        fitting.losses.append(_Loss(what, "; left out", lambda form: form.blank))
        fitting.rows = [row for row in fitting.rows if row["ballot"] is not None]


def _weights(fitting: _Fitting) -> None:
    """Weights become numbers of voters, all in one unit."""
    heavy = [row for row in fitting.rows if "weight" in row]
    if not heavy or fitting.form.voters:
        return
    scale = fitting.election.scale
    unit = "" if scale == 1 else f" in units of 1/{scale}"
    what, how = _ballots(heavy, "the weights of "), f"; written as numbers of voters{unit}"
    fitting.losses.append(_Loss(what, how, lambda form: form.voters))
    for row in fitting.rows:
        weight = to_fraction(read_exact(row.pop("weight", 1), "ballot", "weight"))
        row["count"] = int(row.get("count", 1) * weight * scale)


def _voters(fitting: _Fitting) -> None:
    named = [row for row in fitting.rows if "voter" in row]
    if not named or fitting.form.voters:
        return
    count = f"the names of the voters of {len(named)} {'ballot' if named[1:] == [] else 'ballots'}"
    fitting.losses.append(_Loss(count, "", lambda form: form.voters))
    for row in named:
        del row["voter"]


def _short(fitting: _Fitting) -> None:
    """In complete orders, what a ballot leaves out stands last, all equal."""
    if fitting.form.short:
        return
    options = set(fitting.election.options)
    concerned = []
    for row in fitting.rows:
        rest = sorted(options.difference(*_groups(row)))
        had_equals = any(len(one) > 1 for one in _groups(row))
        if rest and row["ballot"]:
            row["ballot"] = [*row["ballot"], rest[0] if len(rest) == 1 else rest]
            concerned.append(row)
            if rest[1:] and not had_equals:
                fitting.made.add(id(row))
    if concerned:
        what = _ballots(concerned, "which options are left out of ")
        how = "; what a ballot leaves out is written as equal last"
        fitting.losses.append(
            _Loss(what, how, lambda form: "ranking" in form.kinds and form.short)
        )


def _equals(fitting: _Fitting, equal_by: str | None) -> None:
    """No order is invented for equals, unless the caller names it."""
    if fitting.form.equals or "ranking" not in fitting.form.kinds:
        return
    concerned = [row for row in fitting.rows if any(len(one) > 1 for one in _groups(row))]
    if not concerned:
        return
    place = {name: at for at, name in enumerate(fitting.names)}
    made = [row for row in concerned if id(row) in fitting.made]
    what, how = _ballots(concerned, "the equal ranks of "), "; broken by the candidates' order"
    if made:
        what += f" ({_ballots(made)} only by what is left out)"
    then = "write one of these, or name the order that breaks them: equal_by='candidate_order'"
    keeps = _keeps_equals
    if equal_by is None:
        fitting.losses.append(_Loss(what, how, keeps, may_be=False, next=then))
        return
    then = "write one of these, or accept the loss: lossy=True"
    fitting.losses.append(_Loss(what, how, keeps, next=then))
    for row in concerned:
        row["ballot"] = [
            name for group in _groups(row) for name in sorted(group, key=place.__getitem__)
        ]


def _keeps_equals(form: Form) -> bool:
    return form.equals and "ranking" in form.kinds
