"""Issue play laws: what holds for every negotiation over several issues between strategies?

Here: nobody loses by bargaining, replays, orders that mean nothing, deals wherever there must be.
Not here: quality on real domains (tests/oracles/test_issue_strategies.py).
Sources: SEMANTICS M2, M3, G3, G4, B5, B7; defects N9 to N12.
"""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal
from comity.mechanisms.bargaining.outcomes import outcomes_of
from comity.mechanisms.bargaining.playing import Table, play_alternating
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.strategies import STRATEGIES, read_strategy
from comity.mechanisms.bargaining.turns import seat_seed

TIMED = ("boulware", "linear", "conceder", "boulware:0.5", "conceder:2")
NAMES = ("ann", "bob", "cy")


@st.composite
def problems(draw: st.DrawFn, *, parties: int = 2, all_accept: bool = False) -> dict[str, Any]:
    """Draw plain values: terms with options, worths, reservations."""
    terms = {
        f"t{at}": [f"o{one}" for one in range(draw(st.integers(1, 5)))]
        for at in range(draw(st.integers(1, 3)))
    }
    worth = st.integers(0, 12)
    limit = st.none() if all_accept else st.one_of(st.none(), st.integers(0, 20))
    return {
        "terms": terms,
        "worths": [
            {term: {one: draw(worth) for one in options} for term, options in terms.items()}
            for _ in range(parties)
        ],
        "limits": [draw(limit) for _ in range(parties)],
    }


def built(data: dict[str, Any], turned: bool = False) -> Any:
    """Build a problem; turned: terms, options and parties in the opposite order."""

    def order(items: Any) -> list[Any]:
        listed = list(items)
        return listed[::-1] if turned else listed

    domain = domain_of({term: order(data["terms"][term]) for term in order(data["terms"])})
    rows = order(zip(NAMES, data["worths"], data["limits"], strict=False))
    return problem_of(
        domain, {name: additive(domain, worth, reservation=limit) for name, worth, limit in rows}
    )


def plays(count: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sorted(STRATEGIES)), min_size=count, max_size=count)


SETTINGS = st.fixed_dictionaries(
    {
        "rounds": st.integers(0, 30),
        "protocol": st.sampled_from(["alternating", "simultaneous"]),
        "seed": st.sampled_from(["1", "2", "x"]),
        "fallback": st.sampled_from(["none", "best_of_seen"]),
    }
)


@given(problems(), plays(2), SETTINGS)
def test_b5_nobody_agrees_to_less_than_its_reservation(
    data: Any, seats: list[str], options: Any
) -> None:
    problem = built(data)
    found = negotiate_issues(problem, seats, **options)
    if isinstance(found, IssueAgreement):
        assert problem.refused_by(found.deal) == ()
        assert all(item.value >= 0 for item in found.gains)
    for one in found.offers:
        assert problem.party(one.party).accepts(dict(one.deal)), "every offer is a sincere one"
        assert one.round < options["rounds"]


@given(problems(parties=3), plays(3), SETTINGS)
def test_m2_a_deal_of_three_has_the_assent_of_all_others(
    data: Any, seats: list[str], options: Any
) -> None:
    problem = built(data)
    found = negotiate_issues(problem, seats, **options)
    if isinstance(found, IssueAgreement):
        assert problem.refused_by(found.deal) == ()
        if found.how == "accepted":
            offer = next(one for one in found.offers if one.id == found.accepted_offer)
            assert sorted((offer.party, *offer.accepted_by)) == list(NAMES)


@given(problems(), plays(2), SETTINGS)
def test_g3_g4_orders_of_declaring_mean_nothing_and_a_replay_is_the_same(
    data: Any, seats: list[str], options: Any
) -> None:
    strategies = dict(zip(NAMES, seats, strict=False))
    found = negotiate_issues(built(data), strategies, **options)
    assert negotiate_issues(built(data), strategies, **options) == found
    turned = negotiate_issues(
        built(data, turned=True), dict(reversed(strategies.items())), **options
    )
    assert turned.grounds == found.grounds
    assert turned.kind == found.kind
    told = [(one.id, sorted(one.deal), one.accepted_by) for one in found.offers]
    assert [(one.id, sorted(one.deal), one.accepted_by) for one in turned.offers] == told


