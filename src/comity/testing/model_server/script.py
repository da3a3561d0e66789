"""Script: what does each seat's model say at each of its turns, and how does it fail?

Here: turns and their modes, scripts per seat, reading them from JSON with every fault.
Not here: how a turn looks in a vendor's format (anthropic.py, openai.py, gemini.py), the server.
Sources: ARCHITECTURE, testing kit; the failures of real model servers.

As JSON, a turn is a text, or an object of one of these forms::

    {"reply": "text"}                               what it says
    {"tool": "cast_vote", "arguments": {...}}       it calls a tool; "namespace" where one is told
    {"status": 429, "retry_after_s": 2}             an HTTP error; "message" for its words
    {"cut": "half of this is sent"}                 the connection breaks in the middle
    {"hang": true}                                  no answer, until the caller goes away
    {"drip": true}                                  a header now and then, and never an answer
    {"empty": true}                                 a whole answer without a word

each with ``"tokens": [100, 20]`` for what it reports as used. A reply or a call of a tool may have
``"stop": "length"`` or ``"content_filter"``: why its model stopped before it had said all, as Chat
Completions name it; each format tells it in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, InvalidInput, raise_if, shown

__all__ = ["MODES", "STOPS", "Mode", "Script", "Turn", "read_script", "read_turn"]

Mode = Literal["reply", "tool", "status", "cut", "hang", "drip", "empty"]

MODES: tuple[Mode, ...] = ("reply", "tool", "status", "cut", "hang", "drip", "empty")
"""What can happen at a turn."""

_FORMS = "a text, or one of " + ", ".join(f'{{"{mode}": ...}}' for mode in MODES)
_BESIDE = {"tokens", "arguments", "namespace", "message", "retry_after_s", "stop"}

STOPS = ("length", "content_filter")
"""Why a model may stop before it has said all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What happens when a seat's model is called once.

    Attributes:
        mode: what kind of thing happens.
        text: what it says; of a cut, the half is sent.
        tool: the tool that it calls.
        arguments: what it hands to the tool.
        namespace: the group the tool is in, where the format has groups (OpenAI Responses).
        status: the HTTP status of an error, 400 to 599.
        message: the words of an error.
        retry_after_s: what the error says about when to come again; None for nothing.
        tokens: how many tokens went in and came out, as it reports them.
        stop: why it stopped before it had said all, one of :data:`STOPS`; "" when it did not.

    Example:
        >>> Turn(text="VOTE: APPROVE").mode
        'reply'
    """

    mode: Mode = "reply"
    text: str = ""
    tool: str = ""
    arguments: JsonObject = field(default_factory=dict)
    namespace: str = ""
    status: int = 500
    message: str = ""
    retry_after_s: int | None = None
    tokens: tuple[int, int] = (100, 20)
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """What every seat's model says, turn by turn.

    Attributes:
        seats: seat -> its turns in order.
        otherwise: what happens when a seat's turns have run out, or a seat is not listed; without
            it that is an HTTP error 400 that says so.

    Example:
        >>> script = Script({"CC": (Turn(text="one"),)})
        >>> script.turn("CC", 0).text, script.turn("CC", 1).status
        ('one', 400)
    """

    seats: Mapping[str, Sequence[Turn]]
    otherwise: Turn | None = None

    def seat_of(self, *marks: str) -> str:
        """Return the seat that a key or a model's name carries.

        Args:
            marks: the API key, then the model; the longest seat that stands in one as a word.

        Returns:
            The seat, or the last mark when no seat is carried.

        Example:
            >>> Script({"CX": ()}).seat_of("key-for-CX", "gpt")
            'CX'
        """
        for mark in marks:
            found = [seat for seat in self.seats if _carries(mark, seat)]
            longest = [seat for seat in found if len(seat) == max(map(len, found))]
            if len(longest) == 1:
                return longest[0]
        return marks[-1] if marks else ""

    def turn(self, seat: str, number: int) -> Turn:
        """Return a seat's turn.

        Args:
            seat: the seat.
            number: which of its calls this is, from 0.
        """
        turns = self.seats.get(seat, ())
        if number < len(turns):
            return turns[number]
        if self.otherwise is not None:
            return self.otherwise
        message = f"the script holds no turn {number + 1} for {seat!r}"
        return Turn(mode="status", status=400, message=message)


def _carries(mark: str, seat: str) -> bool:
    return bool(seat) and re.search(rf"(?<!\w){re.escape(seat)}(?!\w)", mark) is not None


def read_turn(data: object, *, whose: str = "turn") -> Turn:
    """Read one turn of a script.

    Args:
        data: a text, or an object of one of the forms above.
        whose: where it stands, for messages.

    Returns:
        The turn.

    Raises:
        InvalidInput: when it is neither.

    Example:
        >>> read_turn({"status": 429, "retry_after_s": 2}).retry_after_s
        2
    """
    if isinstance(data, Turn):
        return data
    if isinstance(data, str):
        return Turn(text=data)
    modes = [mode for mode in MODES if isinstance(data, Mapping) and mode in data]
    if not isinstance(data, Mapping) or len(modes) != 1:
        raise InvalidInput(Fault(whose, f"is {shown(data)}", _FORMS, "write one of these"))
    mode, faults = modes[0], []
    for key in sorted(set(data) - {mode} - _BESIDE):
        faults.append(Fault(whose, f"has {shown(key)}", ", ".join(sorted(_BESIDE)), "remove it"))
    value, tokens, later = data[mode], data.get("tokens", (100, 20)), data.get("retry_after_s")
    if mode in {"reply", "tool", "cut"} and not isinstance(value, str):
        faults.append(Fault(whose, f"has {mode} {shown(value)}", "a text", "write a text"))
    if mode == "status" and not _is_whole(value, 400, 599):
        faults.append(Fault(whose, f"has status {shown(value)}", "400 to 599", "correct it"))
    if not (_is_list(tokens) and len(tokens) == 2 and all(_is_whole(one) for one in tokens)):
        faults.append(Fault(whose, f"has tokens {shown(tokens)}", "[in, out]", "correct it"))
    faults += _stop_faults(data, mode, whose)
    if later is not None and not _is_whole(later):
        what = f"has retry_after_s {shown(later)}"
        faults.append(Fault(whose, what, "whole seconds from 0", "correct it"))
    if not isinstance(data.get("arguments", {}), Mapping):
        faults.append(Fault(whose, "has arguments that are none", "an object", "correct it"))
    raise_if(faults)
    return Turn(
        mode=mode,
        text=value if mode in {"reply", "cut"} else "",
        tool=value if mode == "tool" else "",
        arguments=data.get("arguments", {}),
        namespace=str(data.get("namespace", "")),
        status=value if mode == "status" else 500,
        message=str(data.get("message", "")),
        retry_after_s=later,
        tokens=(tokens[0], tokens[1]),
        stop=str(data.get("stop", "")),
    )


def _stop_faults(data: Mapping[str, object], mode: Mode, whose: str) -> list[Fault]:
    if "stop" not in data or (mode in {"reply", "tool"} and data["stop"] in STOPS):
        return []
    allowed = f"{' or '.join(STOPS)}, of a reply or a tool"
    return [Fault(whose, f"has stop {shown(data['stop'])}", allowed, "correct it")]


def _is_whole(value: object, low: int = 0, high: int = 10**9) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def read_script(data: object, *, whose: str = "script") -> Script:
    """Read a script.

    Args:
        data: ``{"seats": {SEAT: [turn, ...]}, "otherwise": turn}``, or the seats alone.
        whose: the file's name, for messages.

    Returns:
        The script.

    Raises:
        InvalidInput: with every fault and the turn it stands at.

    Example:
        >>> read_script({"CC": ["VOTE: APPROVE", {"hang": True}]}).turn("CC", 1).mode
        'hang'
    """
    if isinstance(data, Script):
        return data
    whole = data if isinstance(data, Mapping) else None
    seats = whole.get("seats", whole) if whole is not None else None
    if not isinstance(seats, Mapping) or whole is None:
        form = '{"seats": {SEAT: [turn, ...]}, "otherwise": turn}'
        raise InvalidInput(Fault(whose, f"is {shown(data)}", form, "write such an object"))
    faults: list[Fault] = []
    if "seats" in whole:
        for key in sorted(set(whole) - {"seats", "otherwise"}):
            faults.append(Fault(whose, f"has {shown(key)}", "seats and otherwise", "remove it"))
    read: dict[str, list[Turn]] = {}
    for seat, turns in seats.items():
        place = f"{whose}, seat {seat!r}"
        if not _is_list(turns):
            faults.append(Fault(place, f"has {shown(turns)}", "a list of turns", "write a list"))
            continue
        read[seat] = [
            _turn(one, f"{place}, turn {number}", faults) for number, one in enumerate(turns, 1)
        ]
    otherwise = whole.get("otherwise") if "seats" in whole else None
    after = _turn(otherwise, f"{whose}, otherwise", faults) if otherwise is not None else None
    raise_if(faults)
    return Script(read, after)


def _turn(data: object, whose: str, faults: list[Fault]) -> Turn:
    try:
        return read_turn(data, whose=whose)
    except InvalidInput as error:
        faults.extend(error.faults)
        return Turn()
