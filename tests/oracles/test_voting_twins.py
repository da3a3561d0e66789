"""Voting twins: does every rule agree with its definition, written down a second time, naively?

Here: each rule again in dicts, permutations and Fractions from the books' definitions, and random
elections with equal ranks, short ballots, abstentions and fractional weights.
Not here: other people's programs (test_pref_voting.py), real votes (test_debian_votes.py).
Sources: SEMANTICS V3-V6, G5; Borda 1784, Copeland 1951, Kemeny 1959, Schulze 2011, Tideman 1987,
Coombs 1964. Nothing here is copied from src/, and nothing there is used to count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, groupby, pairwise, permutations
from random import Random
from typing import Any, NamedTuple

import pytest

from comity.mechanisms import voting
from comity.mechanisms.voting import Election, VoteNoDecision, VoteNoQuorum

HALF = Fraction(1, 2)
QUICK = 300  # elections per case
FULL = 20_000  # elections per rule, shared out over its cases

Votes = list[tuple[Fraction, Any]]
Duels = dict[tuple[str, str], Fraction]


class Answer(NamedTuple):
    """What a twin says: who wins or ties, and the tally where the rule has one."""

    best: set[str]
    tally: dict[str, Any] | None = None


# --- reading ballots -------------------------------------------------------------------------


def places(ballot: Any) -> dict[str, Any]:
    """Return option -> place for those that a ballot ranks; smaller is better."""
    if isinstance(ballot, dict):
        return {name: -Fraction(str(value)) for name, value in ballot.items()}
    if isinstance(ballot, set):
        return dict.fromkeys(ballot, 0)
    if isinstance(ballot, str):
        return {ballot: 0}
    found = {}
    for place, group in enumerate(ballot):
        for name in [group] if isinstance(group, str) else group:
            found[name] = place
    return found


def firsts(votes: Votes, standing: Iterable[str]) -> tuple[dict[str, Fraction], Fraction]:
    """Return each option's share of top places, and the weight that has a top at all."""
    return ends(votes, standing, lambda mine, left: min(mine.values()))


def lasts(votes: Votes, standing: Iterable[str]) -> tuple[dict[str, Fraction], Fraction]:
    """Return each option's share of last places; who is left out is last."""

    def worst(mine: dict[str, Any], left: list[str]) -> Any:
        return None if set(left) - set(mine) else max(mine.values())

    return ends(votes, standing, worst)


def ends(
    votes: Votes, standing: Iterable[str], which: Callable[[dict[str, Any], list[str]], Any]
) -> tuple[dict[str, Fraction], Fraction]:
    left = sorted(standing)
    shares = dict.fromkeys(left, Fraction(0))
    counted = Fraction(0)
    for weight, ballot in votes:
        mine = {name: at for name, at in places(ballot).items() if name in shares}
        if mine:
            counted += weight
            at = which(mine, left)
            hit = [name for name in left if mine.get(name) == at]
            for name in hit:
                shares[name] += weight / len(hit)
    return shares, counted


def duels(votes: Votes, options: Sequence[str], unranked: str = "last") -> Duels:
    found: Duels = {}
    for one, other in permutations(options, 2):
        found[one, other] = Fraction(0)
        for weight, ballot in votes:
            at = places(ballot)
            if one in at and other in at:
                found[one, other] += weight if at[one] < at[other] else 0
            elif one in at and unranked == "last":
                found[one, other] += weight
    return found


def most(tally: dict[str, Any]) -> set[str]:
    return {name for name, value in tally.items() if value == max(tally.values())}


def least(tally: dict[str, Any]) -> set[str]:
    return {name for name, value in tally.items() if value == min(tally.values())}


# --- points ----------------------------------------------------------------------------------


def twin_plurality(votes: Votes, options: Sequence[str]) -> Answer:
    tally, _ = firsts(votes, options)
    return Answer(most(tally), tally)


def twin_borda(votes: Votes, options: Sequence[str], unranked: str | None = None) -> Answer:
    tally = dict.fromkeys(options, Fraction(0))
    for weight, ballot in votes:
        groups = [[one] if isinstance(one, str) else list(one) for one in ballot]
        left = [name for name in options if all(name not in group for group in groups)]
        points = list(range(len(options)))  # 0 for the last place; popped from the best
        for group in groups:
            worth = [points.pop() for _ in group]
            for name in group:
                tally[name] += weight * Fraction(sum(worth), len(worth))
        for name in left if unranked == "last" else ():
            tally[name] += weight * Fraction(sum(points), len(points))
    return Answer(most(tally), tally)


