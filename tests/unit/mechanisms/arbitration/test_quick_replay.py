"""Quick replay: the same winners as the engine, lots included, whatever was claimed (R6)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import RULES, Claim, Conflict, Policy, replay
from comity.mechanisms.arbitration.quick_replay import plain_log, quick_winners

EVERY = [name for name in RULES if name not in {"expertise", "human"}]
PRIORITIES = st.sampled_from([1, 2, 3, 7, Fraction(1, 2), Decimal("0.5"), Decimal("2.50")])
TIMES = st.sampled_from([0, 60, 3600, 90_000, Fraction(1, 3), Decimal("0.25"), 50])


@st.composite
def logs(draw: st.DrawFn) -> list[Conflict]:
    found = []
    for at in draw(st.lists(TIMES, min_size=1, max_size=30)):
        names = draw(st.sets(st.sampled_from("abcdé"), min_size=1))
        listed = draw(st.permutations(sorted(names)))
        claims = tuple(
            Claim(one, draw(PRIORITIES), draw(TIMES), draw(st.sampled_from([None, 1, 4])))
            for one in listed
        )
        found.append(Conflict(0, draw(st.sampled_from(["gpu", "ads"])), claims, at=at))
    return found


def told(conflicts: list[Conflict], policy: Policy, seed: Any) -> list[tuple[str, ...]]:
    log = plain_log(conflicts)
    assert log is not None
    winners = quick_winners(log, policy, seed)
    assert winners is not None
    return [tuple(log.agents[one] for one in every) for every in winners]


@given(
    logs=logs(),
    c=st.sampled_from([0, 1, 2, Fraction(1, 3), Decimal("0.5")]),
    seed=st.sampled_from(["7", 2026]),
)
def test_r6_every_rule_names_the_winners_of_the_engine(
    logs: list[Conflict], c: Any, seed: Any
) -> None:
    for rule in EVERY:
        policy = Policy(rule=rule, c=c) if rule in {"losses", "hours"} else Policy(rule=rule)
        again = replay(logs, policy, seed=seed)
        assert told(logs, policy, seed) == [one.winners for one in again], rule


def test_r6_pairs_say_as_much_as_claims() -> None:
    rows = [Conflict(1, "r", (("b", 1), ("a", 1)), at=n) for n in range(40)]
    for rule in ("losses", "lottery", "second_price", "weighted_lottery", "split"):
        policy = Policy(rule=rule)
        assert told(rows, policy, "1") == [one.winners for one in replay(rows, policy, seed="1")]


PAIR = (("a", 1), ("b", 1))


@pytest.mark.parametrize(
    "claims",
    [
        (),
        (("a", 1), ("a", 2)),
        ((7, 1),),
        (("a", True),),
        (("a", 0.5),),
        (("a", "1/2"),),
        (("a", Decimal("NaN")),),
        (("a", Decimal("Infinity")),),
        ((" a", 1),),
        (Claim("a", 1, 0.5),),  # type: ignore[arg-type]
        (Claim("a", 1, 5, 0.5),),  # type: ignore[arg-type]
    ],
)
def test_g7_claims_with_a_fault_go_the_long_way(claims: tuple[Any, ...]) -> None:
    assert plain_log([Conflict(1, "r", claims)]) is None


def test_g7_what_else_is_no_plain_log() -> None:
    assert plain_log([Conflict(1, " ", PAIR)]) is None
    assert plain_log([Conflict(1, "r", PAIR, at=0.5)]) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("policy", "changed"),
    [
        (Policy(cap=3), {}),
        (Policy(units=2), {}),
        (Policy(scope="global"), {}),
        (Policy(expiry=3), {}),
        (Policy(rule="human"), {}),
        (Policy(rule="expertise"), {}),
        (Policy(rule="first_come"), {}),
        (Policy(rule="hours"), {"at": None}),
        (Policy(rule="stride"), {"claims": (("a", 0), ("b", 1))}),
        (Policy(rule="weighted_lottery"), {"claims": (("a", 0), ("b", 1))}),
        (Policy(rule="second_price"), {"claims": (("a", -1), ("b", 1))}),
    ],
)
def test_r6_what_a_rule_cannot_do_with_plain_numbers_goes_the_long_way(
    policy: Policy, changed: dict[str, Any]
) -> None:
    log = plain_log([Conflict(1, "r", PAIR, at=5)._replace(**changed)])
    assert log is not None
    assert quick_winners(log, policy, "1") is None


def test_g7_a_list_of_draws_and_a_seed_that_is_none_go_the_long_way() -> None:
    log = plain_log([Conflict(1, "r", PAIR)])
    assert log is not None
    assert quick_winners(log, Policy(), ["1/2"]) is None
    with pytest.raises(InvalidInput, match="seed"):
        quick_winners(log, Policy(), True)
