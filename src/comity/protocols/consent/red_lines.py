"""Red lines: what a party will not cross, checked by code where code can read it.

Here: predicates over terms and declared sums, reading them from text, whether a draft crosses
one, whether one is looser than another, and clauses ("not (A in {A1} and B in {B1})") in which a
party says which combinations it cannot accept.
Not here: whether red lines contradict each other (feasibility.py), the ones only their owner can
judge (machine.py puts those to the owner).
Sources: SEMANTICS C4 (strict and non-strict bounds kept apart; "under 200" is < 200).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast

from comity.core.errors import Fault, InvalidInput, did_you_mean
from comity.core.exact import Exact, read_exact, show_number, to_fraction
from comity.mechanisms.bargaining.domain import Deal, Domain

__all__ = [
    "Clause",
    "Predicate",
    "bounds_of",
    "clause_text",
    "compare",
    "crossed",
    "find_clauses",
    "moved",
    "read_predicate",
    "same_side",
]

Operator = Literal["<=", "<", ">=", ">", "==", "in"]

_SUBJECT = r"\s*(?P<subject>[^\W_](?:[\w.\- ]{0,62}?[\w.\-])?)"
_BOUND = (
    r"(?P<bound>[+-]?[0-9_]+(?:\.[0-9]+)?(?:/[0-9]+)?)\s*(?P<unit>[^\W\d_]{1,12}|%)?\s*\.?\s*\Z"
)
_COMPARISON = re.compile(rf"{_SUBJECT}\s*(?P<op><=|>=|==|≤|≥|<|>|=)\s*{_BOUND}")
_IN_WORDS = re.compile(
    rf"{_SUBJECT}\s+(?:(?:must|should|has\s+to)\s+)?(?:(?:is|be|stays?|remains?|keeps?)\s+)?"
    rf"(?P<op>under|below|at\s+most|over|above|at\s+least)\s+{_BOUND}",
    re.IGNORECASE,
)
_MEMBERSHIP = re.compile(rf"{_SUBJECT}\s+in\s*\{{(?P<options>[^{{}}]*)\}}\s*\.?\s*\Z")
_EQUALS = re.compile(rf"{_SUBJECT}\s*==?\s*(?P<option>[^={{}}<>]+?)\s*\.?\s*\Z")
_CLAUSE = re.compile(r"\bnot \((?P<body>[^()]*)\)")
_MEMBER = re.compile(r"\s*(?P<term>[^{}]+?)\s+in\s*\{(?P<options>[^{}]*)\}\s*\Z")
_SAME: dict[str, Operator] = {
    "≤": "<=",
    "≥": ">=",
    "=": "==",
    "under": "<",
    "below": "<",
    "at most": "<=",
    "over": ">",
    "above": ">",
    "at least": ">=",
}


@dataclass(frozen=True, slots=True)
class Predicate:
    """A red line that code can check.

    Attributes:
        subject: a term or a declared sum.
        op: the comparison, or ``"in"`` for a set of options.
        bound: the number compared with; None for ``"in"``.
        options: the allowed options, sorted; empty for comparisons.

    Example:
        >>> str(Predicate("p99_latency_ms", "<", 200))
        'p99_latency_ms < 200'
        >>> str(Predicate("tls", "in", None, ("1.2", "1.3")))
        'tls in {1.2, 1.3}'
    """

    subject: str
    op: Operator
    bound: Exact | None = None
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the red line as it is written in files."""
        if self.op == "in":
            return f"{self.subject} in {{{', '.join(self.options)}}}"
        assert self.bound is not None
        shown = show_number(self.bound)  # "1/3 (0.3333)" could not be read again
        return f"{self.subject} {self.op} {shown.split(' (')[0]}"


@dataclass(frozen=True, slots=True)
class Clause:
    """A combination that a party cannot accept whatever the other terms are.

    Attributes:
        parts: term -> the options meant, both sorted; a deal that takes one of the options at
            every named term is refused.

    Example:
        >>> Clause((("A", ("A1", "A3")), ("B", ("B1",)))).forbids(
        ...     {"A": "A1", "B": "B1", "C": "C2"}
        ... )
        True
    """

    parts: tuple[tuple[str, tuple[str, ...]], ...]

    def forbids(self, deal: Deal) -> bool:
        """Tell whether a deal takes a refused option at every named term."""
        return all(deal.get(term) in options for term, options in self.parts)


