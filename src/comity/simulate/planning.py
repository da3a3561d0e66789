"""Planning: is this a tournament, and which one?

Here: reading scenarios, strategies and options into a plan, with every fault at once.
Not here: the plan itself (plan.py), reading files (formats/issues.py), running (run.py).
Sources: SEMANTICS G4, G7, M3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any, Literal, TypedDict, Unpack, get_args

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import show_number, to_fraction
from comity.mechanisms.bargaining.outcomes import MOST_OUTCOMES
from comity.mechanisms.bargaining.problem import Problem
from comity.mechanisms.bargaining.problem_json import problem_to_json
from comity.mechanisms.bargaining.several import MOST_ROUNDS
from comity.mechanisms.bargaining.strategies import STRATEGIES, Strategy, read_strategy
from comity.simulate.plan import Case, Entry, Plan

__all__ = ["MOST_TASKS", "PlanOptions", "entry_of", "every_strategy", "plan_of"]

MOST_TASKS = 1_000_000
"""The most negotiations of one plan."""

Protocol = Literal["alternating", "simultaneous"]
_LONGEST_NAME = 200


class PlanOptions(TypedDict, total=False):
    """The options of :func:`plan_of`.

    Attributes:
        rounds: how many rounds a negotiation has; 100 when left out.
        repetitions: how often each line-up meets; 1 when left out.
        protocol: ``alternating`` (default) or ``simultaneous``.
        seed: of everything; ``"0"`` when left out.
        self_play: whether a strategy also meets only itself; True when left out.
        both_roles: whether preferences are exchanged; True when left out.
        sweep: one parameter with its values: ``{"rounds": [10, 50]}``, or a strategy's,
            ``{"boulware": ["0.1", "0.5"]}``. Each value is a tournament of its own.
    """

    rounds: int
    repetitions: int
    protocol: Protocol
    seed: str
    self_play: bool
    both_roles: bool
    sweep: Mapping[str, Sequence[object]] | None


def plan_of(
    scenarios: Mapping[str, Problem],
    strategies: Sequence[str | Strategy],
    **options: Unpack[PlanOptions],
) -> Plan:
    """Plan a tournament in which every strategy meets every other on every scenario.

    Args:
        scenarios: name -> problem.
        strategies: who plays: names as :func:`read_strategy` takes them, each once.
        **options: see :class:`PlanOptions`.

    Returns:
        The plan; equal for every order of the scenarios and strategies.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> from comity.testing.bargains import sample_problem
        >>> plan = plan_of({"tls": sample_problem()}, ["linear", "boulware"], rounds=20)
        >>> plan.cases[0].strategies
        ('boulware:0.2', 'linear')
        >>> plan_of({"tls": sample_problem()}, ["linear"], repetitions=0)
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: repetitions: are 0. Allowed: a whole number from 1 to \
1,000,000. Next: correct it.
    """
    given: dict[str, Any] = dict(options)
    faults = [
        Fault(
            "plan_of",
            f"has no option {name!r}",
            ", ".join(PlanOptions.__annotations__),
            did_you_mean(name, PlanOptions.__annotations__),
        )
        for name in sorted(given.keys() - PlanOptions.__annotations__.keys())
    ]
    entries = _entries(scenarios, faults)
    read = _strategies(strategies, faults)
    faults.extend(_option_faults(given))
    cases = _cases(read, given.get("rounds", 100), given.get("sweep"), faults)
    raise_if(faults)
    plan = Plan(
        entries=entries,
        cases=cases,
        repetitions=given.get("repetitions", 1),
        protocol=given.get("protocol", "alternating"),
        seed=given.get("seed", "0"),
        self_play=given.get("self_play", True),
        both_roles=given.get("both_roles", True),
        sweep=next(iter(given.get("sweep") or ()), ""),
    )
    raise_if(_size_faults(plan))
    return plan


# --- scenarios -------------------------------------------------------------------------------


def entry_of(name: str, problem: Problem) -> Entry:
    """Return a scenario as a plan keeps it.

    Args:
        name: how rows call it.
        problem: the problem; preferences by a function cannot be planned: nobody could check
            that the rows are of the same problem.

    Returns:
        The entry, its digest the same for every order of declaring terms and options.

    Raises:
        InvalidInput: naming every party whose preferences are a function.

    Example:
        >>> from comity.testing.bargains import sample_problem
        >>> len(entry_of("tls", sample_problem()).digest)
        64
    """
    whole: dict[str, Any] = dict(problem_to_json(problem))
    domain = {key: value for key, value in whole["domain"].items() if key != "order"}
    order = sorted(term.name for term in problem.domain.terms)
    parties = {key: _sorted_party(own, problem, order) for key, own in whole["parties"].items()}
    limits = sorted(whole["constraints"], key=digest)
    return Entry(
        name,
        problem,
        digest({**whole, "domain": domain, "parties": parties, "constraints": limits}),
    )


def _sorted_party(own: Mapping[str, Any], problem: Problem, order: list[str]) -> dict[str, Any]:
    """Return a party as recorded, a table and red lines in an order that says nothing."""
    found = dict(own)
    if own["form"] == "table":
        names = problem.domain.names
        places = [names.index(term) for term in order]
        lines = [([deal[place] for place in places], worth) for deal, worth in own["values"]]
        found["values"] = sorted(lines, key=lambda line: line[0])
    if "red_lines" in own:
        found["red_lines"] = sorted(own["red_lines"], key=digest)
    return found


def _entries(scenarios: object, faults: list[Fault]) -> tuple[Entry, ...]:
    if not isinstance(scenarios, Mapping) or not scenarios:
        what, allowed = f"are {shown(scenarios)}", "name = problem, one or more"
        faults.append(Fault("scenarios", what, allowed, "name one"))
        return ()
    found: dict[str, Entry] = {}
    for name, problem in scenarios.items():
        if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
            allowed = f"text of 1 to {_LONGEST_NAME} characters"
            faults.append(Fault("scenarios", f"have the name {shown(name)}", allowed, "rename it"))
            continue
        whose = f"scenario {name!r}"
        if not isinstance(problem, Problem):
            faults.append(Fault(whose, f"is {shown(problem)}", "a Problem", "call problem_of"))
            continue
        if problem.domain.size > MOST_OUTCOMES:
            what, allowed = f"has {problem.domain.size} deals", f"at most {MOST_OUTCOMES}"
            faults.append(Fault(whose, what, allowed, "leave out an issue"))
        try:
            one = entry_of(name, problem)
        except InvalidInput as error:
            faults.extend(error.faults)
            continue
        same = found.setdefault(one.digest, one)
        if same is not one:
            what = f"is the same problem as {same.name!r}"
            faults.append(Fault(whose, what, "every problem once", "leave one out"))
    return tuple(sorted(found.values(), key=lambda one: one.name))


# --- strategies ------------------------------------------------------------------------------


def every_strategy() -> tuple[str, ...]:
    """Return every strategy that is registered, each with its default parameter.

    Returns:
        Their names, sorted.

    Example:
        >>> "micro" in every_strategy()
        True
    """
    return tuple(sorted(STRATEGIES))


def _written(one: Strategy) -> str:
    """Return a strategy's text, one for equal parameters: 0.2 and 0.20 are the same."""
    if one.parameter is None:
        return one.name
    return f"{one.name}:{show_number(to_fraction(one.parameter)).split(' ')[0]}"


