"""Reading: are these rules whole, and what do they say exactly?

Here: the reading of price rules with every fault at once, and their JSON, from which the same
negotiation runs again.
Not here: the rules themselves (rules.py), the run (price.py).
Sources: SEMANTICS B1, G5, G7, K2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, cast, get_args

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.core.exact import Exact, read_exact, show_number
from comity.core.parties import name_fault
from comity.mechanisms.bargaining.conventions import CONVENTIONS
from comity.mechanisms.bargaining.guards import Role
from comity.mechanisms.bargaining.rules import (
    MOST_ROUNDS,
    ROUND_LIMIT,
    AfterDeadline,
    PriceParty,
    PriceRules,
    Seat,
    Terms,
)
from comity.mechanisms.bargaining.schedules import (
    Number,
    Schedule,
    ScheduleFunction,
    custom,
    read_schedule,
)

__all__ = ["price_rules_from_json", "price_rules_to_json", "read_rules", "read_span"]

_ROLES: tuple[Role, ...] = get_args(Role)
_AFTER_DEADLINE: tuple[AfterDeadline, ...] = get_args(AfterDeadline)


def read_rules(rules: PriceRules, more: Iterable[Fault] = ()) -> Terms:
    """Check rules as a whole and make every number exact.

    Args:
        rules: the rules as stated.
        more: faults that were found before; they are reported together with those found here.

    Returns:
        The rules with defaults filled in.

    Raises:
        InvalidInput: with every fault at once, each naming its party.

    Example:
        >>> wrong = PriceParty(role="seller", opening=60, reservation=70, deadline=-1)
        >>> right = PriceParty(role="buyer", opening=60, reservation=100, deadline=5)
        >>> read_rules(PriceRules(parties=(right, wrong)))
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: seller: opens at 60, below its reservation 70. Allowed: \
an opening at or above 70. Next: raise the opening or lower the reservation.
        seller: deadline is -1. Allowed: a whole number from 0 to 1,000,000, or None. Next: \
