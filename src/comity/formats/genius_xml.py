"""Genius XML: what do a domain and its profiles, written for Genius, say in exact numbers?

Here: finding a domain's profiles, and reading them as one problem.
Not here: issues and evaluations (genius_issues.py), safe XML (xml_tree.py), writing
(genius_write.py).
Sources: SEMANTICS M1; the defects N1 to N4 and N6 of the negotiation report. The utility of a deal
is the sum of weight * evaluation / largest evaluation of the issue. Weights are taken as given;
Genius itself cuts the sum at 1. A missing reservation is 0, as in Genius; a discount of 0 or 1, or
none, is no discount; reservation and discount are kept together, wherever they stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import show_number
from comity.core.parties import name_fault
from comity.formats.genius_issues import (
    Issue,
    evaluations,
    issues_of,
    number_of,
    placed_issues,
)
from comity.formats.loaded_problem import LoadedProblem, bytes_of
from comity.formats.xml_tree import LARGEST_XML, Element, parse_xml, root_tag
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.mechanisms.bargaining.problem import problem_of

__all__ = ["GRID", "genius_parties", "read_genius", "read_genius_texts"]

GRID = 21
"""How many points a real issue is put on."""

_DOMAIN = "negotiation_template"
_PROFILE = "utility_space"
_A_DOMAIN = "a Genius domain (negotiation_template) with its profiles (utility_space)"
_ADDITIVE = ("", "any", "additive", "linear", "discrete")
_NOT_ADDITIVE = ("ufun", "utility_function", "hyperrectangle", "hyper_rectangle", "rconstraint",
                 "constraint", "constraints")  # fmt: skip
_MOST_FILES = 1000
_OFF_BY = Fraction(1, 1_000_000)  # weights written with 16 digits miss 1 by less


def read_genius(
    path: Path, profiles: Sequence[Path] = (), *, points: int = GRID, scaled: bool = False
) -> LoadedProblem:
    """Read a Genius domain with its profiles.

    Args:
        path: the domain's file, or a folder with one domain in it.
        profiles: the profiles, one per party; none for those that the domain names or, when it
            names none, for every profile beside it.
        points: how many points a real issue is put on.
        scaled: whether a profile's weights are divided by their sum, where it is not 1.

    Returns:
        The problem; each party has the name of its file.

    Raises:
        InvalidInput: with every fault, naming file, issue and value.
    """
    domain = _domain_in(path) if path.is_dir() else path
    data = bytes_of(domain, LARGEST_XML, _A_DOMAIN)
    template = parse_xml(data, whose=domain.name)
    if template.tag == _PROFILE:
        raise InvalidInput(_lone_profile(domain))
    if template.tag != _DOMAIN:
        what = f"is no domain: its outermost element is <{shown(template.tag)[1:-1]}>"
        raise InvalidInput(Fault(domain.name, what, _A_DOMAIN, "name the file of the domain"))
    found = list(profiles) or _profiles_of(template, domain)
    faults: list[Fault] = []
    texts: list[tuple[str, bytes]] = []
    for one in found:
        try:
            texts.append((one.name, bytes_of(one, LARGEST_XML, "a profile (utility_space)")))
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return read_genius_texts(data, texts, whose=domain.name, points=points, scaled=scaled)


def read_genius_texts(
    domain: bytes,
    profiles: Sequence[tuple[str, bytes]],
    *,
    whose: str = "domain.xml",
    points: int = GRID,
    scaled: bool = False,
) -> LoadedProblem:
    """Read a domain and profiles that are at hand already.

    Args:
        domain: the domain's bytes.
        profiles: file name and bytes of each profile.
        whose: the domain's name, for the messages.
        points: how many points a real issue is put on.
        scaled: whether a profile's weights are divided by their sum, where it is not 1.

    Returns:
        As :func:`read_genius`.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> issue = b'<issue name="day" index="1"><item value="%s" evaluation="%d"/></issue>'
        >>> space = b"<utility_space><objective>%s</objective></utility_space>"
        >>> domain = b"<negotiation_template>%s</negotiation_template>" % (
        ...     space % issue.replace(b"evaluation", b"cost") % (b"Mon", 0)
        ... )
        >>> own = space % (issue % (b"Mon", 4) + b'<weight index="1" value="0.5"/>')
        >>> loaded = read_genius_texts(domain, [("ann.xml", own), ("bob.xml", own)])
        >>> loaded.problem.names, loaded.problem.utilities({"day": "Mon"})[0]
        (('ann', 'bob'), Fraction(1, 2))
    """
    faults: list[Fault] = []
    objective = _objective(parse_xml(domain, whose=whose), whose)
    issues, notes = issues_of(objective, points=points, whose=whose, faults=faults)
    if not issues and not faults:
        faults.append(Fault(whose, "has no issues", "at least one issue", "add issues"))
    raise_if(faults)
    try:
        built = domain_of({one.name: one.options for one in issues}, free=True)
    except InvalidInput as error:
        named = (Fault(f"{whose}: {one.whose}", *_rest(one)) for one in error.faults)
        raise InvalidInput(named) from error
    parties: dict[str, Additive] = {}
    names, renamed = genius_parties([name for name, _ in profiles])
    notes.extend(renamed)
    for name, (file, data) in zip(names, profiles, strict=True):
        try:
            parties[name], said = _profile(data, issues, built, file, scaled=scaled)
            notes.extend(f"{file}: {one}" for one in said)
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    problem = problem_of(built, parties)
    question = f"A deal over {', '.join(built.names)}"
    return LoadedProblem(problem=problem, question=question, form="genius", notes=tuple(notes))


def genius_parties(files: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a party's name for each profile's file.

    Args:
        files: the names of the files.

    Returns:
        The names, each usable and once, and a note for each that differs from its file's.

    Example:
        >>> genius_parties(["ann.xml", "b(2).xml", "ann.xml"])
        (['ann', 'b-2', 'ann-2'], ["b(2).xml is party 'b-2'", "ann.xml is party 'ann-2'"])
    """
    names: list[str] = []
    notes: list[str] = []
    for file in files:
        stem = re.sub(r"\.(?:xml|json)\Z", "", file, flags=re.IGNORECASE)
        plain = stem if name_fault(stem, "party") is None else _plain_name(stem)
        name, number = plain, 1
        while name in names:
            number += 1
            name = f"{plain}-{number}"
        if name != stem:
            notes.append(f"{file} is party {name!r}")
        names.append(name)
    return names, notes