def _strategies(given: object, faults: list[Fault]) -> tuple[str, ...]:
    if not isinstance(given, (list, tuple)) or not given:
        known = ", ".join(sorted(STRATEGIES))
        what = f"are {shown(given)}"
        faults.append(Fault("strategies", what, f"a list of one or more of {known}", "name one"))
        return ()
    found = []
    for one in given:
        try:
            found.append(_written(read_strategy(one, "strategies")))
        except InvalidInput as error:
            faults.extend(error.faults)
    twice = sorted({one for one in found if found.count(one) > 1})
    for one in twice:
        faults.append(Fault("strategies", f"list {one} twice", "each once", "leave one out"))
    return tuple(sorted(set(found)))


def _cases(
    strategies: tuple[str, ...], rounds: object, sweep: object, faults: list[Fault]
) -> tuple[Case, ...]:
    if sweep is None:
        return (Case("", rounds, strategies),) if isinstance(rounds, int) else ()
    if not isinstance(sweep, Mapping) or len(sweep) != 1:
        allowed = "one parameter with its values: rounds, or a strategy that takes one"
        faults.append(Fault("sweep", f"is {shown(sweep)}", allowed, "sweep one at a time"))
        return ()
    ((name, values),) = sweep.items()
    if not isinstance(values, (list, tuple)) or not values:
        faults.append(Fault("sweep", f"is over {shown(values)}", "a list of values", "list them"))
        return ()
    if name == "rounds":
        return _round_cases(strategies, values, faults)
    return _strategy_cases(strategies, rounds, (str(name), values), faults)


