"""Arrays: is numpy here, and who may ask?

Here: the one place that imports numpy, at the first call and never before.
Not here: what is computed with it; every caller has a plain path with the same answers.
Sources: ARCHITECTURE, "Floors" (optional packages are imported in one place, lazily) and
"Dependencies" (extra `fast`).
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["numpy_or_none"]


@cache
def numpy_or_none() -> Any:  # noqa: ANN401  # a module that may not be installed has no type here
    """Return the module numpy, or None where it is not installed.

    Returns:
        The module; the answer of the first call holds for the whole process.

    Example:
        >>> numpy_or_none() is numpy_or_none()
        True
    """
    try:
        return import_module("numpy")
    except ImportError:
        return None
