"""Comity bargain: what do a buyer and a seller, or parties with several issues, come to?

Here: the options of the command, reading those of a price with every fault at once, its output.
Not here: the bargaining (comity.bargain), scenario files (bargain_issues.py), drawing (render/).
Sources: SEMANTICS B1-B8, K1 (recorded when a ledger is named).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypedDict, Unpack

import click

import comity
from comity.cli.door import Door
from comity.cli.options import DoorCommand, whole
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.render.price import price_text

__all__ = ["OF_A_PRICE", "Words", "command", "flag"]

EXAMPLES = (
    "comity bargain --seller 120:70 --buyer 60:100 --rounds 5",
    "comity bargain --seller 120:88 --buyer 60:84 --blind --stall 6",
    "comity bargain --seller 120:70 --buyer 60:100 --split 50:50 --svg deal.svg --json",
    "comity bargain examples/rollout.toml --strategy linear,boulware:0.2 --rounds 20 --seed 7",
    "comity bargain examples/rollout.toml --protocol mediated --point nash --json",
)

OF_A_PRICE = (
    "seller", "buyer", "seller_rounds", "buyer_rounds", "convention", "blind", "split",
    "schedule", "seller_schedule", "buyer_schedule", "tick",
)  # fmt: skip
OF_ISSUES = {
    "strategy": "--schedule says how a price is conceded",
    "protocol": "--convention says when prices meet",
    "point": "--split says where prices meet",
    "fallback": "a price has none",
    "seed": "a price draws no lot",
}
"""Options that need a scenario -> what a price has in their place."""


class Words(TypedDict):
    """What the command line said, as text."""

    seller: str | None
    buyer: str | None
    rounds: str | None
    seller_rounds: str | None
    buyer_rounds: str | None
    convention: str | None
    first: str | None
    blind: bool
    stall: str | None
    split: str | None
    schedule: str | None
    seller_schedule: str | None
    buyer_schedule: str | None
    tick: str | None
    strategy: tuple[str, ...]
    protocol: str | None
    point: str | None
    fallback: str | None
    seed: str | None
    svg: str | None


@click.command(
    "bargain",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Let a buyer and a seller concede round by round until they meet, or learn why not.

    Prices are exact: write 70, 70.50 or 211/3. It is recorded only when a ledger is named
    (--db or COMITY_DB); without one it leaves no file.

    With a SCENARIO the parties of that file bargain over its issues, each by a strategy that sees
    its own values only: a TOML or JSON file of kind offers, a Genius domain (XML) with its
    profiles, or GeniusWeb JSON. A file of kind bargain is a price.
    """,
)
@click.argument("files", metavar="[SCENARIO [PROFILE...]]", nargs=-1)
@click.option("--seller", metavar="OPENING:RESERVATION", help="120:70 asks 120, takes 70 or more.")
@click.option("--buyer", metavar="OPENING:RESERVATION", help="60:100 bids 60, pays 100 at most.")
@click.option("--rounds", metavar="N", help="Rounds until both have conceded all; default 5.")
@click.option("--seller-rounds", metavar="N", help="The seller's own number of rounds.")
@click.option("--buyer-rounds", metavar="N", help="The buyer's own number of rounds.")
@click.option(
    "--convention",
    metavar="NAME",
    help="When offers meet: same_round (default), next_round, alternating or midpoint.",
)
@click.option("--first", metavar="ROLE", help="Who looks first or opens: buyer (default), seller.")
@click.option("--blind", is_flag=True, help="Nobody sees both reservations: no early no-deal.")
@click.option("--stall", metavar="K", help="End after K rounds without movement; default 1.")
@click.option("--split", metavar="B:S", help="Concede so that the surplus splits buyer:seller.")
@click.option(
    "--schedule",
    metavar="HOW",
    help="How both concede: linear, polynomial:E, exponential:HALF, fixed, tit_for_tat:absolute.",
)
@click.option("--seller-schedule", metavar="HOW", help="How the seller concedes.")
@click.option("--buyer-schedule", metavar="HOW", help="How the buyer concedes.")
@click.option("--tick", metavar="STEP", help="The smallest step between prices.")
@click.option(
    "--strategy",
    metavar="NAME,...",
    multiple=True,
    help="How the parties of a SCENARIO play: one for all, one each in the order of their names, "
    "or PARTY=NAME,...",
)
@click.option("--protocol", metavar="NAME", help="alternating, simultaneous or mediated.")
@click.option("--point", metavar="NAME", help="What a mediator names: nash (default) and so on.")
@click.option("--fallback", metavar="NAME", help="At the end: none, or best_of_seen.")
@click.option("--seed", metavar="TEXT", help="The seed of every lot.")
@click.option("--svg", metavar="FILE", help="Draw it into this file.")
def command(door: Door, files: tuple[str, ...], **words: Unpack[Words]) -> int:
    """Bargain once."""
    if files:
        play: Callable[[Door, tuple[str, ...], Words], int]
        play = import_module("comity.cli.bargain_issues").bargain_files
        return play(door, files, words)
    options = _options(words)
    place = door.explicit_db()
    if words["svg"] is not None:
        import_module("comity.cli.places").guard_target(words["svg"], "--svg", ledger=place)
    session = ""
    if place:
        recorded = import_module("comity.cli.recording").record_bargain(options, place)
        result, session = recorded.outcome, recorded.session
    else:
        result = comity.bargain(**options)
    data: dict[str, Json] = {"v": 1, "kind": result.kind, "price": None, "round": None}
    data.update(result.to_json())
    if session:
        data["session"] = session
    if words["svg"]:
        drawn = import_module("comity.render.charts").chart(data)
        import_module("comity.cli.places").write_file(words["svg"], drawn)
        door.talk(f"drawn: {words['svg']}")
    if door.as_json:
        door.json(data)
    else:
        door.data(price_text(data, door.ink))
    if session:
        door.talk(f"recorded as {session} in {place}")
    return int(result.exit_code)


