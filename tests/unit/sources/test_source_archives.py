from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_reviewbench.corpus.sources.archives import Bounds, extract
from pytest_reviewbench.errors import SourceError

Entry = tarfile.TarInfo | tuple[str, bytes]


def tgz(path: Path, *entries: Entry, pad: bytes = b"x") -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for entry in entries:
            if isinstance(entry, tuple):
                info = tarfile.TarInfo(entry[0])
                info.size = len(entry[1])
                archive.addfile(info, io.BytesIO(entry[1]))
            else:
                archive.addfile(entry, io.BytesIO(pad * entry.size))
    return path


def whl(path: Path, *entries: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in entries:
            archive.writestr(info, data)
    return path


def special(kind: bytes, name: str = "package/x") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = "/etc/passwd"
    return info


def refusal(artefact: Path, tmp_path: Path, bounds: Bounds | None = None) -> str:
    with pytest.raises(SourceError) as caught:
        extract(artefact, artefact.name, tmp_path / "out", bounds)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_files_come_out_with_their_bytes_and_their_exec_bit_and_no_other_mode_bits(tmp_path: Path) -> None:
    tool = tarfile.TarInfo("package/bin/tool")
    tool.mode, tool.size = 0o6755, 3
    extract(tgz(tmp_path / "a.tgz", ("package/a.js", b"1\r\n"), tool), "a.tgz", tmp_path / "t")
    run = zipfile.ZipInfo("bin/run")
    run.external_attr, run.create_system = (stat.S_IFREG | 0o775) << 16, 3
    extract(whl(tmp_path / "a.whl", (run, b"run"), ("m.py", b"")), "a.whl", tmp_path / "z")
    assert (tmp_path / "t/package/a.js").read_bytes() == b"1\r\n"
    modes = {
        name: (tmp_path / name).stat().st_mode & 0o7777 for name in ("t/package/bin/tool", "z/bin/run", "z/m.py")
    }
    assert modes == {"t/package/bin/tool": 0o755, "z/bin/run": 0o755, "z/m.py": 0o644}


@pytest.mark.parametrize(
    "name",
    [
        "../evil", "package/../../evil", "/etc/evil", "package\\evil", "C:/evil", "C:evil", "package/a\nb",
        "package/\x1b[0m", "x" * 1001, "package/" + "x" * 300,
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [tgz, whl])
def test_a_name_that_leads_elsewhere_or_cannot_be_shown_is_refused(
    name: str, make: Callable[..., Path], tmp_path: Path
) -> None:
    suffix = "tgz" if make is tgz else "whl"
    artefact = make(tmp_path / f"bad.{suffix}", ("package/a", b"1"), (name, b"2"))
    said = refusal(artefact, tmp_path)
    assert f"bad.{suffix}" in said
    assert not (tmp_path / "evil").exists()
    assert not Path("/etc/evil").exists()


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
)  # fmt: skip
def test_links_and_devices_of_a_tarball_are_refused_by_name(kind: bytes, tmp_path: Path) -> None:
    said = refusal(tgz(tmp_path / "bad.tgz", ("package/a", b"1"), special(kind)), tmp_path)
    assert "member 'package/x'" in said
    assert "link" in said


def test_a_name_that_hides_its_end_behind_a_nul_is_refused(tmp_path: Path) -> None:
    artefact = whl(tmp_path / "bad.whl", ("package/?", b"2"))
    artefact.write_bytes(artefact.read_bytes().replace(b"package/?", b"package/\x00"))
    assert "unprintable" in refusal(artefact, tmp_path)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_of_a_wheel_are_refused_by_name(kind: int, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("package/x")
    link.external_attr, link.create_system = (kind | 0o777) << 16, 3
    assert "member 'package/x' is a link" in refusal(whl(tmp_path / "bad.whl", (link, b"/etc/passwd")), tmp_path)


def test_a_file_below_a_link_never_reaches_the_target_of_the_link(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    link = special(tarfile.SYMTYPE, "package/dir")
    link.linkname = str(tmp_path / "target")
    refusal(tgz(tmp_path / "bad.tgz", link, ("package/dir/evil", b"1")), tmp_path)
    assert not list((tmp_path / "target").iterdir())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("p/a", "p/a"),
        ("p/a", "p/A"),
        ("p/a", "./p//a"),
        ("p/a", "p/a/b"),
        ("p/a/b", "p/a"),
        ("p/\u00e9", "p/e\u0301"),
    ],
)
@pytest.mark.parametrize("make", [tgz, whl])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_for_one_place_are_refused(
    first: str, second: str, make: Callable[..., Path], tmp_path: Path
) -> None:
    artefact = make(tmp_path / ("bad.tgz" if make is tgz else "bad.whl"), (first, b"1"), (second, b"2"))
    said = refusal(artefact, tmp_path)
    assert "twice" in said or "a file and a folder" in said


def test_the_same_file_twice_is_harmless(tmp_path: Path) -> None:
    extract(tgz(tmp_path / "a.tgz", ("p/./a", b"1"), ("p/a", b"1")), "a.tgz", tmp_path / "out")
    assert (tmp_path / "out/p/a").read_bytes() == b"1"


def test_the_same_file_twice_with_a_longer_end_is_refused(tmp_path: Path) -> None:
    assert "different content" in refusal(tgz(tmp_path / "a.tgz", ("p/a", b"12"), ("p/a", b"1")), tmp_path)


@pytest.mark.parametrize("suffix", ["tgz", "whl"])
def test_a_bomb_is_stopped_while_it_is_read(suffix: str, tmp_path: Path) -> None:
    zeros = bytes(8 << 20)
    bounds = Bounds(single=1 << 20)
    artefact = tmp_path / f"bomb.{suffix}"
    tgz(artefact, ("p/bomb", zeros)) if suffix == "tgz" else whl(artefact, ("p/bomb", zeros))
    assert "member 'p/bomb' is larger" in refusal(artefact, tmp_path, bounds)
    assert sum(f.stat().st_size for f in (tmp_path / "out").rglob("*") if f.is_file()) <= 1 << 20


@pytest.mark.parametrize("suffix", ["tgz", "whl"])
def test_many_files_together_cannot_go_beyond_the_total(suffix: str, tmp_path: Path) -> None:
    files = [(f"p/{n}", bytes(1 << 20)) for n in range(8)]
    artefact = tmp_path / f"bomb.{suffix}"
    tgz(artefact, *files) if suffix == "tgz" else whl(artefact, *files)
    assert "beyond" in refusal(artefact, tmp_path, Bounds(total=3 << 20))


def test_a_header_that_claims_gigabytes_is_not_even_read(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 10 << 30
    with tarfile.open(tmp_path / "bomb.tgz", "w:gz") as archive:
        assert archive.fileobj is not None
        archive.fileobj.write(header.tobuf() + bytes(1 << 20))
    assert "bomb.tgz" in refusal(tmp_path / "bomb.tgz", tmp_path)


def test_thirty_thousand_members_are_too_many(tmp_path: Path) -> None:
    folder = tarfile.TarInfo("p/")
    folder.type = tarfile.DIRTYPE
    with tarfile.open(tmp_path / "many.tgz", "w:gz", compresslevel=1) as archive:
        assert archive.fileobj is not None
        archive.fileobj.write(folder.tobuf() * 30_000)
    assert "more than 20,000 members" in refusal(tmp_path / "many.tgz", tmp_path)


def test_a_wheel_may_not_hold_more_members_either(tmp_path: Path) -> None:
    artefact = whl(tmp_path / "many.whl", *((f"p/{n}/", b"") for n in range(12)))
    assert "more than 10 members" in refusal(artefact, tmp_path, Bounds(members=10))


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.tgz", b""), ("a.tgz", b"not gzip"), ("a.whl", b"not zip"), ("a.tar.bz2", b"x"), ("a.whl", b"PK\x05\x06")],
)
def test_what_is_no_archive_is_one_clear_line(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert refusal(tmp_path / name, tmp_path).startswith(f"{name}: ")


@pytest.mark.parametrize("suffix", ["tgz", "whl"])
def test_a_truncated_archive_is_one_clear_line(suffix: str, tmp_path: Path) -> None:
    artefact = tmp_path / f"cut.{suffix}"
    data = bytes(range(256)) * 4000
    tgz(artefact, ("p/a", data)) if suffix == "tgz" else whl(artefact, ("p/a", data))
    artefact.write_bytes(artefact.read_bytes()[:-60])
    refusal(artefact, tmp_path)
