"""Comity tally: who wins a file of ballots, by how much, and how firmly?

Here: the options of the command, reading them with every fault at once, its output.
Not here: reading files (formats/ballots.py), the rules (comity.tally), drawing (render/).
Sources: SEMANTICS V3, V5, V10, G1, G7, G8 (a one-shot count says that it is thin and exits by
its kind).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

import comity
from comity.cli.door import Door
from comity.cli.options import DoorCommand, whole
from comity.cli.places import missing_file
from comity.core.canonical import Json
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.core.exact import read_exact
from comity.formats.ballots import read_ballots
from comity.render.vote import vote_text

if TYPE_CHECKING:
    from comity.formats.ballots import BallotFile

__all__ = ["command", "counts_of", "read_file"]

EXAMPLES = (
    "comity tally examples/ballots-five.csv --rule borda",
    "comity tally examples/ballots-lunch.csv --rule irv --svg lunch.svg",
    "comity tally examples/ballots-tie.csv --rule plurality --ties lot:2026 --json",
)

STANDARD = (
    "plurality", "majority", "supermajority", "approval", "score", "star", "borda", "irv",
    "coombs", "condorcet", "copeland", "minimax", "schulze", "ranked_pairs", "kemeny", "stv",
    "debian",
)  # fmt: skip
MOST_BALLOTS = 200
"""More different ballots than this stay out of the JSON."""

_PROVED = {
    "plurality", "approval", "score", "borda", "condorcet", "copeland", "minimax", "schulze",
    "ranked_pairs", "kemeny",
}  # fmt: skip
_MOST_EXPLAINED, _MOST_SEARCHED = 2000, 50  # different ballots: proved margins, searched ones
_RANKABLE = {"choice", "approval", "score", "ranking"}
_KINDS = {"approval": "approval", "score": "score", "star": "score"}
_FLAGS = {
    "ties": "--ties",
    "unranked": "--unranked",
    "strength": "--strength",
    "threshold": "--threshold",
    "seats": "--seats",
    "default": "--default",
    "default_option": "--default",
    "ratios": "--ratio",
}
_FIRMNESS = ("margin_of_victory", "pivotal", "effective_margin", "others")


class Words(TypedDict):
    """What the command line said, as text."""

    rule: str | None
    ties: str | None
    unranked: str | None
    strength: str | None
    threshold: str | None
    seats: str | None
    default: str | None
    ratio: tuple[str, ...]
    set: tuple[str, ...]
    kind: str | None
    format: str | None
    explain: bool | None
    n_eff: str | None
    log: str | None
    svg: str | None


@click.command(
    "tally",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Count a file of ballots under one rule.

    Files: csv, json, jsonl, blt, and PrefLib's soc, soi, toc, toi and cat. `comity compare FILE`
    sets all standard rules side by side.
    """,
)
@click.argument("file", metavar="FILE")
@click.option("--rule", metavar="NAME", help="plurality, borda, irv, schulze and so on.")
@click.option("--ties", metavar="HOW", help="none (default), lot:SEED, chair:VOTER and so on.")
@click.option("--unranked", metavar="HOW", help="Left out: last, zero (Borda), no_opinion.")
@click.option("--strength", metavar="HOW", help="Of a defeat: margins or winning_votes.")
@click.option("--threshold", metavar="SHARE", help="For majority: '> 1/2', 'at least 2/3'.")
@click.option("--seats", metavar="N", help="For stv; else what the file says.")
@click.option("--default", metavar="OPTION", help="The default option of supermajority, debian.")
@click.option("--ratio", metavar="OPTION=N", multiple=True, help="What it needs against that.")
@click.option("--set", metavar="NAME=VALUE", multiple=True, help="Any other parameter.")
@click.option("--kind", metavar="KIND", help="Ballots: choice, approval, score, ranking, yes_no.")
@click.option("--format", metavar="NAME", help="The file's format; else its ending says it.")
@click.option("--explain/--no-explain", default=None, help="How firm it is; default: if quick.")
@click.option("--n-eff", metavar="X", help="How many independent voters they count as.")
@click.option("--log", metavar="LOG", help="Past votes of the same voters, to learn that from.")
@click.option("--svg", metavar="FILE", help="Draw the count into this file.")
def command(door: Door, file: str, **words: Unpack[Words]) -> int:
    """Count once."""
    faults: list[Fault] = []
    ballots = read_file(file, words["kind"], words["format"], faults)
    n_eff = _number(words["n_eff"], "--n-eff", faults)
    if words["log"] is not None and words["n_eff"] is not None:
        given = Fault("--log", "is given beside --n-eff", "one of them", "drop one")
        faults.append(given)
    elif words["log"] is not None:
        n_eff = _from_log(words["log"], ballots, faults)
    if ballots is not None:
        faults.extend(_tie_faults(words["ties"] or "", ballots))
    result = _result(words, ballots, faults)
    raise_if(faults)
    assert ballots is not None  # else there was a fault
    if words["svg"] is not None:
        places = import_module("comity.cli.places")
        places.guard_target(words["svg"], "--svg", ledger=door.explicit_db(), inputs=[Path(file)])
    data = _told(result, ballots, _explained(door, result, n_eff, wish=words["explain"]))
    if words["svg"]:
        drawn = import_module("comity.render.charts").chart(data)
        import_module("comity.cli.places").write_file(words["svg"], drawn)
        door.talk(f"drawn: {words['svg']}")
    if door.as_json:
        door.json(data)
    else:
        door.data(vote_text(data, door.ink))
    return int(result.exit_code)


