"""House rules: is every room of the house still habitable?

Here: what linters cannot hold: headers, sizes, names, mirrors, examples, pins, private places.
Not here: style and types (pyproject.toml), which floor may import which (.importlinter).
Sources: ARCHITECTURE, "Sizes that keep rooms habitable"; CONTRIBUTING.md.

Exceptions stand in the tables right below, each with its reason. The tables only shrink: an
exception that is no longer needed fails its test.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
HOUSE = SRC / "comity"

LOCKED_EXTRAS = ("dev", "durable", "fast", "models", "postgres")  # as in dev.py
LINES_OF_A_MODULE = 600
LINES_OF_A_FUNCTION = 60
PARAMETERS = 6
METHODS_OF_A_CLASS = 12
ANCESTORS_WITHIN_COMITY = 2

# --- exceptions, each with its reason --------------------------------------------------------

# "path under src/" or "path under src/::name" -> why it may be larger than the sizes above.
LARGER: dict[str, str] = {}

# "path under src/" -> why its functions may import (cold start, optional packages).
IMPORTS_INSIDE: dict[str, str] = {
    "comity/ledger/open.py": "a backend is loaded only when an address of its kind is opened",
}

# "path under src/" -> why it has no test file of its own.
UNMIRRORED: dict[str, str] = {}

# Third-party package -> the one place under src/comity/ that may import it.
THIRD_PARTY = {
    "click": "cli/",
    "dbos": "runner/durable.py",
    "fastapi": "web/",
    "httpx": "agents/",
    "jinja2": "web/",
    "mcp": "mcp/",
    "numpy": "core/arrays.py",
    "ortools": "mechanisms/auctions/cpsat.py",
    "psycopg": "ledger/",
    "pydantic": "web/",
    "rich": "cli/",
    "starlette": "web/",
    "uvicorn": "web/",
}

# --- what the house is made of ---------------------------------------------------------------

PURE_FLOORS = ("core", "mechanisms", "protocols", "session")
SHOWN_FLOORS = ("core", "mechanisms", "protocols")
FORBIDDEN_NAMES = {"common", "helper", "helpers", "manager", "misc", "util", "utils"}


def all_modules() -> list[Path]:
    return sorted(HOUSE.rglob("*.py"))


def label(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def dotted(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function, its docstring and decorators left out."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def functions(tree: ast.Module) -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Return every function with its name as Class.method or outer.inner."""
    found: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if not isinstance(child, ast.ClassDef):
                    found.append((prefix + child.name, child))
                walk(child, f"{prefix}{child.name}.")
            else:
                walk(child, prefix)

    walk(tree, "")
    return found


def classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the parameters a caller fills in."""
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return len([argument for argument in named if argument.arg not in {"self", "cls"}])


def imported_modules(tree: ast.AST) -> list[tuple[int, str]]:
    """Return (line, dotted module) of every import statement below a node."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append((node.lineno, node.module))
    return found


def without_exceptions(found: dict[str, str], allowed: dict[str, str]) -> list[str]:
    """Return the faults that no exception covers, and the exceptions that cover no fault."""
    faults = [f"{place}: {what}" for place, what in found.items() if place not in allowed]
    stale = [f"{place}: this exception is not needed" for place in allowed if place not in found]
    return faults + stale


# --- modules ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", [*all_modules(), ROOT / "dev.py"], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_a_module_opens_with_its_question_and_what_is_here_and_not_here(path: Path) -> None:
    header = ast.get_docstring(parsed(path)) or ""
    missing = [
        part for part in ("Here:", "Not here:", "Sources:") if f"\n{part} " not in f"\n{header}"
    ]
    assert not missing, f"{path.name} lacks {missing} in its docstring"
    assert re.match(r"\S.*: .+[?.]$", header.splitlines()[0]), "first line is 'Name: question?'"


def test_modules_functions_and_classes_keep_to_their_sizes() -> None:
    found: dict[str, str] = {}
    for path in all_modules():
        tree = parsed(path)
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LINES_OF_A_MODULE:
            found[label(path)] = f"{lines} lines, at most {LINES_OF_A_MODULE}"
        for name, node in functions(tree):
            if code_lines(node) > LINES_OF_A_FUNCTION:
                size = f"{code_lines(node)} lines, at most {LINES_OF_A_FUNCTION}"
                found[f"{label(path)}::{name}"] = size
            if parameters(node) > PARAMETERS:
                size = f"{parameters(node)} parameters, at most {PARAMETERS}"
                found[f"{label(path)}::{name}"] = size
        for group in classes(tree):
            methods = [
                child.name
                for child in group.body
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                and not (child.name.startswith("__") and child.name.endswith("__"))
            ]
            if len(methods) > METHODS_OF_A_CLASS:
                size = f"{len(methods)} methods, at most {METHODS_OF_A_CLASS}"
                found[f"{label(path)}::{group.name}"] = size
    assert not without_exceptions(found, LARGER)


