"""Letters: the one normal form of a text, and what a word looks like to a person.

Here: line ends, unseen characters, compatibility forms; letters that look like others.
Not here: which lines of a reply count (masks.py, text.py), what words mean (the grammars).
Sources: SEMANTICS W1, W3; Unicode UAX 15 (NFKC, and its stream-safe limit of 30 marks in a row),
UTS 39 (confusable characters: the lower-case Latin ones that Cyrillic and Greek imitate).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["look", "normalise"]

_LINE_ENDS = (0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029)
_UNSEEN = (
    (0x00, 0x08),
    (0x0E, 0x1F),
    (0x7F, 0x84),
    (0x86, 0x9F),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_TABLE: dict[int, str | None] = {
    **{code: None for first, last in _UNSEEN for code in range(first, last + 1)},
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **dict.fromkeys(range(0xD800, 0xE000), "�"),
    0x3010: "[",
    0x3011: "]",
}
_ODD = re.compile(
    "["
    + "".join(f"{chr(first)}-{chr(last)}" for first, last in _UNSEEN)
    + "".join(map(chr, _LINE_ENDS))
    + "\ud800-\udfff\u3010\u3011]"
)
_NOT_SEEN = re.compile(r"\x1b\[(?:[0-9]{1,3};)*+0*[89]m")
"""A terminal's codes for concealed and for struck-out letters."""
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*+[ -/]*+[@-~]")
_FAR_LETTERS = re.compile(r"[^\x00-\u02ff]{31,}+")
_MOST_MARKS = 30


@lru_cache(maxsize=4096)
def _is_mark(char: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0


def _thinned(run: re.Match[str]) -> str:
    # Sorting the marks on one letter takes time with the square of their number.
    kept = []
    marks = 0
    for char in run[0]:
        marks = marks + 1 if _is_mark(char) else 0
        if marks <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def normalise(text: str) -> str:
    r"""Return a text in the one form that both grammars read.

    Line ends become ``\n``; terminal colours, control, zero-width and direction characters go
    (what a terminal conceals or strikes out begins with ``~~``); NFKC; lenticular brackets become
    square ones. Letters of other scripts are left as they are.

    Args:
        text: any string, lone surrogates included.

    Returns:
        The normal form; it is its own normal form.

    Example:
        >>> normalise("\uff36OTE\uff1a AP\u200bPROVE\r\n")
        'VOTE: APPROVE\n'
    """
    lines = text.replace("\r\n", "\n")
    if "\x1b" in lines:
        lines = _TERMINAL.sub("", _NOT_SEEN.sub("~~", lines))
    if lines.isascii():
        return _tidy(lines)
    lines = _tidy(lines)
    made = unicodedata.normalize("NFKC", _FAR_LETTERS.sub(_thinned, lines))
    return lines if made == lines else _tidy(made)


def _tidy(text: str) -> str:
    return text.translate(_TABLE) if _ODD.search(text) else text


# --- what a word looks like -------------------------------------------------------------------

_IMITATED = (
    # Cyrillic
    ("\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0455\u0456\u0458", "aceopxisij"),
    ("\u0501\u04bb\u043a\u043c\u0442\u0432\u043d\u0433\u043f\u0438", "dhkmtbhrnu"),
    # Greek
    ("\u03b1\u03bf\u03b5\u03c1\u03c5\u03b9\u03ba\u03c4\u03bd\u03b7", "aoepuiktun"),
    ("\u03c9", "w"),
    # Armenian, small capitals and Latin
    ("\u057d\u0585\u0131\u017f\u026a\u028f\ua731\u1d1c\u1d04\u1d07", "uoisiisuce"),
    ("\u0280\u1d1b\u00f8\u0142\u0111", "rtoid"),
    # digits and signs
    ("013457$@!|", "oieastsaii"),
    ("lyv", "iiu"),
)
_LOOKS = str.maketrans(
    {old: new for olds, news in _IMITATED for old, new in zip(olds, news, strict=True)}
)


def look(text: str) -> str:
    """Return a text in the letters it looks like: for warnings only, never for assent.

    Lower case without accents; letters of other scripts, digits and signs become the Latin letter
    that they imitate. Letters that stand for each other become one: ``i``, ``l``, ``y``; ``u``,
    ``v``.

    Args:
        text: any text.

    Returns:
        The text as it looks, of no fixed length.

    Example:
        >>> look("SECUR1TY") == look("s\u00e9curity") == look("\u0455ecurity")
        True
    """
    bare = normalise(text).casefold()
    if not bare.isascii():
        apart = unicodedata.normalize("NFKD", bare)
        bare = "".join(char for char in apart if not unicodedata.combining(char))
    return bare.translate(_LOOKS)
