"""Worth: what is a deal to one seat, and why may that seat not have it?

Here: the exact worth, the gain over the reservation, the refusal of deals that are out of the
question, below the reservation or across a red line.
Not here: which deals to suggest (suggest.py), what all seats think (settling.py).
Sources: SEMANTICS B5, C4 (red lines bind), M1.

Everything here is for one seat's own eyes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from comity.core.exact import show_number
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.domain import Deal
from comity.protocols.offers.rules import OffersRules

__all__ = ["Judged", "judged", "refusal", "shown_deal", "worth_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one seat thinks of a deal.

    Attributes:
        worth: the exact value.
        gain: what it gains over its reservation, over 0 without one.
        short: by how much it falls short of its reservation, 0 when it does not.
        excluded: the constraints of all that it breaks, in words.
        crosses: the seat's own red lines that it crosses, in words.

    Example:
        >>> Judged(worth=Fraction(3), gain=Fraction(3), short=Fraction(0)).is_good
        True
    """

    worth: Fraction
    gain: Fraction
    short: Fraction
    excluded: tuple[str, ...] = ()
    crosses: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether it reaches the reservation and is neither excluded nor across a red line."""
        return not (self.short or self.excluded or self.crosses)


def worth_of(rules: OffersRules, seat: PartyId, deal: Deal) -> Fraction:
    """Return what a deal is worth to a seat.

    Args:
        rules: the rules.
        seat: the seat.
        deal: every issue with its option.

    Example:
        >>> from comity.testing.bargains import sample_offers
        >>> worth_of(sample_offers(), "ann", {"tls": "1.3", "days": "30"})
        Fraction(6, 1)
    """
    return rules.problem.party(seat).preferences.of(deal)


def judged(rules: OffersRules, seat: PartyId, deal: Deal) -> Judged:
    """Return what a seat thinks of a deal.

    Args:
        rules: the rules.
        seat: the seat.
        deal: every issue with its option.

    Example:
        >>> from comity.testing.bargains import sample_offers
        >>> judged(sample_offers(), "ann", {"tls": "1.2", "days": "60"}).short
        Fraction(2, 1)
    """
    party = rules.problem.party(seat)
    worth = party.preferences.of(deal)
    gain = worth - (party.preferences.reservation or 0)
    has_limit = party.preferences.reservation is not None
    return Judged(
        worth=worth,
        gain=gain,
        short=max(-gain, Fraction(0)) if has_limit else Fraction(0),
        excluded=tuple(str(one) for one in rules.problem.constraints if not one.allows(deal)),
        crosses=tuple(str(one) for one in party.red_lines if not one.allows(deal)),
    )


def refusal(rules: OffersRules, seat: PartyId, deal: Deal) -> tuple[str, str] | None:
    """Return why a seat may neither offer nor accept a deal: a code and a sentence; or None.

    Args:
        rules: the rules; a seat whose reservation does not bind may go below it.
        seat: the seat; the sentence is for nobody else.
        deal: every issue with its option.

    Example:
        >>> from comity.testing.bargains import sample_offers
        >>> refusal(sample_offers(), "ann", {"tls": "1.2", "days": "60"})
        ('below_reservation', 'worth 1 to you, 2 short of your reservation 3')
    """
    found = judged(rules, seat, deal)
    if found.excluded:
        return "excluded", f"nobody can make this deal: it breaks {'; '.join(found.excluded)}"
    if found.crosses:
        return "crosses_red_line", f"it crosses your own red line {'; '.join(found.crosses)}"
    if found.short and seat not in rules.unbound:
        limit, short = found.worth + found.short, show_number(found.short)
        worth = show_number(found.worth)
        told = f"worth {worth} to you, {short} short of your reservation {show_number(limit)}"
        return "below_reservation", told
    return None


def shown_deal(deal: tuple[tuple[str, str], ...]) -> str:
    """Return a deal on one line, as it can be written in an offer.

    Args:
        deal: issue and option, in the order of the domain.

    Example:
        >>> shown_deal((("tls", "1.3"), ("days", "30")))
        'tls = 1.3; days = 30'
    """
    return "; ".join(f"{issue} = {option}" for issue, option in deal)
