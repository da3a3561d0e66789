"""ledger/place.py: where a ledger file may be (ENGINE 7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.core.errors import InvalidInput, LedgerError
from comity.ledger import place
from comity.ledger.place import Footing, check_place, network_file_system, stillness

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
proc /proc proc rw 0 0
server:/x /net nfs4 rw 0 0
tmpfs /net/me/fast tmpfs rw 0 0
//server/share /mnt/my\\040share cifs rw 0 0
/dev/sdb1 /twice ext4 rw 0 0
sshfs#server: /twice fuse.sshfs rw 0 0
word
odd /var
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/comity.db", None),
        ("/net/me/comity.db", "nfs4"),
        ("/network/comity.db", None),
        ("/net/me/fast/comity.db", None),
        ("/mnt/my share/comity.db", "cifs"),
        ("/mnt/comity.db", None),
        ("/twice/comity.db", "fuse.sshfs"),
    ],
)
def test_the_innermost_and_latest_mount_says_what_a_path_is_on(
    path: str, kind: str | None
) -> None:
    assert network_file_system(Path(path), MOUNTS) == kind


def test_nothing_is_known_without_a_table_of_mounts() -> None:
    assert network_file_system(Path("/home/comity.db"), "") is None


def test_a_network_file_system_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"server:/x {tmp_path.resolve()} nfs4 rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(place, "_MOUNTS", table)
    with pytest.raises(LedgerError, match=r"network file system \(nfs4\)") as caught:
        check_place(tmp_path / "comity.db", create=True)
    assert len(caught.value.faults) == 1


def test_a_link_into_a_network_file_system_is_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / "far"
    far.mkdir()
    (tmp_path / "near").symlink_to(far)
    table = tmp_path / "mounts"
    table.write_text(f"server:/x {far.resolve()} nfs rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(place, "_MOUNTS", table)
    with pytest.raises(LedgerError, match="nfs"):
        check_place(tmp_path / "near" / "comity.db", create=True)


def test_a_system_without_a_table_of_mounts_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_MOUNTS", tmp_path / "no such table")
    check_place(tmp_path / "comity.db", create=True)


@pytest.mark.parametrize("create", [True, False])
def test_a_folder_and_a_missing_folder_are_told_apart(tmp_path: Path, create: bool) -> None:
    with pytest.raises(InvalidInput, match="is a folder"):
        check_place(tmp_path, create=create)
    with pytest.raises(InvalidInput, match="make the folder first"):
        check_place(tmp_path / "missing" / "comity.db", create=create)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="is not a folder"):
        check_place(tmp_path / "file" / "comity.db", create=create)


def test_a_missing_file_is_refused_only_when_it_may_not_be_made(tmp_path: Path) -> None:
    check_place(tmp_path / "comity.db", create=True)
    with pytest.raises(InvalidInput, match="does not exist"):
        check_place(tmp_path / "comity.db", create=False)
    (tmp_path / "comity.db").touch()
    check_place(tmp_path / "comity.db", create=False)


def test_a_path_that_cannot_be_looked_at_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be looked at: File name too long"):
        check_place(tmp_path / ("x" * 300), create=True)


# --- the open file ---------------------------------------------------------------------------


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    for part in ("", "-wal", "-shm"):
        (tmp_path / f"x.db{part}").write_bytes(b"12345")
    return tmp_path / "x.db"


@pytest.mark.parametrize("part", ["", "-wal", "-shm"])
def test_a_file_that_is_removed_or_replaced_is_noticed(opened: Path, part: str) -> None:
    footing = Footing(opened)
    assert footing.lost() == ""
    file = Path(f"{opened}{part}")
    file.rename(opened.with_name("aside"))
    assert footing.lost() == f"its file x.db{part} was removed"
    file.write_bytes(b"12345")
    assert footing.lost() == f"its file x.db{part} was replaced by another"
    opened.with_name("aside").replace(file)
    assert footing.lost() == ""


def test_a_file_may_grow_and_not_shrink(opened: Path) -> None:
    footing = Footing(opened)
    opened.write_bytes(b"1234567")
    assert footing.lost() == ""
    opened.write_bytes(b"123456")
    assert footing.lost() == "its file x.db was cut from 7 to 6 bytes"


def test_a_log_that_comes_later_is_looked_after_from_then_on(opened: Path) -> None:
    log = Path(f"{opened}-wal")
    log.unlink()
    footing = Footing(opened)
    log.touch()
    assert footing.lost() == ""
    log.unlink()
    assert footing.lost() == "its file x.db-wal was removed"


def test_stillness_tells_one_state_from_the_next(opened: Path) -> None:
    log = Path(f"{opened}-wal")
    assert stillness(opened) is None
    log.write_bytes(b"")
    found = [stillness(opened)]
    log.unlink()
    found.append(stillness(opened))
    assert stillness(opened) == found[-1]
    opened.write_bytes(b"other words")
    found.append(stillness(opened))
    assert None not in found
    assert len(set(found)) == 3


def test_a_ledger_that_is_not_there_says_how_one_is_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_place(tmp_path / "comity.db", create=False)
    assert "`comity vote`" in caught.value.faults[0].next
