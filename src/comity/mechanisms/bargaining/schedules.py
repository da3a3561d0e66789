"""Schedules: in which way does a party concede?

Here: the named concession schedules as values, and reading one from text, a list of offers or a
callable.
Not here: how much is conceded by which round (shares.py), prices and ticks (concession.py), which
schedules land on a wanted split (split.py).
Sources: SEMANTICS B3; Faratin, Sierra and Jennings 1998 (time-dependent and imitative tactics).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from comity.core.canonical import Json, plain
from comity.core.errors import Fault, InvalidInput, did_you_mean
from comity.core.exact import Exact, read_exact, show_number, to_fraction
from comity.core.parties import name_fault

__all__ = [
    "Number",
    "Schedule",
    "ScheduleFunction",
    "ScheduleKind",
    "ScheduleLike",
    "custom",
    "exponential",
    "fixed",
    "linear",
    "polynomial",
    "read_schedule",
    "table",
    "through",
    "tit_for_tat",
]

Number = Exact | float | str
ScheduleFunction = Callable[[int, int | None, Sequence[Exact], Sequence[Exact]], Number]
ScheduleKind = Literal[
    "linear", "polynomial", "exponential", "through", "fixed", "tit_for_tat", "table", "custom"
]
Mirror = Literal["relative", "absolute"]

_LARGEST_TERM = 5_000
_LARGEST_DENOMINATOR = 10**18
_WITH_PARAMETERS: dict[str, tuple[ScheduleKind, int]] = {
    "polynomial": ("polynomial", 1),
    "exponential": ("exponential", 1),
    "through": ("through", 2),
    "tit_for_tat": ("tit_for_tat", 1),
}
_LABELS: dict[str, tuple[str, ...]] = {
    "polynomial": ("e",),
    "exponential": ("half",),
    "through": ("at", "share"),
}
_TIMED = frozenset({"linear", "polynomial", "exponential", "through", "fixed"})


@dataclass(frozen=True, slots=True)
class Schedule:
    """How one party concedes; made by the functions of this module.

    Attributes:
        kind: which family it belongs to.
        parameters: the family's numbers, or the offers of a table.
        name: ``"relative"`` or ``"absolute"`` for tit-for-tat, the caller's name for a callable.
        function: the callable of a custom schedule.

    Example:
        >>> str(polynomial("0.2")), str(linear())
        ('polynomial:0.2', 'linear')
    """

    kind: ScheduleKind
    parameters: tuple[Exact, ...] = ()
    name: str = ""
    function: ScheduleFunction | None = None

    @property
    def is_timed(self) -> bool:
        """Whether its offers follow from the round alone and never go backwards."""
        return self.kind in _TIMED

    @property
    def needs_deadline(self) -> bool:
        """Whether it concedes by the share of the deadline that has passed."""
        return self.is_timed and self.kind != "fixed"

    def __str__(self) -> str:
        """Return the text that :func:`read_schedule` reads back."""
        words: list[str] = [self.kind]
        if self.kind == "table":
            words.append(",".join(str(plain(one)) for one in self.parameters))
        else:
            words.extend(str(plain(one)) for one in self.parameters)
        if self.name:
            words.append(self.name)
        return ":".join(words)

    def to_json(self) -> Json:
        """Return a table as its list of offers, every other schedule as text."""
        if self.kind == "table":
            return tuple(plain(one) for one in self.parameters)
        return str(self)


_NAMED: dict[str, Schedule] = {
    "linear": Schedule("linear"),
    "boulware": Schedule("polynomial", (Decimal("0.2"),)),
    "conceder": Schedule("polynomial", (5,)),
    "fixed": Schedule("fixed"),
    "tit_for_tat": Schedule("tit_for_tat", (), "relative"),
}

ScheduleLike = str | Schedule | Sequence[Number] | ScheduleFunction


# --- making one ------------------------------------------------------------------------------


def linear() -> Schedule:
    """Concede the same amount in every round.

    Returns:
        The schedule; t/T of the range is conceded by round t of T.

    Example:
        >>> from comity.mechanisms.bargaining import conceded
        >>> conceded(linear(), 1, 4)
        Fraction(1, 4)
    """
    return Schedule("linear")


def polynomial(e: Number) -> Schedule:
    """Concede (t/T)^(1/e) of the range: late for e < 1 (Boulware), early for e > 1.

    Args:
        e: a positive number; 0.2 has conceded 1/32 at half time, 1 half, 5 about 0.87. Its
            inverse, as a ratio in lowest terms, has no term above 5,000.

    Returns:
        The schedule. ``"boulware"`` is e = 0.2, ``"conceder"`` is e = 5.

    Raises:
        InvalidInput: when ``e`` is not such a number.

    Example:
        >>> from comity.mechanisms.bargaining import conceded
        >>> conceded(polynomial("0.2"), 5, 10), float(conceded(polynomial(5), 5, 10))
        (Fraction(1, 32), 0.870550563296)
    """
    return _build("polynomial", (e,), "polynomial schedule")


def exponential(half: Number) -> Schedule:
    """Concede along an exponential curve that has conceded ``half`` at half time.

    Args:
        half: a number between 0 and 1, both excluded; 1/2 is linear, less is Boulware.

    Returns:
        The schedule; with r = (1 - half)/half and x = t/T the share is
        (r^(2x) - 1) / (r^2 - 1).

    Raises:
        InvalidInput: when ``half`` is not such a number.

    Example:
        >>> from comity.mechanisms.bargaining import conceded
        >>> conceded(exponential("1/10"), 5, 10)
        Fraction(1, 10)
    """
    return _build("exponential", (half,), "exponential schedule")


def through(at: Number, share: Number) -> Schedule:
    """Concede along the power curve that has conceded ``share`` of the range at time ``at``.

    The same family as :func:`polynomial`, named by its effect instead of its exponent: 1/e is
    ln(share)/ln(at). At that time the share is exact.

    Args:
        at: the share of the deadline that has passed, between 0 and 1, both excluded.
        share: the share of the range conceded by then, between 0 (excluded) and 1.

    Returns:
        The schedule.

    Raises:
        InvalidInput: when one of them is outside its range.

    Example:
        >>> from comity.mechanisms.bargaining import conceded
        >>> conceded(through("2/5", "7/10"), 2, 5)
        Fraction(7, 10)
    """
    return _build("through", (at, share), "through schedule")


def fixed() -> Schedule:
    """Stay at the opening until the deadline, and for ever without one.

    Returns:
        The schedule.

    Example:
        >>> from comity.mechanisms.bargaining import conceded
        >>> conceded(fixed(), 4, 5), conceded(fixed(), 5, 5)
        (Fraction(0, 1), Fraction(1, 1))
    """
    return Schedule("fixed")


def tit_for_tat(mirror: Mirror = "relative") -> Schedule:
    """Mirror the other party's last concession.

    Args:
        mirror: ``"relative"`` moves by the same factor (all prices must be positive),
            ``"absolute"`` by the same amount.

    Returns:
        The schedule; it stands still until the other has moved.

    Raises:
        InvalidInput: for any other mirror.

    Example:
        >>> str(tit_for_tat("absolute"))
        'tit_for_tat:absolute'
    """
    return _build("tit_for_tat", (mirror,), "tit_for_tat schedule")


def table(offers: Sequence[Number]) -> Schedule:
    """Make the listed offers, one in each round; hold the last when the list is over.

    Args:
        offers: prices for rounds 0, 1, 2, ...; the first is the party's opening.

    Returns:
        The schedule.

    Raises:
        InvalidInput: for an empty list and offers that are not exact numbers.

    Example:
        >>> table([120, 110, 90]).parameters
        (120, 110, 90)
    """
    return _build("table", tuple(offers), "table schedule")


def custom(function: ScheduleFunction, name: str = "") -> Schedule:
    """Concede as a callable says.

    Args:
        function: called as ``function(t, T, mine, theirs)`` for every round after the first and
            before the deadline; ``T`` is the deadline (None without one), ``mine`` and
            ``theirs`` are the standing offers seen so far. It returns a price and must be pure.
        name: under this name the callable can be handed in again when a recorded negotiation is
            run again; without one it cannot.

    Returns:
        The schedule.

    Raises:
        InvalidInput: when ``function`` cannot be called or ``name`` is no name.

    Example:
        >>> str(custom(lambda t, T, *_: 120 - 10 * t, name="ten_a_round"))
        'custom:ten_a_round'
    """
    faults = [] if name == "" else [name_fault(name, "custom schedule")]
    if not callable(function):
        faults.append(
            Fault("custom schedule", f"is {function!r}", "a callable", "pass a function")
        )
    found = [fault for fault in faults if fault is not None]
    if found:
        raise InvalidInput(found)
    return Schedule("custom", (), name, function)


def read_schedule(value: object, whose: str = "schedule") -> Schedule:
    """Read a schedule from what a caller or a file gave.

    Args:
        value: a schedule; its name, with parameters behind colons (``"boulware"``,
            ``"polynomial:1/5"``, ``"exponential:0.1"``, ``"through:2/5:7/10"``,
            ``"tit_for_tat:absolute"``); a list of offers; or a callable.
        whose: the party it belongs to, for messages.

    Returns:
        The schedule.

    Raises:
        InvalidInput: for unknown names (with the nearest ones) and wrong parameters.

    Example:
        >>> read_schedule("boulware") == polynomial("0.2")
        True
        >>> read_schedule("boulwar", "seller")
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: seller: schedule 'boulwar' is unknown. Allowed: \
boulware, conceder, exponential:HALF, fixed, linear, polynomial:E, through:AT:SHARE, \
tit_for_tat[:absolute], a list of offers or a callable. Next: did you mean 'boulware'.
    """
    if isinstance(value, Schedule):
        if value.kind in ("linear", "fixed") or (value.kind == "custom" and value.function):
            return value
        raw = (value.name,) if value.kind == "tit_for_tat" else value.parameters
        return _build(value.kind, raw, whose)
    if isinstance(value, str):
        return _from_text(value.strip(), whose)
    if isinstance(value, (list, tuple)):
        return _build("table", tuple(value), whose)
    if callable(value):
        return Schedule("custom", (), "", value)
    raise InvalidInput(_unknown(value, whose))


def _from_text(text: str, whose: str) -> Schedule:
    word, *rest = text.split(":")
    if word == "custom" and len(rest) == 1:
        raise InvalidInput(
            Fault(
                whose,
                f"schedule {text!r} names a callable that was not handed in",
                "the callable under its name",
                f"pass schedules={{{rest[0]!r}: the callable}}",
            )
        )
    if not rest and word in _NAMED:
        return _NAMED[word]
    if word == "table" and rest:
        return _build("table", tuple(rest[0].split(",")), whose)
    if rest and word in _WITH_PARAMETERS and len(rest) == _WITH_PARAMETERS[word][1]:
        return _build(_WITH_PARAMETERS[word][0], tuple(rest), whose)
    raise InvalidInput(_unknown(text, whose))


def _unknown(value: object, whose: str) -> Fault:
    allowed = (
        "boulware, conceder, exponential:HALF, fixed, linear, polynomial:E, through:AT:SHARE, "
        "tit_for_tat[:absolute], a list of offers or a callable"
    )
    known = {*_NAMED, *_WITH_PARAMETERS}
    word = value.partition(":")[0] if isinstance(value, str) else ""
    if word in {*known, "custom"}:
        what = f"schedule {value!r} lacks a parameter or has one too many"
        return Fault(whose, what, allowed, "correct its parameters")
    return Fault(whose, f"schedule {value!r} is unknown", allowed, did_you_mean(word, known))


def _build(kind: ScheduleKind, raw: Sequence[object], whose: str) -> Schedule:
    if kind == "tit_for_tat":
        mirror = raw[0]
        if mirror not in ("relative", "absolute"):
            known = ("relative", "absolute")
            raise InvalidInput(
                Fault(
                    whose,
                    f"tit_for_tat mirrors {mirror!r}",
                    " or ".join(known),
                    did_you_mean(str(mirror), known),
                )
            )
        return Schedule(kind, (), str(mirror))
    numbers: list[Exact] = []
    faults: list[Fault] = []
    for at, one in enumerate(raw):
        field = f"offer {at} of the table" if kind == "table" else f"parameter of {kind}"
        try:
            numbers.append(read_exact(one, whose, field))
        except InvalidInput as error:
            faults.extend(error.faults)
    if not faults:
        faults.extend(_parameter_faults(kind, numbers, whose))
    if faults:
        raise InvalidInput(faults)
    return Schedule(kind, tuple(numbers))


def _parameter_faults(kind: ScheduleKind, numbers: list[Exact], whose: str) -> list[Fault]:
    if kind == "table":
        if numbers:
            return []
        return [Fault(whose, "the table of offers is empty", "one offer or more", "list them")]
    labels = _LABELS.get(kind, ())
    if len(labels) != len(numbers) or not labels:
        return [_unknown(str(Schedule(kind, tuple(numbers))), whose)]
    checks = zip(labels, numbers, strict=True)
    found = [_parameter_fault(kind, label, number, whose) for label, number in checks]
    return [fault for fault in found if fault is not None]


def _parameter_fault(kind: str, label: str, number: Exact, whose: str) -> Fault | None:
    if label == "e":
        return _exponent_fault(number, whose)
    if not 0 < number < 1 and not (label == "share" and number == 1):
        allowed = "above 0 and at most 1" if label == "share" else "above 0 and below 1"
        what = f"{label} of {kind} is {show_number(number)}"
        return Fault(whose, what, allowed, f"correct {label}")
    if to_fraction(number).denominator > _LARGEST_DENOMINATOR:
        what = f"{label} of {kind} has a denominator above 10^18"
        return Fault(whose, what, "a coarser ratio", f"round {label}")
    return None


def _exponent_fault(e: Exact, whose: str) -> Fault | None:
    if e <= 0:
        what = f"e of polynomial is {show_number(e)}"
        return Fault(
            whose, what, "a number above 0", "give 0.2 to concede late, 5 to concede early"
        )
    exponent = 1 / to_fraction(e)
    if max(exponent.numerator, exponent.denominator) <= _LARGEST_TERM:
        return None
    near = to_fraction(e).limit_denominator(100) or Fraction(1, _LARGEST_TERM)
    near = min(near, Fraction(_LARGEST_TERM))
    return Fault(
        whose,
        f"e of polynomial is {show_number(e)}, a ratio with a term above {_LARGEST_TERM:,}",
        f"a ratio of whole numbers up to {_LARGEST_TERM:,}",
        f"give e = {near}",
    )
