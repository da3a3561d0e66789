"""Standing: a claim as it is made, as it waits, what became of the last one, and of all.

Here: the four values, and reading a claim with every fault at once.
Not here: who wins (mechanisms/arbitration), what changes them (books.py).
Sources: SEMANTICS R2, R7, G7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from comity.core.canonical import Json, JsonObject, plain
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact
from comity.mechanisms.arbitration import RULES, Arbitration, Claim
from comity.mechanisms.arbitration.claims import principal_fault
from comity.protocols.claims.answers import Status
from comity.protocols.claims.rules import LONGEST_MS, DeskRules

__all__ = [
    "Fate",
    "Standing",
    "Tally",
    "Wanted",
    "claim_faults",
    "claim_of",
    "lease_faults",
    "length_faults",
    "name_faults",
    "read_wanted",
]

_AT_ONCE = "`Arbiter.decide` in Python"
_SELLS = frozenset({"second_price"})  # below the reserve nobody wins, and a price is to be paid


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an agent asks for.

    Attributes:
        resource: what it claims.
        agent: who claims: a stable name, the same in every run.
        priority: how urgent it is; the declared priority, else 0, when left out.
        lease_ms: how long it wants to hold it; as the rules say when left out.
        claim_ms: how long it waits for it; as the rules say when left out.
        is_open: whether whoever asks again under the same name is told of this claim, as long as
            nobody has been told of its lease; else only its maker is.

    Example:
        >>> Wanted("gpu", "a", 3).lease_ms is None
        True
    """

    resource: str
    agent: str
    priority: Exact | float | str | None = None
    lease_ms: int | None = None
    claim_ms: int | None = None
    is_open: bool = False


class Standing(NamedTuple):
    """A claim that waits.

    Attributes:
        number: its number at this desk, from 1.
        resource: what it is for.
        agent: whose it is.
        priority: how urgent it is.
        since_ms: when it was made.
        until_ms: when it lapses.
        lease_ms: how long the lease will last that it may win.
        is_open: as in :class:`Wanted`.

    Example:
        >>> one = Standing(1, "gpu", "a", 3, 0, 60_000, 1_000)
        >>> Standing.from_json(one.to_json()) == one
        True
    """

    number: int
    resource: str
    agent: str
    priority: Exact
    since_ms: int
    until_ms: int
    lease_ms: int
    is_open: bool = False

    def to_json(self) -> JsonObject:
        """Return every field; an open claim alone says so."""
        told: dict[str, Json] = {**self._asdict(), "priority": plain(self.priority)}
        if not self.is_open:
            del told["is_open"]
        return told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Standing:
        """Read what ``to_json`` wrote.

        Args:
            data: the object.
        """
        kept = {name: data[name] for name in cls._fields if name in data}
        return cls(**{**kept, "priority": read_exact(data["priority"], "claim", "priority")})


class Fate(NamedTuple):
    """What became of an agent's last claim on a resource.

    Attributes:
        number: the number of the claim.
        status: how it stands.
        token: the token of its lease, or None.
        conflict: the number of the conflict it won, or None.
        cycle: the circle it would have closed.

    Example:
        >>> Fate(1, "granted", 7, 3).token
        7
    """

    number: int
    status: Status
    token: int | None = None
    conflict: int | None = None
    cycle: tuple[str, ...] = ()


class Tally(NamedTuple):
    """What has become of all of an agent's claims on a resource.

    Attributes:
        wins: how often it won: leases whose claimant was told, and conflicts without a lease.
        unused: leases it won while it waited, that ended before anybody asked for them.
        turned_away: claims since its last win that ran out while they waited.
        since_ms: when it first claimed after its last win, or None.
        priority: the priority of its last claim, or None.

    Example:
        >>> tally = Tally(turned_away=40, priority=3)
        >>> Tally.from_json(tally.to_json()) == tally
        True
    """

    wins: int = 0
    unused: int = 0
    turned_away: int = 0
    since_ms: int | None = None
    priority: Exact | None = None

    def to_json(self) -> list[Json]:
        """Return every field."""
        return [*self[:-1], plain(self.priority)]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Tally:
        """Read what ``to_json`` wrote.

        Args:
            data: the list.
        """
        wins, unused, turned_away, since_ms, given = data
        priority = None if given is None else read_exact(given, "tally", "priority")
        return cls(wins, unused, turned_away, since_ms, priority)


def claim_of(standing: Standing, rules: DeskRules) -> Claim | tuple[str, Exact]:
    """Return a waiting claim as a rule looks at it.

    Args:
        standing: the claim.
        rules: the desk's.

    Example:
        >>> claim_of(Standing(1, "gpu", "a", 3, 0, 9, 9), DeskRules())
        ('a', 3)
    """
    if "at" in RULES[rules.policy.rule].needs:
        return Claim(standing.agent, standing.priority, standing.number)
    return standing.agent, standing.priority


