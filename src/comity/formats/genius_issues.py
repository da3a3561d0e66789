"""Genius issues: what can be agreed on, and what is each option worth to one profile?

Here: the issues of a domain with their options; their evaluations in a profile, exact.
Not here: finding the files (genius_xml.py), the tree (xml_tree.py), writing (genius_write.py).
Sources: the Genius user guide and the behaviour of Genius 10.4: a discrete option counts its
evaluation divided by the issue's largest (an issue whose largest is not over 0 counts nothing); an
integer issue counts offset + slope * (value - lower bound), a real issue parameter0 + parameter1 *
value, both cut to 0..1; a real issue may also be constant or triangular. ``cost`` is dead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from comity.core.errors import Fault, InvalidInput, did_you_mean, shown
from comity.core.exact import Exact, like, read_exact, to_fraction
from comity.formats.number_grid import number_name, spread, stepped
from comity.formats.xml_tree import Element

__all__ = ["Issue", "Placed", "evaluations", "issues_of", "number_of", "placed_issues"]

_EXPONENT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]{1,3}\Z")
_ONE = Fraction(1)
_HELPED = 20  # values that do not exist and are told the nearest that does
_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue of a domain.

    Attributes:
        name: its name.
        options: the options, as the domain names them.
        kind: ``discrete``, ``integer`` or ``real``.
        numbers: the numbers of an integer or real issue, in the order of the options.
    """

    name: str
    options: tuple[str, ...]
    kind: str
    numbers: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """An issue where a profile has it.

    Attributes:
        element: the element.
        name: its name.
        share: its weight, times the weights of the objectives it is in.
    """

    element: Element
    name: str
    share: Fraction


def number_of(element: Element, name: str, whose: str, faults: list[Fault]) -> Fraction | None:
    """Return the exact number of an attribute.

    Args:
        element: the element.
        name: the attribute.
        whose: the file and the place, for the messages.
        faults: where faults go.

    Returns:
        The number; None, with a fault, when it is missing, no number or not finite.

    Example:
        >>> number_of(Element("weight", {"value": "2.5E-1"}, (), 1), "value", "a.xml", [])
        Fraction(1, 4)
    """
    text = element.attributes.get(name)
    if text is None:
        what = f"has a <{element.tag}> without {name} in line {element.line}"
        faults.append(Fault(whose, what, f'{name}="a number"', f"add {name}"))
        return None
    try:
        plain = text.strip()
        value = Decimal(plain) if _EXPONENT.match(plain) else plain
        return to_fraction(read_exact(value, whose, f"{name} in line {element.line}"))
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


def issues_of(
    objective: Element, *, points: int, whose: str, faults: list[Fault]
) -> tuple[list[Issue], list[str]]:
    """Return the issues of a domain.

    Args:
        objective: its root objective.
        points: how many numbers a real issue is put on.
        whose: the file, for the messages.
        faults: where faults go.

    Returns:
        The issues, and notes.

    Example:
        >>> from comity.formats.xml_tree import parse_xml
        >>> text = b'<objective><issue name="days" lowerbound="1" upperbound="3"/></objective>'
        >>> objective = parse_xml(text, whose="x")
        >>> issues_of(objective, points=21, whose="x", faults=[])[0][0].options
        ('1', '2', '3')
    """
    found: list[Issue] = []
    names: set[str] = set()
    notes: list[str] = []
    for element in _below(objective):
        name = _name_of(element, whose, faults)
        place = f"{whose}: issue {name!r}"
        if name in names:
            what = f"has two issues {name!r}"
            faults.append(Fault(whose, what, "names of their own", "rename one"))
            continue
        names.add(name)
        if element.named("item"):
            found.append(Issue(name, _values_of(element, place, faults), "discrete"))
            continue
        issue = _on_numbers(element, name, points, place, faults)
        if issue is None:
            continue
        found.append(issue)
        if issue.kind == "real":
            count = len(issue.options)
            ends = f"{issue.options[0]} to {issue.options[-1]}"
            notes.append(f"issue {name!r} is real: put on {count} points from {ends}")
    return found, notes


