"""Comity: how do parties that disagree settle it while nobody is in charge?

Here: the names most callers need, each loaded from its module at first use.
Not here: any code of its own; `import comity` loads nothing else of the package.
Sources: ARCHITECTURE, "Dependencies"; PEP 562.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comity.formats.past_votes import independence
    from comity.mechanisms.bargaining import bargain, schedules_for, zopa
    from comity.mechanisms.voting import (
        Election,
        TieBreak,
        approval,
        borda,
        compare,
        condorcet,
        coombs,
        copeland,
        debian,
        explain,
        irv,
        kemeny,
        majority,
        minimax,
        plurality,
        quorum,
        ranked_pairs,
        rule_named,
        schulze,
        score,
        star,
        stv,
        supermajority,
        tally,
    )

__all__ = [
    "Election",
    "TieBreak",
    "__version__",
    "approval",
    "bargain",
    "borda",
    "compare",
    "condorcet",
    "coombs",
    "copeland",
    "debian",
    "explain",
    "independence",
    "irv",
    "kemeny",
    "majority",
    "minimax",
    "plurality",
    "quorum",
    "ranked_pairs",
    "rule_named",
    "schedules_for",
    "schulze",
    "score",
    "star",
    "stv",
    "supermajority",
    "tally",
    "zopa",
]

__version__ = "0.1.0"

# Public name -> the module it lives in. tests/test_house.py compares it with the two lists above.
_LAZY = {
    "Election": "comity.mechanisms.voting",
    "TieBreak": "comity.mechanisms.voting",
    "approval": "comity.mechanisms.voting",
    "bargain": "comity.mechanisms.bargaining",
    "borda": "comity.mechanisms.voting",
    "compare": "comity.mechanisms.voting",
    "condorcet": "comity.mechanisms.voting",
    "coombs": "comity.mechanisms.voting",
    "copeland": "comity.mechanisms.voting",
    "debian": "comity.mechanisms.voting",
    "explain": "comity.mechanisms.voting",
    "independence": "comity.formats.past_votes",
    "irv": "comity.mechanisms.voting",
    "kemeny": "comity.mechanisms.voting",
    "majority": "comity.mechanisms.voting",
    "minimax": "comity.mechanisms.voting",
    "plurality": "comity.mechanisms.voting",
    "quorum": "comity.mechanisms.voting",
    "ranked_pairs": "comity.mechanisms.voting",
    "rule_named": "comity.mechanisms.voting",
    "schedules_for": "comity.mechanisms.bargaining",
    "schulze": "comity.mechanisms.voting",
    "score": "comity.mechanisms.voting",
    "star": "comity.mechanisms.voting",
    "stv": "comity.mechanisms.voting",
    "supermajority": "comity.mechanisms.voting",
    "tally": "comity.mechanisms.voting",
    "zopa": "comity.mechanisms.bargaining",
}


def __getattr__(name: str) -> object:
    """Load a public name from its module and keep it."""
    if name not in _LAZY:
        raise AttributeError(f"module 'comity' has no attribute {name!r}", name=name, obj=None)
    value: object = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, loaded or not."""
    return sorted({*globals(), *__all__})
