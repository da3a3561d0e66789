"""Comity: how do parties that disagree settle it while nobody is in charge?

Here: the names most callers need, each loaded from its module at first use.
Not here: any code of its own; `import comity` loads nothing else of the package.
Sources: ARCHITECTURE, "Dependencies"; PEP 562.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comity.formats.issues import read_problem
    from comity.formats.past_votes import independence
    from comity.mechanisms.arbitration import Policy, resolve
    from comity.mechanisms.auctions import vickrey
    from comity.mechanisms.bargaining import bargain, schedules_for, zopa
    from comity.mechanisms.bargaining.assessment import assess
    from comity.mechanisms.bargaining.constraints import constraints_of
    from comity.mechanisms.bargaining.domain import domain_of
    from comity.mechanisms.bargaining.frontier import frontier
    from comity.mechanisms.bargaining.mediator import mediate
    from comity.mechanisms.bargaining.preferences import additive
    from comity.mechanisms.bargaining.problem import Bargainer, problem_of
    from comity.mechanisms.bargaining.several import negotiate_issues
    from comity.mechanisms.bargaining.solutions import solution, solutions
    from comity.mechanisms.bargaining.valuations import computed, tabled
    from comity.mechanisms.deadlock import find_cycle
    from comity.mechanisms.sharing import share
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
    from comity.protocols.claims import DeskRules
    from comity.runner.acquiring import acquire
    from comity.runner.arbiter import Arbiter
    from comity.runner.recording import record_conflict
    from comity.session.advice import advise, open_questions

__all__ = [
    "Arbiter",
    "Bargainer",
    "DeskRules",
    "Election",
    "Policy",
    "TieBreak",
    "__version__",
    "acquire",
    "additive",
    "advise",
    "approval",
    "assess",
    "bargain",
    "borda",
    "compare",
    "computed",
    "condorcet",
    "constraints_of",
    "coombs",
    "copeland",
    "debian",
    "domain_of",
    "explain",
    "find_cycle",
    "frontier",
    "independence",
    "irv",
    "kemeny",
    "majority",
    "mediate",
    "minimax",
    "negotiate_issues",
    "open_questions",
    "plurality",
    "problem_of",
    "quorum",
    "ranked_pairs",
    "read_problem",
    "record_conflict",
    "resolve",
    "rule_named",
    "schedules_for",
    "schulze",
    "score",
    "share",
    "solution",
    "solutions",
    "star",
    "stv",
    "supermajority",
    "tabled",
    "tally",
    "vickrey",
    "zopa",
]

__version__ = "0.1.0"

# Public name -> the module it lives in. tests/test_house.py compares it with the two lists above.
_LAZY = {
    "Arbiter": "comity.runner.arbiter",
    "Bargainer": "comity.mechanisms.bargaining.problem",
    "DeskRules": "comity.protocols.claims",
    "Election": "comity.mechanisms.voting",
    "Policy": "comity.mechanisms.arbitration",
    "TieBreak": "comity.mechanisms.voting",
    "acquire": "comity.runner.acquiring",
    "additive": "comity.mechanisms.bargaining.preferences",
    "advise": "comity.session.advice",
    "approval": "comity.mechanisms.voting",
    "assess": "comity.mechanisms.bargaining.assessment",
    "bargain": "comity.mechanisms.bargaining",
    "borda": "comity.mechanisms.voting",
    "compare": "comity.mechanisms.voting",
    "computed": "comity.mechanisms.bargaining.valuations",
    "condorcet": "comity.mechanisms.voting",
    "constraints_of": "comity.mechanisms.bargaining.constraints",
    "coombs": "comity.mechanisms.voting",
    "copeland": "comity.mechanisms.voting",
    "debian": "comity.mechanisms.voting",
    "domain_of": "comity.mechanisms.bargaining.domain",
    "explain": "comity.mechanisms.voting",
    "find_cycle": "comity.mechanisms.deadlock",
    "frontier": "comity.mechanisms.bargaining.frontier",
    "independence": "comity.formats.past_votes",
    "irv": "comity.mechanisms.voting",
    "kemeny": "comity.mechanisms.voting",
    "majority": "comity.mechanisms.voting",
    "mediate": "comity.mechanisms.bargaining.mediator",
    "minimax": "comity.mechanisms.voting",
    "negotiate_issues": "comity.mechanisms.bargaining.several",
    "open_questions": "comity.session.advice",
    "plurality": "comity.mechanisms.voting",
    "problem_of": "comity.mechanisms.bargaining.problem",
    "quorum": "comity.mechanisms.voting",
    "ranked_pairs": "comity.mechanisms.voting",
    "read_problem": "comity.formats.issues",
    "record_conflict": "comity.runner.recording",
    "resolve": "comity.mechanisms.arbitration",
    "rule_named": "comity.mechanisms.voting",
    "schedules_for": "comity.mechanisms.bargaining",
    "schulze": "comity.mechanisms.voting",
    "score": "comity.mechanisms.voting",
    "share": "comity.mechanisms.sharing",
    "solution": "comity.mechanisms.bargaining.solutions",
    "solutions": "comity.mechanisms.bargaining.solutions",
    "star": "comity.mechanisms.voting",
    "stv": "comity.mechanisms.voting",
    "supermajority": "comity.mechanisms.voting",
    "tabled": "comity.mechanisms.bargaining.valuations",
    "tally": "comity.mechanisms.voting",
    "vickrey": "comity.mechanisms.auctions",
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
