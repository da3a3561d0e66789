"""Scorable games: do advocates with private scores find a deal that meets every threshold?

Here: every game of the score file, over many seeds; games without such a deal; privacy of scores.
Not here: how an advocate reasons (unit tests of agents/).
Sources: C5, C7, G3; issue's promise: a deal that meets every threshold in at least 95 of 100
seeds, never one that crosses a threshold, at most 30 proposals or check calls per advocate.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from comity.agents.base import Question, Reply
from comity.agents.seating import seat_agent
from comity.app import App
from comity.core.errors import InvalidInput
from comity.formats.scores import MOVES_PER_SEAT, game_names, read_game
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.protocols.consent.rules import rules_from_json
from comity.session.record import INPUT, PRIVATE

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "deliberation/games.json"
SEEDS = 100 if os.environ.get("COMITY_FULL") == "1" else 1
BARREN = 12 if os.environ.get("COMITY_FULL") == "1" else 1


def total(party: dict[str, Any], deal: tuple[int, ...]) -> int:
    return sum(row[at] for row, at in zip(party["scores"], deal, strict=True))


def meets_all(game: dict[str, Any], deal: tuple[int, ...]) -> bool:
    return all(total(one, deal) >= one["threshold"] for one in game["parties"].values())


def positions(game: dict[str, Any], outcome: ConsentAgreement) -> tuple[int, ...]:
    chosen = [option for _, option in outcome.terms]
    return tuple(row.index(name) for row, name in zip(game["issues"], chosen, strict=True))


def moves(app: App, session: str) -> Counter[str]:
    """Count each advocate's proposals and check calls, rejected ones too."""
    counted: Counter[str] = Counter()
    for entry in app.entries(session):
        text = str((entry.body.get("body") or {}).get("text", ""))
        if entry.kind == INPUT and ("I OFFER:" in text or "[CONSENT CHECK" in text):
            counted[str(entry.body["party"])] += 1
    return counted


def test_every_game_finds_a_deal_that_meets_every_threshold(
    need_data: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """C7: over the seeds, at least 95 % deals; each meets every threshold; few moves."""
    path = need_data(FILE)
    games = json.loads(path.read_text("utf-8"))
    for name in game_names(path):
        agreed = messages = most = 0
        for seed in range(SEEDS):
            with App(":memory:") as app:
                decided = app.decide(
                    read_game(path, name, seed=f"s{seed}"), {}, folder=path.parent
                )
                most = max(most, *moves(app, decided.session).values())
            messages += decided.calls
            if isinstance(decided.outcome, ConsentAgreement):
                agreed += 1
                assert meets_all(games[name], positions(games[name], decided.outcome))
            else:
                assert isinstance(decided.outcome, ConsentNoDeal)
        with capsys.disabled():
            sys.stdout.write(
                f"\n{name}: {agreed} of {SEEDS} agreed, {messages} messages, most moves {most}\n"
            )
        assert agreed >= 0.95 * SEEDS
        assert most <= MOVES_PER_SEAT


def barren(game: dict[str, Any], number: int) -> dict[str, Any]:
    """Return the game with thresholds raised until no deal meets them all."""
    changed = json.loads(json.dumps(game))
    parties = list(changed["parties"].values())
    deals = list(product(*(range(len(row)) for row in changed["issues"])))
    at = number
    while any(meets_all(changed, deal) for deal in deals):
        party = parties[at % len(parties)]
        best = sum(max(row) for row in party["scores"])
        party["threshold"] = min(best, party["threshold"] + 5)
        at += 1
    return dict(changed)


def test_games_without_a_deal_end_incomplete(
    need_data: Callable[[str], Path], tmp_path: Path
) -> None:
    """C5: no feasible deal ends INCOMPLETE, within the moves each advocate has."""
    games = json.loads(need_data(FILE).read_text("utf-8"))
    for number in range(BARREN):
        name = sorted(games)[number % len(games)]
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps({name: barren(games[name], number)}), "utf-8")
        with App(":memory:") as app:
            decided = app.decide(read_game(path, name, seed=f"s{number}"), {}, folder=tmp_path)
            assert isinstance(decided.outcome, ConsentNoDeal)
            assert decided.outcome.unblock
            assert max(moves(app, decided.session).values()) <= MOVES_PER_SEAT


def test_the_ledger_holds_a_score_table_only_in_its_own_seats_entry(
    need_data: Callable[[str], Path],
) -> None:
    """K1 and C7: public entries carry no scores; a private entry belongs to one seat."""
    path = need_data(FILE)
    name = game_names(path)[0]
    scenario = read_game(path, name, seed="s")
    with App(":memory:") as app:
        decided = app.decide(scenario, {}, folder=path.parent)
        entries = app.ledger.read(decided.session, everything=True)
    secrets = {seat: json.dumps(body["values"]) for seat, body in scenario.private.items()}
    assert len(secrets) > 1
    for entry in entries:
        told = json.dumps(entry.body)
        if entry.kind == PRIVATE:
            assert [seat for seat, table in secrets.items() if table in told] == [entry.party]
        else:
            assert entry.party is None
            assert '"values"' not in told
            assert "threshold" not in told
            assert "reservation" not in told


def test_replies_do_not_depend_on_other_seats_scores(need_data: Callable[[str], Path]) -> None:
    """C7: the same transcript and own scores give the same reply, whatever the others' scores."""
    path = need_data(FILE)
    name = game_names(path)[0]
    scenario = read_game(path, name, seed="s")
    rules = rules_from_json(scenario.rules)
    asked: list[tuple[str, Question, str]] = []

    class Listening:
        waits = False

        def __init__(self, seat: str) -> None:
            self.seat = seat
            self.inner = seat_agent(seat, "rational", scenario.private[seat], domain=rules.domain)

        def reply(self, question: Question) -> Reply:
            said = self.inner.reply(question)
            assert isinstance(said, Reply)
            asked.append((self.seat, question, said.text))
            return said

    with App(":memory:") as app:
        app.decide(scenario, {}, folder=path.parent, agents={s: Listening(s) for s in rules.ids})
    assert len(asked) > len(rules.ids)
    for seat, question, text in asked:
        # An advocate is built from its own scores alone, long after the others' are gone.
        alone = seat_agent(seat, "rational", scenario.private[seat], domain=rules.domain)
        again = alone.reply(question)
        assert isinstance(again, Reply)
        assert again.text == text
    others = json.dumps([scenario.private[seat]["values"] for seat in rules.ids])
    assert all(
        others not in json.dumps(question.ask.payload, default=list) for _, question, _ in asked
    )


def test_a_score_table_of_the_wrong_shape_is_refused_with_every_fault(tmp_path: Path) -> None:
    """G7: both faulty parties are named at once."""
    path = tmp_path / "games.json"
    game = {
        "issues": [["A1", "A2"], ["B1", "B2"]],
        "parties": {
            "x": {"scores": [[1, 2]], "threshold": 1},
            "y": {"scores": [[1, 2], [3, 4, 5]], "threshold": 1},
        },
    }
    path.write_text(json.dumps({"g": game}), "utf-8")
    with pytest.raises(InvalidInput) as caught:
        read_game(path, "g", seed="s")
    assert len(caught.value.faults) == 2
