"""Results: every way a decision can end, each explaining itself.

Here: the closed family of kinds, their grounds, exit codes, the JSON round trip.
Not here: the extra fields of one mechanism (its room subclasses a kind here) and drawing
(core/show.py for plain text, render/ for the rest).
Sources: SEMANTICS G1 (kinds, grounds), G2 (a no-decision names a reason, the closest thing to a
deal and what would unblock it), G8 (thin).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar, cast

from comity.core.canonical import Json, JsonObject, frozen
from comity.core.codec import decode, encode
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean, shown
from comity.core.exact import Exact
from comity.core.parties import PartyId
from comity.core.show import as_html, as_text
from comity.core.ties import Tie

__all__ = [
    "EXIT_CODE_OF_KIND",
    "RESULT_VERSION",
    "Agreement",
    "Allocation",
    "Award",
    "Blocked",
    "Choice",
    "FinalOffer",
    "Grant",
    "Grounds",
    "Item",
    "NoDeal",
    "NoDecision",
    "NoQuorum",
    "NoSale",
    "Outcome",
    "Result",
    "Submission",
    "Verdict",
    "Waiting",
    "result_form",
    "result_from_json",
]

RESULT_VERSION = 1

EXIT_CODE_OF_KIND: dict[str, int] = {
    "agreement": 0,
    "choice": 0,
    "award": 0,
    "allocation": 0,
    "grant": 0,
    "verdict": 0,
    "no_deal": 10,
    "no_sale": 10,
    "no_decision": 10,
    "waiting": 11,
    "blocked": 12,
    "no_quorum": 13,
}

NoDealReason = Literal[
    "no_overlap",
    "deadline",
    "stall",
    "ping_pong",
    "exhausted",
    "round_limit",
    "time_limit",
    "budget",
    "left",
    "red_lines",
    "objections",
    "cancelled",
]
NoSaleReason = Literal["no_bids", "below_reserve", "too_few_bidders", "cancelled"]
NoDecisionReason = Literal["tie", "cycle", "no_majority", "infeasible", "expired", "cancelled"]
WaitingReason = Literal["human", "votes", "absent", "resource"]


@dataclass(frozen=True, slots=True)
class Submission:
    """What one party handed in, or that it was silent.

    Attributes:
        party: the party's name.
        what: its submission as JSON, or None when it was silent.

    Example:
        >>> Submission("CX", None).what is None
        True
    """

    party: PartyId
    what: Json = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", frozen(self.what))


@dataclass(frozen=True, slots=True)
class Item:
    """A name with an exact number: a score, a tally, a share.

    Example:
        >>> Item("A", 4).value
        4
    """

    name: str
    value: Exact


@dataclass(frozen=True, slots=True)
class FinalOffer:
    """Where a party stood when there was no deal.

    Attributes:
        party: the party's name.
        offer: its last offer, exact or as text; None when it made none.

    Example:
        >>> FinalOffer("seller", 88).offer
        88
    """

    party: PartyId
    offer: Exact | str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """Why a result is what it is: enough to recompute it by hand.

    Attributes:
        rule: the rule's name.
        parameters: its parameters by name.
        submissions: every party with what it submitted.
        scores: exact scores or tallies, where the rule has any.
        margin: the distance between the winner and the next, in the unit of the scores.
        abstained: parties that abstained.
        invalid: parties whose submission did not count.
        absent: parties that were silent.
        ties: every tie with its tied set and how it was broken.
        ended_by: the guard or step that ended it.
        thin: why a person may want to look twice; empty when nothing says so.
        inputs_digest: SHA-256 of the canonical inputs.

    Example:
        >>> Grounds(rule="borda", ended_by="count", inputs_digest="00").thin
        ()
    """

    rule: str
    ended_by: str
    inputs_digest: str
    parameters: tuple[tuple[str, Json], ...] = ()
    submissions: tuple[Submission, ...] = ()
    scores: tuple[Item, ...] = ()
    margin: Exact | None = None
    abstained: tuple[PartyId, ...] = ()
    invalid: tuple[PartyId, ...] = ()
    absent: tuple[PartyId, ...] = ()
    ties: tuple[Tie, ...] = ()
    thin: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named = tuple((name, frozen(value)) for name, value in self.parameters)
        object.__setattr__(self, "parameters", named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What all kinds share; never built itself.

    Attributes:
        grounds: why it ended like this.
    """

    kind: ClassVar[str] = ""
    form: ClassVar[str] = ""

    grounds: Grounds

    @property
    def exit_code(self) -> int:
        """0 decided, 10 no deal, 11 waits for a person, 12 blocked, 13 quorum missed."""
        return EXIT_CODE_OF_KIND[self.kind]

    @property
    def is_decided(self) -> bool:
        """Whether something was decided."""
        return self.exit_code == 0

    def to_json(self) -> JsonObject:
        """Return the whole result as JSON with ``v``, ``kind`` and ``form``."""
        head: dict[str, Json] = {"v": RESULT_VERSION, "kind": self.kind, "form": self.form}
        body = dict(cast("JsonObject", encode(self)))
        grounds = body.pop("grounds")
        return {**head, **body, "grounds": grounds}

    def __str__(self) -> str:
        """Return the result as a person reads it."""
        return as_text(self.to_json())

    def _repr_html_(self) -> str:
        """Return the result for a notebook."""
        return as_html(self.to_json())


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Result):
    """Parties agreed.

    Attributes:
        terms: what was agreed, name by name.
        parties: who agreed, sorted.
    """

    kind: ClassVar[str] = "agreement"

    terms: tuple[tuple[str, Exact | str], ...]
    parties: tuple[PartyId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Result):
    """One option was chosen.

    Attributes:
        option: the chosen option.
    """

    kind: ClassVar[str] = "choice"

    option: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Award(Result):
    """Something was sold.

    Attributes:
        winners: who won what.
        payments: what each winner pays, in whole minor units or exact numbers.
    """

    kind: ClassVar[str] = "award"

    winners: tuple[tuple[PartyId, str], ...]
    payments: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation(Result):
    """Something divisible was shared out.

    Attributes:
        shares: who gets how much; adds up exactly to what was handed out.
    """

    kind: ClassVar[str] = "allocation"

    shares: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant(Result):
    """An exclusive claim was granted.

    Attributes:
        holder: who holds it now.
        resource: what is held.
    """

    kind: ClassVar[str] = "grant"

    holder: PartyId
    resource: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Result):
    """A yes/no question was answered.

    Attributes:
        verdict: the answer, for example ``"approved"``.
    """

    kind: ClassVar[str] = "verdict"

    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDeal(Result):
    """A negotiation ended without a deal.

    Attributes:
        reason: why, from a closed list.
        final_offers: where each party stood.
        gap: how far apart they were, where that is a number.
        unblock: what would have made a deal possible.
    """

    kind: ClassVar[str] = "no_deal"

    reason: NoDealReason
    final_offers: tuple[FinalOffer, ...] = ()
    gap: Exact | None = None
    unblock: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSale(Result):
    """An auction sold nothing.

    Attributes:
        reason: why, from a closed list.
        highest_bid: the highest bid, or None.
        unblock: what would have made a sale possible.
    """

    kind: ClassVar[str] = "no_sale"

    reason: NoSaleReason
    highest_bid: Exact | None = None
    unblock: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDecision(Result):
    """A vote or a rule did not decide.

    Attributes:
        reason: why, from a closed list.
        leaders: the leading options with their scores.
        unblock: what would decide it.
    """

    kind: ClassVar[str] = "no_decision"

    reason: NoDecisionReason
    leaders: tuple[Item, ...] = ()
    unblock: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Result):
    """Nothing more can happen until somebody acts.

    Attributes:
        reason: what is waited for.
        whom: who has to act.
        until_ms: when the default applies, or None.
        unblock: how to act.
    """

    kind: ClassVar[str] = "waiting"

    reason: WaitingReason
    whom: tuple[PartyId, ...] = ()
    until_ms: int | None = None
    unblock: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked(Result):
    """A party that may block did.

    Attributes:
        by: who blocks, with the reason of each.
        unblock: what would lift each block.
    """

    kind: ClassVar[str] = "blocked"

    by: tuple[tuple[PartyId, str], ...]
    unblock: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoQuorum(Result):
    """Too little weight took part.

    Attributes:
        needed: the weight that had to take part or agree.
        present: the weight that did.
        unblock: whose voice would have been enough.
    """

    kind: ClassVar[str] = "no_quorum"

    needed: Exact
    present: Exact
    unblock: tuple[str, ...] = ()


