"""Rational votes: how does an advocate vote when consent has failed?

Here: the ballot that its private values cast on drafts and on no deal.
Not here: how it negotiates (rational.py), the vote (protocols/collect).
Sources: SEMANTICS G10, C4 (a draft that crosses its red line is worth nothing to it), C7.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from comity.core.canonical import JsonObject
from comity.mechanisms.bargaining.preferences import Additive
from comity.protocols.collect.following import NO_DEAL
from comity.protocols.consent.red_lines import Predicate, crossed

__all__ = ["rational_ballot"]

_ABSTAIN = "VOTE: abstain"
_PARTS = re.compile("[;,:]")
_LEAD = re.compile(r"\s*(?:offers|wants)\s")


def rational_ballot(
    payload: JsonObject, preferences: Additive, red_lines: Sequence[Predicate] = ()
) -> str:
    """Return the ballot of an advocate in words.

    Args:
        payload: the payload of an ask for a ballot; its options mean drafts, as
            ``term = option; term = option``, or no deal.
        preferences: its private values and the least it accepts.
        red_lines: its own red lines that code can check.

    Returns:
        The option worth most to it; abstention where it cannot tell, or two are worth the same.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> wants = additive(domain_of({"tls": ["1.2", "1.3"]}), {"tls": {"1.3": 1}})
        >>> drafts = {"old": "tls = 1.2", "new": "tls = 1.3"}
        >>> rational_ballot(
        ...     {"ballot": "choice", "options": ["new", "old"], "about": drafts}, wants
        ... )
        'VOTE: new'
    """
    about, options = payload.get("about"), payload.get("options")
    told = about if isinstance(about, Mapping) else {}
    names = [str(one) for one in options] if isinstance(options, (list, tuple)) else []
    worth = {
        name: value
        for name in names
        if (value := _worth(name, str(told.get(name, "")), preferences, red_lines)) is not None
    }
    ranked = sorted(worth, key=lambda name: (-worth[name], name))
    kind = payload.get("ballot")
    if kind == "approval":
        liked = [name for name in ranked if worth[name] >= _least(preferences)]
        return f"APPROVE: {', '.join(liked) or 'none'}"
    if not ranked or len(worth) < len(names):
        return _ABSTAIN
    if kind == "ranking":
        groups: dict[Fraction, list[str]] = {}
        for name in ranked:
            groups.setdefault(worth[name], []).append(name)
        return "BALLOT: " + " > ".join(" = ".join(group) for group in groups.values())
    is_tied = len(ranked) > 1 and worth[ranked[0]] == worth[ranked[1]]
    return _ABSTAIN if is_tied or kind != "choice" else f"VOTE: {ranked[0]}"


def _worth(
    name: str, words: str, preferences: Additive, red_lines: Sequence[Predicate]
) -> Fraction | None:
    """Return what an option is worth; None where it cannot be told."""
    if name == NO_DEAL:
        return _least(preferences)
    domain, known = preferences.domain, preferences.table()
    deal: dict[str, str] = {}
    for part in _PARTS.split(words):
        term, _, option = (one.strip() for one in _LEAD.sub("", part).partition("="))
        if option in known.get(term, {}):
            deal[term] = option
    if set(deal) != set(domain.names):
        return None
    if any(crossed(line, domain, deal) for line in red_lines):
        return min(preferences.worst, _least(preferences)) - 1
    return preferences.of(deal)


def _least(preferences: Additive) -> Fraction:
    """Return what no deal is worth: the least it accepts, or the worst deal where it says none."""
    found = preferences.reservation
    return preferences.worst if found is None else found
