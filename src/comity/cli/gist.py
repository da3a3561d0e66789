"""Gist: what do people look for first in a result that was decided at once?

Here: the few fields that stand at the head of the JSON of a sale, a shared budget, a deadlock.
Not here: the result itself, words (render/).
Sources: SEMANTICS G1; issue "scarce things" (the winner and the price, who gets how much, who
waits for whom).
"""

from __future__ import annotations

from typing import Any

from comity.core.canonical import Json, plain
from comity.core.results import Outcome

__all__ = ["gist_of"]


def gist_of(outcome: Outcome) -> dict[str, Json]:
    """Return the fields for the head of a result's JSON.

    Args:
        outcome: any result.

    Returns:
        Of a sale ``winner``, ``price`` and ``surplus`` (None where there is not one of them); of
        a shared budget ``allocation`` and ``gains``; of waits ``members`` and ``victims``;
        nothing for other forms.
    """
    result: Any = outcome
    if outcome.form == "auction":
        return {
            "winner": result.winner,
            "price": plain(result.price),
            "surplus": plain(getattr(result, "surplus", None)),
        }
    if outcome.form == "budget":
        return {
            "allocation": plain(getattr(result, "allocation", None)),
            "gains": plain(getattr(result, "gains", None)),
        }
    if outcome.form == "deadlock":
        return {"members": list(result.members), "victims": list(getattr(result, "victims", ()))}
    return {}
