"""Following: what takes over when nothing was decided, and what is it handed?

Here: the steps that may follow, their settings and faults, the case that one step hands on.
Not here: the chain that runs them (session/chain.py).
Sources: SEMANTICS G10: a no-decision hands its options and its reason to the next step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from comity.core.canonical import JsonObject, frozen
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput, did_you_mean, shown
from comity.core.exact import show_number
from comity.core.parties import PartyId
from comity.core.results import NoDeal, NoDecision, NoQuorum, NoSale, Outcome
from comity.mechanisms.voting.results import VoteResult
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate, VoteLimits, VoteRules

__all__ = [
    "NO_DEAL",
    "NO_SALE",
    "RESOLVERS",
    "STEPS",
    "Case",
    "Following",
    "StepName",
    "case_of",
]

OTHERWISE = "otherwise"

StepName = Literal["vote", "resolve", "human"]
STEPS: tuple[StepName, ...] = get_args(StepName)
RESOLVERS = ("lot", "status_quo", "chair")
NO_DEAL = "no deal"
"""The option that stands when parties could not agree."""
NO_SALE = "no sale"
"""The option that stands when an auction sold nothing."""

_CLOSEST = "the closest draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """What follows when nothing was decided.

    Attributes:
        steps: what takes over, in order.
        question: what is asked then.
        seed: the seed of its lots.
        voters: who votes: name -> what `vote_rules` takes.
        settings: what else the vote is told.
        limits: the limits of the vote.
        resolve: ``lot``, ``status_quo`` or ``chair:PARTY``.
        gate: the person.

    Example:
        >>> Following(steps=("resolve",), question="q", seed="1").resolve
        'lot'
    """

    steps: tuple[StepName, ...]
    question: str
    seed: str
    voters: JsonObject = field(default_factory=dict)
    settings: JsonObject = field(default_factory=dict)
    limits: VoteLimits = field(default_factory=VoteLimits)
    resolve: str = "lot"
    gate: Gate = field(default_factory=Gate)

    def __post_init__(self) -> None:
        object.__setattr__(self, "voters", frozen(self.voters))
        object.__setattr__(self, "settings", frozen(self.settings))

    def to_json(self) -> JsonObject:
        """Return what stands under ``otherwise`` in recorded rules."""
        data = encode(self)
        assert isinstance(data, Mapping)
        return data

    def faults(self) -> list[Fault]:
        """Return what is wrong with it."""
        found = [
            Fault(OTHERWISE, f"names {shown(one)}", ", ".join(STEPS), did_you_mean(one, STEPS))
            for one in self.steps
            if one not in STEPS
        ]
        if not self.steps or len(set(self.steps)) < len(self.steps):
            found.append(Fault(OTHERWISE, f"is {shown(list(self.steps))}", "each step once",
                               "list what takes over"))  # fmt: skip
        rule, _, by = self.resolve.partition(":")
        if rule not in RESOLVERS or (rule == "chair") != bool(by):
            what = f"is resolved by {shown(self.resolve)}"
            found.append(Fault(OTHERWISE, what, "lot, status_quo, chair:PARTY", "choose one"))
        if "vote" in self.steps and not found:
            try:
                self.vote(Case(options=((NO_DEAL, ""), (_CLOSEST, "")), status_quo=NO_DEAL))
            except InvalidInput as error:
                found.extend(error.faults)
        return found

    def vote(self, case: Case) -> VoteRules:
        """Return the rules of the vote on a case.

        Args:
            case: what is handed on.
        """
        settings: dict[str, Any] = dict(self.settings)
        on: Literal["thin", "none"] = "thin" if "human" in self.steps else "none"
        return vote_rules(
            self.question,
            self.voters,
            seed=self.seed,
            options=[name for name, _ in case.options],
            about={name: text for name, text in case.options if text},
            default_option=case.status_quo,
            limits=self.limits,
            gate=replace(self.gate, on=on, default="accept"),
            **settings,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What one step hands on to the next.

    Attributes:
        options: between what is to be decided, each with what it means.
        reason: why nothing was decided.
        status_quo: the option that changes nothing, or "".
        wishes: party -> the option that it stands for.

    Example:
        >>> Case(options=(("A", ""), ("B", ""))).reason
        ''
    """

    options: tuple[tuple[str, str], ...]
    reason: str = ""
    status_quo: str = ""
    wishes: tuple[tuple[PartyId, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The options, sorted."""
        return tuple(sorted(name for name, _ in self.options))


def case_of(outcome: Outcome, before: Case | None = None) -> Case | None:
    """Return what an outcome hands on; None when it ends the chain.

    Args:
        outcome: how a step ended.
        before: the case it had, whose words and status quo go on.

    Returns:
        For a no-deal each distinct last offer, or its limit where limits were shown and no offer
        was made, the closest draft and ``no deal``; for an auction each bid and ``no sale``; for
        a vote the tied options and the one that changes nothing, or all of them.

    Example:
        >>> from comity.mechanisms.voting.threshold import majority
        >>> case_of(majority(["A", "B", "C", "C", "A"])).names
        ('A', 'C')
    """
    if getattr(outcome, "reason", "") == "cancelled":
        return None
    if isinstance(outcome, NoDeal):
        return _of_no_deal(outcome)
    if isinstance(outcome, NoSale):
        return _of_no_sale(outcome)
    if isinstance(outcome, (NoDecision, NoQuorum)) and isinstance(outcome, VoteResult):
        return _of_vote(outcome, before)
    return None


def _of_no_deal(outcome: NoDeal) -> Case:
    options: list[tuple[str, str]] = []
    wishes: list[tuple[PartyId, str]] = []
    names: dict[str, str] = {}
    limits = {one.party: one.what for one in outcome.grounds.submissions}
    for one in outcome.final_offers:
        limit = limits.get(one.party)
        if one.offer is not None:
            name = f"{one.party}'s last offer"
            said = one.offer if isinstance(one.offer, str) else show_number(one.offer)
        elif outcome.reason == "no_overlap" and isinstance(limit, Mapping):
            name, said = f"{one.party}'s limit", str(limit.get("reservation"))
        else:
            continue
        if said not in names:  # two who offered the same stand for one option
            names[said] = name
            options.append((name, said))
        wishes.append((one.party, names[said]))
    draft = getattr(getattr(outcome, "record", None), "draft", ())
    if draft:
        options.append((_CLOSEST, "; ".join(draft)))
    options.append((NO_DEAL, "everything stays as it is"))
    return Case(
        options=tuple(options),
        reason=outcome.reason,
        status_quo=NO_DEAL,
        wishes=tuple(wishes),
    )


def _of_no_sale(outcome: NoSale) -> Case:
    unit = getattr(outcome, "unit", "")
    bids = outcome.grounds.scores
    options = [
        (f"{one.name}'s bid", f"sold for {show_number(one.value)} {unit}".strip()) for one in bids
    ]
    return Case(
        options=(*options, (NO_SALE, "nothing is sold")),
        reason=outcome.reason,
        status_quo=NO_SALE,
        wishes=tuple((one.name, f"{one.name}'s bid") for one in bids),
    )


def _of_vote(outcome: Any, before: Case | None) -> Case:  # noqa: ANN401  # a result of a vote
    election = outcome.count.election
    words = dict(before.options) if before else {}
    names = outcome.tied or tuple(one for one in election.options if one != "veto")
    wishes = []
    for line in election.lines:
        ranks = election.ranks_of(line)
        best = min(ranks)
        top = [name for name, rank in zip(election.options, ranks, strict=True) if rank == best]
        if line.voter and len(top) == 1 and top[0] in names:
            wishes.append((line.voter, top[0]))
    reason = getattr(outcome, "reason", outcome.kind)
    status_quo = before.status_quo if before else ""
    if status_quo and status_quo not in names:
        names = (*names, status_quo)
    return Case(
        options=tuple((name, words.get(name, "")) for name in names),
        reason=reason,
        status_quo=status_quo,
        wishes=tuple(wishes),
    )
