"""session/chain.py, G10: what was not decided goes on to a vote, a rule, a person."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.results import NoDecision, result_from_json
from comity.core.step import Input, Step
from comity.mechanisms.bargaining import PriceParty, PriceRules, price_rules_to_json
from comity.protocols.collect.following import NO_DEAL, Following
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate, VoteLimits
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.session.chain import ChainRules, ChainState, _cancelled, read_chain
from comity.session.registry import Chained, machine_of

THREE = {"ann": {}, "bob": {}, "cyd": {}}


class Chain:
    """A chain that is driven by hand, and folded again from its record at the end."""

    def __init__(self, kind: str, rules: Any, following: Following) -> None:
        data = json.loads(canonical({**rules, "otherwise": following.to_json()}))
        self.machine = machine_of(kind)
        self.rules = self.machine.read_rules(data)
        self.last: Step[ChainState] = self.machine.start(self.rules)
        self.inputs: list[Input] = []
        self.notes = list(self.last.notes)
        self.outcome = self.last.outcome

    def do(self, happened: Input) -> Step[ChainState]:
        self.inputs.append(happened)
        self.last = self.machine.step(self.last.state, happened)
        self.notes += self.last.notes
        self.outcome = self.outcome or self.last.outcome
        return self.last

    def says(self, party: str, text: str, kind: str = "", now_ms: int = 5) -> Step[ChainState]:
        asked = next((one.id for one in self.last.asks if one.party == party), None)
        how: Any = kind or ("reply" if asked else "message")
        return self.do(
            Input(kind=how, now_ms=now_ms, party=party, ask_id=asked, body={"text": text})
        )

    def time(self, at_ms: int | None = None) -> Step[ChainState]:
        due = self.last.wake_at_ms if at_ms is None else at_ms
        return self.do(Input(kind="timer", now_ms=due or 0))

    @property
    def ended(self) -> Any:
        assert self.outcome is not None
        again = self.machine.start(self.rules)
        for happened in self.inputs:
            again = self.machine.step(again.state, happened)
        assert again.state == self.last.state
        data = json.loads(canonical(self.outcome.to_json()))
        assert result_from_json(data) == self.outcome
        return self.outcome

    @property
    def steps(self) -> list[str]:
        told: Any = dict(self.ended.grounds.parameters).get("steps", ())
        return [one["step"] for one in told]


def following(*steps: Any, **settings: Any) -> Following:
    settings.setdefault("voters", THREE if "vote" in steps else {})
    return Following(steps=steps, question="What now?", seed="1", **settings)


def price(blind: bool = True, buyer: int = 84, seller: int = 88) -> Any:
    return price_rules_to_json(
        PriceRules(
            parties=[
                PriceParty(role="seller", opening=120, reservation=seller, deadline=5),
                PriceParty(role="buyer", opening=60, reservation=buyer, deadline=5),
            ],
            blind=blind,
        )
    )


def bargain(*steps: Any, **settings: Any) -> Chain:
    return Chain("bargain", price(), following(*steps, **settings))


def vote(*steps: Any, first: Any = None, **settings: Any) -> Chain:
    rules = vote_rules(
        "Which?", ["ann", "bob"], seed="1", options=["A", "B"], **(first or {})
    ).to_json()
    return Chain("vote", rules, following(*steps, **settings))


def test_g10_a_no_deal_is_put_to_a_vote_with_its_options_and_its_reason() -> None:
    chain = bargain("vote")
    assert [(one.id, one.party) for one in chain.last.asks] == [
        ("1.a1", "ann"),
        ("1.a2", "bob"),
        ("1.a3", "cyd"),
    ]
    payload = chain.last.asks[0].payload
    assert payload["question"] == "What now?"
    assert payload["about"]["buyer's last offer"] == "84"
    assert chain.notes == ["deadline: vote takes over"]
    chain.do(Input(kind="resumed", now_ms=1_000))
    assert chain.last.wake_at_ms == 601_000
    for party in ("ann", "bob"):
        chain.says(party, "VOTE: seller's last offer")
    assert chain.ended.option == "seller's last offer"
    assert chain.steps == ["bargain"]
    first = dict(chain.ended.grounds.parameters)["steps"][0]["outcome"]
    assert (first["kind"], first["form"]) == ("no_deal", "price")


def test_what_is_decided_at_once_needs_nothing_that_follows() -> None:
    chain = Chain("bargain", price(buyer=100, seller=70), following("vote", "human"))
    assert chain.ended.kind == "agreement"
    assert chain.steps == []
    assert chain.last.state.is_ended
    after = chain.do(Input(kind="cancel", now_ms=1))
    assert [one.reason for one in after.rejected] == ["ended"]


def test_g10_each_step_that_decides_nothing_hands_on_to_the_next() -> None:
    chain = bargain(
        "vote", "resolve", "human", resolve="status_quo", voters={"ann": {}, "bob": {}}
    )
    chain.says("ann", "VOTE: seller's last offer")
    chain.says("bob", "VOTE: buyer's last offer")
    assert (chain.ended.kind, chain.ended.option) == ("choice", NO_DEAL)
    assert chain.steps == ["bargain", "vote"]
    assert chain.ended.grounds.rule == "otherwise:status_quo"
    assert chain.ended.grounds.thin == ("tie_rule_used",)
    assert dict(chain.ended.grounds.parameters)["because"] == "tie"


def test_g4_a_lot_among_the_offers_can_be_recomputed_and_leaves_out_no_deal() -> None:
    drawn = {
        Chain(
            "bargain", price(), Following(steps=("resolve",), question="q", seed=str(seed))
        ).ended.option
        for seed in range(30)
    }
    assert drawn == {"buyer's last offer", "seller's last offer"}
    tie = bargain("resolve").ended.grounds.ties[0]
    assert (tie.rule, tie.seed, tie.tied) == (
        "lot",
        "1",
        ("buyer's last offer", "seller's last offer"),
    )


def test_g10_the_chair_takes_what_it_stands_for() -> None:
    assert bargain("resolve", resolve="chair:seller").ended.option == "seller's last offer"
    voted = vote("resolve", resolve="chair:bob")
    voted.says("ann", "VOTE: A")
    voted.says("bob", "VOTE: B")
    assert voted.ended.option == "B"
    assert voted.ended.grounds.submissions[0].what == {"ballot": "A"}
    assert voted.steps == ["vote"]


def test_g10_what_resolves_nothing_is_told_and_ends_as_it_was() -> None:
    chain = bargain("resolve", resolve="chair:nobody")
    assert chain.ended.kind == "no_deal"
    assert chain.steps == ["bargain", "resolve"]
    assert chain.notes[-1] == "chair:nobody resolves nothing here"
    status = vote("resolve", resolve="status_quo")
    status.says("ann", "VOTE: A")
    status.says("bob", "VOTE: B")
    assert status.ended.reason == "tie"
    kept = vote("resolve", resolve="status_quo", first={"default_option": "A"})
    kept.says("ann", "VOTE: A")
    kept.says("bob", "VOTE: B")
    assert kept.ended.option == "A"


def consent(*steps: Any, **settings: Any) -> Chain:
    rules = consent_rules(
        "Meetings?",
        {"CC": "Focus", "CX": "Contact"},
        seed="1",
        order=["CC", "CX"],
        limits=ConsentLimits(max_turns=3),
    )
    seats: Any = {"CC": {}, "CX": {}}
    settings.setdefault("voters", seats if "vote" in steps else {})
    return Chain("consent", rules.to_json(), following(*steps, **settings))


def talk(chain: Chain, *, proposes: bool) -> None:
    chain.says("CC", "PRIORITY: Focus\nRATIONALE: x")
    late = chain.last.asks[0].id
    chain.says("CX", "PRIORITY: Contact\nRATIONALE: x")
    offer = "[PROPOSAL]\nI OFFER: two\nI WANT: weekly\nRATIONALE: fair"
    chain.says("CC", offer if proposes else "well, let us talk")
    chain.do(
        Input(kind="reply", now_ms=9, party="CX", ask_id=late, body={"text": "VOTE: no deal"})
    )


def test_g10_advocates_who_do_not_agree_vote_on_what_was_offered() -> None:
    chain = consent("vote")
    assert [one.id for one in chain.last.asks] == ["a1", "a2"]
    talk(chain, proposes=True)
    assert [one.reason for one in chain.last.rejected] == ["late"], "an answer to an earlier step"
    assert [one.id for one in chain.last.asks] == ["1.a1", "1.a2"]
    assert chain.last.wake_at_ms == 5 + 600_000
    assert chain.last.asks[0].payload["options"] == (
        "CC's last offer",
        NO_DEAL,
        "the closest draft",
    )
    assert len(chain.last.state.transcript) == 3
    for party in ("CC", "CX"):
        chain.says(party, "VOTE: the closest draft")
    assert chain.ended.option == "the closest draft"
    assert chain.steps == ["consent"]


def test_g10_a_vote_that_cannot_be_held_is_told_and_passed_over() -> None:
    chain = consent("vote", "resolve")
    talk(chain, proposes=False)
    assert chain.ended.kind == "no_deal"
    assert chain.steps == ["consent", "vote", "resolve"]
    assert "no vote can be held: options are 1" in chain.notes


def test_g8_a_thin_vote_goes_to_the_person_when_a_person_follows() -> None:
    chain = bargain("vote", "human", voters=THREE)
    for party, word in (("ann", "seller's"), ("bob", "seller's"), ("cyd", "buyer's")):
        chain.says(party, f"VOTE: {word} last offer")
    assert chain.outcome is None
    waiting = chain.last.state.waiting
    assert waiting is not None
    assert waiting.grounds.thin == ("margin_of_victory_1",)
    chain.says("human", "accept")
    assert chain.ended.option == "seller's last offer"


def test_g8_a_person_decides_between_what_is_handed_on() -> None:
    chain = bargain("human", gate=Gate(seat="boss", deadline_ms=500))
    (asked,) = chain.last.asks
    assert (asked.id, asked.party, asked.kind) == ("1.p1", "boss", "decide")
    assert "seller's last offer" in asked.payload["brief"]
    waiting = chain.last.state.waiting
    assert waiting is not None
    assert (waiting.exit_code, waiting.whom, waiting.until_ms) == (11, ("boss",), 500)
    assert "steps" in dict(waiting.grounds.parameters)
    chain.do(Input(kind="resumed", now_ms=1_000))
    assert (chain.last.wake_at_ms, chain.last.asks[0].deadline_ms) == (1_500, 1_500)
    chain.do(Input(kind="resumed", now_ms=1_400))
    assert chain.last.wake_at_ms == 1_500, "a person's time goes on"
    chain.says("boss", "DECIDE: buyer's last offer")
    assert chain.ended.option == "buyer's last offer"
    assert chain.ended.grounds.ended_by == "person"
    assert chain.ended.grounds.submissions[-1].what == {"decides": "buyer's last offer"}
    assert dict(chain.ended.grounds.parameters)["means"] == "84"
    assert chain.ended.grounds.ties[0].rule == "human"


@pytest.mark.parametrize(
    ("default", "kind", "option"),
    [("accept", "no_deal", None), (NO_DEAL, "choice", NO_DEAL), ("who knows", "no_deal", None)],
)
def test_g8_the_default_applies_when_nobody_answers(
    default: str, kind: str, option: str | None
) -> None:
    chain = bargain("human", gate=Gate(default=default, deadline_ms=500))
    chain.time(499)
    assert [one.reason for one in chain.last.rejected] == ["early"]
    chain.time()
    assert (chain.ended.kind, getattr(chain.ended, "option", None)) == (kind, option)
    assert chain.ended.grounds.ended_by == "default"
    assert chain.last.state.waiting is None


def test_g8_who_does_not_decide_is_asked_again_and_then_waited_for() -> None:
    chain = bargain("human", limits=VoteLimits(reasks=1))
    chain.says("human", "hm")
    assert [one.id for one in chain.last.asks] == ["1.p2"]
    assert "did not count" in chain.last.asks[0].payload["brief"]
    chain.says("human", "hm")
    assert chain.last.asks == ()
    assert chain.last.wake_at_ms is not None
    chain.says("human", "hm")
    assert [one.reason for one in chain.last.rejected] == ["no_decision"]
    chain.says("zoe", "accept")
    assert [one.reason for one in chain.last.rejected] == ["late"]
    chain.do(Input(kind="message", now_ms=1, party="human", body={"text": 5}))
    assert [one.reason for one in chain.last.rejected] == ["no_decision"]
    chain.do(Input(kind="message", now_ms=1, party="human", body={"decide": "accept"}))
    assert chain.ended.kind == "no_deal"
    assert chain.ended.grounds.ended_by == "person"


def test_a_person_who_is_not_there_can_still_be_waited_for() -> None:
    chain = bargain("human")
    chain.says("zoe", "accept", kind="failure")
    assert [one.reason for one in chain.last.rejected] == ["late"]
    chain.says("human", "", kind="failure")
    assert chain.last.asks == ()
    assert chain.last.state.waiting is not None
    chain.do(Input(kind="gossip", now_ms=1))  # type: ignore[arg-type]
    assert [one.reason for one in chain.last.rejected] == ["unknown_kind"]


def test_cancelling_ends_the_chain_wherever_it_stands() -> None:
    waiting = bargain("human")
    waiting.do(Input(kind="cancel", now_ms=1))
    assert waiting.ended.reason == "cancelled"
    voting = bargain("vote", "resolve")
    voting.do(Input(kind="cancel", now_ms=1))
    assert voting.ended.reason == "cancelled"
    assert voting.steps == ["bargain"]
    silent = vote("human")
    silent.time()
    assert silent.last.state.last.kind == "no_quorum"  # type: ignore[union-attr]
    silent.do(Input(kind="cancel", now_ms=1))
    assert isinstance(silent.ended, NoDecision)
    assert silent.ended.reason == "cancelled"
    tied = vote("human")
    tied.says("ann", "VOTE: A")
    tied.says("bob", "VOTE: B")
    assert _cancelled(tied.last.state.last).reason == "cancelled"  # type: ignore[union-attr, arg-type]


def test_g8_a_first_vote_keeps_its_own_person_for_thin_results_alone() -> None:
    chain = vote("resolve", first={"gate": Gate()})
    assert isinstance(chain.rules, ChainRules)
    assert chain.rules.rules.gate.on == "thin"
    off = vote("resolve", first={"gate": Gate(on="none")})
    assert off.rules.rules.gate.on == "none"


def test_an_option_called_accept_can_be_chosen_where_no_vote_waits_for_it() -> None:
    settings = {"options": ["accept", "B"], "gate": Gate(on="none")}
    rules = vote_rules("q", ["ann", "bob"], seed="1", **settings).to_json()
    chain = Chain("vote", rules, following("human"))
    chain.says("ann", "VOTE: accept")
    chain.says("bob", "VOTE: B")
    chain.says("human", "DECIDE: accept")
    assert chain.ended.option == "accept"


def test_g7_the_faults_of_both_parts_come_at_once() -> None:
    bad = {"steps": ["coin"], "question": "q", "seed": "1"}
    with pytest.raises(InvalidInput) as caught:
        read_chain(machine_of("vote"), {"otherwise": bad, "question": "q"})
    assert [one.whose for one in caught.value.faults] == ["otherwise.steps[0]", "recorded rules"]
    double = {"steps": ["vote", "vote"], "question": "q", "seed": "1"}
    with pytest.raises(InvalidInput) as caught:
        read_chain(machine_of("bargain"), {**price(), "otherwise": double})
    assert [one.whose for one in caught.value.faults] == ["otherwise"]


def test_rules_start_and_states_go_on() -> None:
    with pytest.raises(NotImplementedError):
        Chained().start()
    with pytest.raises(NotImplementedError):
        Chained().step(Input(kind="timer", now_ms=0))


def test_g8_who_took_a_decision_back_is_asked_anew_under_another_id() -> None:
    chain = bargain("human", gate=Gate(seat="boss", deadline_ms=500))
    chain.do(Input(kind="undo", now_ms=1_000, party="boss", body={"by": "zoe"}))
    (asked,) = chain.last.asks
    assert (asked.id, asked.deadline_ms) == ("1.u1.p1", 1_500)
    assert "it was taken back by zoe" in asked.payload["brief"]
    assert chain.last.notes == ("a decision was taken back",)
    chain.do(Input(kind="undo", now_ms=2_000, party="boss"))
    assert [one.id for one in chain.last.asks] == ["1.u2.p1"]
    chain.do(Input(kind="reply", now_ms=9, party="boss", ask_id="1.p1", body={"text": NO_DEAL}))
    assert [one.reason for one in chain.last.rejected] == ["late"]
    assert chain.last.wake_at_ms == 2_500
    body = {"decide": "accept", "reason": "too far apart", "by": "zoe"}
    chain.do(Input(kind="message", now_ms=9, party="boss", body=body))
    assert chain.ended.kind == "no_deal"
    told = {"decides": "accept", "reason": "too far apart", "by": "zoe"}
    assert chain.ended.grounds.submissions[-1].what == told


def test_g8_an_undo_in_an_earlier_step_is_that_steps() -> None:
    chain = bargain("vote", "human", voters=THREE)
    chain.do(Input(kind="undo", now_ms=1, party="human"))
    assert [one.reason for one in chain.last.rejected] == ["nothing_to_undo"]
    for party, word in (("ann", "seller's"), ("bob", "seller's"), ("cyd", "buyer's")):
        chain.says(party, f"VOTE: {word} last offer")
    chain.do(Input(kind="undo", now_ms=1_000, party="human"))
    assert chain.last.rejected == ()
    assert [one.id for one in chain.last.asks] == ["1.a5"]
