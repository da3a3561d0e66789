"""Issues text: how do deals over several issues read on a terminal?

Here: the frontier with its solution points, a deal held against them, a negotiation offer by
offer and how good its end is.
Not here: drawings (issue_charts.py), one price (price.py).
Sources: SEMANTICS G1, G2, G6 (why a point does not exist), M4, M5, M7; complaint 22 of the field
(how good a deal is belongs beside the deal).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact, show_number, to_fraction
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.listing import short
from comity.render.price import joined, listed, objects, sentence, words
from comity.render.vote_facts import in_words

__all__ = ["TITLES", "brief", "deal_line", "frontier_text", "issues_text"]

TITLES = {
    "nash": "Nash",
    "kalai_smorodinsky": "Kalai-Smorodinsky",
    "nearest_diagonal": "nearest the diagonal",
    "egalitarian": "egalitarian",
    "utilitarian": "utilitarian",
    "ideal": "nearest the ideal",
}
"""The names of the solution points as people read them."""

_FROM = {
    "frontier": "the frontier",
    "nearest_diagonal": "the point nearest the diagonal",
    "ideal": "the point nearest the ideal",
}
_SUITS = "acceptable to all"
_DEAL = 96
_PLACES = 10**4
_ENDS = 10


def brief(value: Json) -> str:
    """Return an exact number with at most four places; a rounded one says so.

    Example:
        >>> brief(12), brief("9/20"), brief("1/3"), brief(None)
        ('12', '0.45', '~0.3333', '-')
    """
    shown = _cell(value)
    return f"~{shown}" if _is_rounded(value) else shown


def _exact(value: Json) -> Fraction:
    return to_fraction(read_exact(value, "issues", "number"))


def _nearest_place(value: Json) -> Fraction:
    return Fraction(round(_exact(value) * _PLACES), _PLACES)


def _is_rounded(value: Json) -> bool:
    return value is not None and _nearest_place(value) != _exact(value)


def _cell(value: Json) -> str:
    """Return a number as it stands in a column: rounded, and a note below says so."""
    return "-" if value is None else show_number(_nearest_place(value))


def deal_line(deal: Json, length: int = _DEAL) -> str:
    """Return a deal on one line, cut where it is too long.

    Example:
        >>> deal_line({"tls": "1.3", "days": "30"})
        'tls = 1.3, days = 30'
    """
    pairs = deal.items() if isinstance(deal, Mapping) else _pairs(deal)
    return short(", ".join(f"{term} = {option}" for term, option in pairs), length)


def _pairs(value: Json) -> list[tuple[Json, Json]]:
    items = value if isinstance(value, (list, tuple)) else ()
    return [(one[0], one[1]) for one in items if isinstance(one, (list, tuple)) and len(one) == 2]


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _count(number: Json, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or f'{one}s'}"


# --- the frontier ----------------------------------------------------------------------------


def frontier_text(data: JsonObject, ink: Ink) -> str:
    """Return a frontier as a person reads it.

    Args:
        data: what `comity frontier --json` wrote.
        ink: how it may be dressed.

    Returns:
        The sentence, the points, the solutions with what their names mean, the deal that was
        asked about, the nearest deal when none suits all, notes.

    Example:
        >>> print(frontier_text({"says": "No deal suits all.", "parties": []}, Ink()))
        No deal suits all.
    """
    names = words(data.get("parties"))
    solved = {name: _object(one) for name, one in _object(data.get("solutions")).items()}
    frontier = {} if "equal_deals" in data else _object(data.get("frontier"))
    apart = {} if data.get("acceptable_on_frontier") else _object(data.get("acceptable"))
    deal = _object(data.get("deal"))
    notes = words(data.get("notes"))
    shown = [*objects(frontier.get("points")), *objects(_object(deal.get("better")).get("points"))]
    shown += [point for one in solved.values() for point in objects(one.get("points"))]
    return joined(
        [
            _head(data, ink),
            _nearest(data.get("nearest"), ink),
            _deal_text(deal, names, ink),
            _solutions(solved, names, ink),
            _equal(_object(data.get("equal_deals")), ink),
            _points("Frontier", frontier, names, ink),
            _points("Frontier of the deals acceptable to all", apart, names, ink),
            _meanings(solved, ink),
            listed("Notes", [*notes, *_rounding(shown)], ink),
        ]
    )


def _rounding(points: Iterable[JsonObject]) -> list[str]:
    """Return the note that belongs below rounded numbers."""
    worths = [worth for one in points for worth in _object(one.get("utilities")).values()]
    if any(map(_is_rounded, worths)):
        return ["what deals are worth is shown to four places; --json has it exact"]
    return []


def _head(data: JsonObject, ink: Ink) -> str:
    said = one_line(str(data.get("says")))
    head, dot, rest = said.partition(". ")
    good = data.get("nearest") is None and bool(data.get("solutions"))
    return f"{(ink.good if good else ink.warn)(head)}{dot}{rest}"


def _points(title: str, section: JsonObject, names: list[str], ink: Ink) -> str:
    """Return the points of a frontier as a table."""
    points = objects(section.get("points"))
    if not points:
        return ""
    has_marks = "acceptable" in points[0]
    rows = [
        (
            *_worths(one, names),
            *(["yes" if one.get("acceptable") else "no"] if has_marks else []),
            str(one.get("deals")),
            deal_line(one.get("deal")),
        )
        for one in points
    ]
    shown = table(rows, (*names, *(["suits all"] if has_marks else []), "deals", "a deal"))
    left_out = section.get("left_out")
    of = _count(section.get("size"), "point")
    head = f"{title} ({len(points)} of {of}, evenly spread; --all lists every one)"
    return f"{ink.bold(head if left_out else f'{title} ({of})')}\n{shown}"


def _worths(one: JsonObject, names: Iterable[str]) -> list[str]:
    utilities = _object(one.get("utilities"))
    return [_cell(utilities.get(name)) for name in names]


def _solutions(solved: Mapping[str, JsonObject], names: list[str], ink: Ink) -> str:
    rows = []
    for name, one in solved.items():
        title = TITLES.get(name, name)
        points = objects(one.get("points"))
        for at, point in enumerate(points):
            tied = f"{at + 1} of {one.get('size')}" if len(points) > 1 else ""
            row = (*_worths(point, names), str(point.get("deals")), deal_line(point.get("deal")))
            rows.append(("" if at else title, *row[:-2], tied, *row[-2:]))
        if one.get("left_out"):
            blank = [""] * len(names)
            rows.append(("", *blank, "", "", f"({one['left_out']} more tied points)"))
    if not rows:
        return ""
    head = ("point", *names, "tie", "deals", "a deal")
    keep = [at for at, name in enumerate(head) if name != "tie" or any(row[at] for row in rows)]
    shown = [[row[at] for at in keep] for row in rows]
    return f"{ink.bold('Solutions')}\n{table(shown, [head[at] for at in keep])}"


def _meanings(solved: Mapping[str, JsonObject], ink: Ink) -> str:
    """Return what each solution goes by, and why those are missing that do not exist."""
    meant: list[str] = []
    missing: dict[str, list[str]] = {}
    for name, one in solved.items():
        title = TITLES.get(name, name)
        distance = one.get("distance")
        away = "" if distance is None else f" ({_rounded(distance)} away)"
        if one.get("points"):
            meant.append(f"{title}: {one.get('says')}{away}")
        elif one.get("why"):
            missing.setdefault(one_line(str(one["why"])), []).append(title)
    lacking = [f"{in_words(titles)}: {why}" for why, titles in missing.items()]
    return joined(
        [
            listed("What the names mean", meant, ink),
            listed("Points that do not exist", lacking, ink),
        ]
    )


def _rounded(value: Json) -> str:
    return f"{float(str(value)):.4g}"


def _equal(equal: JsonObject, ink: Ink) -> str:
    """Return every deal behind the one solution that was asked for, when there are several."""
    deals = objects(equal.get("deals"))
    if len(deals) < 2:
        return ""
    lines = [deal_line(one) for one in deals]
    if equal.get("left_out"):
        lines.append(f"({equal['left_out']} more; --all lists every one)")
    return listed("All of these deals are best by this rule", lines, ink)


def _nearest(value: Json, ink: Ink) -> str:
    """Return the closest thing to a deal, and who falls short by how much."""
    one = _object(value)
    if not one:
        return ""
    short_by = {str(it.get("name")): brief(it.get("value")) for it in objects(one.get("short"))}
    lines = [deal_line(one.get("deal"))]
    lines += [f"{name} falls short by {gap}" for name, gap in short_by.items()]
    lines += [
        f"{name} refuses it for a red line"
        for name in words(one.get("refused_by"))
        if name not in short_by
    ]
    return listed("Nearest to a deal", map(one_line, lines), ink)


# --- one deal --------------------------------------------------------------------------------


def _deal_text(deal: JsonObject, names: list[str], ink: Ink) -> str:
    """Return how good one deal is."""
    if not deal:
        return ""
    lines = [deal_line(deal.get("deal")), f"worth {_told(deal, names)}"]
    return joined([listed("This deal", [*lines, *judged(deal)], ink), _better(deal, names, ink)])


def _told(one: JsonObject, names: Iterable[str]) -> str:
    """Return what a deal is worth to each, in one phrase."""
    utilities = _object(one.get("utilities"))
    return ", ".join(f"{name} {brief(utilities.get(name))}" for name in names)


def judged(deal: JsonObject) -> list[str]:
    """Return what there is to say about a deal, a line each.

    Example:
        >>> judged({"allowed": True, "efficient": True, "refused_by": ["ann"]})
        ['refused by ann', 'efficient: no deal is better for one party and worse for none']
    """
    refused = words(deal.get("refused_by"))
    lines = [f"refused by {', '.join(refused)}"] if refused else []
    if not deal.get("allowed"):
        lines = ["cannot be made: it breaks a constraint", *lines]
    elif not refused:
        lines = [_SUITS]
    better = _object(deal.get("better")).get("size")
    if deal.get("efficient"):
        lines.append("efficient: no deal is better for one party and worse for none")
    elif better:
        verb = "is" if better == 1 else "are"
        points = _count(better, "point of the frontier", "points of the frontier")
        lines.append(f"not efficient: {points} {verb} better for one party and worse for none")
    distances = _distances(_object(deal.get("distances")))
    return [*lines, distances] if distances else lines


def _distances(given: JsonObject) -> str:
    """Return how far it is to each point; points at the same distance stand together."""
    groups: dict[str, list[str]] = {}
    for name, one in given.items():
        title = _FROM.get(name, TITLES.get(name, name))
        groups.setdefault(_rounded(_object(one).get("distance")), []).append(title)
    told = [f"{away} from {in_words(names)}" for away, names in groups.items()]
    return f"distance: {'; '.join(told)}" if told else ""


def _better(deal: JsonObject, names: list[str], ink: Ink) -> str:
    return _points("Better for one and worse for none", _object(deal.get("better")), names, ink)


# --- a negotiation ---------------------------------------------------------------------------


def issues_text(data: JsonObject, ink: Ink) -> str:
    """Return a negotiation over several issues as a person reads it.

    Args:
        data: what ``to_json`` of an issue result returned; with ``course`` (each offer's worth)
            and ``quality`` (how good the end is) it says more, as in `comity bargain --json`.
        ink: how it may be dressed.

    Returns:
        The sentence, the offers, what the deal is worth, how good it is, what would unblock it.

    Example:
        >>> print(issues_text({"kind": "no_deal", "says": "No deal.", "unblock": ["wait"]}, Ink()))
        No deal.
        <BLANKLINE>
        What would unblock it
          - wait
    """
    deal = deal_line(data.get("terms") or [])
    quality = _object(data.get("quality"))
    is_deal = data.get("kind") != "no_deal"
    names = words(data.get("parties")) or [
        one_line(str(one.get("party"))) for one in objects(data.get("final_offers"))
    ]
    return joined(
        [
            sentence(data, ink),
            listed("Deal", deal_terms(data), ink) if deal else "",
            _offers(data, names),
            _gains(data, quality),
            listed("How good it is", _quality(quality), ink) if is_deal else "",
            _better(quality, names, ink) if is_deal else "",
            "" if is_deal else _nearest(data.get("nearest"), ink),
            listed("What would unblock it", words(data.get("unblock")), ink),
            "" if is_deal else listed("Was a deal possible?", _possible(quality, names), ink),
            listed("Notes", words(data.get("notes")), ink),
            listed("Worth a second look", words(_object(data.get("grounds")).get("thin")), ink),
        ]
    )


def deal_terms(data: JsonObject) -> list[str]:
    """Return the terms of a deal, one line each.

    Example:
        >>> deal_terms({"terms": [["tls", "1.3"]]})
        ['tls = 1.3']
    """
    return [one_line(f"{term} = {option}") for term, option in _pairs(data.get("terms"))]


def _offers(data: JsonObject, names: list[str]) -> str:
    """Return the offers as a table, with what each is worth to each where that is known."""
    course = _object(data.get("course"))
    offers, left_out = objects(course.get("offers")), course.get("left_out") or 0
    if not course:
        every = objects(data.get("offers"))
        left_out = max(0, len(every) - 2 * _ENDS)
        offers = [*every[:_ENDS], *every[_ENDS:][left_out:]]
        names = []
    if not offers:
        return ""
    rows = [
        (
            str(one.get("round")),
            str(one.get("party")),
            *_worths(one, names),
            ", ".join(words(one.get("accepted_by"))),
            deal_line(one.get("deal"), 72),
        )
        for one in offers
    ]
    if left_out:
        rows.insert(
            len(offers) // 2, ("", "", *[""] * len(names), "", f"({left_out} more offers)")
        )
    return table(rows, ("round", "by", *names, "accepted by", "offer"))


def _gains(data: JsonObject, quality: JsonObject) -> str:
    """Return who has what of the deal, and which share of the most that it could gain."""
    worths = {str(one.get("name")): one.get("value") for one in objects(data.get("utilities"))}
    gains = {str(one.get("name")): one.get("value") for one in objects(data.get("gains"))}
    shares = _object(quality.get("shares"))
    rows = []
    for name, worth in worths.items():
        line = f"has {brief(worth)}, gains {brief(gains.get(name))}"
        share = shares.get(name)
        if share is not None:
            line += f", {_percent(share)} of the most it could"
        rows.append((name, line))
    width = max((len(one_line(name)) for name, _ in rows), default=0)
    return "\n".join(f"{one_line(name):<{width}}  {line}" for name, line in rows)


def _percent(value: Json) -> str:
    share = to_fraction(read_exact(value, "issues", "share")) * 1000
    return f"{show_number(Fraction(round(share), 10))}%"


def _quality(quality: JsonObject) -> list[str]:
    if quality.get("why"):
        return [f"not told: {one_line(str(quality['why']))}"]
    return [line for line in judged(quality) if line != _SUITS] if quality else []


def _possible(quality: JsonObject, names: list[str]) -> list[str]:
    """Say whether somebody who knows all values sees a deal."""
    if quality.get("why"):
        return [f"not told: {one_line(str(quality['why']))}"]
    if not quality:
        return []
    if not quality.get("acceptable"):
        return ["no deal is acceptable to all"]
    points = objects(_object(quality.get("nash")).get("points"))
    lines = [f"yes: {_count(quality.get('acceptable'), 'point')} of the frontier would suit all"]
    for one in points[:1]:
        lines.append(f"as {deal_line(one.get('deal'))}: worth {_told(one, names)}")
    return lines