# --- what was said ---------------------------------------------------------------------------


def read_file(
    file: str, kind: str | None, form: str | None, faults: list[Fault]
) -> BallotFile | None:
    """Return the ballots of a file, or None with every fault noted.

    Args:
        file: the path.
        kind: the kind of ballots, when it was named.
        form: the format, when it was named.
        faults: where faults go.
    """
    path = Path(file)
    if not path.exists():
        faults.append(missing_file(path))
        return None
    try:
        return read_ballots(path, kind=kind, format=form)  # type: ignore[arg-type]  # it checks the kind
    except InvalidInput as error:
        faults.extend(error.faults)
    return None


def counts_of(election: comity.Election) -> dict[str, Json]:
    """Return how many ballots count, abstain, cannot be read, and are absent.

    Args:
        election: every ballot.
    """
    return {
        "ballots": election.size,
        "abstained": sum(line.count for line in election.abstentions),
        "invalid": len(election.invalid),
        "absent": len(election.absent),
    }


def _result(words: Words, ballots: BallotFile | None, faults: list[Fault]) -> Any:  # noqa: ANN401  # a result of any rule
    """Count, or note every fault of the rule and its parameters and return None."""
    name = (words["rule"] or "").strip().casefold().replace("-", "_").replace(" ", "_")
    if name not in STANDARD:
        what = f"is {words['rule']!r}" if words["rule"] else "is missing"
        near = did_you_mean(name, STANDARD) if name else "add --rule NAME, or see `comity compare`"
        faults.append(Fault("--rule", what, ", ".join(STANDARD), near))
    rule: Callable[..., Any] | None = None
    if name in STANDARD:
        rule = comity.stv if name == "stv" else comity.rule_named(name)
    before = len(faults)
    parameters = _parameters(words, ballots, faults)
    if rule is None:
        return None
    _check_taken(rule, name, parameters, faults)
    election = comity.Election([], kind=_KINDS.get(name, "ranking"))  # type: ignore[arg-type]  # kinds as they are
    if ballots is not None:
        election = ballots.election
    if len(faults) == before:
        found = _asked(rule, election, parameters, faults)
        if len(faults) == before:
            return found
    _check_each(rule, election, parameters, faults)
    return None


def _asked(
    rule: Callable[..., Any],
    election: comity.Election,
    told: Mapping[str, Any],
    faults: list[Fault],
) -> Any:  # noqa: ANN401  # a result of any rule
    try:
        return rule(election, **told)
    except InvalidInput as error:
        faults.extend(one for one in error.faults if one not in faults)
    return None


def _taken(rule: Callable[..., Any]) -> dict[str, bool]:
    """Return the parameters of a rule, and whether each must be given."""
    every = signature(rule).parameters.values()
    return {one.name: one.default is Parameter.empty for one in every
            if one.kind is Parameter.KEYWORD_ONLY}  # fmt: skip


def _check_taken(
    rule: Callable[..., Any], name: str, told: dict[str, Any], faults: list[Fault]
) -> None:
    """Note what the rule does not take and what it lacks; the rest stays in what it is told."""
    known = _taken(rule)
    if "ratios" in known:
        told.setdefault("ratios", {})
    for one in [one for one in told if one not in known]:
        del told[one]
        what = f"takes no {_FLAGS.get(one, f'--set {one}=...')}"
        faults.append(Fault(name, what, ", ".join(known), did_you_mean(one, known)))
    for one in [one for one, must in known.items() if must and one not in told]:
        flag = _FLAGS.get(one, f"--set {one}=...")
        faults.append(Fault(name, f"lacks {flag}", "what the rule needs", f"add {flag}"))


def _check_each(
    rule: Callable[..., Any],
    election: comity.Election,
    told: Mapping[str, Any],
    faults: list[Fault],
) -> None:
    """Note what is wrong with each parameter by itself: every fault at once."""
    needed = [one for one, must in _taken(rule).items() if must]
    if not set(needed) <= set(told):
        return
    for name in told:
        _asked(rule, election, {one: told[one] for one in (*needed, name)}, faults)


