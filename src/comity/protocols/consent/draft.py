"""Draft: the one proposal on the table, as numbered terms with a version.

Here: terms in words and as ``term = option``, amendments read from a proposal, a term list that
replaces the draft, the difference of two versions, the digest by which a draft is recognised.
Not here: who may amend when (machine.py), whether a draft crosses a red line (red_lines.py).
Sources: SEMANTICS C2 (numbered terms, versions; any amendment makes a new version).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from comity.core.canonical import JsonObject, digest
from comity.core.errors import Fault
from comity.core.parties import PartyId, name_fault
from comity.mechanisms.bargaining.domain import Domain

__all__ = ["Draft", "DraftTerm", "amend", "changes", "rewrite", "spelled"]

_NUMBERED = re.compile(
    r"(?i)(?:term\s+(?P<number>[0-9]{1,6})\s*:\s*(?P<text>.*)"
    r"|drop\s+term\s+(?P<dropped>[0-9]{1,6})\s*\.?)\Z"
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
    terms: list[DraftTerm | None] = list(draft.terms)
    faults: list[Fault] = []
    for line in (one.strip() for one in lines):
        if not line:
            continue
        numbered = _NUMBERED.match(line)
        if numbered:
            faults.extend(_renumber(terms, (draft, numbered), by, domain))
            continue
        term, fault = _read(line, by, domain)
        faults.extend(fault)
        if term is not None:
            _put(terms, term)
    if faults:
        return draft, tuple(faults)
    kept = tuple(term for term in terms if term is not None)
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
    terms: list[DraftTerm | None] = []
    faults: list[Fault] = []
    for line in (one.strip() for one in lines):
        term, fault = _read(line, by, domain) if line else (None, ())
        faults.extend(fault)
        if term is not None:
            _put(terms, known.get(" ".join(term.text.split()).casefold(), term))
    listed = tuple(term for term in terms if term is not None)
    changed = Draft(draft.version + 1, _ordered(listed, domain))
    if faults or changed.digest == draft.digest:
        return draft, tuple(faults)
    return changed, ()


def _ordered(terms: tuple[DraftTerm, ...], domain: Domain | None) -> tuple[DraftTerm, ...]:
    """Number the settled terms as the domain lists them, then the terms in words."""
    if domain is None:
        return terms
    place = {name: at for at, name in enumerate(domain.names)}
    return tuple(sorted(terms, key=lambda one: place.get(one.term or "", len(place))))


def changes(old: Draft, new: Draft) -> tuple[str, ...]:
    """Return what one version says otherwise than another, one line each.

    Args:
        old: the earlier version.
        new: the later one.

    Returns:
        Terms settled otherwise, then added ones, then dropped ones; nothing when they say the
        same.

    Example:
        >>> changes(Draft(1, (DraftTerm("A", "CC"),)), Draft(2, (DraftTerm("B", "CX"),)))
        ('added: B', 'dropped: A')
    """
    before = {term.term or term.text: term.text for term in old.terms}
    after = {term.term or term.text: term.text for term in new.terms}
    changed = [
        f"{text} instead of {before[key]}"
        for key, text in after.items()
        if key in before and before[key] != text
    ]
    added = [f"added: {text}" for key, text in after.items() if key not in before]
    dropped = [f"dropped: {text}" for key, text in before.items() if key not in after]
    return (*changed, *added, *dropped)


def spelled(lines: Iterable[str], domain: Domain | None) -> tuple[str, ...]:
    """Return lines with those that settle a term spelled as in drafts: ``term = option``.

    Args:
        lines: what is offered or wanted, one item a line.
        domain: the terms that can be settled, or None.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> spelled(["TLS=1.3.", "thanks"], domain_of({"tls": ["1.2", "1.3"]}))
        ('tls = 1.3', 'thanks')
    """
    read = ((_read(line, "", domain)[0], line) for line in lines)
    return tuple(line if term is None else term.text for term, line in read)


def _put(terms: list[DraftTerm | None], new: DraftTerm) -> None:
    for at, old in enumerate(terms):
        if old is None:
            continue
        if new.term is not None and old.term == new.term:
            terms[at] = new if old.option != new.option else old
            return
        if new.term is None and old.text.casefold() == new.text.casefold():
            return
    terms.append(new)


def _read(
    line: str, by: PartyId, domain: Domain | None
) -> tuple[DraftTerm | None, tuple[Fault, ...]]:
    """Read a line as a term: ``term = option`` when it names a term of the domain, else words."""
    left, equals, right = (part.strip() for part in line.partition("="))
    right = right.lstrip("= ")  # "tls == 1.3" says the same
    if domain is None or not equals or name_fault(left, "term") is not None:
        return DraftTerm(line, by), ()
    term = {name.casefold(): name for name in domain.names}.get(left.casefold())
    if term is None:
        return None, domain.faults({left: right}, by, partial=True)
    options = {name.casefold(): name for name in domain.term(term).names}
    option = options.get(right.casefold()) or options.get(right.rstrip(" .").casefold())
    if option is None:
        return None, domain.faults({term: right}, by, partial=True)
    return DraftTerm(f"{term} = {option}", by, term, option), ()


def _renumber(
    terms: list[DraftTerm | None],
    said: tuple[Draft, re.Match[str]],
    by: PartyId,
    domain: Domain | None,
) -> tuple[Fault, ...]:
    draft, match = said
    number = int(match["number"] or match["dropped"])
    old = terms[number - 1] if 1 <= number <= len(draft.terms) else None
    if old is None:
        return (
            Fault(
                by,
                f"amends term {number}, which is not in the draft",
                f"terms 1 to {len(draft.terms)}" if draft.terms else "no terms yet",
                "name a term by its number",
            ),
        )
    if match["dropped"]:
        terms[number - 1] = None
        return ()
    text = match["text"].strip()
    term, faults = _read(text, by, domain)
    if not text or old.term is not None or faults or (term is not None and term.term is not None):
        return (
            Fault(
                by,
                f"rewrites term {number} by {text!r}",
                "words for a term in words, `term = option` for the others",
                "write `TERM n: new words`, or `term = option` alone on a line",
            ),
        )
    terms[number - 1] = replace(old, text=text, by=by)
    return ()
