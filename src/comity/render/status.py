"""Status: how does a session that is under way read on one line?

Here: the figures of a running session as one line of a given width.
Not here: the figures (watch/status.py), where the line is shown (cli/live.py).
Sources: clig.dev (progress on one line).
"""

from __future__ import annotations

from collections.abc import Sequence

from comity.core.canonical import JsonObject
from comity.core.errors import one_line
from comity.render.ink import Ink

__all__ = ["status_text"]

_MOST_OPEN = 3


def status_text(figures: JsonObject, ink: Ink, *, width: int | None = None) -> str:
    """Return where a session stands, on one line.

    Args:
        figures: what there is of ``turn``, ``max_turns``, ``round``, ``consents``, ``seats``,
            ``votes``, ``voters``, ``open``, ``money``, ``tokens``, ``waiting`` (who is asked).
        ink: which signs can be shown.
        width: how many characters fit; all by default.

    Example:
        >>> told = {"turn": 7, "max_turns": 30, "consents": 2, "seats": 3, "tokens": 41200}
        >>> print(status_text({**told, "open": ["delivery", "p99"], "money": "0.12"}, Ink()))
        turn 7/30 · consent 2/3 · open: delivery, p99 · cost 0.12 USD · 41,200 tokens
    """
    parts = [
        f"{word} {figures[first]}/{figures[second]}"
        for word, first, second in (
            ("turn", "turn", "max_turns"),
            ("consent", "consents", "seats"),
            ("votes", "votes", "voters"),
        )
        if first in figures
    ]
    if "round" in figures:
        parts.insert(0, f"round {figures['round']}")
    found = _words(figures.get("open"))
    if found:
        more = f" and {len(found) - _MOST_OPEN} more" if len(found) > _MOST_OPEN else ""
        parts.append(f"open: {', '.join(found[:_MOST_OPEN])}{more}")
    if "money" in figures:
        parts.append(f"cost {figures['money']} USD")
    if "tokens" in figures:
        parts.append(f"{figures['tokens']:,} tokens")
    waiting = _words(figures.get("waiting"))
    if waiting:
        parts.append(f"waiting for {', '.join(waiting)}")
    line = f" {ink.sign('dot')} ".join(parts)
    if width is None or len(line) <= width:
        return line
    end = ink.sign("wait")
    return line[: max(width - len(end), 0)] + end


def _words(value: object) -> list[str]:
    texts = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return [one_line(str(one)) for one in texts]