def test_classes_have_at_most_two_ancestors_of_our_own() -> None:
    parents: dict[str, list[str]] = {}
    for path in all_modules():
        tree = parsed(path)
        names = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        local = {node.name: f"{dotted(path)}.{node.name}" for node in classes(tree)}
        for node in classes(tree):
            bases = [ast.unparse(base).split("[")[0] for base in node.bases]
            parents[local[node.name]] = [{**names, **local}.get(base, base) for base in bases]

    def depth(name: str) -> int:
        ours = [base for base in parents[name] if base in parents]
        return max((1 + depth(base) for base in ours), default=0)

    too_deep = [name for name in parents if depth(name) > ANCESTORS_WITHIN_COMITY]
    assert not too_deep


def test_imports_stand_at_the_top_of_a_module() -> None:
    found: dict[str, str] = {}
    for path in all_modules():
        for name, node in functions(parsed(path)):
            for line, module in imported_modules(node):
                found[label(path)] = f"{name} imports {module} in line {line}"
    assert not without_exceptions(found, IMPORTS_INSIDE)


def test_a_third_party_package_is_imported_in_one_place() -> None:
    faults = []
    for path in all_modules():
        place = path.relative_to(HOUSE).as_posix()
        for line, module in imported_modules(parsed(path)):
            package = module.split(".")[0]
            if package in sys.stdlib_module_names or package == "comity":
                continue
            home = THIRD_PARTY.get(package)
            if home is None or not place.startswith(home):
                faults.append(f"{place}:{line} imports {package}; its place is {home}")
    assert not faults


def test_no_module_hides_behind_a_name_that_says_nothing() -> None:
    named = [
        label(path)
        for path in HOUSE.rglob("*")
        if FORBIDDEN_NAMES & set(re.split(r"[_.]", path.name)) and "__pycache__" not in path.parts
    ]
    assert not named


@pytest.mark.parametrize("path", all_modules(), ids=label)
def test_a_public_list_of_names_is_sorted_whole_and_free_of_repeats(path: Path) -> None:
    listed = [
        node.value
        for node in parsed(path).body
        if isinstance(node, ast.Assign)
        and [ast.unparse(target) for target in node.targets] == ["__all__"]
    ]
    if not listed:
        assert path.name == "__init__.py" or path.name.startswith("_"), "a module lists __all__"
        return
    names = ast.literal_eval(listed[0])
    module = importlib.import_module(dotted(path))
    assert len(set(names)) == len(names)
    assert names == sorted(names, key=order_of_names)
    assert [name for name in names if not hasattr(module, name)] == []


def order_of_names(name: str) -> tuple[int, str]:
    """Sort as the linter does (RUF022): CONSTANTS, then Classes, then functions."""
    bare = name.lstrip("_")
    if bare.isupper() and len(bare) > 1:
        return (0, name)
    return (1 if bare[:1].isupper() else 2, name)


# --- tests and examples ----------------------------------------------------------------------


def test_every_module_of_the_pure_floors_has_a_test_file_of_its_own() -> None:
    found: dict[str, str] = {}
    for floor in PURE_FLOORS:
        for path in sorted((HOUSE / floor).rglob("*.py")):
            place = path.relative_to(HOUSE)
            mirror = ROOT / "tests" / "unit" / place.parent / f"test_{place.name}"
            if path.name != "__init__.py" and not mirror.exists():
                found[label(path)] = f"no {mirror.relative_to(ROOT)}"
    assert not without_exceptions(found, UNMIRRORED)


def has_public_list(path: Path) -> bool:
    return path.exists() and "\n__all__ = [" in path.read_text(encoding="utf-8")


def public_lists() -> list[Path]:
    """Return where the shown floors say what is public: a package, or else each of its modules."""
    shown = [path for path in all_modules() if path.relative_to(HOUSE).parts[0] in SHOWN_FLOORS]
    return [
        path
        for path in shown
        if path.name == "__init__.py" or not has_public_list(path.parent / "__init__.py")
    ]


@pytest.mark.parametrize("path", public_lists(), ids=label)
def test_every_public_function_is_shown_at_work(path: Path) -> None:
    module = importlib.import_module(dotted(path))
    unshown = []
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if not inspect.isfunction(thing):
            continue
        home = sys.modules[thing.__module__]
        if ">>>" not in (thing.__doc__ or "") and ">>>" not in (home.__doc__ or ""):
            unshown.append(f"{thing.__module__}.{name}")
    assert not unshown, "no example in the docstring of the function or of its module"


# --- errors ----------------------------------------------------------------------------------


def test_every_error_has_its_row_in_the_one_table() -> None:
    errors = importlib.import_module("comity.core.errors")
    for path in all_modules():
        if path.relative_to(HOUSE).parts[0] in PURE_FLOORS:
            importlib.import_module(dotted(path))

    def tree(error: type) -> set[type]:
        children: list[type] = error.__subclasses__()
        return {error}.union(*map(tree, children))

    ours = {error for error in tree(errors.ComityError) if error.__module__.startswith("comity.")}
    assert ours == set(errors.EXIT_CODES)


