"""Bargaining: what do parties that want opposite things agree on?

Here: bargaining over one price (zone, schedules, conventions, guards, splits).
Not here: live bargaining between agents (protocols/offers.py).
Sources: SEMANTICS B1-B10; Raiffa 1982; Faratin, Sierra and Jennings 1998.
"""

from comity.mechanisms.bargaining.acceptance import (
    Refusal,
    TabledOffer,
    acceptance_fault,
    check_settlement,
)
from comity.mechanisms.bargaining.guards import PingPong, Stall
from comity.mechanisms.bargaining.price import BargainOptions, bargain, negotiate_price
from comity.mechanisms.bargaining.reading import price_rules_from_json, price_rules_to_json
from comity.mechanisms.bargaining.results import OfferPath, PriceAgreement, PriceNoDeal, PriceRow
from comity.mechanisms.bargaining.rules import PriceParty, PriceRules
from comity.mechanisms.bargaining.schedules import Schedule, custom, read_schedule
from comity.mechanisms.bargaining.shares import conceded
from comity.mechanisms.bargaining.split import SplitSchedules, schedules_for
from comity.mechanisms.bargaining.zopa import Zopa, zopa

__all__ = [
    "RULE",
    "BargainOptions",
    "OfferPath",
    "PingPong",
    "PriceAgreement",
    "PriceNoDeal",
    "PriceParty",
    "PriceRow",
    "PriceRules",
    "Refusal",
    "Schedule",
    "SplitSchedules",
    "Stall",
    "TabledOffer",
    "Zopa",
    "acceptance_fault",
    "bargain",
    "check_settlement",
    "conceded",
    "custom",
    "negotiate_price",
    "price_rules_from_json",
    "price_rules_to_json",
    "read_schedule",
    "schedules_for",
    "zopa",
]

RULE = (negotiate_price, price_rules_from_json)
"""How a recorded session is decided: the rule, and the reading of its recorded rules."""
