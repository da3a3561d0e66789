"""Thresholds: has an option enough of the votes, and if not, how many are short?

Here: thresholds and how they are written, the majority rule with its base.
Not here: what each option needs against a default option (supermajority.py), a running count
of a quorum (quorum.py), deciding early (early.py).
Sources: SEMANTICS V1, V2, V3, G2, G4; Robert's Rules of Order 44 (ballots that cannot be read
count among the votes cast, blanks do not). A number alone means *more than* it, as in the
source's `majority(votes, threshold=0.5)`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, NamedTuple

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, ratio_text, read_exact, show_number, to_fraction
from comity.core.results import Item
from comity.mechanisms.voting.counting import (
    Ballots,
    Counted,
    Outcome,
    conclude,
    no_ballots,
    read_election_for,
    tiers,
)
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.positional import lead
from comity.mechanisms.voting.reading import Line, whole
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.results import (
    Flag,
    Round,
    VoteBlocked,
    VoteNoDecision,
    VoteNoQuorum,
    VoteVerdict,
)
from comity.mechanisms.voting.tie_breaking import TieBreak, read_ties

__all__ = [
    "BASES",
    "Base",
    "Threshold",
    "base_weight",
    "first_places",
    "majority",
    "read_threshold",
]

Base = Literal["roster", "present", "expressed"]
BASES: tuple[Base, ...] = ("roster", "present", "expressed")

_FORMS = 'majority, unanimous, "more than 1/2", "at least 2/3", "> 0.6", ">= 60%", or a number'
_WRITTEN = re.compile(
    r"(?P<how>more than|at least|>=|>|≥)?\s*(?P<share>[0-9][0-9._]*(?:/[0-9_]+)?)\s*(?P<cent>%)?\Z"
)
_LONGEST_FLOAT = 14  # 0.6666666666666666 is no two thirds, and nobody means it exactly
_HANGS = "unanimous: any one member, also a hung one, can veto"

MajorityOutcome = Outcome | VoteVerdict | VoteBlocked


@dataclass(frozen=True, slots=True)
class Threshold:
    """A share of the votes that an option needs.

    Attributes:
        share: the share, from 0 to 1.
        is_inclusive: True for *at least* the share, False for *more than* it.

    Example:
        >>> Threshold(Fraction(1, 2)).is_met(2, 4), Threshold(Fraction(1, 2), True).is_met(2, 4)
        (False, True)
    """

    share: Fraction
    is_inclusive: bool = False

    def is_met(self, votes: Exact, base: Exact) -> bool:
        """Tell whether some votes are enough of a base; exact, without a division.

        Args:
            votes: the option's weight.
            base: the weight that it is measured against.
        """
        mine: Any = votes if isinstance(votes, int) else to_fraction(votes)
        of: Any = base if isinstance(base, int) else to_fraction(base)
        above, below = mine * self.share.denominator, of * self.share.numerator
        return bool(above >= below if self.is_inclusive else above > below)

    def needed(self, base: int) -> int:
        """Return the least whole number of votes, or units of weight, that is enough.

        Args:
            base: what it is measured against.
        """
        above, below = self.share.numerator * base, self.share.denominator
        return -(-above // below) if self.is_inclusive else above // below + 1

    @property
    def is_unanimous(self) -> bool:
        """Whether nobody may be missing."""
        return self.share == 1 and self.is_inclusive

    def __str__(self) -> str:
        """Return it as `read_threshold` reads it."""
        return _text_of(self.share, self.is_inclusive)


@lru_cache(maxsize=64)
def _text_of(share: Fraction, is_inclusive: bool) -> str:  # noqa: FBT001  # the key of a cache
    if is_inclusive:
        return "unanimous" if share == 1 else f"at least {ratio_text(share)}"
    return f"more than {ratio_text(share)}"


def read_threshold(given: object) -> Threshold:
    """Return the threshold that words or a number mean.

    Args:
        given: a Threshold, ``"majority"``, ``"unanimous"``, ``"more than 1/2"``, ``"> 0.6"``,
            ``"at least 2/3"``, ``">= 60%"``, or a number, which means *more than* it.

    Returns:
        The threshold.

    Raises:
        InvalidInput: for anything else, and for a share that nothing or everything meets.

    Example:
        >>> str(read_threshold("> 0.6")), str(read_threshold(0.5)), str(read_threshold(">= 75%"))
        ('more than 3/5', 'more than 1/2', 'at least 3/4')
    """
    found = given if isinstance(given, Threshold) else _threshold(given)
    least_ok = found.share > 0 if found.is_inclusive else found.share >= 0
    most_ok = found.share <= 1 if found.is_inclusive else found.share < 1
    if not (least_ok and most_ok):
        raise InvalidInput(
            Fault("threshold", f"is {found}", "a share that some votes meet and some do not",
                  "choose one between 0 and 1; for all of them write unanimous")
        )  # fmt: skip
    return found


def _threshold(given: object) -> Threshold:
    if isinstance(given, float) and isfinite(given) and len(repr(given)) > _LONGEST_FLOAT:
        near = Fraction(given).limit_denominator(100)
        what = f"is {given!r}, a share that a float can only come near to"
        raise InvalidInput(
            Fault("threshold", what, "text or a Fraction", f'write "{near}" or Fraction({near})')
        )
    if not isinstance(given, str):
        return Threshold(to_fraction(read_exact(given, "threshold", "share")))
    return _in_words(given)


@lru_cache(maxsize=64)
def _in_words(given: str) -> Threshold:
    words = " ".join(given.casefold().replace("-", " ").split())
    if words in {"majority", "strict majority", "half"}:
        return Threshold(Fraction(1, 2))
    if words in {"unanimous", "unanimity", "all"}:
        return Threshold(Fraction(1), is_inclusive=True)
    match = _WRITTEN.match(words)
    if match is None:
        raise InvalidInput(
            Fault("threshold", f"is {shown(given)}", _FORMS,
                  did_you_mean(words, ("majority", "unanimous")))
        )  # fmt: skip
    share = to_fraction(read_exact(match["share"], "threshold", "share"))
    inclusive = match["how"] in {"at least", ">=", "≥"}
    return Threshold(share / 100 if match["cent"] else share, inclusive)


# --- what is counted -------------------------------------------------------------------------


def base_weight(election: Election, base: Base) -> int:
    """Return the weight that a threshold is measured against, in the election's units.

    Args:
        election: every ballot.
        base: ``roster`` is everybody who may vote, or without a roster every ballot handed in;
            ``present`` is everybody who handed in a ballot; ``expressed`` leaves the abstentions
            out. A member's ballot that cannot be read stays in each of them.

    Example:
        >>> election = Election(["A", None, "A"])
        >>> base_weight(election, "roster"), base_weight(election, "expressed")
        (3, 2)
    """
    weight = election.weight + election.invalid_weight
    if base == "expressed":
        return weight
    weight += election.abstained_weight
    return weight if base == "present" else weight + election.absent_weight


def first_places(election: Election) -> list[int | Fraction]:
    """Return the weight that puts each option first, in units; equal firsts share a ballot.

    Args:
        election: choices, rankings or yes/no answers.

    Example:
        >>> first_places(Election([["A", "B"], [["A", "B"]]]))
        [Fraction(3, 2), Fraction(1, 2)]
    """
    span = range(len(election.options))
    shares, _ = election.profile().tops(span)
    found: list[Any] = [shares.get(at, 0) for at in span]
    return found


def _votes(election: Election, units: int | Fraction) -> Exact:
    return whole(units) if election.scale == 1 else whole(Fraction(units) / election.scale)


class _Question(NamedTuple):
    """What a majority is asked for."""

    election: Election
    threshold: Threshold
    base: Base
    total: int
    units: list[int | Fraction]
    ties: TieBreak

    @property
    def needed(self) -> Exact:
        """How many votes are enough."""
        return self.election.exact(self.threshold.needed(self.total))

    @property
    def parameters(self) -> tuple[tuple[str, Json], ...]:
        return (("threshold", str(self.threshold)), ("base", self.base))

    @property
    def rounds(self) -> tuple[Round, ...]:
        of = self.election.exact(self.total)
        note = f"{self.threshold} of the {self.base}: {show_number(self.needed)} of "
        note += f"{show_number(of)} needed"
        if self.threshold.is_unanimous:
            note += f"; {_HANGS}"
        return (Round("threshold", (Item("needed", self.needed), Item("of", of)), note=note),)

    @property
    def flags(self) -> tuple[Flag, ...]:
        return ("unanimous_can_hang",) if self.threshold.is_unanimous else ()

    def short(self, units: int | Fraction) -> Exact:
        """Return how many votes an option lacks."""
        return _votes(self.election, self.threshold.needed(self.total) - units)


@rule("majority")
def majority(
    ballots: Ballots,
    *,
    threshold: Any = "majority",  # noqa: ANN401  # words, a number or a Threshold
    base: Base = "roster",
    veto_holders: Collection[str] | None = None,
    ties: TieBreak | str = "none",
) -> MajorityOutcome:
    """Elect the option that has enough of the votes, or answer a yes/no question.

    A tie is broken only where one casting vote more would reach the threshold.

    Args:
        ballots: an election of choices, rankings (their first places count) or yes/no answers,
            or plain ballots.
        threshold: as `read_threshold` takes it; by default a strict majority.
        base: what it is measured against (`base_weight`).
        veto_holders: who may veto a yes/no question, by a ``veto`` or a ``no``; others' ``veto``
            counts as a ``no``. Without it, every ballot ``veto`` is one.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice; for yes/no the verdict ``passed`` or ``rejected``, or the block; a no-decision
        ``no_majority`` that tells how many votes are short, or ``tie``; no quorum without ballots.

    Raises:
        InvalidInput: for ballots that cannot be counted and parameters that do not exist.

    Example:
        >>> majority(["A", "B", "A"], threshold=0.5).winner
        'A'
        >>> majority(["A", "B", "C"]).unblock[0]
        'one more vote that separates the 3 tied options'
        >>> majority(["yes", "yes", "no"], threshold="at least 2/3").verdict
        'passed'
    """
    election = read_election_for(ballots, "majority", ("choice", "ranking", "yes_no"))
    how, limit = read_ties(ties), read_threshold(threshold)
    raise_if(_parameter_faults(election, base, veto_holders))
    question = _Question(
        election=election,
        threshold=limit,
        base=base,
        total=base_weight(election, base),
        units=first_places(election),
        ties=how,
    )
    if not election.weight and (not election.size or question.total):
        counted = Counted(rule="majority", best=(), parameters=question.parameters)
        return no_ballots(election, counted._replace(rounds=question.rounds))
    if question.total == 0:
        raise InvalidInput(
            Fault("weights", "add up to 0", "some weight above 0", "correct the weights")
        )
    if election.kind == "yes_no":
        return _verdict(question, veto_holders)
    return _choice(question)


def _parameter_faults(
    election: Election, base: object, veto_holders: Collection[str] | None
) -> list[Fault]:
    faults = []
    if base not in BASES:
        near = did_you_mean(str(base), BASES)
        faults.append(Fault("base", f"is {shown(base)}", ", ".join(BASES), near))
    if not veto_holders:
        return faults
    if isinstance(veto_holders, str):
        what = f"are the text {shown(veto_holders)}"
        return [*faults, Fault("veto holders", what, "a list of voters", "list them")]
    if election.kind != "yes_no":
        what = f"stand beside {election.kind} ballots"
        faults.append(Fault("veto holders", what, "yes/no ballots", "leave them out"))
    known = set(election.roster.ids) if election.roster else None
    if known is None and election.size and not election.is_named:
        faults.append(
            Fault("veto holders", "are named and the ballots are not", "voter -> ballot",
                  "name the voters")
        )  # fmt: skip
    faults.extend(
        Fault("veto holders", f"name {shown(name)}, who is no member", ", ".join(sorted(known)),
              did_you_mean(str(name), known))
        for name in veto_holders
        if known is not None and name not in known
    )  # fmt: skip
    return faults


def _choice(question: _Question) -> Outcome:
    election, units = question.election, question.units
    tally = {
        name: _votes(election, one) for name, one in zip(election.options, units, strict=True)
    }
    places = tiers(election, units)
    top = max(units)
    counted = Counted(
        rule="majority",
        best=places[0],
        parameters=question.parameters,
        tally=tally,
        ranking=places,
        margin=lead(list(tally.values())),
        rounds=question.rounds,
    )
    is_enough = question.threshold.is_met(top, question.total)
    if len(places[0]) == 1 and not is_enough:
        return _no_majority(question, counted)
    casting = (top + election.scale, question.total + election.scale)
    may_break = is_enough or question.threshold.is_met(*casting)
    outcome = conclude(election, counted, question.ties if may_break else "none")
    assert not isinstance(outcome, VoteNoQuorum)  # there are ballots
    if question.flags:
        count = replace(outcome.count, flags=(*outcome.count.flags, *question.flags))
        outcome = replace(outcome, count=count)
    if isinstance(outcome, VoteNoDecision) and not is_enough:
        among = " and ".join(places[0]) if len(places[0]) == 2 else f"the {len(places[0])} tied "
        among += "" if len(places[0]) == 2 else "options"
        more = (f"one more vote that separates {among}", *_lacking(question, top))
        rest = outcome.unblock[1:] if may_break else ()
        return replace(outcome, unblock=(*more, *rest))
    return outcome


def _lacking(question: _Question, top: int | Fraction) -> tuple[str, ...]:
    short = question.short(top)
    votes = "1 vote more" if short == 1 else f"{show_number(short)} votes more"
    need = f"{show_number(question.needed)} are needed"
    words = [f"{votes} for one option: {need} ({question.threshold} of the {question.base})"]
    if question.threshold.is_unanimous:
        words.append(f"a lower threshold ({_HANGS})")
    return tuple(words)


def _no_majority(question: _Question, counted: Counted) -> VoteNoDecision:
    """Return that the leader has not enough, in the grounds that a choice would have."""
    won = conclude(question.election, counted)
    leader = counted.best[0]
    tally = counted.tally or {}
    last = [tier for tier in counted.ranking[:2] if tier]
    leaders = tuple(Item(name, tally[name]) for tier in last for name in tier if tally[name])
    words = _lacking(question, max(question.units))
    named = words[0].replace("for one option", f"for {leader}")
    return VoteNoDecision(
        grounds=won.grounds,
        count=replace(won.count, flags=question.flags),
        reason="no_majority",
        leaders=leaders or (Item(leader, tally[leader]),),
        unblock=(named, *words[1:]),
    )


# --- yes or no -------------------------------------------------------------------------------


def _verdict(
    question: _Question, veto_holders: Collection[str] | None
) -> VoteVerdict | VoteBlocked:
    election = question.election
    tally = {
        name: _votes(election, one)
        for name, one in zip(election.options, question.units, strict=True)
    }
    yes = question.units[election.options.index("yes")]
    against = sum(question.units, Fraction(0)) - yes
    counted = Counted(
        rule="majority",
        best=("yes",) if yes >= against else ("no",),
        parameters=question.parameters,
        tally=tally,
        margin=_votes(election, max(yes - against, against - yes)),
        rounds=question.rounds,
    )
    if veto_holders is not None:
        named = (("veto_holders", tuple(sorted(veto_holders))),)
        counted = counted._replace(parameters=(*question.parameters, *named))
    found = conclude(election, counted)
    count = replace(found.count, flags=question.flags)
    blocking = [line for line in election.lines if _is_veto(line, election, veto_holders)]
    if blocking:
        by = tuple(
            (line.voter or f"{line.count} unnamed", _word(line, election)) for line in blocking
        )
        lifts = tuple(f"{who} withdraws the {said}" for who, said in by)
        return VoteBlocked(grounds=found.grounds, count=count, by=by, unblock=lifts)
    passed = question.threshold.is_met(yes, question.total)
    verdict = "passed" if passed else "rejected"
    return VoteVerdict(grounds=found.grounds, count=count, verdict=verdict)


def _word(line: Line, election: Election) -> str:
    assert isinstance(line.row, bytes)
    return election.options[line.row[0]]


def _is_veto(line: Line, election: Election, holders: Collection[str] | None) -> bool:
    said = _word(line, election)
    if holders is None:
        return said == "veto"
    return said != "yes" and line.voter in holders
