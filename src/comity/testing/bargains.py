"""Bargains: a small bargaining problem that examples and tests can share.

Here: two or three seats, two issues, four deals, of which two suit all.
Not here: drawn problems (tests), real domains (the data of the oracle tests).
Sources: SEMANTICS M2; the values are chosen so that every deal ranks differently for each seat.
"""

from __future__ import annotations

from typing import Any

from comity.agents.base import Question
from comity.core.canonical import JsonObject
from comity.core.step import Ask, Input
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.protocols.offers.machine import start, step
from comity.protocols.offers.opening import offers_rules
from comity.protocols.offers.rules import OffersRules

__all__ = ["offers_questions", "sample_offers", "sample_problem"]

_VALUES: dict[str, tuple[dict[str, dict[str, int]], int]] = {
    "ann": ({"tls": {"1.3": 4, "1.2": 1}, "days": {"30": 2}}, 3),
    "bob": ({"tls": {"1.2": 2}, "days": {"60": 3}}, 2),
    "cyd": ({"tls": {"1.3": 1}, "days": {"60": 1}}, 1),
}


def sample_problem(seats: int = 2) -> Problem:
    """Return the problem: ann, bob and perhaps cyd on ``tls`` (1.2, 1.3) and ``days`` (30, 60).

    Args:
        seats: 2 or 3.

    Returns:
        The problem; ``tls = 1.3; days = 60`` suits all, and so does ``tls = 1.2; days = 30``
        without cyd.

    Example:
        >>> [str(one) for one in sample_problem().utilities({"tls": "1.3", "days": "60"})]
        ['4', '3']
    """
    domain = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]})
    chosen = list(_VALUES.items())[:seats]
    return problem_of(
        domain,
        {
            name: additive(domain, values, reservation=limit, whose=name)
            for name, (values, limit) in chosen
        },
    )


def sample_offers(seats: int = 2, **settings: Any) -> OffersRules:  # noqa: ANN401  # of offers_rules
    """Return rules of live bargaining over the sample problem; ann acts first.

    Args:
        seats: 2 or 3.
        **settings: what `offers_rules` takes.

    Example:
        >>> sample_offers(3).order
        ('ann', 'bob', 'cyd')
    """
    told = {"seed": "1", "first": "ann", **settings}
    return offers_rules("Which TLS, how many days?", sample_problem(seats), **told)


_MOVES: tuple[JsonObject, ...] = (
    {"offer": {"tls": "1.3", "days": "30"}, "say": "shall we?"},
    {"offer": {"tls": "1.2", "days": "60"}},
    {"pass": True},
    {"offer": {"tls": "1.3", "days": "60"}},
    {"accept": "nothing"},
    {"say": "hm"},
)


def offers_questions(seat: str = "ann", **settings: Any) -> tuple[Question, ...]:  # noqa: ANN401  # the same
    """Return every question that one seat of a short bargaining session is asked.

    Args:
        seat: ``"ann"``, ``"bob"`` or ``"cyd"``.
        **settings: what `offers_rules` takes.

    Returns:
        The questions in order, one asked again among them.

    Example:
        >>> len(offers_questions("bob")) > 2
        True
    """
    asked: list[Ask] = []
    last = start(sample_offers(3, rounds=5, **settings))
    while last.outcome is None:
        now = last.asks[0]
        asked.append(now)
        body = _MOVES[(len(asked) - 1) % len(_MOVES)]
        last = step(
            last.state, Input(kind="reply", now_ms=0, party=now.party, ask_id=now.id, body=body)
        )
    own = [one for one in asked if one.party == seat]
    return tuple(
        Question(ask=one, request_id=f"sample/{one.id}", nth=nth) for nth, one in enumerate(own)
    )
