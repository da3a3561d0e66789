r"""Grammar: what does an answer bid, and if nothing, what must be said to its bidder?

Here: the answer lines (``BID:``, ``COMMIT:``, ``REVEAL:`` with ``NONCE:``, ``STAY``, ``OUT``,
``TAKE``, ``PASS``) and the same as one JSON object or a tool call.
Not here: whose answer it is (the channel says so), numbers and units (amounts.py), whether a
reveal is what was committed to (machine.py).
Sources: SEMANTICS W1 (the seat's own words alone; two answers that differ count as none), C3 (who
names another bidder bids for nobody).

>>> from comity.protocols.bidding.opening import bidding_rules
>>> rules = bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0)
>>> read_answer({"text": "Worth it.\nBID: 42"}, "bid", "ann", rules).amounts
(42,)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from comity.core.canonical import JsonObject
from comity.core.errors import one_line, shown
from comity.core.parties import PartyId
from comity.mechanisms.auctions.commitment import NONCE_AT_LEAST
from comity.protocols.bidding.amounts import Reading, read_amounts
from comity.protocols.bidding.rules import BiddingRules
from comity.protocols.structured import json_asides
from comity.protocols.text import Page, only_marks, read_page

__all__ = ["LONGEST_NONCE", "LONGEST_REPLY", "AskKind", "forms", "read_answer"]

AskKind = Literal["bid", "commit", "reveal", "price"]

LONGEST_REPLY = 100_000
"""Characters of a reply that are read."""
LONGEST_NONCE = 128
"""Characters of a nonce that are read."""

_FORMS: dict[AskKind, tuple[str, str]] = {
    "bid": ("BID: an amount, or PASS", '{"bid": 42}'),
    "commit": ("COMMIT: a hash of 64 hexadecimal digits, or PASS", '{"commit": "the hash"}'),
    "reveal": ("REVEAL: the amount NONCE: the nonce", '{"reveal": 42, "nonce": "the nonce"}'),
    "price": ("STAY or OUT", '{"stay": true}'),
}
_SEVERAL = ("BID: an amount for each unit, such as BID: 10, 6, 2, or PASS", '{"bid": [10, 6, 2]}')
_TAKE = ("TAKE or PASS", '{"take": true}')

_LABELS: dict[AskKind, tuple[str, ...]] = {
    "bid": ("bid",),
    "commit": ("commit", "commitment"),
    "reveal": ("reveal", "nonce"),
    "price": (),
}
_LINE = re.compile(
    r"(?P<label>bid|commit|commitment|reveal|nonce)(?:\s+-\s+(?P<who>[^:=]{1,70}))?"
    r"\s*[:=]\s*(?P<said>.*)\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?P<word>stay|take|out|pass)(?P<tail>(?:[\s,.;:!(–—-].*)?)\Z", re.IGNORECASE)
_DASHED = re.compile(r"\s*[,.;:!(–—-]")
_AND_NONCE = re.compile(r"\bnonce\s*[:=]\s*(?P<nonce>\S+)\Z", re.IGNORECASE)
_HASH = re.compile(r"(?:sha-?256:\s*)?(?P<hex>[0-9a-f]{64})[.]?\Z", re.IGNORECASE)
_NONCE = re.compile(rf"[0-9A-Za-z.-]{{{NONCE_AT_LEAST},{LONGEST_NONCE}}}\Z")
_FENCED = re.compile(r"\A```(?:json)?\s*|\s*```\Z", re.IGNORECASE)
_NOTHING = frozenset({"none", "nothing", "no bid", "pass"})
_KEYS = frozenset({"bid", "commit", "reveal", "stay", "out", "take", "pass"})
_WHO = ("bidder", "party", "seat", "from")
_LONGEST_LINE = 20_000


def forms(kind: AskKind, rules: BiddingRules) -> tuple[str, str]:
    """Return how an ask is answered, as a line and as JSON.

    Args:
        kind: what is asked for.
        rules: the rules.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> forms("bid", bidding_rules("a slot", ["ann"], seed="1", reserve=0))
        ('BID: an amount, or PASS', '{"bid": 42}')
    """
    if kind == "price" and rules.mode == "dutch":
        return _TAKE
    return _SEVERAL if kind == "bid" and rules.takes_several else _FORMS[kind]


def read_answer(
    body: JsonObject | None, kind: AskKind, bidder: PartyId, rules: BiddingRules
) -> Reading:
    """Read what an answer bids.

    Args:
        body: the body of the answer: words as ``text``, or data with one of the JSON forms.
        kind: what was asked for.
        bidder: whose channel it came through.
        rules: the rules.

    Returns:
        The reading; its error and hint where the answer does not count.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> rules = bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0)
        >>> read_answer({"bid": -5}, "bid", "ann", rules).error
        'negative'
        >>> read_answer({"text": "BID - bob: 99"}, "bid", "ann", rules).error
        'other_bidder'
    """
    said: Mapping[str, object] = body or {}
    if _KEYS & said.keys():
        return _one(list(_of_object(said, kind, bidder, rules)), kind, rules)
    text = said.get("text")
    words = text if isinstance(text, str) else ""
    if len(words) > LONGEST_REPLY:
        hint = f"the reply has {len(words)} characters: answer in {LONGEST_REPLY} at most"
        return Reading(error="too_long", hint=hint)
    page = read_page(words)
    data = _object(page)
    if data:
        return _one(list(_of_object(data, kind, bidder, rules)), kind, rules)
    found = list(_of_lines(page, kind, bidder, rules))
    if found:
        for aside in json_asides(page):
            found.extend(_of_object(aside, kind, bidder, rules))
    return _one(found, kind, rules)


def _one(found: list[Reading], kind: AskKind, rules: BiddingRules) -> Reading:
    """Return the one thing that an answer says."""
    if not found:
        return Reading(error="no_answer", hint=f"answer with a line {forms(kind, rules)[0]}")
    if any(one != found[0] for one in found):
        return Reading(error="contradictory", hint="your answer says two things: send one")
    return found[0]


def _for_another(who: object, bidder: PartyId, rules: BiddingRules) -> Reading | None:
    """Return why an answer that names another bidder counts for nobody."""
    if _bare(str(who)) not in {_bare(one) for one in rules.bidders} - {_bare(bidder)}:
        return None
    hint = f"this is the channel of {bidder}: who bids is known from it, leave names out"
    return Reading(error="other_bidder", hint=hint)


def _bare(name: str) -> str:
    return name.strip(" []()\"'`.:!,;–—-").casefold()


# --- lines -----------------------------------------------------------------------------------


def _of_lines(
    page: Page, kind: AskKind, bidder: PartyId, rules: BiddingRules
) -> Iterator[Reading]:
    """Yield what each line of the bidder's own words says."""
    amounts: list[tuple[str, str]] = []
    nonces: list[str] = []
    for number in range(len(page.lines)):
        line = page.own(number)
        if len(line) > _LONGEST_LINE:
            continue
        word = _of_word(line, kind, bidder, rules)
        if word is not None:
            yield word
        match = _LINE.match(line)
        if match is None:
            continue
        label, said = match["label"].casefold(), match["said"].strip()
        other = _for_another(match["who"] or "", bidder, rules)
        if other is not None:
            yield other
        elif label not in _LABELS[kind]:
            yield from _too_early(label, kind)
        elif label == "nonce":
            nonces.append(said)
        elif label == "reveal":
            end = _AND_NONCE.search(said)
            amounts.append(
                (said[: end.start()].rstrip(" ,;"), end["nonce"]) if end else (said, "")
            )
        else:
            yield _handed(said, kind, rules)
    beside = nonces[0] if len(set(nonces)) == 1 else ""
    for amount, nonce in amounts:
        yield _revealed(amount, nonce or beside, rules)


