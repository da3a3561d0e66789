"""app.py with live auctions: run, read, replay; what the record holds and when (A2, C3, K2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from comity.app import App
from comity.core.canonical import canonical
from comity.formats.scenario import read_scenario, scenario_from
from comity.session.record import INPUT, PRIVATE

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_k2_the_shipped_auction_ends_as_it_says_and_replays_the_same(tmp_path: Path) -> None:
    scenario = read_scenario(EXAMPLES / "bidding.toml", seed="1")
    with App(str(tmp_path / "a.db")) as app:
        done = app.decide(scenario, {}, folder=tmp_path)
        sale: Any = done.outcome
        assert (sale.winner, sale.price, sale.surplus) == ("c", 42, 9)
        assert app.replay(done.session).same
        assert app.resume(done.session, folder=tmp_path).outcome == sale


def test_a2_until_all_hashes_are_in_the_record_holds_no_bid(tmp_path: Path) -> None:
    scenario = read_scenario(EXAMPLES / "bidding.toml", seed="1")
    with App(str(tmp_path / "a.db")) as app:
        done = app.decide(scenario, {}, folder=tmp_path)
        said: list[Any] = [one.body for one in app.entries(done.session) if one.kind == INPUT]
        public = canonical([one.body for one in app.entries(done.session)])
    words = [one["body"]["text"] for one in said if one["kind"] == "reply"]
    assert [one.split()[0] for one in words[:4]] == ["COMMIT:"] * 4
    assert ["reveal" in one for one in words[4:]] == [True] * 4
    for private in scenario.private.values():
        assert str(private["secret"]) not in public


def test_a_bidders_value_stands_in_its_private_entry_alone(tmp_path: Path) -> None:
    own = {"ann": {"value": 424242}, "bob": {"value": 3}}
    data = {"kind": "bidding", "item": "a slot", "reserve": 0, "bidders": own, "mode": "english",
            "end": 9, "step": 3}  # fmt: skip
    scenario = scenario_from(data, whose="x", folder=tmp_path, seed="1")
    with App(str(tmp_path / "a.db")) as app:
        done = app.decide(scenario, {}, folder=tmp_path)
        everything = app.ledger.read(done.session, everything=True)
        assert getattr(done.outcome, "winner", None) == "ann"
    holding = [one for one in everything if "424242" in canonical(one.body)]
    assert [(one.kind, one.party) for one in holding] == [(PRIVATE, "ann")]
