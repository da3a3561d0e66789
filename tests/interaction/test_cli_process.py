"""The command line as a process: exit codes, pipes, encodings, terminals, signals.

Here: what only a real process shows.
Not here: each command's own tests (tests/unit/cli).
Sources: ux research 2.1; exit codes of SEMANTICS G1.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ("bargain", "--seller", "120:70", "--buyer", "60:100")
LEFT_OUT = ("COMITY_DB", "NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING", "PYTHONUNBUFFERED")
TRANSCRIPT = "[ADVOCATE - CC]\nPRIORITY: Focus\n---\n[DONE]\n"
LONGEST_S = 30


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    return {**kept, "PYTHONPATH": str(ROOT / "src"), **more}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "comity", *words]


def run(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        timeout=LONGEST_S,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "examples" / "auth-protocol.toml", tmp_path / "auth.toml")
    shutil.copy(ROOT / "examples" / "price.toml", tmp_path / "price.toml")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--version",), 0),
        (SOURCE, 0),
        (("verify", "--head", "0" * 64), 1),
        (("bargin",), 2),
        ((), 2),
        (("bargain", "--seller", "120:88", "--buyer", "60:84"), 10),
        (("negotiate", "auth.toml", "--max-turns", "4", "-q"), 10),
    ],
)
def test_the_exit_code_says_how_it_went(folder: Path, words: tuple[str, ...], code: int) -> None:
    if words[:1] == ("verify",):
        run(folder, "run", "price.toml", "-q")
    assert run(folder, *words).returncode == code


def test_json_is_all_there_is_on_stdout(folder: Path) -> None:
    for words in (("negotiate", "auth.toml"), ("ledger",), ("bargin",)):
        told = json.loads(run(folder, *words, "--json").stdout)
        assert told["v"] == 1
        assert told["kind"]


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", ("demo",)),
        ("cp1252", ("doctor",)),
        ("cp1252", ("negotiate", "auth.toml")),
        ("ascii", ("negotiate", "auth.toml", "--json")),
        ("ascii", ("doctor",)),
    ],
)
def test_no_encoding_of_the_terminal_breaks_the_output(
    folder: Path, encoding: str, words: tuple[str, ...]
) -> None:
    work = "Wägen ✓ 中文: " * 3
    (folder / "auth.toml").write_text(
        (folder / "auth.toml").read_text("utf-8").replace("Reliability", work), "utf-8"
    )
    done = run(folder, *words, PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("--help",),
        SOURCE,
        ("ledger", "--export", "json"),
        ("demo",),
    ],
)
def test_a_reader_that_leaves_early_ends_it_quietly(folder: Path, words: tuple[str, ...]) -> None:
    if words[0] == "ledger":
        run(folder, "negotiate", "auth.toml", "-q")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command(*words),
        cwd=folder,
        env=environment(),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    os.close(write)
    assert done.returncode == 0
    assert "Broken" not in done.stderr
    assert "Traceback" not in done.stderr


def test_talk_that_nobody_reads_does_not_stop_the_work(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command("negotiate", "auth.toml", "--seed", "7"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=write,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    os.close(write)
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("CONSENSUS: Achieved")


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os; os.rmdir({str(gone)!r}); from comity.cli.main import main; "
    done = subprocess.run(
        [sys.executable, "-c", code + "raise SystemExit(main(['ledger']))"],
        cwd=gone,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "working directory: cannot be used" in done.stderr


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="proc: no folder that refuses files")
def test_a_folder_in_which_nothing_can_be_written_is_told() -> None:
    done = run(Path("/proc"), "run", str(ROOT / "examples" / "price.toml"))
    assert done.returncode in {1, 2}
    assert "ledger /proc/comity.db" in done.stderr
    assert "Traceback" not in done.stderr
    assert run(Path("/proc"), *SOURCE).returncode == 0


def test_a_small_decision_loads_no_database_no_threads_and_no_loop(folder: Path) -> None:
    code = (
        "import sys; from comity.cli.main import main; code = main(sys.argv[1:]); "
        "print([name for name in ('asyncio', 'sqlite3', 'comity.app', 'urllib', 'argparse') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *SOURCE],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.rstrip().endswith("\n[]")


def through_shell(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which COMITY is the command."""
    return subprocess.run(
        ["/bin/sh", "-c", words.replace("COMITY", f"{sys.executable} -m comity")],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=LONGEST_S,
        check=False,
    )


full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="full: no /dev/full here")


@full
@pytest.mark.parametrize(
    "words",
    [
        "COMITY negotiate auth.toml --json -q >/dev/full",
        f"COMITY {' '.join(SOURCE)} >/dev/full",
        f"COMITY {' '.join(SOURCE)} >&-",
        f"COMITY {' '.join(SOURCE)} --json >&-",
        "COMITY bargin --json 2>/dev/null >/dev/full; test $? = 1 && COMITY doctor >&-",
        "COMITY --help >/dev/full",
        "COMITY --version >/dev/full",
    ],
)
def test_a_result_that_cannot_be_written_is_a_failure_told_on_one_line(
    folder: Path, words: str
) -> None:
    done = through_shell(folder, words)
    assert done.returncode == 1
    assert done.stderr.startswith("error: standard output cannot be written: ")
    assert done.stderr.count("\n") == 1


@full
@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-"])
def test_talk_that_cannot_be_shown_is_dropped(folder: Path, stream: str) -> None:
    done = through_shell(folder, f"COMITY negotiate auth.toml --seed 7 {stream}")
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("CONSENSUS: Achieved")
    assert run(folder, "verify").returncode == 0


