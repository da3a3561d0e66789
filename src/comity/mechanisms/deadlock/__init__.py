"""Deadlock: who waits in a circle, who gives way, and how does no circle form at all?

Here: wait-for graphs with hard and soft edges, victims, ordered acquisition, timestamp rules,
backoff, several units of a resource; fences are handed on from the core.
Not here: acquiring, leases and clocks (runner/), granting by priority (arbitration).
Sources: SEMANTICS L1, L2.
"""

from comity.core.fencing import Admission, Fence, admit
from comity.mechanisms.deadlock.backoff import full_jitter
from comity.mechanisms.deadlock.banker import Reduction, is_safe, judge_request, reduce_requests
from comity.mechanisms.deadlock.detect import detect, find_cycle
from comity.mechanisms.deadlock.ordering import LockOrders, check_orders, in_order, violation
from comity.mechanisms.deadlock.queues import Claimed, QueueWaits, waits_of
from comity.mechanisms.deadlock.results import Cycle, Deadlock, NoDeadlock, Wait
from comity.mechanisms.deadlock.rules import (
    DeadlockRules,
    Standing,
    deadlock_rules_from_json,
    deadlock_rules_to_json,
)
from comity.mechanisms.deadlock.timestamps import hand_over, judge_wait
from comity.mechanisms.deadlock.victims import (
    Victim,
    after_abort,
    after_success,
    choose_victim,
    exempt_of,
)
from comity.mechanisms.deadlock.waiting import WaitForGraph

__all__ = [
    "RULE",
    "Admission",
    "Claimed",
    "Cycle",
    "Deadlock",
    "DeadlockRules",
    "Fence",
    "LockOrders",
    "NoDeadlock",
    "QueueWaits",
    "Reduction",
    "Standing",
    "Victim",
    "Wait",
    "WaitForGraph",
    "admit",
    "after_abort",
    "after_success",
    "check_orders",
    "choose_victim",
    "deadlock_rules_from_json",
    "deadlock_rules_to_json",
    "detect",
    "exempt_of",
    "find_cycle",
    "full_jitter",
    "hand_over",
    "in_order",
    "is_safe",
    "judge_request",
    "judge_wait",
    "reduce_requests",
    "violation",
    "waits_of",
]

RULE = (detect, deadlock_rules_from_json)
"""How a recorded session is decided: the rule, and the reading of its recorded rules."""
