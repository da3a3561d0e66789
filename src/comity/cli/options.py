"""Options: how are the words of a command line read?

Here: the command class (shared options before or after the command's name, examples in the help,
every unknown option at once) and readers of single values that collect faults.
Not here: the commands, what they do with the values.
Sources: SEMANTICS G7; clig.dev; the did-you-mean of uv and ruff.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from comity.cli.door import COLOURS, Door
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean

__all__ = ["DoorCommand", "DoorGroup", "choice", "usage_fault", "whole"]

_WHOLE = re.compile("[+-]?[0-9]{1,18}")
_OF_EXAMPLES = " examples/"
_SHARED = ("db", "as_json", "color", "quiet", "no_input")


def shared_options() -> list[click.Parameter]:
    """Return the options that every command takes, before its name and after it."""
    return [
        click.Option(
            ["--db"],
            metavar="PATH|URL",
            help="The ledger; else COMITY_DB, comity.toml, ./comity.db.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="One JSON object on stdout."),
        click.Option(["--color"], metavar="WHEN", help="auto (default), always or never."),
        click.Option(["-q", "--quiet"], is_flag=True, help="No talk on stderr, only errors."),
        click.Option(["--no-input"], is_flag=True, help="Never ask a person at the terminal."),
    ]


class DoorCommand(click.Command):
    """A command that knows its examples and hands its callback a :class:`Door`."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401  # whatever click takes
        examples: Sequence[str] = (),
        **kwargs: Any,  # noqa: ANN401  # what click passes on
    ) -> None:
        """Take click's arguments and the examples of the help."""
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.own = len(self.params)
        self.params.extend(shared_options())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; report every unknown option together."""
        words = list(args)
        faults: list[Fault] = []
        while True:
            try:
                rest = super().parse_args(ctx, list(words))
                break
            except click.NoSuchOption as error:
                faults.append(usage_fault(error))
                words = _without(error.option_name, words)
            except click.UsageError as error:
                faults = faults or [usage_fault(error)]
                break
        if faults:
            raise InvalidInput(faults)
        return rest

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  # click's own signature
        """Call the command with its door."""
        values = {name: _nearest(ctx, name) for name in _SHARED}
        for name in _SHARED:
            ctx.params.pop(name, None)
        color = choice(str(values["color"] or "auto"), "--color", COLOURS)
        ctx.params["door"] = Door(
            as_json=bool(values["as_json"]),
            is_quiet=bool(values["quiet"]),
            may_ask=not values["no_input"],
            db=str(values["db"] or ""),
            color=color,
        )
        return super().invoke(ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what it does, then its examples."""
        super().format_help_text(ctx, formatter)
        _write_examples(self.examples, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write its own options, then those of every command."""
        own = [one for one in self.params[: self.own] if isinstance(one, click.Option)]
        for title, params in (("Options", own), ("Every command", self.params[self.own :])):
            records = [one.get_help_record(ctx) for one in params]
            shown = [record for record in records if record is not None]
            if shown:
                with formatter.section(title):
                    formatter.write_dl(shown)


class DoorGroup(click.Group):
    """A group of commands that knows its examples and which command was meant."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401  # whatever click takes
        examples: Sequence[str] = (),
        **kwargs: Any,  # noqa: ANN401  # what click passes on
    ) -> None:
        """Take click's arguments and the examples of the help."""
        super().__init__(*args, **{**kwargs, "no_args_is_help": False})
        self.examples = tuple(examples)
        self.params.extend(shared_options())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which names are near."""
        known = self.list_commands(ctx)
        if args[0] not in known and not ctx.resilient_parsing:
            raise UnknownName(
                Fault(
                    ctx.command_path,
                    f"has no command {args[0]!r}",
                    ", ".join(known),
                    did_you_mean(args[0], known),
                )
            )
        return super().resolve_command(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what it does, then its examples."""
        super().format_help_text(ctx, formatter)
        _write_examples(self.examples, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first, then the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


def _write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    if examples:
        with formatter.section("Examples"):
            for line in examples:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")
            if any(_OF_EXAMPLES in line for line in examples):
                told = "(`comity examples` writes the files of examples/ into this folder.)"
                formatter.write(f"{'':{formatter.current_indent}}{told}\n")


def _without(option: str, words: list[str]) -> list[str]:
    """Return the words less the first one that gives an option."""
    for at, word in enumerate(words):
        given = word.partition("=")[0]
        short = not option.startswith("--") and word[:1] == "-" and word[1:2] != "-"
        if given == option or (short and option.lstrip("-") in word):
            return words[:at] + words[at + 1 :]
    return []


def _nearest(ctx: click.Context, name: str) -> object:
    """Return a shared option's value, given after the command's name or else before it."""
    at: click.Context | None = ctx
    while at is not None:
        value = at.params.get(name)
        if value:
            return value
        at = at.parent
    return None


# --- faults ----------------------------------------------------------------------------------


def usage_fault(error: click.UsageError) -> Fault:
    """Return click's complaint as a fault in four parts."""
    ctx = error.ctx
    path = ctx.command_path if ctx else "comity"
    next_step = f"see `{path} --help`"
    if isinstance(error, click.NoSuchOption):
        known = [name for one in ctx.command.get_params(ctx) for name in one.opts] if ctx else []
        long = [name for name in known if name.startswith("--")]
        return Fault(
            path,
            f"has no option {error.option_name}",
            "the options of its help",
            did_you_mean(error.option_name, long) if _is_near(error, long) else next_step,
        )
    if isinstance(error, click.MissingParameter) and error.param is not None:
        hint = error.param.make_metavar(ctx) if ctx else str(error.param.name)
        return Fault(path, f"lacks {hint}", error.param.human_readable_name, next_step)
    if ctx is not None and isinstance(ctx.command, click.Group):
        names = ctx.command.list_commands(ctx)
        return Fault(path, "lacks the name of a command", ", ".join(names), next_step)
    said = error.format_message().rstrip(".")
    return Fault(path, f"cannot read its words: {said}", "the form in its help", next_step)


def _is_near(error: click.NoSuchOption, known: list[str]) -> bool:
    return did_you_mean(error.option_name, known).startswith("did you mean")


def choice(value: str, whose: str, known: Sequence[str]) -> str:
    """Return a value that is one of a few words.

    Args:
        value: what was given.
        whose: the option.
        known: the words it may be.

    Raises:
        InvalidInput: when it is none of them.

    Example:
        >>> choice("auto", "--color", ("auto", "never"))
        'auto'
    """
    if value in known:
        return value
    raise InvalidInput(Fault(whose, f"is {value!r}", ", ".join(known), did_you_mean(value, known)))


def whole(value: str | None, whose: str, faults: list[Fault], *, least: int = 0) -> int | None:
    """Return a whole number given as text, or note the fault.

    Args:
        value: what was given, or None.
        whose: the option.
        faults: where a fault is added.
        least: the smallest number allowed.

    Returns:
        The number; None when nothing was given or it is no such number.

    Example:
        >>> found: list[Fault] = []
        >>> whole("5", "--rounds", found), whole("x", "--rounds", found), len(found)
        (5, None, 1)
    """
    if value is None:
        return None
    text = value.strip()
    number = int(text) if _WHOLE.fullmatch(text) else None
    if number is None or number < least:
        faults.append(
            Fault(whose, f"is {value!r}", f"a whole number of {least} or more", f"correct {whose}")
        )
        return None
    return number