def _options(words: Words) -> dict[str, Any]:
    """Return what :func:`comity.bargain` takes; every fault of the words at once."""
    faults: list[Fault] = []
    options: dict[str, Any] = {}
    for role in ("seller", "buyer"):
        options[role] = _pair(words[role], f"--{role}", "opening:reservation, as 120:70", faults)
    numbers: Mapping[str, int] = {"rounds": 0, "seller_rounds": 0, "buyer_rounds": 0, "stall": 1}
    for name, least in numbers.items():
        value = whole(words[name], flag(name), faults, least=least)  # type: ignore[literal-required]  # names are keys of Words
        if value is not None:
            options[name] = value
    for name in ("convention", "first", "schedule", "seller_schedule", "buyer_schedule", "tick"):
        if words[name] is not None:  # type: ignore[literal-required]  # the same
            options[name] = words[name]  # type: ignore[literal-required]  # the same
    if words["blind"]:
        options["blind"] = True
    if words["split"] is not None:
        _split(words, options, faults)
    if faults and options["seller"] and options["buyer"]:
        faults.extend(_further(options))
    faults.extend(
        Fault(flag(name), "is given without a SCENARIO", f"a SCENARIO; {instead}",
              f"name the file, or leave out {flag(name)}")
        for name, instead in OF_ISSUES.items()
        if words[name] not in (None, ())  # type: ignore[literal-required]  # names are keys of Words
    )  # fmt: skip
    raise_if(faults)
    return options


def _further(options: dict[str, Any]) -> tuple[Fault, ...]:
    """Return what else is wrong when some words could not be read: every fault at once."""
    try:
        comity.bargain(**options)
    except InvalidInput as error:
        return error.faults
    return ()


def flag(name: str) -> str:
    """Return the option that a name stands for."""
    return f"--{name.replace('_', '-')}"


def _pair(
    text: str | None, whose: str, allowed: str, faults: list[Fault]
) -> tuple[str, str] | None:
    if text is None:
        faults.append(Fault("bargain", f"lacks {whose}", allowed, f"add {whose}"))
        return None
    first, colon, second = (part.strip() for part in text.partition(":"))
    if first and colon and second:
        return first, second
    faults.append(Fault(whose, f"is {text!r}", allowed, f"write {whose} A:B"))
    return None


def _split(words: Words, options: dict[str, Any], faults: list[Fault]) -> None:
    """Turn a wanted split into both schedules."""
    given = [flag(one) for one in ("schedule", "seller_schedule", "buyer_schedule") if words[one]]
    own = [flag(one) for one in ("seller_rounds", "buyer_rounds") if words[one]]
    for option in (*given, *own):
        faults.append(
            Fault(
                "--split",
                f"stands beside {option}, and both say how to concede",
                "one of them",
                f"leave out --split or {option}",
            )
        )
    parts = "the buyer's part and the seller's, as 50:50"
    shares = _pair(words["split"], "--split", parts, faults)
    if faults or shares is None:
        return
    try:
        both = comity.schedules_for(
            split=shares,
            buyer=options["buyer"],
            seller=options["seller"],
            rounds=options.get("rounds", 5),
        )
    except InvalidInput as error:
        faults.extend(error.faults)
        return
    options["buyer_schedule"] = str(both.buyer)
    options["seller_schedule"] = str(both.seller)
