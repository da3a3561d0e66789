"""Play: how does a session run at the command line, and how is its end shown?

Here: running a scenario or taking one up again, the result on stdout, the document, the chart,
the way back after an interruption.
Not here: which scenario (negotiate.py, run.py), what happens in it (app.py).
Sources: SEMANTICS C6 (the footer stands in the last lines of stdout), K1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from shlex import quote

from comity.app import App, Decided
from comity.cli.door import Door
from comity.cli.interruption import tell_interruption
from comity.cli.live import Live
from comity.cli.places import write_file
from comity.core.canonical import Json
from comity.render.charts import chart
from comity.render.text import result_text

__all__ = ["play", "result_json"]


def play(
    door: Door,
    live: Live,
    run: Callable[[App], Decided],
    *,
    svg: str | None = None,
    create: bool = True,
) -> int:
    """Run a session on the ledger of this call and show how it ended.

    Args:
        door: how to speak.
        live: what listens while it runs.
        run: what is to be done with the open ledger.
        svg: where a chart goes, guarded before, or None.
        create: whether the ledger may be made.

    Returns:
        The exit code of the result; 130 when it was interrupted, 143 by SIGTERM.
    """
    place = door.ledger_place()
    with App(place, listen=live, create=create) as app:
        try:
            decided = run(app)
        except KeyboardInterrupt as ending:
            return _left(door, live, place, ending)
    data = result_json(decided)
    if svg:
        write_file(svg, chart(data, live.messages))
    _show(door, decided, data, svg)
    return int(decided.outcome.exit_code)


def _left(door: Door, live: Live, place: str, ending: KeyboardInterrupt) -> int:
    """Tell how a session that was interrupted goes on."""
    if not live.session:
        return tell_interruption(door, ending, "\ninterrupted; nothing was decided")
    named = f" --db {quote(place)}" if door.explicit_db() else ""
    following = f"comity resume {live.session}{named}"
    words = f"\ninterrupted; go on with: {following}"
    return tell_interruption(door, ending, words, session=live.session, following=following)


def result_json(decided: Decided) -> dict[str, Json]:
    """Return the result's JSON with where it is recorded and written.

    Args:
        decided: the decision.

    Returns:
        The result with ``v`` and ``kind`` first; ``session``; for a negotiation ``status``,
        ``turns``, ``output`` and, when it has terms, ``deal``; for a price ``price`` and
        ``round``.
    """
    result = decided.outcome.to_json()
    data: dict[str, Json] = {"v": result["v"], "kind": result["kind"], "session": decided.session}
    if decided.opening.kind == "bargain":
        data.update({"price": None, "round": None})
    record = result.get("record")
    if isinstance(record, Mapping):
        done = decided.outcome.is_decided
        data["status"] = "DONE" if done else "INCOMPLETE"
        data["turns"] = record["turns"]
        data["output"] = decided.written or None
        names = _terms(decided)
        if names:
            data["deal"] = _deal(result, names) if done else None
    return {**data, **result}


def _terms(decided: Decided) -> list[str]:
    """Return the names of the terms, in the order in which the scenario states them."""
    domain = decided.opening.rules.get("domain")
    order = domain.get("order") if isinstance(domain, Mapping) else None
    terms = order.get("terms") if isinstance(order, Mapping) else None
    rows = terms if isinstance(terms, (list, tuple)) else ()
    return [str(row[0]) for row in rows if isinstance(row, (list, tuple))]


def _deal(result: Mapping[str, Json], names: list[str]) -> list[Json] | None:
    terms = result.get("terms")
    pairs = terms if isinstance(terms, (list, tuple)) else ()
    agreed = {str(one[0]): one[1] for one in pairs if isinstance(one, (list, tuple))}
    return [agreed[name] for name in names] if set(names) <= set(agreed) else None


def _show(door: Door, decided: Decided, data: Mapping[str, Json], svg: str | None) -> None:
    notes = [f"recorded as {decided.session}; look at `comity why {decided.session}`"]
    if decided.written:
        notes.append(f"written: {decided.written}")
    if svg:
        notes.append(f"drawn: {svg}")
    for note in notes:
        door.talk(door.talk_ink.dim(note))
    if door.as_json:
        door.json(data)
        return
    door.data(result_text(data, door.ink))
    if decided.footer:
        door.data(f"\n{decided.footer}")