def _too_early(label: str, kind: AskKind) -> Iterator[Reading]:
    """Yield why an amount does not count while hashes are handed in."""
    if kind == "commit" and label in {"bid", "reveal"}:
        yield _SHOWN


_SHOWN = Reading(
    error="bid_shown",
    hint="hand in only a hash now: an amount stands in the record for whoever reads that, so "
    "decide anew, then answer with a line COMMIT: and the hash",
)


def _of_word(line: str, kind: AskKind, bidder: PartyId, rules: BiddingRules) -> Reading | None:
    """Return what a line of one word says; assent must stand alone, dissent may give a reason."""
    match = _WORD.match(line)
    if match is None:
        return None
    word, tail = match["word"].casefold(), match["tail"]
    other = _for_another(tail, bidder, rules)
    if other is not None:
        return other
    if word in {"stay", "take"}:
        wanted = "take" if rules.mode == "dutch" else "stay"
        is_yes = kind == "price" and word == wanted and only_marks(tail)
        return Reading(yes=True) if is_yes else None
    if not (only_marks(tail) or _DASHED.match(tail)):
        return None
    if kind == "price":
        return Reading(yes=False)
    return Reading(declines=True) if word == "pass" else None


def _handed(given: object, kind: AskKind, rules: BiddingRules) -> Reading:
    """Read a bid or a hash."""
    words = " ".join(given.split()).rstrip(".!").casefold() if isinstance(given, str) else ""
    if given is None or words in _NOTHING:
        return Reading(declines=True)
    if kind == "bid":
        return read_amounts(given, rules)
    match = _HASH.match(given.strip()) if isinstance(given, str) else None
    if match is None:
        said = one_line(given if isinstance(given, str) else shown(given))[:80]
        hint = "a hash has 64 hexadecimal digits: the SHA-256 of the text that was given"
        return Reading(error="not_a_hash", hint=hint, said=said)
    return Reading(committed=match["hex"].lower())


