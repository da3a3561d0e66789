"""Opening an auction: is everything said that it needs, and does it fit together?

Here: building the rules from plain values with every fault at once, reading recorded ones.
Not here: the rules as values (rules.py), files (formats/bidding_file.py).
Sources: SEMANTICS A1 (the reserve is said), A2, G5, G6, G7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil
from typing import Any, Literal, get_args

from comity.core.canonical import JsonObject
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, like, read_exact, to_fraction
from comity.core.parties import PartyId, roster_of
from comity.mechanisms.auctions import auction_named
from comity.protocols.bidding.rules import MOST_LEVELS, BiddingLimits, BiddingRules, Mode
from comity.protocols.collect.rules import Changes

__all__ = ["SALES", "bidding_rules", "rules_from_json"]

SALES = ("second_price", "first_price", "uniform_price", "multi_unit_vcg")
"""Rules that sell by sealed bids; the first is meant when none is named, the last for units."""

_OF_CLOCK = ("start", "end", "step", "levels")
_OF_SEALED = ("rule", "commit", "units", "min_bidders")
_SETTINGS = ("mode", "unit", "changes", "limits", "work", *_OF_SEALED, *_OF_CLOCK)
_RECORDED = ("item", "order", "seed", "reserve", "mode", "rule", "limits")

_Prices = tuple[Exact, Exact, Exact]


def bidding_rules(
    item: str,
    bidders: Iterable[str],
    *,
    seed: str,
    reserve: object,
    **settings: Any,  # noqa: ANN401  # the attributes of BiddingRules
) -> BiddingRules:
    """Build the rules and refuse every fault at once.

    Args:
        item: what is sold.
        bidders: who may bid.
        seed: the seed of every lot.
        reserve: the least price; ``0`` says that there is none.
        **settings: the other attributes of `BiddingRules`; ``limits`` as a value; ``levels``, how
            many prices a clock has, in place of ``step``.

    Returns:
        The rules.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> clock = bidding_rules(
        ...     "a slot", ["ann", "bob"], seed="1", reserve=10, mode="dutch", start=50, levels=5
        ... )
        >>> clock.step, clock.end, clock.rule
        (10, 10, 'dutch_clock')
    """
    faults = [
        Fault("auction", f"has an unknown entry {shown(name)}", ", ".join(_SETTINGS),
              did_you_mean(name, _SETTINGS))
        for name in settings
        if name not in _SETTINGS
    ]  # fmt: skip
    told = {name: one for name, one in settings.items() if one is not None}
    if not str(item).strip():
        faults.append(Fault("auction", "sells nothing", "an item", "say what is sold"))
    mode = _mode(told.get("mode", "sealed"), faults)
    floor = _amount(reserve, "reserve", faults)
    limits = told.get("limits") or BiddingLimits()
    faults.extend(limits.faults())
    start, end, step = None, None, None
    if mode == "sealed":
        faults.extend(_misplaced(told, _OF_CLOCK, "a clock", mode))
        rule = _rule(told, faults)
    else:
        rule = f"{mode}_clock"
        given = {name: one for name, one in told.items() if not _is_default(name, one, rule)}
        faults.extend(_misplaced(given, _OF_SEALED, "sealed bids", mode))
        prices = _prices(told, mode, floor, faults)
        if prices is not None:
            start, end, step = prices
    rules = BiddingRules(
        item=str(item).strip(),
        bidders=_bidders(bidders, faults),
        seed=seed,
        reserve=floor,
        mode=mode,
        rule=rule,
        commit=_switch(told.get("commit", False), faults),
        unit=_text(told.get("unit", ""), "unit", faults),
        units=_count(told.get("units", 1), "units", faults),
        min_bidders=_count(told.get("min_bidders", 1), "min_bidders", faults),
        start=start,
        end=end,
        step=step,
        changes=_changes(told.get("changes", "last"), faults),
        limits=limits,
        work=_text(told.get("work", ""), "work", faults),
    )
    faults.extend(_unfit(rules))
    raise_if(faults)
    return rules


def _mode(given: object, faults: list[Fault]) -> Mode:
    known: tuple[Mode, ...] = get_args(Mode)
    for one in known:
        if given == one:
            return one
    near = did_you_mean(str(given), known)
    faults.append(Fault("auction", f"has the mode {shown(given)}", ", ".join(known), near))
    return "sealed"


def _changes(given: object, faults: list[Fault]) -> Changes:
    known: tuple[Changes, ...] = get_args(Changes)
    for one in known:
        if given == one:
            return one
    near = did_you_mean(str(given), known)
    faults.append(Fault("auction", f"has changes {shown(given)}", ", ".join(known), near))
    return "last"


def _rule(told: Mapping[str, Any], faults: list[Fault]) -> str:
    units = told.get("units", 1)
    given = told.get("rule") or SALES[-1 if units != 1 else 0]
    try:
        found = auction_named(str(given))
    except InvalidInput as error:
        faults.extend(error.faults)
        return SALES[0]
    if found not in SALES:
        what = f"sells by {shown(given)}, which one number per bidder cannot feed"
        faults.append(Fault("auction", what, ", ".join(SALES), "choose one of them"))
    return found


def _is_default(name: str, given: object, rule: str) -> bool:
    """Tell whether an entry says what a clock is anyway, as recorded rules do."""
    defaults = {"rule": rule, "commit": False, "units": 1, "min_bidders": 1}
    return name in defaults and type(given) is type(defaults[name]) and given == defaults[name]


def _misplaced(
    told: Mapping[str, Any], names: Iterable[str], belongs_to: str, mode: Mode
) -> list[Fault]:
    return [
        Fault("auction", f"states {name!r}, which belongs to {belongs_to}",
              f"nothing of it with the mode {mode!r}", "leave it out, or change the mode")
        for name in names
        if name in told
    ]  # fmt: skip


def _amount(given: object, name: str, faults: list[Fault]) -> Exact:
    try:
        found = read_exact(given, "auction", name)
    except InvalidInput as error:
        faults.extend(error.faults)
        return 0
    if found < 0:
        faults.append(Fault("auction", f"{name} is {found}", "0 or more", f"correct {name}"))
    return found


def _count(given: object, name: str, faults: list[Fault]) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given
    what = f"{name} is {shown(given)}"
    faults.append(Fault("auction", what, "a whole number from 1", f"correct {name}"))
    return 1


def _switch(given: object, faults: list[Fault]) -> bool:
    if isinstance(given, bool):
        return given
    what = f"commit is {shown(given)}"
    faults.append(Fault("auction", what, "true or false", "choose one"))
    return False


def _text(given: object, name: str, faults: list[Fault]) -> str:
    if isinstance(given, str):
        return given.strip() if name == "unit" else given
    faults.append(Fault("auction", f"{name} is {shown(given)}", "text", f"write {name} as text"))
    return ""


def _bidders(given: Iterable[str], faults: list[Fault]) -> tuple[PartyId, ...]:
    try:
        return roster_of(given).ids
    except InvalidInput as error:
        faults.extend(Fault("bidders", one.what if one.whose == "roster" else f"list a {one.whose}"
                            f" that {one.what}", one.allowed, one.next)
                      for one in error.faults)  # fmt: skip
        return ()


def _unfit(rules: BiddingRules) -> list[Fault]:
    """Return what does not go together in rules for sealed bids."""
    if rules.mode != "sealed":
        return []
    faults = []
    if rules.units > 1 and not rules.sells_units:
        what = f"sells {rules.units} units by {rules.rule}"
        faults.append(
            Fault("auction", what, "uniform_price, multi_unit_vcg", "choose one, or sell 1")
        )
    if rules.min_bidders > 1 and rules.sells_units:
        what = f"states min_bidders with {rules.rule}"
        faults.append(Fault("auction", what, "second_price, first_price", "leave it out"))
    if rules.min_bidders > len(rules.bidders) > 0:
        what = f"needs {rules.min_bidders} bidders of {len(rules.bidders)}"
        faults.append(Fault("auction", what, "no more than there are", "lower min_bidders"))
    return faults


# --- the prices of a clock -------------------------------------------------------------------


def _prices(
    told: Mapping[str, Any], mode: Literal["english", "dutch"], floor: Exact, faults: list[Fault]
) -> _Prices | None:
    """Return the first price, the last and how far it moves; None with the faults noted."""
    before = len(faults)
    own, other = ("start", "end") if mode == "english" else ("end", "start")
    at_floor = _amount(told[own], own, faults) if own in told else floor
    if to_fraction(at_floor) != to_fraction(floor):
        what = f"has the {own} {shown(at_floor)} and the reserve {shown(floor)}"
        faults.append(Fault("clock", what, f"the {own} at the reserve", f"leave {own} out"))
    if other not in told:
        goes = "ends" if mode == "english" else "starts"
        what = f"does not say where it {goes}"
        faults.append(Fault("clock", what, f"{other}, a price", f"say {other}"))
        return None
    far = _amount(told[other], other, faults)
    distance = to_fraction(far) - to_fraction(floor)
    if distance < 0:
        what = f"has the {other} {shown(far)}, below the reserve {shown(floor)}"
        faults.append(Fault("clock", what, f"{other} from {floor} up", f"correct {other}"))
    step = _step(told, distance, (floor, far), faults)
    if len(faults) > before:
        return None
    return (floor, far, step) if mode == "english" else (far, floor, step)


def _step(
    told: Mapping[str, Any], distance: Fraction, models: tuple[Exact, Exact], faults: list[Fault]
) -> Exact:
    if ("step" in told) == ("levels" in told):
        what = "states step and levels" if "step" in told else "states neither step nor levels"
        faults.append(Fault("clock", what, "one of them", "say how far a price moves, or how many "
                            "there are"))  # fmt: skip
        return 1
    if "levels" in told:
        levels = _count(told["levels"], "levels", faults)
        if levels < 2 or distance <= 0:
            what = f"has {levels} levels over a distance of {distance}"
            allowed = "2 or more over a distance above 0"
            faults.append(Fault("clock", what, allowed, "say step instead"))
            return 1
        step = like(distance / (levels - 1), *models)
    else:
        step = _amount(told["step"], "step", faults)
        if step <= 0:
            faults.append(Fault("clock", f"has the step {step}", "above 0", "correct step"))
            return 1
    count = ceil(distance / to_fraction(step)) + 1
    if count > MOST_LEVELS:
        what = f"has {count} prices"
        faults.append(Fault("clock", what, f"at most {MOST_LEVELS}", "take larger steps"))
    return step


# --- recorded rules --------------------------------------------------------------------------


def rules_from_json(data: JsonObject) -> BiddingRules:
    """Read rules that :meth:`BiddingRules.to_json` wrote.

    Args:
        data: the recorded rules.

    Returns:
        Equal rules.

    Raises:
        InvalidInput: when the record is damaged.

    Example:
        >>> rules = bidding_rules("a slot", ["ann", "bob"], seed="1", reserve="8.50", unit="GBP")
        >>> rules_from_json(rules.to_json()) == rules
        True
    """
    missing = [name for name in _RECORDED if name not in data]
    bidders, limits = data.get("order"), data.get("limits")
    if missing or not isinstance(bidders, (list, tuple)) or not isinstance(limits, Mapping):
        what = f"lack {', '.join(missing)}" if missing else "have no bidders and limits to read"
        raise InvalidInput(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    given: dict[str, Any] = {
        name: data[name] for name in _SETTINGS if name in data and name != "limits"
    }
    return bidding_rules(
        str(data["item"]),
        bidders,
        seed=str(data["seed"]),
        reserve=data["reserve"],
        limits=decode(BiddingLimits, limits, where="limits"),
        **given,
    )
