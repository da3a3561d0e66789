"""Vote rules: everything a live vote is fixed by before anybody is asked.

Here: question, options, roster, rule, deadline, what becomes of changed and missing votes, the
person behind it.
Not here: building and checking them (opening.py), what happens (machine.py).
Sources: SEMANTICS V1, V7, V8, V9, G7, G8, G9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from comity.core.canonical import Json, JsonObject, digest, frozen, plain
from comity.core.errors import Fault, did_you_mean, shown
from comity.core.exact import Exact, show_number, to_fraction
from comity.core.parties import Party, PartyId, Roster, name_fault
from comity.mechanisms.voting import Election
from comity.mechanisms.voting.ballots import BallotKind
from comity.mechanisms.voting.independence.roster import Makeup, alike
from comity.mechanisms.voting.quorum import even_note
from comity.mechanisms.voting.threshold import read_threshold

__all__ = [
    "Absent",
    "Changes",
    "Gate",
    "VoteLimits",
    "VoteRules",
    "Voter",
]

Changes = Literal["first", "last", "reject"]
Absent = Literal["abstain", "against", "extend", "person"]

_HANGS = "unanimous: any one member, also a hung one, can veto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """One member of the roster.

    Attributes:
        id: its name.
        weight: its weight; 0 for one whose vote is heard and never counted.
        model: what it runs on; "" when that is not known.
        prompt: the digest of its prompt, or "".
        evidence: the digest of what it was shown, or "".

    Example:
        >>> Voter(id="ann").weight
        1
    """

    id: PartyId
    weight: Exact = 1
    model: str = ""
    prompt: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteLimits:
    """Every limit of a live vote.

    Attributes:
        deadline_ms: how long it is open, for all alike.
        reasks: how often an unreadable answer is asked for again.
        least_voters: how many members must answer readably, whatever the majority.

    Example:
        >>> VoteLimits().reasks
        1
    """

    deadline_ms: int = 600_000
    reasks: int = 1
    least_voters: int = 1

    def faults(self) -> list[Fault]:
        """Return what is wrong with the limits."""
        least = {"deadline_ms": 1, "reasks": 0, "least_voters": 1}
        found = []
        for name, lowest in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
                allowed = f"a whole number of {lowest} or more"
                what = f"{name} is {shown(value)}"
                found.append(Fault("limits", what, allowed, f"correct {name}"))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The person behind a vote.

    Attributes:
        on: what is put to the person: ``all`` (thin results and no-decisions), ``thin`` results
            alone, or ``none``.
        seat: the person's name in the session.
        deadline_ms: how long the person has.
        default: what applies when nobody answers: ``accept`` keeps the vote's own outcome;
            otherwise an option, or ``passed`` or ``rejected``.

    Example:
        >>> Gate().default
        'accept'
    """

    on: Literal["all", "thin", "none"] = "all"
    seat: PartyId = "human"
    deadline_ms: int = 86_400_000
    default: str = "accept"

    def faults(self, choices: Sequence[str]) -> list[Fault]:
        """Return what is wrong with it.

        Args:
            choices: what a person may decide.
        """
        found = []
        if self.on not in {"all", "thin", "none"}:
            found.append(Fault("gate", f"is on {shown(self.on)}", "all, thin, none", "choose one"))
        time: object = self.deadline_ms
        if isinstance(time, bool) or not isinstance(time, int) or time < 1:
            found.append(Fault("gate", "has no time", "1 ms or more", "give the person time"))
        if self.default not in choices:
            near = did_you_mean(str(self.default), choices)
            what = f"has the default {shown(self.default)}"
            found.append(Fault("gate", what, ", ".join(choices), near))
        return [*found, *filter(None, [name_fault(self.seat, "seat")])]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRules:
    """What a live vote is fixed by.

    Attributes:
        question: what is to be decided.
        voters: the roster, sorted by name.
        seed: the seed of every lot.
        kind: the kind of ballot.
        options: what may be voted for, sorted; yes, no and veto for a yes/no question.
        about: option -> what it means, for those that need words.
        rule: the rule that counts.
        parameters: those of the rule.
        limits: every limit.
        changes: what a second, different vote before the close is: it replaces (``last``), is
            kept beside the first that stands (``first``), or is refused (``reject``).
        absent: what a missing vote is: nothing (``abstain``), a no or the default option
            (``against``), asked for once more (``extend``), a case for the person (``person``).
        default_option: the option that stands for no change, or "".
        early: whether it closes as soon as nothing outstanding can change it.
        veto_holders: who may veto.
        turnout_floor: the share of the roster below which a turnout is thin, or None.
        n_eff: as how many independent voters these count by a log of past votes, or None.
        gate: the person behind it.
        work: what the voters are to read, or "".

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1", kind="yes_no").rule
        'majority'
    """

    question: str
    voters: tuple[Voter, ...]
    seed: str
    kind: BallotKind
    options: tuple[str, ...]
    rule: str
    parameters: JsonObject = field(default_factory=dict)
    about: JsonObject = field(default_factory=dict)
    limits: VoteLimits = VoteLimits()
    changes: Changes = "last"
    absent: Absent = "abstain"
    default_option: str = ""
    early: bool = True
    veto_holders: tuple[PartyId, ...] = ()
    turnout_floor: Exact | None = None
    n_eff: Exact | None = None
    gate: Gate = Gate()
    work: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", frozen(self.parameters))
        object.__setattr__(self, "about", frozen(self.about))

    @property
    def ids(self) -> tuple[PartyId, ...]:
        """The voters' names, sorted."""
        return tuple(one.id for one in self.voters)

    @property
    def roster(self) -> Roster:
        """The voters with their weights."""
        return Roster(tuple(Party(one.id, one.weight) for one in self.voters))

    @property
    def told(self) -> dict[str, Any]:
        """The parameters as the rule takes them: a lot with its seed, veto holders where asked."""
        told: dict[str, Any] = dict(self.parameters)
        if told.get("ties") == "lot":
            told["ties"] = f"lot:{self.seed}"
        if self.kind == "yes_no" and self.rule == "majority":
            told["veto_holders"] = self.veto_holders
        return told

    @property
    def choices(self) -> tuple[str, ...]:
        """What the person may decide."""
        named = ("passed", "rejected") if self.kind == "yes_no" else self.options
        return ("accept", *(one for one in named if one != "accept"))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before anybody is asked: even rosters, unanimity, voters alike."""
        found = []
        weights = {to_fraction(one.weight) for one in self.voters}
        if len(weights) == 1 and (note := even_note(len(self.voters))):
            found.append(note)
        threshold = self.parameters.get("threshold")
        if threshold is not None and read_threshold(threshold).is_unanimous:
            found.append(_HANGS)
        made = [
            Makeup(voter=one.id, model=one.model, prompt=one.prompt, evidence=one.evidence)
            for one in self.voters
        ]
        found.extend(alike(made))
        if self.n_eff is not None:
            count = show_number(round(to_fraction(self.n_eff), 1))
            found.append(f"{len(self.voters)} voters, counting as {count}")
        return tuple(found)

    @property
    def against(self) -> Json:
        """The ballot of a missing voter who is counted against."""
        if self.kind == "yes_no":
            return "no"
        return self.default_option if self.kind == "choice" else [self.default_option]

    def election(self, ballots: Mapping[PartyId, Json]) -> Election:
        """Return the election that some ballots make.

        Args:
            ballots: voter -> ballot in its normal form.
        """
        options = None if self.kind == "yes_no" else self.options
        return Election(dict(ballots), options=options, kind=self.kind, roster=self.roster)

    def to_json(self) -> JsonObject:
        """Return the rules as `rules_from_json` (opening.py) takes them."""
        limits, gate = self.limits, self.gate
        data: dict[str, Json] = {
            "question": self.question,
            "voters": {
                one.id: {
                    "weight": plain(one.weight),
                    "model": one.model,
                    "prompt": one.prompt,
                    "evidence": one.evidence,
                }
                for one in self.voters
            },
            "order": list(self.ids),
            "roster_digest": self.roster.digest,
            "seed": self.seed,
            "limits": {
                "deadline_ms": limits.deadline_ms,
                "reasks": limits.reasks,
                "least_voters": limits.least_voters,
            },
            "gate": {
                "on": gate.on,
                "seat": gate.seat,
                "deadline_ms": gate.deadline_ms,
                "default": gate.default,
            },
            "turnout_floor": plain(self.turnout_floor),
            "n_eff": plain(self.n_eff),
        }
        for name in ("kind", "options", "rule", "parameters", "about", "changes", "absent",
                     "default_option", "early", "veto_holders", "work"):  # fmt: skip
            data[name] = plain(getattr(self, name))
        return data

    @property
    def digest(self) -> str:
        """The digest of the rules as recorded."""
        return digest(self.to_json())
