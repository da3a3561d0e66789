"""Main: which way does a call of `comity` go?

Here: the entry point; `--version` is answered before anything else is loaded.
Not here: the commands (root.py and one module each).
Sources: ARCHITECTURE, "Dependencies" (a start must stay cheap).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from comity import __version__

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name; those of this process when None.

    Returns:
        The exit code: 0 decided, 1 failed, 2 usage, 10 no deal, 11 waits for a person,
        12 blocked, 13 quorum missed, 130 interrupted, 143 ended by SIGTERM.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words == ["--version"] and sys.stdout is not None:
        try:
            sys.stdout.write(f"comity {__version__}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError:
            door = import_module("comity.cli.door")
            door.Door().warn(str(door.OutputLost(door.reason_lost(sys.stdout))))
            return 1
        return 0
    code: int = import_module("comity.cli.root").run(words)
    return code
