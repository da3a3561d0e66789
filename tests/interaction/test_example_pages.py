"""Pages for newcomers: do their sessions work from an empty folder?

Here: that a page writes the shipped files with `comity examples` before it uses one of them.
Not here: running what the pages show (tests/test_docs.py, which puts the files there itself).
Sources: the rule that an example works where it is read.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    "name",
    ["tutorial/first-decision", "how-to/after-a-crash", "how-to/decide-what-waits"],
)
def test_the_shipped_files_are_written_before_the_first_is_used(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    lines = [
        line
        for block in re.findall(r"(?s)```console\n(.*?)```", page)
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    uses = [at for at, line in enumerate(lines) if " examples/" in line]
    assert uses, "it uses one"
    assert any(line.startswith("$ comity examples") for line in lines[: uses[0]])


@pytest.mark.parametrize("name", ["tutorial/index", "how-to/index", "reference/python"])
def test_the_pages_that_lead_on_say_where_the_files_come_from(name: str) -> None:
    assert "`comity examples`" in (DOCS / f"{name}.md").read_text("utf-8")
