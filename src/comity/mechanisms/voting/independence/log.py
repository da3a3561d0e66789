"""Vote log: who answered what, item by item, and what was true?

Here: the log as a value, its builders from rows and from a mapping, every fault of it at once.
Not here: files (formats/vote_log.py), what follows from a log (the modules beside this one).
Sources: SEMANTICS V9, V1 (an answer outside the options is invalid and is kept), G5, G7.

Items, voters and options are kept sorted: the order in which they came carries no meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, exact_fault

__all__ = ["LONGEST_NAME", "Row", "VoteLog", "is_usable_name", "own_truth_fault", "vote_log"]

LONGEST_NAME = 200
MOST_CELLS = 20_000_000

Row = tuple[str, str, str | None]
"""Item, voter, answer; None when the voter abstained."""

_OWN_LABELS = frozenset(
    {
        "consensus",
        "dawid_skene",
        "majority",
        "majority_vote",
        "panel",
        "plurality",
        "vote",
        "votes",
    }
)
_NAME_ALLOWED = f"text of 1 to {LONGEST_NAME} printable characters, no space at the ends"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteLog:
    """Past votes of one panel.

    Attributes:
        items: what was voted on, sorted.
        voters: who voted, sorted.
        options: the answers that are possible, sorted.
        answers: for each voter its answers, item by item; None where it gave none. An answer
            that is no option is kept, and counts as invalid.
        truth: the right answer of each item, None where it is not known; None without any.
        weights: the weight of each voter, exact.
        runs_of: whose run each voter is; its own name when it is no repeated run.

    Example:
        >>> log = vote_log([("1", "a", "yes"), ("1", "b", "no"), ("2", "a", "no")])
        >>> log.voters, log.options, log.answers
        (('a', 'b'), ('no', 'yes'), (('yes', 'no'), ('no', None)))
    """

    items: tuple[str, ...]
    voters: tuple[str, ...]
    options: tuple[str, ...]
    answers: tuple[tuple[str | None, ...], ...]
    truth: tuple[str | None, ...] | None = None
    weights: tuple[Exact, ...] = ()
    runs_of: tuple[str, ...] = ()

    @property
    def valid(self) -> tuple[tuple[str | None, ...], ...]:
        """The answers, with None in place of those that are no option."""
        known = set(self.options)
        return tuple(
            tuple(one if one in known else None for one in answers) for answers in self.answers
        )

    @property
    def digest(self) -> str:
        """The digest of the whole log."""
        return digest(
            {
                "items": self.items,
                "voters": self.voters,
                "options": self.options,
                "answers": self.answers,
                "truth": self.truth,
                "weights": self.weights,
                "runs_of": self.runs_of,
            }
        )

    def rows(self) -> list[Row]:
        """Return item, voter and valid answer of every vote that was cast, sorted."""
        columns = list(zip(self.voters, self.valid, strict=True))
        return [
            (item, voter, answers[at])
            for at, item in enumerate(self.items)
            for voter, answers in columns
            if answers[at] is not None
        ]

    def without(self, voters: Iterable[str]) -> VoteLog:
        """Return the log of the other voters; items and options stay."""
        gone = set(voters)
        kept = [at for at, voter in enumerate(self.voters) if voter not in gone]
        return replace(
            self,
            voters=tuple(self.voters[at] for at in kept),
            answers=tuple(self.answers[at] for at in kept),
            weights=tuple(self.weights[at] for at in kept),
            runs_of=tuple(self.runs_of[at] for at in kept),
        )

    def judged(
        self, truth: Mapping[str, str] | None, weights: Mapping[str, Exact] | None
    ) -> VoteLog:
        """Return the log with another truth or other weights; None leaves what is there.

        Args:
            truth: item -> right answer; items that are not named have no known truth.
            weights: voter -> weight; voters that are not named weigh 1.

        Returns:
            The log, checked anew.

        Raises:
            InvalidInput: for unknown items and voters, a truth that is no option of a log whose
                voters never gave it either, and weights that are no exact positive numbers.
        """
        if truth is None and weights is None:
            return self
        faults: list[Fault] = []
        found = self
        if truth is not None:
            column = _truth_column(truth, self.items, faults)
            options = _options(None, self.answers, column)
            found = replace(found, truth=column, options=tuple(sorted({*self.options, *options})))
        if weights is not None:
            found = replace(found, weights=_weights(weights, self.voters, faults))
        raise_if(faults)
        return found


def vote_log(
    source: Iterable[Sequence[str | None]] | Mapping[str, Mapping[str, str | None]],
    *,
    options: Sequence[str] | None = None,
    truth: Mapping[str, str] | None = None,
    weights: Mapping[str, Exact] | None = None,
    runs_of: Mapping[str, str] | None = None,
) -> VoteLog:
    """Build a log of votes and refuse every fault of it at once.

    Args:
        source: rows of (item, voter, answer), or voter -> item -> answer. None is an abstention.
        options: the answers that are possible; by default all that were given or are true.
        truth: item -> right answer, for the items where it is known.
        weights: voter -> weight, exact and positive; by default all weigh 1.
        runs_of: voter -> whose repeated run it is, for one model that was asked several times.

    Returns:
        The log, sorted.

    Raises:
        InvalidInput: with every fault: names that cannot be used, a second answer of one voter to
            one item, unknown items or voters, weights that are no exact positive numbers, no vote
            at all.

    Example:
        >>> log = vote_log({"a": {"1": "yes"}, "b": {"1": None}}, truth={"1": "yes"})
        >>> log.answers, log.truth
        ((('yes',), (None,)), ('yes',))
    """
    faults: list[Fault] = []
    cells = _cells(source, faults)
    items = sorted({item for item, _ in cells})
    voters = sorted({voter for _, voter in cells})
    if not cells and not faults:
        faults.append(Fault("vote log", "holds no vote", "at least one vote", "give the votes"))
    if len(items) * len(voters) > MOST_CELLS:
        what = f"has {len(items)} items and {len(voters)} voters"
        allowed = f"items times voters of at most {MOST_CELLS}"
        next_step = "take fewer items or voters; dawid_skene takes the rows as they are"
        raise InvalidInput([*faults, Fault("vote log", what, allowed, next_step)])
    answers = tuple(tuple(cells.get((item, voter)) for item in items) for voter in voters)
    column = None if truth is None else _truth_column(truth, items, faults)
    faults.extend(_option_faults(options, column))
    shares = _weights(weights or {}, voters, faults)
    groups = _groups(runs_of or {}, voters, faults)
    raise_if(faults)
    return VoteLog(
        items=tuple(items),
        voters=tuple(voters),
        options=_options(options, answers, column),
        answers=answers,
        truth=column,
        weights=shares,
        runs_of=groups,
    )


def own_truth_fault(name: str) -> Fault | None:
    """Return why a truth of this name is refused, or None.

    Args:
        name: what the truth is called: a word, or the name of a column.

    Returns:
        A fault when it names the panel's own result, in any spelling of it.

    Example:
        >>> own_truth_fault("truth") is None
        True
        >>> print(own_truth_fault("Majority").allowed)
        right answers that come from elsewhere
    """
    if name.strip().lower().replace("-", "_").replace(" ", "_") not in _OWN_LABELS:
        return None
    return Fault(
        f"truth {shown(name)}",
        "is the panel's own result: where the voters err together it errs with them, so their "
        "shared errors disappear and they look independent",
        "right answers that come from elsewhere",
        "leave the truth out to see what the votes alone say",
    )


def _cells(source: object, faults: list[Fault]) -> dict[tuple[str, str], str | None]:
    rows: Iterable[object]
    if isinstance(source, Mapping):
        rows = [
            (item, voter, answer)
            for voter, given in source.items()
            for item, answer in (given.items() if isinstance(given, Mapping) else [(None, given)])
        ]
    else:
        rows = source if isinstance(source, Iterable) and not isinstance(source, str) else ()
    cells: dict[tuple[str, str], str | None] = {}
    for number, row in enumerate(rows, 1):
        fault = _row_fault(row, number)
        if fault is not None:
            faults.append(fault)
            continue
        item, voter, answer = cast("Row", row)
        if (item, voter) in cells:
            faults.append(
                Fault(
                    f"voter {shown(voter)}",
                    f"answers item {shown(item)} twice",
                    "one answer of each voter to an item",
                    "drop one, or name the runs apart and say so with runs_of",
                )
            )
        cells[item, voter] = answer
    return cells


def _row_fault(row: object, number: int) -> Fault | None:
    allowed = "item, voter and answer"
    if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != 3:
        return Fault(f"row {number}", f"is {shown(row)}", allowed, "give all three")
    item, voter, answer = row
    for value, what in ((item, "item"), (voter, "voter"), (answer, "answer")):
        if not (what == "answer" and value is None) and not is_usable_name(value):
            return Fault(f"row {number}", f"{what} is {shown(value)}", _NAME_ALLOWED, "correct it")
    return None


def is_usable_name(value: object) -> bool:
    """Tell whether a text can name an item, a voter or an answer.

    Args:
        value: any value.

    Returns:
        True for printable text of 1 to 200 characters without space at its ends.

    Example:
        >>> is_usable_name("outcome:qwen2.5:14b"), is_usable_name(" a"), is_usable_name(1)
        (True, False, False)
    """
    return (
        isinstance(value, str)
        and 0 < len(value) <= LONGEST_NAME
        and value == value.strip()
        and value.isprintable()
    )


def _truth_column(
    truth: Mapping[str, str], items: Sequence[str], faults: list[Fault]
) -> tuple[str | None, ...]:
    known = set(items)
    for item, label in truth.items():
        if item not in known:
            near = did_you_mean(str(item), list(items)) if len(items) <= 50 else "check its name"
            faults.append(
                Fault("truth", f"names item {shown(item)}", "items somebody voted on", near)
            )
        elif not is_usable_name(label):
            whose = f"truth of item {shown(item)}"
            faults.append(Fault(whose, f"is {shown(label)}", _NAME_ALLOWED, "correct it"))
    return tuple(truth.get(item) for item in items)


def _option_faults(
    options: Sequence[str] | None, truth: Sequence[str | None] | None
) -> list[Fault]:
    if options is None:
        return []
    faults = [
        Fault("options", f"lists {shown(one)}", _NAME_ALLOWED, "correct it")
        for one in options
        if not is_usable_name(one)
    ]
    if isinstance(options, str) or len(set(options)) < max(len(options), 2):
        faults.append(
            Fault("options", f"are {shown(options)}", "two or more, each once", "list them")
        )
    for label in sorted({one for one in truth or () if one is not None} - set(options)):
        what = f"says {shown(label)}, which is no option"
        faults.append(Fault("truth", what, ", ".join(map(str, options)), "add the option"))
    return faults


def _options(
    options: Sequence[str] | None,
    answers: Iterable[Sequence[str | None]],
    truth: Sequence[str | None] | None,
) -> tuple[str, ...]:
    if options is not None:
        return tuple(sorted(options))
    seen = {one for given in answers for one in given} | set(truth or ())
    return tuple(sorted(one for one in seen if one is not None))


def _weights(
    weights: Mapping[str, Exact], voters: Sequence[str], faults: list[Fault]
) -> tuple[Exact, ...]:
    for voter, weight in weights.items():
        if voter not in voters:
            known = ", ".join(voters[:20])
            next_step = did_you_mean(str(voter), voters)
            faults.append(Fault("weights", f"name voter {shown(voter)}", known, next_step))
            continue
        whose = f"voter {shown(voter)}"
        fault = exact_fault(weight, whose, "weight")
        if fault is None and Fraction(weight) <= 0:
            fault = Fault(whose, f"weight is {weight}", "more than 0", "leave the voter out")
        if fault is not None:
            faults.append(fault)
    return tuple(weights.get(voter, 1) for voter in voters)


def _groups(
    runs_of: Mapping[str, str], voters: Sequence[str], faults: list[Fault]
) -> tuple[str, ...]:
    for voter, whose in runs_of.items():
        if voter not in voters:
            next_step = did_you_mean(str(voter), voters)
            what = f"name voter {shown(voter)}"
            faults.append(Fault("runs", what, "voters of this log", next_step))
        elif not is_usable_name(whose):
            what = f"say that {shown(voter)} is a run of {shown(whose)}"
            faults.append(Fault("runs", what, _NAME_ALLOWED, "correct it"))
    return tuple(runs_of.get(voter, voter) for voter in voters)
