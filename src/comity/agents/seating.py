"""Seating: from words such as ``rational`` or ``script:lines.txt`` to an agent.

Here: the kinds of seats, what each records so that a session can be resumed, ``auto``.
Not here: the agents themselves.
Sources: SEMANTICS C7; ARCHITECTURE contract 2.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from comity.agents.bargainer import StrategySeat
from comity.agents.base import Agent
from comity.agents.bidder import bidder_of
from comity.agents.command import command
from comity.agents.model_seats import MODEL_SEATS, model_agent, model_spec
from comity.agents.person import Person
from comity.agents.rational import AT_OFFERS, RationalAdvocate
from comity.agents.scripted import Scripted, lines_of
from comity.core.canonical import JsonObject
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.domain import Domain
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.mechanisms.bargaining.problem_json import problem_from_json
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.protocols.consent.red_lines import Predicate

__all__ = [
    "AUTO",
    "KINDS_OF_SEAT",
    "OWN",
    "SeatPlan",
    "auto_spec",
    "person_seats",
    "plan_seat",
    "seat_agent",
    "seat_names",
    "seat_values",
    "with_strategies",
]

KINDS_OF_SEAT = (
    "rational",
    "person",
    "script:FILE",
    "strategy:NAME",
    *MODEL_SEATS,
    "command:PROGRAM ARGUMENTS",
    "auto",
)

OWN = "own"
"""How a seat is recorded that the caller's own program answers for."""

