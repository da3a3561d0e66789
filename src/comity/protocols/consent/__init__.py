"""Consent: advocates with one priority each negotiate until all consent, or say why not.

Here: the consent protocol as a pure machine, its text grammar, red lines and document.
Not here: who answers (agents/), the loop (runner/).
Sources: SEMANTICS C1-C9.
"""

from comity.protocols.consent.machine import start, step
from comity.protocols.consent.rules import rules_from_json

MACHINE = (start, step, rules_from_json)
