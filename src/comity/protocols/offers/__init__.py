"""Offers: live bargaining over several issues, in which nobody has to do arithmetic.

Here: bargaining as a pure machine, its text grammar, its brief, its results.
Not here: who answers (agents/), the loop (runner/), values and solutions (mechanisms/bargaining).
Sources: SEMANTICS M2, M5, B5, B7, B9, G8, G9.
"""

from comity.protocols.offers.machine import start, step
from comity.protocols.offers.opening import rules_from_json

MACHINE = (start, step, rules_from_json)
