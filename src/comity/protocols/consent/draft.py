"""Draft: the one proposal on the table, as numbered terms with a version.

Here: terms in words and as ``term = option``, amendments read from a proposal, a term list that
replaces the draft, the digest by which a draft is recognised.
Not here: who may amend when (machine.py), whether a draft crosses a red line (red_lines.py).
Sources: SEMANTICS C2 (numbered terms, versions; any amendment makes a new version).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from comity.core.canonical import JsonObject, digest
from comity.core.errors import Fault
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.domain import Domain

__all__ = ["Draft", "DraftTerm", "amend", "rewrite"]

_ASSIGNMENT = re.compile(r"(?P<term>[^\W\d][\w.\- ]*?)\s*=\s*(?P<option>[^=]+?)\s*\.?\Z")
_NUMBERED = re.compile(
    r"(?i)(?P<verb>term|drop term)\s+(?P<number>\d{1,6})\b\s*:?\s*(?P<text>.*)\Z"
)


@dataclass(frozen=True, slots=True)
class DraftTerm:
    """One term of a draft.

    Attributes:
        text: the term in words; ``name = option`` for a term of the domain.
        by: who put it there.
        term: the domain's term it settles, or None for words.
        option: the chosen option, or None for words.

    Example:
        >>> DraftTerm("tls = 1.3", "GM", "tls", "1.3").option
        '1.3'
    """

    text: str
    by: PartyId
    term: str | None = None
    option: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A version of what is on the table; version 0 is the empty table.

    Example:
        >>> Draft(1, (DraftTerm("At-least-once delivery", "CC"),)).lines
        ('At-least-once delivery',)
    """

    version: int = 0
    terms: tuple[DraftTerm, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The terms in words, in their order; number them from 1."""
        return tuple(term.text for term in self.terms)

    @property
    def deal(self) -> dict[str, str]:
        """The settled terms of the domain."""
        return {one.term: one.option for one in self.terms if one.term and one.option}

    @property
    def digest(self) -> str:
        """The digest of what the draft says, whatever the order and the spacing."""
        return digest(sorted(" ".join(line.split()).casefold() for line in self.lines))

    def to_json(self) -> JsonObject:
        """Return version, numbered terms and settled terms."""
        return {
            "version": self.version,
            "terms": [
                {"number": at, "text": one.text, "by": one.by}
                for at, one in enumerate(self.terms, 1)
            ],
            "settled": self.deal,
        }


def amend(
    draft: Draft, lines: Iterable[str], *, by: PartyId, domain: Domain | None
) -> tuple[Draft, tuple[Fault, ...]]:
    """Apply a proposal's lines to the draft.

    ``term = option`` settles a term of the domain; ``TERM 3: words`` rewrites the third term;
    ``DROP TERM 3`` removes it; anything else joins as a new term unless it is there already.

    Args:
        draft: the draft so far.
        lines: what is offered and wanted, one item a line.
        by: the proposing party.
        domain: the terms that can be settled, or None when there are only words.

    Returns:
        The draft with the next version when anything changed (else the draft itself), and the
        faults; with a fault nothing is applied.

    Example:
        >>> amend(Draft(), ["Weekly sync on Tuesdays"], by="CC", domain=None)[0].version
        1
    """
    terms = list(draft.terms)
    dropped: set[int] = set()
    faults: list[Fault] = []
    for line in (one.strip() for one in lines):
        if not line:
            continue
        numbered = _NUMBERED.match(line)
        if numbered:
            faults.extend(_renumber(terms, dropped, numbered, draft, by))
            continue
        term, fault = _read(line, by, domain)
        if fault:
            faults.extend(fault)
        else:
            _put(terms, term)
    if faults:
        return draft, tuple(faults)
    kept = tuple(term for at, term in enumerate(terms) if at not in dropped)
    changed = Draft(draft.version + 1, _ordered(kept, domain))
    return (changed if changed.digest != draft.digest else draft), ()


def rewrite(
    draft: Draft, lines: Iterable[str], *, by: PartyId, domain: Domain | None
) -> tuple[Draft, tuple[Fault, ...]]:
    """Replace the draft by a term list.

    Args:
        draft: the draft so far.
        lines: the new terms, one a line.
        by: the party that hands in the list.
        domain: the terms that can be settled, or None.

    Returns:
        The next version when the list says something else than the draft, else the draft; faults
        as in :func:`amend`.

    Example:
        >>> rewrite(Draft(2, (DraftTerm("A", "CC"),)), ["A", "B"], by="GM", domain=None)[0].version
        3
    """
    known = {" ".join(term.text.split()).casefold(): term for term in draft.terms}
    terms: list[DraftTerm] = []
    faults: list[Fault] = []
    for line in (one.strip() for one in lines):
        term, fault = _read(line, by, domain) if line else (None, ())
        faults.extend(fault)
        if term is not None:
            _put(terms, known.get(" ".join(term.text.split()).casefold(), term))
    changed = Draft(draft.version + 1, _ordered(tuple(terms), domain))
    if faults or changed.digest == draft.digest:
        return draft, tuple(faults)
    return changed, ()


def _ordered(terms: tuple[DraftTerm, ...], domain: Domain | None) -> tuple[DraftTerm, ...]:
    """Number the settled terms as the domain lists them, then the terms in words."""
    if domain is None:
        return terms
    place = {name: at for at, name in enumerate(domain.names)}
    return tuple(sorted(terms, key=lambda one: place.get(one.term or "", len(place))))


def _put(terms: list[DraftTerm], new: DraftTerm | None) -> None:
    if new is None:
        return
    for at, old in enumerate(terms):
        if new.term is not None and old.term == new.term:
            terms[at] = new if old.option != new.option else old
            return
        if new.term is None and old.text.casefold() == new.text.casefold():
            return
    terms.append(new)


def _read(
    line: str, by: PartyId, domain: Domain | None
) -> tuple[DraftTerm | None, tuple[Fault, ...]]:
    match = _ASSIGNMENT.match(line) if domain else None
    if domain is None or match is None:
        return DraftTerm(line, by), ()
    named = {name.casefold(): name for name in domain.names}
    term = named.get(match["term"].casefold())
    if term is None:
        return None, domain.faults({match["term"]: match["option"]}, by, partial=True)
    options = {name.casefold(): name for name in domain.term(term).names}
    option = options.get(match["option"].casefold())
    if option is None:
        return None, domain.faults({term: match["option"]}, by, partial=True)
    return DraftTerm(f"{term} = {option}", by, term, option), ()


def _renumber(
    terms: list[DraftTerm],
    dropped: set[int],
    match: re.Match[str],
    draft: Draft,
    by: PartyId,
) -> tuple[Fault, ...]:
    at = int(match["number"]) - 1
    if not 0 <= at < len(draft.terms):
        return (
            Fault(
                by,
                f"amends term {at + 1} of version {draft.version}",
                f"terms 1 to {len(draft.terms)}",
                "name a term by its number",
            ),
        )
    if match["verb"].casefold() != "term":
        dropped.add(at)
        return ()
    text = match["text"].strip()
    if not text or terms[at].term is not None:
        return (
            Fault(
                by,
                f"rewrites term {at + 1} by {text!r}",
                "words for a term in words, `term = option` for the others",
                "write `TERM n: new words`",
            ),
        )
    terms[at] = replace(terms[at], text=text, by=by)
    return ()