def twin_approval(votes: Votes, options: Sequence[str]) -> Answer:
    tally = {name: sum((w for w, ballot in votes if name in ballot), Fraction(0))
             for name in options}  # fmt: skip
    return Answer(most(tally), tally)


def twin_score(votes: Votes, options: Sequence[str], measure: str = "sum") -> Answer:
    tally = {}
    for name in options:
        given = [(w, Fraction(str(ballot[name]))) for w, ballot in votes if name in ballot]
        total = sum((w * value for w, value in given), Fraction(0))
        weight = sum((w for w, _ in given), Fraction(0))
        tally[name] = total if measure == "sum" else (total / weight if weight else Fraction(0))
    return Answer(most(tally), tally)


def twin_star(votes: Votes, options: Sequence[str]) -> Answer:
    tally = twin_score(votes, options).tally
    assert tally is not None
    if len(options) == 1:
        return Answer(set(options), tally)
    wins = duels(votes, options)
    best: set[str] = set()
    for order in permutations(options):
        if all(tally[a] >= tally[b] for a, b in pairwise(order)):
            one, other = order[:2]
            lead = wins[one, other] - wins[other, one]
            best |= {one} if lead > 0 else {other} if lead < 0 else {one, other}
    return Answer(best, tally)


# --- duels -----------------------------------------------------------------------------------


def twin_condorcet(votes: Votes, options: Sequence[str], unranked: str = "last") -> Answer:
    wins = duels(votes, options, unranked)
    tally = {
        one: sum(wins[one, other] > wins[other, one] for other in options if other != one)
        for one in options
    }
    for size in range(1, len(options) + 1):
        for some in combinations(options, size):
            rest = [name for name in options if name not in some]
            if all(wins[one, other] > wins[other, one] for one in some for other in rest):
                return Answer(set(some), tally)
    raise AssertionError("all options together beat nobody outside")


def twin_copeland(votes: Votes, options: Sequence[str], unranked: str = "last") -> Answer:
    wins = duels(votes, options, unranked)
    tally = dict.fromkeys(options, Fraction(0))
    for one, other in permutations(options, 2):
        lead = wins[one, other] - wins[other, one]
        tally[one] += 1 if lead > 0 else HALF if lead == 0 else 0
    return Answer(most(tally), tally)


def twin_minimax(
    votes: Votes, options: Sequence[str], strength: str = "margins", unranked: str = "last"
) -> Answer:
    wins = duels(votes, options, unranked)
    tally = {}
    for name in options:
        bad = []
        for other in options:
            if other != name:
                against, mine = wins[other, name], wins[name, other]
                bad.append({
                    "margins": against - mine,
                    "winning_votes": against if against > mine else Fraction(0),
                    "opposition": against,
                }[strength])  # fmt: skip
        tally[name] = max(bad, default=Fraction(0))
    return Answer(least(tally), tally)


def strengths(wins: Duels, strength: str) -> Duels:
    """Return the defeats alone: winner, loser -> how strong."""
    return {
        (one, other): votes - wins[other, one] if strength == "margins" else votes
        for (one, other), votes in wins.items()
        if votes > wins[other, one]
    }


def twin_schulze(
    votes: Votes, options: Sequence[str], strength: str = "margins", unranked: str = "last"
) -> Answer:
    path = strengths(duels(votes, options, unranked), strength)
    for via, one, other in permutations(options, 3):  # Floyd and Warshall: via goes outermost
        through = min(path.get((one, via), Fraction(0)), path.get((via, other), Fraction(0)))
        path[one, other] = max(path.get((one, other), Fraction(0)), through)
    beats = {
        (one, other): path.get((one, other), Fraction(0)) > path.get((other, one), Fraction(0))
        for one, other in permutations(options, 2)
    }
    best = {name for name in options if not any(beats[o, name] for o in options if o != name)}
    tally = {name: sum(beats[name, o] for o in options if o != name) for name in options}
    return Answer(best, tally)


