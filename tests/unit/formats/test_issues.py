"""One way in for problems over several issues, by looking at the file (M1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.core.errors import InvalidInput
from comity.formats.genius_write import write_genius
from comity.formats.geniusweb_write import write_geniusweb
from comity.formats.issues import LoadedProblem, read_problem

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def refusal(path: Path, *profiles: Path) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_problem(path, profiles)
    return str(refused.value)


def values(loaded: LoadedProblem) -> list[object]:
    problem = loaded.problem
    return [problem.utilities(deal) for deal in problem.domain.deals()]


def test_the_shipped_genius_domain_says_what_the_shipped_scenario_says() -> None:
    own = read_problem(EXAMPLES / "rollout.toml")
    genius = read_problem(EXAMPLES / "rollout-genius")
    assert (own.form, genius.form) == ("offers", "genius")
    assert values(own) == values(genius)
    limits = [[one.preferences.reservation for one in it.problem.parties] for it in (own, genius)]
    assert limits[0] == limits[1]
    assert genius.notes == ()


def test_the_shipped_genius_domain_is_what_the_writer_writes() -> None:
    written = write_genius(read_problem(EXAMPLES / "rollout.toml").problem, "rollout")
    folder = EXAMPLES / "rollout-genius"
    assert {one.name: one.read_text("utf-8") for one in folder.iterdir()} == written


def test_every_form_is_known_by_its_file(tmp_path: Path) -> None:
    own = read_problem(EXAMPLES / "rollout.toml")
    web = tmp_path / "web"
    web.mkdir()
    for name, text in write_geniusweb(own.problem, lossy=True).items():
        (web / name).write_text(text, "utf-8")
    genius = EXAMPLES / "rollout-genius"
    assert read_problem(web).form == "geniusweb"
    assert read_problem(web / "scenario.json").form == "geniusweb"
    assert read_problem(web / "ops.json", [web / "product.json"]).form == "geniusweb"
    assert read_problem(str(genius / "rollout-domain.xml")).form == "genius"
    explicit = read_problem(
        genius / "rollout-domain.xml", [genius / "product.xml", genius / "ops.xml"]
    )
    assert explicit == read_problem(genius)


def test_what_a_scenario_says_of_the_play_is_kept() -> None:
    own = read_problem(EXAMPLES / "rollout.toml")
    assert (own.rounds, own.protocol, own.fallback, own.first) == (
        100,
        "alternating",
        "none",
        None,
    )
    assert own.strategies == {"ops": "boulware:0.2", "product": "linear"}
    assert own.question == "How do we roll out the new storage engine?"


def test_files_of_another_kind_are_told_what_is_needed(tmp_path: Path) -> None:
    assert "has the kind 'bargain'" in refusal(EXAMPLES / "price.toml")
    (tmp_path / "a.toml").write_text("x = 1")
    assert 'write kind = "offers"' in refusal(tmp_path / "a.toml")
    (tmp_path / "b.json").write_text("[1]")
    assert "is no problem over several issues" in refusal(tmp_path / "b.json")
    (tmp_path / "c.toml").write_text('kind = "offer"')
    assert "did you mean 'offers'" in refusal(tmp_path / "c.toml")
    (tmp_path / "d.toml").write_text('kind = "offers"')
    assert "lacks issues" in refusal(tmp_path / "d.toml")
    assert "cannot be read" in refusal(tmp_path / "gone.xml")
    assert "takes no profiles" in refusal(EXAMPLES / "rollout.toml", tmp_path / "x.xml")


def test_folders_are_told_what_they_lack(tmp_path: Path) -> None:
    assert "holds no Genius domain" in refusal(tmp_path)
    (tmp_path / "a.json").write_text("{}")
    assert "holds no GeniusWeb files" in refusal(tmp_path)


@pytest.mark.parametrize("name", ["a.json", "a.xml"])
def test_a_folder_that_cannot_be_looked_into_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).write_text("{}")

    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert "cannot be read: Permission denied" in refusal(tmp_path)
    assert "cannot be read" in refusal(tmp_path / "gone.json")
