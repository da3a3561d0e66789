"""Dawid-Skene: what was probably true, and how good is each voter, when nobody knows the truth?

Here: class shares, one confusion matrix per voter and the probable answers, from votes by name.
Not here: the fit (em.py), and independence, which the model assumes: two voters that copy each
other are taken for two good ones, and their answer for the truth.
Sources: SEMANTICS V9; Dawid and Skene 1979. Their published fit of 45 patients is a local optimum
(log-likelihood -192.9): `EmRules(starts=1)` returns it, the default finds a better one (-191.6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.voting.independence.em import EmRules, Fit, dawid_skene_codes
from comity.mechanisms.voting.independence.log import Row, VoteLog

__all__ = ["DawidSkene", "SkillRecord", "dawid_skene"]

_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRecord:
    """How good a voter is, by the model.

    Attributes:
        voter: its name.
        accuracy: how often it would be right.
        confusion: for each true class (in the order of the classes) how often it says each.
    """

    voter: str
    accuracy: float
    confusion: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DawidSkene:
    """A fitted model.

    Attributes:
        classes: the classes, sorted.
        shares: how common each is.
        voters: how good each voter is.
        items: the items, sorted.
        posteriors: for each item the probability of each class.
        labels: for each item its most probable class; None when several are equally so.
        log_likelihood: of the votes under the model.
        iterations: how many steps the best start took.
        is_converged: whether it stopped moving before it had to give up.
        start: which start was the best, from 0.
        rules: how it was fitted.
    """

    classes: tuple[str, ...]
    shares: tuple[float, ...]
    voters: tuple[SkillRecord, ...]
    items: tuple[str, ...]
    posteriors: tuple[tuple[float, ...], ...]
    labels: tuple[str | None, ...]
    log_likelihood: float
    iterations: int
    is_converged: bool
    start: int
    rules: EmRules


def dawid_skene(source: VoteLog | Iterable[Row], *, rules: EmRules | None = None) -> DawidSkene:
    """Fit the model to votes.

    Args:
        source: a log (runs of one voter count as one voter), or rows of item, voter and answer;
            a voter may answer an item several times, None is no answer.
        rules: how it is fitted.

    Returns:
        The fitted model. It does not depend on the order of the rows.

    Raises:
        InvalidInput: for fewer than three voters or two classes, and rows that are none.

    Example:
        >>> rows = [
        ...     (
        ...         item,
        ...         voter,
        ...         "no" if (item, voter) == ("2", "c") else "yes" if item < "4" else "no",
        ...     )
        ...     for item in "123456"
        ...     for voter in "abc"
        ... ]
        >>> found = dawid_skene(rows)
        >>> found.labels
        ('yes', 'yes', 'yes', 'no', 'no', 'no')
    """
    chosen = rules or EmRules()
    rows = _rows(source)
    items = sorted({item for item, _, _ in rows})
    voters = sorted({voter for _, voter, _ in rows})
    classes = sorted({answer for _, _, answer in rows if answer is not None})
    places = [{name: at for at, name in enumerate(names)} for names in (items, voters, classes)]
    fit = dawid_skene_codes(
        [places[0][row[0]] for row in rows],
        [places[1][row[1]] for row in rows],
        [places[2][row[2] or ""] for row in rows],
        rules=chosen,
    )
    return DawidSkene(
        classes=tuple(classes),
        shares=fit.shares,
        voters=tuple(_skill(voter, at, len(classes), fit) for at, voter in enumerate(voters)),
        items=tuple(items),
        posteriors=fit.posteriors,
        labels=tuple(_label(one, classes) for one in fit.posteriors),
        log_likelihood=fit.log_likelihood,
        iterations=fit.iterations,
        is_converged=fit.is_converged,
        start=fit.start,
        rules=chosen,
    )


def _rows(source: VoteLog | Iterable[Row]) -> list[Row]:
    if isinstance(source, VoteLog):
        whose = dict(zip(source.voters, source.runs_of, strict=True))
        return [(item, whose[voter], answer) for item, voter, answer in source.rows()]
    rows = list(source)
    try:
        kept = [row for row in rows if row[2] is not None]
        sound = all(type(a) is type(b) is type(c) is str for a, b, c in kept)
    except (TypeError, ValueError, IndexError):
        sound = False
    if not sound:
        what = "are not all item, voter and answer as text"
        raise InvalidInput(Fault("rows", what, "three texts each", "correct the rows"))
    return kept


def _skill(voter: str, at: int, classes: int, fit: Fit) -> SkillRecord:
    confusion = tuple(row[at * classes : (at + 1) * classes] for row in fit.confusion)
    accuracy = fsum(share * confusion[c][c] for c, share in enumerate(fit.shares))
    return SkillRecord(voter=voter, accuracy=accuracy, confusion=confusion)


def _label(posterior: Sequence[float], classes: Sequence[str]) -> str | None:
    top = max(posterior)
    best = [name for name, one in zip(classes, posterior, strict=True) if one >= top - _SAME]
    return best[0] if len(best) == 1 else None
