"""Roster check: are these voters different at all, before any vote is cast?

Here: what each voter is made of (model, prompt digest, evidence digest), the warnings when some
or all of that is shared.
Not here: how they voted (report.py).
Sources: SEMANTICS V9 (all alike: warned at opening and in the result, before any log exists).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from comity.core.errors import one_line

__all__ = ["Makeup", "alike"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Makeup:
    """What a voter is made of.

    Attributes:
        voter: its name.
        model: its model; "" when it is not known.
        prompt: the digest of its prompt; "" when it is not known.
        evidence: the digest of what it was shown; "" when it is not known.

    Example:
        >>> Makeup(voter="a", model="m").prompt
        ''
    """

    voter: str
    model: str = ""
    prompt: str = ""
    evidence: str = ""


def alike(records: Iterable[Makeup]) -> tuple[str, ...]:
    """Return what makes voters alike, as warnings.

    Args:
        records: what each voter is made of. What is not known is never taken to be the same.

    Returns:
        One warning when all are alike in everything, else one for what all of them share and one
        for each group of voters that are alike in everything; none for fewer than two voters.

    Example:
        >>> alike([Makeup(voter=one, model="m", prompt="p", evidence="e") for one in "abc"])[0]
        'All 3 voters have the same model, the same prompt and the same evidence: expect them to \
err together and to count as little more than one.'
    """
    voters = sorted(records, key=lambda one: one.voter)
    if len(voters) < 2:
        return ()
    shared = [
        f"the same {what}"
        for what in ("model", "prompt", "evidence")
        if (found := {getattr(one, what) for one in voters})
        and len(found) == 1
        and "" not in found
    ]
    if len(shared) == 3:
        told = f"All {len(voters)} voters have {shared[0]}, {shared[1]} and {shared[2]}"
        return (f"{told}: expect them to err together and to count as little more than one.",)
    warnings = []
    if shared:
        told = f"All {len(voters)} voters have {' and '.join(shared)}"
        warnings.append(f"{told}: what misleads one of them may mislead all.")
    groups: dict[tuple[str, str, str], list[str]] = {}
    for one in voters:
        if one.model and one.prompt and one.evidence:
            groups.setdefault((one.model, one.prompt, one.evidence), []).append(one.voter)
    for names in sorted(names for names in groups.values() if len(names) > 1):
        listed = one_line(" and ".join([", ".join(names[:-1]), names[-1]]))
        warnings.append(f"{listed} have the same model, prompt and evidence: count them as one.")
    return tuple(warnings)
