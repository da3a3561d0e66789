"""Plain faults: what is wrong with an auction, a budget or waits, in the words of their files?

Here: faults of the rules, told without the words of Python.
Not here: the rules and what they refuse (mechanisms/), what an auction's file lacks
(auction_arguments.py).
Sources: SEMANTICS G7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from comity.core.errors import Fault

__all__ = ["CALLED", "in_plain_words"]

CALLED: Mapping[str, str] = {
    "second_price": "second-price",
    "first_price": "first-price",
    "uniform_price": "uniform-price",
    "multi_unit_vcg": "multi-unit-vcg",
    "combinatorial_vcg": "vcg",
    "mcafee": "mcafee",
    "double_vcg": "double-vcg",
}
"""An auction's name -> what the command line calls it."""

_SAID = (
    (re.compile(rf"\b({'|'.join(CALLED)})\b"), lambda found: CALLED[found[0]]),
    (re.compile("a finite int, Decimal or Fraction, or text such as"), "a number such as"),
    (re.compile("True or False"), "true or false"),
    (
        re.compile("set concavify to take (.*), or share on a grid"),
        r"write concavify = true to take \1",
    ),
)


def in_plain_words(faults: Iterable[Fault]) -> list[Fault]:
    """Return faults in the words of files and the command line.

    Args:
        faults: as the rules tell them.

    Example:
        >>> fault = Fault("bids", "hold items", "items under combinatorial_vcg", "leave them out")
        >>> in_plain_words([fault])[0].allowed
        'items under vcg'
    """
    found = []
    for fault in faults:
        told = {"what": fault.what, "allowed": fault.allowed, "next": fault.next}
        for pattern, words in _SAID:
            told = {name: pattern.sub(words, text) for name, text in told.items()}
        found.append(replace(fault, **told))
    return found
