"""Strategies: how does a party bargain over several issues on its own?

Here: the named strategies and how they are read.
Not here: the rules of the table (several.py, protocols/offers).
Sources: SEMANTICS M3.
"""

from comity.mechanisms.bargaining.strategies import comity, holding, micro, nice, timed
from comity.mechanisms.bargaining.strategies.registry import (
    STRATEGIES,
    Player,
    Seat,
    Strategy,
    read_strategy,
    strategy,
)

__all__ = ["STRATEGIES", "Player", "Seat", "Strategy", "read_strategy", "strategy"]

_REGISTERED = (comity, holding, micro, nice, timed)  # importing them fills the table
