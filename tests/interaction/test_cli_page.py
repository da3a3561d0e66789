"""The pages of commands: do they say what the command line can do?

Here: every command, option and example of the help stands on its page; every key of a scenario
file stands on its page.
Not here: running what the pages show (tests/test_docs.py).
Sources: the rule that an example nobody runs is a claim nobody made.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from comity.cli.root import COMMANDS, root
from comity.core.errors import EXIT_CODES
from comity.core.results import EXIT_CODE_OF_KIND
from comity.formats.scenario import READERS, schema_of

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGE = (PAGES / "cli.md").read_text("utf-8")
SCARCE = (PAGES / "cli-scarce.md").read_text("utf-8")
FILES = (PAGES / "scenario-files.md").read_text("utf-8")


def commands() -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    for name, (home, _) in COMMANDS.items():
        command = import_module(home).command
        inner = command.commands if isinstance(command, click.Group) else {}
        found += [(f"{name} {one}", inner[one]) for one in inner] or [(name, command)]
    return found


@pytest.mark.parametrize(("name", "command"), commands(), ids=[name for name, _ in commands()])
def test_every_command_its_options_and_its_examples_stand_on_the_page(
    name: Any, command: Any
) -> None:
    title = f"## comity {name.split()[0]}\n"
    page = PAGE if title in PAGE else SCARCE
    assert title in page
    assert f"comity {name}" in page
    section = page.split(title)[1].split("\n## ")[0]
    missing = [line for line in command.examples if f"\n$ {line}\n" not in section]
    shared = {one.name for one in root.params}
    options = [one for one in command.params if isinstance(one, click.Option)]
    missing += [
        one.opts[-1]
        for one in options
        if one.name not in shared and f"{one.opts[0]}" not in section
    ]
    assert not missing


def test_the_shared_options_stand_at_the_head_of_the_page() -> None:
    head = PAGE.split("\n## ")[0]
    assert not [one.opts[-1] for one in root.params if f"`{one.opts[-1].split()[0]}" not in head
                and one.name != "version"]  # fmt: skip


def test_every_exit_code_stands_on_the_page() -> None:
    codes = {*EXIT_CODE_OF_KIND.values(), *EXIT_CODES.values(), 130}
    assert not [code for code in codes if f"\n| {code} |" not in PAGE]


@pytest.mark.parametrize("kind", READERS)
def test_every_key_of_a_scenario_file_stands_on_its_page(kind: str) -> None:
    def keys(schema: dict) -> set[str]:
        own = set(schema.get("properties", {}))
        inner = [*schema.get("properties", {}).values(), schema.get("additionalProperties")]
        return own.union(*(keys(one) for one in inner if isinstance(one, dict)))

    section = FILES.split(f'## kind = "{kind}"')[1].split("\n## ")[0]
    assert not [key for key in sorted(keys(schema_of(kind))) if key not in section + FILES]
