"""Advice table: which mechanism is for which answers?

Here: the rows, each with the answers it is for, the reason, the command, the second best.
Not here: the questions and the reading of answers (advice.py), what each mechanism costs
(mechanism_facts.py).
Sources: the article: "neither party can impose an outcome. If one can, you do not have a
negotiation"; auctions for many bidders, consensus for one answer, ageing for what is claimed
again and again, a wait-for graph for deadlock. SEMANTICS A1, B2, C1, D1, L1, R1, V1, W1.

No two rows are for the same answers and no answers are left out, so the order of the rows decides
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from comity.session.mechanism_facts import MECHANISMS

__all__ = ["ROWS", "Row"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the table: for these answers, this advice.

    Attributes:
        imposes: answers to the first question; never empty.
        stake: answers to the second; empty for all.
        values: answers to the third; empty for all.
        consent: answers to the fourth; empty for all.
        use: the name of the mechanism.
        why: the reason.
        run: the command to try first, where it is not the mechanism's own.
        second: the name of the second best.
        second_why: when to take it instead.
        second_run: the command to try for it, where it is not the mechanism's own.
    """

    imposes: tuple[str, ...] = ("nobody",)
    stake: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    consent: tuple[str, ...] = ()
    use: str
    why: str
    run: str = ""
    second: str
    second_why: str
    second_run: str = ""


_WINS = "comity watch examples/campaigns/claims.csv"
_NASH = f"{MECHANISMS['share'].run} --objective nash"

# --- somebody can impose ---------------------------------------------------------------------

_BOSS = ("supervisor",)

_IMPOSED = (
    Row(
        imposes=("side",),
        use="assignment",
        why="Rounds would be theatre before what that side decides anyway.",
        second="debate",
        second_why="if it does not know enough: let the others argue first, then it decides",
    ),
    Row(
        imposes=_BOSS,
        stake=("choice",),
        values=("yes",),
        use="assignment",
        why="Ask each for its values, take the option with the greatest sum, and say so.",
        second="vote",
        second_why="if what the supervisor decides has to be carried by all",
    ),
    Row(
        imposes=_BOSS,
        stake=("choice",),
        values=("no",),
        use="debate",
        why="The numbers say nothing, so let the sides bring evidence before the supervisor "
        "decides: for a number of rounds said beforehand, to inform it and not to agree.",
        second="vote",
        second_why="if they know as much as the judge, and err independently",
    ),
    Row(
        imposes=_BOSS,
        stake=("amount",),
        use="assignment",
        why="The supervisor hands out the amount; compute the split by gain before imposing one.",
        run=MECHANISMS["share"].run,
        second="share",
        second_why="if the same rule is to split it every day",
    ),
    Row(
        imposes=_BOSS,
        stake=("turns",),
        use="assignment",
        why="The supervisor says whose turn it is; a priority imposed once and for ever starves "
        "the lowest, so look at the wins.",
        run=_WINS,
        second="claim",
        second_why="if nobody will look at the wins every week: there the bound is proved",
    ),
    Row(
        imposes=_BOSS,
        stake=("once",),
        use="assignment",
        why="The supervisor gives it to whom it is worth most.",
        run=MECHANISMS["auction"].run,
        second="auction",
        second_why="if the supervisor does not know what it is worth to each",
    ),
    Row(
        imposes=_BOSS,
        stake=("price",),
        use="assignment",
        why="The supervisor names a price between the two reservations.",
        run=MECHANISMS["negotiate a price"].run,
        second="negotiate a price",
        second_why="if the two do not tell it their reservations",
    ),
    Row(
        imposes=_BOSS,
        stake=("issues",),
        use="assignment",
        why="The supervisor names a deal; take an efficient one, as a mediator who knows all "
        "values would.",
        run=f"{MECHANISMS['negotiate several issues'].run} --protocol mediated",
        second="negotiate several issues",
        second_why="if the parties do not tell it their values",
    ),
    Row(
        imposes=_BOSS,
        stake=("work",),
        use="pipeline",
        why="The supervisor sets the order of the stages once; then each decides its own part.",
        second="review",
        second_why="if a later stage must be able to send work back",
    ),
    Row(
        imposes=_BOSS,
        stake=("waiting",),
        use="deadlock check",
        why="Find who waits for whom; the supervisor ends a cycle by taking something from one.",
        second="claim",
        second_why="if waits come from one thing at a time: leases end them by themselves",
    ),
)

