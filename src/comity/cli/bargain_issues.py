"""Bargain over issues: what do the parties of a scenario file come to?

Here: `comity bargain SCENARIO`: reading its options with every fault at once, playing it, its
output; a file with a price is decided as the price it is.
Not here: the options' names and a price on the command line (bargain.py), the bargaining
(comity.negotiate_issues, comity.mediate), live sessions between agents (run.py).
Sources: SEMANTICS M2, M3, M5, G4 (a seed is drawn after the inputs are closed), G7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import comity
from comity.app import App, Decided, new_seed
from comity.cli.bargain import OF_A_PRICE, Words, flag
from comity.cli.door import Door
from comity.cli.options import whole
from comity.cli.places import working_folder
from comity.cli.play import result_json
from comity.cli.problems import draw, guard_drawing, point_name, read_files
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.formats.offers_file import scenario_of
from comity.formats.overview import appraised, course_of, outcome_space
from comity.formats.scenario import load_data, scenario_from
from comity.render.issues import TITLES, issues_text
from comity.render.price import price_text

if TYPE_CHECKING:
    from comity.formats.loaded_problem import LoadedProblem

__all__ = ["OWN", "bargain_files"]

OWN = "comity"
"""The strategy of a party for which neither the words nor the file name one."""

PROTOCOLS = ("alternating", "simultaneous", "mediated")
FALLBACKS = ("none", "best_of_seen")

_OF_PLAY = ("strategy", "rounds", "first", "fallback", "stall")
_INSTEAD = {
    "schedule": "did you mean '--strategy'",
    "seller_schedule": "did you mean '--strategy seller=...'",
    "buyer_schedule": "did you mean '--strategy buyer=...'",
    "convention": "did you mean '--protocol'",
    "split": "did you mean '--protocol mediated --point ...'",
}


def bargain_files(door: Door, files: tuple[str, ...], words: Words) -> int:
    """Bargain once over what files say.

    Args:
        door: how to speak.
        files: the scenario, and the profiles of a domain.
        words: the options.

    Returns:
        The exit code of the result.

    Raises:
        InvalidInput: with every fault of the files, or every fault of the options.
    """
    if _is_price(files):
        return _price(door, Path(files[0]), words)
    loaded = read_files(files)
    faults = _foreign(words)
    options = _options(loaded, words, faults)
    raise_if(faults)
    guard_drawing(door, words["svg"], files, parties=len(loaded.problem.parties))
    found, why = _frontier(loaded)
    if words["svg"] is not None and found is None:
        allowed = "fewer deals, or additive values without constraints"
        raise InvalidInput(Fault("--svg", f"has no frontier: it {why}", allowed, "leave it out"))
    is_drawn = not options["seed"]
    options["seed"] = options["seed"] or new_seed()  # drawn when everything else is settled
    place, session = door.explicit_db(), ""
    result: Any
    if place:
        decided = _recorded(loaded, options, place)
        result, session = decided.outcome, decided.session
    else:
        result = _played(loaded, options)
    if is_drawn:
        door.talk(f"seed: {options['seed']} (--seed repeats it)")
    data = _told(loaded, result, appraised(found, result) if found else {"why": why})
    if session:
        data["session"] = session
    if words["svg"] is not None:
        charts = import_module("comity.render.issue_charts")
        draw(door, words["svg"], charts.space_chart(data, outcome_space(found, result=result)))
    if door.as_json:
        door.json(data)
    else:
        door.data(issues_text(data, door.ink))
    if session:
        door.talk(f"recorded as {session} in {place}")
    return int(result.exit_code)


# --- a price ---------------------------------------------------------------------------------


def _is_price(files: Sequence[str]) -> bool:
    """Tell whether the one file says that it is about a price."""
    path = Path(files[0])
    if len(files) > 1 or path.suffix.lower() == ".xml" or not path.is_file():
        return False
    data = load_data(path)
    return isinstance(data, Mapping) and data.get("kind") == "bargain"


def _price(door: Door, path: Path, words: Words) -> int:
    """Decide a price that a file states; recorded only where a ledger is named."""
    given = [name for name, value in words.items() if name not in {"svg", "seed"} and value]
    what = f"is given beside {path.name}, which says how it is bargained"
    raise_if(
        Fault(flag(name), what, "--svg or --seed", f"leave out {flag(name)}, or change the file")
        for name in given
    )
    guard_drawing(door, words["svg"], [str(path)])
    place = door.explicit_db()
    seed = words["seed"] or new_seed()
    data = load_data(path)
    scenario = scenario_from(data, whose=path.name, folder=path.parent, seed=seed)
    with App(place or ":memory:") as app:
        decided = app.decide(scenario, {}, folder=working_folder())
    told = result_json(decided)
    if not place:
        del told["session"]
    if words["svg"] is not None:
        draw(door, words["svg"], import_module("comity.render.charts").chart(told))
    if door.as_json:
        door.json(told)
    else:
        door.data(price_text(told, door.ink))
    if place:
        door.talk(f"recorded as {decided.session} in {place}")
    return int(decided.outcome.exit_code)


# --- what was said ---------------------------------------------------------------------------


def _foreign(words: Words) -> list[Fault]:
    """Return the options that only a price has."""
    return [
        Fault(
            flag(name),
            "is given beside a SCENARIO over several issues",
            "an option of several issues, or a price without a SCENARIO",
            _INSTEAD.get(name, f"leave out {flag(name)} or the SCENARIO"),
        )
        for name in OF_A_PRICE
        if words[name]  # type: ignore[literal-required]  # names are keys of Words
    ]


def _options(loaded: LoadedProblem, words: Words, faults: list[Fault]) -> dict[str, Any]:
    """Return how it is played; the words win over the file."""
    names = loaded.problem.names
    protocol = _choice(words["protocol"], "--protocol", PROTOCOLS, faults) or loaded.protocol
    seed = words["seed"] or loaded.seed or ""
    if protocol == "mediated":
        return {"protocol": protocol, "seed": seed, "point": _point(loaded, words, faults)}
    if words["point"] is not None:
        next_step = "add --protocol mediated, or leave out --point"
        faults.append(
            Fault("--point", f"is given beside {protocol} offers", "a mediator", next_step)
        )
    first = words["first"]
    if first is not None and first not in names:
        allowed = f"parties: {', '.join(names)}"
        faults.append(Fault("--first", f"is {first!r}", allowed, did_you_mean(first, names)))
    rounds = whole(words["rounds"], "--rounds", faults)
    return {
        "protocol": protocol,
        "seed": seed,
        "rounds": loaded.rounds if rounds is None else rounds,
        "first": first or loaded.first,
        "fallback": _choice(words["fallback"], "--fallback", FALLBACKS, faults) or loaded.fallback,
        "stall": whole(words["stall"], "--stall", faults, least=1) or loaded.settings.get("stall"),
        "strategies": _strategies(loaded, words, faults),
    }


def _point(loaded: LoadedProblem, words: Words, faults: list[Fault]) -> str:
    """Return what the mediator names; options of play are refused beside it."""
    for name in _OF_PLAY:
        if words[name]:  # type: ignore[literal-required]  # names are keys of Words
            what = "is given beside a mediator, who needs no offers"
            faults.append(Fault(flag(name), what, "--point, --seed", f"leave out {flag(name)}"))
    point = point_name(words["point"] or str(loaded.settings.get("point", "nash")))
    return _choice(point, "--point", tuple(TITLES), faults) or "nash"


def _choice(
    value: str | None, whose: str, known: Sequence[str], faults: list[Fault]
) -> str | None:
    if value is None or value in known:
        return value
    faults.append(Fault(whose, f"is {value!r}", ", ".join(known), did_you_mean(value, known)))
    return None


def _strategies(loaded: LoadedProblem, words: Words, faults: list[Fault]) -> dict[str, str]:
    """Return party -> strategy: from the words, else the file, else our own."""
    names = loaded.problem.names
    plays = {name: loaded.strategies.get(name, OWN) for name in names}
    given = [piece for value in words["strategy"] for piece in _pieces(value, names)]
    if not given:
        faults.extend(_live(loaded))
        return plays
    paired = [party for party, _ in given if party]
    if not paired:
        listed = [play for _, play in given]
        if len(listed) not in {1, len(names)}:
            allowed = f"one for all, or {len(names)}: for {', '.join(names)}"
            what = f"names {len(listed)} strategies"
            faults.append(Fault("--strategy", what, allowed, "or write PARTY=NAME"))
        return dict(zip(names, listed * len(names), strict=False))
    if len(paired) < len(given):
        what = "has some strategies with a party and some without"
        faults.append(
            Fault("--strategy", what, "one way or the other", "write PARTY=NAME for each")
        )
    for party in dict.fromkeys(paired):
        if party not in names:
            allowed = f"parties: {', '.join(names)}"
            near = did_you_mean(party, names)
            faults.append(Fault("--strategy", f"names {party!r}, who is no party", allowed, near))
        elif paired.count(party) > 1:
            what = f"names {party!r} twice"
            faults.append(Fault("--strategy", what, "each party once", "leave one out"))
    return plays | {party: play for party, play in given if party in names}


def _pieces(value: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return what stands between commas as (party or "", strategy)."""
    party, _, play = (part.strip() for part in value.rpartition("="))
    if "," in party and party in names:
        return [(party, play)]
    pieces = []
    for piece in value.split(","):
        party, _, play = (part.strip() for part in piece.rpartition("="))
        pieces.append((party, play))
    return pieces