AUTO = {"CC": "claude", "CX": "codex", "GM": "gemini"}
"""Seat -> the coding agent that ``auto`` looks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlan:
    """How a seat is seated, as it will be recorded.

    Attributes:
        spec: the words, with ``auto`` replaced by what it found.
        private: what joins the seat's private entry (the lines of a script).
    """

    spec: str
    private: JsonObject = field(default_factory=dict)


def auto_spec(seat: PartyId) -> str | None:
    """Return the coding agent that ``auto`` seats here, or None when it is not on PATH."""
    program = AUTO.get(seat)
    return program if program is not None and shutil.which(program) is not None else None


def plan_seat(spec: str, seat: PartyId, *, folder: Path) -> SeatPlan:
    """Read how a seat is to be seated and fetch what must be recorded with it.

    Args:
        spec: the words.
        seat: the seat.
        folder: where relative paths start.

    Returns:
        The plan.

    Raises:
        InvalidInput: when the words mean nothing, a script cannot be read, or ``auto`` finds
            nothing.
    """
    kind, _, rest = spec.partition(":")
    whose = f"seat {seat!r}"
    if kind == "auto" and not rest:
        found = auto_spec(seat)
        if found is None:
            program = AUTO.get(seat)
            looked = f"{program} is not on PATH" if program else "auto knows CC, CX and GM"
            raise InvalidInput(
                Fault(
                    whose,
                    f"cannot be seated by auto: {looked}",
                    ", ".join(KINDS_OF_SEAT),
                    f"install it, or say --agent {seat}=...",
                )
            )
        return SeatPlan(spec=found)
    if kind in {"rational", "person", OWN} and not rest:
        return SeatPlan(spec=kind)
    if kind == "command":
        program = command(rest, seat=seat).argv[0]
        if shutil.which(str(folder / program) if os.sep in program else program) is None:
            raise InvalidInput(
                Fault(
                    whose,
                    f"has the program {program!r}, which is not there or cannot be run",
                    "a program on PATH, or the path of one",
                    "install it, or correct the command",
                )
            )
        return SeatPlan(spec=spec)
    calling = model_spec(spec, seat)
    if calling is not None:
        return SeatPlan(spec=calling)
    if kind == "strategy":
        return SeatPlan(spec=f"strategy:{read_strategy(rest, whose=whose)}")
    if kind == "script" and rest:
        return SeatPlan(spec=spec, private={"lines": _script(folder / rest, seat)})
    raise UnknownName(
        Fault(
            whose,
            f"has the agent {spec!r}",
            ", ".join(KINDS_OF_SEAT),
            did_you_mean(kind, [one.partition(":")[0] for one in KINDS_OF_SEAT]),
        )
    )


def _script(path: Path, seat: PartyId) -> Sequence[str]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InvalidInput(
            Fault(
                f"seat {seat!r}",
                f"has the script {str(path)!r}, which cannot be read ({reason})",
                "a text file",
                "check the path",
            )
        ) from error
    return lines_of(text, seat, source=path.name)


def seat_agent(
    seat: PartyId,
    spec: str,
    private: Mapping[str, object],
    *,
    domain: Domain | None,
    red_lines: tuple[Predicate, ...] = (),
    prompt: Callable[[str, str], str | None] | None = None,
) -> Agent:
    """Build the agent of a seat from what is recorded.

    Args:
        seat: the seat.
        spec: how it is seated.
        private: the seat's private entry; nobody else's.
        domain: the terms, for rational seats.
        red_lines: the seat's own red lines that code can check.
        prompt: asks a person; without it a person's seat is refused.

    Returns:
        The agent.

    Raises:
        InvalidInput: when the seat cannot be built from the record.
    """
    kind, _, rest = spec.partition(":")
    whose = f"seat {seat!r}"
    if kind == "script":
        lines = private.get("lines")
        return Scripted(
            tuple(str(line) for line in lines) if isinstance(lines, (list, tuple)) else ()
        )
    if kind == "command":
        return command(rest, seat=seat)
    calling = model_agent(spec, seat)
    if calling is not None:
        return calling
    if kind == "person":
        if prompt is None:
            raise InvalidInput(
                Fault(
                    whose,
                    "is a person's, and there is no terminal",
                    "a terminal",
                    "run this on a terminal, or seat an agent",
                )
            )
        return Person(prompt)
    if kind == OWN:
        raise InvalidInput(
            Fault(
                whose,
                "was answered by the program that opened the session",
                "an agent that this process knows",
                "resume it from that program",
            )
        )
    if kind == "rational" and "value" in private:
        return bidder_of(seat, private)
    preferences = _preferences(domain, private, whose)
    if kind == "strategy":
        return StrategySeat(read_strategy(rest, whose=whose), preferences)
    if preferences is None:
        raise InvalidInput(
            Fault(
                whose,
                "is rational, and the scenario has no terms to value",
                "a scenario file with [terms], or another agent",
                f"seat a program or person: --agent {seat}=command:..., or describe terms",
            )
        )
    return RationalAdvocate(seat, preferences, red_lines)


def _preferences(
    domain: Domain | None, private: Mapping[str, object], whose: str
) -> Additive | None:
    """Return what a seat wants by its private entry; None without terms to value."""
    if domain is None:
        return None
    values = private.get("values")
    limit = private.get("reservation")
    return additive(
        domain,
        values if isinstance(values, Mapping) else {},
        reservation=limit if isinstance(limit, (int, str)) else None,
        unit=str(private.get("unit") or "utility"),
        whose=whose,
    )


def seat_names(kind: str, rules: JsonObject) -> tuple[PartyId, ...]:
    """Return the seats that need an agent: those of the session, and who votes after it.

    Args:
        kind: the kind of decision.
        rules: its rules, as they will be recorded.

    Example:
        >>> seat_names("vote", {"order": ["ann", "bob"], "otherwise": {"voters": {"cyd": {}}}})
        ('ann', 'bob', 'cyd')
    """
    order = rules.get("order") if kind in {"bidding", "consent", "review", "vote"} else None
    if kind == "offers":
        problem = rules.get("problem")
        parties = problem.get("parties") if isinstance(problem, Mapping) else None
        order = sorted(parties) if isinstance(parties, Mapping) else None
    names = [str(one) for one in order] if isinstance(order, (list, tuple)) else []
    following = rules.get("otherwise")
    voters = following.get("voters") if isinstance(following, Mapping) else None
    names += [str(one) for one in voters] if isinstance(voters, (list, tuple, Mapping)) else []
    return tuple(dict.fromkeys(names))


def seat_values(
    rules: JsonObject,
) -> tuple[Domain | None, Mapping[PartyId, Mapping[str, object]]]:
    """Return the issues and each seat's own values, where the rules of a session hold them.

    Args:
        rules: the rules of the decision, as they are recorded.

    Returns:
        The issues, and seat -> what it alone may know; nothing for other kinds of decisions.

    Example:
        >>> seat_values({"question": "Which?"})
        (None, {})
    """
    recorded = rules.get("problem")
    if not isinstance(recorded, Mapping):
        return None, {}
    problem = problem_from_json(recorded)
    parties = recorded["parties"]
    assert isinstance(parties, Mapping)
    return problem.domain, dict(parties)  # type: ignore[arg-type]  # each is an object


def with_strategies(rules: JsonObject, plans: Mapping[PartyId, SeatPlan]) -> JsonObject:
    """Return the rules of bargaining over issues with the strategies that seats play by.

    Args:
        rules: the rules of any decision, as they will be recorded.
        plans: who sits where.

    Returns:
        The rules with ``strategies``; those of other kinds as they are.

    Example:
        >>> with_strategies({"problem": {}}, {"ann": SeatPlan(spec="strategy:micro")})
        {'problem': {}, 'strategies': {'ann': 'micro'}}
    """
    kinds = {"rational": AT_OFFERS}
    found = {
        seat: kinds.get(plan.spec) or plan.spec.partition(":")[2]
        for seat, plan in plans.items()
        if plan.spec in kinds or plan.spec.startswith("strategy:")
    }
    if "problem" not in rules or not found:
        return rules
    return {**rules, "strategies": found}


def person_seats(rules: JsonObject) -> tuple[PartyId, ...]:
    """Return the seats of the people behind a decision, who need not be there.

    Args:
        rules: the rules of the decision.

    Example:
        >>> person_seats({"gate": {"seat": "lead"}})
        ('lead',)
    """
    following = rules.get("otherwise")
    gates = [rules.get("gate"), following.get("gate") if isinstance(following, Mapping) else None]
    return tuple(str(one["seat"]) for one in gates if isinstance(one, Mapping) and "seat" in one)
