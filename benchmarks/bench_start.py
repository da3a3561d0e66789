"""Start: how much does a start cost, measured against bare Python?

Here: CPU time of four starts and the memory of one, in one run, as ratios to `python -c pass`.
Not here: what happens after the start.
Sources: ARCHITECTURE, "Dependencies" (import, --version and a small decision stay cheap).

CPU time (user and system) of a child, the least of seven; memory is its peak resident set.
Exit 1 when a budget is missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

RUNS = 7
MIB = 1024 * 1024
BARGAIN = ("bargain", "--seller", "120:70", "--buyer", "60:100", "--rounds", "5")
PYTHON = (sys.executable,)
COMITY = (sys.executable, "-c", "import sys; from comity.cli.main import main; sys.exit(main())")

# What is measured, its command, the most it may cost as a multiple of bare Python, and how much
# of bare Python is taken off first ("adds at most").
CASES = (
    ("import comity adds", (*PYTHON, "-c", "import comity"), 2.5, 1.0),
    ("comity --version", (*COMITY, "--version"), 5.0, 0.0),
    ("comity bargain", (*COMITY, *BARGAIN), 12.0, 0.0),
)
MEMORY_MIB = 16
# What would change what is measured: a ledger, and Python told not to keep bytecode.
LEFT_OUT = {"COMITY_DB", "PYTHONDONTWRITEBYTECODE"}


def cost(command: tuple[str, ...], folder: str) -> tuple[float, int]:
    """Return the CPU seconds of one run and its peak resident set in bytes."""
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    child = subprocess.Popen(  # noqa: S603  # the commands stand above
        command, stdout=subprocess.DEVNULL, cwd=folder, env=environment
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return used.ru_utime + used.ru_stime, used.ru_maxrss * unit


def main() -> int:
    """Measure, print, and return 1 when a budget is missed."""
    bare = (*PYTHON, "-c", "pass")
    commands = [bare, *(command for _, command, _, _ in CASES)]
    seconds: dict[tuple[str, ...], float] = {}
    memory: dict[tuple[str, ...], int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS + 1):  # interleaved; the first round writes the bytecode
            for command in commands:
                used, peak = cost(command, folder)
                seconds[command] = min(used, seconds.get(command, used))
                memory[command] = min(peak, memory.get(command, peak))
    base = seconds[bare]
    print(f"python -c pass: {base * 1000:.1f} ms CPU, {memory[bare] / MIB:.1f} MiB")
    missed = 0
    for name, command, most, taken_off in CASES:
        ratio = seconds[command] / base - taken_off
        verdict = "ok" if ratio <= most else "MISSED"
        missed += ratio > most
        print(f"{name:<20} {ratio:6.2f} x  (at most {most:g} x)  {verdict}")
    extra = (memory[commands[-1]] - memory[bare]) / MIB
    verdict = "ok" if extra <= MEMORY_MIB else "MISSED"
    missed += extra > MEMORY_MIB
    print(f"{'its memory adds':<20} {extra:6.2f} MiB (at most {MEMORY_MIB} MiB)  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
