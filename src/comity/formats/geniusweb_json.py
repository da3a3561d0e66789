"""GeniusWeb JSON: what do a domain and profiles written for GeniusWeb say, in and out?

Here: reading ``issuesValues`` and ``LinearAdditiveUtilitySpace``, and writing both.
Not here: Genius XML (genius_xml.py), what such files cannot hold (file_losses.py).
Sources: SEMANTICS M1; the GeniusWeb core documentation. Utilities of options lie in 0..1 and are
not rescaled; the weights sum to 1; the reservation is a bid, and its utility is the reservation
value. A profile carries its domain, so that profiles alone are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact, show_number, to_fraction
from comity.formats.genius_xml import genius_parties
from comity.formats.loaded_problem import LoadedProblem, bytes_of
from comity.formats.number_grid import number_name, stepped
from comity.formats.scenario import LARGEST_FILE, json_data
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import Additive, additive, read_value
from comity.mechanisms.bargaining.problem import problem_of

__all__ = ["geniusweb_data", "is_domain", "is_profile", "read_geniusweb", "read_geniusweb_data"]

_SPACE = "LinearAdditiveUtilitySpace"
_ISSUES = "issuesValues"
_A_FILE = "a GeniusWeb domain (issuesValues) with its profiles (LinearAdditiveUtilitySpace)"
_TABLES = ("discreteutils", "DiscreteValueSetUtilities")
_NUMBERS = ("numberutils", "NumberValueSetUtilities")
_ENDS = ("lowValue", "lowUtility", "highValue", "highUtility")
_MOST_FILES = 1000
_HELPED = 20  # values that do not exist and are told the nearest that does
_OFF_BY = Fraction(1, 1_000_000)


def is_domain(data: object) -> bool:
    """Tell whether JSON data are a GeniusWeb domain.

    Example:
        >>> is_domain({"issuesValues": {}}), is_domain([])
        (True, False)
    """
    return isinstance(data, Mapping) and _ISSUES in data


def is_profile(data: object) -> bool:
    """Tell whether JSON data are a GeniusWeb profile of the additive kind.

    Example:
        >>> is_profile({"LinearAdditiveUtilitySpace": {}}), is_profile({})
        (True, False)
    """
    return isinstance(data, Mapping) and _SPACE in data


def geniusweb_data(path: Path) -> object:
    """Read a JSON file with every number as exact as it is written.

    Args:
        path: the file.

    Returns:
        Its data.

    Raises:
        InvalidInput: when it cannot be read or is no JSON.
    """
    data = bytes_of(path, LARGEST_FILE, _A_FILE)
    try:
        return json_data(data.decode("utf-8-sig"), exact=True)
    except (ValueError, RecursionError) as error:
        what = f"is not valid JSON: {str(error) or type(error).__name__}"
        raise InvalidInput(Fault(path.name, what, _A_FILE, "correct that place")) from error


def read_geniusweb(path: Path, profiles: Sequence[Path] = ()) -> LoadedProblem:
    """Read a GeniusWeb domain with its profiles.

    Args:
        path: the domain, the first of the profiles, or a folder with these files.
        profiles: the other profiles; none for every profile of the same domain beside it.

    Returns:
        The problem; each party has the name of its file.

    Raises:
        InvalidInput: with every fault.
    """
    given = [(one.name, geniusweb_data(one)) for one in profiles]
    domain: tuple[str, object] | None = None
    if path.is_dir():
        found = _json_files(path)
        domain = next(((name, data) for name, data in found if is_domain(data)), None)
        given = given or [(name, data) for name, data in found if is_profile(data)]
    else:
        data = geniusweb_data(path)
        if is_domain(data):
            domain = (path.name, data)
            given = given or [one for one in _json_files(path.parent) if _is_of(one[1], data)]
        elif given:
            given.insert(0, (path.name, data))
        else:
            given = [one for one in _json_files(path.parent) if _is_of(one[1], _domain_in(data))]
            if len(given) < 2:
                next_step = "name the other profiles, or the domain"
                fault = Fault(path.name, "is the profile of one party", _A_FILE, next_step)
                raise InvalidInput(fault)
    if domain is None and not given:
        fault = Fault(str(path), "holds no GeniusWeb files", _A_FILE, "name the domain's file")
        raise InvalidInput(fault)
    return read_geniusweb_data(domain, given)


def read_geniusweb_data(
    domain: tuple[str, object] | None, profiles: Sequence[tuple[str, object]]
) -> LoadedProblem:
    """Read a domain and profiles that are at hand already.

    Args:
        domain: the domain's file name and data; None for that of the first profile.
        profiles: file name and data of each profile.

    Returns:
        As :func:`read_geniusweb`.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> domain = {"name": "d", "issuesValues": {"day": {"values": ["Mon", "Tue"]}}}
        >>> space = {
        ...     "issueUtilities": {
        ...         "day": {"discreteutils": {"valueUtilities": {"Mon": 1, "Tue": 0}}}
        ...     },
        ...     "issueWeights": {"day": 1},
        ...     "domain": domain,
        ...     "reservationBid": {"issuevalues": {"day": "Tue"}},
        ... }
        >>> own = {"LinearAdditiveUtilitySpace": space}
        >>> loaded = read_geniusweb_data(None, [("ann.json", own), ("bob.json", own)])
        >>> loaded.problem.names, loaded.problem.party("ann").preferences.reservation
        (('ann', 'bob'), Fraction(0, 1))
    """
    faults: list[Fault] = []
    if domain is None:
        whose, body = (profiles[0][0], _domain_in(profiles[0][1])) if profiles else ("domain", {})
    else:
        whose, body = domain
    built = _domain(body, whose)
    names, notes = genius_parties([name for name, _ in profiles])
    parties: dict[str, Additive] = {}
    for name, (file, data) in zip(names, profiles, strict=True):
        try:
            parties[name], said = _profile(data, built, file)
            notes.extend(f"{file}: {one}" for one in said)
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    problem = problem_of(built, parties)
    question = f"A deal over {', '.join(built.names)}"
    return LoadedProblem(problem=problem, question=question, form="geniusweb", notes=tuple(notes))


def _json_files(folder: Path) -> list[tuple[str, object]]:
    try:
        paths = sorted(one for one in folder.iterdir() if one.suffix.lower() == ".json")
    except OSError:
        return []
    found = []
    for one in paths[:_MOST_FILES]:
        try:
            found.append((one.name, geniusweb_data(one)))
        except InvalidInput:  # another program's file beside them
            continue
    return found


def _domain_in(data: object) -> object:
    space = data.get(_SPACE) if isinstance(data, Mapping) else None
    return space.get("domain") if isinstance(space, Mapping) else None


def _is_of(data: object, domain: object) -> bool:
    own = _domain_in(data)
    return (
        isinstance(own, Mapping)
        and isinstance(domain, Mapping)
        and (own.get(_ISSUES) == domain.get(_ISSUES))
    )


def _table(data: object, key: str, whose: str) -> Mapping[str, Any]:
    """Return an object inside an object, or refuse."""
    found = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(found, Mapping):
        raise InvalidInput(Fault(whose, f"lacks the object {key!r}", _A_FILE, "add it"))
    return found


def _number(value: object, whose: str, field: str) -> Exact:
    return read_exact(value, whose, field)


# --- the domain ------------------------------------------------------------------------------


def _domain(data: object, whose: str) -> Domain:
    issues = _table(data, _ISSUES, whose)
    faults: list[Fault] = []
    terms: dict[str, tuple[str, ...]] = {}
    for name, told in issues.items():
        try:
            terms[name] = _options(told, f"{whose}: issue {name!r}")
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    try:
        return domain_of(terms, free=True)
    except InvalidInput as error:
        raise InvalidInput(
            Fault(f"{whose}: {one.whose}", one.what, one.allowed, one.next) for one in error.faults
        ) from error


def _options(told: object, whose: str) -> tuple[str, ...]:
    values = told.get("values") if isinstance(told, Mapping) else None
    ends = told.get("range") if isinstance(told, Mapping) else None
    if isinstance(values, list) and ends is None:
        return tuple(_option(one, whose) for one in values)
    if isinstance(ends, list) and len(ends) == 3 and values is None:
        low, high, step = (_number(one, whose, "range") for one in ends)
        numbers = stepped(low, high, step, whose=whose, lands=False)
        return tuple(number_name(one) for one in numbers)
    allowed = '"values": [...], or "range": [lowest, highest, step]'
    raise InvalidInput(Fault(whose, "has no values", allowed, "list its values"))


def _option(value: object, whose: str) -> str:
    if isinstance(value, str):
        return value
    return number_name(_number(value, whose, "value"))


# --- a profile -------------------------------------------------------------------------------


def _profile(data: object, domain: Domain, whose: str) -> tuple[Additive, list[str]]:
    if not is_profile(data):
        kinds = ", ".join(str(one) for one in data) if isinstance(data, Mapping) else "no object"
        what = f"is no additive profile: it holds {shown(kinds[:60])[1:-1]}"
        raise InvalidInput(Fault(whose, what, f"an object {_SPACE}", "use an additive profile"))
    space = _table(data, _SPACE, whose)
    faults: list[Fault] = []
    notes: list[str] = []
    own = space.get("domain")
    if own is not None and _sets(_domain(own, whose)) != _sets(domain):
        what = "is about another domain"
        faults.append(Fault(whose, what, "the domain of all profiles", "use its own domain"))
    raise_if(faults)
    utilities = _table(space, "issueUtilities", whose)
    weights = _table(space, "issueWeights", whose)
    for key, table in (("issueUtilities", utilities), ("issueWeights", weights)):
        faults.extend(_other_issues(key, table, domain, whose))
    raise_if(faults)
    values: dict[str, dict[str, Fraction]] = {}
    total = Fraction(0)
    for term in domain.terms:
        place = f"{whose}: issue {term.name!r}"
        weight = read_value(weights[term.name], place, "weight", faults)
        faults.extend(_outside(weight, place, "weight"))
        total += weight
        try:
            function = _utility(utilities[term.name], term.names, place)
            counted = {option: function(option) for option in term.names}
        except InvalidInput as error:
            faults.extend(error.faults)
            continue
        for option, value in counted.items():
            faults.extend(_outside(value, place, f"utility of {option!r}"))
        values[term.name] = {option: weight * value for option, value in counted.items()}
    if abs(total - 1) > _OFF_BY:
        notes.append(f"the weights sum to {show_number(total)}, not 1; they count as given")
    raise_if(faults)
    reservation = _reservation(space.get("reservationBid"), values, domain, whose)
    return additive(domain, values, reservation=reservation, whose=whose), notes


def _sets(domain: Domain) -> dict[str, set[str]]:
    """Return a domain without the order of its issues and values."""
    return {term.name: set(term.names) for term in domain.terms}


def _other_issues(key: str, table: Mapping[str, Any], domain: Domain, whose: str) -> list[Fault]:
    names = domain.names
    faults = []
    for name in table:
        if name not in names:
            what = f"has {name!r} in {key}, which the domain does not have"
            allowed = f"the domain's issues: {', '.join(names[:20])}"
            faults.append(Fault(whose, what, allowed, did_you_mean(str(name), names)))
    for name in names:
        if name not in table:
            what = f"lacks {name!r} in {key}"
            faults.append(Fault(whose, what, "every issue of the domain", "add it"))
    return faults


def _outside(value: Fraction, whose: str, field: str) -> list[Fault]:
    if 0 <= value <= 1:
        return []
    what = f"{field} is {show_number(value)}"
    return [Fault(whose, what, "0 to 1, as GeniusWeb demands", "correct it")]


def _utility(told: object, options: Sequence[str], whose: str) -> Callable[[str], Fraction]:
    kinds = list(told) if isinstance(told, Mapping) else []
    if len(kinds) != 1 or kinds[0] not in (*_TABLES, *_NUMBERS):
        allowed = f"one of {', '.join((*_TABLES, *_NUMBERS))}"
        raise InvalidInput(Fault(whose, f"is valued by {shown(kinds)}", allowed, "correct it"))
    body = _table(told, kinds[0], whose)
    return _by_table(body, options, whose) if kinds[0] in _TABLES else _by_numbers(body, whose)


def _by_table(
    body: Mapping[str, Any], options: Sequence[str], whose: str
) -> Callable[[str], Fraction]:
    table = _table(body, "valueUtilities", whose)
    faults: list[Fault] = []
    read: dict[str, Fraction] = {}
    known = set(options)
    for key, value in table.items():
        if key not in known:
            what = f"values {key!r}, which the domain does not have"
            allowed = f"the domain's values: {', '.join(options[:20])}"
            is_helped = len(faults) < _HELPED
            next_step = did_you_mean(str(key), options) if is_helped else "correct it"
            faults.append(Fault(whose, what, allowed, next_step))
        read[key] = read_value(value, whose, f"utility of {key!r}", faults)
    missing = [one for one in options if one not in read]
    if missing:
        what = f"leaves {', '.join(shown(one) for one in missing[:20])} without a utility"
        faults.append(Fault(whose, what, "every value of the domain", "add them"))
    raise_if(faults)
    return read.__getitem__


def _by_numbers(body: Mapping[str, Any], whose: str) -> Callable[[str], Fraction]:
    missing = [one for one in _ENDS if one not in body]
    if missing:
        fault = Fault(whose, f"lacks {', '.join(missing)}", ", ".join(_ENDS), "add them")
        raise InvalidInput(fault)
    low, low_value, high, high_value = (
        to_fraction(_number(body[one], whose, one)) for one in _ENDS
    )
    if low >= high:
        what = f"runs from {show_number(low)} to {show_number(high)}"
        raise InvalidInput(Fault(whose, what, "lowValue < highValue", "correct the ends"))
    slope = (high_value - low_value) / (high - low)
    return lambda name: low_value + slope * (to_fraction(_number(name, whose, "value")) - low)


def _reservation(
    bid: object, values: Mapping[str, Mapping[str, Fraction]], domain: Domain, whose: str
) -> Fraction | None:
    if bid is None:
        return None
    place = f"{whose}: reservationBid"
    told = _table(bid, "issuevalues", place)
    chosen = {name: _option(value, place) for name, value in told.items()}
    # GeniusWeb lets a bid leave issues open; these count nothing
    raise_if(domain.faults(chosen, place, partial=True))
    return sum((values[name][option] for name, option in chosen.items()), Fraction(0))
