"""Review: reviewers approve or block with a reason, and blocks cannot go round for ever.

Here: the review as a pure machine, its text grammar, its presets, the person behind it, the same
call by call for replies that somebody else collected.
Not here: who answers (agents/), the loop (runner/), what is shown (render/).
Sources: SEMANTICS W1-W6.
"""

from comity.protocols.review.machine import start, step
from comity.protocols.review.opening import rules_from_json

MACHINE = (start, step, rules_from_json)
