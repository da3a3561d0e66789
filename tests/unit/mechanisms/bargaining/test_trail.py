"""Trail: is a lazy path of offers the same as the offers written out?

Here: sequence behaviour, equality, JSON.
Not here: how offers are made.
Sources: SEMANTICS G1, B9.
"""

from __future__ import annotations

import pickle

from comity.core.codec import encode
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import layout_of
from comity.mechanisms.bargaining.trail import OfferMade, Trail

LAYOUT = layout_of(domain_of({"tls": ["1.2", "1.3"]}))


def trail() -> Trail:
    return Trail(LAYOUT, (0, 0, 1), ("ann", "bob", "ann"), (1, 0, 0), {2: ("bob",)})


def written() -> tuple[OfferMade, ...]:
    return (
        OfferMade(id="ann-0", round=0, party="ann", deal=(("tls", "1.3"),)),
        OfferMade(id="bob-0", round=0, party="bob", deal=(("tls", "1.2"),)),
        OfferMade(id="ann-1", round=1, party="ann", deal=(("tls", "1.2"),), accepted_by=("bob",)),
    )


def test_it_equals_and_reads_like_the_tuple_of_its_offers() -> None:
    assert trail() == written() == tuple(trail())
    assert trail() == list(written())
    assert trail() == trail()
    assert trail() != written()[:2]
    assert trail() != (*written()[:2], written()[0])
    assert trail() != "ann"
    assert hash(trail()) == hash(written())
    assert repr(trail()) == repr(written())
    assert (len(trail()), trail()[-1], trail()[1:]) == (3, written()[2], written()[1:])
    assert pickle.loads(pickle.dumps(trail())) == written()  # noqa: S301  # our own bytes


def test_its_json_is_that_of_the_tuple() -> None:
    assert trail().to_json() == encode(written())
