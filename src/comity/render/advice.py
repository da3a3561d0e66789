"""Advice: how does it read on a terminal which mechanism to use?

Here: one advice in words, a question with its answers.
Not here: which mechanism it is (session/advice.py), asking (cli/advise.py).
Sources: SEMANTICS G2 (what to do next).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from comity.core.canonical import JsonObject
from comity.core.errors import one_line
from comity.render.ink import Ink
from comity.render.price import joined

__all__ = ["advice_text", "question_text"]

_LINES = (
    ("does", "what it does"),
    ("messages", "messages"),
    ("rounds", "rounds"),
    ("exact", "exact"),
    ("manipulates", "manipulated by"),
    ("needs", "needs"),
    ("fails", "fails when"),
)
_FILES = {
    " examples/": "`comity examples` writes the files of examples/ into this folder",
    " PLAN.md": "PLAN.md stands for a text of your own",
}
_SIGNS = {
    "n": "n parties",
    "r": "r rounds said beforehand",
    "T": "T rounds at most",
    "k": "k units won at once",
    "P": "P the highest priority, p one's own",
    "c": "c for a loss",
}


def advice_text(data: JsonObject, ink: Ink) -> str:
    """Return an advice as a person reads it.

    Args:
        data: what ``to_json`` of an advice returned.
        ink: how it may be dressed.

    Returns:
        What to use and why, what it costs, the command to try, the second best.
    """
    head, colon, rest = one_line(str(data["says"])).partition(":")
    second = data["second"]
    assert isinstance(second, Mapping)
    width = max(len(title) for _, title in _LINES)
    facts = "\n".join(f"{title:<{width}}  {one_line(str(data[name]))}" for name, title in _LINES)
    return joined(
        [
            f"{ink.good(head)}{colon}{rest}",
            f"{facts}\n{ink.dim(_signs(data))}".rstrip(),
            _command("Next", str(data["run"]), ink),
            _command(
                f"Second best: {one_line(str(second['title']))}",
                str(second["run"]),
                ink,
                one_line(str(second["when"])),
            ),
            ink.dim(_needed(f"{data['run']} {second['run']}")),
        ]
    )


def _signs(data: JsonObject) -> str:
    """Return what the letters of the formulas stand for, on a line of its own."""
    formulas = f"{data['messages']} {data['rounds']}"
    letters = set(re.findall(r"(?<![a-z])[nrTkPc](?![a-z])", formulas))
    told = ", ".join(said for sign, said in _SIGNS.items() if sign in letters)
    return f"({told})" if told else ""


def _needed(commands: str) -> str:
    """Return where the files that commands name come from, on a line of its own."""
    told = [said for name, said in _FILES.items() if name in commands]
    return f"({'; '.join(told)})" if told else ""


def _command(title: str, run: str, ink: Ink, when: str = "") -> str:
    told = f"{ink.bold(title)}, {when}" if when else ink.bold(title)
    return f"{told}\n  {ink.name(one_line(run))}"


def question_text(words: str, answers: Sequence[tuple[str, str]], ink: Ink) -> str:
    """Return a question with its numbered answers.

    Args:
        words: the question.
        answers: (name, what it says) of each.
        ink: how it may be dressed.

    Example:
        >>> print(question_text("Who?", [("side", "one side"), ("nobody", "nobody")], Ink()))
        Who?
          1  side    one side
          2  nobody  nobody
    """
    width = max(len(name) for name, _ in answers)
    lines = [
        f"  {number}  {ink.name(name)}{'':{width - len(name)}}  {said}"
        for number, (name, said) in enumerate(answers, 1)
    ]
    return "\n".join([ink.bold(words), *lines])
