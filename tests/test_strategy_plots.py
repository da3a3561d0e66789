"""Strategy plots: are the drawings of the pages what the strategies really do?

Here: docs/img/strategies/*.svg against what docs/img/strategies.py draws now; every strategy has
its page and its drawing, and no page or drawing is of a strategy that does not exist.
Not here: the strategies (tests/unit/mechanisms/bargaining/), what pages show (test_docs.py).
Sources: the rule that an example nobody runs is a claim nobody made.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from comity.mechanisms.bargaining.strategies import STRATEGIES

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference" / "strategies"
DRAWN = ROOT / "docs" / "img" / "strategies"


def test_every_strategy_has_a_page_a_drawing_and_a_line_in_the_list() -> None:
    assert {one.stem for one in PAGES.glob("*.md")} == set(STRATEGIES)
    assert {one.stem for one in DRAWN.glob("*.svg")} == set(STRATEGIES)
    listed = (PAGES.parent / "strategies.md").read_text("utf-8")
    assert {*re.findall(r"\(strategies/(\w+)\.md\)", listed)} == set(STRATEGIES)


def test_the_drawings_are_what_the_strategies_do(tmp_path: Path) -> None:
    script = DRAWN.with_suffix(".py")
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, capture_output=True)
    stale = [
        one.name
        for one in sorted(DRAWN.glob("*.svg"))
        if one.read_bytes() != (tmp_path / one.name).read_bytes()
    ]
    assert not stale, f"run `python docs/img/strategies.py`: {', '.join(stale)}"
