"""A zip of a class: its files are read one by one, and what is wrong with one costs its student alone."""

import gc
import os
import stat
import struct
import tracemalloc
import zipfile

import pytest
from classes import WORK, pack, refused, works

from grader.errors import Refused
from grader.submissions import archive, tree
from grader.submissions.find import find_works


@pytest.fixture
def path(tmp_path):
    """The path of the zip."""
    return tmp_path / "export.zip"


# --- A plain zip


@pytest.mark.parametrize("top", ["", "day2 class/"])
def test_a_zip_of_folders_and_files(assignment, path, top, snapshot):
    """With a folder of its own around them, or without."""
    files = {"ada/next.ipynb": WORK, "bob.py": WORK, "eve/": "", "grace/assignments/next/next.ipynb": WORK}
    pack(path, {top + name: text for name, text in files.items()} | {"__MACOSX/x": "", f"{top}.DS_Store": ""})

    found = works(assignment, path)

    assert list(found) == ["ada", "bob", "eve", "grace"]
    assert found["eve"].trouble == snapshot


@pytest.mark.parametrize(
    "files",
    [
        {"ada/next.ipynb": WORK, "ada/x/y": "", "ada/z/y": ""},
        {"ada/assignments/next/next.ipynb": WORK, "ada/docs/x.md": ""},
        {"ada/homework.ipynb": WORK},
    ],
)
def test_a_zip_of_one_student(assignment, path, files):
    """The folder is theirs."""
    assert works(assignment, pack(path, files))["ada"].data == WORK.encode()


def test_bytes_are_read_when_it_is_their_turn(assignment, path, tmp_path):
    """The files are read later, and none is written beside the archive."""
    pack(path, {f"s{n}/next.py": f"n = {n}\n" for n in range(50)})
    found = find_works(assignment, path)
    before = sorted(tmp_path.iterdir())

    assert [one.read().data for one in reversed(found[:3])] == [b"n = 10\n", b"n = 1\n", b"n = 0\n"]
    assert sorted(tmp_path.iterdir()) == before


def test_an_archive_closes_by_itself(assignment, path):
    """Without a warning, when nobody needs it any more."""
    found = find_works(assignment, pack(path, {"ada.py": WORK}))
    assert found[0].read().data == WORK.encode()

    del found
    gc.collect()


def test_names_of_a_mac_without_the_mark_of_utf_8(assignment, path):
    """They are in UTF-8 anyway."""
    packed = bytearray(pack(path, {"émile/next.py": WORK}).read_bytes())
    for head, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # of the entry and of the directory
        place = packed.index(head) + flags
        assert packed[place : place + 2] == b"\x00\x08"
        packed[place + 1] = 0
    path.write_bytes(packed)

    assert list(works(assignment, path)) == ["émile"]


# --- Entries that are nobody's file


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    """An entry as Unix writes it."""
    info = zipfile.ZipInfo("placeholder")
    info.filename = name  # the constructor would make it harmless
    info.create_system, info.external_attr = 3, mode << 16
    return info


def pack_infos(path, *infos, text=WORK):
    """A zip of these entries and of one honest student's work."""
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("ada/next.py", WORK)
        for info in infos:
            packed.writestr(info, text)
    return path


@pytest.mark.parametrize("name", ["../x.py", "bob/../../x.py", "..\\..\\x.py"])
def test_names_that_lead_out_are_nobodys_work(assignment, path, tmp_path, name):
    """They are never unpacked, so they lead nowhere; the class is graded."""
    found = works(assignment, pack_infos(path, entry(name), text="x = 'out'\n"))

    assert found["ada"].data == WORK.encode()
    assert all(work.data is None for student, work in found.items() if student != "ada")
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".py"] == []


@pytest.mark.parametrize("name", ["bob\\next.py", "/bob/next.py", "./bob//next.py"])
def test_names_as_other_programs_write_them(assignment, path, name):
    """A backslash between folders, a slash before them."""
    found = works(assignment, pack_infos(path, entry(name)))

    assert found["bob"].data == WORK.encode()


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (stat.S_IFLNK | 0o777, "next.py: it is a symbolic link; put the file itself there"),
        (stat.S_IFIFO | 0o644, "next.py: it is not a file; put the notebook itself there"),
        (stat.S_IFCHR | 0o644, "next.py: it is not a file; put the notebook itself there"),
    ],
)
def test_links_and_devices_are_their_students_trouble(assignment, path, mode, why):
    """By the mode that Unix keeps; the others are graded."""
    found = works(assignment, pack_infos(path, entry("bob/next.py", mode), text="/etc/passwd"))

    assert (found["bob"].data, found["bob"].trouble) == (None, why)
    assert found["ada"].data == WORK.encode()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice(assignment, path):
    """The later entry counts, as for every program that unpacks; a folder may be named twice."""
    pack_infos(path, entry("bob/next.py"), text="x = 'first'\n")
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("bob/next.py", WORK)
        for _ in range(2):
            packed.writestr(entry("eve/", stat.S_IFDIR | 0o755), "")

    found = works(assignment, path)

    assert found["bob"].data == WORK.encode()
    assert list(found) == ["ada", "bob", "eve"]


