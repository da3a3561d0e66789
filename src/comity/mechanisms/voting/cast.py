"""Cast: the ballots of an election as counts read them.

Here: lines, weights, ranks, the pairwise matrix and the digest, each worked out once.
Not here: building an election (election.py), the rules.
Sources: SEMANTICS V1, V5, G3, G5.
"""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256
from typing import Any

from comity.core.canonical import canonical
from comity.core.exact import Exact, to_fraction
from comity.core.parties import PartyId, Roster
from comity.mechanisms.voting.ballots import BallotKind
from comity.mechanisms.voting.bulk import Bulk
from comity.mechanisms.voting.profile import Matrix, Profile, profile_of
from comity.mechanisms.voting.reading import Invalid, Line, whole
from comity.mechanisms.voting.rows import blocks_of, pairs_of_scores, ranks_in

__all__ = ["Cast"]


class Cast:
    """The ballots of one kind on a set of options; `Election` builds it.

    Example:
        >>> from comity.mechanisms.voting import Election
        >>> Election(["B", "A", "B"]).size
        3
    """

    __slots__ = (
        "_bulk",
        "_cache",
        "_is_plain",
        "_lines",
        "absent",
        "abstentions",
        "declared",
        "invalid",
        "kind",
        "options",
        "roster",
        "scale",
    )

    kind: BallotKind
    options: tuple[str, ...]
    abstentions: tuple[Line, ...]
    invalid: tuple[Invalid, ...]
    absent: tuple[PartyId, ...]
    scale: int
    roster: Roster | None
    declared: bool
    _bulk: Bulk | None
    _lines: tuple[Line, ...] | None
    _cache: dict[str, Any]
    _is_plain: bool

    @property
    def lines(self) -> tuple[Line, ...]:
        """The valid ballots, sorted; equal ones counted together when voters have no names."""
        if self._lines is None:
            rows = () if self._bulk is None else self._bulk.rows()
            self._lines = tuple(Line(row, 1, count) for row, count in rows)
        return self._lines

    @property
    def is_named(self) -> bool:
        """Whether each ballot bears its voter's name."""
        if self._bulk is not None:
            return False
        lines = self.lines or self.abstentions
        return bool(lines and lines[0].voter)

    @property
    def size(self) -> int:
        """How many valid ballots there are, abstentions apart."""
        if self._bulk is not None:
            return self._bulk.size
        return sum([line.count for line in self.lines])

    @property
    def weight(self) -> int:
        """The weight of the valid ballots in units."""
        if self._bulk is not None:
            return self._bulk.size
        found: int | None = self._cache.get("weight")
        if found is None:
            found = sum([line.weight * line.count for line in self.lines])
            self._cache["weight"] = found
        return found

    @property
    def abstained_weight(self) -> int:
        """The weight of the abstentions in units."""
        return sum([line.weight * line.count for line in self.abstentions])

    @property
    def invalid_weight(self) -> int:
        """The weight of members' ballots that do not count, in units."""
        if not self.invalid:
            return 0
        return int(
            sum((to_fraction(one.weight) for one in self.invalid), Fraction(0)) * self.scale
        )

    @property
    def absent_weight(self) -> int:
        """The weight of the members without a ballot, in units."""
        if not self.absent:
            return 0
        parties = () if self.roster is None else self.roster.parties
        missing = set(self.absent)
        silent = (to_fraction(one.weight) for one in parties if one.id in missing)
        return int(sum(silent, Fraction(0)) * self.scale)

    def exact(self, units: Exact) -> Exact:
        """Return units of weight as votes.

        Args:
            units: a sum of weights.

        Example:
            >>> from comity.mechanisms.voting import Election
            >>> Election(["A"], weights=["1/3"]).exact(1)
            Fraction(1, 3)
        """
        if self.scale == 1:
            return units
        return whole(to_fraction(units) / self.scale)

    def profile(self) -> Profile:
        """Return the ranks of all ballots, column by column.

        Returns:
            The profile. Scores rank by score, approvals in two ranks, a choice above the rest.
        """
        found: Profile | None = self._cache.get("profile")
        if found is None and self._bulk is not None:
            found = self._cache["profile"] = self._bulk.profile()
        if found is None:
            width, kind = len(self.options), self.kind
            rows: list[Any] = (
                [line[0] for line in self.lines]
                if kind == "ranking"
                else [ranks_in(kind, line.row, width) for line in self.lines]
            )
            alike = None
            if not self._is_plain:
                masses = [weight * count for _, weight, count, _ in self.lines]
                alike = None if set(masses) == {1} else masses
            found = self._cache["profile"] = profile_of(rows, alike, len(self.options))
        return found

    def ranks_of(self, line: Line) -> bytes:
        """Return the ranks that a valid ballot gives the options.

        Args:
            line: one of `lines`.

        Returns:
            A byte per option, 0 best, `UNRANKED` for none.

        Example:
            >>> from comity.mechanisms.voting import Election
            >>> election = Election(["B"], options=["A", "B"])
            >>> list(election.ranks_of(election.lines[0]))
            [255, 0]
        """
        return ranks_in(self.kind, line.row, len(self.options))

    def pairwise(self, *, no_opinion: bool = False) -> Matrix:
        """Return how much weight, in units, ranks each option above each other.

        Args:
            no_opinion: an option that a ballot does not rank is compared with nothing, instead
                of standing below all that it ranks.
        """
        name = "apart" if no_opinion else "pairwise"
        found: Matrix | None = self._cache.get(name)
        if found is None and self.kind == "score":
            found = self._cache[name] = pairs_of_scores(self.lines, len(self.options))
        if found is None:
            found = self._cache[name] = self.profile().pairwise(no_opinion=no_opinion)
        return found

    @property
    def digest(self) -> str:
        """SHA-256 over kind, options, roster and every ballot; in any order the same."""
        found: str | None = self._cache.get("digest")
        if found is None:
            found = self._cache["digest"] = _digest(self, self._bulk)
        return found


def _digest(cast: Cast, bulk: Bulk | None) -> str:
    parties = () if cast.roster is None else cast.roster.parties
    roster = cast.roster and [(one.id, str(to_fraction(one.weight))) for one in parties]
    head = repr((cast.kind, cast.scale, cast.options, roster))
    sealed = sha256(head.encode("utf-8", "surrogatepass"))
    blocks = blocks_of(cast.lines) if bulk is None else bulk.blocks()
    for block in blocks:
        sealed.update(block)
    if cast.abstentions or cast.invalid:
        named = cast.is_named
        rest: Any = [list(line[1:]) for line in cast.abstentions]
        wrong: Any = sorted(
            [one.voter if named else "", one.reason, str(one.weight)] for one in cast.invalid
        )
        sealed.update(canonical([rest, wrong]).encode("utf-8", "surrogatepass"))
    return sealed.hexdigest()
