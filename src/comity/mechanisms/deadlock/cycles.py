"""Cycles: is there a cycle, which components hold one, and which cycle is a shortest?

Here: an iterative search, strongly connected components, one shortest cycle drawn fairly among
the equally short ones, shortest paths.
Not here: what a cycle means (detect.py), waits one by one (waiting.py).
Sources: SEMANTICS L1, G4; Tarjan 1972 (components); Itai and Rodeh 1978 (shortest cycles by
breadth-first search).

No cycle is ever listed to count it: ten agents that wait for each other have 1,112,073. Equally
short cycles are counted by the breadth-first search itself, and one of them is drawn by number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from comity.core.ties import Tie, lot

__all__ = [
    "Shortest",
    "components",
    "has_cycle",
    "reaching",
    "rotated",
    "shortest_cycle",
    "shortest_path",
]

Graph = Mapping[str, Collection[str]]
_LISTED = 20


class Shortest(NamedTuple):
    """A shortest cycle of a component.

    Attributes:
        members: in order, each waiting for the next and the last for the first; the first by
            name stands first.
        equally_short: how many cycles are as short, this one counted.
        tie: how it was drawn among them, when they are at most twenty.
    """

    members: tuple[str, ...]
    equally_short: int
    tie: Tie | None


def has_cycle(graph: Graph) -> bool:
    """Tell whether anything in a graph leads back to itself.

    Args:
        graph: node -> nodes it leads to.

    Example:
        >>> has_cycle({"a": ["b"], "b": ["c"]}), has_cycle({"a": ["b"], "b": ["a"]})
        (False, True)
    """
    alive = set(graph)  # those that lead on and are not gone through yet
    way: set[str] = set()
    end, leads_nowhere = alive.remove, alive.isdisjoint
    for root, targets in graph.items():
        if root not in alive:
            continue
        if leads_nowhere(targets):
            end(root)
            continue
        path, turns = [root], [iter(targets)]
        way.add(root)
        while turns:
            for node in turns[-1]:
                if node not in alive:
                    continue
                if node in way:
                    return True
                beyond = graph[node]
                if leads_nowhere(beyond):
                    end(node)
                    continue
                way.add(node)
                path.append(node)
                turns.append(iter(beyond))
                break
            else:
                node = path.pop()
                way.discard(node)
                end(node)
                turns.pop()
    return False


def components(graph: Graph) -> list[tuple[str, ...]]:
    """Return the components that hold a cycle.

    Args:
        graph: node -> nodes it leads to.

    Returns:
        The members of each, sorted; components by their first member.

    Example:
        >>> components({"a": ["b"], "b": ["a"], "c": ["c"], "d": ["a"]})
        [('a', 'b'), ('c',)]
    """
    search = _Search(graph)
    for root in graph:
        if root not in search.number:
            search.run(root)
    return sorted(search.found)


class _Search:
    """Tarjan's search with a path of its own in place of recursion."""

    __slots__ = ("found", "graph", "is_open", "lowest", "number", "open", "path")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.number: dict[str, int] = {}
        self.lowest: dict[str, int] = {}
        self.open: list[str] = []
        self.is_open: set[str] = set()
        self.path: list[tuple[str, Iterator[str]]] = []
        self.found: list[tuple[str, ...]] = []

    def run(self, root: str) -> None:
        self.enter(root)
        while self.path:
            node, targets = self.path[-1]
            for target in targets:
                if target not in self.number:
                    self.enter(target)
                    break
                if target in self.is_open:
                    self.lowest[node] = min(self.lowest[node], self.number[target])
            else:
                self.leave(node)

    def enter(self, node: str) -> None:
        self.number[node] = self.lowest[node] = len(self.number)
        self.open.append(node)
        self.is_open.add(node)
        self.path.append((node, iter(self.graph.get(node, ()))))

    def leave(self, node: str) -> None:
        self.path.pop()
        if self.path:
            above = self.path[-1][0]
            self.lowest[above] = min(self.lowest[above], self.lowest[node])
        if self.lowest[node] < self.number[node]:
            return
        members = [self.open.pop()]
        while members[-1] != node:
            members.append(self.open.pop())
        self.is_open.difference_update(members)
        if len(members) > 1 or node in self.graph.get(node, ()):
            self.found.append(tuple(sorted(members)))


def reaching(graph: Graph, goals: Iterable[str]) -> tuple[str, ...]:
    """Return everything that leads to one of the goals, the goals among them, sorted.

    Args:
        graph: node -> nodes it leads to.
        goals: where to.

    Example:
        >>> reaching({"a": ["b"], "b": ["a"], "d": ["a"], "x": ["y"]}, ["a"])
        ('a', 'b', 'd')
    """
    back: dict[str, list[str]] = {}
    for node, targets in graph.items():
        for target in targets:
            back.setdefault(target, []).append(node)
    found = set(goals)
    left = list(found)
    while left:
        for node in back.get(left.pop(), ()):
            if node not in found:
                found.add(node)
                left.append(node)
    return tuple(sorted(found))


# --- shortest cycles -------------------------------------------------------------------------


