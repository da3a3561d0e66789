"""Collect: a live vote that a hung voter cannot hold up.

Here: the vote as a pure machine, its text grammar, its brief, the person behind it.
Not here: who answers (agents/), the loop (runner/), the rules that count (mechanisms/voting).
Sources: SEMANTICS V1, V7, V8, G8, G9.
"""

from comity.protocols.collect.machine import start, step
from comity.protocols.collect.opening import rules_from_json

MACHINE = (start, step, rules_from_json)
