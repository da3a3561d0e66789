"""Review text: how does a review read on a terminal?

Here: the sentence, the ballots of the last round, announcements, what stands, every risk; lists
of reviews and of risks.
Not here: the closing report in Markdown (protocols/review/report.py), other results (text.py).
Sources: SEMANTICS W3 (the line that announces a conversion stands alone), W4, G1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.listing import short, when
from comity.render.price import joined, listed, objects, words

__all__ = ["review_text", "reviews_text", "risks_text"]

_SHOWN = (
    ("approvals", "APPROVE"),
    ("with_risk", "APPROVE (with documented risk)"),
    ("by_person", "APPROVE (by a person)"),
    ("blocks", "BLOCK"),
    ("invalid", "no vote that counts"),
    ("absent", "absent"),
)


def review_text(data: JsonObject, ink: Ink) -> str:
    """Return the result of a review as a person reads it.

    Args:
        data: what ``to_json`` of a review's result returned.
        ink: how it may be dressed.

    Returns:
        Several paragraphs.

    Example:
        >>> print(review_text({"kind": "blocked", "says": "BLOCKED: x.", "review": {}}, Ink()))
        BLOCKED: x.
    """
    record = data.get("review")
    review: Mapping[str, Json] = record if isinstance(record, Mapping) else {}
    rounds = objects(review.get("rounds"))
    said = one_line(str(data.get("says") or data.get("kind")))
    head = (ink.good if data.get("kind") == "verdict" else ink.warn)(said)
    standing = [one for one in objects(review.get("blocks")) if one.get("became") == "open"]
    return joined(
        [
            head,
            _apart(review),
            _ballots(rounds[-1]) if rounds else "",
            "\n".join(words(review.get("announcements"))),
            listed("Blocks that stand", map(_block, _last_words(standing)), ink),
            listed("Open questions", words(review.get("questions")), ink),
            listed("Findings", map(_finding, objects(review.get("findings"))), ink),
            listed("Comments", map(_comment, objects(review.get("comments"))), ink),
            listed("What would unblock it", words(data.get("unblock")), ink),
            listed("Documented risks", map(_risk, objects(review.get("risks"))), ink),
        ]
    )


def _apart(review: Mapping[str, Json]) -> str:
    before, phase = str(review.get("before") or ""), str(review.get("phase"))
    told = f"What passed {phase} before was another text: version {before[:12]}."
    return one_line(told) if before else ""


def _ballots(tally: JsonObject) -> str:
    why = {str(one["agent"]): str(one["why"]) for one in objects(tally.get("unread"))}
    pairs = tally.get("verdicts")
    told = pairs if isinstance(pairs, (list, tuple)) else ()
    tokens = {str(one[0]): str(one[1]) for one in told if isinstance(one, (list, tuple))}
    rows = []
    for name, vote in _SHOWN:
        for agent in words(tally.get(name)):
            cause = why.get(agent, "")
            said = tokens.get(agent, vote) if name in {"approvals", "blocks"} else vote
            beside = f" ({cause.replace('_', ' ')})" if cause not in {"", "absent"} else ""
            rows.append((agent, f"{said}{beside}"))
    head = (f"{tally.get('phase')}, round {tally.get('round')}", "vote")
    return table(sorted(rows), head)


def _last_words(blocks: Sequence[JsonObject]) -> list[JsonObject]:
    last = {(str(one["agent"]), str(one["category"])): one for one in blocks}
    return list(last.values())


def _block(one: JsonObject) -> str:
    name = one.get("repeats") or one["id"]
    return one_line(
        f"{name} {one['agent']}, {one['category']}: {short(_flat(one['reason']), 200)}"
    )


def _finding(one: JsonObject) -> str:
    told = short(_flat(one.get("text")), 200) or f"none ({one.get('why')})"
    return one_line(f"{one['agent']}: {told}")


def _comment(one: JsonObject) -> str:
    return one_line(f"{one['agent']}: {short(_flat(one['text']), 200)}")


def _flat(value: object) -> str:
    return " ".join(str(value or "").split())


def _risk(one: JsonObject) -> str:
    return one_line(
        f"{one['id']} {one['agent']}, {one['category']} ({_state(one)}): {one['risk']}; "
        f"mitigation: {one['mitigation']}"
    )


def _state(one: JsonObject) -> str:
    if one.get("closed_in"):
        return "closed by approval"
    return f"accepted by {one['accepted_by']}" if one.get("accepted_by") else "open"


# --- lists -----------------------------------------------------------------------------------


def reviews_text(reviews: Sequence[JsonObject], ink: Ink) -> str:
    """Return where reviews stand, a line each.

    Args:
        reviews: each with name, phase, round, result, blocks, risks, session, at_ms.
        ink: how it may be dressed.

    Example:
        >>> print(reviews_text([], Ink()))
        No review yet.
    """
    if not reviews:
        return ink.dim("No review yet.")
    rows = [
        (
            short(str(one["name"]), 40),
            str(one["phase"]),
            str(one["round"]),
            str(one["result"]).replace("_", " "),
            str(one["blocks"]),
            str(len([each for each in objects(one["risks"]) if not each.get("closed_in")])),
            str(one["session"]),
            when(int(str(one["at_ms"]))),
        )
        for one in reviews
    ]
    head = ("review", "phase", "round", "result", "blocks", "risks", "session", "opened")
    return table(rows, head)


def risks_text(risks: Sequence[JsonObject], ink: Ink) -> str:
    """Return documented risks, a block each.

    Args:
        risks: each with the fields of a risk, and ``review``, what was reviewed.
        ink: how it may be dressed.

    Example:
        >>> print(risks_text([], Ink()))
        No documented risk.
    """
    if not risks:
        return ink.dim("No documented risk.")
    blocks = []
    for one in risks:
        lines = [
            ink.bold(one_line(str(one["review"])))
            + one_line(f"  {one['phase']}, {one['id']}, {_state(one)}"),
            one_line(f'  {one["agent"]} blocked on: "{one["category"]}"'),
            one_line(f"  Risk: {one['risk']}"),
            one_line(f"  Mitigation: {one['mitigation']}"),
        ]
        if one.get("to_approve"):
            lines.append(f"  Closed when: {short(_flat(one['to_approve']), 300)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
