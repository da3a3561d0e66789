"""Grouping: which recorded claims of a call belong together?

Here: ``--window`` and ``--scope`` of the commands that look at recorded claims.
Not here: reading claims (claims.py), grouping them (formats/claims_log.py, claims_scopes.py).
Sources: SEMANTICS R2, R5.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

from comity.cli.claims import Claims, claims_from
from comity.cli.door import Door
from comity.core.errors import Fault, InvalidInput
from comity.formats.claims_scopes import scoped

__all__ = ["grouped_claims"]


def grouped_claims(
    door: Door, file: str | None, desk: str | None, grouping: tuple[int | None, tuple[str, ...]]
) -> Claims:
    """Return the claims that a call means, grouped as it says.

    What was ignored in a file is told on stderr.

    Args:
        door: whose ledger is in use.
        file: a claims log, ``-`` for standard input, or None for the ledger.
        desk: the desk of the ledger, or None.
        grouping: the window in milliseconds, or None; the patterns of scopes.

    Returns:
        The claims.

    Raises:
        InvalidInput: as :func:`comity.cli.claims.claims_from`; and for a window beside a ledger,
            whose conflicts are known, and a scope beside a policy that has scopes of its own.
    """
    window_ms, patterns = grouping
    if window_ms is not None and file is None:
        what = "is given without a file: the conflicts of a ledger are recorded as such"
        raise InvalidInput(Fault("--window", what, "a claims log in a file", "drop it"))
    policies: list[Any] = []

    def history(name: str) -> Any:  # noqa: ANN401  # a record of a desk
        found = import_module("comity.desk").claims_history(door.ledger_place(), name=name)
        policies.extend(found.policies)
        return found

    claims = claims_from(history, file, desk, window_s=Fraction(window_ms or 0, 1000))
    claims = replace(claims, log=replace(claims.log, policies=tuple(policies)))
    for told in claims.log.ignored:
        door.talk(told)
    if patterns and claims.policy is not None and claims.policy.scope != "resource":
        what = f"is given, and losses of this desk count by {claims.policy.scope}"
        raise InvalidInput(Fault("--scope", what, "a desk that counts by resource", "drop it"))
    return replace(claims, log=scoped(claims.log, patterns))