def _parameters(words: Words, ballots: BallotFile | None, faults: list[Fault]) -> dict[str, Any]:
    """Return what the words tell the rule."""
    told: dict[str, Any] = {
        name: words[name]
        for name in ("ties", "unranked", "strength", "threshold")
        if words[name] is not None
    }
    seats = whole(words["seats"], "--seats", faults, least=1)
    rule = (words["rule"] or "").strip().casefold()
    if seats is None and rule == "stv" and words["seats"] is None and ballots is not None:
        seats = ballots.seats
    if seats is not None:
        told["seats"] = seats
    if words["default"] is not None:
        told["default" if rule == "debian" else "default_option"] = words["default"]
    if words["ratio"]:
        told["ratios"] = dict(_pairs(words["ratio"], "--ratio", "OPTION=N", faults))
    for name, value in _pairs(words["set"], "--set", "NAME=VALUE", faults):
        told[name] = _value(name, value)
    return told


def _pairs(
    given: Iterable[str], whose: str, form: str, faults: list[Fault]
) -> list[tuple[str, str]]:
    found = []
    for one in given:
        name, sign, value = (part.strip() for part in one.rpartition("="))
        if name and sign and value:
            found.append((name, value))
        else:
            faults.append(Fault(whose, f"is {one!r}", form, f"write {whose} {form}"))
    return found


def _value(name: str, text: str) -> object:
    """Return the value of a parameter that is given as text."""
    if name == "veto_holders":
        return [one.strip() for one in text.split(",")]
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else text


def _number(text: str | None, whose: str, faults: list[Fault]) -> Any:  # noqa: ANN401  # any exact number
    if text is None:
        return None
    try:
        found = read_exact(text, "tally", whose)
    except InvalidInput as error:
        faults.extend(error.faults)
        return None
    if found <= 0:
        faults.append(Fault(whose, f"is {text}", "a number above 0", f"correct {whose}"))
    return found


def _tie_faults(ties: str, ballots: BallotFile) -> list[Fault]:
    """Return what is wrong with the option or the voter that a tie rule goes by."""
    election = ballots.election
    rule, _, by = (part.strip() for part in ties.partition(":"))
    lines = (*election.lines, *election.abstentions) if rule == "chair" else ()
    known = {
        "status_quo": election.options,
        "chair": tuple(line.voter for line in lines if line.voter),
    }.get(rule)
    if known is None or not by or by in known:
        return []
    what = f"go by {by!r}"
    return [
        Fault("--ties", what, ", ".join(known) or "voters with names", did_you_mean(by, known))
    ]


def _from_log(log: str, ballots: BallotFile | None, faults: list[Fault]) -> Any:  # noqa: ANN401  # an exact number
    """Return as how many independent voters these count by a log, or None with the faults."""
    past = import_module("comity.formats.past_votes")
    election = None if ballots is None else ballots.election
    lines = () if election is None else (*election.lines, *election.abstentions)
    if election is not None and not election.is_named:
        what = "is given beside ballots without names"
        faults.append(Fault("--log", what, "voter -> ballot", "name the voters, or give --n-eff"))
        return None
    try:
        return past.n_eff_of_file(Path(log), [line.voter for line in lines if line.voter])
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


# --- what is told ----------------------------------------------------------------------------


def _explained(
    door: Door,
    result: Any,  # noqa: ANN401  # a result of any rule
    n_eff: Any,  # noqa: ANN401  # any exact number
    *,
    wish: bool | None,
) -> dict[str, Json]:
    """Return how firm the result is; nothing where nobody wants to know or it would take long."""
    election = result.count.election
    if wish is False:
        return {}
    different = len(election.lines)
    most = _MOST_EXPLAINED if result.grounds.rule in _PROVED else _MOST_SEARCHED
    if wish is None and n_eff is None and different > most:
        door.talk(f"{different} different ballots: add --explain to learn how firm it is")
        return {}
    return dict(comity.explain(result, n_eff=n_eff).to_json())


def _told(
    result: Any,  # noqa: ANN401  # a result of any rule
    ballots: BallotFile,
    explained: Mapping[str, Json],
) -> dict[str, Json]:
    """Return the JSON: what people look for first, then the whole result."""
    election, whole_result = result.count.election, result.to_json()
    pairwise = result.pairwise if election.kind in _RANKABLE else {}
    data: dict[str, Json] = {
        "v": 1,
        "kind": result.kind,
        "form": result.form,
        "winner": result.winner,
        "tied": list(result.tied),
        "tally": encode(result.tally),
        "margin": encode(result.margin),
        "rule": result.grounds.rule,
        "thin": explained.get("thin", list(result.grounds.thin)),
        "flags": list(result.count.flags),
        "ranking": encode(result.count.ranking),
        "rounds": encode(result.count.rounds),
        "pairwise": encode(pairwise),
        "distribution": encode(result.distribution),
        "counts": counts_of(election),
        **{name: explained.get(name) for name in _FIRMNESS},
        "title": ballots.title,
        "notes": list(ballots.notes),
    }
    for name, value in whole_result.items():
        data.setdefault(name, value)
    different = len(election.lines) + len(election.abstentions)
    count = data["count"]
    if different > MOST_BALLOTS and isinstance(count, Mapping):
        inner = count["election"]
        assert isinstance(inner, Mapping)  # what an election's to_json wrote
        data["count"] = {**count, "election": {**inner, "ballots": different}}
    return data