def _plain_name(stem: str) -> str:
    plain = re.sub(r"[^\w .\-]+", "-", stem)[:60].strip(" .-_")
    return plain if name_fault(plain, "party") is None else "party"


def _rest(fault: Fault) -> tuple[str, str, str]:
    return fault.what, fault.allowed, fault.next


def _space(root: Element, whose: str) -> Element:
    spaces = root.named(_PROFILE) if root.tag == _DOMAIN else [root]
    if len(spaces) != 1:
        what = f"has {len(spaces) or 'no'} <utility_space>"
        raise InvalidInput(Fault(whose, what, "one", "correct the file"))
    return spaces[0]


def _objective(root: Element, whose: str) -> Element:
    """Return the root objective, refusing what is not a sum over issues."""
    space = _space(root, whose)
    kind = space.attributes.get("type", "").strip().lower()
    tags = {one.tag.lower() for one in space.children}
    if kind not in _ADDITIVE or tags & set(_NOT_ADDITIVE):
        why = ", ".join(f"<{one}>" for one in sorted(tags & set(_NOT_ADDITIVE)))
        what = f"is not a sum over the issues ({why or f'type {shown(kind)}'})"
        allowed = "linear additive utilities; hyper-volumes and constraints are not read"
        raise InvalidInput(Fault(whose, what, allowed, "use another profile of the domain"))
    roots = space.named("objective")
    if len(roots) != 1:
        what = f"has {'no' if not roots else len(roots)} root objective"
        allowed = "one <objective> in the <utility_space>, with the issues in it"
        raise InvalidInput(Fault(whose, what, allowed, "put the issues into one objective"))
    return roots[0]


def _profile(
    data: bytes, issues: Sequence[Issue], domain: Domain, whose: str, *, scaled: bool
) -> tuple[Additive, list[str]]:
    root = parse_xml(data, whose=whose)
    if root.tag != _PROFILE:
        what = f"is no profile: its outermost element is <{shown(root.tag)[1:-1]}>"
        raise InvalidInput(Fault(whose, what, "a <utility_space>", "name a profile's file"))
    faults: list[Fault] = []
    placed, notes = placed_issues(_objective(root, whose), whose=whose, faults=faults)
    total = sum((one.share for one in placed), Fraction(0))
    divisor = Fraction(1)
    if scaled and total > 0:
        divisor = total
    elif abs(total - 1) > _OFF_BY:
        notes.append(f"the weights sum to {show_number(total)}, not 1; they count as given")
    values = _values(
        placed_by_name={one.name: (one.element, one.share / divisor) for one in placed},
        issues=issues,
        whose=whose,
        faults=faults,
        notes=notes,
    )
    reservation = _limit(root, "reservation", whose, faults)
    discount = _limit(root, "discount_factor", whose, faults)
    if discount is not None and not 0 <= discount <= 1:
        what = f"has the discount factor {show_number(discount)}"
        faults.append(Fault(whose, what, "0 to 1; 0 and 1 are none", "correct it"))
    raise_if(faults)
    least = Fraction(0) if reservation is None else reservation
    return additive(domain, values, reservation=least, discount=discount or 1, whose=whose), notes


