"""Advice: which mechanism fits, when somebody answers four questions?

Here: the questions and their answers as frozen values, the advice that answers lead to, what is
still open after some of them.
Not here: the table from answers to mechanisms (advice_table.py), what each costs and when it fails
(mechanism_facts.py), asking a person (cli/advise.py), showing advice (render/advice.py).
Sources: issue "which mechanism?"; the article's section on where negotiation sits.

Every combination of answers fits one row of the table, so the order in which questions are
answered decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, did_you_mean, raise_if, shown
from comity.session.advice_table import ROWS, Row
from comity.session.mechanism_facts import MECHANISMS, Mechanism

__all__ = ["QUESTIONS", "Advice", "Answer", "Question", "advise", "open_questions"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question.

    Attributes:
        name: the word for it.
        words: what it says.
        also: other words for it.

    Example:
        >>> QUESTIONS[0].answers[1].name
        'side'
    """

    name: str
    words: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the answers it has.

    Attributes:
        name: the word for it.
        words: how it is asked.
        answers: the answers, all that there are.

    Example:
        >>> QUESTIONS[0].words
        'Who can impose the outcome?'
    """

    name: str
    words: str
    answers: tuple[Answer, ...]


QUESTIONS = (
    Question(
        "imposes",
        "Who can impose the outcome?",
        (
            Answer("nobody", "each can refuse, or hold it up", ("no", "none")),
            Answer(
                "side",
                "one of the sides decides, and the others live with it",
                ("yes", "one_side"),
            ),
            Answer("supervisor", "a supervisor or judge above them", ("judge",)),
        ),
    ),
    Question(
        "stake",
        "What is at stake?",
        (
            Answer("choice", "one choice among options", ("option", "options")),
            Answer("amount", "an amount that can be divided", ("budget",)),
            Answer("turns", "a thing only one can have, again and again", ("claim", "claims")),
            Answer("once", "a thing only one can have, once, worth more to some", ("slot",)),
            Answer("price", "a price", ("prices",)),
            Answer("issues", "several issues at once", ("terms",)),
            Answer("work", "work that must pass through others' hands", ("review",)),
            Answer("waiting", "who waits for whom", ("waits", "locks")),
        ),
    ),
    Question(
        "values",
        "Can each say honestly what it is worth to it, in one unit for all?",
        (
            Answer("yes", "in money, tokens, seconds, or with rates between them", ("y", "true")),
            Answer("no", "they would not, or their units differ", ("n", "false")),
        ),
    ),
    Question(
        "consent",
        "Must all consent, or does a majority suffice?",
        (
            Answer("all", "each can say no", ("unanimous", "everybody")),
            Answer("majority", "what more than half want binds the rest", ("most",)),
        ),
    ),
)
"""The four questions; the first whose answer still matters is asked first."""

_BY_NAME = {one.name: one for one in QUESTIONS}
_NAMES = tuple(tuple(each.name for each in one.answers) for one in QUESTIONS)
_ROW_FOR: dict[tuple[str, ...], Row] = {
    chosen: row
    for row in ROWS
    for chosen in product(
        row.imposes, row.stake or _NAMES[1], row.values or _NAMES[2], row.consent or _NAMES[3]
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to use, why, and what else would do.

    Attributes:
        answers: (question, answer), in the order of the questions.
        mechanism: what to use.
        why: the reason, a sentence.
        run: the command to try first.
        second: what would do nearly as well.
        second_why: when to take that instead, a clause.
        second_run: the command to try for it.

    Example:
        >>> advise(imposes="nobody", stake="once", values="yes").mechanism.name
        'auction'
    """

    answers: tuple[tuple[str, str], ...]
    mechanism: Mechanism
    why: str
    run: str
    second: Mechanism
    second_why: str
    second_run: str

    @property
    def is_imposed(self) -> bool:
        """Whether somebody can impose the outcome: then no rounds are needed to agree."""
        return dict(self.answers)["imposes"] != "nobody"

    @property
    def says(self) -> str:
        """The advice in a sentence or two."""
        title = self.mechanism.title
        by = dict(self.answers)["imposes"]
        if by == "nobody":
            return f"Nobody can impose the outcome: {title}. {self.why}"
        who = "One side" if by == "side" else "A supervisor"
        head = f"{who} can impose the outcome: that is an assignment, and no rounds are needed"
        if self.mechanism.name == "assignment":
            return f"{head}. {self.why}"
        return f"{head} to agree. What helps is {title}. {self.why}"

    def __str__(self) -> str:
        """Return the advice as a sentence or two."""
        return self.says

    def to_json(self) -> JsonObject:
        """Return the advice as JSON."""
        return {
            "v": 1,
            "kind": "advice",
            "says": self.says,
            **self.mechanism.to_json(),
            "is_imposed": self.is_imposed,
            "why": self.why,
            "run": self.run,
            "second": {
                "mechanism": self.second.name,
                "title": self.second.title,
                "when": self.second_why,
                "run": self.second_run,
            },
            "answers": dict(self.answers),
        }


