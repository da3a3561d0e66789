"""Deadlock rules: who waits for whom, and by which rule does one give way?

Here: the frozen rules as a caller states them, as they are read, and their JSON.
Not here: finding cycles (cycles.py), choosing a victim (victims.py).
Sources: SEMANTICS L1, L2, G5, G7.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from hashlib import sha256
from itertools import chain, repeat
from operator import contains
from typing import Any, Literal, NamedTuple, get_args

from comity.core.canonical import Json, JsonObject, plain
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction

__all__ = [
    "DeadlockRules",
    "Standing",
    "Terms",
    "VictimRule",
    "Waits",
    "deadlock_rules_from_json",
    "deadlock_rules_to_json",
    "graph_digest",
    "node_fault",
    "read_rules",
    "read_waits",
]

VictimRule = Literal["youngest", "fewest_held", "lowest_priority", "lot"]
Waits = Mapping[str, Collection[str]]

_RULES: tuple[str, ...] = get_args(VictimRule)
_MEASURES = ("started", "held", "priority", "aborts")
_GROUPS = (set, frozenset, list, tuple)
_ROW, _ITEM = "\x1e", "\x1f"
_STRETCH = 4_096  # rows that are checked and digested together
_ALLOWED = "waiter -> the names of those it waits for"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlockRules:
    """Everything that decides what is found and who gives way.

    Attributes:
        waits: waiter -> those it waits for, all of them.
        soft: the same, where it waits only because the other is before it in a queue.
        agents: agent -> what is known of it: ``started`` (larger is younger), ``held`` (how many
            resources), ``priority``, ``aborts`` (how often it was the victim since it last went
            through).
        victim: ``youngest``, ``fewest_held``, ``lowest_priority`` or ``lot``; equals go to the
            youngest, then to a lot.
        exempt_after: how many aborts make an agent exempt, so that nobody loses for ever.
        seed: what lots are drawn from.

    Example:
        >>> DeadlockRules(waits={"a": {"b"}}).victim
        'youngest'
    """

    waits: Mapping[str, str | Collection[str]]
    soft: Mapping[str, str | Collection[str]] | None = None
    agents: Mapping[str, Mapping[str, Any]] | None = None
    victim: VictimRule = "youngest"
    exempt_after: int = 3
    seed: str = "0"


class Standing(NamedTuple):
    """What is known of an agent; None for what is not.

    Attributes:
        started: when it started; larger is younger.
        held: how many resources it holds.
        priority: its priority.
        aborts: how often it was the victim since it last went through.
    """

    started: Fraction | None = None
    held: Fraction | None = None
    priority: Fraction | None = None
    aborts: Fraction | None = None


class Terms(NamedTuple):
    """Rules as read.

    Attributes:
        hard: waiter -> those it waits for.
        soft: waiter -> those before it in a queue.
        agents: agent -> what is known of it.
        victim: the rule.
        exempt_after: how many aborts make exempt.
        seed: what lots are drawn from.
        digest: of everything above.
    """

    hard: Waits
    soft: Waits
    agents: Mapping[str, Standing]
    victim: VictimRule
    exempt_after: int
    seed: str
    digest: str


def node_fault(name: object, what: str = "waits") -> Fault | None:
    """Return the fault of a name that cannot stand in a graph, or None.

    Example:
        >>> node_fault("job/7") is None, node_fault("") is None
        (True, False)
    """
    if isinstance(name, str) and name and _ROW not in name and _ITEM not in name:
        return None
    return Fault(what, f"name {shown(name)}", "text that is not empty", "rename it")


def read_waits(given: object, faults: list[Fault], what: str = "waits") -> Waits:
    """Read who waits for whom; the table given is handed on when it is fit as it is.

    Args:
        given: waiter -> one name or several.
        faults: where faults are noted.
        what: the table's name, for messages.

    Returns:
        Waiter -> names, which are not looked at yet.

    Example:
        >>> read_waits({"a": "b"}, [])
        {'a': ('b',)}
    """
    if not isinstance(given, Mapping):
        faults.append(Fault(what, f"are {shown(given)}", _ALLOWED, "list who waits for whom"))
        return {}
    if set(map(type, given.values())) <= set(_GROUPS):
        return given
    return {name: _group(name, one, faults, what) for name, one in given.items()}


def _group(name: object, given: object, faults: list[Fault], what: str) -> Collection[str]:
    if isinstance(given, str):
        return (given,)
    if isinstance(given, (*_GROUPS, Mapping)):
        return tuple(given)
    whose = f"{what} of {shown(name)}"
    faults.append(Fault(whose, f"are {shown(given)}", "a name or several", "list the names"))
    return ()


def graph_digest(hard: Waits, soft: Waits, more: object) -> str:
    """Return one digest for one graph, whatever the order of its waits.

    Args:
        hard: waiter -> those it waits for.
        soft: the same for the order in queues.
        more: whatever else decides, with one text for one value.

    Returns:
        64 hexadecimal digits.

    Raises:
        InvalidInput: for names that cannot stand in a graph, all at once.

    Example:
        >>> graph_digest({"a": ["b", "c"]}, {}, "") == graph_digest({"a": {"c", "b"}}, {}, "")
        True
    """
    found = sha256(str(more).encode("utf-8", "surrogatepass"))
    faults: list[Fault] = []
    for graph, what in ((hard, "waits"), (soft, "soft")):
        if not _digested(found.update, graph):
            faults.extend(_name_faults(graph, what))
    raise_if(faults)
    return found.hexdigest()


def _digested(update: Callable[[bytes], object], graph: Waits) -> bool:
    """Feed a digest with one text for one graph; tell whether every name can stand in it.

    The text is a mark, then rows with a mark after each. Its names are checked on the text that
    many of them make together, a stretch of rows at a time so that it stays in the cache.
    """
    try:
        rows = _rows(graph)
    except TypeError:
        return False
    if "" in graph or any(map(contains, graph.values(), repeat(""))):
        return False
    update((_ROW if rows else _ROW + _ROW).encode())
    ends = items = 0
    for at in range(0, len(rows), _STRETCH):
        text = _ROW.join(rows[at : at + _STRETCH]) + _ROW
        ends += text.count(_ROW)
        items += text.count(_ITEM)
        update(text.encode("utf-8", "surrogatepass"))
    return ends == len(rows) and items == sum(map(len, graph.values()))


def _rows(graph: Waits) -> list[str]:
    """Return a row for each waiter, itself and then those it waits for, all sorted."""
    if all(graph.values()):
        holders = map(_ITEM.join, map(sorted, graph.values()))
        return sorted(map(_ITEM.join, zip(graph, holders, strict=True)))
    return sorted(_ITEM.join([name, *sorted(one)]) for name, one in graph.items())


def _name_faults(graph: Waits, what: str) -> list[Fault]:
    names = chain(graph, *graph.values())
    wrong = {str(one): one for name in names if (one := node_fault(name, what)) is not None}
    return [wrong[text] for text in sorted(wrong)]


def read_rules(rules: DeadlockRules) -> Terms:
    """Check rules as a whole.

    Args:
        rules: the rules as stated.

    Returns:
        The rules as read.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> read_rules(DeadlockRules(waits={"a": {"b"}}, victim="oldest"))
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: victim: rule 'oldest' is unknown. Allowed: youngest, \
fewest_held, lowest_priority, lot. Next: use one of: fewest_held, lot, lowest_priority, youngest.
    """
    faults: list[Fault] = []
    hard = read_waits(rules.waits, faults)
    soft = read_waits({} if rules.soft is None else rules.soft, faults, "soft")
    if rules.victim not in _RULES:
        what, near = (
            f"rule {shown(rules.victim)} is unknown",
            did_you_mean(str(rules.victim), _RULES),
        )
        faults.append(Fault("victim", what, ", ".join(_RULES), near))
    exempt = rules.exempt_after
    if type(exempt) is not int or exempt < 1:
        what = f"is {shown(exempt)}"
        faults.append(Fault("exempt_after", what, "1 or more aborts", "correct it"))
    if not isinstance(rules.seed, str):
        faults.append(Fault("seed", f"is {shown(rules.seed)}", "text", "write it as text"))
    agents = _read_agents({} if rules.agents is None else rules.agents, faults)
    known = sorted((name, plain(list(one))) for name, one in agents.items())
    try:
        digest = graph_digest(hard, soft, (known, rules.victim, exempt, rules.seed))
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    return Terms(hard, soft, agents, rules.victim, exempt, rules.seed, digest)


def _read_agents(given: object, faults: list[Fault]) -> dict[str, Standing]:
    if not isinstance(given, Mapping):
        allowed = f"agent -> {', '.join(_MEASURES)}"
        faults.append(Fault("agents", f"are {shown(given)}", allowed, "state what is known"))
        return {}
    found = {}
    for name in sorted(given, key=str):
        fault = node_fault(name, "agents")
        if fault is not None:
            faults.append(fault)
        found[name] = Standing(**dict(_measures(str(name), given[name], faults)))
    return found


def _measures(
    whose: str, given: object, faults: list[Fault]
) -> Iterator[tuple[str, Fraction | None]]:
    if not isinstance(given, Mapping):
        faults.append(Fault(whose, f"is {shown(given)}", ", ".join(_MEASURES), "state them"))
        return
    for field in sorted(given, key=str):
        if field not in _MEASURES:
            near = did_you_mean(str(field), _MEASURES)
            faults.append(Fault(whose, f"has {shown(field)}", ", ".join(_MEASURES), near))
            continue
        try:
            value: Exact = read_exact(given[field], whose, field)
        except InvalidInput as error:
            faults.extend(error.faults)
            continue
        if field in {"held", "aborts"} and value < 0:
            faults.append(Fault(whose, f"{field} is {value}", "0 or more", f"correct {field}"))
        yield field, to_fraction(value)


# --- JSON ------------------------------------------------------------------------------------


def deadlock_rules_to_json(rules: DeadlockRules) -> JsonObject:
    """Return rules as plain JSON.

    Args:
        rules: the rules.

    Returns:
        The fields that differ from their defaults; sets as sorted lists.

    Example:
        >>> deadlock_rules_to_json(DeadlockRules(waits={"a": {"c", "b"}}))
        {'waits': {'a': ['b', 'c']}}
    """
    found: dict[str, Json] = {}
    for field in fields(rules):
        value = getattr(rules, field.name)
        if field.default is MISSING or value != field.default:
            found[field.name] = plain(_listed(value))
    return found


def _listed(value: object) -> object:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Mapping):
        return {name: _listed(one) for name, one in value.items()}
    return value


def deadlock_rules_from_json(data: JsonObject) -> DeadlockRules:
    """Read rules that :func:`deadlock_rules_to_json` wrote, or a file says.

    Args:
        data: the JSON object; ``edges`` as a list of pairs may stand in place of ``waits``.

    Returns:
        The rules; they are checked when they are used.

    Raises:
        InvalidInput: for unknown and missing fields.

    Example:
        >>> deadlock_rules_from_json({"edges": [["a", "b"], ["a", "c"]]}).waits
        {'a': ['b', 'c']}
    """
    if not isinstance(data, Mapping):
        what = f"are {shown(data)}"
        raise InvalidInput(Fault("deadlock rules", what, "an object", "give the waits"))
    body: dict[str, Any] = dict(data)
    faults: list[Fault] = []
    if "edges" in body and "waits" not in body:
        body["waits"] = _of_edges(body.pop("edges"), faults)
    names = [field.name for field in fields(DeadlockRules)]
    for key in body:
        if key not in names:
            near = did_you_mean(str(key), names)
            faults.append(
                Fault("deadlock rules", f"have no field {shown(key)}", "those listed", near)
            )
    if "waits" not in body:
        faults.append(Fault("deadlock rules", "lack waits", _ALLOWED, "add it"))
    raise_if(faults)
    return DeadlockRules(**body)


def _of_edges(given: object, faults: list[Fault]) -> Waits:
    found: dict[str, list[str]] = {}
    pairs: Sequence[Any] = given if isinstance(given, (list, tuple)) else [given]
    for pair in pairs:
        is_pair = isinstance(pair, (list, tuple)) and len(pair) == 2
        if not is_pair or not all(isinstance(name, str) for name in pair):
            what = f"hold {shown(pair)}"
            faults.append(Fault("edges", what, "pairs of waiter and holder", "correct the pair"))
            continue
        found.setdefault(pair[0], []).append(pair[1])
    return found
