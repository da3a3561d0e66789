"""Comity auction: who wins the bids of a file, at what price, and why?

Here: the options of the command, the words for other bids, its output and its drawing.
Not here: the auctions (comity.vickrey and its like), files of bids (formats/), words and drawing
(render/).
Sources: SEMANTICS A1-A4, G8 (a one-shot sale says that it is thin and exits by its kind), K1.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.one_shot import decision, read_source, scenario_of, show
from comity.cli.options import DoorCommand, whole
from comity.cli.places import guard_target, write_file
from comity.core.canonical import Json
from comity.core.errors import Fault
from comity.formats.one_shot import decide_at_once
from comity.render.auction import auction_text

__all__ = ["command"]

EXAMPLES = (
    "comity auction examples/auction.toml",
    "comity auction examples/auction.toml --kind first-price --audit --try c=45,40",
    "comity auction examples/auction-items.toml --svg sale.svg --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    kind: str | None
    reserve: str | None
    units: str | None
    audit: bool
    other: str | None
    seed: str | None
    svg: str | None


@click.command(
    "auction",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Sell by the sealed bids of a file, and say why this price and who could have won how.

    FILE is a scenario of kind auction (TOML or JSON), or a table of bids: bidder,bid and where
    they are needed units, items (A+B), side (buyer or seller), unit; - reads standard input.

    A sale asks for its reserve: --reserve 0 says that there is none. Exit code 10 when nothing is
    sold. It is recorded only when a ledger is named (--db or COMITY_DB).
    """,
)
@click.argument("file", metavar="FILE|-")
@click.option(
    "--kind",
    metavar="RULE",
    help="second-price (default), first-price, uniform-price, multi-unit-vcg, vcg (bundles), "
    "mcafee or double-vcg.",
)
@click.option("--reserve", metavar="N", help="The least price; 0: none.")
@click.option("--units", metavar="K", help="How many equal units are sold.")
@click.option("--audit", is_flag=True, help="Try every lie on a small grid: does one pay?")
@click.option(
    "--try",
    "other",
    metavar="BIDDER=N,...",
    help="What a bidder would have got by other bids, its own being its true value.",
)
@click.option("--seed", metavar="TEXT", help="What ties are drawn by; else drawn itself.")
@click.option("--svg", metavar="FILE", help="Draw the bids and the price into this file.")
def command(door: Door, file: str, **words: Unpack[Words]) -> int:
    """Sell once."""
    source = read_source(file, "auction")
    svg = words["svg"]
    guard_target(svg, "--svg", ledger=door.explicit_db(), inputs=source.inputs)
    faults: list[Fault] = []
    changes: dict[str, Any] = {
        "rule": words["kind"],
        "reserve": words["reserve"],
        "units": whole(words["units"], "--units", faults, least=1),
        "seed": words["seed"],
    }
    other = _other_bids(words["other"], faults)
    scenario = scenario_of(source, changes, faults)
    audit: Any = import_module("comity.formats.auction_audit") if words["audit"] or other else None
    beside: dict[str, Json] = {}  # before anything is recorded, as it may refuse
    if words["audit"]:
        beside["audit"] = audit.audit_report(str(scenario.rules["auction"]))
    if other is not None:
        beside["tries"] = audit.other_bids(decide_at_once(scenario), *other)
    made = decision(door, scenario)
    made.data.update(beside)
    if svg is not None:
        write_file(svg, import_module("comity.render.auction_chart").auction_chart(made.data))
        door.talk(f"drawn: {svg}")
    return show(door, made, auction_text)


def _other_bids(text: str | None, faults: list[Fault]) -> tuple[str, list[str]] | None:
    """Return whose bid is changed into what; the name may hold an equals sign, a bid not."""
    if text is None:
        return None
    name, equals, amounts = (part.strip() for part in text.rpartition("="))
    listed = [one.strip() for one in amounts.split(",") if one.strip()]
    if name and equals and listed:
        return name, listed
    allowed = "BIDDER=N, or several bids after commas"
    faults.append(Fault("--try", f"is {text!r}", allowed, "write --try c=45,40"))
    return None
