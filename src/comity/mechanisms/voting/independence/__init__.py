"""Independence: are the errors of a panel's voters independent, or does it count as fewer?

Here: the log of past votes, the report on it, effective voters, the roster check.
Not here: reading logs from files (formats/vote_log.py), the votes themselves (beside this room).
Sources: SEMANTICS V9.
"""

from comity.mechanisms.voting.independence.dawid_skene import DawidSkene, dawid_skene
from comity.mechanisms.voting.independence.effective import (
    clipped,
    effective_margin,
    effective_voters,
)
from comity.mechanisms.voting.independence.em import EmRules
from comity.mechanisms.voting.independence.log import VoteLog, vote_log
from comity.mechanisms.voting.independence.report import IndependenceReport, independence
from comity.mechanisms.voting.independence.roster import Makeup, alike
from comity.mechanisms.voting.independence.rules import ReportRules

__all__ = [
    "DawidSkene",
    "EmRules",
    "IndependenceReport",
    "Makeup",
    "ReportRules",
    "VoteLog",
    "alike",
    "clipped",
    "dawid_skene",
    "effective_margin",
    "effective_voters",
    "independence",
    "vote_log",
]
