"""Settlement: how does a day's budget never pay out more than there is?

Here: reserve, spend and settle as pure steps of an account with a hard cap.
Not here: how much each agent may have (divide.py), storing the account and its day (runner/).
Sources: SEMANTICS D3 (reserve, spend, settle; day cap hard); two-phase holds of card payments.

Every step names an id. A step repeated with the same id and the same amount changes nothing, so
a client may retry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from comity.core.errors import raise_if, shown
from comity.core.exact import Exact, show_number, to_fraction
from comity.core.parties import PartyId, name_fault
from comity.mechanisms.sharing.checks import Reading, whole_or_ratio

__all__ = ["Account", "Hold", "Moved", "open_account", "reserve", "settle", "spend"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Money that one agent has reserved.

    Attributes:
        id: its name.
        agent: who reserved it.
        amount: how much.
        payments: what was spent of it: payment id and amount.
        is_settled: whether what was not spent went back.

    Example:
        >>> Hold(id="h1", agent="a", amount=5).spent
        0
    """

    id: str
    agent: PartyId
    amount: Exact
    payments: tuple[tuple[str, Exact], ...] = ()
    is_settled: bool = False

    @property
    def spent(self) -> Exact:
        """How much of it was spent."""
        return whole_or_ratio(
            sum((to_fraction(amount) for _, amount in self.payments), Fraction())
        )

    @property
    def counted(self) -> Exact:
        """What it takes of the cap: all of it until settled, then what was spent."""
        return self.spent if self.is_settled else self.amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One budget of one day.

    Attributes:
        cap: what may be reserved and spent at most.
        limits: agent -> its share, for agents that have one; others may reserve nothing.
        holds: every reservation in the order made.

    Example:
        >>> open_account(100).free
        100
    """

    cap: Exact
    limits: tuple[tuple[PartyId, Exact], ...] | None = None
    holds: tuple[Hold, ...] = ()

    @property
    def free(self) -> Exact:
        """What can still be reserved."""
        used = sum((to_fraction(one.counted) for one in self.holds), Fraction())
        return whole_or_ratio(to_fraction(self.cap) - used)

    def free_for(self, agent: PartyId) -> Exact:
        """What one agent can still reserve."""
        if self.limits is None:
            return self.free
        limit = to_fraction(dict(self.limits).get(agent, 0))
        own = sum(
            (to_fraction(one.counted) for one in self.holds if one.agent == agent), Fraction()
        )
        return whole_or_ratio(min(to_fraction(self.free), limit - own))

    def hold(self, hold_id: str) -> Hold | None:
        """Return the reservation of this id."""
        return next((one for one in self.holds if one.id == hold_id), None)


class Moved(NamedTuple):
    """What a step came to.

    Attributes:
        account: the account afterwards; the same one when the step was refused.
        refused: why it was refused, or nothing.
    """

    account: Account
    refused: str = ""

    @property
    def done(self) -> bool:
        """Whether the step was made, now or before under the same id."""
        return not self.refused


def open_account(cap: object, shares: Mapping[PartyId, object] | None = None) -> Account:
    """Open the account of one day.

    Args:
        cap: what may be spent at most.
        shares: agent -> what it may spend, at most the cap together; None lets everybody reserve
            what is free.

    Returns:
        The account.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> open_account(12000, {"a": 4000, "b": 6000, "c": 2000}).free_for("b")
        6000
    """
    reading = Reading()
    whole = reading.at_least_0(cap, "account", "cap")
    limits = None
    if shares is not None:
        for name in sorted(shares, key=str):
            fault = name_fault(name, "agent")
            if fault is not None:
                reading.faults.append(fault)
        read = {
            name: reading.at_least_0(shares[name], str(name), "share")
            for name in sorted(shares, key=str)
        }
        together = sum(read.values(), Fraction())
        if together > whole:
            what = f"shares add up to {show_number(together)}, above the cap {show_number(whole)}"
            reading.fault("account", what, "shares within the cap", "lower them")
        limits = tuple((name, whole_or_ratio(amount)) for name, amount in read.items())
    raise_if(reading.faults)
    return Account(cap=whole_or_ratio(whole), limits=limits)


def reserve(account: Account, hold_id: str, agent: PartyId, amount: object) -> Moved:
    """Reserve money before it is spent.

    Args:
        account: the account.
        hold_id: the reservation's id.
        agent: who reserves.
        amount: how much, above 0.

    Returns:
        The account with the reservation; unchanged when the cap or the agent's share is reached.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> account = reserve(open_account(100), "h1", "a", 70).account
        >>> reserve(account, "h2", "b", 40).refused
        'b asks for 40 and 30 is free'
    """
    asked = _checked(amount, {"hold": hold_id, "agent": agent})
    before = account.hold(hold_id)
    if before is not None:
        same = (before.agent, to_fraction(before.amount)) == (agent, to_fraction(asked))
        return Moved(account, "" if same else f"{hold_id} is the id of another reservation")
    free = account.free_for(agent)
    if asked > free:
        told = f"{agent} asks for {show_number(asked)} and {show_number(max(free, 0))} is free"
        return Moved(account, told)
    hold = Hold(id=hold_id, agent=agent, amount=asked)
    return Moved(replace(account, holds=(*account.holds, hold)))


def spend(account: Account, hold_id: str, payment_id: str, amount: object) -> Moved:
    """Spend money of a reservation.

    Args:
        account: the account.
        hold_id: the reservation's id.
        payment_id: the payment's id.
        amount: how much, above 0.

    Returns:
        The account with the payment; unchanged when the reservation does not cover it.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> account = reserve(open_account(100), "h1", "a", 70).account
        >>> spend(account, "h1", "p1", 80).refused
        'h1 covers 70 and 80 would be spent'
    """
    asked = _checked(amount, {"hold": hold_id, "payment": payment_id})
    hold = account.hold(hold_id)
    if hold is None:
        return Moved(account, f"there is no reservation {hold_id}")
    before = dict(hold.payments).get(payment_id)
    if before is not None:
        same = before == asked
        return Moved(account, "" if same else f"{payment_id} is the id of another payment")
    if hold.is_settled:
        return Moved(account, f"{hold_id} is settled")
    together = to_fraction(hold.spent) + to_fraction(asked)
    if together > hold.amount:
        covers, wanted = show_number(hold.amount), show_number(whole_or_ratio(together))
        return Moved(account, f"{hold_id} covers {covers} and {wanted} would be spent")
    paid = replace(hold, payments=(*hold.payments, (payment_id, asked)))
    return Moved(_with(account, paid))


def settle(account: Account, hold_id: str) -> Moved:
    """Close a reservation: what was not spent goes back.

    Args:
        account: the account.
        hold_id: the reservation's id.

    Returns:
        The account with the reservation closed.

    Example:
        >>> account = reserve(open_account(100), "h1", "a", 70).account
        >>> account = spend(account, "h1", "p1", 25).account
        >>> settle(account, "h1").account.free
        75
    """
    hold = account.hold(hold_id)
    if hold is None:
        return Moved(account, f"there is no reservation {hold_id}")
    return Moved(_with(account, replace(hold, is_settled=True)))


def _with(account: Account, hold: Hold) -> Account:
    holds = tuple(hold if one.id == hold.id else one for one in account.holds)
    return replace(account, holds=holds)


def _checked(amount: object, names: Mapping[str, object]) -> Exact:
    reading = Reading()
    for what, name in names.items():
        if not isinstance(name, str) or not name:
            reading.fault(what, f"is {shown(name)}", "an id as text", f"name the {what}")
    found = reading.above(amount, "account", "amount")
    raise_if(reading.faults)
    return whole_or_ratio(found)