def test_errors_are_made_nowhere_but_in_the_one_tree() -> None:
    built_in = re.compile(r"(Exception|Error|BaseException|Warning)$")
    made = [
        f"{label(path)}::{node.name}"
        for path in all_modules()
        if path != HOUSE / "core" / "errors.py"
        and path.relative_to(HOUSE).parts[0] not in {"cli", "web", "mcp", "testing"}
        for node in classes(parsed(path))
        if any(built_in.search(ast.unparse(base)) for base in node.bases)
    ]
    assert not made


# --- the package's front ---------------------------------------------------------------------


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.strip()


def test_importing_comity_loads_nothing_else_of_it() -> None:
    code = "import sys, comity; print([name for name in sys.modules if 'comity' in name])"
    assert run_python(code) == "['comity']"


def test_the_lazy_names_are_the_listed_and_the_typed_ones() -> None:
    comity = importlib.import_module("comity")
    typed = {
        alias.name: node.module
        for node in ast.walk(parsed(HOUSE / "__init__.py"))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("comity.")
        for alias in node.names
    }
    lazy = comity._LAZY
    assert lazy == typed
    assert {*lazy, "__version__"} == set(comity.__all__)
    assert set(comity.__all__) <= set(dir(comity))


def test_every_lazy_name_loads() -> None:
    comity = importlib.import_module("comity")
    for name, home in comity._LAZY.items():
        assert getattr(comity, name) is getattr(importlib.import_module(home), name)
    with pytest.raises(AttributeError, match="no attribute 'bargian'"):
        _ = comity.bargian


def test_the_version_is_the_same_everywhere() -> None:
    version = project()["version"]
    assert importlib.import_module("comity").__version__ == version
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## (\[{re.escape(str(version))}\]|\[?Unreleased)", changes, re.MULTILINE)


# --- packages --------------------------------------------------------------------------------


def project() -> dict[str, object]:
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def pins(name: str) -> dict[str, list[str]]:
    """Return package -> pinned versions (one per marker) of a requirements file."""
    found: dict[str, list[str]] = {}
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    for package, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE):
        found.setdefault(package, []).append(version)
    return found


def test_the_pinned_lists_are_those_of_the_project() -> None:
    extras = project()["optional-dependencies"]
    needed = project()["dependencies"]
    assert isinstance(extras, dict)
    assert isinstance(needed, list)
    run, dev = pins("run.txt"), pins("dev.txt")
    wrong = []
    locked = [one for extra in LOCKED_EXTRAS for one in extras[extra]]
    for wanted, pinned in ((needed, run), ([*needed, *locked], dev)):
        for requirement in map(Requirement, wanted):
            versions = pinned.get(requirement.name, [])
            if not versions or not all(map(requirement.specifier.contains, versions)):
                wrong.append(f"{requirement} is pinned at {versions}: run `python3 dev.py lock`")
    assert not wrong
    assert run.items() <= dev.items()


def test_every_pin_has_its_hashes() -> None:
    for name in ("run.txt", "dev.txt"):
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        entries = re.split(r"\n(?=\S)", text)[1:]
        assert entries
        assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


# --- private places --------------------------------------------------------------------------

# One letter of each stands in brackets, so that this file does not hold what it looks for.
PRIVATE = re.compile(
    r"(?<![\w.~-])/([w]ork|[r]oot|[U]sers/\w+|[h]ome/\w+|[o]pt/(pypi|wheels))/"
    r"|pypi[.]org|pythonhosted[.]org|registry[.]npmjs|deb[.]debian[.]org"
)


def tracked_files() -> list[Path]:
    """Return what git tracks or would track; without git, what is in the known folders."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        return [ROOT / name for name in listing.stdout.split("\0") if name]
    folders = ("src", "tests", "docs", "examples", "benchmarks", "requirements", ".ci")
    inside = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return [path for path in (*inside, *ROOT.glob("*")) if "__pycache__" not in path.parts]


def test_no_tracked_file_names_a_private_place_or_a_package_index() -> None:
    named = []
    for path in tracked_files():
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        named += [
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(text.splitlines(), 1)
            if PRIVATE.search(line)
        ]
    assert not named


@pytest.mark.parametrize(
    ("parts", "is_private"),
    [
        (("", "work", "main"), True),
        (("(", "root", ".cache"), True),
        (("https:", "", "pypi" + ".org", "x"), True),
        (("docs", "work", "plan.md"), False),
        (("~", "root", "x"), False),
    ],
)
def test_a_private_place_would_be_found(parts: tuple[str, ...], is_private: bool) -> None:
    assert bool(PRIVATE.search("/".join(parts))) is is_private
