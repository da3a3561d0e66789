"""Comity watch: who wins, who starves, and should a person look?

Here: the command, its exit code.
Not here: the report and the digest (watch/), claims logs (claims.py), tables (render/).
Sources: SEMANTICS R5, K4.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict, Unpack

import click

from comity.cli.claims import STDIN, Claims, instant
from comity.cli.door import Door
from comity.cli.grouping import grouped_claims
from comity.cli.lengths import milliseconds
from comity.cli.options import DoorCommand, whole
from comity.cli.places import guard_target, write_file
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.core.exact import Exact, read_exact
from comity.formats.claims_period import within
from comity.render.watch import watch_text

__all__ = ["command"]

EXAMPLES = (
    "comity watch examples/campaigns/claims.csv",
    "comity watch examples/campaigns/claims.csv --by week --policy static --svg wins.svg",
    "comity watch claims.jsonl --limit-streak 10 --limit-wait 24h --json",
)

PERSON = 11
PERIODS = ("day", "week", "month")


class Words(TypedDict):
    """What the command line said, as text."""

    by: str | None
    policy: str | None
    c: str | None
    horizon: str | None
    alpha: str | None
    limit_streak: str | None
    limit_wait: str | None
    since: str | None
    until: str | None
    window: str | None
    scope: tuple[str, ...]
    desk: str | None
    svg: str | None


@click.command(
    "watch",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Look at recorded claims: who wins, who starves, since when, and what was promised.

    CLAIMS is CSV (time,resource,agent,priority[,won][,claimed_gain,realised_gain][,arrived]
    [,scope]) or JSON lines with the same keys; - reads standard input. Rows of one time and
    resource are one conflict. Without it the record of a desk in the ledger is looked at. Exit
    code 0 when no alarm stands, 11 when a warning or a critical alarm does: a person should look.
    """,
)
@click.argument("file", metavar="[CLAIMS.csv]", required=False)
@click.option("--by", metavar="PERIOD", help="Wins by day, week or month; else what suits.")
@click.option("--policy", metavar="NAME", help="The rule they were decided by: losses, static ...")
@click.option("--c", metavar="N", help="Of that rule: what a lost conflict, or an hour, adds.")
@click.option("--horizon", metavar="N", help="Conflicts until somebody takes stock; 1000.")
@click.option("--alpha", metavar="X", help="Chance of one false alarm over the horizon; 0.01.")
@click.option("--limit-streak", metavar="N", help="Alarm above so many losses in a row.")
@click.option("--limit-wait", metavar="TIME", help="Alarm above so long without a win: 24h, 90.")
@click.option("--since", metavar="TIME", help="Only conflicts from then on: 2026-06-15.")
@click.option("--until", metavar="TIME", help="Only conflicts before then.")
@click.option("--window", metavar="TIME", help="Claims so near to the first are one conflict: 5m.")
@click.option(
    "--scope", metavar="PATTERN", multiple=True, help="Resources that are one: 'slot-*'."
)
@click.option("--digest", is_flag=True, help="The last week as a message of plain text.")
@click.option("--desk", metavar="NAME", help="Which desk of the ledger; claims when left out.")
@click.option("--svg", metavar="FILE", help="Draw wins, streaks and alarms into this file.")
def command(door: Door, file: str | None, *, digest: bool, **words: Unpack[Words]) -> int:
    """Look once."""
    faults: list[Fault] = []
    rules = _rules(words, faults)
    policy = _policy(words, faults)
    since, until = (
        instant(words["since"], "--since", faults), instant(words["until"], "--until", faults)
    )  # fmt: skip
    window_ms = milliseconds(words["window"], "--window", faults)
    by = words["by"]
    if by is not None and by not in PERIODS:
        faults.append(Fault("--by", f"is {by!r}", ", ".join(PERIODS), did_you_mean(by, PERIODS)))
    raise_if(faults)
    if words["svg"] is not None:
        inputs = [] if file in {None, STDIN} else [Path(str(file))]
        guard_target(words["svg"], "--svg", ledger=door.explicit_db(), inputs=inputs)
    claims = grouped_claims(door, file, words["desk"], (window_ms, words["scope"]))
    claims = _stated(claims, policy)
    log, policy = within(claims.log, since, until), claims.policy
    report = import_module("comity.watch.report").watch_report(log, policy, rules=rules, by=by)
    data: dict[str, Json] = report.to_json()
    code = PERSON if report.needs_person else 0
    data["exit_code"] = code
    if not log.says_who_won:
        data["what_if"] = import_module("comity.watch.side_by_side").side_by_side(log).to_json()
    if digest:
        message = import_module("comity.watch.digest").weekly_digest(log, policy, rules=rules)
        data["digest"] = message
    if words["svg"] is not None:
        drawn = import_module("comity.render.watch_chart").watch_chart(data)
        write_file(words["svg"], drawn)
        door.talk(f"drawn: {words['svg']}")
    if door.as_json:
        door.json(data)
    elif "digest" in data:
        door.data(str(data["digest"]))
    else:
        door.data(watch_text(data, door.ink))
    return code


def _stated(claims: Claims, policy: Any) -> Claims:  # noqa: ANN401  # a policy or None
    """Return claims with the policy that is stated; one of the ledger is not overruled.

    A desk that others decided for states none: there a policy given speaks for all of them.
    """
    if claims.policy is not None and policy is not None:
        what = "is given beside claims whose policy the ledger states"
        allowed = "a policy for claims that come without one"
        told = "drop it; `comity whatif --rule NAME` shows another rule"
        raise InvalidInput(Fault("--policy", what, allowed, told))
    if policy is None:
        return claims
    return replace(claims, policy=policy, log=replace(claims.log, policies=(), by_others=0))


def _policy(words: Words, faults: list[Fault]) -> Any:  # noqa: ANN401  # a policy or None
    c = _number(words["c"], "--c", faults)
    if words["policy"] is None:
        if words["c"] is not None:
            told = "name the rule: --policy losses"
            faults.append(Fault("--c", "is given without --policy", "a rule with c", told))
        return None
    try:
        return import_module("comity.watch.side_by_side").policies_named([words["policy"]], c=c)[0]
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


def _rules(words: Words, faults: list[Fault]) -> Any:  # noqa: ANN401  # alarm rules or None
    """Return when an alarm is raised, or None with the faults."""
    told: dict[str, Any] = {}
    horizon = whole(words["horizon"], "--horizon", faults, least=1)
    streak = whole(words["limit_streak"], "--limit-streak", faults)
    wait_ms = milliseconds(words["limit_wait"], "--limit-wait", faults)
    alpha = _number(words["alpha"], "--alpha", faults)
    if alpha is not None and not 0 < alpha < 1:
        what, allowed = f"is {words['alpha']!r}", "a chance between 0 and 1, such as 0.01"
        faults.append(Fault("--alpha", what, allowed, "correct --alpha"))
    elif alpha is not None:
        told["alpha"] = float(alpha)
        told["alpha_early"] = min(0.5, 5 * float(alpha))
    if horizon is not None:
        told["horizon"] = horizon
    if streak is not None:
        told["longest_streak"] = streak
    if wait_ms is not None:
        told["longest_wait_s"] = Fraction(wait_ms, 1000)
    if faults:
        return None
    return import_module("comity.watch.report").AlarmRules(**told)


def _number(text: str | None, whose: str, faults: list[Fault]) -> Exact | None:
    if text is None:
        return None
    try:
        return read_exact(text, "watch", whose)
    except InvalidInput as error:
        faults.extend(error.faults)
        return None
