"""Settlement: reserve, spend, settle, and the cap holds (D3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.sharing.settlement import (
    Account,
    Moved,
    open_account,
    reserve,
    settle,
    spend,
)


def held(amount: int = 70) -> Account:
    moved = reserve(open_account(100), "h1", "a", amount)
    assert moved.done
    return moved.account


def test_d3_what_is_reserved_is_not_free_and_the_cap_is_hard() -> None:
    account = held()
    assert (account.free, account.free_for("b")) == (30, 30)
    refused = reserve(account, "h2", "b", 31)
    assert (refused.done, refused.account) == (False, account)
    assert refused.refused == "b asks for 31 and 30 is free"
    assert reserve(account, "h2", "b", 30).account.free == 0


def test_d3_shares_limit_each_agent() -> None:
    account = open_account("100.00", {"b": 40, "a": "60.00"})
    assert reserve(account, "h", "b", 41).refused == "b asks for 41 and 40 is free"
    assert reserve(account, "h", "c", 1).refused == "c asks for 1 and 0 is free"
    assert account.limits == (("a", 60), ("b", 40))
    first = reserve(account, "h", "b", Fraction(79, 2)).account
    assert first.free_for("b") == Fraction(1, 2)


def test_d3_what_was_not_spent_goes_back_when_settled() -> None:
    account = spend(held(), "h1", "p1", 20).account
    account = spend(account, "h1", "p2", 5).account
    assert account.free == 30
    settled = settle(account, "h1").account
    assert settled.free == 75
    hold = settled.hold("h1")
    assert hold is not None
    assert (hold.spent, hold.counted, hold.is_settled) == (25, 25, True)
    assert settle(settled, "h1") == Moved(settled)
    assert spend(settled, "h1", "p3", 1).refused == "h1 is settled"


def test_a_step_made_again_changes_nothing_and_an_id_used_twice_is_refused() -> None:
    account = held()
    assert reserve(account, "h1", "a", 70) == Moved(account)
    assert reserve(account, "h1", "a", 71).refused == "h1 is the id of another reservation"
    assert reserve(account, "h1", "b", 70).refused == "h1 is the id of another reservation"
    paid = spend(account, "h1", "p1", 20).account
    assert spend(paid, "h1", "p1", 20) == Moved(paid)
    assert spend(paid, "h1", "p1", 21).refused == "p1 is the id of another payment"
    settled = settle(paid, "h1").account
    assert spend(settled, "h1", "p1", 20) == Moved(settled)
    assert reserve(settled, "h1", "a", 70) == Moved(settled)


def test_a_payment_beyond_the_reservation_is_refused() -> None:
    assert spend(held(), "h1", "p1", 71).refused == "h1 covers 70 and 71 would be spent"
    assert spend(held(), "h2", "p1", 1).refused == "there is no reservation h2"
    assert settle(held(), "h2").refused == "there is no reservation h2"
    two = reserve(held(20), "h2", "b", 30).account
    both = spend(two, "h2", "p", 30).account
    assert [one.spent for one in both.holds] == [0, 30]


@pytest.mark.parametrize("amount", [0, -1, True, float("nan"), "x", None])
def test_amounts_that_are_none_are_refused(amount: Any) -> None:
    with pytest.raises(InvalidInput):
        reserve(open_account(100), "h1", "a", amount)
    with pytest.raises(InvalidInput):
        spend(held(), "h1", "p1", amount)


def test_ids_and_accounts_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        reserve(open_account(100), "", 5, -1)  # type: ignore[arg-type]
    assert len(caught.value.faults) == 3
    with pytest.raises(InvalidInput) as caught:
        open_account(-1, {"a": -1, "": 2})
    assert len(caught.value.faults) == 4
    with pytest.raises(InvalidInput, match=r"shares add up to 101, above the cap 100"):
        open_account(100, {"a": 101})
