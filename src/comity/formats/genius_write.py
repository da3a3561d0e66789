"""Genius files: how is a problem written for Genius?

Here: the domain and one profile per party, as texts.
Not here: reading them (genius_xml.py), what they cannot hold (file_losses.py), a disk.
Sources: the Genius user guide. A value v is written as weight m, the largest value of the issue,
and an evaluation in proportion to v, in whole numbers where they are short: weight * evaluation /
largest evaluation is then v again, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from html import escape
from math import lcm

from comity.core.errors import Fault, raise_if
from comity.formats.file_losses import (
    Shares,
    decimal_text,
    inexact,
    losses_of,
    shares_of,
    unwritable,
)
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem import Problem

__all__ = ["write_genius"]

_WHOLE_UP_TO = 2**53  # what Genius reads without rounding


def write_genius(
    problem: Problem, name: str = "scenario", *, lossy: bool = False
) -> Mapping[str, str]:
    """Return the files of a problem: its domain and one profile for each party.

    Args:
        problem: additive values of 0 or more, no constraints and no red lines.
        name: the domain's file is ``NAME-domain.xml``; a profile has the name of its party.
        lossy: whether numbers may be rounded, values scaled to 0..1, and units, rates, declared
            sums and numbers at options left out.

    Returns:
        File name -> text. A party without a reservation gets 0, as Genius has it.

    Raises:
        InvalidInput: with everything that the files cannot hold.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"day": ["Mon", "Tue"]})
        >>> own = additive(d, {"day": {"Mon": "0.5", "Tue": "0.2"}}, reservation="0.1")
        >>> files = write_genius(problem_of(d, {"ann": own, "bob": own}), "day")
        >>> sorted(files)
        ['ann.xml', 'bob.xml', 'day-domain.xml']
        >>> print(files["ann.xml"].splitlines()[3].strip())
        <item index="1" value="Mon" evaluation="5"/>
    """
    faults = list(unwritable(problem, "Genius"))
    domain_file = f"{name}-domain.xml"
    files = {party: f"{party}.xml" for party in problem.names}
    taken = [one.casefold() for one in (domain_file, *files.values())]
    for owner, file in files.items():
        if taken.count(file.casefold()) > 1:
            what = f"would share the file {file} on some disks"
            allowed = "names that differ in more than capitals"
            faults.append(Fault(owner, what, allowed, "rename the party"))
    raise_if(faults)
    losses = list(losses_of(problem, "Genius"))
    texts = {domain_file: _domain_text(problem, files)}
    for party in problem.parties:
        assert isinstance(party.preferences, Additive)
        shares = shares_of(party.name, party.preferences, losses)
        texts[files[party.name]] = _profile_text(
            problem, shares, party.preferences.discount, losses
        )
    if not lossy:
        raise_if(losses)
    return texts


def _quoted(text: str) -> str:
    return f'"{escape(text)}"'


def _domain_text(problem: Problem, files: Mapping[str, str]) -> str:
    lines = ['<negotiation_template number_of_sessions="1">']
    lines += [
        f'  <agent class="" name="" utility_space={_quoted(file)}/>' for file in files.values()
    ]
    lines += [f"  {line}" for line in _space_lines(problem, None, [])]
    return "\n".join([*lines, "</negotiation_template>", ""])


def _profile_text(
    problem: Problem, shares: Shares, discount: Fraction, losses: list[Fault]
) -> str:
    lines = _space_lines(problem, shares, losses)
    limits = [
        ("reservation", shares.reservation or Fraction(0)),
        ("discount_factor", discount),
    ]
    told = []
    for tag, value in limits:
        text, is_exact = decimal_text(value)
        if not is_exact:
            losses.append(inexact(shares.party, f"its {tag.replace('_', ' ')}", value))
        told.append(f'  <{tag} value="{text}"/>')
    return "\n".join([*lines[:-1], *told, lines[-1], ""])


def _space_lines(problem: Problem, shares: Shares | None, losses: list[Fault]) -> list[str]:
    terms = problem.domain.terms
    lines = [
        f'<utility_space number_of_issues="{len(terms)}">',
        '  <objective index="0" name="root" type="objective" etype="objective" description="">',
    ]
    for at, term in enumerate(terms):
        kind = 'type="discrete" etype="discrete" vtype="discrete"'
        lines.append(f'    <issue index="{at + 1}" name={_quoted(term.name)} {kind}>')
        told = [""] * len(term.options)
        if shares is not None:
            told = _evaluations(term.name, shares, at, losses)
        for number, (option, more) in enumerate(zip(term.names, told, strict=True), 1):
            lines.append(f'      <item index="{number}" value={_quoted(option)}{more}/>')
        lines.append("    </issue>")
    for at, weight in enumerate(shares.weights if shares is not None else ()):
        text, is_exact = decimal_text(weight)
        if not is_exact:
            what = f"its largest value of {terms[at].name!r}"
            losses.append(inexact(shares.party if shares else "", what, weight))
        lines.append(f'    <weight index="{at + 1}" value="{text}"/>')
    return [*lines, "  </objective>", "</utility_space>"]


def _evaluations(name: str, shares: Shares, at: int, losses: list[Fault]) -> list[str]:
    row = shares.rows[at]
    scale = lcm(*(share.denominator for _, share in row))
    found = []
    for option, share in row:
        if scale <= _WHOLE_UP_TO:
            text, is_exact = str(int(share * scale)), True
        else:
            text, is_exact = decimal_text(share)
        if not is_exact:
            what = f"the share of {name} = {option} in its largest value"
            losses.append(inexact(shares.party, what, share))
        found.append(f' evaluation="{text}"')
    return found
