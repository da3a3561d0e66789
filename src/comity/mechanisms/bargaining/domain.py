"""Domain: what can be agreed on, option by option.

Here: terms (issues) with a finite set of options, numbers attached to options, declared exact
linear sums over the chosen options, deals and their check.
Not here: what a party thinks of a deal (preferences.py), red lines (protocols/consent).
Sources: SEMANTICS M1 (categorical and integer issues), C4 (declared linear sums); Keeney and
Raiffa 1976 (additive value over issues).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log10, prod
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.core.parties import name_fault

__all__ = [
    "Deal",
    "Domain",
    "Option",
    "Quantity",
    "Term",
    "count_text",
    "domain_from_json",
    "domain_of",
]

Deal = Mapping[str, str]

_LONGEST_NAME = 200  # of a free name
_LARGEST_NUMBER = 10**_LONGEST_NAME

_PART = re.compile(r"\s*([+-])?\s*(?:(\d+(?:\.\d+)?(?:/\d+)?)\s*(\*)?)?\s*([^\W\d][\w.\-]*)?")


@dataclass(frozen=True, slots=True)
class Option:
    """One value a term may take.

    Attributes:
        name: as it is written in drafts and files.
        numbers: attribute -> exact number, for declared sums; the attribute ``""`` is the
            option's own number when its name is one.

    Example:
        >>> Option("30", (("", 30),)).numbers
        (('', 30),)
    """

    name: str
    numbers: tuple[tuple[str, Exact], ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its options, in the order they were declared (which decides nothing).

    Example:
        >>> Term("tls", (Option("1.2"), Option("1.3"))).names
        ('1.2', '1.3')
    """

    name: str
    options: tuple[Option, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the options."""
        return tuple(option.name for option in self.options)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A declared exact sum over the chosen options.

    Attributes:
        name: as red lines name it.
        base: the constant part.
        parts: term -> option -> what choosing it adds.
        text: the declaration as written.

    Example:
        >>> q = Quantity("ms", Fraction(20), (("tls", (("none", Fraction(0)),)),), "20 + tls.ms")
        >>> q.of({"tls": "none"})
        Fraction(20, 1)
    """

    name: str
    base: Fraction
    parts: tuple[tuple[str, tuple[tuple[str, Fraction], ...]], ...]
    text: str

    def of(self, deal: Deal) -> Fraction:
        """Return the quantity of a deal that settles every term of the sum."""
        return self.base + sum((dict(adds)[deal[term]] for term, adds in self.parts), Fraction(0))

    def bounds(self, deal: Deal) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest value that a partial deal leaves possible."""
        low = high = self.base
        for term, adds in self.parts:
            if term in deal:
                value = dict(adds)[deal[term]]
                low, high = low + value, high + value
            else:
                values = [value for _, value in adds]
                low, high = low + min(values), high + max(values)
        return low, high


@dataclass(frozen=True, slots=True)
class Domain:
    """All terms of a decision and the sums declared over them.

    Attributes:
        terms: the terms, in the order they were declared.
        quantities: the declared sums.
        is_free: whether names may be any printable text, as those of files from elsewhere.

    Example:
        >>> d = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]})
        >>> d.size, d.term("days").names
        (4, ('30', '60'))
    """

    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...] = ()
    is_free: bool = False

    @property
    def size(self) -> int:
        """The number of deals."""
        return prod(len(term.options) for term in self.terms)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the terms."""
        return tuple(term.name for term in self.terms)

    def term(self, name: str) -> Term:
        """Return the term of this name.

        Raises:
            InvalidInput: when there is none.
        """
        for term in self.terms:
            if term.name == name:
                return term
        raise_if([_unknown_term("domain", name, self.names)])
        raise AssertionError(name)  # pragma: no cover  # raise_if has raised

    def quantity(self, name: str) -> Quantity | None:
        """Return the declared sum of this name, or None."""
        for quantity in self.quantities:
            if quantity.name == name:
                return quantity
        return None

    def deals(self) -> Iterator[dict[str, str]]:
        """Yield every deal; the caller looks at :attr:`size` first."""
        names = self.names
        for chosen in product(*(term.names for term in self.terms)):
            yield dict(zip(names, chosen, strict=True))

    def faults(self, deal: Deal, whose: str, *, partial: bool = False) -> tuple[Fault, ...]:
        """Return what is wrong with a deal.

        Args:
            deal: term -> option.
            whose: who gave it, for the messages.
            partial: whether terms may be missing.

        Returns:
            One fault per unknown term, unknown option and (unless partial) missing term.
        """
        found = []
        for name, option in deal.items():
            if name not in self.names:
                found.append(_unknown_term(whose, name, self.names))
            elif option not in self.term(name).names:
                known = self.term(name).names
                found.append(
                    Fault(
                        whose,
                        f"sets {name} to {option!r}, which is not on offer",
                        f"{name}: {', '.join(known)}",
                        did_you_mean(str(option), known),
                    )
                )
        missing = [name for name in self.names if name not in deal]
        if missing and not partial:
            found.append(
                Fault(whose, f"leaves {', '.join(missing)} open", "every term settled", "add them")
            )
        return tuple(found)

    def to_json(self) -> JsonObject:
        """Return terms, sums and their declared order, as :func:`domain_from_json` takes them."""
        terms = {
            term.name: {option.name: plain(dict(option.numbers)) for option in term.options}
            for term in self.terms
        }
        return {
            "terms": terms,
            "quantities": {one.name: one.text for one in self.quantities},
            "order": {
                "terms": [[term.name, list(term.names)] for term in self.terms],
                "quantities": [one.name for one in self.quantities],
            },
            **({"free": True} if self.is_free else {}),
        }