def read_wanted(wanted: Wanted, rules: DeskRules, engine: Arbitration) -> Standing:
    """Read what is asked for; number and times are still to be set.

    Args:
        wanted: the claim as it came.
        rules: the desk's.
        engine: who would decide it.

    Returns:
        The claim with its lengths of time in ``until_ms`` and ``lease_ms``.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> rules = DeskRules()
        >>> read_wanted(Wanted("gpu", "a", "1/2"), rules, Arbitration(seed="")).priority
        Fraction(1, 2)
    """
    faults = name_faults({"resource": wanted.resource, "agent": wanted.agent})
    priority = _priority(wanted, rules, faults)
    is_readable = not faults
    for name in ("lease_ms", "claim_ms"):
        value = getattr(wanted, name)
        faults.extend([] if value is None else length_faults(name, value))
    faults.extend(lease_faults(rules))
    standing = Standing(
        0,
        wanted.resource,
        wanted.agent,
        priority,
        0,
        rules.claim_ms if wanted.claim_ms is None else wanted.claim_ms,
        rules.lease_ms if wanted.lease_ms is None else wanted.lease_ms,
        wanted.is_open,
    )
    if is_readable:
        faults.extend(claim_faults(standing, rules, engine))
    raise_if(faults)
    return standing


def _priority(wanted: Wanted, rules: DeskRules, faults: list[Fault]) -> Exact:
    """Return the priority given, else the declared one, else 0."""
    given = wanted.priority
    if given is None:
        return next((one for name, one in rules.policy.priorities if name == wanted.agent), 0)
    try:
        return read_exact(given, f"claim of {shown(wanted.agent)}", "priority")
    except InvalidInput as error:
        faults.extend(error.faults)
        return 0


def claim_faults(standing: Standing, rules: DeskRules, engine: Arbitration) -> list[Fault]:
    """Return why a claim cannot be decided under the rules, such as a weight of 0.

    Args:
        standing: the claim.
        rules: the desk's.
        engine: who would decide it.

    Example:
        >>> one = Standing(1, "gpu", "a", 3, 0, 9, 9)
        >>> claim_faults(one, DeskRules(), Arbitration(seed=""))
        []
    """
    claims = {standing.resource: [claim_of(standing, rules)]}
    faults = list(engine.faults_of(claims, 0))
    try:
        Arbitration(rules.policy, seed="").round(claims, 0)  # what only its scoring refuses
    except InvalidInput as error:
        faults.extend(error.faults)
    return list(dict.fromkeys(faults))


def name_faults(names: Mapping[str, object]) -> list[Fault]:
    """Return the faults of names that cannot be used.

    Args:
        names: what is named -> the name.

    Example:
        >>> [str(one.whose) for one in name_faults({"agent": "a", "resource": " "})]
        ["resource ' '"]
    """
    found = (principal_fault(name, what) for what, name in names.items())
    return [one for one in found if one is not None]


def length_faults(name: str, value: object) -> list[Fault]:
    """Return the fault of a length of time that is none.

    Args:
        name: what is so long.
        value: the length, in milliseconds.

    Example:
        >>> length_faults("lease_ms", 5)
        []
    """
    if type(value) is int and 1 <= value <= LONGEST_MS:
        return []
    allowed = f"a whole number from 1 to {LONGEST_MS}"
    return [Fault("claim", f"{name} is {shown(value)}", allowed, f"correct {name}")]


def lease_faults(rules: DeskRules) -> list[Fault]:
    """Return why this policy cannot give a lease to one claimant at a time.

    Args:
        rules: the desk's.

    Example:
        >>> lease_faults(DeskRules())
        []
    """
    faults = []
    name = rules.policy.rule
    if not _gives_leases(name):
        working = ", ".join(one for one in RULES if _gives_leases(one))
        allowed = f"a rule that picks one winner whenever somebody claims: {working}"
        do = f"choose one of them, or hand in all claims at once ({_AT_ONCE})"
        faults.append(Fault(f"rule {name}", "gives no leases", allowed, do))
    if rules.policy.units != 1:
        what = f"has {rules.policy.units} winners for each conflict"
        do = f"set the desk's capacity instead, or hand in all claims at once ({_AT_ONCE})"
        faults.append(Fault("policy", what, "units = 1 where leases are given", do))
    return faults


def _gives_leases(name: str) -> bool:
    """Tell whether a rule picks one winner whenever somebody claims."""
    return RULES[name].picks in {"maximum", "weighted"} and name not in _SELLS
