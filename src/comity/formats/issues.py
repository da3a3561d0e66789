"""Issues in files: which format is this file about several issues, and what does it say?

Here: the one way in for our own scenarios, Genius XML and GeniusWeb JSON, by looking at the file.
Not here: the formats themselves, what is computed from the problem.
Sources: SEMANTICS M1, G7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.formats.genius_xml import GRID, read_genius
from comity.formats.geniusweb_json import is_domain, is_profile, read_geniusweb
from comity.formats.loaded_problem import LoadedProblem
from comity.formats.offers_file import SCHEMA, loaded_from
from comity.formats.scenario import load_data
from comity.formats.schema import schema_faults

__all__ = ["LoadedProblem", "read_problem"]

_FORMS = 'a scenario of kind "offers", a Genius domain or a GeniusWeb domain, with their profiles'


def read_problem(
    path: Path | str, profiles: Sequence[Path | str] = (), *, points: int = GRID
) -> LoadedProblem:
    """Read a bargaining problem over several issues, whatever its form.

    Args:
        path: a TOML or JSON scenario of kind ``offers``; a Genius domain (XML) or a folder with
            one; a GeniusWeb domain or profile (JSON) or a folder with these.
        profiles: the profiles of a Genius or GeniusWeb domain; none for those that belong to it.
        points: how many points a real issue of a Genius domain is put on.

    Returns:
        The problem, with notes of how it was read.

    Raises:
        InvalidInput: with every fault of the files.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> text = '''
        ... kind = "offers"
        ... [issues]
        ... tls = ["1.2", "1.3"]
        ... [parties]
        ... ann.values.tls = { "1.3" = 1 }
        ... bob.values.tls = { "1.2" = 1 }
        ... '''
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "tls.toml")
        ...     _ = path.write_text(text)
        ...     read_problem(path).problem.names
        ('ann', 'bob')
    """
    path = Path(path)
    others = [Path(one) for one in profiles]
    if path.is_dir():
        suffixes = _suffixes_in(path)
        if ".xml" in suffixes or ".json" not in suffixes:
            return read_genius(path, others, points=points)
        return read_geniusweb(path, others)
    suffix = path.suffix.lower()
    if suffix == ".xml":
        return read_genius(path, others, points=points)
    data = load_data(path)
    if suffix == ".json" and (is_domain(data) or is_profile(data)):
        return read_geniusweb(path, others)
    if not isinstance(data, Mapping) or data.get("kind") != "offers":
        kind = data.get("kind") if isinstance(data, Mapping) else None
        what = f"has the kind {shown(kind)}" if kind else "is no problem over several issues"
        next_step = did_you_mean(str(kind), ["offers"]) if kind else 'write kind = "offers"'
        raise InvalidInput(Fault(path.name, what, _FORMS, next_step))
    if others:
        what = "is a whole scenario and takes no profiles"
        raise InvalidInput(Fault(path.name, what, "the scenario alone", "leave the profiles out"))
    raise_if(schema_faults(SCHEMA, data, whose=path.name))
    return loaded_from(data, whose=path.name)


def _suffixes_in(folder: Path) -> set[str]:
    try:
        return {one.suffix.lower() for one in folder.iterdir()}
    except OSError as error:
        fault = Fault(str(folder), f"cannot be read: {error.strerror}", _FORMS, "check the path")
        raise InvalidInput(fault) from error
