"""Replies: how is one reply of an agent read, and why?

Here: the readers of both protocols for a text that came from a file or a pipe.
Not here: the grammars (protocols/consent/grammar.py, protocols/review/grammar.py).
Sources: SEMANTICS C1-C3, C8, W1, W2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from comity.protocols.consent import grammar as consent
from comity.protocols.review import grammar as review

__all__ = ["ReadReply", "read_consent_reply", "read_review_reply"]

ReviewRole = Literal["voter", "verdict", "advisor"]

_PROPOSAL_KEYS = {"i_offer", "missing"}


@dataclass(frozen=True, slots=True)
class ReadReply:
    """What was read.

    Attributes:
        data: the status and the keys that go with it.
        why: one sentence for people.
    """

    data: Mapping[str, object]
    why: str

    @property
    def is_readable(self) -> bool:
        """Whether the reply counts as it is, so that nobody has to be asked again."""
        return self.data["status"] not in {"invalid", "incomplete", "no_proposal"}


def read_consent_reply(text: str, *, seat: str | None, open_check: bool) -> ReadReply:
    """Read a reply in a consent negotiation.

    Args:
        text: the reply.
        seat: whose it is, or None.
        open_check: whether a consent check is open.

    Returns:
        What was read.

    Example:
        >>> read_consent_reply("[CONSENT]", seat="CC", open_check=True).why
        'The answer is CONSENT.'
    """
    data = consent.parse_consent_json(text, seat=seat, open_check=open_check)
    reading: consent.ConsentReading | consent.ProposalReading
    if data["status"] == "no_proposal" or _PROPOSAL_KEYS & set(data):
        reading = consent.read_proposal(text)
    else:
        reading = consent.read_answer(text, seat=seat, open_check=open_check)
    return ReadReply(data, consent.explain(reading))


def read_review_reply(text: str, *, role: ReviewRole | None) -> ReadReply:
    """Read a reply in a review.

    Args:
        text: the reply.
        role: the reviewer's role, or None to take it from the text.

    Returns:
        What was read.

    Example:
        >>> read_review_reply("Looks fine.", role=None).data
        {'status': 'invalid', 'error': 'no_vote'}
    """
    data = review.parse_review_json(text, role=role)
    verdict = data.get("vote") in {"APPROVED_TO_SHIP", "BLOCKED"}
    reading = review.read_vote(text, role=role or ("verdict" if verdict else "voter"))
    return ReadReply(data, review.explain(reading))