def read_predicate(text: str, domain: Domain, *, whose: str) -> Predicate | None:
    """Read a red line, when it is one that code can check.

    Args:
        text: one line, for example ``"p99_latency_ms < 200"``, ``"p99_latency_ms must stay under
            200 ms"`` (which says the same) or ``"tls in {1.2, 1.3}"``.
        domain: the terms and sums it may name.
        whose: the party, for the messages.

    Returns:
        The predicate, or None when the text has not the shape of one (then only its owner can
        judge it).

    Raises:
        InvalidInput: when it has the shape of a predicate and names what does not exist, or a
            unit that the name of its subject does not end in.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> read_predicate("tls in {1.3}", d, whose="GM").options
        ('1.3',)
        >>> read_predicate("No plaintext transmission", d, whose="GM") is None
        True
    """
    subjects = [*domain.names, *(quantity.name for quantity in domain.quantities)]
    member = _MEMBERSHIP.match(text)
    if member:
        options = tuple(part.strip() for part in member["options"].split(",") if part.strip())
        return _member(member["subject"], options, domain, subjects, whose)
    found = _COMPARISON.match(text)
    if found is None:
        found = _IN_WORDS.match(text)
        found = found if found and found["subject"] in subjects else None
    if found and found["subject"] not in subjects and _is_prose(found):
        found = None
    if found:
        return _comparison(found, domain, subjects, whose)
    equal = _EQUALS.match(text)
    if equal and equal["subject"] in domain.names:
        return _member(equal["subject"], (equal["option"],), domain, subjects, whose)
    return None


def _is_prose(found: re.Match[str]) -> bool:
    """Tell whether a comparison with an unknown subject is prose rather than a misspelling."""
    return " " in found["subject"] or found["op"] in {"=", "=="}


def _unit_fault(found: re.Match[str], whose: str) -> Fault | None:
    """Return a fault when the unit is not the one that the subject's name ends in (G6)."""
    subject, unit = found["subject"], found["unit"]
    if unit is None or re.split(r"[_.\- ]", subject)[-1].casefold() == unit.casefold():
        return None
    return Fault(
        whose,
        f"gives the bound of {subject} in {unit!r}, a unit its name does not end in",
        f"the number alone, in the unit of {subject}",
        "convert it and leave the unit out",
    )


def _comparison(
    found: re.Match[str], domain: Domain, subjects: list[str], whose: str
) -> Predicate:
    subject = found["subject"]
    if subject not in subjects:
        raise InvalidInput(
            Fault(
                whose,
                f"has a red line on {subject!r}, which does not exist",
                f"terms and quantities: {', '.join(subjects)}",
                did_you_mean(subject, subjects),
            )
        )
    unit = _unit_fault(found, whose)
    if unit is not None:
        raise InvalidInput(unit)
    bound = read_exact(found["bound"], whose, "bound")
    sign = " ".join(found["op"].lower().split())
    op = cast("Operator", _SAME.get(sign, sign))
    if subject in domain.names:
        term = domain.term(subject)
        if op == "==":
            return _member(subject, (found["bound"],), domain, subjects, whose)
        bare = [option.name for option in term.options if "" not in dict(option.numbers)]
        if bare:
            raise InvalidInput(
                Fault(
                    whose,
                    f"compares {subject} with a number, but {bare[0]!r} is none",
                    f"{subject} in {{{', '.join(term.names)}}}",
                    "name the options, or declare a quantity",
                )
            )
    return Predicate(subject, op, bound)


def _member(
    subject: str, options: tuple[str, ...], domain: Domain, subjects: list[str], whose: str
) -> Predicate:
    if subject not in domain.names:
        raise InvalidInput(
            Fault(
                whose,
                f"has a red line on {subject!r}, which is no term",
                f"terms: {', '.join(domain.names)}",
                did_you_mean(subject, subjects),
            )
        )
    faults = [
        fault
        for option in options
        for fault in domain.faults({subject: option}, whose, partial=True)
    ]
    if not options:
        faults.append(Fault(whose, f"allows no option of {subject}", "one or more", "list some"))
    if faults:
        raise InvalidInput(faults)
    return Predicate(subject, "in", None, tuple(sorted(set(options))))


def crossed(predicate: Predicate, domain: Domain, deal: Deal) -> bool | None:
    """Tell whether a draft crosses a red line.

    Args:
        predicate: the red line.
        domain: the terms and sums.
        deal: the terms settled so far.

    Returns:
        True when it does whatever the open terms become, False when it cannot any more, None
        while that depends on open terms.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"days": [30, 60]})
        >>> (
        ...     crossed(Predicate("days", "<", 60), d, {"days": "60"}),
        ...     crossed(Predicate("days", "<", 60), d, {}),
        ... )
        (True, None)
    """
    if predicate.op == "in":
        chosen = deal.get(predicate.subject)
        if chosen is not None:
            return chosen not in predicate.options
        names = domain.term(predicate.subject).names
        return False if set(names) <= set(predicate.options) else None
    low, high = bounds_of(predicate.subject, domain, deal)
    return _against(predicate, low, high)


