#!/usr/bin/env python3
"""The one door for working on Comity: how do I run it, test it and mend it?

    python3 dev.py setup         make .venv with everything the other commands need
    python3 dev.py demo          run the shipped demo (needs nothing but click)
    python3 dev.py test          every check and test; --full adds the slow ones
    python3 dev.py test PATH     only pytest, with these arguments
    python3 dev.py check         style, types, floors and house rules, no tests
    python3 dev.py fix           mend what the linter can mend, then format
    python3 dev.py bench [NAME]  run benchmarks/bench_*.py
    python3 dev.py docs          build the pages into site/
    python3 dev.py lock          write requirements/*.txt anew (needs uv)

Here: making the environment, starting the tools, one line per step, the closing count.
Not here: what the tools look for (pyproject.toml, .importlinter, mkdocs.yml, tests/conftest.py).
Sources: docs/decisions/0002-tooling.md.

Needs python 3.11 with its venv module, or uv; git only to fetch the code. The packages come
from requirements/*.txt by hash. A stamp in .venv remembers what was installed, so that later
runs need neither time nor network. The closing line counts tests; a failed step that is no
test counts as one failure.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
OLDEST = (3, 11)

# What each command needs installed; every pin of "run" stands in "dev" too.
REQUIREMENTS = {"run": "requirements/run.txt", "dev": "requirements/dev.txt"}
LOCKED_EXTRAS = ("dev", "fast")
HEADER = "# Written by `python3 dev.py lock` from pyproject.toml; do not edit.\n"

# Floors whose every line and branch the tests must reach.
COVERED_FLOORS = ("core", "mechanisms", "protocols", "session")


class Stop(Exception):
    """Something is missing; its text is the one line that says what to do."""


class Step(NamedTuple):
    """One tool to run: the name to print and the command."""

    name: str
    command: tuple[str, ...]


class Counts(NamedTuple):
    """What the test run said about itself."""

    passed: int
    failed: int
    skipped: int
    groups: tuple[str, ...]


def python_module(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module with the environment's python."""
    return (str(PYTHON), "-m", module, *arguments)


CHECKS = (
    Step("types", python_module("mypy")),
    Step("lint", python_module("ruff", "check", ".")),
    Step("format", python_module("ruff", "format", "--check", ".")),
    Step("floors", (str(BIN / "lint-imports"), "--no-cache", "--no-logo")),
)
PAGES = Step("docs", python_module("mkdocs", "build", "--strict"))
HOUSE = Step("house", python_module("pytest", "-q", "tests/test_house.py"))


def say(text: str) -> None:
    """Print one line at once, also into a pipe."""
    print(text, flush=True)


# --- the environment -------------------------------------------------------------------------


def ensure(level: str) -> None:
    """Make sure that .venv holds what a level needs; do nothing when it already does.

    Args:
        level: "run" or "dev".

    Raises:
        Stop: python is too old, cannot make environments, or the packages cannot be fetched.
    """
    digest = fingerprint(level)
    stamp = VENV / f".comity-{level}"
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == digest:
        return
    uv = shutil.which("uv")
    if not PYTHON.exists():
        make_venv(uv)
    install(level, uv)
    link_source()
    for part in ("run", level):
        (VENV / f".comity-{part}").write_text(fingerprint(part))


