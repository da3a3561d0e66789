"""Claims: a desk where exclusive things are claimed, won, held for a while and given back.

Here: the rules of a desk, its events, the desk itself, what it answers, also for the second time.
Not here: the clock, the seeds and the ledger (runner/arbiter.py), who wins
(mechanisms/arbitration), who waits in a circle (mechanisms/deadlock).
Sources: SEMANTICS R1, R2, R7, L1, L2.
"""

from comity.protocols.claims.answers import Answer, Status
from comity.protocols.claims.books import Books
from comity.protocols.claims.clocks import clock_fault
from comity.protocols.claims.desk import Desk
from comity.protocols.claims.events import Event, conflict_body, conflict_of
from comity.protocols.claims.giving import reading_at
from comity.protocols.claims.passing import read_clock
from comity.protocols.claims.retelling import (
    claim_again,
    conflict_again,
    kept_for,
    release_again,
    words_of,
)
from comity.protocols.claims.rules import DeskRules, desk_rules_from_json, desk_rules_to_json
from comity.protocols.claims.standing import (
    Standing,
    Tally,
    Wanted,
    lease_faults,
    length_faults,
    name_faults,
)

__all__ = [
    "Answer",
    "Books",
    "Desk",
    "DeskRules",
    "Event",
    "Standing",
    "Status",
    "Tally",
    "Wanted",
    "claim_again",
    "clock_fault",
    "conflict_again",
    "conflict_body",
    "conflict_of",
    "desk_rules_from_json",
    "desk_rules_to_json",
    "kept_for",
    "lease_faults",
    "length_faults",
    "name_faults",
    "read_clock",
    "reading_at",
    "release_again",
    "words_of",
]
