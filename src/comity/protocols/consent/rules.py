"""Consent rules: everything a consent negotiation is fixed by before it starts.

Here: seats, terms, red lines, limits, the recorded speaking order; building them from plain
values with every fault at once.
Not here: what happens (machine.py), private scores (they belong to the seat's agent alone).
Sources: SEMANTICS C1, C4, C5, G7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from comity.core.canonical import JsonObject, digest, plain
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.core.exact import Exact, exact_fault
from comity.core.parties import PartyId, name_fault
from comity.core.ties import Tie, lot, rotation
from comity.mechanisms.bargaining.domain import Domain, domain_from_json
from comity.protocols.consent.red_lines import Predicate, read_predicate

__all__ = [
    "MAX_TURNS",
    "ConsentLimits",
    "ConsentRules",
    "Seat",
    "consent_rules",
    "order_tie",
    "rules_from_json",
]

MAX_TURNS = 30
_ALLOWED_SEAT = "priority, rationale, red_lines, willing_to_trade"
_ALLOWED_OPTION = "order, output, work"
_RECORDED = (
    "question",
    "seats",
    "seed",
    "order",
    "order_by",
    "domain",
    "limits",
    "work",
    "output",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One advocate.

    Attributes:
        id: the seat's name ("CC").
        priority: what it champions.
        rationale: why that matters; may be empty until it says so itself.
        red_lines: each as stated; those that read as predicates are checked by code.
        predicates: the checked ones.
        willing_to_trade: what it can give up.

    Example:
        >>> Seat(id="CC", priority="Reliability").red_lines
        ()
    """

    id: PartyId
    priority: str
    rationale: str = ""
    red_lines: tuple[str, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    willing_to_trade: str = ""

    @property
    def judged(self) -> tuple[str, ...]:
        """The red lines that only their owner can judge."""
        checked = {str(one) for one in self.predicates}
        return tuple(text for text in self.red_lines if text not in checked)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentLimits:
    """Every limit of a consent negotiation.

    Attributes:
        max_turns: accepted messages of all seats together.
        stall: messages in a row that leave the draft as it is; None means twice the seats.
        reasks: how often an unreadable reply is asked for again.
        turn_timeout_ms: how long one ask stands, or None.
        tokens: how many tokens all replies may report together, or None.
        money: how much money all replies may report together, or None.

    Example:
        >>> ConsentLimits().max_turns
        30
    """

    max_turns: int = MAX_TURNS
    stall: int | None = None
    reasks: int = 1
    turn_timeout_ms: int | None = None
    tokens: int | None = None
    money: Exact | None = None

    def faults(self) -> list[Fault]:
        """Return what is wrong with the limits."""
        found = []
        lowest = {"max_turns": 1, "stall": 1, "reasks": 0, "turn_timeout_ms": 1, "tokens": 0}
        for name, least in lowest.items():
            value = getattr(self, name)
            if value is None and name not in {"max_turns", "reasks"}:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                found.append(
                    Fault(
                        "limits",
                        f"{name} is {value!r}",
                        f"a whole number of {least} or more",
                        f"correct {name}",
                    )
                )
        fault = None if self.money is None else exact_fault(self.money, "limits", "money")
        if fault is not None:
            found.append(fault)
        elif self.money is not None and self.money < 0:
            found.append(Fault("limits", f"money is {self.money}", "0 or more", "correct money"))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRules:
    """What a consent negotiation is fixed by.

    Attributes:
        question: what is to be decided.
        seats: the advocates in speaking order.
        seed: the seed of every lot.
        order_by: ``"lot"`` when the order was drawn, else ``"stated"``.
        domain: terms that can be settled, or None when there are only words.
        limits: every limit.
        work: the text of the work file, or "".
        output: where the consensus document goes, or "".

    Example:
        >>> rules = consent_rules("Meetings?", {"CC": "Focus", "CX": "Contact"}, seed="1")
        >>> sorted(rules.ids)
        ['CC', 'CX']
    """

    question: str
    seats: tuple[Seat, ...]
    seed: str
    order_by: str = "lot"
    domain: Domain | None = None
    limits: ConsentLimits = ConsentLimits()
    work: str = ""
    output: str = ""

    @property
    def ids(self) -> tuple[PartyId, ...]:
        """The seats' names in speaking order."""
        return tuple(seat.id for seat in self.seats)

    @property
    def stall(self) -> int:
        """How many messages may leave the draft unchanged."""
        return 2 * len(self.seats) if self.limits.stall is None else self.limits.stall

    @property
    def work_digest(self) -> str:
        """The SHA-256 of the work file's text in UTF-8, or "" without one."""
        return sha256(self.work.encode("utf-8", "surrogatepass")).hexdigest() if self.work else ""

    @property
    def digest(self) -> str:
        """The digest of the rules as recorded."""
        return digest(self.to_json())

    def seat(self, party: PartyId) -> Seat:
        """Return the seat of this name."""
        return self.seats[self.ids.index(party)]

    def to_json(self) -> JsonObject:
        """Return the rules as :func:`rules_from_json` takes them."""
        limits = self.limits
        return {
            "question": self.question,
            "seats": {
                seat.id: {
                    "priority": seat.priority,
                    "rationale": seat.rationale,
                    "red_lines": list(seat.red_lines),
                    "willing_to_trade": seat.willing_to_trade,
                }
                for seat in self.seats
            },
            "order": list(self.ids),
            "order_by": self.order_by,
            "seed": self.seed,
            "domain": self.domain.to_json() if self.domain else None,
            "limits": {
                "max_turns": limits.max_turns,
                "stall": limits.stall,
                "reasks": limits.reasks,
                "turn_timeout_ms": limits.turn_timeout_ms,
                "tokens": limits.tokens,
                "money": plain(limits.money),
            },
            "work": self.work,
            "work_sha256": self.work_digest,
            "output": self.output,
        }


def consent_rules(
    question: str,
    seats: Mapping[str, object],
    *,
    seed: str,
    domain: Domain | None = None,
    limits: ConsentLimits | None = None,
    **options: object,
) -> ConsentRules:
    """Build the rules and refuse every fault at once.

    Args:
        question: what is to be decided.
        seats: seat -> its priority, or seat -> {priority, rationale, red_lines,
            willing_to_trade}; three or more (two are allowed).
        seed: the seed of the speaking order and of every other lot.
        domain: terms that can be settled, or None.
        limits: the limits; the defaults when None.
        **options: ``order`` (the seats in speaking order, instead of the lot), ``work``,
            ``output``.

    Returns:
        The rules with the speaking order fixed.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> consent_rules(
        ...     "q", {"CC": "a", "CX": "b", "GM": "c"}, seed="1", order=["GM", "CC", "CX"]
        ... ).ids
        ('GM', 'CC', 'CX')
    """
    bounds = limits or ConsentLimits()
    faults = bounds.faults()
    faults.extend(
        Fault(
            "scenario",
            f"has an unknown entry {name!r}",
            _ALLOWED_OPTION,
            did_you_mean(name, _ALLOWED_OPTION.split(", ")),
        )
        for name in options
        if name not in _ALLOWED_OPTION.split(", ")
    )
    if not question.strip():
        faults.append(Fault("scenario", "asks nothing", "a question", "say what is to be decided"))
    built = {name: _seat(name, given, domain, faults) for name, given in seats.items()}
    if len(built) < 2:
        faults.append(
            Fault(
                "scenario",
                f"seats {len(built)}",
                "three or more advocates (two at least)",
                "add seats with a priority each",
            )
        )
    faults.extend(_alike(built))
    order, order_by = _order(options.get("order"), tuple(map(str, built)), seed, faults)
    raise_if(faults)
    return ConsentRules(
        question=question.strip(),
        seats=tuple(built[name] for name in order),
        seed=seed,
        order_by=order_by,
        domain=domain,
        limits=bounds,
        work=str(options.get("work") or ""),
        output=str(options.get("output") or ""),
    )


def _alike(names: Iterable[str]) -> list[Fault]:
    """Return a fault for every two seats that only capitals tell apart: texts could not (C3)."""
    known: dict[str, str] = {}
    found = []
    for name in sorted(map(str, names)):
        other = known.setdefault(" ".join(name.split()).casefold(), name)
        if other != name:
            found.append(
                Fault(
                    "scenario",
                    f"seats {other!r} and {name!r}, which only capitals or spaces tell apart",
                    "names that differ in more",
                    "rename one",
                )
            )
    return found


def _seat(name: str, given: object, domain: Domain | None, faults: list[Fault]) -> Seat:
    whose = f"seat {name!r}"
    fault = name_fault(name, "seat")
    if fault:
        faults.append(fault)
    table: Mapping[str, object] = given if isinstance(given, Mapping) else {"priority": given}
    for key in table:
        if key not in _ALLOWED_SEAT.split(", "):
            faults.append(
                Fault(
                    whose,
                    f"has an unknown entry {key!r}",
                    _ALLOWED_SEAT,
                    did_you_mean(str(key), _ALLOWED_SEAT.split(", ")),
                )
            )
    priority = table.get("priority")
    if not isinstance(priority, str) or not priority.strip():
        faults.append(
            Fault(whose, "has no priority", "one priority each", "say what it champions")
        )
    lines = table.get("red_lines", ())
    texts = (
        [lines] if isinstance(lines, str) else list(lines) if isinstance(lines, Sequence) else []
    )
    if not all(isinstance(text, str) and text.strip() for text in texts) or (lines and not texts):
        faults.append(
            Fault(whose, "has a red line that is no text", "a list of texts", "correct it")
        )
        texts = []
    stated, predicates = _red_lines([str(text) for text in texts], whose, domain, faults)
    return Seat(
        id=name,
        priority=" ".join(str(priority or "").split()),
        rationale=str(table.get("rationale") or ""),
        red_lines=stated,
        predicates=predicates,
        willing_to_trade=str(table.get("willing_to_trade") or ""),
    )


def _red_lines(
    texts: Iterable[str], whose: str, domain: Domain | None, faults: list[Fault]
) -> tuple[tuple[str, ...], tuple[Predicate, ...]]:
    stated: list[str] = []
    predicates: list[Predicate] = []
    for text in texts:
        predicate = None
        if domain is not None:
            try:
                predicate = read_predicate(text, domain, whose=whose)
            except InvalidInput as error:
                faults.extend(error.faults)
                continue
        shown = str(predicate) if predicate else text.strip()
        if shown not in stated:
            stated.append(shown)
            predicates.extend([predicate] if predicate else [])
    return tuple(stated), tuple(predicates)


def _order(
    given: object, names: tuple[str, ...], seed: str, faults: list[Fault]
) -> tuple[tuple[str, ...], str]:
    if given is None or not names:
        return (rotation(seed, "speaking order", names) if names else ()), "lot"
    listed = tuple(str(one) for one in given) if isinstance(given, (list, tuple)) else ()
    if sorted(listed) != sorted(names):
        faults.append(
            Fault(
                "scenario",
                f"states the speaking order {given!r}",
                f"each of {', '.join(sorted(names))} once",
                "correct order, or leave it out",
            )
        )
        return tuple(sorted(names)), "stated"
    return listed, "stated"


def order_tie(rules: ConsentRules) -> tuple[Tie, ...]:
    """Return the lot that fixed who speaks first, or nothing when the order was stated.

    Example:
        >>> rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1", order=["CX", "CC"])
        >>> order_tie(rules)
        ()
    """
    if rules.order_by != "lot":
        return ()
    return (lot(rules.seed, "speaking order", rules.ids),)


def rules_from_json(data: JsonObject) -> ConsentRules:
    """Read rules that :meth:`ConsentRules.to_json` wrote.

    Args:
        data: the recorded rules.

    Returns:
        Equal rules.

    Raises:
        InvalidInput: when the record is damaged.

    Example:
        >>> rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")
        >>> rules_from_json(rules.to_json()) == rules
        True
    """
    missing = [name for name in _RECORDED if name not in data]
    seats, limits, raw_domain = data.get("seats"), data.get("limits"), data.get("domain")
    if missing or not isinstance(seats, Mapping) or not isinstance(limits, Mapping):
        what = f"lack {', '.join(missing)}" if missing else "have no seats and limits to read"
        raise InvalidInput(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    rules = consent_rules(
        str(data["question"]),
        seats,
        seed=str(data["seed"]),
        domain=domain_from_json(raw_domain) if isinstance(raw_domain, Mapping) else None,
        limits=decode(ConsentLimits, limits, where="limits"),
        order=data["order"],
        work=data["work"],
        output=data["output"],
    )
    rules = replace(rules, order_by=str(data["order_by"]))
    is_drawn = rules.order_by == "lot"
    is_same = rules.ids == rotation(rules.seed, "speaking order", rules.ids) or not is_drawn
    if not is_same or rules.work_digest != data.get("work_sha256", rules.work_digest):
        what = "state a speaking order that the lot did not draw"
        if is_same:
            what = "hold another work text than their digest says"
        raise InvalidInput(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    return rules
