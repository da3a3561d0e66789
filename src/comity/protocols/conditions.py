"""Conditions: do words that stand beside an assent take it back, or make it depend on something?

Here: how such words begin; both grammars ask it of what stands below and beside an assent.
Not here: which words stand there (review/doubts.py, consent/markers.py).
Sources: SEMANTICS W1, C2 (assent is exact; silence and doubt are none).
"""

from __future__ import annotations

import re

__all__ = ["goes_on", "is_half", "sets_condition"]

_CONDITIONS = (
    r"only\s+(?:if|once|when|after|with|until|as|on|for)|provided|providing|unless|pending"
    r"|subject\s+to|on\s+(?:the\s+)?condition|conditional\w*|conditions?|conditioned|assuming"
    r"|not\s+(?:before|until|yet|unless|really)|except|contingent|caveats?|prerequisites?"
    r"|as\s+(?:soon|long)\s+as|just\s+kidding|withdrawn|retracted|do\s+not|don['\u2019]t"
    r"|must\s+not"
)
_SETS_CONDITION = re.compile(rf"\W{{0,40}}(?:{_CONDITIONS})\b", re.IGNORECASE)
_GOES_ON = re.compile(
    rf"\W{{0,40}}(?:{_CONDITIONS}|but|however|though|although|or|not|this\s+vote|i\s+have\s+not)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"\b(?:never|not|cannot|nobody|no\s+one|can['’]t|don['’]t|won['’]t|wouldn['’]t|would|will"
    r"|unless|until|if|when|either|under\s+no)\b",
    re.IGNORECASE,
)
_LONGEST_LINE = 300  # the end of the line above that is looked at


def sets_condition(text: str) -> bool:
    """Tell whether a text begins by setting a condition.

    Args:
        text: a reason, a note, a line.

    Returns:
        True for ``only once ...``, ``provided ...``, ``not before ...`` and the like.

    Example:
        >>> sets_condition("not before the limit is there"), sets_condition("Only one file")
        (True, False)
    """
    return _SETS_CONDITION.match(text) is not None


def goes_on(text: str) -> bool:
    """Tell whether a line goes on with an assent above it: a condition, an objection, an ``or``.

    Args:
        text: the line below the assent.

    Returns:
        True when the assent is in doubt.

    Example:
        >>> goes_on("(but only with a limit)"), goes_on("Details follow.")
        (True, False)
    """
    return _GOES_ON.match(text) is not None


def is_half(line: str) -> bool:
    """Tell whether a line may go on in the line below it, and change what that says.

    Args:
        line: the line above an assent, as written.

    Returns:
        True for an open quote, and for an unfinished sentence with a denial or a condition.

    Example:
        >>> is_half("Under no circumstances would I say"), is_half("Looks good to me")
        (True, False)
    """
    raw = line.strip()
    if raw.count('"') % 2 or raw.count("`") % 2:
        return True
    ended = raw.rstrip("*_`\"' ")[-1:] in set(".!?:;)]\u2026")
    return not ended and _UNFINISHED.search(raw[-_LONGEST_LINE:]) is not None