def placed_issues(
    objective: Element, *, whose: str, faults: list[Fault]
) -> tuple[list[Placed], list[str]]:
    """Return the issues of a profile with their weights.

    Args:
        objective: its root objective.
        whose: the file, for the messages.
        faults: where faults go.

    Returns:
        The issues, and notes.

    Example:
        >>> from comity.formats.xml_tree import parse_xml
        >>> text = b'<o><issue index="1" name="a"/><weight index="1" value="0.5"/></o>'
        >>> placed_issues(parse_xml(text, whose="x"), whose="x", faults=[])[0][0].share
        Fraction(1, 2)
    """
    found: list[Placed] = []
    names: set[str] = set()
    notes: list[str] = []
    waiting = [(objective, _ONE)]
    while waiting:
        group, share = waiting.pop(0)
        weights = _weights_of(group, whose, faults)
        for child in group.named("issue"):
            name = _name_of(child, whose, faults)
            weight = weights.pop(_index_of(child), None)
            if weight is None:
                what = f"gives issue {name!r} no weight"
                allowed = '<weight index="the index of the issue" value="a number"/>'
                faults.append(Fault(whose, what, allowed, "add its weight beside it"))
                weight = _ZERO
            if name in names:
                what = f"has two issues {name!r}"
                faults.append(Fault(whose, what, "each issue once", "remove one"))
                continue
            names.add(name)
            found.append(Placed(child, name, share * weight))
        for child in group.named("objective"):
            weight = weights.pop(_index_of(child), _ONE)
            notes.append(
                f"objective {child.attributes.get('name', '')!r} stands inside another: its "
                "weight multiplies those of its issues (Genius 10.4 leaves it out)"
            )
            waiting.append((child, share * weight))
        weights.pop(_index_of(group), None)  # some files weigh the objective itself
        for index in weights:
            notes.append(f"a weight for index {index!r} belongs to no issue and counts nothing")
    return found, notes


def evaluations(
    element: Element, issue: Issue, *, whose: str, faults: list[Fault]
) -> dict[str, Fraction] | None:
    """Return what a profile's issue counts for each option, before its weight.

    Args:
        element: the issue in the profile.
        issue: the issue in the domain.
        whose: the file, for the messages.
        faults: where faults go.

    Returns:
        Option -> its exact share of the weight; None when the largest evaluation is not over 0,
        for then the issue counts nothing.

    Example:
        >>> from comity.formats.xml_tree import parse_xml
        >>> text = b'<i><item value="a" evaluation="3"/><item value="b" evaluation="4"/></i>'
        >>> issue = Issue("x", ("a", "b"), "discrete")
        >>> evaluations(parse_xml(text, whose="x"), issue, whose="x", faults=[])["a"]
        Fraction(3, 4)
    """
    place = f"{whose}: issue {issue.name!r}"
    if element.named("item") or issue.kind == "discrete":
        return _of_items(element, issue, place, faults)
    return _of_function(element, issue, place, faults)


def _below(objective: Element) -> list[Element]:
    """Return the issues under an objective and the objectives inside it."""
    found = []
    for child in objective.children:
        if child.tag == "issue":
            found.append(child)
        elif child.tag == "objective":
            found.extend(_below(child))
    return found


def _index_of(element: Element) -> str:
    return element.attributes.get("index", "").strip()


def _name_of(element: Element, whose: str, faults: list[Fault]) -> str:
    name = element.attributes.get("name", "").strip()
    if not name:
        what = f"has an issue without a name in line {element.line}"
        faults.append(Fault(whose, what, 'name="its name"', "name it"))
        return f"issue in line {element.line}"
    return name


def _values_of(element: Element, place: str, faults: list[Fault]) -> tuple[str, ...]:
    values: dict[str, None] = {}  # as a set that keeps its order
    for item in element.named("item"):
        value = item.attributes.get("value", "").strip()
        if not value:
            what = f"has an item without a value in line {item.line}"
            faults.append(Fault(place, what, 'value="its name"', "name it"))
        elif value in values:
            faults.append(Fault(place, f"lists {value!r} twice", "each value once", "remove one"))
        else:
            values[value] = None
    return tuple(values)


def _kind_of(element: Element) -> str:
    names = ("type", "vtype", "etype")
    kinds = [element.attributes.get(name, "").strip().lower() for name in names]
    return next((one for one in kinds if one not in ("", "discrete")), "")


def _bounds_of(
    element: Element, place: str, faults: list[Fault]
) -> tuple[Fraction, Fraction] | None:
    holder = next(iter(element.named("range")), element)
    if not {"lowerbound", "upperbound"} & holder.attributes.keys():
        return None
    low = number_of(holder, "lowerbound", place, faults)
    high = number_of(holder, "upperbound", place, faults)
    return None if low is None or high is None else (low, high)


def _on_numbers(
    element: Element, name: str, points: int, place: str, faults: list[Fault]
) -> Issue | None:
    known = len(faults)
    bounds = _bounds_of(element, place, faults)
    kind = _kind_of(element) or "integer"
    if bounds is None:
        if len(faults) == known:
            allowed = "items, or lowerbound and upperbound"
            faults.append(Fault(place, "has no items and no bounds", allowed, "add its options"))
        return None
    low, high = (int(one) if one.denominator == 1 else like(one, Decimal(0)) for one in bounds)
    what = ""
    if kind not in ("integer", "real"):
        what = f"has the type {kind!r}"
    elif kind == "integer" and not (isinstance(low, int) and isinstance(high, int)):
        what = "is an integer issue between numbers that are not whole"
    if what:
        faults.append(Fault(place, what, "discrete, integer or real", "correct type or bounds"))
        return None
    numbers: tuple[Exact, ...]
    try:
        if kind == "real":
            numbers = spread(low, high, points, whose=place)
        else:
            numbers = stepped(low, high, 1, whose=place)
    except InvalidInput as error:
        faults.extend(error.faults)
        return None
    exact = tuple(to_fraction(one) for one in numbers)
    return Issue(name, tuple(number_name(one) for one in numbers), kind, exact)


