"""Arbitration: several want the same thing again and again, who gets it this time?

Here: policies with their bounds, ageing by losses and by hours, every other rule, fairness,
alarms, what-if, leases.
Not here: claims that arrive and leases that run out (runner/), alarms sent out (watch/).
Sources: SEMANTICS R1-R7.
"""

from comity.core.fencing import Fence
from comity.mechanisms.arbitration.alarms import (
    Alarm,
    AlarmRules,
    alarms,
    chance_of_no_win,
    claims_without_win,
    single_look,
)
from comity.mechanisms.arbitration.bounds import (
    c_for,
    fixed_bound,
    per_claim_bound,
    stride_bounds,
)
from comity.mechanisms.arbitration.catalogue import FACTS, RuleFacts, facts_of, facts_table
from comity.mechanisms.arbitration.choosing import tied_with_the_best
from comity.mechanisms.arbitration.claims import Claim
from comity.mechanisms.arbitration.engine import Arbitration, Conflict, reseed
from comity.mechanisms.arbitration.entries import LineWriter, entry_of, fold, unfold, wrong_in
from comity.mechanisms.arbitration.fairness import (
    AgentRecord,
    ScopeRecord,
    fairness,
    gini,
    jain,
)
from comity.mechanisms.arbitration.leases import Lease, LeaseBook, LeaseStep
from comity.mechanisms.arbitration.policy import CanStarve, Policy, Population
from comity.mechanisms.arbitration.resolve import (
    ArbitrationOutcome,
    ArbitrationRules,
    arbitrate,
    arbitration_rules_from_json,
    resolve,
    resolve_round,
)
from comity.mechanisms.arbitration.results import (
    ArbitrationGrant,
    ArbitrationNoSale,
    ArbitrationSplit,
    ArbitrationWaiting,
    Claimant,
    Contest,
)
from comity.mechanisms.arbitration.rules import RULES, rule_named
from comity.mechanisms.arbitration.standing import Standing, Won
from comity.mechanisms.arbitration.state import State
from comity.mechanisms.arbitration.tie_tests import TieTest, chi_square_p, multinomial_p, tie_tests
from comity.mechanisms.arbitration.whatif import WhatIf, WhatIfRow, recorded, replay, what_if
from comity.mechanisms.arbitration.win_table import WinTable, win_table

__all__ = [
    "FACTS",
    "RULE",
    "RULES",
    "AgentRecord",
    "Alarm",
    "AlarmRules",
    "Arbitration",
    "ArbitrationGrant",
    "ArbitrationNoSale",
    "ArbitrationOutcome",
    "ArbitrationRules",
    "ArbitrationSplit",
    "ArbitrationWaiting",
    "CanStarve",
    "Claim",
    "Claimant",
    "Conflict",
    "Contest",
    "Fence",
    "Lease",
    "LeaseBook",
    "LeaseStep",
    "LineWriter",
    "Policy",
    "Population",
    "RuleFacts",
    "ScopeRecord",
    "Standing",
    "State",
    "TieTest",
    "WhatIf",
    "WhatIfRow",
    "WinTable",
    "Won",
    "alarms",
    "arbitrate",
    "arbitration_rules_from_json",
    "c_for",
    "chance_of_no_win",
    "chi_square_p",
    "claims_without_win",
    "entry_of",
    "facts_of",
    "facts_table",
    "fairness",
    "fixed_bound",
    "fold",
    "gini",
    "jain",
    "multinomial_p",
    "per_claim_bound",
    "recorded",
    "replay",
    "reseed",
    "resolve",
    "resolve_round",
    "rule_named",
    "single_look",
    "stride_bounds",
    "tie_tests",
    "tied_with_the_best",
    "unfold",
    "what_if",
    "win_table",
    "wrong_in",
]

RULE = (arbitrate, arbitration_rules_from_json)
"""How a recorded session is decided: the rule, and the reading of its recorded rules."""
