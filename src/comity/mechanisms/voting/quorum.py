"""Quorum: have enough members said the same, can they still, and how many may be missing?

Here: the running verdict of a group of known size under five rules.
Not here: who is asked and when it closes (protocols/collect), rules that count ballots.
Sources: SEMANTICS V7; the source's `quorum_decide`; Raft (Ongaro 2014; etcd-io/raft
quorum/majority.go: won, lost, pending) without its empty group that has won; ZooKeeper's
hierarchical quorums; Byzantine quorums ceil((n+f+1)/2) for n >= 3f+1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from comity.core.canonical import JsonObject
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, show_number, to_fraction
from comity.core.parties import Party, PartyId, roster_of
from comity.core.results import Item
from comity.mechanisms.voting.ballots import YES_NO
from comity.mechanisms.voting.reading import whole
from comity.mechanisms.voting.threshold import Threshold, read_threshold

__all__ = ["QuorumVerdict", "even_note", "quorum"]

Roster = Iterable[str | Party] | Mapping[str, Iterable[str]]
_RULES = ("majority", "weighted", "super:2/3", "byzantine:1", "grouped")
_HALF = Threshold(Fraction(1, 2))
_ABSTAIN = "abstain"
_WORDS = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumVerdict:
    """Where a group stands.

    Attributes:
        verdict: ``passed``; ``failed`` when nothing outstanding can make it pass; else
            ``pending``.
        option: what has passed; the leading option otherwise, None without one or when tied.
        rule: the rule as given.
        needed: the votes, weight or groups that one option needs.
        of: the votes, weight or groups that there are.
        tally: what each option has, the most first.
        margin: how far the leader is before the next.
        outstanding: members who have not answered; a group of known size without names has a
            number in ``missing`` instead.
        missing: how many have not answered.
        abstained: members who abstained.
        invalid: members whose answer cannot be read.
        advisory: answers of others, which do not count.
        vetoed_by: members whose veto made it fail.
        tolerates: how many members may fail while the others can still decide.
        early: whether it was decided before everybody had answered.
        notes: what to know about the group.

    Example:
        >>> str(quorum({"ann": "yes", "bob": "yes"}, group_size=3))
        'passed: yes, 2 of 3 (2 needed), margin 2, decided early, 1 outstanding'
    """

    verdict: Literal["pending", "passed", "failed"]
    option: str | None
    rule: str
    needed: Exact
    of: Exact
    tally: tuple[Item, ...]
    margin: Exact
    missing: int
    tolerates: int
    outstanding: tuple[PartyId, ...] = ()
    abstained: tuple[PartyId, ...] = ()
    invalid: tuple[PartyId, ...] = ()
    advisory: tuple[PartyId, ...] = ()
    vetoed_by: tuple[PartyId, ...] = ()
    early: bool = False
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether enough have said so."""
        return self.verdict == "passed"

    def __bool__(self) -> bool:
        """A quorum is true when it has passed."""
        return self.passed

    def to_json(self) -> JsonObject:
        """Return all fields; exact numbers as integers or text."""
        data = encode(self)
        assert isinstance(data, Mapping)
        return data

    def __str__(self) -> str:
        """Return one line for people."""
        leads = next((one.value for one in self.tally if one.name == self.option), 0)
        has = f"{show_number(leads)} of {show_number(self.of)}"
        stands = f"{has} ({show_number(self.needed)} needed), margin {show_number(self.margin)}"
        parts = [f"{self.verdict}: {self.option or 'no option'}, {stands}"]
        if self.vetoed_by:
            parts.append(f"vetoed by {', '.join(self.vetoed_by)}")
        if self.early:
            parts.append("decided early")
        counts = {
            "outstanding": self.missing,
            "abstained": len(self.abstained),
            "invalid": len(self.invalid),
            "advisory": len(self.advisory),
        }
        return ", ".join([*parts, *(f"{n} {what}" for what, n in counts.items() if n)])


