"""Nineteen days: how were the logs of examples/campaigns and the drawing of their page made?

Here: three campaigns on one budget under first come, static priority and ageing by losses, as
claims logs; the drawing of what `comity watch` finds in the one under static priority.
Not here: the rules (comity), what the page says (docs/explanation/nineteen-days.md).
Sources: SEMANTICS D2, R5. Budget, shares, days and gain curves are those of the motivating case;
lots of 300, the dates, the jobs' seconds and A's exaggerated claims are ours.

`python docs/img/nineteen_days.py` writes them anew, into another folder when one is named;
tests/test_campaigns.py holds that they are what the code makes.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "src"))

from comity.formats.claims_log import ClaimGain, claims_csv
from comity.mechanisms.arbitration import Arbitration, Conflict, Policy, recorded
from comity.render.watch_chart import watch_chart
from comity.watch.report import watch_report

ROOT = Path(__file__).resolve().parent.parent.parent
CAMPAIGNS = Path("examples") / "campaigns"
DRAWN = Path("docs") / "img" / "nineteen-days.svg"
FIRST_DAY, DAYS = 1_780_272_000, 19  # from Monday, 1 June 2026
BUDGET, LOT = 12_000, 300
LOTS = BUDGET // LOT
ASKS = {"A": 11_400 // LOT, "B": LOTS, "C": LOTS}
PRIORITIES = {"A": 3, "B": 2, "C": 1}
CLAIMED = {"A": Fraction(5, 2)}
"""Agent -> what it claims for each unit that it gains; 1 for all others."""
SEED = "2026"

Decide = Callable[[int, list[str], int], Conflict]


def log_of(decide: Decide) -> list[Conflict]:
    """Return the lots of all days: forty a day, one a second, from 00:00:01 on."""
    lots = []
    for day in range(DAYS):
        got = dict.fromkeys(ASKS, 0)
        for lot in range(1, LOTS + 1):
            claims = [agent for agent in ASKS if got[agent] < ASKS[agent]]
            one = decide(day, claims, FIRST_DAY + 86_400 * day + lot)
            got[one.winners[0]] += 1
            lots.append(one)
    return lots


def first_come(day: int, claims: list[str], at: int) -> Conflict:
    """Let A win, whose job fires first; B and C, who fire together, take one lot each."""
    winner = "A" if "A" in claims else "BC"[(day + at) % 2]
    return recorded("budget", [(agent, 1) for agent in claims], [winner], at=at)


def under(policy: Policy) -> Decide:
    """Return what decides lots by a policy."""
    engine = Arbitration(policy, seed=SEED)

    def decide(_day: int, claims: list[str], at: int) -> Conflict:
        found = engine.conflict([(agent, PRIORITIES[agent]) for agent in claims], "budget")
        return recorded("budget", found.claims, found.winners, at=at)

    return decide


def gain(segments: list[list[Any]], money: int) -> Fraction:
    """Return what money brings on a curve of [width, slope] pieces."""
    total, left = Fraction(0), Fraction(money)
    for width, slope in segments:
        total += min(left, Fraction(width)) * Fraction(str(slope))
        left = max(left - width, Fraction(0))
    return total


def gains_of(lots: list[Conflict]) -> list[ClaimGain]:
    """Return what each claim was to bring, and what the won ones brought."""
    text = (ROOT / CAMPAIGNS / "budget.toml").read_text("utf-8")
    agents = tomllib.loads(text)["agents"]
    found: list[ClaimGain] = []
    money: dict[str, int] = {}
    for at, lot in enumerate(lots):
        if at % LOTS == 0:
            money = dict.fromkeys(ASKS, 0)
        for agent, _ in lot.claims:
            segments = agents[agent]["segments"]
            true = gain(segments, money[agent] + LOT) - gain(segments, money[agent])
            has_won = agent in lot.winners
            claimed = true * CLAIMED.get(agent, 1)
            told = true if has_won else None
            found.append(ClaimGain(lot.at or 0, "budget", agent, has_won, claimed, told))
            money[agent] += LOT * has_won
    return found


def main(folder: Path) -> None:
    """Write the logs and the drawing below a folder."""
    static, ours = log_of(under(Policy(rule="static_priority"))), log_of(under(Policy(c=1)))
    written = {
        CAMPAIGNS / "first-come.csv": claims_csv(log_of(first_come)),
        CAMPAIGNS / "claims.csv": claims_csv(static),
        CAMPAIGNS / "loss-count.csv": claims_csv(ours, gains_of(ours)),
        DRAWN: watch_chart(watch_report(static).to_json()),
    }
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