def bounds_of(subject: str, domain: Domain, deal: Deal) -> tuple[Fraction, Fraction]:
    """Return the least and greatest value of a term or sum that a partial deal leaves possible.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> bounds_of("days", domain_of({"days": [30, 60]}), {})
        (Fraction(30, 1), Fraction(60, 1))
    """
    quantity = domain.quantity(subject)
    if quantity is not None:
        return quantity.bounds(deal)
    term = domain.term(subject)
    names = (deal[subject],) if subject in deal else term.names
    values = [
        to_fraction(dict(option.numbers)[""]) for option in term.options if option.name in names
    ]
    return min(values), max(values)


def _against(predicate: Predicate, low: Fraction, high: Fraction) -> bool | None:
    assert predicate.bound is not None
    bound = to_fraction(predicate.bound)
    never, always = {
        "<": (low >= bound, high < bound),
        "<=": (low > bound, high <= bound),
        ">": (high <= bound, low > bound),
        ">=": (high < bound, low >= bound),
        "==": (low > bound or high < bound, low == high == bound),
    }[predicate.op]
    if never:
        return True
    return False if always else None


def compare(old: Predicate, new: Predicate) -> Literal["same", "looser", "tighter", "other"]:
    """Tell what a party did to its red line.

    Args:
        old: the red line so far.
        new: the red line now.

    Returns:
        ``"looser"`` when every deal that kept the old one keeps the new one, ``"tighter"`` the
        other way round, ``"other"`` when neither holds.

    Example:
        >>> compare(Predicate("ms", "<", 200), Predicate("ms", "<=", 200))
        'looser'
    """
    if old == new:
        return "same"
    if old.subject != new.subject:
        return "other"
    if old.op == "in" and new.op == "in":
        before, after = set(old.options), set(new.options)
        return "looser" if before < after else "tighter" if after < before else "other"
    if old.op[0] != new.op[0] or old.op in {"==", "in"}:
        return "other"
    assert old.bound is not None
    assert new.bound is not None
    # (bound, 1 when the bound itself is allowed): larger is looser below, smaller above
    sign = 1 if old.op[0] == "<" else -1
    before_key = (sign * to_fraction(old.bound), len(old.op))
    after_key = (sign * to_fraction(new.bound), len(new.op))
    return "looser" if after_key > before_key else "tighter"


def same_side(old: Predicate, new: Predicate) -> bool:
    """Tell whether two red lines bound the same thing from the same side.

    Example:
        >>> same_side(Predicate("ms", "<", 200), Predicate("ms", "<=", 150))
        True
        >>> same_side(Predicate("ms", "<", 200), Predicate("ms", ">", 20))
        False
    """
    return old.subject == new.subject and old.op[0] == new.op[0]


def moved(olds: Sequence[Predicate], new: Predicate) -> tuple[bool, bool]:
    """Tell what it means to put one red line in the place of several on its side.

    Args:
        olds: the red lines so far, all on the side of the new one; may be empty.
        new: the red line now.

    Returns:
        Whether it allows something that was forbidden (loosens), and whether it forbids
        something that was allowed (tightens); both for ``in {A, B}`` -> ``in {B, C}``.

    Example:
        >>> moved(
        ...     [Predicate("ms", "<", 200), Predicate("ms", "<", 100)], Predicate("ms", "<", 150)
        ... )
        (True, False)
    """
    hows = [compare(old, new) for old in olds]
    loosens = any(how in {"looser", "other"} for how in hows)
    if new.op == "in" and olds:
        allowed = set.intersection(*(set(old.options) for old in olds))
        return loosens, not allowed <= set(new.options)
    return loosens, all(how in {"tighter", "other"} for how in hows)


def clause_text(clause: Clause) -> str:
    """Return a clause in the words of the protocol.

    Example:
        >>> clause_text(Clause((("A", ("A1", "A3")), ("B", ("B1",)))))
        'not (A in {A1, A3} and B in {B1})'
    """
    parts = [f"{term} in {{{', '.join(options)}}}" for term, options in clause.parts]
    return f"not ({' and '.join(parts)})"


def find_clauses(text: str, domain: Domain) -> tuple[Clause, ...]:
    """Return every well-formed clause in a text; what does not fit the domain is no clause.

    Args:
        text: what a party said.
        domain: the terms and options a clause may name.

    Returns:
        The clauses, in the order said.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"A": ["A1", "A2"], "B": ["B1", "B2"]})
        >>> find_clauses("I need not (A in {A1} and B in {B1}).", d)[0].parts
        (('A', ('A1',)), ('B', ('B1',)))
    """
    found = []
    for match in _CLAUSE.finditer(text):
        parts: dict[str, tuple[str, ...]] = {}
        sound = True
        for piece in match["body"].split(" and "):
            member = _MEMBER.match(piece)
            term = member["term"] if member else ""
            options = [one.strip() for one in member["options"].split(",")] if member else []
            known = term in domain.names and term not in parts
            if not known or not set(options) <= set(domain.term(term).names):
                sound = False
                break
            parts[term] = tuple(sorted(set(options)))
        if sound:
            found.append(Clause(tuple(sorted(parts.items()))))
    return tuple(found)