def quorum(
    votes: Mapping[str, object],
    *,
    group_size: int | None = None,
    roster: Roster | None = None,
    rule: str = "majority",
    closed: bool = False,
    veto_holders: Collection[str] = (),
) -> QuorumVerdict:
    """Tell whether a group has decided, cannot decide any more, or may still.

    When any answer is yes, no or veto (or a boolean), it is a yes/no question and other words
    are invalid; otherwise every text names an option. None and ``abstain`` abstain. Nothing but
    ``yes`` passes a yes/no question.

    Args:
        votes: member -> answer.
        group_size: how many members there are.
        roster: who they are: names or parties with weights; for ``grouped``, group -> members.
        rule: ``majority`` (n//2+1 members), ``weighted`` (more than half of the weight),
            ``super:2/3`` (at least this share of the weight), ``byzantine:F`` (ceil((n+F+1)/2)
            members, F of them traitors), ``grouped`` (a majority of groups, each by a majority
            of its members).
        closed: whether nobody answers any more.
        veto_holders: who may veto; a yes/no question then never passes before they answered.
            Without any, nobody's ``veto`` is more than a ``no``.

    Returns:
        The verdict.

    Raises:
        InvalidInput: with every fault; for an empty group, and for Byzantine groups of fewer
            than 3F+1.

    Example:
        >>> quorum({}, group_size=5).verdict, quorum({}, group_size=5).needed
        ('pending', 3)
        >>> quorum({"a": "A", "b": "B"}, group_size=4).tolerates
        1
    """
    group = _group(votes, group_size, roster, rule)
    faults = [
        Fault("veto holders", f"name {shown(one)}, who is no member", ", ".join(group.names),
              did_you_mean(str(one), group.names))
        for one in veto_holders
        if group.named and one not in group.names
    ]  # fmt: skip
    raise_if(faults)
    said = _sort(votes, group)
    return _verdict(group, said, closed=closed, holders=veto_holders)


