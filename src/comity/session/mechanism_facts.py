"""Mechanism facts: which mechanisms are there, what does each cost, and when does it fail?

Here: every mechanism as one row: who can impose, messages and rounds, exactness, who can
manipulate it, what it needs, when it fails, the command to try first.
Not here: which of them answers a question (advice.py), the mechanisms themselves.
Sources: the article's section on where negotiation sits among the patterns; SEMANTICS §1 to §9;
Smit et al. 2023 (arXiv 2311.17371) on debate; Gibbard 1973, Satterthwaite 1975 on votes;
Vickrey 1961 on bids.

n counts the parties, T rounds at most, r rounds said beforehand, k units that are won at once,
P − p how far an agent stands below the highest priority. A message is one thing that one party
hands in or is told at the end; questions that ask for it are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from comity.core.canonical import JsonObject

__all__ = ["MECHANISMS", "Mechanism"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """What a person should know of a mechanism before choosing it.

    Attributes:
        name: how the table calls it.
        title: how a sentence calls it.
        does: what it does.
        imposes: who can impose the outcome.
        messages: how many messages, as a formula of n.
        rounds: how many rounds.
        exact: how exact its answer is.
        manipulates: who can manipulate it, and how.
        needs: what it cannot do without.
        fails: when it fails.
        run: the command to try first: on a shipped example, or on a text of one's own.

    Example:
        >>> MECHANISMS["assignment"].rounds
        '0'
    """

    name: str
    title: str
    does: str
    imposes: str
    messages: str
    rounds: str
    exact: str
    manipulates: str
    needs: str
    fails: str
    run: str

    def to_json(self) -> JsonObject:
        """Return its name, what it costs and when it fails, as JSON."""
        return {
            "mechanism": self.name,
            "title": self.title,
            "does": self.does,
            "imposes": self.imposes,
            "messages": self.messages,
            "rounds": self.rounds,
            "exact": self.exact,
            "manipulates": self.manipulates,
            "needs": self.needs,
            "fails": self.fails,
        }


_LISTED = (
    Mechanism(
        name="assignment",
        title="an assignment",
        does="whoever can impose the outcome says it",
        imposes="one side, or a supervisor",
        messages="n, one to each",
        rounds="0",
        exact="as exact as what the one that decides knows",
        manipulates="whoever tells the one that decides what it is to believe",
        needs="somebody whose word holds and who knows enough",
        fails="repeated without a look at who wins, it starves somebody for ever",
        run="comity compare examples/ballots-lunch.csv",
    ),
    Mechanism(
        name="pipeline",
        title="a pipeline",
        does="each stage decides its own part and hands the work on",
        imposes="each stage over its part, a supervisor over their order",
        messages="n − 1 for n stages",
        rounds="0, one pass",
        exact="each part is decided once, and nothing is weighed against anything",
        manipulates="an early stage, by what it leaves for the later ones",
        needs="a fixed order of stages and work that only goes forward",
        fails="an early mistake is carried to the end; the slowest stage sets the pace",
        run="comity deadlock examples/waits.csv",
    ),
    Mechanism(
        name="debate",
        title="a debate before a judge",
        does="the sides argue for a fixed number of rounds, then a judge decides",
        imposes="the judge, once it has heard the sides",
        messages="n·r + 1",
        rounds="r, said beforehand",
        exact="no: arguments are weighed, not counted",
        manipulates="the better talker, whoever speaks last",
        needs="a judge whose word holds, and evidence that could change its mind",
        fails="sides of one model take over each other's answers, right ones too",
        run="comity independence examples/judges.csv",
    ),
    Mechanism(
        name="auction",
        title="an auction",
        does="sealed bids; the highest wins and pays the second highest, or the reserve",
        imposes="nobody",
        messages="2n, a bid and an answer each",
        rounds="1",
        exact="yes: the highest value wins when bids are honest, and equals draw a lot",
        manipulates="nobody alone in a single sale; a ring or several identities can",
        needs="values in one unit, sealed bids, a reserve that is said",
        fails="a sole bidder sets no price; sold again and again, the rich win every time",
        run="comity auction examples/auction.toml",
    ),
    Mechanism(
        name="share",
        title="a split by gain",
        does="splits the amount by what each gains from it",
        imposes="nobody",
        messages="2n, a gain curve and a share each",
        rounds="1",
        exact="yes: whole minor units that add up",
        manipulates="whoever overstates its gain, unless it is charged or measured",
        needs="a concave gain curve from each; one unit only for the greatest sum",
        fails="minima that do not fit; a gain that only starts at some amount",
        run="comity share examples/budget.toml",
    ),
    Mechanism(
        name="claim",
        title="claims that never starve",
        does="the highest priority plus c for every loss in a row wins; equals draw a lot",
        imposes="nobody",
        messages="2n + k a conflict: a claim and an answer each, a release for each unit",
        rounds="1 a conflict; at most ⌊(P − p)/c⌋ + ⌈n/k⌉ − 1 lost in a row",
        exact="yes: whole numbers or fractions, and a proved bound",
        manipulates="whoever claims under several names, or what it does not need",
        needs="one lasting name for each agent and a record that survives restarts",
        fails="c = 0, a low cap or a new name for each run; it gives turns, not shares",
        run="comity claim budget --agent A --priority 3",
    ),
    Mechanism(
        name="vote",
        title="a vote",
        does="each says what it prefers, and a rule that was agreed on counts",
        imposes="nobody alone; the majority binds the rest",
        messages="2n, a ballot and the result each",
        rounds="1",
        exact="yes: exact counts, and a tie is an outcome",
        manipulates="who votes otherwise than it thinks, who chooses the options or the rule",
        needs="roster, options, rule and threshold fixed before the first ballot",
        fails="voters of one model and prompt count for fewer than they are; a minority is bound",
        run="comity vote examples/vote.toml",
    ),
    Mechanism(
        name="negotiate a price",
        title="a negotiation over a price",
        does="two concede from their openings until they meet",
        imposes="nobody: each can walk away",
        messages="2 a round, at most 2(T + 1)",
        rounds="at most T",
        exact="yes: the price follows from openings, schedules and the named convention",
        manipulates="both: who concedes slower gains more",
        needs="a zone between the reservations and one deadline for both",
        fails="no zone, no deal; of unequal deadlines the shorter pays",
        run="comity run examples/price.toml",
    ),
    Mechanism(
        name="negotiate several issues",
        title="a negotiation over several issues",
        does="offers over all issues at once, until all accept the same deal",
        imposes="nobody: each can refuse",
        messages="n a round, at most n·T",
        rounds="at most T",
        exact="yes: the efficient deals and every tie among them are known",
        manipulates="each, by holding out or hiding what is cheap to it",
        needs="from each a value for every option, and the worth of no deal",
        fails="an efficient deal need not be fair; without overlap there is none",
        run="comity bargain examples/rollout.toml",
    ),
    Mechanism(
        name="negotiate to consent",
        title="a negotiation to consent",
        does="advocates amend one draft until all consent to the same version",
        imposes="nobody: each can object",
        messages="2n or more, at most the turn limit (30)",
        rounds="one check or more; each change of the draft needs a new one",
        exact="red lines in numbers are checked by code, those in words by their owner",
        manipulates="who holds out longer, who says less about what it could give",
        needs="a priority and red lines from each, and something to trade",
        fails="one stubborn or hung seat holds it up: say what takes over then",
        run="comity negotiate examples/auth-protocol.toml",
    ),
    Mechanism(
        name="review",
        title="a review",
        does="reviewers approve, or block and say what would change that",
        imposes="nobody: each reviewer can block, until its block becomes a stated risk",
        messages="n a version",
        rounds="one a version; the third block for one concern becomes a risk",
        exact="votes are read by code; what cannot be read is never an approval",
        manipulates="who blocks for its taste, who waits until blocks become risks",
        needs="criteria for each role, and somebody who revises",
        fails="an absent reviewer leaves it waiting for a person",
        run="comity review PLAN.md --agent Planner=person --agent Architect=person "
        "--agent Critic=person",
    ),
    Mechanism(
        name="deadlock check",
        title="a deadlock check",
        does="finds a shortest cycle of waits and names who gives way",
        imposes="nobody needs to: the victim follows from a rule",
        messages="one for each wait",
        rounds="0",
        exact="yes: every group that waits for itself is found, and no other",
        manipulates="who reports a wait that it does not have, or hides one",
        needs="every wait of every kind in one graph",
        fails="a graph that nobody fills shows nothing; a fixed order of locks prevents all",
        run="comity deadlock examples/waits.csv",
    ),
)

MECHANISMS: Mapping[str, Mechanism] = MappingProxyType({one.name: one for one in _LISTED})
"""Name -> mechanism, those in which somebody can impose first."""
