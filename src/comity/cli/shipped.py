"""Shipped: which example files came with this installation?

Here: their names and their bytes, of an installed package or of a checkout.
Not here: writing them somewhere (examples.py), what is in them (examples/README.md).
Sources: pyproject.toml (the wheel holds examples/ as comity/examples).
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER", "shipped_files", "shipped_root"]

FOLDER = "examples"
"""What the help and the pages call the folder of the shipped files."""


def shipped_root() -> Path | None:
    """Return the folder of the shipped files, or None where they did not come along.

    In a checkout they lie beside the sources, in a wheel inside the package.
    """
    package = Path(__file__).resolve().parent.parent
    places = (package / FOLDER, package.parent.parent / FOLDER)
    return next((one for one in places if (one / "README.md").is_file()), None)


def shipped_files() -> tuple[str, ...]:
    """Return the names of the shipped files below their folder, with forward slashes, sorted."""
    root = shipped_root()
    if root is None:
        return ()
    found = (one.relative_to(root) for one in root.rglob("*") if one.is_file())
    return tuple(sorted(one.as_posix() for one in found))