def _values(
    *,
    placed_by_name: Mapping[str, tuple[Element, Fraction]],
    issues: Sequence[Issue],
    whose: str,
    faults: list[Fault],
    notes: list[str],
) -> dict[str, dict[str, Fraction]]:
    names = [one.name for one in issues]
    for name in placed_by_name:
        if name not in names:
            what = f"has an issue {name!r}, which the domain does not have"
            allowed = f"the domain's issues: {', '.join(names[:20])}"
            faults.append(Fault(whose, what, allowed, did_you_mean(name, names)))
    found: dict[str, dict[str, Fraction]] = {}
    for issue in issues:
        if issue.name not in placed_by_name:
            what = f"lacks the issue {issue.name!r}"
            faults.append(Fault(whose, what, "every issue of the domain", "add it"))
            continue
        element, share = placed_by_name[issue.name]
        counted = evaluations(element, issue, whose=whose, faults=faults)
        if counted is None:
            notes.append(f"issue {issue.name!r} has no evaluation over 0 and counts nothing")
            continue
        found[issue.name] = {option: share * value for option, value in counted.items()}
    return found


def _limit(root: Element, tag: str, whose: str, faults: list[Fault]) -> Fraction | None:
    given = root.named(tag)
    if not given:
        return None
    if len(given) > 1:
        faults.append(Fault(whose, f"has two <{tag}>", "one at most", "remove one"))
    return number_of(given[0], "value", f"{whose}: {tag}", faults)


# --- finding files ---------------------------------------------------------------------------


def _xml_files(folder: Path, tag: str) -> list[tuple[Path, bytes]]:
    """Return the XML files of a folder with this outermost element, and how they begin."""
    try:
        paths = sorted(one for one in folder.iterdir() if one.suffix.lower() == ".xml")
    except OSError:
        return []
    found = []
    for one in paths[:_MOST_FILES]:
        try:
            with one.open("rb") as file:
                begins = file.read(65_536)
        except OSError:
            continue
        if root_tag(begins) == tag:
            found.append((one, begins))
    return found


def _domain_in(folder: Path) -> Path:
    domains = [one for one, _ in _xml_files(folder, _DOMAIN)]
    if len(domains) == 1:
        return domains[0]
    if not domains:
        fault = Fault(str(folder), "holds no Genius domain", _A_DOMAIN, "name the domain's file")
    else:
        names = ", ".join(one.name for one in domains)
        fault = Fault(str(folder), f"holds several domains: {names}", "one", "name one of them")
    raise InvalidInput(fault)


def _lone_profile(path: Path) -> Fault:
    """Return the fault of a profile that is given in place of its domain."""
    beside = _xml_files(path.parent, _DOMAIN)
    naming = [one for one in beside if path.name.encode() in one[1]]
    names = [one.name for one, _ in naming or beside]
    next_step = f"name {' or '.join(names)} instead" if names else "name the domain's file"
    return Fault(path.name, "is the profile of one party", _A_DOMAIN, next_step)


def _profiles_of(template: Element, domain: Path) -> list[Path]:
    """Return the files that the domain's agents name, or else every profile beside it."""
    named = [one.attributes.get("utility_space", "").strip() for one in template.named("agent")]
    named = [one for one in named if one]
    folder = domain.parent
    if not named:
        return [one for one, _ in _xml_files(folder, _PROFILE)]
    faults: list[Fault] = []
    found = []
    for text in named:
        place = _beside(folder, text)
        if place is None:
            what = f"names the profile {shown(text)}, which is not in its folder"
            allowed = "profiles in the domain's folder"
            faults.append(Fault(domain.name, what, allowed, "add the file, or name the profiles"))
        else:
            found.append(place)
    raise_if(faults)
    return found


def _beside(folder: Path, text: str) -> Path | None:
    """Return a file inside the folder, by its path or by its bare name; nothing outside it."""
    parts = [one for one in re.split(r"[\\/]+", text) if one not in ("", ".")]
    tries = [folder.joinpath(*parts)] if ".." not in parts else []
    for one in [*tries, folder / (parts or ["."])[-1]]:
        try:
            if one.is_file() and one.resolve().is_relative_to(folder.resolve()):
                return one
        except (OSError, ValueError):
            continue
    return None
