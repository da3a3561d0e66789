"""Doubts: what in a message contradicts or qualifies an approval?

Here: words directly below a vote, who or what introduces it, and lines anywhere that deny, set
conditions or decide otherwise.
Not here: finding the votes (grammar.py), which lines are the reviewer's own (protocols/masks.py).
Sources: SEMANTICS W1 (contradictory votes are unreadable; never an approval out of doubt).

It doubts too much rather than too little: a reply in doubt is asked again, an approval that
nobody gave cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from comity.protocols.conditions import goes_on, is_half, sets_condition
from comity.protocols.letters import look, normalise
from comity.protocols.text import Page, is_placeholder, is_rule, plain

__all__ = ["FIELD", "is_doubted", "told_doubt"]

FIELD = re.compile(
    r"(?:blocking\s+)?"
    r"(reasons?(?:\s+for\s+(?:blocking|the\s+block|approval|my\s+vote))?"
    r"|category|to\s+approve|suggestions?|addressed|still\s+open)"
    r"\s*(?:([:=]|[-–—]+(?=\s))|\Z)\s*(.*)",
    re.IGNORECASE,
)
"""A line that begins with the label of a field: the label, its mark, what stands behind it."""

_MOST_ABOVE = 40  # the lines of a vote's own paragraph that are looked at

# --- words ---

_REFUSES = (
    r"(?:un)?block(?:ed|s)?|blcok\w*|reject\w*|den(?:y|ied)|disapprove\w*|decline[sd]?|veto\w*"
    r"|abstain\w*|withdr[ae]w\w*|retract\w*|pending|undecided|fail(?:ed)?|request(?:s|ed|ing)?"
    r"\s+changes|not\s+(?:approv\w*|ready|yet)"
)
_DENIES = (
    rf"{_REFUSES}|no|nay|not|never|none|against|hold|defer\w*|request\w*|changes|needs?|unsure"
    r"|conditional\w*"
)
_LABELLED = re.compile(
    r"\W{0,40}(?:(?:my|our|final|the|new)\s+){0,3}(?:vote|verdict|decision|ballot)\b"
    rf"(?:\s*(?:\([^()]{{0,40}}\)|#?[0-9]{{1,3}}))?\s*(?:[:=]+\s*(.*)|(?:[-–—→>]+\s*)?((?:{_DENIES})\b.*))",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\W{0,40}(?:(?:my|our|final|the)\s+){0,3}(?:answer|result|outcome|recommendation|ruling"
    r"|conclusion|status|position|approv(?:e|ed|al)|opinion|judge?ment)\b"
    rf"\s*(?:[:=]+|[-–—]+|\bis\b)\W*(?:(?:{_REFUSES})\b|(?:no|nay|not)\W*\Z)",
    re.IGNORECASE,
)
_TOKEN_ALONE = re.compile(
    r"\W{0,40}(?:block(?:ed)?|blcok|reject(?:ed)?|veto(?:ed)?|disapproved?)\s*(?:[:\-–—.!]|\Z)"
    r"|\W{0,40}(?:either|or)\W*\Z",
    re.IGNORECASE,
)
_SAYS_NO = re.compile(
    r"\b(?:i|we)\s+(?:(?:hereby|must|have\s+to|still)\s+)?"
    r"(?:(?:do\s+not|don['’]?t|can\s?not|can['’]t|could\s+not|won['’]t|will\s+not|would\s+not"
    r"|would\s+never|wouldn['’]t|am\s+not|no\s+longer|never)\s+(?:\w+\s+){0,2}?"
    r"(?:approv\w*|vote|support|agree|say|ship)"
    r"|(?:block|reject|veto|abstain|withdraw|retract|disapprove)(?!\w)"
    r"|have\s+not\s+(?:yet\s+)?(?:voted|decided)"
    r"|vote\s+(?:to\s+)?(?:block|reject|against|no)(?!\w)"
    r"|(?:have|see)\s+(?:a|an|one|two|some|several)\s+block(?:ing|er))",
    re.IGNORECASE,
)
_UNMADE = re.compile(
    r"\bonly\s+valid\b|\A\W{0,8}\[\^?\w{1,8}\]:\s*(?:only|if|once|unless|provided|conditional)"
    r"|\b(?:this|my|the)\s+(?:vote|approval)\s+(?:is|was|stands?|holds?|depends|counts?|only)\b"
    r"[^.]{0,80}\b(?:unless|if|once|void|only|when|until|provided|withdrawn|conditional|invalid|not)\b",
    re.IGNORECASE,
)
_SHOUTED = re.compile(r"\W{0,40}\w[\w .]{0,30}\s?[:=]\W{0,8}(?:BLOCK|REJECT|VETO)(?:ED)?\W*\Z")
_LOOKS_LABELLED = re.compile(
    r"[\W_]{0,40}(?:(?:mi|our|finai)\s+){0,2}(?:uote|uerdict|decision|baiiot)\s*[:=]\W*(?!approu)\w"
)
_CONDITION_LINE = re.compile(
    r"\W{0,40}(?:pre-?conditions?|conditions?|conditional(?:\s+on|\s+upon)?|caveats?|provided"
    r"|prerequisites?|subject\s+to|pending)\s*[:=]\s*(.*)",
    re.IGNORECASE,
)
_TICKED_NO = re.compile(
    rf"\W{{0,40}}(?:[\[(]\s*[xX✓✔*]\s*[\])]|[☑☒✓✔])\W*(?:{_DENIES})\b", re.IGNORECASE
)
_TAGS = re.compile(r"<[^<>]*>")
_STRUCK = re.compile(r"~~(?:(?!~~).)*~~\W*")
_UNTICKED = re.compile(r"(?:[\[(]\s*[\])]|[☐□])")
_ASSENT = re.compile(
    r"[\W_]*(?:approved?(?:[\s_-]+to[\s_-]+ship)?|yes|ok|true)[\W_]*", re.IGNORECASE
)
_QUICK = re.compile(
    r"vote|verdict|decision|ballot|answer|result|outcome|recommend|ruling|conclu|status|position"
    r"|appro|opinion|judg|block|reject|veto|blcok|either|\bor\W*$|\b(?:i|we)\s|condition|caveat"
    r"|provided|prereq|subject|pending|valid|\[\^|BLOCK|REJECT|VETO|[x✓✔*]\s*[\])]|[☑☒✓✔]",
    re.IGNORECASE,
)


# --- the text --------------------------------------------------------------------------------


def is_doubted(
    page: Page, votes: Iterable[tuple[int, int]], read: Iterable[int], others: Iterable[str] = ()
) -> bool:
    r"""Tell whether anything in a page speaks against the approvals in it.

    Args:
        page: the reply.
        votes: the lines of each approval: its first, and the first behind it.
        read: the lines that are votes and forms, and were read as such.
        others: the names of the other seats.

    Returns:
        True when the approval must be asked about again.

    Example:
        >>> from comity.protocols.text import read_page
        >>> is_doubted(read_page("VOTE: APPROVE\nprovided the tests pass"), [(0, 1)], [0])
        True
    """
    names = {name.casefold() for name in others}
    known = set(read)
    if not page.whole.isascii() and _imitates(page, known):
        return True
    for first, after in votes:
        if any(page.lines[at].count("`") % 2 for at in range(first, after)):
            return True
        if _follows(page, after) or _is_introduced(page, first, names, known):
            return True
    return any(
        _denies(line)
        for number, line in enumerate(page.lines)
        if number not in known and page.kinds[number] in {"own", "unsure"} and _QUICK.search(line)
    )


def _imitates(page: Page, known: set[int]) -> bool:
    """Tell whether a line looks like another vote, in the letters of another script."""
    return any(
        not line.isascii() and _LOOKS_LABELLED.match(look(plain(line[:400])))
        for number, line in enumerate(page.lines)
        if number not in known and page.kinds[number] in {"own", "unsure"}
    )


def _denies(line: str) -> bool:
    """Tell whether a line decides otherwise, or sets a condition."""
    text = plain(_TAGS.sub(" ", line) if "<" in line else line)
    if _STRUCK.fullmatch(text) or _UNTICKED.match(text):
        return False
    if labelled := _LABELLED.match(text):
        value = (labelled[1] or labelled[2] or "").strip()
        return bool(value) and not (value[0] == "<" or _ASSENT.fullmatch(value))
    if condition := _CONDITION_LINE.match(text):
        return not is_placeholder(condition[1])
    lines = (_TOLD.match, _TOKEN_ALONE.match, _TICKED_NO.match, _SAYS_NO.search,
             _UNMADE.search, _SHOUTED.match)  # fmt: skip
    return any(found(text) for found in lines)


def _follows(page: Page, after: int) -> bool:
    """Tell whether what stands below a vote belongs to it, and is no field."""
    is_apart = False
    for at in range(after, len(page.lines)):
        line = page.lines[at].strip()
        if page.kinds[at] == "hidden":
            continue
        if not line:
            is_apart = True
            continue
        if is_rule(line) or line == "--":
            return False
        text = page.own(at)
        if page.kinds[at] == "own" and not any(char.isalnum() for char in text):
            continue
        if is_apart:
            is_more = text[:1].islower() and not FIELD.match(text) and not _is_vote(text)
            return page.kinds[at] == "own" and (is_more or goes_on(text))
        return FIELD.match(text) is None and not _is_vote(text)
    return False


def _is_vote(text: str) -> bool:
    labelled = _LABELLED.match(text)
    return labelled is not None and (labelled[1] or "").strip() != ""


# --- who introduces it ---

_TEACHES = re.compile(
    r"\b(?:says?|said|saying|wrote|writes?|voted|votes|answers?|answered|repl(?:y|ied|ies)|stated"
    r"|respond(?:s|ed)?|quot(?:e|es|ed|ing)|examples?|e\.\s?g|formats?|templates?|form|samples?"
    r"|ends?\s+(?:in|with)|instructions?|would|if|suppose|imagine|like\s+this|follows?"
    r"|prompt|asked|told|wanted|expected)\b",
    re.IGNORECASE,
)
_MINE = re.compile(r"(?:here\s+is\s+|here['’]s\s+|this\s+is\s+)?(?:my|our)\b", re.IGNORECASE)
_HEDGES = re.compile(r"\b(?:would|if|suppose|imagine|earlier|once|first|draft)\b", re.IGNORECASE)
_ROLE = (
    r"(?:planner|architect|critic|engineer|manager|security|performance|reviewer|advocate|author"
    r"|user|assistant|human|system|tool|model|agent|seat|lead|tester|designer|developer|bot)"
)
_ROLE_LINE = re.compile(
    rf"[\[(@]?\s*(?:the\s+)?(?:[\w.-]+\s+){{0,2}}{_ROLE}\s*[\w.-]{{0,12}}\s*[\])]?\s*:?",
    re.IGNORECASE,
)
_NAME_LINE = re.compile(r"(?:[\[(@]\s*)?([A-Z][\w.-]*(?:\s[A-Z][\w.-]*){0,2})\s*(?:[\])]|:)+\s*")
_HEADS = frozenset(
    (
        "conclusion",
        "conclusions",
        "summary",
        "decision",
        "verdict",
        "vote",
        "result",
        "results",
        "final",
        "assessment",
        "review",
        "recommendation",
        "outcome",
        "overall",
        "notes",
        "note",
        "findings",
        "finding",
        "analysis",
        "reason",
        "reasoning",
        "reasons",
        "answer",
        "response",
        "reply",
        "thus",
        "so",
        "therefore",
        "hence",
        "here",
        "ballot",
        "rationale",
        "next",
        "status",
        "tests",
    )
)
_POSSESSIVE = re.compile(
    r"\W*[\w.-]+(?:\s[\w.-]+)?['’]s?\s+(?:vote|verdict|answer|reply|words|ballot|turn|view)\b",
    re.IGNORECASE,
)


def _is_introduced(page: Page, line: int, names: set[str], known: set[int]) -> bool:
    """Tell whether the lines above a vote make it another's, an example, or half a sentence."""
    adjacent = True
    for at in range(line - 1, max(-1, line - 1 - _MOST_ABOVE), -1):
        if page.kinds[at] == "hidden":
            continue
        raw = page.lines[at].strip()
        if not raw:
            adjacent = False
            continue
        if page.kinds[at] in {"quoted", "indented"} or at in known:
            return False
        text = plain(raw)
        if FIELD.match(text) or is_rule(raw):
            return False
        nearest = at == line - 1 or not adjacent
        if _is_speaker(text, raw, names, nearest=nearest):
            return True
        if at == line - 1 and is_half(raw):
            return True
        if not adjacent:
            return False
    return False