def shortest_cycle(graph: Graph, component: Collection[str], seed: str) -> Shortest:
    """Return a shortest cycle of a component; among equally short ones each is as likely.

    Args:
        graph: node -> nodes it leads to.
        component: nodes that all lead to each other.
        seed: what the lot is drawn from.

    Returns:
        The cycle, with how many are as short.

    Example:
        >>> graph = {"a": ["b"], "b": ["a", "c"], "c": ["b"]}
        >>> found = shortest_cycle(graph, "abc", "1")
        >>> found.members in {("a", "b"), ("b", "c")}, found.equally_short
        (True, 2)
        >>> shortest_cycle({"c": ["b"], "b": ["a"], "a": ["c"]}, "abc", "1").members
        ('a', 'c', 'b')
    """
    inside = set(component)
    near = {node: [one for one in graph[node] if one in inside] for node in sorted(inside)}
    branching = [node for node, targets in near.items() if len(set(targets)) > 1]
    if not branching:
        return Shortest(_ring(near), 1, None)
    gone: set[str] = set()
    best = len(inside)
    starts: list[tuple[str, int]] = []
    # a cycle goes through a branching node; it is counted once, at the first of them
    for node in branching:
        levels, many = _levels(near, node, node, best, gone)
        if many and len(levels) < best:
            best, starts = len(levels), []
        if many:
            starts.append((node, many))
        gone.add(node)
    total = sum(many for _, many in starts)
    draw = _Draw(near, branching, starts, best)
    label = f"cycle of {min(inside)}"
    if total == 1:
        return Shortest(draw.cycle(0), 1, None)
    if total > _LISTED:
        return Shortest(draw.cycle(_place(seed, label, total)), total, None)
    listed = {" > ".join(one): one for one in (draw.cycle(at) for at in range(total))}
    tie = lot(seed, label, list(listed))
    return Shortest(listed[str(tie.chosen)], total, tie)


def _ring(near: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Return the only cycle of nodes that lead to one node each, from the first by name."""
    found = [min(near)]
    while (node := near[found[-1]][0]) != found[0]:
        found.append(node)
    return tuple(found)


def shortest_path(graph: Graph, start: str, goal: str, seed: str) -> tuple[str, ...]:
    """Return a shortest path; among equally short ones each is as likely.

    Args:
        graph: node -> nodes it leads to.
        start: where from.
        goal: where to; another node than the start.
        seed: what the lot is drawn from.

    Returns:
        The nodes from start to goal, or nothing when there is no path.

    Example:
        >>> shortest_path({"a": ["b"], "b": ["c"]}, "a", "c", "0")
        ('a', 'b', 'c')
        >>> shortest_path({"a": ["b"], "b": ["c"]}, "c", "a", "0")
        ()
    """
    levels, many = _levels(graph, start, goal, None, set())
    if not many:
        return ()
    place = _place(seed, f"path from {start} to {goal}", many)
    return (*_path(graph, levels, goal, place), goal)


class _Draw(NamedTuple):
    """The equally short cycles by number, without listing them."""

    near: Mapping[str, list[str]]
    branching: list[str]
    starts: list[tuple[str, int]]
    length: int

    def cycle(self, place: int) -> tuple[str, ...]:
        """Return one of them, the first by name first."""
        left = place
        at = 0
        while left >= self.starts[at][1]:
            left -= self.starts[at][1]
            at += 1
        node = self.starts[at][0]
        gone = set(self.branching[: self.branching.index(node)])
        levels, _ = _levels(self.near, node, node, self.length, gone)
        return rotated(_path(self.near, levels, node, left))


Levels = list[dict[str, int]]


def _levels(
    graph: Graph, start: str, goal: str, most: int | None, gone: Collection[str]
) -> tuple[Levels, int]:
    """Return the nodes by distance from a start, and the number of shortest paths to a goal.

    The number is 0 when the goal is farther than ``most`` or out of reach.
    """
    levels, seen = [{start: 1}], {start}
    while levels[-1] and (most is None or len(levels) <= most):
        beyond: dict[str, int] = {}
        many = 0
        for node, ways in levels[-1].items():
            for target in set(graph.get(node, ())):
                if target == goal:
                    many += ways
                elif target not in seen and target not in gone:
                    beyond[target] = beyond.get(target, 0) + ways
        if many:
            return levels, many
        seen.update(beyond)
        levels.append(beyond)
    return levels, 0


def _path(graph: Graph, levels: Levels, goal: str, place: int) -> tuple[str, ...]:
    """Return the shortest path of this number, without its goal."""
    found, target, left = [], goal, place
    for level in reversed(levels):
        before = sorted(node for node in level if target in graph.get(node, ()))
        at = 0
        while left >= level[before[at]]:
            left -= level[before[at]]
            at += 1
        target = before[at]
        found.append(target)
    return tuple(reversed(found))


def _place(seed: str, label: str, many: int) -> int:
    """Return the place a lot takes of so many, as :func:`comity.core.ties.lot` counts."""
    raw = sha256((seed + label).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(raw, "big") * many >> 256


def rotated(members: Collection[str]) -> tuple[str, ...]:
    """Return a cycle with its first member by name first.

    Example:
        >>> rotated(["c", "a", "b"])
        ('a', 'b', 'c')
    """
    listed = tuple(members)
    at = listed.index(min(listed))
    return listed[at:] + listed[:at]
