"""Inputs: does the record of a sale stand for exactly what was handed in?"""

from __future__ import annotations

from comity.mechanisms.auctions.bids import RefusedBid
from comity.mechanisms.auctions.inputs import Inputs, by_bidder


def test_g1_every_part_of_the_inputs_is_in_the_digest() -> None:
    aside = RefusedBid("b", "nan", "not_a_number", "is nan")
    base = {"rule": "r", "submitted": (("a", 1),), "parameters": (("seed", None),)}
    varied = [
        Inputs(**base),  # type: ignore[arg-type]
        Inputs(**{**base, "rule": "s"}),  # type: ignore[arg-type]
        Inputs(**{**base, "submitted": (("a", 2),)}),  # type: ignore[arg-type]
        Inputs(**{**base, "parameters": (("seed", "7"),)}),  # type: ignore[arg-type]
        Inputs(**base, refused=(aside,)),  # type: ignore[arg-type]
    ]
    assert len({one.digest for one in varied}) == len(varied)


def test_g1_grounds_list_who_took_part_and_whose_bid_was_invalid() -> None:
    aside = (RefusedBid("c", "x", "not_a_number", ""), RefusedBid("b", "y", "negative", ""))
    inputs = Inputs(rule="r", submitted=(("a", 1),), refused=aside, parameters=())
    grounds = inputs.grounds("end", lots=inputs.lots(), thin=("why",))
    assert [one.party for one in grounds.submissions] == ["a", "c", "b"]
    assert grounds.invalid == ("b", "c")
    assert grounds.thin == ("why",)
    assert by_bidder(aside)[0].bidder == "b"
