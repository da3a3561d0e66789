"""Plain faults: the words of the file and the command line, not of Python (G7)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import Fault, InvalidInput
from comity.core.exact import read_exact
from comity.formats.plain_faults import CALLED, in_plain_words
from comity.mechanisms.auctions.registry import AUCTIONS, auction_named
from comity.mechanisms.sharing import share


def told(call: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        call()
    return " ".join(map(str, in_plain_words(refused.value.faults)))


def test_every_auction_has_a_word_by_which_the_command_line_finds_it() -> None:
    assert list(CALLED) == list(AUCTIONS)
    assert [auction_named(word) for word in CALLED.values()] == list(AUCTIONS)


def test_g7_numbers_and_truth_values_are_asked_for_in_plain_words() -> None:
    assert "Allowed: a number such as 120" in told(lambda: read_exact("x", "a", "b"))
    wrong: Any = "yes"
    assert "Allowed: true or false" in told(lambda: share(9, {"a": [[9, 1]]}, concavify=wrong))
    rising = told(lambda: share(9, {"a": [[1, 1], [1, 2]]}))
    assert rising.endswith(
        "Next: write concavify = true to take the least concave curve above it."
    )


def test_g7_what_needs_no_other_words_stays_as_it_is() -> None:
    fault = Fault("uniform_price", "mcafees and my_mcafee", "x", "y")
    assert in_plain_words([fault]) == [fault]
