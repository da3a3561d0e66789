"""Play: how does a session run at the command line, and how is its end shown?

Here: running a scenario or taking one up again, the result on stdout, the document, the chart,
the way back after an interruption.
Not here: which scenario (negotiate.py, run.py), what happens in it (app.py).
Sources: SEMANTICS C6 (the footer stands in the last lines of stdout), K1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from comity.app import App, Decided, Limits
from comity.cli.door import Door
from comity.cli.faults import with_ledger
from comity.cli.gist import gist_of
from comity.cli.interruption import tell_interruption
from comity.cli.live import Live
from comity.cli.places import guard_target, spare, working_folder, write_file
from comity.cli.seats import slow_seats
from comity.cli.terminal import Terminal
from comity.core.canonical import Json, plain
from comity.formats.scenario import Scenario
from comity.render.charts import chart
from comity.render.status import status_text
from comity.render.text import result_text
from comity.watch.status import status_of

__all__ = ["Wish", "guard_wish", "play", "play_scenario", "result_json"]


class Wish(NamedTuple):
    """What a call wants beside the decision.

    Attributes:
        inputs: the files that it reads, which nothing may be written over.
        output_by: the option or key that names the document.
        svg: where a chart goes, or None.
        allow_outside: whether document and chart may lie outside the working directory.
        limits: what the calls of programs and models are held to.
    """

    inputs: Sequence[Path]
    output_by: str = "output"
    svg: str | None = None
    allow_outside: bool = False
    limits: Limits | None = None


def guard_wish(door: Door, scenario: Scenario, wish: Wish) -> None:
    """Refuse a document or a drawing that would be written over what this call uses.

    Args:
        door: whose ledger is in use.
        scenario: what is to be decided.
        wish: what the call wants beside it.

    Raises:
        InvalidInput: before anything runs.
    """
    place = door.ledger_place()
    output = scenario.output or None
    spare(output, wish.output_by, ledger=place, inputs=wish.inputs)
    guard_target(
        wish.svg,
        "--svg",
        ledger=place,
        inputs=[*wish.inputs, *([Path(output)] if output else [])],
        below=None if wish.allow_outside else working_folder(),
        makes_parent=True,
    )


def play_scenario(
    door: Door, terminal: Terminal, scenario: Scenario, seats: Mapping[str, str], wish: Wish
) -> int:
    """Decide a scenario on the ledger of this call and show how it ended.

    Args:
        door: how to speak.
        terminal: where people sit.
        scenario: what is to be decided.
        seats: who sits where.
        wish: what the call wants beside it, guarded before.

    Returns:
        As `play`.
    """

    def run(app: App) -> Decided:
        return app.decide(
            scenario,
            seats,
            folder=working_folder(),
            prompt=terminal.ask if door.may_ask else None,
            allow_outside=wish.allow_outside,
        )

    live = Live(door, slow_seats=slow_seats(seats))
    return play(door, live, run, svg=wish.svg, limits=wish.limits)


def play(
    door: Door,
    live: Live,
    run: Callable[[App], Decided],
    *,
    svg: str | None = None,
    create: bool = True,
    limits: Limits | None = None,
) -> int:
    """Run a session on the ledger of this call and show how it ended.

    Args:
        door: how to speak.
        live: what listens while it runs.
        run: what is to be done with the open ledger.
        svg: where a chart goes, guarded before, or None.
        create: whether the ledger may be made.
        limits: what the calls of programs and models are held to.

    Returns:
        The exit code of the result; 130 when it was interrupted, 143 by SIGTERM.
    """
    place = door.ledger_place()
    with App(place, listen=live, create=create, limits=limits) as app:
        try:
            decided = _watched(live, run, app)
        except KeyboardInterrupt as ending:
            return _left(door, live, place, ending)
    data = result_json(decided)
    drawn = chart(data, live.messages) if svg else ""
    if svg and drawn:
        write_file(svg, drawn)
    elif svg:
        door.talk(door.talk_ink.dim(f"not drawn: {svg}; there is no drawing of such a result"))
    _show(door, decided, data, svg if drawn else None)
    used = status_text(status_of(None, live.used), door.talk_ink)
    if used:
        door.talk(door.talk_ink.dim(f"used: {used}"))
    for seat, reasons in live.silent.items():
        times = "once" if len(reasons) == 1 else f"{len(reasons)} times"
        told = f"{seat} did not answer {times}; the last time: {reasons[-1]}"
        door.talk(door.talk_ink.warn(told))
    return int(decided.outcome.exit_code)


def _watched(live: Live, run: Callable[[App], Decided], app: App) -> Decided:
    try:
        return run(app)
    finally:
        live.rest()


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
        ``round``; for what is decided at once as `gist_of`.
    """
    result = decided.outcome.to_json()
    data: dict[str, Json] = {"v": result["v"], "kind": result["kind"], "session": decided.session}
    if result.get("form") == "vote":
        outcome: Any = decided.outcome
        data.update(
            {
                "winner": outcome.winner,
                "tied": list(outcome.tied),
                "tally": {name: plain(value) for name, value in outcome.tally.items()},
                "margin": plain(outcome.margin),
            }
        )
    if decided.opening.kind == "bargain":
        data.update({"price": None, "round": None})
    data.update(gist_of(decided.outcome))
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
    look = with_ledger(f"look at `comity why {decided.session}`", door.db)
    notes = [f"recorded as {decided.session}; {look}"]
    if decided.written:
        notes.append(f"written: {decided.written}")
    if svg:
        notes.append(f"drawn: {svg}")
    for note in notes:
        door.talk(door.talk_ink.dim(note))
    if door.as_json:
        door.json(data)
        return
    named = {**data, "ledger": door.db} if door.db else data
    door.data(result_text(named, door.ink))
    if decided.footer:
        door.data(f"\n{decided.footer}")