Outcome = (
    Agreement
    | Choice
    | Award
    | Allocation
    | Grant
    | Verdict
    | NoDeal
    | NoSale
    | NoDecision
    | Waiting
    | Blocked
    | NoQuorum
)

R = TypeVar("R", bound=Result)

_FORMS: dict[tuple[str, str], type[Result]] = {
    (one.kind, ""): one
    for one in (
        Agreement,
        Choice,
        Award,
        Allocation,
        Grant,
        Verdict,
        NoDeal,
        NoSale,
        NoDecision,
        Waiting,
        Blocked,
        NoQuorum,
    )
}


def result_form(form: str) -> Callable[[type[R]], type[R]]:
    """Register a mechanism's own form of a kind, so that its JSON can be read back.

    Args:
        form: the form's name, unique within the kind; written as ``form`` in the JSON.

    Returns:
        A class decorator for a frozen dataclass that subclasses one kind.

    Raises:
        InvalidInput: when the form has no name, another class has taken it, or the class is not
            itself a dataclass of a kind (``@result_form`` stands above ``@dataclass``).

    Example:
        >>> @result_form("example")
        ... @dataclass(frozen=True, slots=True, kw_only=True)
        ... class ExampleChoice(Choice):
        ...     votes: int = 0
        >>> ExampleChoice.form
        'example'
    """

    def register(cls: type[R]) -> type[R]:
        taken = _FORMS.get((cls.kind, form), cls)
        is_same = (taken.__module__, taken.__qualname__) == (cls.__module__, cls.__qualname__)
        is_whole = cls.kind in EXIT_CODE_OF_KIND and "__dataclass_fields__" in vars(cls)
        if not (form and is_same and is_whole):
            raise InvalidInput(
                Fault(
                    f"result form {form!r} of {cls.__qualname__}",
                    "cannot be registered",
                    "a name of its own, on a dataclass that subclasses one kind",
                    "rename it, or put @result_form above @dataclass",
                )
            )
        cls.form = form
        _FORMS[cls.kind, form] = cls
        return cls

    return register