# --- nobody can ------------------------------------------------------------------------------

_FREE = (
    Row(
        stake=("choice",),
        consent=("majority",),
        use="vote",
        why="All want one answer and a majority may bind the rest.",
        second="negotiate to consent",
        second_why="if those who lose could hold up what follows",
    ),
    Row(
        stake=("choice",),
        consent=("all",),
        use="negotiate to consent",
        why="Each can object, so the draft changes until none does.",
        second="vote",
        second_why="as what takes over when no consent is reached, agreed on beforehand",
    ),
    Row(
        stake=("amount",),
        values=("yes",),
        use="share",
        why="Gains can be compared, so the amount goes where it gains most; let all agree on the "
        "objective, not on each split.",
        second="auction",
        second_why="if reports cannot be trusted and what they get can be charged for",
    ),
    Row(
        stake=("amount",),
        values=("no",),
        consent=("majority",),
        use="share",
        why="Gains in different units can still be split: the Nash objective needs no common one.",
        run=_NASH,
        second="vote",
        second_why="over two or three splits, if nobody can state a gain at all",
    ),
    Row(
        stake=("amount",),
        values=("no",),
        consent=("all",),
        use="negotiate to consent",
        why="Without gains that can be compared only what all accept is left.",
        second="share",
        second_why="by the Nash objective, if each can state its own gain in any unit",
        second_run=_NASH,
    ),
    Row(
        stake=("turns",),
        use="claim",
        why="What is won again and again needs turns with a bound, not a priority for ever; let "
        "all agree on priorities and c once.",
        second="auction",
        second_why="with credits that are refilled each period, if what it is worth changes",
    ),
    Row(
        stake=("once",),
        values=("yes",),
        use="auction",
        why="In one sale the second price makes the true value the best bid.",
        second="claim",
        second_why="if there is no money or credit to pay with",
    ),
    Row(
        stake=("once",),
        values=("no",),
        consent=("majority",),
        use="claim",
        why="Bids would compare what cannot be compared; priorities and a recorded lot among "
        "equals can decide one conflict too.",
        second="vote",
        second_why="if the others know better than the claimants who should have it",
    ),
    Row(
        stake=("once",),
        values=("no",),
        consent=("all",),
        use="negotiate to consent",
        why="Who goes without must consent, so it needs something in return.",
        second="claim",
        second_why="if all consent to a lot",
    ),
    Row(
        stake=("price",),
        use="negotiate a price",
        why="A price needs both sides, so no majority makes one; look for the zone first.",
        second="auction",
        second_why="if there is more than one buyer, or more than one seller",
    ),
    Row(
        stake=("issues",),
        values=("yes",),
        consent=("all",),
        use="negotiate several issues",
        why="Each can give what is cheap to it and dear to another; the efficient deals can be "
        "computed.",
        second="negotiate to consent",
        second_why="if terms are written as they talk",
    ),
    Row(
        stake=("issues",),
        values=("no",),
        consent=("all",),
        use="negotiate to consent",
        why="What matters is said in priorities and red lines, so terms are traded in words.",
        second="negotiate several issues",
        second_why="if each can put a number on its own options; units may differ",
    ),
    Row(
        stake=("issues",),
        consent=("majority",),
        use="vote",
        why="Vote on whole deals: issue by issue a majority can choose what a majority rejects.",
        second="negotiate several issues",
        second_why="first, to find the deals that are worth a vote",
    ),
    Row(
        stake=("work",),
        use="review",
        why="Work is not split or sold: it is revised until those who must pass it do, and a "
        "block says what it needs.",
        second="vote",
        second_why="if nobody is there to revise: yes or no, once",
    ),
    Row(
        stake=("waiting",),
        use="deadlock check",
        why="Nobody has to agree on a fact: build the graph, find the cycle, let a rule name who "
        "gives way.",
        second="claim",
        second_why="if waits come from one thing at a time: leases end them by themselves",
    ),
)

ROWS = (*_IMPOSED, *_FREE)
"""All rows: every combination of answers fits exactly one."""