def fingerprint(level: str) -> str:
    """Return a digest of all that decides what is installed: this place and the pinned lists."""
    parts = [str(ROOT).encode(), (ROOT / REQUIREMENTS[level]).read_bytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def make_venv(uv: str | None) -> None:
    """Make .venv with uv when it is there, else with the standard library."""
    missing = [name for name in ("venv", "ensurepip") if not importlib.util.find_spec(name)]
    if missing and not uv:
        raise Stop(
            f"this python has no {' and no '.join(missing)} module, so it cannot make .venv: "
            "run `apt-get install python3-venv` (as root), or install uv, then try again"
        )
    say("making .venv (first run only)")
    if uv:
        command = [uv, "venv", "--quiet", "--python", sys.executable, str(VENV)]
    else:
        command = [sys.executable, "-m", "venv", str(VENV)]
    code, output = run_quietly(command)
    if code:
        shutil.rmtree(VENV, ignore_errors=True)
        raise Stop(f"could not make .venv: {last_line(output)}")


def install(level: str, uv: str | None) -> None:
    """Install a level's pinned packages by hash."""
    say(f"installing the packages of {REQUIREMENTS[level]} (once, and when the list changes)")
    if uv:
        command = [uv, "pip", "install", "--quiet", "--python", str(PYTHON)]
    else:
        if run_quietly(python_module("pip", "--version"))[0]:
            run_quietly(python_module("ensurepip"))
        command = list(python_module("pip", "install", "--quiet", "--disable-pip-version-check"))
    code, output = run_quietly([*command, "--require-hashes", "-r", REQUIREMENTS[level]])
    if code:
        raise Stop(why_not_installed(output))


def why_not_installed(output: str) -> str:
    """Return one line that says why an install failed and what to do."""
    log = VENV / "install.log"
    log.write_text(output)
    where = f"(all of it: {log.relative_to(ROOT)})"
    if re.search(r"DO NOT MATCH THE HASHES|hash mismatch", output, re.IGNORECASE):
        return (
            f"a downloaded package is not the one that was pinned; nothing was installed {where}"
        )
    network = (
        r"NewConnectionError|NameResolution|ConnectTimeout|ReadTimeout|Connection refused|"
        r"Network is unreachable|dns error|error sending request|Max retries|ProxyError|"
        r"SSLError|No matching distribution"
    )
    if re.search(network, output):
        return (
            "the packages could not be fetched, the package index does not answer: "
            f"connect to the network (or set pip's index) and try again {where}"
        )
    return f"the packages could not be installed: {last_line(output)} {where}"


def link_source() -> None:
    """Put src/ on the environment's path and write its `comity` command.

    What an editable install does, without a build backend: nothing to download, nothing to
    build, nothing that a later change of pyproject.toml could make stale.
    """
    ask = "import sys, sysconfig; print(sys.version_info[:2] >= (3, 11)); "
    _, answer = run_quietly([str(PYTHON), "-c", f"{ask}print(sysconfig.get_path('purelib'))"])
    recent, place = answer.split("\n")[:2]
    if recent != "True":
        raise Stop("the python inside .venv is older than 3.11: delete .venv and try again")
    Path(place, "comity-checkout.pth").write_text(f"{ROOT / 'src'}\n")
    run_main = "import sys\n\nfrom comity.cli.main import main\n\nsys.exit(main())\n"
    if os.name == "nt":
        (BIN / "comity-script.py").write_text(run_main)
        (BIN / "comity.cmd").write_text('@"%~dp0python.exe" "%~dp0comity-script.py" %*\n')
        return
    # The shell runs line 2; python reads it as a string. A "#!" line could not hold every path.
    script = f"#!/bin/sh\n'''exec' {shlex.quote(str(PYTHON))} \"$0\" \"$@\"\n' '''\n{run_main}"
    (BIN / "comity").write_text(script)
    (BIN / "comity").chmod(0o755)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for children: the user's, less what would lead python astray."""
    astray = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}
    kept = {name: value for name, value in os.environ.items() if name not in astray}
    return {**kept, "UV_PYTHON_DOWNLOADS": "never", **(extra or {})}