correct the deadline.
    """
    reading = _Reading(more)
    read = [_read_seat(party, reading) for party in rules.parties]
    seats = [seat for seat in read if seat is not None]
    for seat in seats:
        _check_mirror(seat, seats, reading)
    reading.faults.extend(_pair_faults(rules.parties))
    first = _read_first(rules, reading)
    _check_switches(rules, reading)
    _check_times(rules, reading)
    tick = None if rules.tick is None else reading.exact(rules.tick, "rules", "tick")
    if tick is not None and tick <= 0:
        what = f"tick is {show_number(tick)}"
        reading.faults.append(Fault("rules", what, "a number above 0", "correct the tick"))
    thin_gap = reading.exact(rules.thin_gap, "rules", "thin_gap")
    if thin_gap is not None and thin_gap < 0:
        what = f"thin_gap is {show_number(thin_gap)}"
        reading.faults.append(Fault("rules", what, "0 or more", "correct thin_gap"))
    raise_if(reading.faults)
    by_role = {seat.role: seat for seat in seats}
    limit = rules.round_limit
    if limit is None and any(seat.deadline is None for seat in seats):
        limit = ROUND_LIMIT
    return Terms(
        buyer=by_role["buyer"],
        seller=by_role["seller"],
        convention=rules.convention,
        first=first,
        blind=rules.blind,
        stall=rules.stall,
        monotonic=rules.monotonic,
        tick=tick,
        round_limit=limit,
        time_limit_ms=rules.time_limit_ms,
        readings_ms=tuple(rules.readings_ms),
        thin_gap=thin_gap or 0,
    )


def read_span(span: object, role: Role, faults: list[Fault]) -> tuple[Number, Number]:
    """Read an opening and a reservation given as a pair.

    Args:
        span: what was given.
        role: whose it is.
        faults: where a fault is noted when it is no pair; a stand-in is returned then.

    Returns:
        The opening and the reservation, not yet read as numbers.

    Example:
        >>> read_span((60, 100), "buyer", [])
        (60, 100)
    """
    if isinstance(span, (list, tuple)) and len(span) == 2:
        return span[0], span[1]
    allowed = "its opening and its reservation, two prices"
    faults.append(Fault(role, f"is {span!r}", allowed, f"write {role}=(opening, reservation)"))
    return 1, 1


class _Reading:
    """Reads values one by one and keeps every fault."""

    __slots__ = ("faults",)

    def __init__(self, more: Iterable[Fault] = ()) -> None:
        self.faults = list(more)

    def exact(self, value: object, whose: str, field: str) -> Exact | None:
        if type(value) is int:
            return value
        try:
            return read_exact(value, whose, field)
        except InvalidInput as error:
            self.faults.extend(error.faults)
            return None

    def whole(self, value: object, whose: str, field: str, span: tuple[int, int | None]) -> None:
        low, high = span
        if type(value) is int and value >= low and (high is None or value <= high):
            return
        allowed = f"a whole number from {low} to {high:,}" if high else f"{low} or more"
        none = ", or None" if field in {"deadline", "round_limit", "time_limit_ms"} else ""
        self.faults.append(
            Fault(whose, f"{field} is {value!r}", allowed + none, f"correct the {field}")
        )

    def choice(self, value: object, whose: str, field: str, known: Sequence[str]) -> bool:
        if value in known:
            return True
        what = f"{field} {value!r} is unknown"
        self.faults.append(Fault(whose, what, " or ".join(known), did_you_mean(str(value), known)))
        return False


def _whose(party: PriceParty) -> str:
    return party.name if party.name is not None else str(party.role)


def _read_seat(party: PriceParty, reading: _Reading) -> Seat | None:
    before = len(reading.faults)
    whose = _whose(party)
    fault = None if party.name is None else name_fault(whose, "party")
    if fault is not None:
        reading.faults.append(fault)
    known_role = reading.choice(party.role, whose, "role", _ROLES)
    opening = reading.exact(party.opening, whose, "opening")
    reservation = reading.exact(party.reservation, whose, "reservation")
    if known_role and opening is not None and reservation is not None:
        reading.faults.extend(_side_faults(party.role, whose, opening, reservation))
    if party.deadline is not None:
        reading.whole(party.deadline, whose, "deadline", (0, MOST_ROUNDS))
    schedule = _read_schedule(party, whose, reading)
    reading.choice(party.after_deadline, whose, "after_deadline", _AFTER_DEADLINE)
    if party.after_deadline == "leave" and party.deadline is None:
        reading.faults.append(
            Fault(whose, "leaves after a deadline it does not have", "a deadline", "state one")
        )
    discount = reading.exact(party.discount, whose, "discount")
    if discount is not None and not 0 < discount <= 1:
        what = f"discount is {show_number(discount)}"
        reading.faults.append(Fault(whose, what, "above 0 and at most 1", "correct the discount"))
    is_whole = len(reading.faults) == before
    if not is_whole or not schedule or opening is None or reservation is None or discount is None:
        return None
    if schedule.kind == "table":
        reading.faults.extend(_table_faults(party.role, whose, schedule, opening, reservation))
    return Seat(
        whose,
        party.role,
        opening,
        reservation,
        party.deadline,
        schedule,
        party.after_deadline,
        discount,
    )


def _side_faults(role: Role, whose: str, opening: Exact, reservation: Exact) -> list[Fault]:
    is_wrong = opening > reservation if role == "buyer" else opening < reservation
    if not is_wrong:
        return []
    beyond, within = ("above", "below") if role == "buyer" else ("below", "above")
    raises, lowers = ("reservation", "opening") if role == "buyer" else ("opening", "reservation")
    limit = show_number(reservation)
    return [
        Fault(
            whose,
            f"opens at {show_number(opening)}, {beyond} its reservation {limit}",
            f"an opening at or {within} {limit}",
            f"raise the {raises} or lower the {lowers}",
        )
    ]


def _read_schedule(party: PriceParty, whose: str, reading: _Reading) -> Schedule | None:
    try:
        schedule = read_schedule(party.schedule, whose)
    except InvalidInput as error:
        reading.faults.extend(error.faults)
        return None
    if schedule.needs_deadline and party.deadline is None:
        reading.faults.append(
            Fault(
                whose,
                f"concedes by {schedule.kind} schedule without a deadline",
                "a deadline, or fixed, tit_for_tat, a table or a callable",
                "state the deadline in rounds",
            )
        )
    return schedule


def _table_faults(
    role: Role, whose: str, schedule: Schedule, opening: Exact, reservation: Exact
) -> list[Fault]:
    offers = schedule.parameters
    faults = []
    if offers[0] != opening:
        what = (
            f"its table starts at {show_number(offers[0])}, its opening is {show_number(opening)}"
        )
        faults.append(Fault(whose, what, "the opening as the first offer", "make them equal"))
    for at, offer in enumerate(offers):
        if (offer > reservation) if role == "buyer" else (offer < reservation):
            what = f"offer {at} of its table is {show_number(offer)}, past its reservation"
            allowed = f"offers up to {show_number(reservation)}"
            faults.append(Fault(whose, what, allowed, "correct the offer"))
    return faults


def _pair_faults(parties: Sequence[PriceParty]) -> list[Fault]:
    names = sorted(_whose(party) for party in parties)
    roles = sorted(str(party.role) for party in parties)
    if roles == ["buyer", "seller"]:
        if names[0] != names[1]:
            return []
        allowed = "two different names"
        return [Fault(names[0], "names both parties", allowed, "rename one party")]
    if not set(roles) <= set(_ROLES):
        return []  # an unknown role is a fault of its own
    what = f"bargain as {', '.join(roles) or 'no role'}"
    who = " and ".join(names) or "nobody"
    return [Fault(who, what, "one buyer and one seller", "give each party its role")]


def _read_first(rules: PriceRules, reading: _Reading) -> Role | None:
    known = reading.choice(rules.convention, "rules", "convention", CONVENTIONS)
    if rules.first is None:
        return "buyer" if known and rules.convention != "midpoint" else None
    if reading.choice(rules.first, "rules", "first", _ROLES) and rules.convention == "midpoint":
        what = f"first is {rules.first!r}, but the midpoint treats both alike"
        reading.faults.append(Fault("rules", what, "no first", "leave first out"))
    return rules.first


def _check_switches(rules: PriceRules, reading: _Reading) -> None:
    for field in ("blind", "monotonic"):
        value = getattr(rules, field)
        if not isinstance(value, bool):
            what = f"{field} is {value!r}"
            reading.faults.append(Fault("rules", what, "True or False", f"correct {field}"))
    reading.whole(rules.stall, "rules", "stall", (1, None))
    if rules.round_limit is not None:
        reading.whole(rules.round_limit, "rules", "round_limit", (0, None))


def _check_times(rules: PriceRules, reading: _Reading) -> None:
    if rules.time_limit_ms is not None:
        reading.whole(rules.time_limit_ms, "rules", "time_limit_ms", (0, None))
        if not rules.readings_ms:
            what = "a time limit is set and no clock readings are handed in"
            allowed = "readings_ms, the clock at each round"
            reading.faults.append(
                Fault("rules", what, allowed, "pass readings_ms or leave time_limit_ms out")
            )
    for at, value in enumerate(rules.readings_ms):
        reading.whole(value, "rules", f"reading {at} of readings_ms", (0, None))


def _check_mirror(seat: Seat, seats: Sequence[Seat], reading: _Reading) -> None:
    """Refuse a mirror of factors where a price may be zero or negative."""
    if seat.schedule.kind != "tit_for_tat" or seat.schedule.name != "relative":
        return
    prices = [price for one in seats for price in (one.opening, one.reservation)]
    if min(prices) <= 0:
        reading.faults.append(
            Fault(
                seat.name,
                "mirrors concessions by their factor where a price is 0 or below",
                "openings and reservations above 0",
                "use tit_for_tat:absolute",
            )
        )


# --- JSON ------------------------------------------------------------------------------------


def price_rules_to_json(rules: PriceRules) -> JsonObject:
    """Return rules as plain JSON with exact numbers.

    Args:
        rules: the rules.

    Returns:
        The JSON object; its digest is the one in the grounds of the result.

    Raises:
        InvalidInput: when the rules have faults.

    Example:
        >>> buyer = PriceParty(role="buyer", opening=60, reservation=100, deadline=5)
        >>> seller = PriceParty(role="seller", opening=120, reservation="70.5", deadline=5)
        >>> price_rules_to_json(PriceRules(parties=(buyer, seller)))["parties"][1]["reservation"]
        '70.5'
    """
    return cast("JsonObject", plain(read_rules(rules).to_json()))


def price_rules_from_json(
    data: object, *, schedules: Mapping[str, ScheduleFunction] | None = None
) -> PriceRules:
    """Read rules that :func:`price_rules_to_json` wrote.

    Args:
        data: the JSON object.
        schedules: name -> callable for every custom schedule that was named.

    Returns:
        The rules; negotiating by them gives the recorded result again.

    Raises:
        InvalidInput: for unknown fields and for a party or rules that are not objects.

    Example:
        >>> buyer = PriceParty(role="buyer", opening=60, reservation=100, deadline=5)
        >>> seller = PriceParty(role="seller", opening=120, reservation="70.5", deadline=5)
        >>> rules = PriceRules(parties=(buyer, seller))
        >>> data = price_rules_to_json(rules)
        >>> price_rules_to_json(price_rules_from_json(data)) == data
        True
    """
    body = _object(data, "rules", PriceRules)
    parties = body.pop("parties")
    if not isinstance(parties, (list, tuple)):
        raise InvalidInput(Fault("rules", "parties is no list", "a list of two", "correct it"))
    read = []
    for at, party in enumerate(parties):
        values = _object(party, f"party {at + 1}", PriceParty)
        word, _, name = str(values.get("schedule", "linear")).partition(":")
        if word == "custom" and schedules and name in schedules:
            values["schedule"] = custom(schedules[name], name)
        read.append(PriceParty(**values))
    return PriceRules(parties=tuple(read), **body)


def _object(data: object, whose: str, cls: type) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise InvalidInput(Fault(whose, f"is {data!r}", "an object", "give its fields"))
    names = [field.name for field in fields(cls)]
    faults = [
        Fault(whose, f"has an unknown field {key!r}", ", ".join(names), did_you_mean(key, names))
        for key in data
        if key not in names
    ]
    for field in fields(cls):
        if field.default is MISSING and field.name not in data:
            faults.append(Fault(whose, f"lacks {field.name}", "all fields", f"add {field.name}"))
    raise_if(faults)
    return dict(data)
