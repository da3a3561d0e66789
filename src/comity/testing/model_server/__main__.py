"""Model server by hand: how do I run it beside one command?

Here: ``python -m comity.testing.model_server SCRIPT.json [-- COMMAND ...]``.
Not here: the server (server.py), scripts (script.py).
Sources: PEP 338.

With a command, the server lives as long as the command, which finds it through its environment,
and the exit code is the command's. Without one it prints its address and ends on Ctrl-C, or when
its time is up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event as Flag

from comity.core.errors import ComityError
from comity.testing.model_server.script import Script, read_script
from comity.testing.model_server.server import ModelServer

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Serve a script.

    Args:
        arguments: as above.

    Returns:
        The exit code: the command's, 127 or 126 for one that cannot be started; 2 for a script
        that cannot be read; else 0.
    """
    words = list(arguments)
    split = words.index("--") if "--" in words else len(words)
    command = words[split + 1 :]
    parser = argparse.ArgumentParser(
        prog="python -m comity.testing.model_server",
        description="A fake model server on 127.0.0.1 that answers by a script.",
        epilog="After -- comes a command: the server then lives as long as it does.",
    )
    parser.add_argument("script", type=Path, help="a JSON file: seat -> turns")
    parser.add_argument("--port", type=int, default=0, help="where to listen (default: any)")
    parser.add_argument("--for", type=float, default=3600.0, dest="seconds", help="how long")
    told = parser.parse_args(words[:split])
    if not command and split < len(words):
        parser.error("after -- comes a command; leave it out to serve until Ctrl-C")
    try:
        script = _script(told.script)
    except (OSError, ValueError, ComityError) as error:
        sys.stderr.write(f"{told.script}: {error}\n")
        return 2
    with ModelServer(script, port=told.port) as server:
        if command:
            environment = {**os.environ, **server.environment()}
            return _run(command, environment)
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        try:
            Flag().wait(told.seconds)
        except KeyboardInterrupt:
            sys.stderr.write("\n")
        for one in server.calls():
            sys.stderr.write(f"{one.seat} turn {one.turn}: {one.path}, {one.size} bytes\n")
    return 0


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command, and return its exit code as a shell tells it."""
    try:
        done = subprocess.run(command, env=environment, check=False)  # noqa: S603  # the user's
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{command[0]}: {getattr(error, 'strerror', None) or error}\n")
        return 127 if isinstance(error, FileNotFoundError) else 126
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _script(path: Path) -> Script:
    return read_script(json.loads(path.read_text("utf-8")), whose=path.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