def run_quietly(command: Sequence[str], extra: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run a command and return its exit code and all it printed."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=clean_environment(extra),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def run_aloud(command: Sequence[str], extra: Mapping[str, str] | None = None) -> int:
    """Run a command on this terminal and return its exit code."""
    return subprocess.run(command, cwd=ROOT, env=clean_environment(extra), check=False).returncode


def last_line(output: str) -> str:
    """Return the last line that says something, preferring one that says "error"."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines or ["it said nothing"])[-1]


# --- steps -----------------------------------------------------------------------------------


def run_steps(steps: Sequence[Step]) -> list[str]:
    """Run steps two at a time, print a line for each, and return the names of those that failed.

    Args:
        steps: independent commands, the longest first.
    """
    failed = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        started = {pool.submit(timed, step.command): step.name for step in steps}
        for done in as_completed(started):
            code, output, seconds = done.result()
            report(started[done], code, seconds)
            if code:
                failed.append(started[done])
                say(output.rstrip())
    return failed


def timed(command: Sequence[str]) -> tuple[int, str, float]:
    """Run a command quietly; return exit code, output and seconds."""
    begin = time.monotonic()
    code, output = run_quietly(command)
    return code, output, time.monotonic() - begin


def report(name: str, code: int, seconds: float) -> None:
    """Print the line of one finished step."""
    say(f"{'ok    ' if code == 0 else 'FAILED'} {name:<10} {seconds:6.1f} s")


def run_tests(*, full: bool) -> tuple[Counts, list[str]]:
    """Run pytest with coverage and then hold the floors that must be covered whole.

    Args:
        full: run the slow tests too, and many examples per property.

    Returns:
        The counts, and the names of the steps that failed beyond single tests.
    """
    written = VENV / "test-report.json"
    written.unlink(missing_ok=True)
    settings = {"COMITY_TEST_REPORT": str(written), "COVERAGE_FILE": str(VENV / "coverage")}
    settings.update(
        {"COMITY_FULL": "1", "HYPOTHESIS_PROFILE": "full"}
        if full
        else {"COMITY_FULL": "", "HYPOTHESIS_PROFILE": "quick"}
    )
    begin = time.monotonic()
    pytest = python_module(
        "pytest", "-q", "-n", "2", "--dist", "worksteal", "--cov", "--cov-report="
    )
    code = run_aloud(pytest, settings)
    report("tests", code, time.monotonic() - begin)
    failed = []
    counts = read_counts(written)
    if code and not counts.failed:
        failed.append("tests")
    begin = time.monotonic()
    floors = ",".join(f"src/comity/{floor}/*" for floor in COVERED_FLOORS)
    gate = python_module("coverage", "report", f"--include={floors}", "--fail-under=100")
    code, output = run_quietly(gate, settings)
    report("coverage", code, time.monotonic() - begin)
    if code:
        failed.append("coverage")
        say(output.rstrip())
    return counts, failed


def read_counts(written: Path) -> Counts:
    """Read what tests/conftest.py wrote at the end of the run; nothing written counts nothing."""
    if not written.exists():
        return Counts(0, 0, 0, ())
    told = json.loads(written.read_text(encoding="utf-8"))
    return Counts(told["passed"], told["failed"], told["skipped"], tuple(told["groups"]))


# --- commands --------------------------------------------------------------------------------


def setup(arguments: Sequence[str]) -> int:
    """Make .venv with everything."""
    refuse(arguments)
    ensure("dev")
    say(f"ready: .venv/{BIN.name}/comity")
    return 0


def demo(arguments: Sequence[str]) -> int:
    """Run the shipped demo."""
    ensure("run")
    command = BIN / ("comity.cmd" if os.name == "nt" else "comity")
    return run_aloud([str(command), "demo", "--out", "comity-demo", *arguments])


def test(arguments: Sequence[str]) -> int:
    """Run every check and test, or pytest alone on what is named."""
    full = "--full" in arguments
    named = [word for word in arguments if word != "--full"]
    ensure("dev")
    if named:
        profile = {"COMITY_FULL": "1", "HYPOTHESIS_PROFILE": "full"} if full else {}
        return run_aloud(python_module("pytest", *named), profile)
    failed = run_steps([*CHECKS, PAGES])
    counts, more = run_tests(full=full)
    failed += more
    for group in counts.groups:
        say(f"SKIPPED {group}")
    if failed:
        say(f"failed steps: {', '.join(failed)}")
    say(f"{counts.passed} passed, {counts.failed + len(failed)} failed, {counts.skipped} skipped")
    return 1 if failed or counts.failed else 0


def check(arguments: Sequence[str]) -> int:
    """Hold style, types, floors and house rules."""
    refuse(arguments)
    ensure("dev")
    return 1 if run_steps([*CHECKS, HOUSE]) else 0


def fix(arguments: Sequence[str]) -> int:
    """Mend what the linter can mend, then format; anything left is printed."""
    paths = list(arguments) or ["."]
    ensure("dev")
    left = run_aloud(python_module("ruff", "check", "--fix", *paths))
    return run_aloud(python_module("ruff", "format", *paths)) or left


def bench(arguments: Sequence[str]) -> int:
    """Run the benchmarks, all or those whose name contains a given word."""
    ensure("dev")
    found = sorted((ROOT / "benchmarks").glob("bench_*.py"))
    chosen = [path for path in found if not arguments or any(w in path.name for w in arguments)]
    if not chosen:
        names = ", ".join(path.name for path in found) or "none"
        raise Stop(f"no such benchmark; in benchmarks/ there are: {names}")
    failed = False
    for path in chosen:
        say(f"== {path.name}")
        begin = time.monotonic()
        code = run_aloud([str(PYTHON), str(path)])
        report(path.stem, code, time.monotonic() - begin)
        failed = failed or code != 0
    return 1 if failed else 0


def docs(arguments: Sequence[str]) -> int:
    """Build the pages; a broken link or an unlisted page fails."""
    refuse(arguments)
    ensure("dev")
    return 1 if run_steps([PAGES]) else 0


def lock(arguments: Sequence[str]) -> int:
    """Pin every package by version and hash, for every platform.

    Pins stay as they are while pyproject.toml allows them; `--upgrade` takes newer ones.
    """
    uv = shutil.which("uv")
    if not uv:
        raise Stop("lock needs uv: run `pipx install uv` or `pip install uv`, then try again")
    extras = [word for extra in LOCKED_EXTRAS for word in ("--extra", extra)]
    again = [word for word in arguments if word == "--upgrade"]
    for name, options in (("run", []), ("dev", [*extras, "-c", "requirements/run.txt"])):
        target = ROOT / "requirements" / f"{name}.txt"
        command = [uv, "pip", "compile", "pyproject.toml", "--universal", "--generate-hashes"]
        command += ["--python-version", "3.11", "--quiet", "--output-file", str(target)]
        command += ["--no-header", "--no-annotate", "--no-emit-index-url"]
        code, output = run_quietly([*command, *options, *again])
        if code:
            raise Stop(f"could not pin {target.name}: {last_line(output)}")
        target.write_text(HEADER + target.read_text().replace(HEADER, ""))
        say(f"wrote requirements/{name}.txt")
    return 0


def refuse(arguments: Sequence[str]) -> None:
    """Stop when a command that takes no arguments is given some."""
    if arguments:
        raise Stop(f"this command takes no arguments, not {' '.join(arguments)}")


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "setup": setup,
    "demo": demo,
    "test": test,
    "check": check,
    "fix": fix,
    "bench": bench,
    "docs": docs,
    "lock": lock,
}


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the command and its arguments.
    """
    if not arguments or arguments[0] not in COMMANDS:
        asked_for_help = bool(arguments) and arguments[0] in {"help", "-h", "--help"}
        print((__doc__ or "").strip(), file=sys.stdout if asked_for_help else sys.stderr)
        return 0 if asked_for_help else 2
    if sys.version_info < OLDEST:
        print(
            f"dev.py: Comity needs python 3.11 or newer and this is {sys.version.split()[0]}: "
            f"run `python3.11 dev.py {' '.join(arguments)}`, or install a newer python",
            file=sys.stderr,
        )
        return 2
    try:
        return COMMANDS[arguments[0]](arguments[1:])
    except Stop as stop:
        print(f"dev.py: {stop}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
