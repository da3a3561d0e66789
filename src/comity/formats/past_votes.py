"""Past votes: as how many independent voters does a log of them say that a roster counts?

Here: reading a log for the voters of one vote, and the number it gives.
Not here: the estimate (mechanisms/voting/independence), the form of a log (vote_log.py).
Sources: SEMANTICS V9 ("a vote's result carries n_eff when a log is given").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from comity.core.errors import Fault, InvalidInput
from comity.core.parties import PartyId
from comity.formats.vote_log import read_vote_log
from comity.mechanisms.voting.independence import independence
from comity.mechanisms.voting.independence.log import VoteLog

__all__ = ["LARGEST_LOG", "effective_of", "n_eff_of_file"]

LARGEST_LOG = 50_000_000
_DIGITS = 100  # an estimate from a log is worth two decimals


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
    found = independence(own, rules={"resamples": 0}).cautious_n_eff
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
    try:
        if path.stat().st_size > LARGEST_LOG:
            what = f"is larger than {LARGEST_LOG} bytes"
            raise InvalidInput(Fault(path.name, what, "a smaller log", "take fewer items"))
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        what = f"cannot be read: {reason}"
        raise InvalidInput(
            Fault(f"log {path.name}", what, "a CSV or JSON lines file", "check the path")
        ) from error
    log = read_vote_log(text, whose=path.name)
    return effective_of(log, voters or log.voters, path.name)
