"""Entries: what does the ledger keep of a conflict, so that a stranger can check it?

Here: the stored form of a conflict (whole up to 100 claimants, changes only above), the list
derived on demand, the state as the fold of the entries, checking an entry, one fast line of text.
Not here: hashes and storage (ledger/).
Sources: SEMANTICS R1, R2, K1, K2; the case "what one logged conflict must let a stranger
recompute" of the reference data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from comity.core.canonical import Json, JsonObject, plain
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, read_exact
from comity.mechanisms.arbitration.choosing import tidy
from comity.mechanisms.arbitration.engine import Arbitration, Conflict
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.results import ArbitrationGrant
from comity.mechanisms.arbitration.state import State

__all__ = ["ENTRY_VERSION", "MOST_LISTED", "LineWriter", "entry_of", "fold", "unfold", "wrong_in"]

ENTRY_VERSION = 1
MOST_LISTED = 100
"""Up to so many claimants an entry lists them all; above it holds what changed since the last."""


def entry_of(
    grant: ArbitrationGrant, *, token: int | None = None, previous: Conflict | None = None
) -> JsonObject:
    """Return what the ledger keeps of a grant.

    Args:
        grant: the result.
        token: the fencing token of the lease that was granted with it.
        previous: the conflict before this one on the same resource; with it, above 100 claimants
            only who joined, left or changed its priority is listed.

    Returns:
        A JSON object. Each listed claim is agent, priority, losses before, score, losses after,
        and the most losses in a row it is promised.

    Example:
        >>> from comity.mechanisms.arbitration.resolve import resolve
        >>> entry_of(resolve([("a", 9), ("b", 5)], seed="7"), token=1)["claims"]
        [['a', 9, 0, 9, 0, 1], ['b', 5, 0, 5, 1, 5]]
    """
    contest, grounds = grant.contest, grant.grounds
    listed = contest.claimants
    parameters = dict(grounds.parameters)
    entry: dict[str, Json] = {
        "v": ENTRY_VERSION,
        "conflict": contest.number,
        "resource": contest.resource,
        "scope": contest.scope,
        "policy": parameters["policy"],
        "stages": [list(one) for one in contest.stages],
        "ties": [{"label": one.label, "seed": one.seed} for one in grounds.ties],
        "winners": list(grant.winners),
        "token": token,
        "at": parameters.get("now"),
    }
    if len(listed) <= MOST_LISTED or previous is None:
        entry["claims"] = [
            [
                one.agent,
                plain(one.priority),
                plain(one.waited),
                plain(one.score),
                plain(one.waits),
                one.bound,
            ]
            for one in listed
        ]
        return entry
    before = {one[0]: one[1] for one in previous.claims}
    now = {one.agent: one.priority for one in listed}
    entry["since"] = previous.number
    entry["count"] = len(now)
    entry["changed"] = [
        [agent, plain(priority)]
        for agent, priority in now.items()
        if agent not in before or before[agent] != priority
    ]
    entry["left"] = sorted(before.keys() - now.keys())
    return entry


def unfold(entries: Iterable[Mapping[str, Any]]) -> Iterator[Conflict]:
    """Yield the conflicts that entries keep, with every claimant listed again.

    Args:
        entries: in order, from the first of their scopes or from one that lists all claims.

    Yields:
        The conflicts; ``marks`` are empty where the entry holds changes only: the state has them.

    Raises:
        InvalidInput: for an entry that builds on one that is not there.

    Example:
        >>> from comity.mechanisms.arbitration.resolve import resolve
        >>> entry = entry_of(resolve([("a", 9), ("b", 5)], seed="7"))
        >>> next(unfold([entry])).winners
        ('a',)
    """
    standing: dict[str, tuple[int, dict[str, Exact]]] = {}
    for entry in entries:
        resource, number = entry["resource"], entry["conflict"]
        marks: tuple[Exact, ...] = ()
        if "claims" in entry:
            rows = entry["claims"]
            claims = {row[0]: _number(row[1]) for row in rows}
            marks = tuple(_number(row[2]) for row in rows)
        else:
            last, claims = standing.get(resource, (0, {}))
            if last != entry["since"]:
                raise InvalidInput(
                    Fault(
                        f"entry {shown(number)} of {shown(resource)}",
                        f"builds on conflict {shown(entry['since'])}, which is not there",
                        "every entry since the last that lists all claims",
                        "read from an earlier entry on",
                    )
                )
            claims = {agent: one for agent, one in claims.items() if agent not in entry["left"]}
            claims.update((agent, _number(one)) for agent, one in entry["changed"])
        standing[resource] = (number, claims)
        yield Conflict(
            number,
            resource,
            tuple(sorted(claims.items())),
            marks,
            tuple(tuple(one) for one in entry["stages"]),
            tuple(entry["winners"]),
            None if entry.get("at") is None else _number(entry["at"]),
        )


def fold(conflicts: Iterable[Conflict], policy: Policy, state: object = None) -> State:
    """Return the state after conflicts that were decided before.

    Args:
        conflicts: in order, each once.
        policy: the policy they were decided under.
        state: what was remembered before them; nothing when left out.

    Returns:
        The state; it is all that a restart needs.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 9), ("b", 5)), winners=("a",))
        >>> fold([one], Policy()).losses("gpu")
        {'a': 0, 'b': 1}
    """
    engine = Arbitration(policy, seed="", state=state)
    for conflict in conflicts:
        engine.take(conflict)
    return engine.state


def wrong_in(
    conflicts: Sequence[Conflict], policy: Policy, seeds: Sequence[object], state: object = None
) -> list[str]:
    """Decide recorded conflicts again and say what differs.

    Args:
        conflicts: in order.
        policy: the policy they were decided under.
        seeds: the seed of each.
        state: what was remembered before the first.

    Returns:
        One sentence per difference; nothing when the record holds.

    Example:
        >>> forged = Conflict(1, "gpu", (("a", 9), ("b", 5)), (0, 0), (("b",),), ("b",))
        >>> wrong_in([forged], Policy(), ["7"])
        ['conflict 1 of gpu: the winner is a, recorded is b']
    """
    found: list[str] = []
    for one, seed in zip(conflicts, seeds, strict=True):
        engine = Arbitration(policy, seed=seed, state=state)  # type: ignore[arg-type]  # it is read there
        again = engine.conflict(one.claims, one.resource, one.at)
        where = f"conflict {one.number} of {one.resource}"
        for name, word in (("number", "number"), ("marks", "count before"), ("winners", "winner")):
            ours, theirs = getattr(again, name), getattr(one, name)
            if ours != theirs and not (name == "marks" and not theirs):
                told = f"the {word} is {_listed(ours)}, recorded is {_listed(theirs)}"
                found.append(f"{where}: {told}")
        state = fold([one._replace(number=again.number)], policy, state)
    return found


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _number(value: object) -> Exact:
    return tidy(read_exact(value, "entry", "number"))


class _Names(dict[str, str]):
    """Name -> its JSON text, made when first looked for."""

    def __missing__(self, name: str) -> str:
        """Write a name."""
        self[name] = _text(name)
        return self[name]


class LineWriter:
    """Writes conflicts of one engine as canonical JSON, fast.

    Args:
        policy: the policy; its digest stands in every line.
        seed: the seed of the lots.

    Example:
        >>> write = LineWriter(Policy(), "7").line
        >>> write(Conflict(1, "gpu", (("a", 9),), (0,), (("a",),), ("a",)))[:52]
        '{"at":null,"claims":[["a",9,0]],"number":1,"policy":'
    """

    __slots__ = ("_middle", "_names", "_seed")

    def __init__(self, policy: Policy, seed: str) -> None:
        """Write once what is the same in every line."""
        self._middle = f'"policy":"{policy.digest}","resource":'
        self._seed = f',"seed":{_text(seed)},"stages":['
        self._names = _Names()

    def line(self, conflict: Conflict) -> str:
        """Return the canonical text of a conflict: sorted keys, no spaces.

        Args:
            conflict: whole numbers are written at once, others by the package's own encoder.
        """
        number, resource, claims, marks, stages, winners, at = conflict
        names = self._names
        rows = []
        for (agent, priority, *rest), mark in zip(claims, marks, strict=True):
            if rest or priority.__class__ is not int or mark.__class__ is not int:
                row = [agent, priority, mark, *rest]
                rows.append(json.dumps(plain(row), ensure_ascii=False, separators=(",", ":")))
            else:
                rows.append(f"[{names[agent]},{priority},{mark}]")
        sets = ",".join([f"[{','.join([names[one] for one in stage])}]" for stage in stages])
        won = ",".join([names[one] for one in winners])
        moment = "null" if at is None else json.dumps(plain(at))
        return (
            f'{{"at":{moment},"claims":[{",".join(rows)}],"number":{number},{self._middle}'
            f'{names[resource]}{self._seed}{sets}],"v":{ENTRY_VERSION},"winners":[{won}]}}'
        )


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
