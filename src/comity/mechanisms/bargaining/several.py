"""Several: what do parties that bargain over several issues come to?

Here: one whole negotiation between named strategies, from its options to its result.
Not here: the turns (playing.py), strategies (strategies/), results (issue_results.py), live
sessions between agents (protocols/offers).
Sources: SEMANTICS M2, M3, M5, B7, G3, G4; defects N8 to N12 of the research.

Rounds are 0 to rounds - 1; a party that concedes by the clock is at its best deal in the first and
at its worst acceptable one in the last, and a single round is the last. With ``rounds=0`` nobody
speaks: no deal, reason ``round_limit``. A number of rounds must be given: without one, two parties
that concede by the clock would never move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, get_args

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.issue_ending import Setting, agreed, best_of_seen, not_agreed
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal
from comity.mechanisms.bargaining.mediator import mediate
from comity.mechanisms.bargaining.outcomes import Outcomes, outcomes_of
from comity.mechanisms.bargaining.playing import (
    Played,
    Table,
    play_alternating,
    play_simultaneous,
)
from comity.mechanisms.bargaining.problem import Problem
from comity.mechanisms.bargaining.strategies import Strategy, read_strategy
from comity.mechanisms.bargaining.timed_play import play_timed
from comity.mechanisms.bargaining.turns import MOST_ROUNDS, seat_seed, speaking_order

__all__ = ["MOST_ROUNDS", "PlayOptions", "negotiate_issues"]


Protocol = Literal["alternating", "simultaneous", "mediated"]
Fallback = Literal["none", "best_of_seen"]
_CLOSED = (("protocol", get_args(Protocol)), ("fallback", get_args(Fallback)))


class PlayOptions(TypedDict, total=False):
    """The options of :func:`negotiate_issues`.

    Attributes:
        rounds: how many rounds there are at most, 0 to 1,000,000; 100 when left out.
        protocol: ``alternating`` (default) or ``simultaneous`` offers; or ``mediated``, where a
            mediator who sees all values names the Nash point and strategies are not asked.
        first: who opens; drawn by lot (label ``opener``) when left out. The others follow in a
            drawn order.
        seed: of all lots.
        fallback: ``best_of_seen`` settles on the best deal offered that all can accept when the
            rounds end without one; ``none`` (default) does not.
        stall: after how many rounds without a new offer it ends when all parties wait; as many
            as there are offers to repeat when left out.
        trace: whether the result carries every offer; True when left out.
    """

    rounds: int
    protocol: Protocol
    first: PartyId | None
    seed: str
    fallback: Fallback
    stall: int | None
    trace: bool


def negotiate_issues(
    problem: Problem | Outcomes,
    strategies: Mapping[PartyId, str | Strategy] | Sequence[str | Strategy],
    **options: Unpack[PlayOptions],
) -> IssueAgreement | IssueNoDeal:
    """Negotiate over several issues, every party by a strategy that sees its own values only.

    Args:
        problem: who bargains about what; or its tables, when many negotiations share them.
        strategies: party -> strategy, or one strategy per party in the order of the names.
        **options: see :class:`PlayOptions`.

    Returns:
        The deal with the path of offers, or the no-deal with the nearest deal offered.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"price": [1, 2, 3], "support": ["no", "yes"]})
        >>> ann = additive(d, {"price": {"1": 3, "2": 2}, "support": {"yes": 2}})
        >>> bob = additive(d, {"price": {"3": 4, "2": 2}, "support": {"no": 1}})
        >>> deal = negotiate_issues(problem_of(d, {"ann": ann, "bob": bob}), ["micro", "micro"])
        >>> deal.deal, [str(one.value) for one in deal.utilities]
        ({'price': '2', 'support': 'no'}, ['2', '3'])
    """
    given: dict[str, Any] = dict(options)
    asked = problem.problem if isinstance(problem, Outcomes) else problem
    names = asked.names
    faults = [
        Fault(
            "negotiate_issues",
            f"has no option {name!r}",
            ", ".join(PlayOptions.__annotations__),
            did_you_mean(name, PlayOptions.__annotations__),
        )
        for name in sorted(given.keys() - PlayOptions.__annotations__.keys())
    ]
    is_mediated = given.get("protocol") == "mediated"
    read = [] if is_mediated and not strategies else _strategies(names, strategies, faults)
    faults.extend(_option_faults(given, names))
    raise_if(faults)
    if is_mediated:
        return mediate(asked, seed=given.get("seed", "0"))
    outcomes = problem if isinstance(problem, Outcomes) else outcomes_of(problem)
    return _negotiate(outcomes, read, given)


# --- reading ---------------------------------------------------------------------------------


def _strategies(names: tuple[PartyId, ...], given: object, faults: list[Fault]) -> list[Strategy]:
    listed: list[object] = []
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                what = f"strategy for {shown(name)}, who is no party"
                allowed = f"parties: {', '.join(names)}"
                faults.append(Fault("strategies", what, allowed, did_you_mean(str(name), names)))
        missing = [name for name in names if name not in given]
        if missing:
            what, allowed = f"leave out {', '.join(missing)}", "one strategy for each party"
            faults.append(Fault("strategies", what, allowed, "add them"))
        listed = [given[name] for name in names if name in given]
        names = tuple(name for name in names if name in given)
    elif isinstance(given, (list, tuple)) and len(given) == len(names):
        listed = list(given)
    else:
        faults.append(
            Fault(
                "strategies",
                f"are {shown(given)}",
                f"party = strategy, or a list of {len(names)}",
                "name one for each party",
            )
        )
    found = []
    for name, one in zip(names, listed, strict=False):
        try:
            found.append(read_strategy(one, name))
        except InvalidInput as error:
            faults.extend(error.faults)
    return found


def _option_faults(given: dict[str, Any], names: tuple[PartyId, ...]) -> list[Fault]:
    faults = []
    rounds, stall = given.get("rounds", 100), given.get("stall")
    if not _is_count(rounds, 0):
        allowed = f"a whole number from 0 to {MOST_ROUNDS:,}"
        faults.append(Fault("rounds", f"are {shown(rounds)}", allowed, "state how many there are"))
    if stall is not None and not _is_count(stall, 1):
        allowed = f"a whole number from 1 to {MOST_ROUNDS:,}"
        faults.append(Fault("stall", f"is {shown(stall)}", allowed, "or leave it out"))
    for name, known in _CLOSED:
        value = given.get(name, known[0])
        if value not in known:
            next_step = did_you_mean(str(value), known)
            faults.append(Fault(name, f"is {shown(value)}", " or ".join(known), next_step))
    first = given.get("first")
    if first is not None and first not in names:
        allowed = f"parties: {', '.join(names)}"
        faults.append(Fault("first", f"is {shown(first)}", allowed, "or leave it to a lot"))
    seed, trace = given.get("seed", ""), given.get("trace", True)
    if not isinstance(seed, str):
        faults.append(Fault("seed", f"is {shown(seed)}", "text", f"write {str(seed)!r}"))
    if not isinstance(trace, bool):
        faults.append(Fault("trace", f"is {shown(trace)}", "True or False", "correct it"))
    return faults


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= MOST_ROUNDS


# --- the negotiation -------------------------------------------------------------------------


def _negotiate(
    outcomes: Outcomes, strategies: list[Strategy], given: dict[str, Any]
) -> IssueAgreement | IssueNoDeal:
    names = outcomes.problem.names
    rounds, seed = given.get("rounds", 100), given.get("seed", "0")
    protocol, fallback = given.get("protocol", "alternating"), given.get("fallback", "none")
    order, ties = speaking_order(names, given.get("first"), seed)
    plays = dict(zip(names, strategies, strict=True))
    parameters: dict[str, Json] = {
        "rounds": rounds,
        "protocol": protocol,
        "order": order,
        "seed": seed,
        "fallback": fallback,
        "strategies": {name: str(one) for name, one in plays.items()},
    }
    if given.get("stall") is not None:
        parameters["stall"] = given["stall"]
    setting = Setting(outcomes, parameters, rounds, protocol, seed, ties, given.get("trace", True))
    if rounds == 0:
        return not_agreed(setting, Played((), (), (), {}))
    played = _play(setting, order, plays, given.get("stall"))
    if played.deal is not None:
        return agreed(setting, played, played.deal, "accepted")
    found = best_of_seen(setting, played) if fallback == "best_of_seen" else None
    if found is not None:
        return agreed(setting, played, found[0], "best_of_seen", found[1])
    return not_agreed(setting, played)


def _play(
    setting: Setting,
    order: tuple[PartyId, ...],
    plays: Mapping[PartyId, Strategy],
    stall: int | None,
) -> Played:
    views = {name: setting.outcomes.view(name) for name in order}
    if setting.protocol == "alternating" and len(order) == 2:
        schedules = [plays[name].schedule for name in order]
        if all(schedules) and all(len(view.order) for view in views.values()):
            one, two = zip(views.values(), schedules, strict=True)
            seeds = seat_seed(setting.seed, order[0]), seat_seed(setting.seed, order[1])
            return play_timed(one, two, setting.rounds, seeds)  # type: ignore[arg-type]  # schedules that are there
    table = Table(
        layout=setting.outcomes.layout,
        players={
            name: plays[name].start(
                views[name], setting.rounds, order, seat_seed(setting.seed, name)
            )
            for name in order
        },
        acceptable={name: len(view.order) for name, view in views.items()},
        rounds=setting.rounds,
        stall=stall,
        seed=setting.seed,
    )
    return (
        play_alternating(table) if setting.protocol == "alternating" else play_simultaneous(table)
    )
