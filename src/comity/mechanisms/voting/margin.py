"""Margin of victory: how many voters would have had to vote otherwise?

Here: the fewest voters whose changed ballots alter the outcome, exact where it can be proved and
between two bounds elsewhere; the voters whose absence alters it.
Not here: the distance in a rule's own points (every result's ``margin``).
Sources: SEMANTICS V5, G8; Magrino, Rivest, Shen and Wagner 2011; Xia 2012 (the smallest number
of voters who can change the winner by changing their votes; a tie is another outcome).

Three ways, the first that proves its number: for rules that add points, the voters who can take
the most from a lead are counted, heaviest first. A changed ballot moves a duel by at most twice
its weight, so a Condorcet winner's narrowest lead is a lower bound under every rule that must
elect one. Else ballots are changed and the rule asked again, within a budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, islice, product, repeat
from typing import Any

from comity.core.parties import PartyId
from comity.mechanisms.voting.ballots import UNRANKED, YES_NO, Row
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.reading import Line
from comity.mechanisms.voting.rows import row_text

__all__ = ["MarginOfVictory", "Pivotal", "margin_of_victory", "pivotal"]

_Points = int | Fraction
Ask = Callable[[Election], Any]
"""Election -> the outcome as a value that compares: the winner, or the tied options."""

_POINTS = {"plurality", "approval", "borda", "score"}
_ELECT_THE_CONDORCET_WINNER = {
    "condorcet", "copeland", "minimax", "schulze", "ranked_pairs", "kemeny"
}  # fmt: skip
_WORK = 600_000  # ballots times options that a search may look at: below a second


@dataclass(frozen=True, slots=True)
class MarginOfVictory:
    """How many voters must change their ballots to alter the outcome.

    Attributes:
        at_least: no fewer can.
        at_most: so many can; None when nobody found a way.
        is_exact: whether the two are equal.

    Example:
        >>> str(MarginOfVictory(2, 2)), str(MarginOfVictory(2, 5))
        ('2 voters', '2 to 5 voters')
    """

    at_least: int
    at_most: int | None

    @property
    def is_exact(self) -> bool:
        """Whether the number is proved."""
        return self.at_least == self.at_most

    def __str__(self) -> str:
        """Say it in words."""
        if self.at_most is None:
            return f"at least {_voters(self.at_least)}"
        if self.is_exact:
            return _voters(self.at_least)
        return f"{self.at_least} to {self.at_most} voters"


def _voters(number: int) -> str:
    return "1 voter" if number == 1 else f"{number} voters"


@dataclass(frozen=True, slots=True)
class Pivotal:
    """A voter without whom the outcome would have been another.

    Attributes:
        voter: the name; for ballots without names, what the ballot says.
        count: how many voters cast that ballot.

    Example:
        >>> Pivotal("ann").count
        1
    """

    voter: PartyId
    count: int = 1


def pivotal(election: Election, ask: Ask) -> tuple[Pivotal, ...] | None:
    """Return the voters without any one of whom the outcome would be another.

    Args:
        election: every ballot.
        ask: the rule.

    Returns:
        The voters, sorted; None when there are too many different ballots to try each.

    Example:
        >>> from comity.mechanisms.voting.positional import plurality
        >>> votes = Election({"ann": "A", "bob": "A", "cat": "B"})
        >>> [one.voter for one in pivotal(votes, lambda e: plurality(e).winner)]
        ['ann', 'bob']
    """
    if len(election.lines) > _affordable(election):
        return None
    now = ask(election)
    found = []
    for at, line in enumerate(election.lines):
        rest = [*election.lines[:at], *election.lines[at + 1 :]]
        if line.count > 1:
            rest.append(line._replace(count=line.count - 1))
        if ask(election.with_lines(rest, election.abstentions)) != now:
            said = line.voter or row_text(election.kind, line.row, election.options)
            found.append(Pivotal(said, line.count))
    return tuple(found)


def margin_of_victory(
    election: Election,
    rule: str,
    winner: str | Sequence[str] | None,
    ask: Ask,
    parameters: Mapping[str, Any] | None = None,
) -> MarginOfVictory:
    """Return how many voters must change their ballots to alter the outcome.

    Args:
        election: every ballot.
        rule: the name of the rule.
        winner: who won, several for several seats; None for a tie, which has no victor: its
            margin is 0.
        ask: the rule itself.
        parameters: those of the rule, as its result records them.

    Returns:
        The number, or bounds of it.

    Example:
        >>> from comity.mechanisms.voting.positional import plurality
        >>> votes = Election(["A"] * 5 + ["B"] * 2)
        >>> str(margin_of_victory(votes, "plurality", "A", lambda e: plurality(e).winner))
        '2 voters'
    """
    told = parameters or {}
    if winner is None:
        return MarginOfVictory(0, 0)
    if len(election.options) < 2:
        return MarginOfVictory(1, None)
    if not isinstance(winner, str):
        seated = [election.options.index(one) for one in winner]
        found = [_by_pushing(election, at, ask, ask(election)) for at in seated]
        return MarginOfVictory(1, min((one for one in found if one is not None), default=None))
    at = election.options.index(winner)
    if rule in _POINTS and told.get("measure") != "mean":
        number = _by_points(election, rule, at, told.get("unranked"))
        return MarginOfVictory(number, number)
    at_least = 1
    if rule in _ELECT_THE_CONDORCET_WINNER and told.get("unranked", "last") == "last":
        at_least = _by_duels(election, at)
    return _search(election, at, ask, at_least)


# --- rules that add points -------------------------------------------------------------------


def _by_points(election: Election, rule: str, winner: int, unranked: object) -> int:
    """Return the fewest voters who can take the lead away, over all rivals."""
    points = _points_of(election, rule, unranked)
    most = _widest_swing(election, rule)
    everybody = (*election.lines, *election.abstentions)
    given = [None if line.row is None else points(line.row) for line in everybody]
    found = []
    for rival in range(len(election.options)):
        if rival == winner:
            continue
        lead: _Points = 0
        swings: Counter[_Points] = Counter()
        for line, own in zip(everybody, given, strict=True):
            gap = 0 if own is None else own[winner] - own[rival]
            lead += gap * line.weight * line.count
            swings[(gap + most) * line.weight] += line.count
        found.append(_fewest(lead, swings.items()))
    return min(found)


def _fewest(lead: _Points, swings: Iterable[tuple[_Points, int]]) -> int:
    """Return how many voters, each with the most it can move, use up a lead.

    All of them together always can: then every ballot puts the other first.
    """
    number = 0
    for swing, count in sorted(swings, reverse=True):
        if lead <= 0:
            break
        used = int(min(count, -(-lead // swing)))
        number += used
        lead -= used * swing
    return number


def _points_of(
    election: Election, rule: str, unranked: object
) -> Callable[[Row], Sequence[_Points]]:
    """Return what one ballot gives each option, twice for Borda, whose halves are then whole."""
    size = len(election.options)

    def of(row: Row) -> Sequence[_Points]:
        if rule in ("score", "approval"):
            return [one or 0 for one in row]
        if election.kind == "choice":
            return [int(at == row[0]) for at in range(size)]
        if rule == "plurality":
            tops = row.count(0)
            return [int(rank == 0) if tops == 1 else Fraction(rank == 0, tops) for rank in row]
        ranks = [int(rank or 0) for rank in row]
        alike = Counter(ranks)
        below, worth = len(ranks), {}
        for rank in sorted(alike):
            below -= alike[rank]
            worth[rank] = 2 * below + alike[rank] - 1  # twice those below it, once its equals
        doubled = [worth[rank] for rank in ranks]
        if unranked == "zero":
            doubled = [
                0 if mine == UNRANKED else two for mine, two in zip(ranks, doubled, strict=True)
            ]
        return doubled

    return of


def _widest_swing(election: Election, rule: str) -> _Points:
    """Return the most that one ballot can put a rival before the winner, twice for Borda."""
    if rule == "borda":
        return 2 * (len(election.options) - 1)
    if rule == "score":
        given = [one or 0 for line in election.lines for one in line.row or ()]
        return max(given, default=0) - min(0, *given, 0)
    return 1


# --- rules that compare in pairs -------------------------------------------------------------


def _by_duels(election: Election, winner: int) -> int:
    """Return how many ballots must change before a Condorcet winner stops being one."""
    matrix = election.pairwise()
    leads = [
        matrix[winner][j] - matrix[j][winner] for j in range(len(matrix)) if j != winner
    ]  # fmt: skip
    narrowest = min(leads)
    if narrowest <= 0:
        return 1
    swings = [(Fraction(2 * line.weight), line.count)
              for line in (*election.lines, *election.abstentions)]  # fmt: skip
    return _fewest(Fraction(narrowest), swings)


# --- any rule --------------------------------------------------------------------------------


def _search(election: Election, winner: int, ask: Ask, at_least: int) -> MarginOfVictory:
    """Change ballots and ask the rule, fewest first, within a budget."""
    now = ask(election)
    budget = _affordable(election)
    at_most = _by_pushing(election, winner, ask, now)
    rows = list(islice(_every_row(election), budget))
    spent = 0 if len(rows) < budget else budget
    for number in range(at_least, at_most or at_least + 2):
        for changed in _changes(election, number, rows):
            if spent >= budget:
                return MarginOfVictory(at_least, at_most)
            spent += 1
            if ask(changed) != now:
                return MarginOfVictory(number, number)
        at_least = number + 1
    return MarginOfVictory(at_least, at_most)


def _vetoes(election: Election) -> tuple[int, ...]:
    """Return the options that are no vote but a veto, which one voter can always cast."""
    return (YES_NO.index("veto"),) if election.kind == "yes_no" else ()


def _affordable(election: Election) -> int:
    """Return how often a rule may be asked within the budget."""
    lines = len(election.lines) + len(election.abstentions)
    return _WORK // (30 + lines * len(election.options))


def _by_pushing(election: Election, winner: int, ask: Ask, now: object) -> int | None:
    """Return how many ballots suffice when each puts one rival first and the winner last.

    The rivals that come nearest in a duel are tried first, the others while the budget lasts.
    """
    matrix = election.pairwise()
    rivals = [at for at in range(len(matrix)) if at != winner and at not in _vetoes(election)]
    rivals.sort(key=lambda at: matrix[winner][at] - matrix[at][winner])
    budget = max(_affordable(election), 20)
    best: int | None = None
    for rival in rivals:
        row = _pushed(election, winner, rival)
        low, high = 0, min(_size(election), (best or _size(election) + 1) - 1)
        budget -= high.bit_length()
        if high < 1 or (best and budget < 0):
            break
        if ask(_with_pushed(election, winner, rival, row, high)) == now:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            if ask(_with_pushed(election, winner, rival, row, middle)) == now:
                low = middle
            else:
                high = middle
        best = high
    return best


def _size(election: Election) -> int:
    return election.size + sum(line.count for line in election.abstentions)


def _pushed(election: Election, winner: int, rival: int) -> Row:
    size = len(election.options)
    if election.kind in ("choice", "yes_no"):
        return bytes((rival,))
    if election.kind == "approval":
        return bytes(int(at != winner) for at in range(size))
    if election.kind == "score":
        given = [one for line in election.lines for one in line.row or () if one is not None]
        high, low = Fraction(max(given, default=1)), Fraction(min(0, *given, 0))
        return tuple(high if at == rival else low for at in range(size))
    return bytes(0 if at == rival else 2 if at == winner else 1 for at in range(size))


def _with_pushed(election: Election, winner: int, rival: int, row: Row, number: int) -> Election:
    """Return the election with the ballots best for the winner against a rival replaced."""

    def gain(line: Line) -> tuple[int, int, str]:
        if line.row is None:
            return (1, line.weight, "")
        ranks = election.ranks_of(line)
        way = (ranks[winner] < ranks[rival]) - (ranks[winner] > ranks[rival])
        return (way + 1, line.weight, repr(line.row))

    left = number
    lines: list[Line] = []
    blank: list[Line] = []
    for line in sorted((*election.lines, *election.abstentions), key=gain, reverse=True):
        taken = min(left, line.count)
        left -= taken
        if taken:
            lines.append(Line(row, line.weight, taken, line.voter))
        if line.count > taken:
            (blank if line.row is None else lines).append(line._replace(count=line.count - taken))
    return election.with_lines(lines, blank)


def _changes(election: Election, number: int, rows: Sequence[Row]) -> Iterator[Election]:
    """Yield every election in which so many voters vote otherwise."""
    everybody = (*election.lines, *election.abstentions)
    for who in _voters_among([line.count for line in everybody], number):
        alike = not election.is_named and len({everybody[at].weight for at in who}) == 1
        votes = (
            combinations_with_replacement(rows, number) if alike else product(rows, repeat=number)
        )
        for what in votes:
            counts = {at: who.count(at) for at in who}
            kept = [
                line._replace(count=line.count - counts.get(at, 0))
                for at, line in enumerate(everybody)
            ]
            moved = [
                Line(row, everybody[at].weight, 1, everybody[at].voter)
                for at, row in zip(who, what, strict=True)
            ]
            yield election.with_lines(
                [line for line in (*kept, *moved) if line.row is not None],
                [line for line in kept if line.row is None],
            )


def _voters_among(counts: Sequence[int], number: int, first: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield every choice of so many voters, as the ballots they cast, ascending."""
    if not number:
        yield ()
        return
    for at in range(first, len(counts)):
        for taken in range(1, min(counts[at], number) + 1):
            for rest in _voters_among(counts, number - taken, at + 1):
                yield (at,) * taken + rest


def _every_row(election: Election) -> Iterator[Row]:
    """Yield every ballot that may be cast; for scores, those made of the extremes."""
    size = len(election.options)
    if election.kind in ("choice", "yes_no"):
        yield from (bytes((at,)) for at in range(size) if at not in _vetoes(election))
    elif election.kind == "approval":
        yield from (bytes(one) for one in product((0, 1), repeat=size))
    elif election.kind == "score":
        given = [one for line in election.lines for one in line.row or () if one is not None]
        ends = (Fraction(min(0, *given, 0)), Fraction(max(given, default=1)))
        yield from product(ends, repeat=size)
    else:
        # from eight options on, finding them alone would take too long: the budget is used up
        yield from _every_ranking(size) if size <= 7 else repeat(bytes(size))


def _every_ranking(size: int) -> Iterator[bytes]:
    """Yield every ranking, with equals and with options left out."""
    for ranks in product((*range(size), UNRANKED), repeat=size):
        used = set(ranks) - {UNRANKED}
        if used and used == set(range(len(used))):
            yield bytes(ranks)