def _is_speaker(text: str, raw: str, names: set[str], *, nearest: bool) -> bool:
    bare = text.rstrip(" :").strip("[]()@ ").casefold()
    marked = text[-1:] in ":])" or raw[:1] in "#*_"
    if bare in names or (marked and _ROLE_LINE.fullmatch(text)):
        return True
    if text.endswith(":"):
        if _MINE.match(text):
            return _HEDGES.search(text) is not None
        if _TEACHES.search(text):
            return True
    if not nearest:
        return False
    if raw.startswith(".. ") or _POSSESSIVE.match(text):
        return True
    name = _NAME_LINE.fullmatch(text)
    return name is not None and not set(name[1].casefold().split()) & _HEADS


# --- data ------------------------------------------------------------------------------------

_WORDS = ("reason", "reasons", "suggestion", "suggestions", "note", "notes", "comment", "comments",
          "summary", "findings")  # fmt: skip
_NEUTRAL = frozenset(
    (*_WORDS, "category", "addressed", "confidence", "phase", "round",
     "version", "digest", "artefact", "artifact", "type", "date", "timestamp", "schema")
)  # fmt: skip
_AGREES = frozenset(
    ("vote", "verdict", "decision", "answer", "ballot", "approve", "approved", "result", "status")
)


def told_doubt(told: Mapping[str, object]) -> bool:
    """Tell whether a vote handed in as data says anything beside its approval that unmakes it.

    Args:
        told: the keys of the object, in lower case with underscores.

    Returns:
        True for a key that decides otherwise, for one that is not known and says something, and
        for words that set a condition.

    Example:
        >>> (
        ...     told_doubt({"vote": "APPROVE", "condition": "a limit"}),
        ...     told_doubt({"vote": "APPROVE"}),
        ... )
        (True, False)
    """
    return any(_key_doubts(key, value) for key, value in told.items())


def _key_doubts(key: str, value: object) -> bool:
    values = value if isinstance(value, tuple | list) else (value,)
    words = [normalise(one).strip() for one in values if isinstance(one, str)]
    if key in _NEUTRAL:
        lines = (line for one in words for line in one.split("\n"))
        said = key in _WORDS and any(map(sets_condition, words))
        return said or (
            key in _WORDS and any(_QUICK.search(one) and _denies(one) for one in lines)
        )
    if key == "still_open":
        return False  # reading.py says that more exactly
    says = [one for one in values if one not in (None, False, "", 0) and one != {}]
    if key in _AGREES:
        denied = key.startswith("approve") and any(one is False for one in values)
        return denied or any(
            one is not True and not (isinstance(one, str) and _ASSENT.fullmatch(normalise(one)))
            for one in says
        )
    return any(not (isinstance(one, str) and is_placeholder(one)) for one in says)
