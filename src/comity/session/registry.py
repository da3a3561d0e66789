"""Registry: which machine decides a session of this kind?

Here: the table from kind to (start, step, reading of rules), loaded when first used; the
combinator that makes a machine of a rule that decides at once; where rules that name what follows
a failure turn into a chain.
Not here: the machines themselves, the chain (chain.py).
Sources: ARCHITECTURE contract 1 (rule or machine, no third shape); SEMANTICS G10.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, UnknownName, did_you_mean
from comity.core.results import Outcome
from comity.core.step import Input, Rejected, Step

__all__ = ["KINDS", "OTHERWISE", "Chained", "Machine", "at_once", "machine_of"]

Start = Callable[[Any], Step[Any]]
Advance = Callable[[Any, Input], Step[Any]]


@dataclass(frozen=True, slots=True)
class Machine:
    """How sessions of one kind run.

    Attributes:
        kind: the kind's name.
        start: rules -> first step.
        step: state, input -> next step.
        read_rules: recorded rules -> rules.
    """

    kind: str
    start: Start
    step: Advance
    read_rules: Callable[[JsonObject], Any]


OTHERWISE = "otherwise"
"""The entry of recorded rules that says what follows when nothing was decided (G10)."""


class Chained:
    """Rules or a state of a session that goes on when its first machine decides nothing."""

    __slots__ = ()

    def start(self) -> Step[Any]:
        """Return the first step; rules can."""
        raise NotImplementedError

    def step(self, happened: Input) -> Step[Any]:
        """Return the next step; a state can."""
        raise NotImplementedError


KINDS: dict[str, str] = {
    "consent": "comity.protocols.consent",
    "bargain": "comity.mechanisms.bargaining",
    "vote": "comity.protocols.collect",
    "review": "comity.protocols.review",
    "offers": "comity.protocols.offers",
    "bidding": "comity.protocols.bidding",
    "auction": "comity.mechanisms.auctions",
    "share": "comity.mechanisms.sharing",
    "arbitrate": "comity.mechanisms.arbitration",
    "deadlock": "comity.mechanisms.deadlock",
}
"""Kind -> the package whose attribute ``MACHINE`` is (start, step, read_rules), or whose
attribute ``RULE`` is (rule, read_rules)."""


def machine_of(kind: str) -> Machine:
    """Return the machine of a kind.

    Args:
        kind: as scenario files and ledgers name it.

    Returns:
        The machine.

    Raises:
        UnknownName: when there is no such kind.

    Example:
        >>> machine_of("consent").kind
        'consent'
    """
    if kind not in KINDS:
        raise UnknownName(
            Fault(f"kind {kind!r}", "does not exist", ", ".join(KINDS), did_you_mean(kind, KINDS))
        )
    package = import_module(KINDS[kind])
    if hasattr(package, "MACHINE"):
        start, step, read_rules = package.MACHINE
        return _chainable(Machine(kind, start, step, read_rules))
    rule, read_rules = package.RULE
    return _chainable(Machine(kind, at_once(rule), _after_the_end, read_rules))


def _chainable(machine: Machine) -> Machine:
    """Return a machine that becomes a chain under rules that name what follows (G10)."""

    def read_rules(data: JsonObject) -> Any:  # noqa: ANN401  # each kind has its own rules
        if OTHERWISE not in data:
            return machine.read_rules(data)
        return import_module("comity.session.chain").read_chain(machine, data)

    def start(rules: Any) -> Step[Any]:  # noqa: ANN401  # the same
        return rules.start() if isinstance(rules, Chained) else machine.start(rules)

    def step(state: Any, happened: Input) -> Step[Any]:  # noqa: ANN401  # each has its own state
        return (
            state.step(happened) if isinstance(state, Chained) else machine.step(state, happened)
        )

    return Machine(machine.kind, start, step, read_rules)


def at_once(rule: Callable[[Any], Outcome]) -> Start:
    """Make a machine's start of a rule that needs nobody's answer.

    Args:
        rule: rules -> result.

    Returns:
        A start whose first step is the last.

    Example:
        >>> from comity.core.results import Choice, Grounds
        >>> grounds = Grounds(rule="r", ended_by="e", inputs_digest="0")
        >>> at_once(lambda rules: Choice(option=rules, grounds=grounds))("B").outcome.option
        'B'
    """

    def start(rules: Any) -> Step[Any]:  # noqa: ANN401  # each kind has its own rules
        return Step(state=rules, outcome=rule(rules))

    return start


def _after_the_end(state: Any, happened: Input) -> Step[Any]:  # noqa: ANN401  # each machine has its own state
    rejected = Rejected(reason="ended", party=happened.party, hint="it was decided at once")
    return Step(state=state, rejected=(rejected,))
