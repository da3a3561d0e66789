"""Problems: which bargaining problem, and which deal, do the words mean?

Here: reading a scenario with its profiles, a deal from words, the name of a solution point,
writing a drawing of the outcome space.
Not here: the commands (frontier.py, bargain_issues.py), the formats (formats/issues.py).
Sources: SEMANTICS G7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from comity.cli.door import Door
from comity.cli.places import guard_target, missing_file, write_file
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.formats.issues import read_problem
from comity.formats.loaded_problem import LoadedProblem
from comity.formats.scenario import json_data
from comity.render.issue_charts import MOST_PARTIES

__all__ = ["deal_of", "draw", "guard_drawing", "point_name", "read_files"]

_FORM = "issue=option,issue=option, every issue settled"


def read_files(files: Sequence[str]) -> LoadedProblem:
    """Read a scenario, or a domain with its profiles.

    Args:
        files: the scenario or domain first, then the profiles.

    Returns:
        The problem with its settings.

    Raises:
        InvalidInput: with every file that is missing, or every fault of what they say.
    """
    paths = [Path(one) for one in files]
    raise_if(missing_file(one) for one in paths if not one.exists())
    return read_problem(paths[0], paths[1:])


def point_name(text: str) -> str:
    """Return the name of a solution point as it is kept.

    Example:
        >>> point_name(" Kalai-Smorodinsky "), point_name("ks")
        ('kalai_smorodinsky', 'kalai_smorodinsky')
    """
    name = text.strip().casefold().replace("-", "_").replace(" ", "_")
    return "kalai_smorodinsky" if name == "ks" else name


def deal_of(text: str, loaded: LoadedProblem) -> dict[str, str]:
    """Read a deal from the command line.

    Args:
        text: ``issue=option`` pairs with commas between them, or a JSON object. A comma that no
            issue follows belongs to the option before it.
        loaded: whose issues they are.

    Returns:
        Issue -> option, every issue settled.

    Raises:
        InvalidInput: with every pair that cannot be read, else with every issue or option that
            does not exist or is missing.
    """
    domain = loaded.problem.domain
    faults: list[Fault] = []
    pairs = (
        _from_json(text, faults) if text.lstrip().startswith("{") else _pairs(text, domain.names)
    )
    deal: dict[str, str] = {}
    for name, option in pairs:
        if not name or not option:
            found = f"cannot be read at {name or option!r}"
            faults.append(Fault("--deal", found, _FORM, "write issue=option"))
        elif name in deal:
            faults.append(Fault("--deal", f"settles {name!r} twice", _FORM, "leave one out"))
        deal[name] = option
    if not faults:
        faults.extend(domain.faults(deal, "--deal"))
    raise_if(faults)
    return deal


def _from_json(text: str, faults: list[Fault]) -> list[tuple[str, str]]:
    try:
        data = json_data(text)
    except (ValueError, RecursionError) as error:
        faults.append(Fault("--deal", f"is not valid JSON: {error}", _FORM, "correct it"))
        return []
    assert isinstance(data, Mapping)  # it begins with a brace
    return [(name, str(option)) for name, option in data.items()]


def _pairs(text: str, names: Iterable[str]) -> list[tuple[str, str]]:
    """Split where a pair begins: names and options of other programs may hold commas."""
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    begins = list(re.finditer(rf"(?:^|,)\s*({known}|[^,=]*?)\s*=", text))
    if not begins or begins[0].start():
        return [(text.split(",", 1)[0].strip(), "")]
    ends = [one.start() for one in begins[1:]] + [len(text)]
    return [
        (one.group(1), text[one.end() : end].strip())
        for one, end in zip(begins, ends, strict=True)
    ]


# --- drawing ---------------------------------------------------------------------------------


def guard_drawing(door: Door, svg: str | None, files: Iterable[str], *, parties: int = 2) -> None:
    """Refuse a drawing that would be written over what this call uses.

    Args:
        door: whose ledger is in use.
        svg: where it goes, or None.
        files: what the call reads; of a folder, every file in it.
        parties: how many would have to be drawn.

    Raises:
        InvalidInput: before anything runs.
    """
    if svg is None:
        return
    if parties > MOST_PARTIES:
        what = f"would have to draw {parties} parties side by side"
        next_step = "leave out --svg, and read the points from --json"
        raise InvalidInput(Fault("--svg", what, f"at most {MOST_PARTIES} parties", next_step))
    inputs: list[Path] = []
    for path in map(Path, files):
        inputs.extend(path.iterdir() if path.is_dir() else [path])
    guard_target(svg, "--svg", ledger=door.explicit_db(), inputs=inputs)


def draw(door: Door, svg: str, drawn: str) -> None:
    """Write a drawing and say so.

    Args:
        door: how to speak.
        svg: where it goes.
        drawn: the document; "" when there is none to be drawn.
    """
    write_file(svg, drawn)
    door.talk(f"drawn: {svg}")