def _revealed(amount: object, nonce: object, rules: BiddingRules) -> Reading:
    if not isinstance(nonce, str) or not _NONCE.match(nonce):
        hint = (
            f"a nonce has {NONCE_AT_LEAST} to {LONGEST_NONCE} letters, digits, dots and dashes: "
            f"{_FORMS['reveal'][0]}"
        )
        return Reading(error="no_nonce", hint=hint)
    found = read_amounts(amount, rules)
    return found if found.error else Reading(amounts=found.amounts, nonce=nonce, said=found.said)


# --- JSON ------------------------------------------------------------------------------------


def _object(page: Page) -> dict[str, Any]:
    """Return the object when the whole reply is one, also within one fence."""
    kept = (line for line, kind in zip(page.lines, page.kinds, strict=True) if kind != "hidden")
    text = _FENCED.sub("", "\n".join(kept).strip())
    if not (text.startswith("{") and text.endswith("}")):
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_each_once, parse_constant=str, parse_float=str)
    except (ValueError, RecursionError):
        return {}
    return {str(key).strip().casefold(): item for key, item in found.items()}


def _each_once(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    listed = list(pairs)
    names = {str(name).strip().casefold() for name, _ in listed}
    if len(names) < len(listed):
        raise ValueError("a key stands twice")
    return dict(listed)


def _of_object(
    data: Mapping[str, object], kind: AskKind, bidder: PartyId, rules: BiddingRules
) -> Iterator[Reading]:
    """Yield what an object says."""
    for key in _WHO:
        other = _for_another(data.get(key) or "", bidder, rules)
        if other is not None:
            yield other
            return
    if kind == "price":
        yield from _yes_or_no(data, rules)
        return
    if data.get("pass") is True:
        yield Reading(declines=True)
    if kind == "reveal" and {"reveal", "bid"} & data.keys():
        yield _revealed(data.get("reveal", data.get("bid")), data.get("nonce"), rules)
    elif kind == "commit" and {"reveal", "bid"} & data.keys():
        yield _SHOWN
    elif kind in data:
        given = data[kind]
        unit = data.get("unit")
        if kind == "bid" and isinstance(unit, str) and isinstance(given, (str, int, float)):
            given = given if isinstance(given, bool) else f"{given} {unit}"
        yield _handed(given, kind, rules)


def _yes_or_no(data: Mapping[str, object], rules: BiddingRules) -> Iterator[Reading]:
    """Yield what an object says to a price."""
    word = "take" if rules.mode == "dutch" else "stay"
    for key in (word, "out", "pass"):
        said = data.get(key)
        if isinstance(said, bool):
            if key == word or said:
                yield Reading(yes=said and key == word)
        elif said is not None:
            hint = f"{key} is true or false: {forms('price', rules)[1]}"
            yield Reading(error="not_yes_or_no", hint=hint, said=one_line(shown(said))[:80])