@given(
    problems(),
    st.lists(st.sampled_from(TIMED), min_size=2, max_size=2),
    st.integers(1, 30),
    st.sampled_from(["1", "2", "x"]),
)
def test_fast_play_is_slow_play(data: Any, seats: list[str], rounds: int, seed: str) -> None:
    outcomes = outcomes_of(built(data))
    assume(all(len(view.order) for view in outcomes.views))
    found = negotiate_issues(outcomes, seats, rounds=rounds, seed=seed)
    order: Any = dict(found.grounds.parameters)["order"]
    named = dict(zip(NAMES, map(read_strategy, seats), strict=False))
    slow = play_alternating(
        Table(
            layout=outcomes.layout,
            players={
                n: named[n].start(outcomes.view(n), rounds, order, seat_seed(seed, n))
                for n in order
            },
            acceptable={n: len(outcomes.view(n).order) for n in order},
            rounds=rounds,
            stall=None,
            seed=seed,
        )
    )
    told = [(one.round, one.party, outcomes.layout.index(dict(one.deal))) for one in found.offers]
    assert told == list(zip(slow.rounds, slow.parties, slow.outcomes, strict=True))
    assert [one.accepted_by for one in found.offers if one.accepted_by] == [
        *slow.accepted.values()
    ]
    if isinstance(found, IssueAgreement):
        assert (found.round, slow.deal) == (slow.played - 1, len(found.offers) - 1)
    else:
        assert isinstance(found, IssueNoDeal)
        assert (found.rounds, found.rounds_without_movement) == (slow.played, slow.quiet)
        assert (found.reason, slow.deal) == (slow.reason, None)


@given(
    st.integers(2, 40),
    st.data(),
    st.lists(st.sampled_from([*TIMED, "comity", "nice_tit_for_tat"]), min_size=2, max_size=2),
    st.integers(1, 30),
)
def test_m3_n10_over_one_price_there_is_a_deal_whenever_a_zone_exists(
    size: int, data: st.DataObject, seats: list[str], rounds: int
) -> None:
    """Opposite wishes over one issue: whoever is at its reservation offers the other's best."""
    low = data.draw(st.integers(0, size - 1))
    high = data.draw(st.integers(low, size - 1))
    domain = domain_of({"price": list(range(size))})
    sells = {"price": {str(one): one for one in range(size)}}
    buys = {"price": {str(one): size - one for one in range(size)}}
    if not set(seats) <= set(TIMED):
        assume(rounds > 1)  # these open with their best deal, and a single round is all they have
    problem = problem_of(
        domain,
        {
            "ann": additive(domain, sells, reservation=low),
            "bob": additive(domain, buys, reservation=size - high),
        },
    )
    found = negotiate_issues(problem, seats, rounds=rounds)
    if set(seats) & set(TIMED):
        assert isinstance(found, IssueAgreement), found.says
        assert low <= int(found.deal["price"]) <= high


@given(
    problems(all_accept=True),
    st.lists(st.sampled_from([*TIMED, "comity", "nice_tit_for_tat"]), min_size=2, max_size=2),
    st.integers(1, 30),
    st.sampled_from(["alternating", "simultaneous"]),
)
def test_m3_parties_that_accept_any_deal_in_the_end_always_agree(
    data: Any, seats: list[str], rounds: int, protocol: Any
) -> None:
    found = negotiate_issues(built(data), seats, rounds=rounds, protocol=protocol)
    assert isinstance(found, IssueAgreement), found.says


@given(problems(), st.sampled_from(["micro", "hardliner", "tit_for_tat"]))
def test_b7_parties_that_ignore_the_clock_are_stopped(data: Any, own: str) -> None:
    found = negotiate_issues(built(data), [own, own], rounds=10**6)
    assert found.is_decided or found.reason in ("stall", "exhausted")  # type: ignore[union-attr]  # a no-deal
