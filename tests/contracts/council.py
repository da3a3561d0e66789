"""Council: do three coding agents decide together where no network is?

Here: run as a program in a network namespace of its own: it raises loopback, seats the programs
that it is given, negotiates, reviews, and prints what came of it and what went astray.
Not here: the assertions (test_real_programs.py).
Sources: SEMANTICS C, W; proc(5) for the counters of packets that had nowhere to go.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path

from comity.agents.base import Agent
from comity.agents.claude_code import ClaudeCode
from comity.agents.codex import Codex
from comity.agents.gemini import Gemini
from comity.ledger.open import open_ledger
from comity.protocols.consent.rules import consent_rules
from comity.protocols.review.opening import review_rules
from comity.protocols.review.rules import Phase, Reviewer
from comity.runner.local import LocalRunner
from comity.session.record import Opening
from comity.testing.model_server import ModelServer

SEATS = {"CC": "claude", "CX": "codex", "GM": "gemini"}
ADAPTERS: dict[str, type[ClaudeCode | Codex | Gemini]] = {
    "claude": ClaudeCode,
    "codex": Codex,
    "gemini": Gemini,
}
_SET_FLAGS = 0x8914
_UP = 0x1 | 0x40


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))


def astray() -> dict[str, int]:
    """Return how often this namespace was asked for a way that it does not have."""
    lines = [line.split() for line in Path("/proc/net/snmp").read_text("utf-8").splitlines()]
    names, values = (line[1:] for line in lines if line[0] == "Ip:")
    found = {"4": int(dict(zip(names, values, strict=True))["OutNoRoutes"])}
    six = Path("/proc/net/snmp6")
    for line in six.read_text("utf-8").splitlines() if six.exists() else ():
        name, value = line.split()
        if name == "Ip6OutNoRoutes":
            found["6"] = int(value)
    return found


def position(what: str) -> str:
    return f"PRIORITY: {what}\nRATIONALE: it matters\nRED LINE: none\nWILLING TO TRADE: the day"


SCRIPT = {
    "CC": [position("focus"), "[CONSENT CHECK]\n- Meet on Tuesdays", "VOTE: APPROVE"],
    "CX": [position("contact"), "[CONSENT]", "VOTE: APPROVE"],
    "GM": [position("calm"), "Fine with me.\n\n[CONSENT]", "VOTE: APPROVE"],
}


def decided(runner: LocalRunner, kind: str, rules: object, agents: dict[str, Agent]) -> str:
    opening = Opening(
        kind=kind,
        title=kind,
        rules=rules.to_json(),  # type: ignore[attr-defined]  # both rules have it
        agents=dict.fromkeys(agents, "own"),
        made_by="test",
        folder=".",
    )
    return runner.run(runner.start(f"d_{kind}", opening), agents).kind


def main(programs: dict[str, str]) -> None:
    raise_loopback()
    negotiation = consent_rules(
        "When do we meet?", {"CC": "Focus", "CX": "Contact", "GM": "Calm"}, seed="1",
        order=["CC", "CX", "GM"],
    )  # fmt: skip
    plan = Phase(name="plan", voters=tuple(SEATS), artefact="We meet on Tuesdays.")
    review = review_rules("PLAN.md", [plan], [Reviewer(id=seat) for seat in SEATS])
    with ModelServer(SCRIPT) as server, open_ledger(":memory:") as ledger:
        agents: dict[str, Agent] = {
            seat: ADAPTERS[name](
                program=programs[name], timeout_s=180.0, environment=server.environment()
            )
            for seat, name in SEATS.items()
        }
        runner = LocalRunner(ledger)
        told = {
            "negotiation": decided(runner, "consent", negotiation, agents),
            "review": decided(runner, "review", review, agents),
            "calls": {seat: len(server.calls(seat)) for seat in SEATS},
            "others": sorted({one.path for one in server.requests if one.turn is None}),
            "astray": astray(),
        }
    sys.stdout.write(json.dumps(told) + "\n")


def probe() -> None:
    """Ask for ways that are not there; the namespace has no network that could carry anything."""
    raise_loopback()
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            with suppress(OSError), socket.socket(family, kind) as lost:
                lost.connect((address, 53))
    sys.stdout.write(json.dumps(astray()) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "probe":
        probe()
    else:
        main(json.loads(sys.argv[1]))
