"""Pages: does everything a page shows really happen?

Here: every Python example and every shell session of README.md, docs/ and the shipped skills is
run, page by page, and its output compared.
Not here: docstring examples (doctest runs over src), links (mkdocs checks those).
Sources: the rule that an example nobody runs is a claim nobody made.

A shell session is a fenced block marked ``console``: lines after ``$ `` are run with bash in one
scratch folder per page, with the shipped examples in it; what follows is standard output, where
``...`` stands for anything. A line ``# exit 10`` after the output states the exit code (else 0).
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src").rglob("SKILL.md")),
]
BLOCK = re.compile(r"(?ms)^```(?P<kind>[\w-]*)[^\n]*\n(?P<body>.*?)^```\s*$")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path, kind: str) -> list[tuple[int, str]]:
    text = page.read_text("utf-8")
    return [
        (text.count("\n", 0, match.start()) + 1, match["body"])
        for match in BLOCK.finditer(text)
        if match["kind"] == kind
    ]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(body: str) -> list[tuple[str, str, int]]:
    """Return (command, expected output, exit code) for each command of a session."""
    found: list[tuple[str, list[str], int]] = []
    for line in body.splitlines():
        if found and "<<'END'" in found[-1][0] and not found[-1][0].endswith("\nEND"):
            found[-1] = (f"{found[-1][0]}\n{line}", [], 0)  # a here-document up to END
        elif line.startswith("$ "):
            found.append((line[2:], [], 0))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (f"{found[-1][0]}\n{line}", [], 0)
        elif found and re.fullmatch(r"# exit \d+", line):
            command, output, _ = found[-1]
            found[-1] = (command, output, int(line.split()[-1]))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(output).strip(), code) for command, output, code in found]


def matches(expected: str, got: str) -> bool:
    parts = [re.escape(part) for part in expected.split("...")]
    return re.fullmatch(".*".join(parts), got.strip(), re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_pages_python_examples_run(page: Path, tmp_path: Path) -> None:
    examples = blocks(page, "python")
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    scope: dict[str, object] = {}
    here = Path.cwd()
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    os.chdir(tmp_path)
    try:
        for line, body in examples:
            if ">>>" not in body:
                exec(compile(body, f"{named(page)}:{line}", "exec"), scope)  # noqa: S102
                continue
            test = parser.get_doctest(body, scope, named(page), str(page), line)
            runner.run(test, clear_globs=False)
            scope = test.globs
    finally:
        os.chdir(here)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_pages_shell_sessions_run(page: Path, tmp_path: Path) -> None:
    sessions = blocks(page, "console")
    if not sessions:
        return
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    scripts = tmp_path / ".bin"
    scripts.mkdir()
    starter = scripts / "comity"
    starter.write_text(
        f"#!{sys.executable}\nimport sys\nfrom comity.cli.main import main\nsys.exit(main())\n",
        "utf-8",
    )
    starter.chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("COMITY_")},
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    for line, body in sessions:
        for command, expected, code in commands(body):
            done = subprocess.run(  # our own pages
                ["bash", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
                stdin=subprocess.DEVNULL,
            )
            where = f"{named(page)}:{line}: $ {command}"
            assert done.returncode == code, f"{where}\n{done.stdout}\n{done.stderr}"
            told = f"{where}\nexpected:\n{expected}\n\ngot:\n{done.stdout}"
            assert matches(expected, done.stdout), told


def test_a_session_is_read_as_commands_outputs_and_codes() -> None:
    body = "$ one\nout\n$ two \\\n  more\n# exit 10\n"
    assert commands(body) == [("one", "out", 0), ("two \\\n  more", "", 10)]


def test_an_ellipsis_stands_for_anything_and_nothing_else_does() -> None:
    assert matches("a ... c", "a b\nb c")
    assert not matches("a b", "a c")
