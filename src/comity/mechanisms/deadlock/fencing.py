"""Fencing: is this write of somebody who still holds the resource?

Here: the check of tokens that only grow, resource by resource.
Not here: giving tokens out with a lease (arbitration), the writes themselves.
Sources: SEMANTICS R7, L2; Kleppmann 2016 (fencing tokens): a lease alone is no mutual exclusion,
as its holder may be slow and not know that it has ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from comity.core.errors import Fault, raise_if, shown
from comity.mechanisms.deadlock.rules import node_fault

__all__ = ["Admission", "Fence", "admit"]


@dataclass(frozen=True, slots=True)
class Fence:
    """The highest token seen of each resource.

    Attributes:
        highest: resource and token, sorted.

    Example:
        >>> Fence().token_of("x") is None
        True
    """

    highest: tuple[tuple[str, int], ...] = ()

    def token_of(self, resource: str) -> int | None:
        """Return the highest token seen of a resource."""
        return dict(self.highest).get(resource)


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a write may be made.

    Attributes:
        fence: the fence afterwards.
        is_admitted: whether the token is not older than one already seen.
        reason: why not, or nothing.

    Example:
        >>> admit(Fence(), "x", 5).is_admitted
        True
    """

    fence: Fence
    is_admitted: bool
    reason: str = ""


def admit(fence: Fence, resource: str, token: int) -> Admission:
    """Check the token of one write.

    Args:
        fence: what was seen before.
        resource: what is written to.
        token: the token that the writer got with its lease.

    Returns:
        Admitted when no higher token was seen; the same token may write again.

    Raises:
        InvalidInput: for tokens that are not whole numbers and resources without a name.

    Example:
        >>> seen = admit(Fence(), "x", 34).fence
        >>> admit(seen, "x", 33).reason
        'token 33 is older than 34, which has written to x'
    """
    faults = [fault for fault in [node_fault(resource, "fence")] if fault]
    if type(token) is not int or token < 0:
        what = f"token is {shown(token)}"
        faults.append(Fault("fence", what, "a whole number, 0 or more", "pass the lease's token"))
    raise_if(faults)
    before = fence.token_of(resource)
    if before is not None and token < before:
        reason = f"token {token} is older than {before}, which has written to {resource}"
        return Admission(fence, is_admitted=False, reason=reason)
    highest = {**dict(fence.highest), resource: token}
    return Admission(replace(fence, highest=tuple(sorted(highest.items()))), is_admitted=True)
