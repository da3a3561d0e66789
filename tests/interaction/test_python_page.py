"""The page "Python, in plain values": is every public name on it?

Here: every name of `comity.__all__` stands in the page's own list, no other does, and most are
shown at work.
Not here: running what the page shows (tests/test_docs.py).
Sources: the rule that what is public is documented.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import comity

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "python.md").read_text(
    "utf-8"
)
LISTED = re.findall(r"`(\w+)`", "".join(
    line.split("|")[1] for line in PAGE.split("\n## Every name\n")[1].splitlines()
    if line.startswith("| `")
))  # fmt: skip


def test_every_public_name_is_listed_once_and_nothing_else() -> None:
    assert sorted(LISTED) == sorted(comity.__all__)


@pytest.mark.parametrize(
    "name",
    [
        "Arbiter",
        "DeskRules",
        "Policy",
        "acquire",
        "advise",
        "find_cycle",
        "open_questions",
        "record_conflict",
        "resolve",
        "share",
        "vickrey",
    ],
)
def test_what_is_scarce_is_shown_at_work(name: str) -> None:
    examples = "".join(re.findall(r"(?s)```python\n(.*?)```", PAGE))
    assert f"comity.{name}(" in examples


def test_how_a_claim_waits_and_fails_is_told() -> None:
    for word in ("timeout_ms", "lease_ms", "ClaimNotGranted", "request_id"):
        assert f"`{word}`" in PAGE