def result_from_json(data: object) -> Outcome:
    """Read a result that :meth:`Result.to_json` wrote.

    Args:
        data: the JSON object.

    Returns:
        The result; ``result_from_json(x.to_json()) == x``.

    Raises:
        InvalidInput: for an unknown version, kind or form, and for wrong fields.

    Example:
        >>> done = Choice(option="B", grounds=Grounds(rule="r", ended_by="e", inputs_digest="0"))
        >>> result_from_json(done.to_json()) == done
        True
    """
    if not isinstance(data, Mapping):
        raise InvalidInput(
            Fault("result", f"is {shown(data)}", "an object", "give what a result's to_json wrote")
        )
    version = data.get("v")
    if type(version) is not int or version != RESULT_VERSION:
        raise InvalidInput(
            Fault(
                "result",
                f"has version {shown(version)}",
                f"v = {RESULT_VERSION}",
                "read it with the version of this package that wrote it",
            )
        )
    kind, form = data.get("kind"), data.get("form", "")
    cls = next((one for key, one in _FORMS.items() if key == (kind, form)), None)
    if cls is None:
        known = ["/".join(part for part in key if part) for key in _FORMS]
        name = "/".join(part for part in (kind, form) if isinstance(part, str) and part)
        what = f"is of kind {shown(kind)}" + (f", form {shown(form)}" if form else "")
        raise UnknownName(Fault("result", what, "the kinds listed", did_you_mean(name, known)))
    body = {name: item for name, item in data.items() if name not in {"v", "kind", "form"}}
    return decode(cls, body, where=cls.kind)  # type: ignore[return-value]  # a member of the union
