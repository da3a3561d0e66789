"""Live: what does somebody see while a session runs?

Here: each message as it comes, on stderr; who is waited for; the transcript for charts.
Not here: the result (play.py), how a message reads (render/messages.py).
Sources: clig.dev (talk goes to stderr).
"""

from __future__ import annotations

from collections.abc import Mapping

from comity.app import Event
from comity.cli.door import Door
from comity.core.canonical import Json
from comity.core.errors import one_line
from comity.render.messages import message_block, message_line

__all__ = ["Live"]

Message = Mapping[str, Json]


class Live:
    """Listens to a running session and tells it.

    Attributes:
        session: the id of the session, "" until it is opened.
        messages: every accepted message so far.
        slow_seats: the seats whose answers take their time.
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
        self._door = door
        self._is_story = is_story
        self._ballots_told = 0

    def __call__(self, event: Event) -> None:
        """Tell one event."""
        self.session = event.session
        ink = self._door.talk_ink
        if event.kind == "asked" and event.party in self.slow_seats and self._door.is_live:
            self._door.talk(ink.dim(f"     waiting for {event.party} {ink.sign('wait')}"))
        elif event.kind == "heard":
            self._heard(event)
        elif event.kind == "rejected":
            said = f"{event.body.get('hint') or event.body.get('reason')}"
            self._door.talk(ink.warn(f"     not counted ({event.party}): {one_line(said)}"))

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
        transcript = tuple(getattr(state, "transcript", ()))
        for message in transcript[len(self.messages) :]:
            self._tell(message)
            self.messages = (*self.messages, message)
        self._ballots(getattr(state, "inner", state), event.party)
        if event.body.get("kind") == "failure":
            body = event.body.get("body")
            why = body if isinstance(body, Mapping) else {}
            said = str(why.get("detail") or why.get("reason") or "no reason given")
            self._door.talk(
                self._door.talk_ink.warn(f"     {event.party} did not answer: {one_line(said)}")
            )
