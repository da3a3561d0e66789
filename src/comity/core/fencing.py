"""Fencing: is this write of somebody who still holds the resource?

Here: the fence that remembers the highest token seen, for one resource or for many, and the
check of a token against it.
Not here: giving tokens out with a lease (mechanisms/arbitration/leases.py), the writes themselves.
Sources: SEMANTICS R7, L2; Kleppmann 2016 (fencing tokens): a lease alone is no mutual exclusion,
as its holder may be slow and not know that it has ended.
"""

from __future__ import annotations

from dataclasses import dataclass

from comity.core.errors import Fault, raise_if, shown

__all__ = ["Admission", "Fence", "admit"]

_ITSELF = ""  # the resource that keeps a fence of its own


@dataclass(frozen=True, slots=True)
class Fence:
    """The highest token seen, of each resource or of the one that keeps it.

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

    def admit(self, token: int) -> tuple[Fence, bool]:
        """Check the token of one write, for a resource that keeps a fence of its own.

        Args:
            token: the token the writer shows.

        Returns:
            The fence afterwards, and whether the token is at least the highest seen.

        Raises:
            InvalidInput: for tokens that are not whole numbers.

        Example:
            >>> fence, _ = Fence().admit(2)
            >>> fence.admit(1)[1], fence.admit(2)[1], fence.admit(3)[1]
            (False, True, True)
        """
        raise_if(_token_faults(token))
        found = _checked(self, _ITSELF, token)
        return found.fence, found.is_admitted


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
    """Check the token of one write to one of several resources.

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
    raise_if([*_name_faults(resource), *_token_faults(token)])
    return _checked(fence, resource, token)


def _name_faults(resource: object) -> list[Fault]:
    if isinstance(resource, str) and resource:
        return []
    what = f"name {shown(resource)}"
    return [Fault("fence", what, "text that is not empty", "rename it")]


def _token_faults(token: object) -> list[Fault]:
    if type(token) is int and token >= 0:
        return []
    what = f"token is {shown(token)}"
    return [Fault("fence", what, "a whole number, 0 or more", "pass the lease's token")]


def _checked(fence: Fence, resource: str, token: int) -> Admission:
    seen = dict(fence.highest)
    before = seen.get(resource)
    if before is not None and token < before:
        reason = f"token {token} is older than {before}, which has written to {resource}"
        return Admission(fence, is_admitted=False, reason=reason)
    highest = tuple(sorted({**seen, resource: token}.items()))
    return Admission(Fence(highest), is_admitted=True)
