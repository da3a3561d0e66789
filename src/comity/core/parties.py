"""Parties and rosters: who may speak, with what weight.

Here: party names, the fixed roster of a decision and its digest.
Not here: what a party wants (mechanisms) and who answers for it (agents/).
Sources: SEMANTICS V1 (roster fixed at opening), C3 (identity comes from the channel), G5.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from comity.core.canonical import digest
from comity.core.errors import Fault, raise_if, shown
from comity.core.exact import Exact, exact_fault

__all__ = ["NAME_ALLOWED", "Party", "PartyId", "Roster", "name_fault", "roster_of"]

PartyId = str

NAME_ALLOWED = "1 to 64 letters, digits, spaces, dots, dashes or underscores, no space at the ends"
_MEMBERS_ALLOWED = "a list of names or parties"
_NAME = re.compile(r"[^\W_](?:[\w .\-]{0,62}[\w.\-])?\Z")


def name_fault(name: object, what: str) -> Fault | None:
    """Return the fault of a name that cannot be used, or None.

    Args:
        name: the name given.
        what: what is named ("party", "term", ...).

    Returns:
        None for usable names.

    Example:
        >>> name_fault("CC", "party") is None, name_fault("", "party") is None
        (True, False)
    """
    if isinstance(name, str) and _NAME.match(name):
        return None
    return Fault(f"{what} {shown(name)}", "cannot be used as a name", NAME_ALLOWED, "rename it")


@dataclass(frozen=True, slots=True)
class Party:
    """A member of a roster.

    Attributes:
        id: its name in this decision.
        weight: its voting weight, exact and positive or zero.

    Example:
        >>> Party("CC").weight
        1
    """

    id: PartyId
    weight: Exact = 1

    def to_json(self) -> dict[str, object]:
        """Return the name and the exact weight."""
        return {"id": self.id, "weight": self.weight}


@dataclass(frozen=True, slots=True)
class Roster:
    """The parties of one decision, fixed when it opens, kept sorted by name.

    The order in which the parties were named carries no meaning, so it is not kept.

    Example:
        >>> [party.id for party in roster_of(["GM", "CC"]).parties]
        ['CC', 'GM']
    """

    parties: tuple[Party, ...]

    @property
    def ids(self) -> tuple[PartyId, ...]:
        """The names, sorted."""
        return tuple(party.id for party in self.parties)

    @property
    def digest(self) -> str:
        """The digest recorded at opening."""
        return digest([party.to_json() for party in self.parties])

    def __contains__(self, name: object) -> bool:
        """Tell whether a party of this name is a member."""
        return name in self.ids


def roster_of(parties: Iterable[str | Party]) -> Roster:
    """Build a roster and refuse every fault of it at once.

    Args:
        parties: names, or parties with weights.

    Returns:
        The roster, sorted by name.

    Raises:
        InvalidInput: for an empty roster, unusable or repeated names, weights that are negative
            or not exact, and one text in place of a list of names.

    Example:
        >>> roster_of(["a", "b"]).ids
        ('a', 'b')
    """
    if isinstance(parties, str):
        whole = Fault("roster", f"is the text {shown(parties)}", _MEMBERS_ALLOWED, "list it")
        raise_if([whole])
    given: list[object] = [Party(one) if isinstance(one, str) else one for one in parties]
    members = [one for one in given if isinstance(one, Party)]
    faults: list[Fault | None] = [
        Fault("roster", f"lists {shown(one)}", _MEMBERS_ALLOWED, "give a name or a Party")
        for one in given
        if not isinstance(one, Party)
    ]
    faults.extend(name_fault(member.id, "party") for member in members)
    counted = Counter(shown(member.id) for member in members)
    for name, times in sorted(counted.items()):
        if times > 1:
            often = "twice" if times == 2 else f"{times} times"
            faults.append(
                Fault("roster", f"{name} is listed {often}", "each party once", "remove one")
            )
    for member in members:
        whose = f"party {shown(member.id)}"
        fault = exact_fault(member.weight, whose, "weight")
        if fault is None and member.weight < 0:
            fault = Fault(whose, f"weight is {member.weight}", "0 or more", "correct the weight")
        faults.append(fault)
    if not given:
        faults.append(Fault("roster", "is empty", "at least one party", "name the parties"))
    raise_if(fault for fault in faults if fault is not None)
    return Roster(tuple(sorted(members, key=lambda member: member.id)))