def _round_cases(
    strategies: tuple[str, ...], values: Sequence[object], faults: list[Fault]
) -> tuple[Case, ...]:
    wrong = [one for one in values if not _is_count(one, 0, MOST_ROUNDS)]
    if wrong or len(set(values)) < len(values):
        what = f"of rounds is over {shown(list(values))}"
        allowed = f"different whole numbers from 0 to {MOST_ROUNDS:,}"
        faults.append(Fault("sweep", what, allowed, "correct them"))
        return ()
    counts = sorted(one for one in values if isinstance(one, int))
    return tuple(Case(f"rounds={one}", one, strategies) for one in counts)


def _strategy_cases(
    strategies: tuple[str, ...],
    rounds: object,
    sweep: tuple[str, Sequence[object]],
    faults: list[Fault],
) -> tuple[Case, ...]:
    name = sweep[0].strip().casefold().replace("-", "_").replace(" ", "_")
    swept = [one for one in strategies if one.partition(":")[0] == name]
    takes = sorted({one.partition(":")[0] for one in strategies if ":" in one})
    if len(swept) != 1 or name not in takes:
        allowed = ", ".join(["rounds", *takes])
        count = len(swept)
        what = f"is over {sweep[0]!r}" + (f", which plays {count} times" if count > 1 else "")
        faults.append(Fault("sweep", what, allowed, did_you_mean(name, ["rounds", *takes])))
        return ()
    found: dict[str, Case] = {}
    for value in sweep[1]:
        try:
            one = _written(read_strategy(f"{name}:{value}", "sweep"))
        except InvalidInput as error:
            faults.extend(error.faults)
            continue
        others = [other for other in strategies if other != swept[0]]
        if one in found:
            faults.append(Fault("sweep", f"has {one} twice", "each value once", "leave one out"))
        elif isinstance(rounds, int):
            found[one] = Case(one, rounds, tuple(sorted({one, *others})))
    return tuple(found[one] for one in sorted(found, key=_parameter))


def _parameter(text: str) -> tuple[object, str]:
    """Return what orders the cases of a sweep: the parameter as a number."""
    parameter = read_strategy(text).parameter
    return (0 if parameter is None else to_fraction(parameter)), text


# --- options ---------------------------------------------------------------------------------


def _is_count(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _option_faults(given: dict[str, Any]) -> list[Fault]:
    faults = []
    for name, least, most, usual in (
        ("rounds", 0, MOST_ROUNDS, 100),
        ("repetitions", 1, MOST_TASKS, 1),
    ):
        value = given.get(name, usual)
        if not _is_count(value, least, most):
            allowed = f"a whole number from {least} to {most:,}"
            faults.append(Fault(name, f"are {shown(value)}", allowed, "correct it"))
    protocol, seed = given.get("protocol", "alternating"), given.get("seed", "0")
    if protocol not in get_args(Protocol):
        known = get_args(Protocol)
        next_step = did_you_mean(str(protocol), known)
        faults.append(Fault("protocol", f"is {shown(protocol)}", " or ".join(known), next_step))
    if not isinstance(seed, str):
        faults.append(Fault("seed", f"is {shown(seed)}", "text", f"write {str(seed)!r}"))
    for name in ("self_play", "both_roles"):
        if not isinstance(given.get(name, True), bool):
            what = f"is {shown(given[name])}"
            faults.append(Fault(name, what, "True or False", "correct it"))
    return faults


def _size_faults(plan: Plan) -> list[Fault]:
    """Refuse a plan with no negotiation or too many, before any is listed."""
    total = 0
    for entry in plan.entries:
        seats = len(entry.problem.parties)
        for case in plan.cases:
            count = len(case.strategies)
            each = count**seats if plan.both_roles else comb(count + seats - 1, seats)
            total += plan.repetitions * (each if plan.self_play else each - count)
    if not total:
        what = "have nobody to meet: one strategy, and no self-play"
        return [Fault("strategies", what, "two or more, or self-play", "name another")]
    if total > MOST_TASKS:
        what, allowed = f"has {total:,} negotiations", f"at most {MOST_TASKS:,}"
        return [Fault("plan", what, allowed, "leave out scenarios, strategies or repetitions")]
    return []