def test_sigterm_leaves_a_session_that_goes_on_and_ends_its_seats(folder: Path) -> None:
    (folder / "said.txt").write_text(TRANSCRIPT)
    (folder / "slow.py").write_text(
        "import os, pathlib, time\n"
        "pathlib.Path('pid.tmp').write_text(str(os.getpid()))\n"
        "os.replace('pid.tmp', 'pid')\n"
        "time.sleep(60)\n"
    )
    agents = ("--agent", "CC=script:said.txt", "--agent", f"CX=command:{sys.executable} slow.py")
    prompt = "Meetings? CC=Focus, CX=Contact"
    process = subprocess.Popen(
        command("negotiate", prompt, *agents, "--order", "CC,CX", "--json"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    stop = time.monotonic() + LONGEST_S
    while not (folder / "pid").exists() and time.monotonic() < stop:
        time.sleep(0.05)
    seat = int((folder / "pid").read_text())
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 143
    told = json.loads(out)
    assert (told["kind"], told["exit_code"]) == ("interrupted", 143)
    assert told["next"] == f"comity resume {told['session']}"
    assert f"go on with: {told['next']}" in err
    while is_alive(seat) and time.monotonic() < stop:
        time.sleep(0.05)
    assert not is_alive(seat)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    with contextlib.suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


# --- at a terminal ---------------------------------------------------------------------------


class Screen:
    """A process at a pseudo-terminal, and what it wrote so far."""

    def __init__(self, folder: Path, *words: str, **more: str) -> None:
        try:
            self.pid, self.fd = pty.fork()
        except OSError as error:
            pytest.skip(f"terminal: this machine gives no terminals ({error.args[0]})")
        if self.pid == 0:  # pragma: no cover  # the child
            os.chdir(folder)
            words = (sys.executable, *command(*words)[1:])
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job ignores it
            os.execve(words[0], words, environment(TERM="xterm", **more))  # noqa: S606
        self.text = ""

    def wait_for(self, words: str) -> str:
        """Read until the words are on the screen."""
        stop = time.monotonic() + LONGEST_S
        while words not in self.text and time.monotonic() < stop:
            ready, _, _ = select.select([self.fd], [], [], 0.2)
            if ready:
                try:
                    self.text += os.read(self.fd, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        assert words in self.text
        return self.text

    def type(self, words: str) -> None:
        os.write(self.fd, words.encode())

    def end(self) -> int:
        """Read to the end and return the exit code."""
        with contextlib.suppress(OSError):
            while data := os.read(self.fd, 65536):
                self.text += data.decode("utf-8", "replace")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def screens() -> Iterator[list[Screen]]:
    opened: list[Screen] = []
    yield opened
    for one in opened:
        with contextlib.suppress(OSError):
            os.kill(one.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.close(one.fd)


def test_a_terminal_gets_colours_and_no_color_takes_them_away(
    folder: Path, screens: list[Screen]
) -> None:
    for more, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        screen = Screen(folder, *SOURCE, **more)
        screens.append(screen)
        assert screen.end() == 0
        assert ("\x1b[32m" in screen.text) is coloured


def test_c7_a_person_takes_an_empty_seat_and_answers(folder: Path, screens: list[Screen]) -> None:
    (folder / "said.txt").write_text(TRANSCRIPT)
    prompt = "Meetings? CC=Focus, CX=Contact"
    screen = Screen(folder, "negotiate", prompt, "--agent", "CC=script:said.txt", "--seed", "1")
    screens.append(screen)
    screen.wait_for("Nobody sits at CX")
    screen.type("y\n")
    screen.wait_for("end with an empty line or a single full stop")
    screen.type("PRIORITY: Contact\nRATIONALE: people\nRED LINE: none\nWILLING TO TRADE: all\n\n")
    screen.wait_for(" states its position")
    screen.wait_for("It is your turn")
    screen.type("\x04")
    assert screen.end() == 10
    assert "the person left" in screen.text
    assert "[INCOMPLETE]" in screen.text


def test_no_input_asks_nobody(folder: Path, screens: list[Screen]) -> None:
    screen = Screen(folder, "negotiate", "Meetings? CC=Focus, CX=Contact", "--no-input")
    screens.append(screen)
    assert screen.end() == 2
    assert "still without an agent" in screen.text
    seats = ("--agent", "CC=person", "--agent", "CX=person")
    refused = run(folder, "negotiate", "Meetings? CC=Focus, CX=Contact", *seats, "--no-input")
    assert refused.returncode == 2
    assert "there is no terminal" in refused.stderr


def test_ctrl_c_leaves_a_session_that_goes_on_where_it_was(
    folder: Path, screens: list[Screen]
) -> None:
    (folder / "said.txt").write_text(TRANSCRIPT)
    prompt = "Meetings? CC=Focus, CX=Contact"
    agents = ("--agent", "CC=script:said.txt", "--agent", "CX=person")
    screen = Screen(folder, "negotiate", prompt, *agents, "--order", "CC,CX")
    screens.append(screen)
    screen.wait_for("end with an empty line or a single full stop")
    screen.type("\x03")
    screen.wait_for("go on with: comity resume d_")
    assert screen.end() == 130
    assert "Fatal" not in screen.text
    session = screen.text.rsplit("comity resume ", 1)[1].split()[0]
    done = run(folder, "resume", session, "--json")
    assert done.returncode == 10
    told = json.loads(done.stdout)
    assert told["session"] == session
    assert run(folder, "replay", session).stdout == "same\n"