def domain_of(
    terms: Mapping[str, object],
    quantities: Mapping[str, str] | None = None,
    *,
    free: bool = False,
) -> Domain:
    """Build a domain from plain values and refuse every fault at once.

    Args:
        terms: term -> options: a list of names or numbers, or option -> {attribute: number}.
        quantities: name -> a sum such as ``"20 + tls.handshake + 2 * delivery.retry"``, where
            ``term.attribute`` is a number of the chosen option and a bare ``term`` is the option
            itself when it is a number.
        free: whether names may be any printable text of at most 200 characters; otherwise they
            are such as drafts and red lines can name without quotes.

    Returns:
        The domain.

    Raises:
        InvalidInput: for unusable names, repeated or missing options, numbers that are not exact,
            and sums that name what does not exist.

    Example:
        >>> d = domain_of(
        ...     {"tls": {"full": {"ms": 60}, "none": {"ms": 0}}, "retries": [0, 1]},
        ...     {"p99": "20 + tls.ms + 15 * retries"},
        ... )
        >>> d.quantities[0].of({"tls": "full", "retries": "1"})
        Fraction(95, 1)
    """
    faults: list[Fault] = []
    built = tuple(_term(name, options, faults, free=free) for name, options in terms.items())
    if not free:
        faults.extend(_alike("domain", "term", [term.name for term in built]))
    if not built:
        faults.append(Fault("domain", "has no terms", "at least one term", "declare the terms"))
    sums = []
    for name, text in (quantities or {}).items():
        if name in terms:
            faults.append(
                Fault(
                    f"quantity {name!r}",
                    "has the name of a term",
                    "a name of its own",
                    "rename it",
                )
            )
        sums.append(_quantity(name, text, built, faults))
    raise_if(faults)
    return Domain(built, tuple(sums), free)


def domain_from_json(data: Mapping[str, Any]) -> Domain:
    """Read a domain that :meth:`Domain.to_json` wrote, whatever became of the order of its keys.

    Args:
        data: the recorded domain.

    Returns:
        An equal domain, in the order declared.

    Raises:
        InvalidInput: when the record is damaged.

    Example:
        >>> d = domain_of({"tls": ["1.3", "1.2"], "days": [30, 60]})
        >>> domain_from_json(d.to_json()) == d
        True
    """
    try:
        terms, sums, order = data["terms"], data["quantities"], data["order"]
        listed = {name: {one: terms[name][one] for one in ones} for name, ones in order["terms"]}
        texts = {name: sums[name] for name in order["quantities"]}
        is_whole = listed == terms and texts == sums
    except (KeyError, TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise InvalidInput(
            Fault("domain", "is not as it was recorded", "what to_json wrote", "run verify")
        )
    return domain_of(listed, texts, free=data.get("free") is True)


def count_text(count: int) -> str:
    """Return a number of deals as a person reads it, however large.

    Example:
        >>> count_text(12_000), count_text(10**400)
        ('12,000', 'about 10^400')
    """
    if count < 10**30:
        return f"{count:,}"
    return f"about 10^{round(log10(count))}"


def _alike(whose: str, what: str, names: Sequence[str]) -> list[Fault]:
    """Return a fault for every pair of names that only capitals tell apart."""
    folded: dict[str, str] = {}
    found = []
    for name in sorted({str(one) for one in names}):
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            found.append(
                Fault(
                    whose,
                    f"has the {what}s {other!r} and {name!r}, which only capitals tell apart",
                    "names that differ in more than capitals",
                    "rename one",
                )
            )
    return found


def _name_fault(name: object, what: str, *, free: bool) -> Fault | None:
    if not free:
        return name_fault(name, what)
    if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable():
        return None if name == name.strip() else _odd_name(name, what)
    return _odd_name(name, what)


def _odd_name(name: object, what: str) -> Fault:
    allowed = f"1 to {_LONGEST_NAME} printable characters, no space at the ends"
    return Fault(f"{what} {shown(name)}", "cannot be used as a name", allowed, "rename it")


def _term(name: str, options: object, faults: list[Fault], *, free: bool) -> Term:
    whose = f"term {name!r}"
    fault = _name_fault(name, "term", free=free)
    if fault:
        faults.append(fault)
    table: list[tuple[str, Mapping[str, object]]]
    if isinstance(options, Mapping):
        table = [
            (str(key), item if isinstance(item, Mapping) else {"": item})
            for key, item in options.items()
        ]
    elif isinstance(options, Iterable) and not isinstance(options, str):
        table = [(_option_name(item), {}) for item in options]
    else:
        table = []
    if not table:
        faults.append(Fault(whose, "has no options", "a list of options", "list them"))
    names = [key for key, _ in table]
    for repeated in sorted(key for key, count in Counter(names).items() if count > 1):
        faults.append(Fault(whose, f"lists {repeated!r} twice", "each option once", "remove one"))
    if not free:
        faults.extend(_alike(whose, "option", names))
    built = []
    for key, numbers in table:
        fault = _name_fault(key, f"option of {name}", free=free)
        if fault:
            faults.append(fault)
        built.append(Option(key, _numbers(key, numbers, whose, faults)))
    return Term(name, tuple(built))


def _option_name(item: object) -> str:
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, int) and abs(item) >= _LARGEST_NUMBER:
        return ""  # refused as a name
    return str(item)