def _live(loaded: LoadedProblem) -> list[Fault]:
    """Refuse to play by strategies what a file seats agents for, unless that was asked for."""
    seated = sorted(loaded.agents)
    if not seated:
        return []
    return [
        Fault(
            "SCENARIO",
            f"seats agents for {', '.join(seated)}, and this plays strategies",
            "`comity run SCENARIO` for the agents, --strategy for strategies",
            "choose one",
        )
    ]


# --- the negotiation -------------------------------------------------------------------------


def _played(loaded: LoadedProblem, options: Mapping[str, Any]) -> Any:  # noqa: ANN401  # a result over issues
    given = dict(options)
    if given.pop("protocol") == "mediated":
        return comity.mediate(loaded.problem, **given)
    strategies = given.pop("strategies")
    return comity.negotiate_issues(
        loaded.problem, strategies, protocol=options["protocol"], **given
    )


def _recorded(loaded: LoadedProblem, options: Mapping[str, Any], place: str) -> Decided:
    """Play it at the live table, every seat by its strategy, and keep it in a ledger."""
    mediated = options["protocol"] == "mediated"
    settings: dict[str, Any] = {"disclose_at_end": True, **loaded.settings}
    taken = ("point",) if mediated else ("stall",)
    settings |= {name: options[name] for name in taken if options[name] is not None}
    plays = options.get("strategies") or dict.fromkeys(loaded.problem.names, OWN)
    same = {name: options[name] for name in ("rounds", "first", "fallback") if name in options}
    changed = replace(
        loaded,
        protocol=options["protocol"],
        seed=options["seed"],
        strategies={},
        agents={},
        settings=settings,
        **same,
    )
    scenario = scenario_of(changed, seed=options["seed"])
    seats = {name: f"strategy:{play}" for name, play in plays.items()}
    with App(place) as app:
        return app.decide(scenario, seats, folder=working_folder())


def _frontier(loaded: LoadedProblem) -> tuple[Any, str]:
    """Return the frontier, or None and why there is none: then the deal is told without it."""
    try:
        return comity.frontier(loaded.problem), ""
    except InvalidInput as error:
        return None, "; ".join(fault.what for fault in error.faults)


def _told(loaded: LoadedProblem, result: Any, quality: dict[str, Json]) -> dict[str, Json]:  # noqa: ANN401  # a result over issues
    """Return the JSON: what people look for first, then the whole result."""
    data: dict[str, Json] = {
        "v": 1,
        "kind": result.kind,
        "form": result.form,
        "says": result.says,
        "deal": None if result.kind == "no_deal" else dict(result.terms),
        "title": loaded.question,
        "quality": quality,
        "course": course_of(loaded.problem, result),
    }
    for name, value in result.to_json().items():
        data.setdefault(name, value)
    data["notes"] = [*loaded.notes, *result.notes]
    return data
