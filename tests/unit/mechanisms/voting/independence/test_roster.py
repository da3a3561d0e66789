"""Roster check: are voters of the same make warned about, and what is unknown left alone?"""

from __future__ import annotations

from comity.mechanisms.voting.independence.roster import Makeup, alike


def made(*rows: tuple[str, str, str, str]) -> list[Makeup]:
    return [Makeup(voter=v, model=m, prompt=p, evidence=e) for v, m, p, e in rows]


def test_v9_all_alike_is_warned_about_once() -> None:
    (warning,) = alike(made(("a", "m", "p", "e"), ("b", "m", "p", "e")))
    assert warning.startswith("All 2 voters have the same model, the same prompt and the same")


def test_v9_what_all_share_is_named() -> None:
    found = alike(made(("a", "m", "p", "e"), ("b", "m", "q", "e"), ("c", "m", "p", "f")))
    assert found == (
        "All 3 voters have the same model: what misleads one of them may mislead all.",
    )


def test_v9_groups_that_are_alike_are_named_whatever_the_order() -> None:
    rows = made(
        ("d", "n", "p", "e"), ("a", "m", "p", "e"), ("c", "n", "p", "e"), ("b", "m", "p", "e")
    )
    shared = "All 4 voters have the same prompt and the same evidence"
    expected = (
        f"{shared}: what misleads one of them may mislead all.",
        "a and b have the same model, prompt and evidence: count them as one.",
        "c and d have the same model, prompt and evidence: count them as one.",
    )
    assert alike(rows) == alike(rows[::-1]) == expected


def test_three_alike_are_listed_on_one_line() -> None:
    rows = made(*((one, "m", "p", "e") for one in ("a", "b\n", "c")), ("z", "n", "q", "f"))
    assert alike(rows) == (
        "a, b\\n and c have the same model, prompt and evidence: count them as one.",
    )


def test_what_is_not_known_is_not_the_same() -> None:
    assert alike(made(("a", "", "", ""), ("b", "", "", ""))) == ()
    assert alike(made(("a", "m", "", "e"), ("b", "m", "", "e")))[0].startswith(
        "All 2 voters have the same model and the same evidence"
    )


def test_one_voter_is_alike_to_nobody() -> None:
    assert alike(made(("a", "m", "p", "e"))) == ()
    assert alike([]) == ()
