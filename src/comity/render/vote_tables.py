"""Vote tables: how do the tally, the rounds, the duels and the rules stand in columns?

Here: those four tables.
Not here: sentences and the whole page (vote.py), drawings (vote_charts.py).
Sources: SEMANTICS V5, V6; the count tables of OpaVote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from comity.core.canonical import Json
from comity.core.errors import one_line
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.price import number_text, words
from comity.render.vote_facts import (
    DUELS,
    Facts,
    cell,
    in_words,
    items_of,
    object_of,
    rounding_note,
)

__all__ = ["duels_table", "in_rounds", "rounds_table", "rules_table", "tally_table"]

_PAGE = 100
_MOST_DUELS = 20
_LONGEST_HEAD = 12


def tally_table(facts: Facts) -> str:
    """Return the tally as a table, with the first places where they say something else."""
    tally = facts.tally
    if not tally:
        return ""
    firsts = object_of(facts.data, "distribution")
    values = [cell(value) for _, value in tally]
    shown = [cell(firsts[name]) if name in firsts else "" for name, _ in tally]
    told = [value for _, value in tally]
    if not any(shown) or shown == values or facts.rule in {"approval", "majority"}:
        rows: list[tuple[str, ...]] = [
            (name, value) for (name, _), value in zip(tally, values, strict=True)
        ]
        grid = table(rows, ("option", facts.unit))
    else:
        rows = [(name, value, first) for (name, _), value, first
                in zip(tally, values, shown, strict=True)]  # fmt: skip
        grid = table(rows, ("option", facts.unit, "first places"))
        told += [firsts[name] for name, _ in tally if name in firsts]
    return "\n".join(part for part in (grid, rounding_note(told)) if part)


def in_rounds(facts: Facts) -> list[Mapping[str, Json]]:
    """Return the stages that are rounds in which options leave or are elected."""
    return [one for one in facts.rounds if str(one.get("name")).startswith("round ")]


def rounds_table(facts: Facts) -> str:
    """Return the rounds as tables, each as wide as a page, or "" where there is only one."""
    rounds = in_rounds(facts)
    counts = [
        {one_line(str(one.get("name"))): one.get("value") for one in items_of(each, "tally")}
        for each in rounds
    ]
    if len(rounds) < 2 or not counts[0]:
        return ""
    order = [name for place in facts.ranking for name in place]
    names = order if set(order) >= set(counts[0]) else list(counts[0])
    wide = max(map(len, names))
    grids, at = [], 0
    while at < len(rounds):
        end, room = at, _PAGE - wide
        while end < len(rounds) and (room >= 0 or end == at):
            cells = [len(cell(value)) for value in counts[end].values()]
            room -= 2 + max(len(str(rounds[end].get("name"))), *cells)
            end += end == at or room >= 0
        grids.append(_part(names, counts[at:end], rounds[at:end]))
        at = end
    told = [value for count in counts for value in count.values()]
    told += [each.get("exhausted", 0) for each in rounds]
    return "\n\n".join(grids) + "".join(f"\n{note}" for note in [rounding_note(told)] if note)


def _part(
    names: Sequence[str],
    counts: Sequence[Mapping[str, Json]],
    rounds: Sequence[Mapping[str, Json]],
) -> str:
    """Return some rounds as a table, with whoever still stands in one of them."""
    rows = [
        (name, *(cell(count[name]) if name in count else "-" for count in counts))
        for name in names
        if any(name in count for count in counts)
    ]
    gone = [cell(each.get("exhausted", 0)) for each in rounds]
    if any(one != "0" for one in gone):
        rows.append(("(exhausted)", *gone))
    return table(rows, ("option", *(str(each.get("name")) for each in rounds)))


def duels_table(facts: Facts, ink: Ink) -> str:
    """Return the votes of every pair, rows over columns."""
    duels = facts.duels
    if facts.rule not in DUELS or len(duels) < 2:
        return ""
    order = [name for name, _ in facts.tally if name in duels]
    names = (order if len(order) == len(duels) else list(duels))[:_MOST_DUELS]
    is_long = any(len(name) > _LONGEST_HEAD for name in names)
    heads = [str(at) if is_long else one_line(name) for at, name in enumerate(names, 1)]
    rows = []
    for at, name in enumerate(names, 1):
        row = [cell(duels[name][other]) if other in duels[name] else "-" for other in names]
        shown = f"{at} {one_line(name)}" if is_long else one_line(name)
        rows.append((shown, *row))
    title = "Duels: votes of the row over the column"
    if len(duels) > _MOST_DUELS:
        title += f" (the first {_MOST_DUELS} of {len(duels)})"
    return f"{ink.bold(title)}\n{table(rows, ('', *heads))}"


def rules_table(said: Iterable[Mapping[str, Json]], ink: Ink, *, title: str = "") -> str:
    """Return what several rules say, one line each.

    Args:
        said: per rule its name, winner, tied options, margin, and why it does not apply.
        ink: how it may be dressed.
        title: a title, or "".

    Returns:
        The table, and the rules that cannot read these ballots on a line of their own.

    Example:
        >>> both = [{"rule": "irv", "winner": "A", "margin": 2}, {"rule": "star", "why_not": "no"}]
        >>> print(rules_table(both, Ink()))
        rule  winner  margin
        irv   A            2
        Not for these ballots: star
    """
    rows, without = [], []
    for one in said:
        name = str(one.get("rule"))
        if one.get("why_not"):
            without.append(name)
            continue
        tied = words(one.get("tied"))
        winner = one.get("winner")
        says = one_line(str(winner)) if winner is not None else f"none: {in_words(tied) or '-'}"
        rows.append((name, says, number_text(one.get("margin"))))
    if not rows and not without:
        return ""
    parts = [ink.bold(title)] if title else []
    if rows:
        parts.append(table(rows, ("rule", "winner", "margin")))
    if without:
        parts.append(ink.dim(f"Not for these ballots: {', '.join(without)}"))
    return "\n".join(parts)