def test_names_that_differ_in_case_alone(assignment, path, snapshot):
    """Two files of one student are distinguished; two students of one name are not."""
    found = works(assignment, pack_infos(path, entry("bob/next.py"), entry("bob/NEXT.py")))
    assert found["bob"].data == WORK.encode()

    told = refused(assignment, pack_infos(path, entry("bob/next.py"), entry("Bob/next.py")))
    assert told == snapshot


def flagged(path, flag):
    """The archive with a flag set for its last entry, in both places."""
    packed = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        packed[packed.rfind(signature) + offset] |= flag
    path.write_bytes(packed)
    return path


@pytest.mark.parametrize("flag", [0x1, 0x40])
def test_an_encrypted_file_is_its_students_trouble(assignment, path, flag, snapshot):
    """No password is asked for."""
    found = works(assignment, flagged(pack_infos(path, entry("bob/next.py")), flag))

    assert found["bob"].trouble == snapshot
    assert found["ada"].data == WORK.encode()


@pytest.mark.parametrize("level", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_uncommon_ways_of_packing(assignment, path, level, snapshot):
    """They unpack to any size at once."""
    found = works(assignment, pack(path, {"ada.py": WORK * 100}, level=level))

    assert found["ada"].trouble == snapshot


# --- Archives that would cost the grader


def test_too_many_entries(assignment, path, monkeypatch, snapshot):
    """They are counted before anything else is done."""
    monkeypatch.setattr(archive, "MOST_ENTRIES", 20)

    told = refused(assignment, pack(path, {f"s{n}.py": "" for n in range(21)}))

    assert told == snapshot


def test_a_list_at_the_end_that_is_too_long(assignment, path, monkeypatch, snapshot):
    """It is not even read."""
    monkeypatch.setattr(archive, "MOST_DIRECTORY", 1000)
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *_: pytest.fail("it was read"))

    path.write_bytes(b"PK\3\4" + b"x" * 100 + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 5000, 10, 0))

    assert refused(assignment, path) == snapshot


@pytest.mark.parametrize("comment", [b"", b"a comment"])
def test_the_list_is_measured_as_zipfile_does(path, comment):
    """With a comment at the end, and without."""
    pack(path, {f"s{n}.py": "" for n in range(5)})
    with zipfile.ZipFile(path, "a") as packed:
        packed.comment = comment
        start = packed.start_dir

    with path.open("rb") as file:
        assert archive._directory(file) == (start, path.stat().st_size - start - 22 - len(comment))


def test_the_list_of_a_large_archive(path):
    """In the form for more than 65,535 entries, which says so in another place."""
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, 123_456_789_012, 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, 0, 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\3\4" + end64 + locator + end)

    with path.open("rb") as file:
        assert archive._directory(file)[1] == 123_456_789_012


def test_a_bomb_is_its_students_trouble(assignment, path, monkeypatch):
    """A little that becomes a lot is not unpacked; the others are graded."""
    monkeypatch.setattr(archive, "MAX_FILE", 1 << 20)
    pack(path, {"ada.py": WORK, "bob/next.ipynb": b"0" * (3 << 20), "eve/next.py": WORK})

    found = works(assignment, path)

    assert found["bob"].trouble == f"next.ipynb: {'; '.join(tree.TOO_LARGE)}"
    assert (found["ada"].data, found["eve"].data) == (WORK.encode(), WORK.encode())


