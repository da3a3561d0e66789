"""Comity demo: what does it look like when nobody is in charge and it is settled anyway?

Here: the command: three advocates over a protocol, a buyer and a seller over a price, and what
to look at next; no key, no network.
Not here: anything the other commands do not do too.
Sources: ux research 5 (in a second, a real ledger, three next commands that work).
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from comity.app import App
from comity.cli.door import Door
from comity.cli.live import Live
from comity.cli.options import DoorCommand
from comity.cli.places import working_folder, write_file
from comity.cli.play import result_json
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput
from comity.core.show import table
from comity.formats.scenario import Scenario, scenario_from
from comity.render.charts import chart
from comity.render.text import result_text

__all__ = ["command"]

EXAMPLES = ("comity demo", "comity demo --out somewhere", "comity demo --json")

FOLDER = "comity-demo"
SEED = "demo"
PRICE: dict[str, Any] = {
    "kind": "bargain",
    "question": "What does the licence cost?",
    "seller": {"opening": 120, "reservation": 70},
    "buyer": {"opening": 60, "reservation": 100},
}


@click.command(
    "demo",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Watch three advocates agree on a protocol and a buyer and a seller on a price.

    It needs no key and no network, takes a second, and leaves a real ledger, the consensus
    document and two drawings in ./comity-demo/.
    """,
)
@click.option("--out", metavar="DIR", default=FOLDER, help="Where it goes; default ./comity-demo.")
def command(door: Door, out: str) -> int:
    """Show both."""
    place = door.db or str(Path(out) / "comity.db")
    _make(out)
    advocates = _advocates()
    price = scenario_from(PRICE, whose="demo", folder=Path(out), seed=SEED)
    live = Live(door, is_story=True)
    with App(place, listen=live) as app:
        if not door.as_json:
            title = f"1. {advocates.title}: three advocates, nobody in charge"
            door.data(f"{door.ink.bold(title)}\n\n{_cast(advocates)}\n")
        settled = app.decide(advocates, {}, folder=working_folder() / out)
        bought = app.decide(price, {}, folder=working_folder() / out)
    results = [result_json(settled), result_json(bought)]
    written = [
        str(Path(out) / settled.written),
        _drawn(out, "protocol.svg", results[0], live),
        _drawn(out, "price.svg", results[1], live),
    ]
    flag = f"--db {shlex.quote(place)}"
    following = [
        f"comity ledger {flag}",
        f"comity why {settled.session} {flag}",
        f"comity verify {flag}",
    ]
    if door.as_json:
        told = {"ledger": place, "written": written, "next": following}
        door.json({"v": 1, "kind": "demo", **told, "results": results})
        return 0
    _tell(door, bought.opening.title, results)
    door.data(f"{door.ink.bold('Kept')}\n  {place}")
    for line in written:
        door.data(f"  {line}")
    door.data(f"\n{door.ink.bold('Next')}")
    for line in following:
        door.data(f"  {line}")
    return 0


def _tell(door: Door, title: str, results: list[dict[str, Json]]) -> None:
    ink = door.ink
    door.data(f"\n{result_text(results[0], ink)}\n")
    door.data(f"{ink.bold(f'2. {title} One seller, one buyer, five rounds')}\n")
    door.data(f"{result_text(results[1], ink)}\n")


def _make(out: str) -> None:
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            Fault(
                f"folder {out!r}",
                f"cannot be made: {error.strerror}",
                "a place where folders may be made",
                "choose one with --out",
            )
        ) from error


def _advocates() -> Scenario:
    """Return the shipped example, with its document in the demo's folder."""
    text = files("comity.cli").joinpath("demo_auth.toml").read_text("utf-8")
    data = {**tomllib.loads(text), "output": "protocol.md"}
    return scenario_from(data, whose="demo", folder=Path(), seed=SEED)


def _cast(scenario: Scenario) -> str:
    """Return who takes part, what each stands for and its red lines."""
    seats: Any = scenario.rules["seats"]
    order: Any = scenario.rules["order"]
    rows = [
        (f"  {name}", str(seats[name]["priority"]), "; ".join(seats[name]["red_lines"]))
        for name in order
    ]
    return table(rows, ("  seat", "stands for", "red line"))


def _drawn(out: str, name: str, data: Mapping[str, Json], live: Live) -> str:
    path = str(Path(out) / name)
    write_file(path, chart(data, live.messages))
    return path
