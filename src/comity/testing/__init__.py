"""Testing: what a builder of agents, machines, mechanisms or ledgers can test them with.

Here: a fake clock, a fake model server, agents for tests, contract checks for each port, an
explorer of small machines, a harness that crashes a session at every point.
Not here: tests of this package (tests/), strategies for random inputs.
Sources: ARCHITECTURE contracts 1, 2 and 6.

Names are imported when they are first used. The function ``explore`` shares its module's name and
is imported from there: ``from comity.testing.explore import explore``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comity.testing.adapter_checks import MakeAdapter, check_adapter
    from comity.testing.agent_checks import check_agent, sample_questions
    from comity.testing.agents import (
        BrokenAgent,
        FailingAgent,
        RecordingAgent,
        ScriptedAgent,
        SlowAgent,
    )
    from comity.testing.clock import FakeClock
    from comity.testing.crash import (
        Crashed,
        CrashReport,
        CrashRules,
        ForgetfulRunner,
        Scene,
        crash_everywhere,
        scene_of,
    )
    from comity.testing.explore import Explored, answers
    from comity.testing.ledger_checks import check_ledger, fill_ledger
    from comity.testing.machine_checks import check_machine
    from comity.testing.mechanism_checks import Call, call, check_mechanism
    from comity.testing.model_server import Asked, ModelServer, Script, Turn, read_script

__all__ = [
    "Asked",
    "BrokenAgent",
    "Call",
    "CrashReport",
    "CrashRules",
    "Crashed",
    "Explored",
    "FailingAgent",
    "FakeClock",
    "ForgetfulRunner",
    "MakeAdapter",
    "ModelServer",
    "RecordingAgent",
    "Scene",
    "Script",
    "ScriptedAgent",
    "SlowAgent",
    "Turn",
    "answers",
    "call",
    "check_adapter",
    "check_agent",
    "check_ledger",
    "check_machine",
    "check_mechanism",
    "crash_everywhere",
    "fill_ledger",
    "read_script",
    "sample_questions",
    "scene_of",
]

_HOMES = {
    "adapter_checks": ("MakeAdapter", "check_adapter"),
    "agent_checks": ("check_agent", "sample_questions"),
    "agents": ("BrokenAgent", "FailingAgent", "RecordingAgent", "ScriptedAgent", "SlowAgent"),
    "clock": ("FakeClock",),
    "crash": (
        "CrashReport",
        "CrashRules",
        "Crashed",
        "ForgetfulRunner",
        "Scene",
        "crash_everywhere",
        "scene_of",
    ),
    "explore": ("Explored", "answers"),
    "ledger_checks": ("check_ledger", "fill_ledger"),
    "machine_checks": ("check_machine",),
    "mechanism_checks": ("Call", "call", "check_mechanism"),
    "model_server": ("Asked", "ModelServer", "Script", "Turn", "read_script"),
}


def __getattr__(name: str) -> object:
    """Import a public name from its module when it is first asked for."""
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