@pytest.mark.parametrize("name", ["a/" * 32_700 + "next.py", *("a/" * n + "x.py" for n in range(14, 20))])
def test_folders_deeper_than_anybody_looks(assignment, path, name, snapshot):
    """Of a name only what may be looked at is kept: 32,700 folders took a minute and 1.1 GB."""
    pack(path, {"ada.py": WORK, f"bob/{name}": WORK, "eve/next.py": WORK, f"eve/{name}": ""})

    tracemalloc.start()
    found = works(assignment, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 10 << 20
    assert (found["ada"].data, found["eve"].data) == (WORK.encode(), WORK.encode())
    assert found["bob"].trouble == snapshot


def test_a_thousand_deep_names(assignment, path):
    """Each with folders of its own, as many as its bytes can name."""
    pack(path, {"ada.py": WORK} | {f"bob/{n}/" + "a/" * 300 + "x": "" for n in range(1_000)})

    tracemalloc.start()
    found = works(assignment, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 30 << 20
    assert found["ada"].data == WORK.encode()
    assert found["bob"].trouble


def test_a_name_that_no_disk_takes(assignment, path):
    """It is the trouble of whoever has it."""
    pack(
        path,
        {
            "ada.py": WORK,
            f"kim/{'x' * 300}/next.py": WORK,
            "bob/next.py": WORK,
            f"bob/{'x' * 256}": "",
            f"eve/{'é' * 127}": "",
            "eve/next.py": "",
        },
    )

    found = works(assignment, path)

    assert found["ada"].data == WORK.encode()
    assert (found["bob"].trouble, found["kim"].trouble) == ("; ".join(tree.TOO_LONG),) * 2
    assert found["eve"].data == b""
    assert refused(assignment, pack(path, {"ada.py": WORK, "x" * 60_000 + ".py": WORK})) == "; ".join(
        tree.TOO_LONG
    )


def test_one_file_that_is_too_large_is_its_students_trouble(assignment, path, monkeypatch):
    """The class is graded."""
    monkeypatch.setattr(archive, "MAX_FILE", 1 << 20)
    pack(path, {"ada.py": WORK, "bob/next.ipynb": os.urandom((1 << 20) + 1)})

    found = works(assignment, path)

    assert found["ada"].data == WORK.encode()
    assert found["bob"].trouble == f"next.ipynb: {'; '.join(tree.TOO_LARGE)}"


@pytest.mark.parametrize("offset", [0, 1 << 30])
def test_an_entry_that_is_not_where_the_list_says(assignment, path, offset, snapshot):
    """The list at the end and the entry tell different things: the student's trouble."""
    second_entry_at(offset, pack(path, {"ada.py": WORK, "bob.py": WORK}, level=0))

    found = works(assignment, path)

    assert found["ada"].data == WORK.encode()
    assert found["bob"].trouble == snapshot


def test_an_entry_that_would_lie_in_another_one(assignment, path, snapshot):
    """Newer Pythons read neither: then both are told."""
    second_entry_at(5, pack(path, {"ada.py": WORK, "bob.py": WORK}, level=0))

    found = works(assignment, path)

    assert found["bob"].trouble == snapshot
    if "_end_offset" in zipfile.ZipInfo.__slots__:  # it looks where an entry ends
        assert found["ada"].trouble == found["bob"].trouble.replace("bob", "ada")
    else:
        assert found["ada"].data == WORK.encode()


def second_entry_at(offset, path):
    """Write another place of the second entry into the list at the end of an archive."""
    packed = bytearray(path.read_bytes())
    at = packed.rfind(b"PK\1\2") + 42
    packed[at : at + 4] = offset.to_bytes(4, "little")
    path.write_bytes(packed)


# --- Damage


def test_a_damaged_entry_is_its_students_trouble(assignment, path, snapshot):
    """The others are graded."""
    packed = pack(path, {"ada.py": WORK, "bob/next.py": "x = 'HERE'"}, level=0).read_bytes()
    path.write_bytes(packed.replace(b"HERE", b"THEN"))

    found = works(assignment, path)

    assert found["ada"].data == WORK.encode()
    assert found["bob"].trouble == snapshot


@pytest.mark.parametrize("size", [1, 10_000, 60 << 20])
def test_a_declared_size_that_lies(assignment, path, size, snapshot):
    """No more is read than is declared, and what is not that long is damaged."""
    packed = bytearray(pack(path, {"ada.py": WORK, "bob.py": WORK * 9}).read_bytes())
    at = packed.rfind(b"PK\1\2") + 24
    packed[at : at + 4] = size.to_bytes(4, "little")
    path.write_bytes(packed)

    assert works(assignment, path)["bob"].trouble == snapshot


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9, 0.99])
def test_half_a_download(assignment, path, kept, snapshot):
    """It is reported, not read as a smaller class."""
    packed = pack(path, {f"s{n}.py": os.urandom(100) for n in range(50)}).read_bytes()
    path.write_bytes(packed[: int(len(packed) * kept)])

    assert refused(assignment, path) == snapshot


@pytest.mark.ci
def test_any_damage_is_told_in_words(assignment, path):
    """A byte anywhere that is not what it was: a refusal or a student's trouble, or it does not matter."""
    good = pack(path, {"ada/next.py": WORK, "bob.py": WORK, "eve/": ""}).read_bytes()
    for at in range(len(good)):
        for value in (0xFF, good[at] ^ 0x01):
            path.write_bytes(good[:at] + bytes([value]) + good[at + 1 :])
            try:
                found = works(assignment, path)
            except Refused as error:
                assert str(error).startswith(f"{path}: ")  # noqa: PT017  most damage is no error
            else:
                assert all(work.data is not None or work.trouble for work in found.values())


def test_an_archive_that_is_gone_when_it_is_read(assignment, path):
    """It is not the student's fault."""
    (one,) = find_works(assignment, pack(path, {"ada.py": os.urandom(100_000)}))
    path.write_bytes(b"")

    with pytest.raises(Refused, match="the archive changed while it was read; try again"):
        one.read()


def test_an_empty_archive(assignment, path, snapshot):
    """No student handed in."""
    assert refused(assignment, pack(path, {})) == snapshot
