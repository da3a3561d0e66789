"""Score files: multi-party games with private score tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.formats import scores
from comity.formats.scores import MOVES_PER_SEAT, game_names, read_game

GAME = {
    "issues": [["A1", "A2"], ["B1", "B2", "B3"]],
    "parties": {
        "p1": {"name": "Mayor", "threshold": 55, "scores": [[10, 20], [0, 5, 9]]},
        "p2": {"threshold": 3, "scores": [[1, 2], [3, 4, 5]]},
    },
}


def written(folder: Path, **games: object) -> Path:
    path = folder / "games.json"
    path.write_text(json.dumps(games))
    return path


def refusal(path: Path, game: str = "g") -> str:
    with pytest.raises(InvalidInput) as refused:
        read_game(path, game, seed="1")
    return str(refused.value)


def test_a_game_becomes_terms_and_one_private_table_per_seat(tmp_path: Path) -> None:
    found = read_game(written(tmp_path, g=GAME), "g", seed="1")
    assert list(found.rules["domain"]["terms"]) == ["A", "B"]
    assert list(found.rules["domain"]["terms"]["B"]) == ["B1", "B2", "B3"]
    assert found.agents == {"p1": "rational", "p2": "rational"}
    assert found.private["p1"]["reservation"] == 55
    assert found.private["p1"]["values"]["B"] == {"B1": 0, "B2": 5, "B3": 9}
    assert found.private["p1"]["unit"] == "score"
    assert found.rules["seats"]["p1"]["priority"] == "Mayor"
    assert found.rules["seats"]["p2"]["priority"] == "p2"
    assert found.rules["limits"]["max_turns"] == 2 + MOVES_PER_SEAT * 4


def test_c7_no_score_and_no_threshold_is_in_the_rules(tmp_path: Path) -> None:
    game = json.loads(json.dumps(GAME).replace("55", "987654"))
    rules = json.dumps(read_game(written(tmp_path, g=game), "g", seed="1").rules)
    assert "987654" not in rules
    assert "score" not in rules


def test_issues_whose_options_share_no_name_are_numbered(tmp_path: Path) -> None:
    game = {**GAME, "issues": [["red", "blue"], ["x", "y", "z"]]}
    found = read_game(written(tmp_path, g=game), "g", seed="1")
    assert list(found.rules["domain"]["terms"]) == ["issue 1", "issue 2"]


def test_the_games_are_listed_in_the_order_of_the_file(tmp_path: Path) -> None:
    assert game_names(written(tmp_path, z=GAME, a=GAME)) == ("z", "a")


def test_an_unknown_game_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'base'"):
        read_game(written(tmp_path, base=GAME), "bsae", seed="1")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "cannot be read"),
        ("[]", "holds no game"),
        ("{}", "holds no game"),
        ("[" * 100_000, "cannot be read"),
        ('{"g": 3}', "the file is 3"),
        ('{"g": {}}', "lacks parties"),
        ('{"g": {"issues": [], "parties": {}}}', "has no issues"),
    ],
)
def test_a_file_that_is_no_score_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "games.json").write_text(text)
    assert told in refusal(tmp_path / "games.json")


def test_a_missing_or_large_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "cannot be read" in refusal(tmp_path / "gone.json")
    path = written(tmp_path, g=GAME)
    monkeypatch.setattr(scores, "LARGEST_FILE", 5)
    assert "larger than 5 bytes" in refusal(path)


def test_g7_every_party_with_wrong_scores_is_told(tmp_path: Path) -> None:
    game = json.loads(json.dumps(GAME))
    game["parties"]["p1"]["scores"] = [[1, 2], [3]]
    game["parties"]["p2"]["scores"] = [[1, 2]]
    said = refusal(written(tmp_path, g=game))
    assert "p1" in said
    assert "p2" in said
    assert "[2, 3] per issue" in said


def test_scores_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    game = json.loads(json.dumps(GAME))
    game["parties"]["p1"]["threshold"] = "much"
    assert "parties.p1.threshold" in refusal(written(tmp_path, g=game))
    path = tmp_path / "nan.json"
    path.write_text(json.dumps({"g": GAME}).replace("55", "NaN"))
    assert "NaN is not a number that can be used" in refusal(path)


def test_the_shipped_shape_of_the_reference_games_is_read(
    need_data: Callable[[str], Path],
) -> None:
    path = need_data("deliberation/games.json")
    for game in game_names(path):
        assert read_game(path, game, seed="1").kind == "consent"
