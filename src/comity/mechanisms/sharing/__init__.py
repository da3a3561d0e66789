"""Sharing: how is one divisible budget split by what each gains from it?

Here: gain curves, the split by objective, whole minor units, credits, calibration, settlement;
several resources at once; gains that are not concave on a grid.
Not here: files (formats/), where gains are measured (watch/), storing accounts (runner/).
Sources: SEMANTICS D1-D3.
"""

from comity.mechanisms.sharing.beside import equal_split, first_come, static_priority
from comity.mechanisms.sharing.calibration import Calibration, calibrate, exploration_floor
from comity.mechanisms.sharing.claims import read_curve
from comity.mechanisms.sharing.curves import Curve, Segments, Smooth
from comity.mechanisms.sharing.divide import divide, share
from comity.mechanisms.sharing.dominant import DominantShares, share_resources
from comity.mechanisms.sharing.grid import GridAllocation, share_on_grid
from comity.mechanisms.sharing.reading import share_rules_from_json, share_rules_to_json
from comity.mechanisms.sharing.results import (
    Beside,
    BudgetAllocation,
    BudgetNoDecision,
    ShareRow,
)
from comity.mechanisms.sharing.rounding import split
from comity.mechanisms.sharing.rules import ShareOptions, ShareRules
from comity.mechanisms.sharing.settlement import (
    Account,
    Hold,
    Moved,
    open_account,
    reserve,
    settle,
    spend,
)
from comity.mechanisms.sharing.table import TableShares, share_table

__all__ = [
    "RULE",
    "Account",
    "Beside",
    "BudgetAllocation",
    "BudgetNoDecision",
    "Calibration",
    "Curve",
    "DominantShares",
    "GridAllocation",
    "Hold",
    "Moved",
    "Segments",
    "ShareOptions",
    "ShareRow",
    "ShareRules",
    "Smooth",
    "TableShares",
    "calibrate",
    "divide",
    "equal_split",
    "exploration_floor",
    "first_come",
    "open_account",
    "read_curve",
    "reserve",
    "settle",
    "share",
    "share_on_grid",
    "share_resources",
    "share_rules_from_json",
    "share_rules_to_json",
    "share_table",
    "spend",
    "split",
    "static_priority",
]

RULE = (divide, share_rules_from_json)
"""How a recorded session is decided: the rule, and the reading of its recorded rules."""
