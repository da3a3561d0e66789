"""Feasibility against brute force: do the bounded search and plain enumeration agree exactly?

Here: random domains with random red lines; whether a deal keeps all, and all smallest
conflicting sets.
Not here: domains too large to enumerate (unit tests of feasibility).
Sources: SEMANTICS C4; issue's promise: 200 random domains agree with brute force.
"""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

from comity.core.exact import to_fraction
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.protocols.consent.feasibility import Owned, check_red_lines, keeps_all
from comity.protocols.consent.red_lines import Predicate

DOMAINS = 5_000 if os.environ.get("COMITY_FULL") == "1" else 200
NUMBERS = [0, 1, 2, 3, 5, 8, "0.5", "1/3", 13, 21]


def a_domain(chance: Random) -> Domain:
    """Return up to six terms, some with numbers for options, and up to three sums over them."""
    terms: dict[str, object] = {}
    for number in range(chance.randint(1, 6)):
        options = chance.sample(range(12), chance.randint(1, 4))
        if chance.random() < 0.5:
            terms[f"t{number}"] = options
        else:
            terms[f"t{number}"] = {
                f"o{option}": {"x": chance.choice(NUMBERS)} for option in options
            }
    sums = {}
    for number in range(chance.randint(0, 3)):
        parts = [str(chance.randint(-5, 20))]
        for name, options in terms.items():
            if chance.random() < 0.7:
                sign = chance.choice(["+", "-"])
                factor = chance.choice(["1", "2", "0.5", "3/7"])
                attribute = "" if isinstance(options, list) else ".x"
                parts.append(f"{sign} {factor} * {name}{attribute}")
        sums[f"s{number}"] = " ".join(parts)
    return domain_of(terms, sums)


def value(domain: Domain, subject: str, deal: dict[str, str]) -> Fraction:
    """Return a term's or a sum's number, from the numbers of the options alone."""
    found = {name: dict(option.numbers) for name in domain.names
             for option in domain.term(name).options if option.name == deal[name]}  # fmt: skip
    quantity = domain.quantity(subject)
    if quantity is None:
        return to_fraction(found[subject][""])
    words = quantity.text.replace("+ t", "+ 1 * t").split()
    total = Fraction(words[0])
    for sign, factor, _, name in zip(*[iter(words[1:])] * 4, strict=True):
        term, _, attribute = name.partition(".")
        part = Fraction(factor) * to_fraction(found[term][attribute])
        total += part if sign == "+" else -part
    return total


def keeps(domain: Domain, line: Predicate, deal: dict[str, str]) -> bool:
    if line.op == "in":
        return deal[line.subject] in line.options
    told = value(domain, line.subject, deal)
    assert line.bound is not None
    bound = to_fraction(line.bound)
    return {
        "<": told < bound,
        "<=": told <= bound,
        ">": told > bound,
        ">=": told >= bound,
        "==": told == bound,
    }[line.op]


def red_lines(domain: Domain, chance: Random, deals: list[dict[str, str]]) -> list[Owned]:
    """Return up to eight red lines of three seats with bounds that some deal just meets."""
    numeric = [term.name for term in domain.terms if term.names[0][0] != "o"]
    numeric += [quantity.name for quantity in domain.quantities]
    found: list[Owned] = []
    for _ in range(chance.randint(1, 8)):
        party = chance.choice(["CC", "CX", "GM"])
        if numeric and chance.random() < 0.7:
            subject = chance.choice(numeric)
            bound = value(domain, subject, chance.choice(deals))
            op = chance.choice(["<=", ">=", "<=", ">=", "<=", ">=", "<", ">", "=="])
            found.append((party, Predicate(subject, op, bound)))  # type: ignore[arg-type]
        else:
            term = chance.choice(domain.terms)
            options = chance.sample(term.names, chance.randint(1, len(term.names)))
            found.append((party, Predicate(term.name, "in", None, tuple(sorted(options)))))
    return found


def tight(chance: Random) -> tuple[Domain, list[Owned]]:
    """Return floors under each term and a ceiling over their sum: conflicts of many lines."""
    names = [f"t{number}" for number in range(chance.randint(2, 4))]
    domain = domain_of(
        {name: range(chance.randint(2, 5)) for name in names}, {"s": "0 + " + " + ".join(names)}
    )
    lines: list[Owned] = [("GM", Predicate("s", "<=", chance.randint(0, 6)))]
    for name in names:
        party = chance.choice(["CC", "CX", "GM"])
        lines.append((party, Predicate(name, ">=", chance.randint(0, 3))))
    return domain, lines


def by_brute_force(
    domain: Domain, lines: list[Owned], deals: list[dict[str, str]]
) -> set[frozenset[tuple[str, str]]]:
    """Return the smallest sets of red lines that no deal keeps; none when all can be kept."""
    owned = sorted(set(lines), key=lambda one: (one[0], str(one[1])))
    kept = [
        {at for at, (_, line) in enumerate(owned) if keeps(domain, line, deal)} for deal in deals
    ]
    for size in range(len(owned) + 1):
        found = {
            frozenset((owned[at][0], str(owned[at][1])) for at in subset)
            for subset in combinations(range(len(owned)), size)
            if not any(set(subset) <= one for one in kept)
        }
        if found:
            return found
    return set()


def test_c4_random_domains_agree_with_brute_force_on_the_verdict_and_every_smallest_set() -> None:
    verdicts: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    for number in range(DOMAINS):
        chance = Random(number)  # noqa: S311  # a case by its number
        if number % 4:
            domain = a_domain(chance)
            deals = list(domain.deals())
            lines = red_lines(domain, chance, deals)
        else:
            domain, lines = tight(chance)
            deals = list(domain.deals())
        wanted = by_brute_force(domain, lines, deals)
        found = check_red_lines(domain, lines)
        named = {
            frozenset((party, str(line)) for party, line in one.red_lines)
            for one in found.conflicts
        }
        assert found.verdict == ("conflict" if wanted else "feasible"), number
        assert named == wanted, number
        assert len(found.conflicts) == len(wanted), number
        assert found.complete, number
        if not wanted:
            witness = dict(found.witness)
            assert all(keeps(domain, line, witness) for _, line in lines), number
        for deal in deals[:20]:
            told = all(keeps(domain, line, deal) for _, line in lines)
            assert keeps_all(domain, lines, deal) == told, number
        shuffled = chance.sample(lines, len(lines))
        assert check_red_lines(domain, shuffled) == found, number
        verdicts[found.verdict] += 1
        sizes.update(len(one) for one in wanted)
    assert min(verdicts.values()) > DOMAINS / 5, verdicts
    assert {1, 2, 3} <= set(sizes), sizes
