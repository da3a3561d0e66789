"""Registry: which strategy is called what, and how is it written?

Here: a strategy as a small value with a text form, the player it starts, the table of names.
Not here: any strategy; the rules of the table they play at (several.py, protocols/offers).
Sources: SEMANTICS M3; the text form is ``name`` or ``name:parameter``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean, shown
from comity.core.exact import Exact, read_exact, show_number
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView
from comity.mechanisms.bargaining.schedules import Schedule, read_schedule

__all__ = ["STRATEGIES", "Entry", "Player", "Seat", "Strategy", "read_strategy", "strategy"]


class Player(Protocol):
    """One party at the table: it remembers what it heard and decides when it is asked.

    It sees its own view, the public offers and the round, nothing else. Rounds are 0 to
    rounds - 1. The same calls in the same order get the same answers.

    Attributes:
        is_waiting: whether nothing it offers or accepts changes until somebody else offers
            something new.
    """

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for something new."""
        ...

    def offer(self, at: int) -> int | None:
        """Return the deal it offers in a round; None when there is none that it would accept."""
        ...

    def hears(self, at: int, by: PartyId, outcome: int) -> None:
        """Take in an offer of another party, in the round in which it is made."""
        ...

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:
        """Tell whether it accepts the standing offer of another party, which it has heard."""
        ...


class Seat(NamedTuple):
    """What a strategy starts from.

    Attributes:
        view: the party's own table, with at least one deal that it would accept.
        rounds: how many rounds there are.
        others: the other parties, sorted.
        seed: the recorded seed.
        strategy: the strategy with its parameter.
    """

    view: OwnView
    rounds: int
    others: tuple[PartyId, ...]
    seed: str
    strategy: Strategy


class Entry(NamedTuple):
    """One line of the table.

    Attributes:
        start: makes the player.
        default: the parameter when none is written; None for strategies without one.
        above: the parameter is above this.
        below: and below this, when there is a bound.
    """

    start: Callable[[Seat], Player]
    default: str | None = None
    above: int = 0
    below: int | None = None


class _Unwilling:
    """A party that would accept no deal at all: it offers none, whatever its strategy."""

    is_waiting = True

    def offer(self, at: int) -> int | None:  # noqa: ARG002  # as all players
        return None

    def hears(self, at: int, by: PartyId, outcome: int) -> None:
        """Take in nothing."""

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:  # noqa: ARG002  # as all players
        return False


STRATEGIES: dict[str, Entry] = {}
"""Name -> how it starts and which parameter it takes."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a party plays: a name and perhaps a parameter.

    Attributes:
        name: as in the table.
        parameter: None when the strategy takes none.

    Example:
        >>> str(read_strategy("boulware:0.1")), str(read_strategy("micro"))
        ('boulware:0.1', 'micro')
    """

    name: str
    parameter: Exact | None = None

    @property
    def schedule(self) -> Schedule | None:
        """How it concedes when that follows from the round alone; None for all others."""
        if self.name == "linear":
            return Schedule("linear")
        if self.name in ("boulware", "conceder") and self.parameter is not None:
            return Schedule("polynomial", (self.parameter,))
        return None

    def start(self, view: OwnView, rounds: int, seats: Sequence[PartyId], seed: str) -> Player:
        """Return a player that has heard nothing yet.

        Args:
            view: the party's own table.
            rounds: how many rounds there are, 1 or more.
            seats: all parties, this one too, in any order.
            seed: of its lots between equally good deals.
        """
        if not len(view.order):
            return _Unwilling()
        others = tuple(sorted(one for one in seats if one != view.party))
        return STRATEGIES[self.name].start(Seat(view, rounds, others, seed, self))

    def __str__(self) -> str:
        """Return the text that :func:`read_strategy` reads back."""
        return _written(self)


@lru_cache(maxsize=256)
def _written(one: Strategy) -> str:
    if one.parameter is None:
        return one.name
    return f"{one.name}:{show_number(one.parameter).split(' ')[0]}"


def strategy(
    name: str, *, default: str | None = None, above: int = 0, below: int | None = None
) -> Callable[[Callable[[Seat], Player]], Callable[[Seat], Player]]:
    """Register how the players of a strategy start.

    Args:
        name: as callers and files write it.
        default: the parameter when none is written; None for strategies without one.
        above: the parameter is above this.
        below: and below this, when there is a bound.

    Returns:
        A decorator that changes nothing.

    Example:
        >>> strategy("example")(len) is len, STRATEGIES.pop("example").default
        (True, None)
    """

    def register(start: Callable[[Seat], Player]) -> Callable[[Seat], Player]:
        STRATEGIES[name] = Entry(start, default, above, below)
        return start

    return register


def read_strategy(value: object, whose: str = "strategy") -> Strategy:
    """Read a strategy from what a caller or a file gave.

    Args:
        value: a strategy, or its text: ``"micro"``, ``"boulware"``, ``"boulware:0.1"``. Dashes
            and spaces in names count as underscores.
        whose: the party it belongs to, for messages.

    Returns:
        The strategy with its parameter filled in.

    Raises:
        InvalidInput: for unknown names (with the nearest ones) and wrong parameters.

    Example:
        >>> read_strategy("boulware").parameter
        Decimal('0.2')
        >>> read_strategy("bulware", "ann")
        Traceback (most recent call last):
        comity.core.errors.UnknownName: ann: strategy 'bulware' is unknown. Allowed: \
boulware[:e], comity, conceder[:e], hardliner, linear, micro, nice_tit_for_tat, tit_for_tat. \
Next: did you mean 'boulware'.
    """
    if isinstance(value, Strategy):
        parameter = None if value.parameter is None else str(value.parameter)
        return _built(value.name, parameter, whose)
    if not isinstance(value, str):
        raise InvalidInput(
            Fault(whose, f"strategy is {shown(value)}", "a strategy or its name", "name one")
        )
    name, colon, parameter = value.strip().partition(":")
    word = name.strip().casefold().replace("-", "_").replace(" ", "_")
    return _built(word, parameter if colon else None, whose)


@lru_cache(maxsize=256)
def _built(name: str, parameter: str | None, whose: str) -> Strategy:
    entry = STRATEGIES.get(name)
    if entry is None:
        listed = ", ".join(
            one if STRATEGIES[one].default is None else f"{one}[:e]" for one in sorted(STRATEGIES)
        )
        next_step = did_you_mean(name, STRATEGIES)
        raise UnknownName(Fault(whose, f"strategy {shown(name)} is unknown", listed, next_step))
    if entry.default is None:
        if parameter is None:
            return Strategy(name)
        what = f"strategy {name} has the parameter {shown(parameter)}"
        raise InvalidInput(Fault(whose, what, f"{name} without one", f"write {name}"))
    found = read_exact(entry.default if parameter is None else parameter, whose, f"e of {name}")
    if found <= entry.above or (entry.below is not None and found >= entry.below):
        bound = "" if entry.below is None else f" and below {entry.below}"
        what = f"e of {name} is {show_number(found)}"
        allowed = f"a number above {entry.above}{bound}"
        raise InvalidInput(Fault(whose, what, allowed, f"write {name}:{entry.default}"))
    read_schedule(Schedule("polynomial", (found,)), whose)
    return Strategy(name, found)