# --- from answers to advice ------------------------------------------------------------------


def advise(**answers: str | None) -> Advice:
    """Return the mechanism for some answers.

    Args:
        **answers: ``imposes``, ``stake``, ``values``, ``consent``; what does not matter after the
            others may be left out.

    Returns:
        The advice.

    Raises:
        InvalidInput: with every answer that is unknown, or missing and needed.

    Example:
        >>> print(advise(imposes="yes"))
        One side can impose the outcome: that is an assignment, and no rounds are needed. ...
        >>> advise(imposes="nobody", stake="turns").run
        'comity claim budget --agent A --priority 3'
    """
    known = _known(answers)
    raise_if(_missing(one) for one in _open(known))
    row = _rows(known)[0]
    return Advice(
        answers=tuple((one.name, known[one.name]) for one in QUESTIONS if one.name in known),
        mechanism=MECHANISMS[row.use],
        why=row.why,
        run=row.run or MECHANISMS[row.use].run,
        second=MECHANISMS[row.second],
        second_why=row.second_why,
        second_run=row.second_run or MECHANISMS[row.second].run,
    )


def open_questions(**answers: str | None) -> tuple[Question, ...]:
    """Return the questions whose answers still matter.

    Args:
        **answers: what has been answered.

    Returns:
        The questions in their order; nothing once the advice is settled.

    Raises:
        InvalidInput: for an answer that is unknown.

    Example:
        >>> [one.name for one in open_questions(imposes="nobody", stake="once")]
        ['values', 'consent']
        >>> open_questions(imposes="side")
        ()
    """
    return _open(_known(answers))


def _known(answers: Mapping[str, object]) -> dict[str, str]:
    """Return question -> the name of its answer; None is none yet."""
    faults: list[Fault] = []
    found: dict[str, str] = {}
    for name, said in answers.items():
        question = _BY_NAME.get(name)
        if question is None:
            near = did_you_mean(name, _BY_NAME)
            faults.append(Fault("advice", f"has no question {name!r}", ", ".join(_BY_NAME), near))
        elif said is not None:
            plain = str(said).strip().casefold().replace("-", "_").replace(" ", "_")
            known = _words(question)
            if isinstance(said, str) and plain in known:
                found[name] = known[plain]
                continue
            names = [one.name for one in question.answers]
            near = did_you_mean(plain, names)
            faults.append(Fault(name, f"is {shown(said)}", ", ".join(names), near))
    raise_if(faults)
    return found


def _words(question: Question) -> dict[str, str]:
    """Return every word for an answer, its number too -> the answer's name."""
    return {
        word: one.name
        for number, one in enumerate(question.answers, 1)
        for word in (one.name, *one.also, str(number))
    }


def _rows(known: Mapping[str, str]) -> list[Row]:
    """Return the row of every full set of answers that agrees with those known."""
    names = [
        (known[one.name],) if one.name in known else _NAMES[at] for at, one in enumerate(QUESTIONS)
    ]
    return [_ROW_FOR[chosen] for chosen in product(*names)]


def _open(known: Mapping[str, str]) -> tuple[Question, ...]:
    """Return the questions not yet answered on which the row depends."""
    found = []
    for question, names in zip(QUESTIONS, _NAMES, strict=True):
        if question.name not in known:
            first, *others = (_rows({**known, question.name: one}) for one in names)
            if any(rows != first for rows in others):
                found.append(question)
    return tuple(found)


def _missing(question: Question) -> Fault:
    words = "; ".join(f"{one.name} ({one.words})" for one in question.answers)
    return Fault(question.name, f"is not said: {question.words}", words, "answer with one of them")