def _numbers(
    key: str, numbers: Mapping[str, object], whose: str, faults: list[Fault]
) -> tuple[tuple[str, Exact], ...]:
    found: dict[str, Exact] = {}
    with suppress(InvalidInput):  # a name that is not a number has no number of its own
        found[""] = read_exact(key, whose, "option")
    for attribute, value in numbers.items():
        try:
            found[attribute] = read_exact(value, whose, f"{key}.{attribute}".rstrip("."))
        except InvalidInput as error:
            faults.extend(error.faults)
    return tuple(sorted(found.items()))


def _unknown_term(whose: str, name: str, known: Iterable[str]) -> Fault:
    names = tuple(known)
    return Fault(
        whose,
        f"names the term {name!r}, which does not exist",
        f"terms: {', '.join(names)}",
        did_you_mean(name, names),
    )


def _quantity(name: str, text: object, terms: tuple[Term, ...], faults: list[Fault]) -> Quantity:
    whose = f"quantity {name!r}"
    fault = name_fault(name, "quantity")
    if fault:
        faults.append(fault)
    base = Fraction(0)
    adds: dict[str, dict[str, Fraction]] = {}
    for factor, subject in _parts(str(text), whose, faults):
        if subject is None:
            base += factor
            continue
        found = _subject(subject, terms)
        if found is None:
            faults.append(_unknown_subject(whose, subject, terms))
            continue
        term, attribute = found
        for option in term.options:
            number = dict(option.numbers).get(attribute)
            if number is None:
                faults.append(
                    Fault(
                        whose,
                        f"adds {subject}, but {term.name} = {option.name} has no such number",
                        "a number at every option of the term",
                        f"add {attribute or 'a number'} to {option.name!r}",
                    )
                )
            else:
                here = adds.setdefault(term.name, {})
                value = factor * to_fraction(number)
                here[option.name] = here.get(option.name, Fraction(0)) + value
    parts = tuple((term, tuple(values.items())) for term, values in adds.items())
    return Quantity(name, base, parts, str(text))


def _parts(text: str, whose: str, faults: list[Fault]) -> list[tuple[Fraction, str | None]]:
    parts: list[tuple[Fraction, str | None]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _PART.match(text, at)
        sign, number, star, subject = match.groups() if match else (None, None, None, None)
        broken = number is None and subject is None
        broken = broken or (bool(parts) and sign is None)
        broken = broken or (number is not None and (star is not None) != (subject is not None))
        if match is None or broken:
            faults.append(
                Fault(
                    whose,
                    f"cannot be read from {text[at : at + 40]!r} on",
                    "a sum such as 20 + tls.handshake + 2 * delivery.retry",
                    "correct the sum",
                )
            )
            break
        factor = Fraction(1)
        if number:
            try:
                factor = to_fraction(read_exact(number, whose, "factor"))
            except InvalidInput as error:
                faults.extend(error.faults)
        parts.append((-factor if sign == "-" else factor, subject))
        at = match.end()
    if not text.strip():
        faults.append(Fault(whose, "is empty", "a sum over the terms", "write the sum"))
    return parts


def _subject(subject: str, terms: tuple[Term, ...]) -> tuple[Term, str] | None:
    # the longest name that fits: with terms "a" and "a.b", "a.b" is the term and not a number
    for term in sorted(terms, key=lambda one: -len(one.name)):
        if subject == term.name:
            return term, ""
        if subject.startswith(term.name + "."):
            attribute = subject[len(term.name) + 1 :]
            if any(attribute in dict(option.numbers) for option in term.options):
                return term, attribute
    return None


def _unknown_subject(whose: str, subject: str, terms: tuple[Term, ...]) -> Fault:
    known = [term.name for term in terms]
    for term in terms:
        attributes = sorted({key for option in term.options for key, _ in option.numbers if key})
        known.extend(f"{term.name}.{attribute}" for attribute in attributes)
    return Fault(
        whose,
        f"adds {subject!r}, which does not exist",
        "a term or term.attribute",
        did_you_mean(subject, known),
    )
