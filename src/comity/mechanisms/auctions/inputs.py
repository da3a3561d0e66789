"""Inputs: what was an auction given, so that anybody can run it again?

Here: what was handed in with its digest, and the grounds of a result made of it.
Not here: reading bids (bids.py, bundles.py), the results (results.py).
Sources: SEMANTICS G1, G4, K2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from comity.core.canonical import Json, digest
from comity.core.exact import Exact
from comity.core.parties import PartyId
from comity.core.results import Grounds, Item, Submission
from comity.mechanisms.auctions.bids import RefusedBid
from comity.mechanisms.auctions.lots import Lots

__all__ = ["Inputs", "by_bidder"]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Everything that decides a sale.

    Attributes:
        rule: the rule's name.
        submitted: bidder and what it handed in, sorted.
        refused: what was set aside when bids were read.
        parameters: the rule's parameters by name, the seed among them.
        seed: what ties are drawn by, as it was read.

    Example:
        >>> Inputs(rule="r", submitted=(("a", 1),), parameters=()).grounds("end").submissions[0]
        Submission(party='a', what=1)
    """

    rule: str
    submitted: tuple[tuple[PartyId, Json], ...]
    refused: tuple[RefusedBid, ...] = ()
    parameters: tuple[tuple[str, Json], ...]
    seed: str | tuple[Exact, ...] | None = None

    @cached_property
    def digest(self) -> str:
        """The digest of it all."""
        return digest(
            {
                "rule": self.rule,
                "bids": self.submitted,
                "refused": [(one.bidder, one.bid, one.reason) for one in self.refused],
                "parameters": dict(self.parameters),
            }
        )

    def lots(self) -> Lots:
        """Return the draws of a sale with these inputs, none drawn yet."""
        return Lots(self.seed, self.digest)

    def grounds(
        self,
        ended_by: str,
        *,
        lots: Lots | None = None,
        thin: tuple[str, ...] = (),
        scores: tuple[Item, ...] = (),
        margin: Exact | None = None,
    ) -> Grounds:
        """Return the grounds of a result.

        Args:
            ended_by: the step that ended it.
            lots: the draws that were needed.
            thin: why a person may want to look twice, beside the draws.
            scores: bids that are one number each.
            margin: the distance between the winner and the next.
        """
        return Grounds(
            rule=self.rule,
            ended_by=ended_by,
            inputs_digest=self.digest,
            parameters=self.parameters,
            submissions=(
                *(Submission(name, what) for name, what in self.submitted),
                *(Submission(one.bidder, one.bid) for one in self.refused),
            ),
            scores=scores,
            margin=margin,
            invalid=tuple(sorted({one.bidder for one in self.refused})),
            ties=() if lots is None else tuple(lots.ties),
            thin=thin if lots is None else thin + lots.thin,
        )


def by_bidder(refused: Sequence[RefusedBid]) -> tuple[RefusedBid, ...]:
    """Return refused bids sorted by bidder.

    Args:
        refused: in any order.

    Example:
        >>> by_bidder([])
        ()
    """
    return tuple(sorted(refused, key=lambda one: (one.bidder, one.bid, one.reason)))