def _weights_of(group: Element, whose: str, faults: list[Fault]) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for one in group.named("weight"):
        index = _index_of(one)
        value = number_of(one, "value", f"{whose}: weight {index!r}", faults)
        if index in found:
            what = f"weighs index {index!r} twice"
            faults.append(Fault(whose, what, "each index once", "remove one"))
        found[index] = _ZERO if value is None else value
        if value is not None and value < 0:
            what = f"weighs index {index!r} by {one.attributes['value']}"
            faults.append(Fault(whose, what, "0 or more", "correct the weight"))
    return found


def _of_items(
    element: Element, issue: Issue, place: str, faults: list[Fault]
) -> dict[str, Fraction] | None:
    known = len(faults)
    found: dict[str, Fraction] = {}
    known_values = set(issue.options)
    for item in element.named("item"):
        value = item.attributes.get("value", "").strip()
        if value not in known_values:
            what = f"evaluates {value!r}, which the domain does not have"
            allowed = f"the domain's values: {', '.join(issue.options[:20])}"
            is_helped = len(faults) - known < _HELPED
            next_step = did_you_mean(value, issue.options) if is_helped else "correct it"
            faults.append(Fault(place, what, allowed, next_step))
        elif value in found:
            faults.append(Fault(place, f"evaluates {value!r} twice", "each once", "remove one"))
        number = number_of(item, "evaluation", f"{place}: value {value!r}", faults)
        found[value] = _ZERO if number is None else number
    missing = [one for one in issue.options if one not in found]
    if missing:
        what = f"leaves {', '.join(shown(one) for one in missing[:20])} without an evaluation"
        faults.append(Fault(place, what, "every value of the domain", "add them"))
    if len(faults) > known:
        return dict.fromkeys(issue.options, _ZERO)
    largest = max(found.values())
    return None if largest <= 0 else {key: value / largest for key, value in found.items()}


def _of_function(
    element: Element, issue: Issue, place: str, faults: list[Fault]
) -> dict[str, Fraction]:
    nothing = dict.fromkeys(issue.options, _ZERO)
    own = _bounds_of(element, place, faults)
    ends = (issue.numbers[0], issue.numbers[-1])
    if own is not None and own != ends:
        what = f"runs from {number_name(own[0])} to {number_name(own[1])}"
        allowed = f"the domain's {number_name(ends[0])} to {number_name(ends[1])}"
        faults.append(Fault(place, what, allowed, "use the profile of this domain"))
    given = element.named("evaluator")
    if len(given) != 1:
        what = f"has {len(given) or 'no'} evaluator{'s' if len(given) > 1 else ''}"
        allowed = "one <evaluator>, or an item for each value"
        faults.append(Fault(place, what, allowed, "say what its values are worth"))
        return nothing
    function = _function(given[0], issue, place, faults)
    if function is None:
        return nothing
    return {
        name: function(number) for name, number in zip(issue.options, issue.numbers, strict=True)
    }


_PARAMETERS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("integer", "linear"): ("offset", "slope"),
    ("real", "linear"): ("parameter0", "parameter1"),
    ("real", "constant"): ("parameter0",),
    ("real", "triangular"): ("parameter0", "parameter1", "parameter2"),
}


def _function(
    evaluator: Element, issue: Issue, place: str, faults: list[Fault]
) -> Callable[[Fraction], Fraction] | None:
    form = evaluator.attributes.get("ftype", "linear").strip().lower()
    names = _PARAMETERS.get((issue.kind, form))
    if names is None:
        what = f"has an evaluator of the type {form!r}"
        allowed = ", ".join(other for kind, other in _PARAMETERS if kind == issue.kind)
        faults.append(Fault(place, what, allowed, "use one of these, or items"))
        return None
    read = [number_of(evaluator, name, place, faults) for name in names]
    given = [one for one in read if one is not None]
    if len(given) < len(names):
        return None
    if form == "constant":
        return lambda _: given[0]
    if form == "triangular":
        low, high, top = given
        if not low <= top <= high:
            what = "has a triangle whose top is not between its ends"
            allowed = "parameter0 <= parameter2 <= parameter1"
            faults.append(Fault(place, what, allowed, "correct the parameters"))
            return None
        return lambda value: _triangle(value, low, high, top)
    start = issue.numbers[0] if issue.kind == "integer" else _ZERO
    return lambda value: min(max(given[0] + given[1] * (value - start), _ZERO), _ONE)


def _triangle(value: Fraction, low: Fraction, high: Fraction, top: Fraction) -> Fraction:
    if low <= value < top:
        return (value - low) / (top - low)
    if top <= value < high:
        return 1 - (value - top) / (high - top)
    return _ZERO
