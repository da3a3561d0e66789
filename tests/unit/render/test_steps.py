"""Steps: what came before, who waits, what took over (G8, G10)."""

from __future__ import annotations

from typing import Any

from comity.render.ink import Ink
from comity.render.steps import before, taken_over, waiting, without_steps
from comity.render.text import result_text

STEPS: Any = [
    {"step": "consent", "outcome": {"kind": "no_deal", "says": "No agreement."}},
    {"step": "vote", "outcome": {"kind": "no_quorum"}},
    {"step": "odd", "outcome": None},
]
TAKEN: Any = {
    "kind": "choice",
    "form": "",
    "option": "no deal",
    "grounds": {
        "rule": "otherwise:human",
        "ended_by": "person",
        "parameters": [["means", "everything stays"], ["steps", STEPS], "nonsense"],
    },
}


def test_g10_earlier_steps_are_told_in_a_line_each() -> None:
    assert result_text(TAKEN, Ink()) == (
        "no deal, decided by person.\n  everything stays\n\nWhat came before\n"
        "  - consent: No agreement.\n  - vote: no quorum\n  - odd: "
    )


def test_a_result_without_steps_stays_as_it_is() -> None:
    for data in ({"kind": "choice"}, {"kind": "choice", "grounds": {"parameters": [["a", 1]]}}):
        assert without_steps(data) == (data, ())
    assert before((), Ink()) == ""


def test_what_took_over_may_mean_nothing_more() -> None:
    assert taken_over({"option": "A", "grounds": None}, Ink()) == "A, decided by None."


def test_g8_who_waits_is_told_with_how_it_stands() -> None:
    data: Any = {
        "kind": "waiting",
        "reason": "human",
        "session": "d_1",
        "whom": ["lead"],
        "until_ms": 3_600_000,
        "unblock": ["lead answers"],
        "grounds": {
            "scores": [{"name": "A", "value": 3}],
            "thin": ["margin_of_victory_1", "own_reason"],
        },
    }
    said = result_text(data, Ink())
    assert said.startswith("Waits for lead until 1970-01-01 01:00 UTC.")
    assert "  - A: 3" in said
    assert "one voter could have changed it" in said
    assert "own_reason" in said
    assert said.endswith("comity decide d_1 CHOICE")
    elsewhere = result_text({**data, "ledger": "our claims.db"}, Ink())
    assert elsewhere.endswith("comity decide d_1 CHOICE --db 'our claims.db'")


def test_a_case_without_a_name_or_a_time_still_waits() -> None:
    for until in (None, -1, 10**18):
        assert waiting({"until_ms": until, "grounds": None}, Ink()) == "Waits for somebody."
