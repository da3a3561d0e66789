"""Claims scopes: resources of a log that are one thing (R2)."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.claims_log import BesideClaim, ClaimsLog
from comity.formats.claims_scopes import scoped
from comity.mechanisms.arbitration import Conflict

DAYS = tuple(
    Conflict(1, f"slot-{day}", (("a", 1), ("b", 1)), winners=("a",), at=day) for day in range(9)
)
LOG = ClaimsLog(conflicts=DAYS, beside=(BesideClaim(1, "slot-1", "b", True),), hints=("torn",))


def test_r2_the_first_pattern_that_matches_names_the_scope() -> None:
    assert scoped(LOG, []) is LOG
    found = scoped(LOG, ["slot-[0-3]", "slot-*"])
    assert [(one.resource, one.number) for one in found.conflicts][3:5] == [
        ("slot-[0-3]", 4), ("slot-*", 1),
    ]  # fmt: skip
    assert found.beside[0].resource == "slot-[0-3]"
    assert found.hints == ()


def test_g7_a_pattern_that_matches_nothing_is_told_with_what_is_there() -> None:
    with pytest.raises(InvalidInput) as caught:
        scoped(LOG, ["slto-*", "slot-*", "x"])
    first, second = caught.value.faults
    assert (first.whose, first.what) == ("scope 'slto-*'", "matches no resource")
    assert first.allowed == "slot-0, slot-1, slot-2, slot-3, slot-4 and 4 more"
    assert second.whose == "scope 'x'"
