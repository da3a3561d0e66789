"""Comity: how do parties that disagree settle it while nobody is in charge?

Here: the names most callers need, each loaded from its module at first use.
Not here: any code of its own; `import comity` loads nothing else of the package.
Sources: ARCHITECTURE, "Dependencies"; PEP 562.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comity.mechanisms.bargaining import bargain, schedules_for, zopa

__all__ = ["__version__", "bargain", "schedules_for", "zopa"]

__version__ = "0.1.0"

# Public name -> the module it lives in. tests/test_house.py compares it with the two lists above.
_LAZY = {
    "bargain": "comity.mechanisms.bargaining",
    "schedules_for": "comity.mechanisms.bargaining",
    "zopa": "comity.mechanisms.bargaining",
}


def __getattr__(name: str) -> object:
    """Load a public name from its module and keep it."""
    if name not in _LAZY:
        raise AttributeError(f"module 'comity' has no attribute {name!r}", name=name, obj=None)
    value: object = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, loaded or not."""
    return sorted({*globals(), *__all__})
