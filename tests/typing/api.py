"""The public names as a user's type checker sees them; checked by mypy, never run."""

from typing import assert_type

import comity

assert_type(comity.__version__, str)
