"""Written numbers: how do the numbers of a file stand in recorded rules?

Here: exact numbers as JSON has them, what is no such number as the text that a refusal shows.
Not here: refusing them: each mechanism does, and names whose number it is.
Sources: SEMANTICS G1 (integers and strings, never floats), G5.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from comity.core.canonical import plain
from comity.core.errors import InvalidInput, shown
from comity.core.exact import exact_fault, read_exact

__all__ = ["as_written"]


def as_written(value: Any) -> Any:  # noqa: ANN401  # any data of a file
    """Return data of a file with its numbers as recorded rules hold them.

    Args:
        value: plain data.

    Returns:
        The same with integers as they are, other numbers as text, and what is no finite number
        that can be written as the text that shows it.

    Example:
        >>> as_written({"a": [Decimal("0.10"), 0.5, 3, Decimal("NaN")]})
        {'a': ['0.10', '0.5', 3, 'NaN']}
    """
    if isinstance(value, Mapping):
        return {key: as_written(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_written(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, Fraction)):
        return value
    try:
        found = read_exact(value, "", "")
    except InvalidInput:
        is_long = isinstance(value, int) or exact_fault(value, "", "") is None
        return shown(value) if is_long else str(value)
    return plain(found)
