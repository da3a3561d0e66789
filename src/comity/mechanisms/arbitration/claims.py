"""Claims: who wants it, and what does each claim say?

Here: one claim, reading what a caller hands in, every fault at once.
Not here: who wins (rules.py), claims from files (formats/).
Sources: SEMANTICS R2, G5, G7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact

__all__ = ["LONGEST_NAME", "Claim", "ReadClaims", "principal_fault", "read_claims"]

LONGEST_NAME = 200
"""The most characters of an agent's or a resource's name."""

_SHORT = 10**18
_FORM = "a pair (agent, priority), a Claim, or the name of an agent with a declared priority"


class Claim(NamedTuple):
    """One claim.

    Attributes:
        agent: who claims: a stable name, the same in every run.
        priority: how urgent it is; also the bid or the weight for rules that look for one.
        at: when it arrived: a time or a sequence number, for rules that look at arrival.
        bid: what it would pay, where that differs from the priority.

    Example:
        >>> Claim("a", 9).at is None
        True
    """

    agent: str
    priority: Exact = 0
    at: Exact | None = None
    bid: Exact | None = None


class ReadClaims(NamedTuple):
    """Claims as read: exact numbers, sorted by agent.

    Attributes:
        claims: every claim once.
        floats: whether any number came as a float.
    """

    claims: tuple[Claim, ...]
    floats: bool


def principal_fault(name: object, what: str) -> Fault | None:
    """Return the fault of a name that cannot stand for an agent or a resource, or None.

    Args:
        name: the name given.
        what: what is named.

    Example:
        >>> principal_fault("team/agent-1", "agent") is None, principal_fault(" ", "agent") is None
        (True, False)
    """
    if (
        isinstance(name, str)
        and 0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and name == name.strip()
    ):
        return None
    allowed = f"1 to {LONGEST_NAME} printable characters, no space at the ends"
    return Fault(f"{what} {shown(name)}", "cannot be used as a name", allowed, "rename it")


def read_claims(
    claims: object, declared: Mapping[str, Exact] | None = None, *, may_differ: bool = False
) -> ReadClaims:
    """Read the claims of one conflict.

    Args:
        claims: pairs (agent, priority), Claims, names of declared agents, or agent -> priority.
        declared: agent -> priority, where the policy declares them.
        may_differ: whether a claim may have another priority than the declared one.

    Returns:
        The claims.

    Raises:
        InvalidInput: for no claims, what is no claim, unusable, repeated or undeclared agents,
            numbers that are not finite and exact; all at once.

    Example:
        >>> read_claims([("b", 1.5), ("a", "1/3")]).claims[0]
        Claim(agent='a', priority=Fraction(1, 3), at=None, bid=None)
    """
    listed: list[object] = []
    if isinstance(claims, Mapping):
        listed = list(claims.items())
    elif isinstance(claims, Iterable) and not isinstance(claims, (str, bytes)):
        listed = list(claims)
    faults: list[Fault] = []
    found: dict[str, Claim] = {}
    floats = False
    for given in listed:
        quick = _read_plain(given)
        one, has_float = (quick, False) if quick else _read_one(given, declared, faults)
        floats |= has_float
        if one is None:
            continue
        if one.agent in found:
            what = "claims twice in one conflict"
            faults.append(Fault(f"agent {one.agent!r}", what, "one claim each", "remove one"))
        found[one.agent] = one
        if declared is not None:
            _check_declared(one, declared, faults, may_differ=may_differ)
    if not listed:
        faults.append(Fault("claims", f"are {shown(claims)}", f"a list of {_FORM}", "name them"))
    raise_if(faults)
    return ReadClaims(tuple(found[agent] for agent in sorted(found)), floats)


def _read_plain(given: object) -> Claim | None:
    """Return a claim that is a pair of a usable name and a whole number, as most are."""
    if type(given) is not tuple or len(given) != 2 or type(given[1]) is not int:
        return None
    agent, priority = given
    if abs(priority) > _SHORT or principal_fault(agent, "agent") is not None:
        return None
    return Claim(agent, priority)


def _read_one(
    given: object, declared: Mapping[str, Exact] | None, faults: list[Fault]
) -> tuple[Claim | None, bool]:
    if isinstance(given, str) and declared is not None:
        given = (given, declared.get(given, 0))
    if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= 4:
        faults.append(Fault("claims", f"list {shown(given)}", _FORM, "correct the claim"))
        return None, False
    agent = given[0]
    fault = principal_fault(agent, "agent")
    if fault is not None:
        faults.append(fault)
    numbers: list[Exact | None] = []
    for name, value in zip(("priority", "at", "bid"), given[1:], strict=False):
        if value is None and name != "priority":
            numbers.append(None)
            continue
        try:
            numbers.append(read_exact(value, f"claim of {shown(agent)}", name))
        except InvalidInput as error:
            faults.extend(error.faults)
    if fault is not None or len(numbers) + 1 < len(given):
        return None, False
    return Claim(agent, *numbers), any(isinstance(value, float) for value in given[1:])  # type: ignore[arg-type]  # the priority is never None


def _check_declared(
    one: Claim, declared: Mapping[str, Exact], faults: list[Fault], *, may_differ: bool
) -> None:
    if one.agent not in declared:
        near = did_you_mean(one.agent, declared)
        faults.append(Fault(f"agent {one.agent!r}", "is not declared", ", ".join(declared), near))
    elif one.priority != declared[one.agent] and not may_differ:
        faults.append(
            Fault(
                f"claim of {one.agent!r}",
                f"has the priority {one.priority}, declared is {declared[one.agent]}",
                "the declared priority",
                "correct the claim, or allow priorities per claim (a weaker promise)",
            )
        )
