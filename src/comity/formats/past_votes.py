"""Past votes: as how many independent voters does a log of them say that a roster counts?

Here: reading a log for the voters of one vote, and the number it gives.
Not here: the estimate (mechanisms/voting/independence), the form of a log (vote_log.py).
Sources: SEMANTICS V9 ("a vote's result carries n_eff when a log is given").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from comity.core.errors import Fault, InvalidInput, shown
from comity.core.parties import PartyId
from comity.formats.vote_log import read_vote_log
from comity.mechanisms.voting.independence import IndependenceReport, vote_log
from comity.mechanisms.voting.independence import independence as report_of
from comity.mechanisms.voting.independence.log import VoteLog

__all__ = ["LARGEST_LOG", "effective_of", "independence", "n_eff_of_file"]

LARGEST_LOG = 50_000_000
_DIGITS = 100  # an estimate from a log is worth two decimals


def independence(
    log: VoteLog | Path | str | Iterable[Sequence[str | None]] | Mapping[str, Any],
    **told: Any,  # noqa: ANN401  # what the report takes
) -> IndependenceReport:
    """Report whether the voters of a log err independently, and as how many they count.

    Args:
        log: a VoteLog; the path of a CSV or JSON lines file, or its text; rows of (item, voter,
            answer); or voter -> item -> answer.
        **told: ``truth`` (item -> right answer), ``weights``, ``seed`` and ``rules``, as
            `comity.mechanisms.voting.independence.independence` takes them.

    Returns:
        The report.

    Raises:
        InvalidInput: for what is no log, with every fault.

    Example:
        >>> report = independence([("1", "ann", "yes"), ("1", "bob", "no"), ("2", "ann", "yes")])
        >>> report.voters, report.items
        (('ann', 'bob'), 2)
    """
    if isinstance(log, VoteLog):
        return report_of(log, **told)
    if isinstance(log, Path) or (isinstance(log, str) and "\n" not in log):
        path = Path(log)
        return report_of(read_vote_log(_text_of(path), whose=path.name), **told)
    if isinstance(log, str):
        return report_of(read_vote_log(log), **told)
    if not isinstance(log, Iterable):
        allowed = "a VoteLog, a path, rows of (item, voter, answer), or voter -> item -> answer"
        raise InvalidInput(Fault("log", f"is {shown(log)}", allowed, "give one of these"))
    truth = told.pop("truth", None)
    return report_of(vote_log(log, truth=truth), **told)


def effective_of(log: VoteLog, voters: Sequence[PartyId], whose: str) -> Fraction:
    """Return as how many independent voters some voters of a log count.

    Args:
        log: past votes, with the truth where it is known.
        voters: who votes now.
        whose: the log's name, for messages.

    Returns:
        The cautious estimate: the smaller of that with and without constant voters, rounded to
        two decimals.

    Raises:
        InvalidInput: when the log does not know all of them, or gives no estimate.

    Example:
        >>> from comity.mechanisms.voting.independence import vote_log
        >>> rows = [(str(at), who, "yes" if at % 7 else "no") for at in range(40) for who in "ab"]
        >>> log = vote_log(rows, truth={str(at): "yes" for at in range(40)})
        >>> effective_of(log, ["a", "b"], "log.csv")
        Fraction(1, 1)
    """
    unknown = sorted(set(voters) - set(log.voters))
    if unknown:
        what = f"knows no vote of {', '.join(unknown)}"
        raise InvalidInput(Fault(whose, what, "past votes of every voter", "take another log"))
    kept = [at for at, name in enumerate(log.voters) if name in set(voters)]
    own = replace(
        log,
        voters=tuple(log.voters[at] for at in kept),
        answers=tuple(log.answers[at] for at in kept),
        weights=tuple(log.weights[at] for at in kept) if log.weights else (),
        runs_of=tuple(log.runs_of[at] for at in kept) if log.runs_of else (),
    )
    found = report_of(own, rules={"resamples": 0}).cautious_n_eff
    if found is None:
        what = "gives no estimate of independence"
        allowed = "30 items or more that the voters share, with their truth"
        raise InvalidInput(Fault(whose, what, allowed, "see `comity independence` on it"))
    return Fraction(round(found * _DIGITS), _DIGITS)


def n_eff_of_file(path: Path, voters: Sequence[PartyId]) -> Fraction:
    """Return as how many independent voters a log file says that some voters count.

    Args:
        path: a CSV or JSON lines file.
        voters: who votes now; nobody for all of the log.

    Returns:
        As `effective_of`.

    Raises:
        InvalidInput: when it cannot be read, or as `effective_of`.
    """
    log = read_vote_log(_text_of(path), whose=path.name)
    return effective_of(log, voters or log.voters, path.name)


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_LOG:
            what = f"is larger than {LARGEST_LOG} bytes"
            raise InvalidInput(Fault(path.name, what, "a smaller log", "take fewer items"))
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        what = f"cannot be read: {reason}"
        raise InvalidInput(
            Fault(f"log {path.name}", what, "a CSV or JSON lines file", "check the path")
        ) from error
