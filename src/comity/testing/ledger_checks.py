"""Ledger checks: does a ledger keep every promise of its port?

Here: the contract of ``comity.ledger.port.Ledger`` as checks any implementation can be listed for.
Not here: crashes and many processes (tests/faults), what one database adds (tests/unit/ledger).
Sources: SEMANTICS K1 and K3; ENGINE 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import cast

from comity.core.canonical import JsonObject, digest
from comity.core.errors import (
    ComityError,
    Fault,
    InvalidInput,
    LedgerCorrupt,
    LedgerError,
    SequenceConflict,
)
from comity.ledger.entry import GENESIS, SEALED, Entry, NewEntry
from comity.ledger.port import Appended, Ledger, Request
from comity.ledger.verify import verify

__all__ = ["Check", "check_ledger", "fill_ledger"]

Check = Callable[[], None]
"""One check; it raises AssertionError when the promise is broken."""


def check_ledger(open_ledger: Callable[[], Ledger]) -> Iterator[tuple[str, Check]]:
    """Yield every check of the ledger contract, each with its name.

    Args:
        open_ledger: opens a new, empty ledger at every call; a check closes it.

    Yields:
        The name, a sentence, and the check. Each opens a ledger of its own, and ends by verifying
        it.

    Example:
        >>> from comity.ledger.open import open_ledger
        >>> for name, check in check_ledger(lambda: open_ledger(":memory:")):
        ...     check()
    """
    for check in _CHECKS:
        name = check.__name__.removeprefix("_").replace("_", " ")
        yield name, partial(_checked, open_ledger, check)
    yield "a closed ledger refuses", partial(_closed_ledger_refuses, open_ledger)


def fill_ledger(ledger: Ledger) -> None:
    """Append a little of everything: three scopes, private entries, requests, seals.

    Args:
        ledger: an empty one; it gets 11 entries and 5 anchors.

    Example:
        >>> from comity.ledger.open import open_ledger
        >>> with open_ledger(":memory:") as ledger:
        ...     fill_ledger(ledger)
        ...     [(head.scope, head.seq) for head in ledger.heads()]
        [('alpha', 5), ('beta', 3), ('gamma ü', 3)]
    """
    opened = NewEntry("opened", {"kind": "vote", "max": 3})
    ballot = NewEntry("ballot", {"choice": "b", "weight": "1/3"}, "CC")
    _add(ledger, "alpha", opened, request_id="open-1")
    _add(ledger, "beta", NewEntry("opened", {}))
    _add(ledger, "alpha", ballot, _note("cast"), request_id="vote-1")
    _add(ledger, "beta", NewEntry("claim", {"who": ["x", None, True]}), request_id="claim-1")
    _add(ledger, "gamma ü", NewEntry("opened", {"näme": 1.5}), _note("für", "CX"))
    ledger.transact("beta", lambda _: [NewEntry("grant", {})], request_id="grant-1", now_ms=2**40)
    _add(ledger, "alpha", _note("late"))
    _add(ledger, "alpha", NewEntry(SEALED, {"outcome": "b"}), request_id="seal-1")
    _add(ledger, "gamma ü", NewEntry(SEALED, {}))


def _checked(open_ledger: Callable[[], Ledger], check: Callable[[Ledger], None]) -> None:
    with open_ledger() as ledger:
        check(ledger)
        report = verify(ledger)
        _require(report.ok, f"verify finds nothing: {report}")


def _closed_ledger_refuses(open_ledger: Callable[[], Ledger]) -> None:
    with open_ledger() as ledger:
        _add(ledger, "s", _note("kept"))
    _refused(LedgerError, lambda: ledger.read("s"))
    ledger.close()
    _refused(LedgerError, lambda: _add(ledger, "s", _note("lost")))
    report = verify(ledger)
    _require(not report.ok and report.problems, "verify says that nothing can be read")


def _require(holds: object, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


def _refused(kind: type[Exception], call: Callable[[], object]) -> str:
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} is raised")


def _note(text: str, party: str | None = None) -> NewEntry:
    return NewEntry("note", {"text": text}, party)


def _add(
    ledger: Ledger, scope: str, *entries: NewEntry, request_id: str | None = None
) -> Appended:
    return ledger.append(scope, entries, expected_head=None, request_id=request_id, now_ms=1)


def _texts(entries: tuple[Entry, ...]) -> list[object]:
    return [entry.body["text"] for entry in entries]


def _an_empty_ledger_has_nothing(ledger: Ledger) -> None:
    _require(ledger.read("s", everything=True) == (), "an unknown scope has no entries")
    _require(ledger.heads() == (), "there are no heads")
    _require(ledger.find("note") == (), "nothing is found")
    _require(ledger.head() == "", "there is no anchor")
    _require(ledger.schema_version() >= 1, "the schema has a number")


def _entries_are_chained_from_64_zeros(ledger: Ledger) -> None:
    _add(ledger, "s", _note("a"), _note("b", "CC"), request_id="r")
    _add(ledger, "s", _note("c"))
    entries = ledger.read("s", everything=True)
    _require([entry.seq for entry in entries] == [1, 2, 3], "numbers run from 1")
    _require(entries[0].prev == GENESIS, "the first names 64 zeros")
    for before, entry in pairwise(entries):
        _require(entry.prev == before.hash, "each names the one before")
    for entry in entries:
        fields = entry.to_json()
        _require(fields.pop("hash") == digest(fields), "the hash covers every other field")
    _require([entry.request_id for entry in entries] == ["r", "r", None], "requests are kept")


def _what_is_read_is_what_was_written(ledger: Ledger) -> None:
    body: JsonObject = {
        "text": "quotes \" ' \\ , line\nfeed, tab\t, ü, 漢, 😀, \u2028",
        "numbers": [0, -1, 10**30, 0.1, -0.0, 1e300],
        "nothing": None,
        "truth": [True, False],
        "inner": {"": {"b": [], "a": {}}},
    }
    done = ledger.append(
        "scope/ü 1", [NewEntry("kind-1", body, "CC")], expected_head="", request_id=None, now_ms=7
    )
    _require(ledger.read("scope/ü 1", everything=True) == done.entries, "the same entries")
    only = done.entries[0]
    _require(only.to_json()["body"] == body, "the same body")
    _require((only.kind, only.party, only.at_ms, only.v) == ("kind-1", "CC", 7, 1), "all of it")


def _private_entries_are_read_only_by_their_seat_or_the_owner(ledger: Ledger) -> None:
    _add(ledger, "s", _note("all"), _note("for CC", "CC"), _note("for CX", "CX"))
    _require(_texts(ledger.read("s")) == ["all"], "the public ones")
    _require(_texts(ledger.read("s", party="CC")) == ["all", "for CC"], "and CC's own")
    _require(_texts(ledger.read("s", party="cc")) == ["all"], "names are exact")
    everything = ledger.read("s", everything=True)
    _require(_texts(everything) == ["all", "for CC", "for CX"], "everything for the owner")
    _require(_texts(ledger.find("note")) == ["all"], "find shows public ones")
    _refused(InvalidInput, lambda: ledger.read("s", party="CC", everything=True))


def _reading_goes_on_after_a_number(ledger: Ledger) -> None:
    _add(ledger, "s", _note("1"), _note("2", "CC"), _note("3"), _note("4"))
    _require(_texts(ledger.read("s", after=2)) == ["3", "4"], "public ones after 2")
    _require(_texts(ledger.read("s", after=1, party="CC")) == ["2", "3", "4"], "and CC's")
    _require(_texts(ledger.read("s", after=3, everything=True)) == ["4"], "everything after 3")
    _require(ledger.read("s", after=4) == (), "nothing after the last")


def _the_expected_head_must_be_the_last_entry(ledger: Ledger) -> None:
    def add(text: str, head: str | None) -> Appended:
        return ledger.append("s", [_note(text)], expected_head=head, request_id=None, now_ms=1)

    first = add("1", "")
    _require(first.head == first.entries[-1].hash, "the answer holds the new head")
    _refused(SequenceConflict, lambda: add("no", ""))
    second = add("2", first.head)
    said = _refused(SequenceConflict, lambda: add("no", first.head))
    _require("'s'" in said, "the conflict names the scope")
    _refused(SequenceConflict, lambda: add("no", second.head[:-1]))
    add("3", None)
    _refused(
        SequenceConflict,
        lambda: ledger.append(
            "new", [_note("no")], expected_head=first.head, request_id="r", now_ms=1
        ),
    )
    _require(_texts(ledger.read("s")) == ["1", "2", "3"], "a conflict writes nothing")
    _require(ledger.read("new") == (), "nor opens a scope")


def _a_known_request_is_answered_and_not_written_again(ledger: Ledger) -> None:
    wanted = [_note("1"), _note("2", "CC")]
    first = ledger.append("s", wanted, expected_head="", request_id="r1", now_ms=5)
    later = _add(ledger, "s", _note("3"))
    again = ledger.append("s", wanted, expected_head="", request_id="r1", now_ms=99)
    _require(not first.repeated and not later.repeated, "new ones are no repeats")
    _require(again.repeated and again.entries == first.entries, "the entries written then")
    _require(again.head == later.head, "with the head as it is now")
    elsewhere = _add(ledger, "t", _note("other"), request_id="r1")
    _require(not elsewhere.repeated, "another scope may use the same id")
    _require(len(ledger.read("s", everything=True)) == 3, "nothing was written twice")


def _a_request_id_stands_for_one_body(ledger: Ledger) -> None:
    _add(ledger, "s", NewEntry("claim", {"n": 1}), request_id="r-17")
    others: list[list[NewEntry]] = [
        [NewEntry("claim", {"n": 2})],
        [NewEntry("claim", {"n": True})],
        [NewEntry("claim", {"n": 1.0})],
        [NewEntry("claim", {"n": 1}, "CC")],
        [NewEntry("bid", {"n": 1})],
        [NewEntry("claim", {"n": 1}), NewEntry("claim", {"n": 1})],
    ]
    for other in others:
        said = _refused(LedgerError, partial(_add, ledger, "s", *other, request_id="r-17"))
        _require("r-17" in said, "the refusal names the request")
    _require(len(ledger.read("s", everything=True)) == 1, "nothing was written")


def _unfit_arguments_are_refused_together(ledger: Ledger) -> None:
    def bad() -> object:
        return ledger.append("", [], expected_head=None, request_id="a\x00b", now_ms=-1)

    said = _refused(InvalidInput, bad)
    for name in ("scope", "entries", "request_id", "now_ms"):
        _require(name in said, f"{name} is named")
    _refused(InvalidInput, lambda: ledger.read("a\ud800"))
    _refused(InvalidInput, lambda: ledger.read("s", party=""))
    _refused(InvalidInput, lambda: ledger.read("s", after=-1))
    _refused(InvalidInput, lambda: ledger.find("k", limit=-1))
    _refused(InvalidInput, lambda: ledger.find("k\n"))
    _refused(InvalidInput, lambda: ledger.find("k", scope=""))
    _refused(InvalidInput, lambda: ledger.transact("s", lambda _: (), request_id="", now_ms=0))
    _require(ledger.heads() == (), "nothing was written")


def _a_rule_sees_the_locked_entries_and_writes_once(ledger: Ledger) -> None:
    calls: list[int] = []

    def rule(rows: tuple[Entry, ...]) -> list[NewEntry]:
        calls.append(len(rows))
        return [_note(f"after {len(rows)}", "CC")]

    first = ledger.transact("s", rule, request_id="r1", now_ms=1)
    second = ledger.transact("s", rule, request_id="r2", now_ms=2)
    _add(ledger, "s", _note("between"))
    third = ledger.transact("s", rule, request_id=None, now_ms=3)
    again = ledger.transact("s", rule, request_id="r1", now_ms=4)
    _require(calls == [0, 1, 3], "the rule sees every entry, private ones too, once a request")
    _require(again.repeated and again.entries == first.entries, "a repeat is answered")
    _require(again.head == third.head != second.head, "with the head as it is now")
    written = _texts(ledger.read("s", everything=True))
    _require(written == ["after 0", "after 1", "between", "after 3"], "in order")


def _a_rule_that_fails_leaves_no_trace(ledger: Ledger) -> None:
    _add(ledger, "s", _note("before"))
    kept = ledger.head()

    def fails(rows: tuple[Entry, ...]) -> list[NewEntry]:
        raise ZeroDivisionError(len(rows))

    _refused(ZeroDivisionError, partial(ledger.transact, "s", fails, request_id="r", now_ms=1))
    _refused(ZeroDivisionError, partial(ledger.transact, "new", fails, request_id="r", now_ms=1))

    nonsense = cast("list[NewEntry]", [_note("good"), "bad"])
    _refused(
        InvalidInput, lambda: ledger.transact("s", lambda _: nonsense, request_id="r", now_ms=1)
    )
    nothing = ledger.transact("s", lambda _: (), request_id="r", now_ms=1)
    _require(nothing.entries == () and not nothing.repeated, "a rule may write nothing")
    _require(nothing.head == ledger.read("s")[-1].hash, "and hears the head")
    _require(_texts(ledger.read("s")) == ["before"], "nothing was written")
    _require(ledger.head() == kept and len(ledger.heads()) == 1, "nothing was anchored")
    done = _add(ledger, "s", _note("after"), request_id="r")
    _require(not done.repeated, "the request id is still free")


def _a_rule_cannot_write_behind_its_own_back(ledger: Ledger) -> None:
    def rule(rows: tuple[Entry, ...]) -> list[NewEntry]:
        return list(map(_note, _add(ledger, "s", _note(f"inside, after {len(rows)}")).head))

    _refused(LedgerError, lambda: ledger.transact("s", rule, request_id=None, now_ms=1))
    _require(ledger.read("s") == (), "nothing was written")


def _requests_settled_together_share_one_picture(ledger: Ledger) -> None:
    _add(ledger, "s", _note("first"), _note("second", "CC"))
    known: list[object] = []

    def asked(name: str, *texts: str) -> Request:
        def rule() -> list[NewEntry]:
            if name == "bad":
                raise InvalidInput(Fault("it", "is bad", "good", "mend it"))
            return [_note(f"{text} after {len(known)}") for text in texts]

        return Request(request_id=name, rule=rule)

    def catch_up(entries: tuple[Entry, ...]) -> None:
        known.extend(_texts(entries))

    settle = partial(ledger.settle, "s", catch_up=catch_up)
    found = settle([asked("a", "x", "y"), asked("bad"), asked("a"), asked("b")], after=1, now_ms=5)
    _require(known == ["second"], "what came since then is handed over first, private too")
    one, refused, again, nothing = found
    _require(isinstance(refused, InvalidInput), "a refusal is the answer of its request")
    assert not isinstance(one, ComityError)
    assert not isinstance(again, ComityError)
    assert not isinstance(nothing, ComityError)
    _require(_texts(one.entries) == ["x after 1", "y after 1"], "the others go on")
    _require(again.repeated and again.entries == one.entries, "a repeat in the same commit too")
    _require(nothing.entries == () and nothing.head == one.head, "a rule may write nothing")
    settle([asked("b", "z")], after=4, now_ms=6)
    _require(known == ["second"], "who is up to date is handed nothing")
    written = _texts(ledger.read("s", everything=True))
    _require(written == ["first", "second", "x after 1", "y after 1", "z after 1"], "in order")


def _a_settlement_that_fails_leaves_no_trace(ledger: Ledger) -> None:
    def fails() -> list[NewEntry]:
        raise ZeroDivisionError

    good = Request(request_id="good", rule=lambda: [_note("good")])
    settle = partial(ledger.settle, "s", catch_up=lambda _: None, now_ms=1)
    for bad in (
        Request(request_id="x", rule=fails),
        Request(request_id="x", rule=lambda: cast("list[NewEntry]", ["bad"])),
    ):
        kind = ZeroDivisionError if bad.rule is fails else InvalidInput
        _refused(kind, partial(settle, [good, bad], after=0))
        _require(ledger.read("s") == (), "nothing was written")
    _refused(LedgerCorrupt, partial(settle, [good], after=1))
    _refused(InvalidInput, partial(settle, [], after=0))
    _refused(InvalidInput, partial(settle, [good], after=-1))
    (done,) = settle([good], after=0)
    _require(isinstance(done, Appended) and not done.repeated, "the request id is still free")


def _heads_say_how_far_each_scope_got(ledger: Ledger) -> None:
    for scope in ("b", "ü", "a", "B"):
        _add(ledger, scope, _note("1"), _note("2"))
    heads = ledger.heads()
    _require([head.scope for head in heads] == ["B", "a", "b", "ü"], "sorted by code point")
    for head in heads:
        last = ledger.read(head.scope)[-1]
        _require((head.seq, head.hash, head.at_ms) == (2, last.hash, 1), "the last entry of each")


def _find_looks_over_all_scopes(ledger: Ledger) -> None:
    def at(scope: str, text: str, now_ms: int) -> None:
        new = [_note(text), NewEntry("other", {}), _note(f"{text}, private", "CC")]
        ledger.append(scope, new, expected_head=None, request_id=None, now_ms=now_ms)

    at("b", "second", 20)
    at("a", "first", 10)
    at("c", "third", 20)
    at("a", "fourth", 30)
    _require(_texts(ledger.find("note")) == ["fourth", "third", "second", "first"], "newest first")
    oldest = ledger.find("note", newest_first=False)
    _require(_texts(oldest) == ["first", "second", "third", "fourth"], "oldest first")
    _require(_texts(ledger.find("note", limit=2)) == ["fourth", "third"], "the newest two")
    _require(_texts(ledger.find("note", limit=1, newest_first=False)) == ["first"], "the oldest")
    _require(ledger.find("note", limit=0) == (), "none")
    _require(_texts(ledger.find("note", scope="a")) == ["fourth", "first"], "of one scope")
    _require(_texts(ledger.find("note", scope="a", limit=1)) == ["fourth"], "its newest")
    _require(ledger.find("note", scope="z") == (), "an unknown scope")
    _require(len(ledger.find("other", limit=99)) == 4, "another kind")
    _require(ledger.find("unknown") == (), "an unknown kind")


def _openings_seals_and_every_100th_entry_are_anchored(ledger: Ledger) -> None:
    seen = [ledger.head()]

    def moved() -> bool:
        seen.append(ledger.head())
        return seen[-1] != seen[-2]

    _add(ledger, "s", _note("1"))
    _require(moved(), "the opening of a scope")
    _add(ledger, "s", *map(_note, map(str, range(2, 100))))
    _require(not moved(), "not the 99 after it")
    _add(ledger, "s", _note("100"))
    _require(moved(), "the 100th")
    _add(ledger, "s", NewEntry(SEALED, {}))
    _require(moved(), "the seal")
    _add(ledger, "t", _note("1"))
    _require(moved(), "the opening of another")
    report = verify(ledger, head=seen[2])
    _require(report.ok and report.anchors == 4, "an earlier head is still in the chain")
    _require(not verify(ledger, head="f" * 64).ok, "a head that never was is not")


def _a_head_to_keep_covers_all_there_is(ledger: Ledger) -> None:
    _require(ledger.anchor() == "", "an empty ledger has none")
    for scope, count in {"a": 3, "b": 1, "ü": 2}.items():
        _add(ledger, scope, *[_note("x")] * count)
    _require(verify(ledger).uncovered == 3, "what follows an opening")
    kept = ledger.anchor()
    _require(kept == ledger.head(), "the newest anchor is the head")
    report = verify(ledger, head=kept)
    _require(report.ok and report.anchors == 5, "what stands anchored already is not again")
    _require(report.uncovered == 0, "it covers every scope")
    _require(ledger.anchor() == kept, "nothing new, no new anchor")
    _add(ledger, "a", _note("later"))
    later = verify(ledger, head=kept)
    _require(later.ok and later.uncovered == 1, "what came later is counted")
    newer = ledger.anchor()
    _require(newer != kept, "and anchored when it is asked for")
    _require(verify(ledger, head=newer).uncovered == 0, "the newer head covers it")
    _require(verify(ledger, head=kept).uncovered == 1, "the older one does not")
    _add(ledger, "b", *[_note("x")] * 99)
    _require(verify(ledger).ok, "the 100th is anchored as before")


def _time_may_go_backwards_and_order_does_not(ledger: Ledger) -> None:
    for now_ms in (30, 10, 20, 0):
        new = [NewEntry("note", {"text": now_ms})]
        ledger.append("s", new, expected_head=None, request_id=None, now_ms=now_ms)
    _require(_texts(ledger.read("s")) == [30, 10, 20, 0], "order is by number")


def _threads_lose_nothing(ledger: Ledger) -> None:
    def work(who: int) -> None:
        for n in range(10):
            _add(ledger, "shared", _note(f"{who}.{n}"), request_id=f"{who}.{n}")
            _add(ledger, "shared", _note(f"{who}.{n}"), request_id=f"{who}.{n}")
            _add(ledger, f"own {who}", _note(f"{n}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    shared = ledger.read("shared")
    _require(len(set(map(str, _texts(shared)))) == len(shared) == 80, "each once")
    for who in range(8):
        _require(_texts(ledger.read(f"own {who}")) == [str(n) for n in range(10)], "in order")


def _two_threads_never_win_the_same_unit(ledger: Ledger) -> None:
    def claim(who: str) -> Appended:
        def rule(rows: tuple[Entry, ...]) -> list[NewEntry]:
            free = 5 - sum(row.kind == "grant" for row in rows)
            kind, left = ("grant", free - 1) if free else ("refusal", 0)
            return [NewEntry(kind, {"to": who, "left": left})]

        return ledger.transact("unit", rule, request_id=who, now_ms=1)

    names = [f"agent {n % 20}" for n in range(60)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(claim, names))
    rows = ledger.read("unit")
    _require(len(rows) == 20, "one decision per request")
    grants = [row.body["left"] for row in rows if row.kind == "grant"]
    _require(grants == [4, 3, 2, 1, 0], "five units, five winners")
    _require(sum(not answer.repeated for answer in answers) == 20, "the rest were repeats")
    for name, answer in zip(names, answers, strict=True):
        _require([entry.body["to"] for entry in answer.entries] == [name], "each its own answer")


_CHECKS: tuple[Callable[[Ledger], None], ...] = (
    _an_empty_ledger_has_nothing,
    _entries_are_chained_from_64_zeros,
    _what_is_read_is_what_was_written,
    _private_entries_are_read_only_by_their_seat_or_the_owner,
    _reading_goes_on_after_a_number,
    _the_expected_head_must_be_the_last_entry,
    _a_known_request_is_answered_and_not_written_again,
    _a_request_id_stands_for_one_body,
    _unfit_arguments_are_refused_together,
    _a_rule_sees_the_locked_entries_and_writes_once,
    _a_rule_that_fails_leaves_no_trace,
    _a_rule_cannot_write_behind_its_own_back,
    _requests_settled_together_share_one_picture,
    _a_settlement_that_fails_leaves_no_trace,
    _heads_say_how_far_each_scope_got,
    _find_looks_over_all_scopes,
    _openings_seals_and_every_100th_entry_are_anchored,
    _a_head_to_keep_covers_all_there_is,
    _time_may_go_backwards_and_order_does_not,
    _threads_lose_nothing,
    _two_threads_never_win_the_same_unit,
)