# --- the group -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Who decides, and by how much."""

    rule: str
    names: tuple[PartyId, ...]
    named: bool
    size: int
    weights: Mapping[PartyId, Fraction]
    families: tuple[tuple[PartyId, ...], ...] = ()
    threshold: Threshold = _HALF
    traitors: int | None = None

    def weight(self, member: PartyId) -> Fraction:
        return self.weights.get(member, Fraction(1))

    @property
    def total(self) -> Fraction:
        """All there is: groups, members or weight."""
        if self.families:
            return Fraction(len(self.families))
        return sum(self.weights.values(), Fraction(0)) if self.named else Fraction(self.size)

    @property
    def needed(self) -> Fraction:
        """The least that is enough; with weights, the least above or at the share."""
        if self.traitors is not None:
            return Fraction(-(-(self.size + self.traitors + 1) // 2))
        share = self.threshold.share * self.total
        if all(one.denominator == 1 for one in self.weights.values()):
            return Fraction(self.threshold.needed(int(self.total)))
        return share

    def is_enough(self, amount: Fraction) -> bool:
        if self.traitors is not None:
            return amount >= self.needed
        return self.threshold.is_met(amount, self.total)

    def is_enough_without(self, missing: int) -> bool:
        """Tell whether the others are enough when the heaviest members fail."""
        if self.families:
            costs = sorted(len(one) - len(one) // 2 for one in self.families)
            spare = len(self.families) - int(self.needed)
            return missing < sum(costs[: spare + 1])
        left = sorted(map(self.weight, self.names)) if self.named else [Fraction(1)] * self.size
        return self.is_enough(sum(left[: self.size - missing], Fraction(0)))

    @property
    def tolerates(self) -> int:
        return next(n for n in range(self.size) if not self.is_enough_without(n + 1))


def _group(
    votes: Mapping[str, object], size: int | None, roster: Roster | None, rule: str
) -> _Group:
    faults: list[Fault] = []
    name, threshold, traitors = _rule(rule, faults)
    families: tuple[tuple[PartyId, ...], ...] = ()
    members: list[str | Party] | None = None
    if isinstance(roster, Mapping):
        families = tuple(tuple(sorted(one)) for one in roster.values())
        members = [one for family in families for one in family]
        faults.extend(
            Fault("roster", f"has the empty group {shown(one)}", "a member in each", "drop it")
            for one, inside in sorted(roster.items())
            if not tuple(inside)
        )
    elif roster is not None:
        members = list(roster)
    if (name == "grouped") != bool(families) and members != []:
        what = "goes by groups" if name == "grouped" else "does not go by groups"
        allowed = "group -> members" if name == "grouped" else "names or parties"
        faults.append(Fault(f"rule {rule!r}", what, allowed, "give such a roster"))
    parties: tuple[Party, ...] = ()
    if members is not None:
        try:
            parties = roster_of(roster if isinstance(roster, str) else members).parties
        except InvalidInput as error:
            faults.extend(error.faults)
    faults.extend(_size_faults(size, members, votes))
    count = len(parties) if members is not None else int(size or 0)
    if traitors is not None and not faults and count < 3 * traitors + 1:
        faults.append(
            Fault("group", f"has {count} members for {traitors} traitors",
                  f"{3 * traitors + 1} or more (3f+1)", "add members, or expect fewer traitors")
        )  # fmt: skip
    is_weighed = name in {"weighted", "super"}
    weights = {one.id: to_fraction(one.weight) if is_weighed else Fraction(1) for one in parties}
    if parties and not sum(weights.values()):
        faults.append(Fault("roster", "weighs 0", "some weight above 0", "correct the weights"))
    raise_if(faults)
    return _Group(
        rule=rule,
        names=tuple(one.id for one in parties),
        named=members is not None,
        size=count,
        weights=weights,
        families=families if name == "grouped" else (),
        threshold=threshold,
        traitors=traitors,
    )


def _size_faults(
    size: object, members: Sequence[object] | None, votes: Mapping[str, object]
) -> list[Fault]:
    if size is None:
        if members is not None:
            return []
        return [
            Fault("group", "has no known size", "group_size or roster",
                  "say how many members there are, voted or not")
        ]  # fmt: skip
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        return [Fault("group", f"has the size {shown(size)}", "1 or more", "correct it")]
    if members is not None and len(members) != size:
        what = f"has {len(members)} names and the size {size}"
        return [Fault("group", what, "one of them", "leave out the size")]
    if members is None and len(votes) > size:
        what = f"has {len(votes)} votes of {size} members"
        return [Fault("group", what, "one each", "correct the size, or give the roster")]
    return []


def _rule(rule: str, faults: list[Fault]) -> tuple[str, Threshold, int | None]:
    name, colon, by = str(rule).partition(":")
    name = name.strip()
    if name in {"majority", "weighted", "grouped"} and not colon:
        return name, _HALF, None
    if name == "super" and by.strip():
        words = by.strip()
        try:
            is_bare = words[0].isdigit()
            found = read_threshold(f"at least {words}" if is_bare else words)
        except InvalidInput as error:
            faults.extend(error.faults)
            return name, _HALF, None
        if not (found.share > _HALF.share or found == _HALF):
            what = f"is met by {found}, so two parts of the group could decide differently"
            faults.append(Fault(f"rule {rule!r}", what, "more than 1/2", "raise the share"))
        return name, found, None
    if name == "byzantine" and by.strip().isdecimal():
        return name, _HALF, int(by)
    allowed = "majority, weighted, super:2/3, byzantine:F or grouped"
    near = did_you_mean(name, [one.partition(":")[0] for one in _RULES])
    faults.append(Fault(f"rule {shown(rule)}", "is none", allowed, near))
    return name, _HALF, None


def even_note(size: int) -> str:
    """Return what an even group should know, or "" for an odd one.

    Args:
        size: how many members.

    Example:
        >>> even_note(4)
        '4 members tolerate 1 failure, as 3 do: the extra member bought nothing'
        >>> even_note(5)
        ''
    """
    if size % 2:
        return ""
    return _as_few(size, (size - 1) // 2)


def _as_few(size: int, tolerates: int) -> str:
    failures = "1 failure" if tolerates == 1 else f"{tolerates} failures"
    does = "does" if size == 2 else "do"
    return (
        f"{size} members tolerate {failures}, as {size - 1} {does}: "
        "the extra member bought nothing"
    )


def _notes(group: _Group, tolerates: int) -> tuple[str, ...]:
    if group.families or len(set(map(group.weight, group.names))) > 1 or group.size == 1:
        return _alone(group)
    if group.traitors is not None and group.size <= 3 * group.traitors + 1:
        return ()
    smaller = _Group(
        rule=group.rule,
        names=(),
        named=False,
        size=group.size - 1,
        weights={},
        threshold=group.threshold,
        traitors=group.traitors,
    )
    return (_as_few(group.size, tolerates),) if smaller.tolerates >= tolerates else ()


def _alone(group: _Group) -> tuple[str, ...]:
    """Return who decides alone, in a weighted group."""
    if group.families:
        return ()
    names = (name for name in group.names if group.is_enough(group.weight(name)))
    return tuple(f"{name} alone is a quorum" for name in names if group.size > 1)


# --- the answers -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """Answers sorted by what they are."""

    answers: Mapping[PartyId, str]
    abstained: tuple[PartyId, ...]
    invalid: tuple[PartyId, ...]
    advisory: tuple[PartyId, ...]
    is_yes_no: bool
    missing: tuple[PartyId, ...]
    count: int


def _sort(votes: Mapping[str, object], group: _Group) -> _Said:
    own = {who: said for who, said in votes.items() if not group.named or who in group.names}
    read = {who: _word(said) for who, said in own.items()}
    is_yes_no = any(word in YES_NO for word in read.values())
    abstained = [who for who, said in own.items() if said is None or read[who] == _ABSTAIN]
    invalid = [
        who
        for who, word in read.items()
        if who not in abstained and (not word or (is_yes_no and word not in YES_NO))
    ]
    aside = {*abstained, *invalid}
    answers = {who: word for who, word in read.items() if word and who not in aside}
    missing = tuple(name for name in group.names if name not in own)
    return _Said(
        answers=answers,
        abstained=tuple(sorted(abstained)),
        invalid=tuple(sorted(invalid)),
        advisory=tuple(sorted(who for who in votes if who not in own)),
        is_yes_no=is_yes_no,
        missing=missing,
        count=group.size - len(own),
    )


def _word(said: object) -> str:
    """Return the word of an answer; "" when it is none."""
    if isinstance(said, bool):
        return _WORDS[said]
    if not isinstance(said, str):
        return ""
    plain = said.strip()
    folded = plain.casefold()
    return folded if folded in {*YES_NO, _ABSTAIN} else plain


def _verdict(
    group: _Group, said: _Said, *, closed: bool, holders: Collection[str]
) -> QuorumVerdict:
    tally = _tally(group, said.answers)
    ordered = sorted(tally.items(), key=lambda item: (-item[1], item[0]))
    top = [option for option, amount in ordered if amount == ordered[0][1]]
    leader = top[0] if len(top) == 1 else None
    second = ordered[1][1] if len(ordered) > 1 else Fraction(0)
    margin = ordered[0][1] - second if ordered else Fraction(0)
    vetoed = tuple(sorted(who for who in holders if said.answers.get(who) in {"no", "veto"}))
    waits = not closed and any(who not in {*said.answers, *said.abstained, *said.invalid}
                               for who in holders)  # fmt: skip
    passing = [
        option
        for option, amount in ordered
        if group.is_enough(amount) and (option == "yes" or not said.is_yes_no)
    ]
    verdict: Literal["pending", "passed", "failed"] = "pending"
    if vetoed:
        verdict = "failed"
    elif passing and not waits:
        verdict = "passed"
    elif not passing and not _can_pass(group, said, closed=closed):
        verdict = "failed"
    tolerates = group.tolerates
    return QuorumVerdict(
        verdict=verdict,
        option=passing[0] if verdict == "passed" else leader,
        rule=group.rule,
        needed=whole(group.needed),
        of=whole(group.total),
        tally=tuple(Item(option, whole(amount)) for option, amount in ordered),
        margin=whole(margin),
        missing=said.count,
        outstanding=said.missing,
        abstained=said.abstained,
        invalid=said.invalid,
        advisory=said.advisory,
        vetoed_by=vetoed,
        tolerates=tolerates,
        early=verdict != "pending" and not closed and said.count > 0,
        notes=_notes(group, tolerates),
    )


def _tally(group: _Group, answers: Mapping[PartyId, str]) -> dict[str, Fraction]:
    """Return what each option has: weight or members, or groups that are for it."""
    tally: dict[str, Fraction] = {}
    if group.families:
        for option in sorted(set(answers.values())):
            tally[option] = Fraction(_families_for(group, answers, option, ()))
        return tally
    for who, option in answers.items():
        tally[option] = tally.get(option, Fraction(0)) + group.weight(who)
    return tally


def _families_for(
    group: _Group, answers: Mapping[PartyId, str], option: str, missing: Collection[str]
) -> int:
    """Count the groups in which most members are for an option, or would be with the missing."""
    return sum(
        2 * sum(answers.get(who) == option or who in missing for who in family) > len(family)
        for family in group.families
    )


def _can_pass(group: _Group, said: _Said, *, closed: bool) -> bool:
    """Tell whether some option can still become enough."""
    options = {"yes"} if said.is_yes_no else {"", *said.answers.values()}
    missing = () if closed else said.missing
    if group.families:
        best = max(_families_for(group, said.answers, one, missing) for one in options)
        return group.is_enough(Fraction(best))
    tally = _tally(group, said.answers)
    rest = sum(map(group.weight, missing), Fraction(0))
    if not group.named and not closed:
        rest = Fraction(said.count)
    return any(group.is_enough(tally.get(one, Fraction(0)) + rest) for one in options)
