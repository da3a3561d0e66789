"""Side by side: who would have won the same claims under other rules?

Here: which rules are looked at, the replay of a log under each, the answer as a value.
Not here: the replay of one rule (whatif.py of mechanisms/arbitration), tables (render/watch.py).
Sources: SEMANTICS R6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, UnknownName, raise_if, shown
from comity.core.exact import Exact
from comity.formats.claims_log import ClaimsLog
from comity.mechanisms.arbitration import (
    RULES,
    Conflict,
    Policy,
    WhatIf,
    WhatIfRow,
    facts_of,
    what_if,
)
from comity.watch.report import NO_WINNERS, counted_as, log_of

__all__ = ["RECORDED", "SideBySide", "policies_named", "rule_from", "side_by_side"]

RECORDED = "recorded"
"""The name of the row that tells what happened."""

_EMPTY = ("expertise", "human")  # they say nothing of a log: no weights are declared, nobody wins
_HAS_C = {"losses", "hours"}
_EVERYBODY = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """The same claims under several rules.

    Attributes:
        found: what happened, then one row for each rule.
        seed: the seed of the lots.
        skipped: the rules that were left out, because the log says too little for them.
    """

    found: WhatIf
    seed: str
    skipped: tuple[WhatIfRow, ...] = ()

    @property
    def says(self) -> str:
        """The answer in one sentence."""
        rows = {one.name: one for one in self.found.rows if not one.skipped}
        told = []
        happened = rows.pop(RECORDED, None)
        if happened is not None:
            most = max(happened.longest, default=0)
            losers = [name for name, one in zip(self.found.agents, happened.longest, strict=True)
                      if one == most]  # fmt: skip
            who = losers[0] if len(losers) == 1 else "an agent"
            told.append(f"{who} lost up to {most} in a row as recorded")
        all_win = rows.pop(_EVERYBODY, None)  # where all win, nobody can lose
        waits = {name: max(one.longest) for name, one in rows.items() if any(one.wins)}
        if waits:
            best = min(waits.values())
            named = [name for name, one in waits.items() if one == best]
            told.append(f"nobody would lose more than {best} under {' or '.join(named)}")
        if not told:
            told.append("a person would decide each" if all_win is None else "all would win")
        return f"{counted_as(self.found.conflicts, 'conflict')} replayed: {'; '.join(told)}."

    def to_json(self) -> dict[str, Json]:
        """Return every table, each row by agent."""
        return {
            "v": 1,
            "kind": "what_if",
            "says": self.says,
            "seed": self.seed,
            "conflicts": self.found.conflicts,
            "agents": list(self.found.agents),
            "rows": [_row_json(one, self.found.agents) for one in self.found.rows],
            "left_out": {one.name: one.skipped for one in self.skipped},
        }

    def __str__(self) -> str:
        """Return the sentence and the tables."""
        return f"{self.says}\n{self.found}"


def _row_json(row: WhatIfRow, agents: Sequence[str]) -> dict[str, Json]:
    return {
        "rule": row.name,
        "wins": dict(zip(agents, row.wins, strict=False)),
        "longest": dict(zip(agents, row.longest, strict=False)),
        "bounds": dict(zip(agents, row.bounds, strict=False)),
        "bound": row.bound,
        "jain": None if row.jain is None else str(row.jain),
        "same": row.same,
        "warnings": [str(one) for one in row.warnings],
        "skipped": row.skipped,
    }


def rule_from(name: str) -> str:
    """Return the full name of a rule: as in the catalogue, or the beginning of one only.

    Args:
        name: the name; dashes and spaces count as underscores.

    Raises:
        UnknownName: with the nearest names.

    Example:
        >>> rule_from("static"), rule_from("Round-Robin")
        ('static_priority', 'round_robin')
    """
    plain = name.strip().casefold().replace("-", "_").replace(" ", "_")
    begun = [one for one in RULES if plain and one.startswith(plain)]
    if len(begun) > 1 and plain not in begun:
        allowed = "a rule, in full or its beginning"
        raise UnknownName(
            Fault(
                f"rule {shown(name)}",
                f"is the beginning of {len(begun)} rules",
                allowed,
                f"say which: {', '.join(begun)}",
            )
        )
    return facts_of(begun[0] if len(begun) == 1 else name).name


def policies_named(names: Sequence[str] = (), *, c: Exact | None = None) -> tuple[Policy, ...]:
    """Return the policies that rules stand for.

    Args:
        names: names of rules; none for every rule that can say something of a log.
        c: what a lost conflict, or an hour, adds; for the rules that have one.

    Returns:
        One policy per name, in order.

    Raises:
        InvalidInput: with every unknown name and other fault at once.

    Example:
        >>> [(one.rule, one.c) for one in policies_named(["losses", "static"], c=2)]
        [('losses', 2), ('static_priority', 1)]
    """
    faults: list[Fault] = []
    found: dict[str, Policy] = {}
    for name in names or [one for one in RULES if one not in _EMPTY]:
        try:
            rule = rule_from(name)
            found[rule] = Policy(rule=rule)
            if c is not None and rule in _HAS_C:
                found[rule] = Policy(rule=rule, c=c)
        except UnknownName as error:
            faults.extend(error.faults)
        except InvalidInput as error:
            faults.extend(one for one in error.faults if one not in faults)
    if c is not None and not faults and not _HAS_C & found.keys():
        listed = " and ".join(found)
        what = f"is given, and {listed} takes none"
        faults.append(Fault("c", what, "a rule with c: losses or hours", "leave c out"))
    raise_if(faults)
    return tuple(found.values())


def side_by_side(
    conflicts: ClaimsLog | Sequence[Conflict],
    policies: Sequence[Policy] = (),
    *,
    seed: str = "0",
    only_able: bool | None = None,
    progress: Callable[[str], None] | None = None,
) -> SideBySide:
    """Replay recorded claims under several policies.

    Args:
        conflicts: a log, or conflicts in order.
        policies: the policies; none for every rule that the claims say enough for.
        seed: the seed of the lots; the same for each.
        only_able: whether rules that cannot be replayed are left out of the table; by default
            when no policies are named.
        progress: told the name of each rule before it is replayed.

    Returns:
        What happened and what would have.

    Raises:
        InvalidInput: when there is nothing to replay, or no named policy can be replayed.

    Example:
        >>> rows = [Conflict(n, "gpu", (("A", 3), ("C", 1)), winners=("A",)) for n in range(6)]
        >>> side_by_side(rows, policies_named(["losses"], c=2)).says
        '6 conflicts replayed: C lost up to 6 in a row as recorded; nobody would lose more than 2 \
under losses, c = 2.'
    """
    log = log_of(conflicts)
    wanted = policies or policies_named()
    rows = list(what_if(log.conflicts, wanted, seed=seed, progress=progress).rows)
    if not log.says_who_won:
        rows[0] = WhatIfRow(name=rows[0].name, skipped=NO_WINNERS)
    skipped = [one for one in rows[1:] if one.skipped]
    if len(skipped) == len(wanted):
        allowed = "a rule that looks at priorities and wins only"
        raise InvalidInput(
            Fault(f"rule {one.name}", f"cannot be replayed: {one.skipped}", allowed, "choose one")
            for one in skipped
        )
    agents = tuple(sorted({claim[0] for one in log.conflicts for claim in one.claims}))
    found = WhatIf(agents=agents, conflicts=len(log.conflicts), rows=tuple(rows))
    if not (only_able if only_able is not None else not policies):
        return SideBySide(found=found, seed=seed)
    kept = tuple(one for one in rows if one not in skipped)
    return SideBySide(found=replace(found, rows=kept), seed=seed, skipped=tuple(skipped))