def twin_ranked_pairs(
    votes: Votes, options: Sequence[str], strength: str = "margins", unranked: str = "last"
) -> Answer:
    """Try every order in which equal defeats may stand in the list."""
    found = strengths(duels(votes, options, unranked), strength)
    ordered = sorted(found.items(), key=lambda item: item[1], reverse=True)
    graphs: set[frozenset[tuple[str, str]]] = {frozenset()}
    for _, group in groupby(ordered, key=lambda item: item[1]):
        pairs = [pair for pair, _ in group]
        graphs = {locked(graph, order) for graph in graphs for order in permutations(pairs)}
    best: set[str] = set()
    for graph in graphs:
        beaten = {loser for _, loser in graph}
        best |= set(options) - beaten
    return Answer(best)


def locked(
    graph: frozenset[tuple[str, str]], order: Iterable[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    now = set(graph)
    for winner, loser in order:
        if not leads(now, loser, winner):
            now.add((winner, loser))
    return frozenset(now)


def leads(graph: set[tuple[str, str]], start: str, goal: str) -> bool:
    seen, waiting = set(), [start]
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        if here not in seen:
            seen.add(here)
            waiting += [loser for winner, loser in graph if winner == here]
    return False


def twin_kemeny(votes: Votes, options: Sequence[str], unranked: str = "last") -> Answer:
    wins = duels(votes, options, unranked)
    tally: dict[str, Fraction] = {}
    for order in permutations(options):
        cost = sum((wins[low, high] for high, low in combinations(order, 2)), Fraction(0))
        tally[order[0]] = min(cost, tally.get(order[0], cost))
    return Answer(least(tally), tally)


# --- elimination -----------------------------------------------------------------------------


def twin_irv(votes: Votes, options: Sequence[str]) -> Answer:
    def winners(standing: frozenset[str], known: dict[frozenset[str], set[str]]) -> set[str]:
        if standing not in known:
            shares, counted = firsts(votes, standing)
            majority = {name for name, share in shares.items() if 2 * share > counted}
            known[standing] = majority or {
                name for out in least(shares) for name in winners(standing - {out}, known)
            }
        return known[standing]

    if len(options) == 1:
        return Answer(set(options))
    return Answer(winners(frozenset(options), {frozenset({name}): {name} for name in options}))


def twin_coombs(votes: Votes, options: Sequence[str], *, stop_at_majority: bool = True) -> Answer:
    def winners(standing: frozenset[str], known: dict[frozenset[str], set[str]]) -> set[str]:
        if standing not in known:
            shares, counted = firsts(votes, standing)
            majority = {name for name, share in shares.items() if 2 * share > counted}
            shares, _ = lasts(votes, standing)
            outs = most(shares)
            known[standing] = (majority if stop_at_majority else set()) or {
                name for out in outs for name in winners(standing - {out}, known)
            }
        return known[standing]

    return Answer(winners(frozenset(options), {frozenset({name}): {name} for name in options}))


# --- random elections ------------------------------------------------------------------------

NAMES = ["b", "A", "é", "a", "B2"]
WEIGHTS = [1, 1, 1, 2, 0.1, 0.2, 0.3, "1/3", "2/7"]


def a_ranking(chance: Random, options: list[str], *, whole: bool) -> list[Any] | None:
    order = chance.sample(options, len(options) if whole else chance.randint(0, len(options)))
    groups: list[list[str]] = []
    equal = chance.choice([0, 0, 0.3, 0.7])
    for name in order:
        if groups and chance.random() < equal:
            groups[-1].append(name)
        else:
            groups.append([name])
    return [group[0] if len(group) == 1 else group for group in groups] or None


GRADES: list[list[Any]] = [[0, 1], [0, 1, 2], [0, 1, 2, 5, -1, 0.1, 0.2, 0.3, "1/3"]]


def a_ballot(chance: Random, kind: str, options: list[str], grades: list[Any]) -> Any:
    if kind == "choice":
        return chance.choice([*options, None])
    if kind == "approval":
        return {name for name in options if chance.random() < 0.5}
    if kind == "score":
        return {name: chance.choice(grades) for name in options if chance.random() < 0.85} or None
    return a_ranking(chance, options, whole=kind == "whole")


class Case(NamedTuple):
    """A rule with its parameters, its twin, and the elections both count."""

    rule: str
    kind: str
    twin: Callable[..., Answer]
    parameters: dict[str, Any] = {}  # noqa: RUF012  # never changed
    most: int = 5

    @property
    def name(self) -> str:
        return "-".join([self.rule, self.kind, *(str(one) for one in self.parameters.values())])


def an_election(chance: Random, case: Case) -> tuple[Election, Votes, list[str]]:
    """Return an election and the same as plain votes; small, so that ties are frequent."""
    options = NAMES[: chance.randint(1, case.most)]
    chance.shuffle(options)
    grades = chance.choice(GRADES)
    ballots = [a_ballot(chance, case.kind, options, grades) for _ in range(chance.randint(1, 9))]
    if chance.random() < 0.3:  # copies make equal strengths and large leads
        ballots += chance.choices(ballots, k=chance.randint(1, 9))
    weights = [chance.choice(WEIGHTS) if chance.random() < 0.5 else 1 for _ in ballots]
    is_weighed = chance.random() < 0.3
    kind: Any = "ranking" if case.kind == "whole" else case.kind
    election = Election(
        ballots, options=options, kind=kind, weights=weights if is_weighed else None
    )
    votes = [
        (Fraction(str(weight)) if is_weighed else Fraction(1), ballot)
        for weight, ballot in zip(weights, ballots, strict=True)
        if ballot is not None
    ]
    return election, votes, options


PAIRWISE = {
    "condorcet": twin_condorcet,
    "copeland": twin_copeland,
    "minimax": twin_minimax,
    "schulze": twin_schulze,
    "ranked_pairs": twin_ranked_pairs,
    "kemeny": twin_kemeny,
}
MOST = {"ranked_pairs": 4}
CASES = [
    Case("plurality", "choice", twin_plurality),
    Case("plurality", "ranking", twin_plurality),
    Case("borda", "whole", twin_borda),
    Case("borda", "ranking", twin_borda, {"unranked": "last"}),
    Case("borda", "ranking", twin_borda, {"unranked": "zero"}),
    Case("approval", "approval", twin_approval),
    Case("score", "score", twin_score, {"measure": "sum"}),
    Case("score", "score", twin_score, {"measure": "mean"}),
    Case("star", "score", twin_star),
    *(
        Case(name, "ranking", twin, {"unranked": unranked}, MOST.get(name, 5))
        for name, twin in PAIRWISE.items()
        for unranked in ("last", "no_opinion")
    ),
    *(
        Case(name, kind, twin, {}, MOST.get(name, 5))
        for name, twin in PAIRWISE.items()
        for kind in ("score", "approval", "choice")
    ),
    Case("minimax", "ranking", twin_minimax, {"strength": "winning_votes"}),
    Case("minimax", "ranking", twin_minimax, {"strength": "opposition"}),
    Case("schulze", "ranking", twin_schulze, {"strength": "winning_votes"}),
    Case("ranked_pairs", "ranking", twin_ranked_pairs, {"strength": "winning_votes"}, 4),
    *(
        Case(name, kind, twin)
        for name, twin in (("irv", twin_irv), ("coombs", twin_coombs))
        for kind in ("ranking", "score", "approval", "choice")
    ),
    Case("coombs", "ranking", twin_coombs, {"stop_at_majority": False}),
]


def disagreements(case: Case, seed: str, elections: int) -> list[tuple[Any, ...]]:
    """Return the first elections on which a rule and its twin differ."""
    chance = Random(seed)  # noqa: S311  # elections, no secrets
    rule = getattr(voting, case.rule)
    wrong: list[tuple[Any, ...]] = []
    ties = 0
    for _ in range(elections):
        election, votes, options = an_election(chance, case)
        result = rule(election, **case.parameters)
        if not votes:
            wrong += [] if isinstance(result, VoteNoQuorum) else [(options, votes, result)]
            continue
        answer = case.twin(votes, options, **case.parameters)
        ties += len(answer.best) > 1
        best = set(result.tied) if isinstance(result, VoteNoDecision) else {result.winner}
        tally = None if answer.tally is None else result.tally
        if (best, tally) != (answer.best, answer.tally):
            wrong.append((options, votes, case.parameters, answer, best, tally))
    assert ties > elections // 50, "elections without ties prove little"
    return wrong[:3]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_v3_a_rule_agrees_with_its_twin(case: Case) -> None:
    assert disagreements(case, f"{case.name}/quick", QUICK) == []


@pytest.mark.full
@pytest.mark.parametrize("part", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_v3_a_rule_agrees_with_its_twin_twenty_thousand_times(case: Case, part: int) -> None:
    among = sum(other.rule == case.rule for other in CASES)
    assert disagreements(case, f"{case.name}/{part}", -(-FULL // among // 2)) == []
