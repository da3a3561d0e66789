"""Live: what does somebody see while a session runs?

Here: each message as it comes, on stderr; where the session stands and who is waited for, on the
last line of a terminal, and as a plain line behind a turn elsewhere; the transcript for charts.
Not here: the result (play.py), how a message reads (render/messages.py).
Sources: clig.dev (talk goes to stderr).
"""

from __future__ import annotations

from collections.abc import Mapping

from comity.app import Event
from comity.cli.door import Door
from comity.cli.progress import StatusLine
from comity.core.canonical import Json
from comity.core.errors import one_line
from comity.render.messages import message_block, message_line
from comity.render.status import status_text
from comity.watch.status import Used, status_of, used_in

__all__ = ["Live"]

Message = Mapping[str, Json]


class Live:
    """Listens to a running session and tells it.

    Attributes:
        session: the id of the session, "" until it is opened.
        messages: every accepted message so far.
        slow_seats: the seats whose answers take their time.
        used: what all calls have used so far.
        silent: seat -> why each of its asks was not answered, in order.
    """

    def __init__(
        self,
        door: Door,
        *,
        slow_seats: frozenset[str] = frozenset(),
        is_story: bool = False,
    ) -> None:
        """Keep how to speak and which seats take their time.

        Args:
            door: how to speak.
            slow_seats: the seats whose answers take their time.
            is_story: tell each message on one line of stdout: it is what was asked for.
        """
        self.session = ""
        self.messages: tuple[Message, ...] = ()
        self.slow_seats = slow_seats
        self.used = Used()
        self.silent: dict[str, list[str]] = {}
        self._door = door
        self._is_story = is_story
        self._ballots_told = 0
        self._line = StatusLine(door)
        self._waiting: list[str] = []
        self._state: object = None

    def __call__(self, event: Event) -> None:
        """Tell one event."""
        self.session = event.session
        self._state = event.step.state if event.step is not None else self._state
        self._line.hide()
        if event.kind == "asked" and event.party is not None:
            self._waiting.append(event.party)
        elif event.kind == "heard":
            self._heard(event)
        elif event.kind == "rejected":
            said = f"{event.body.get('hint') or event.body.get('reason')}"
            ink = self._door.talk_ink
            self._door.talk(ink.warn(f"     not counted ({event.party}): {one_line(said)}"))
        if event.kind != "sealed":
            self._stand()

    def rest(self) -> None:
        """Take the line of the status away: what follows is no part of the session."""
        self._line.hide()

    def _stand(self) -> None:
        """Show where it stands while programs and models are waited for, and nobody else."""
        if self._waiting and self.slow_seats.issuperset(self._waiting) and self._line.is_live:
            figures = {**status_of(self._state, self.used), "waiting": self._waiting}
            width = self._line.width
            self._line.show(status_text(figures, self._door.talk_ink, width=width))

    def _tell(self, message: Message) -> None:
        if not self._is_story:
            self._door.talk(message_block(message, self._door.talk_ink))
        elif not self._door.as_json:
            before = next((one for one in reversed(self.messages) if one.get("settled")), {})
            self._door.data(message_line(message, self._door.ink, before))

    def _ballots(self, state: object, party: str | None) -> None:
        """Tell who has just voted and how many are missing, never what a ballot says."""
        cast, missing = tuple(getattr(state, "cast", ())), len(getattr(state, "missing", ()))
        for one in cast[self._ballots_told :]:
            if one.voter != party:
                continue  # it was told before this process took the session up
            done = "has voted" if one.status != "invalid" else "cannot be read"
            left = f"{missing} missing" if missing else "nobody is missing"
            self._door.talk(self._door.talk_ink.dim(f"     {one.voter} {done}; {left}"))
        self._ballots_told = len(cast)

    def _heard(self, event: Event) -> None:
        state = event.step.state if event.step is not None else None
        if event.party in self._waiting:
            self._waiting.remove(event.party)
        transcript = tuple(getattr(state, "transcript", ()))
        has_news = len(transcript) > len(self.messages)
        for message in transcript[len(self.messages) :]:
            self._tell(message)
            self.messages = (*self.messages, message)
        self._ballots(getattr(state, "inner", state), event.party)
        told = event.body.get("body")
        body = told if isinstance(told, Mapping) else {}
        self.used += used_in([body.get("usage")])
        ink = self._door.talk_ink
        if event.body.get("kind") == "failure":
            said = one_line(str(body.get("detail") or body.get("reason") or "no reason given"))
            self.silent.setdefault(str(event.party), []).append(said)
            self._door.talk(ink.warn(f"     {event.party} did not answer: {said}"))
        if has_news and event.party in self.slow_seats and not self._line.is_live:
            line = status_text(status_of(state, self.used), ink)
            self._door.talk(ink.dim(f"     {line}"))
