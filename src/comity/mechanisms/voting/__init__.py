"""Voting: several answers, one decision.

Here: ballots, elections, every rule that counts them, how firm a result is.
Not here: asking the voters (protocols/collect.py), files (formats/).
Sources: SEMANTICS V1-V10.
"""

from comity.mechanisms.voting.ballots import BallotKind
from comity.mechanisms.voting.beatpaths import ranked_pairs, schulze
from comity.mechanisms.voting.condorcet import condorcet, copeland, minimax
from comity.mechanisms.voting.debian import debian
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.elimination import coombs, irv
from comity.mechanisms.voting.explain import Comparison, Explanation, compare, explain
from comity.mechanisms.voting.kemeny import kemeny
from comity.mechanisms.voting.margin import MarginOfVictory
from comity.mechanisms.voting.positional import approval, borda, plurality, score, star
from comity.mechanisms.voting.quorum import QuorumVerdict, quorum
from comity.mechanisms.voting.reading import Invalid, Line
from comity.mechanisms.voting.registry import RULES, rule_named, tally
from comity.mechanisms.voting.results import (
    Count,
    Round,
    VoteBlocked,
    VoteChoice,
    VoteNoDecision,
    VoteNoQuorum,
    VoteVerdict,
)
from comity.mechanisms.voting.stv import stv
from comity.mechanisms.voting.supermajority import supermajority
from comity.mechanisms.voting.threshold import majority
from comity.mechanisms.voting.tie_breaking import TieBreak

__all__ = [
    "RULES",
    "BallotKind",
    "Comparison",
    "Count",
    "Election",
    "Explanation",
    "Invalid",
    "Line",
    "MarginOfVictory",
    "QuorumVerdict",
    "Round",
    "TieBreak",
    "VoteBlocked",
    "VoteChoice",
    "VoteNoDecision",
    "VoteNoQuorum",
    "VoteVerdict",
    "approval",
    "borda",
    "compare",
    "condorcet",
    "coombs",
    "copeland",
    "debian",
    "explain",
    "irv",
    "kemeny",
    "majority",
    "minimax",
    "plurality",
    "quorum",
    "ranked_pairs",
    "rule_named",
    "schulze",
    "score",
    "star",
    "stv",
    "supermajority",
    "tally",
]
