# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel of the extension with physics, on made-up wheels whose libraries hold nothing but their needs."""

from __future__ import annotations

import base64
import csv
import hashlib
import struct
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import build_extension  # noqa: E402
from physics_wheel import licences  # noqa: E402
from physics_wheel.check import CheckError, check  # noqa: E402
from physics_wheel.download import WheelUnavailableError, download, requirement  # noqa: E402
from physics_wheel.elf import NotElfError, needed_libraries  # noqa: E402
from physics_wheel.trim import PhysicsWheel, TrimError, needed_files, trim  # noqa: E402

BASE = 0x1000
"""The address in memory of the first byte of the made-up libraries, so that addresses are no offsets."""


def library(*needed: str, bits: int = 64, order: str = "<", marker: bytes = b"") -> bytes:
    """An ELF file with one loaded segment, and a dynamic one with NEEDED entries."""
    is_64_bit = bits == 64
    header, segment, entry = (64, 56, 16) if is_64_bit else (52, 32, 8)
    strings, offsets = b"\0", []
    for name in needed:
        offsets.append(len(strings))
        strings += name.encode() + b"\0"
    dynamic = header + 2 * segment
    entries = [(1, offset) for offset in offsets]
    table = dynamic + (len(entries) + 2) * entry
    entries += [(5, BASE + table), (0, 0)]
    size = table + len(strings) + len(marker)

    word = "Q" if is_64_bit else "I"
    identity = b"\x7fELF" + bytes([2 if is_64_bit else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    rest = struct.pack(f"{order}HHI{word}{word}{word}IHHHHHH", 3, 62, 1, 0, header, 0, 0, header, segment, 2, 0, 0, 0)
    segments = b""
    for kind, offset, length in ((1, 0, size), (2, dynamic, (len(entries)) * entry)):
        values = (offset, BASE + offset, BASE + offset, length, length)
        if is_64_bit:
            segments += struct.pack(f"{order}IIQQQQQQ", kind, 4, *values, 8)
        else:
            segments += struct.pack(f"{order}IIIIIIII", kind, *values, 4, 4)
    pairs = b"".join(struct.pack(order + ("qQ" if is_64_bit else "iI"), *pair) for pair in entries)
    return identity + rest + segments + pairs + strings + marker


# --- needed libraries ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("order", ["<", ">"])
def test_needed_libraries_are_read(bits: int, order: str) -> None:
    assert needed_libraries(library("libone.so.1", "libc.so.6", bits=bits, order=order)) == ["libone.so.1", "libc.so.6"]
    assert needed_libraries(library(bits=bits, order=order)) == []


def test_needed_libraries_of_a_real_one_are_read() -> None:
    """Of a module of Python itself, which the program readelf reads too where it is there."""
    folder = Path(sysconfig.get_path("stdlib")) / "lib-dynload"
    modules = sorted(folder.glob("_ctypes.*so")) if sys.platform == "linux" else []
    if not modules:
        pytest.skip("this Python has no module _ctypes that is an ELF file")
    needed = needed_libraries(modules[0].read_bytes())
    assert any(name.startswith("libc.") for name in needed)
    try:
        run = subprocess.run(["readelf", "--dynamic", str(modules[0])], capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        return
    lines = [line for line in run.stdout.splitlines() if "(NEEDED)" in line]
    assert needed == [line.rpartition("[")[2].rstrip("]") for line in lines]


@pytest.mark.parametrize("data", [b"", b"MZ\x90\0", library("libone.so")[:100], library("libone.so")[:-2]])
def test_what_is_no_whole_elf_file_is_refused(data: bytes) -> None:
    with pytest.raises(NotElfError):
        needed_libraries(data)


def test_needs_are_followed_through_others_and_not_beyond_the_files() -> None:
    files = {
        "p/root.so": library("libone.so", "libc.so.6"),
        "p/libone.so": library("libtwo.so"),
        "p/libtwo.so": library("libone.so"),  # in a circle
        "p/libother.so": library("libtwo.so"),
        "q/libc.so.6": library(),
    }
    found = needed_files(["p/root.so"], files, files.__getitem__)
    assert found == {path: files[path] for path in ("p/root.so", "p/libone.so", "p/libtwo.so")}


# --- the trimmed wheel --------------------------------------------------------------------------------------------

METADATA = "Metadata-Version: 2.1\nName: casadi\nVersion: 9.1.2\nRequires-Dist: numpy\n\nVersion: 9.1.2\n"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-abi3-manylinux_2_28_x86_64\n"


def full_wheel(folder: Path, **changes: bytes | None) -> Path:
    """A made-up wheel as CasADi's are; `changes` are other bytes for a file of its package, or None to leave it out."""
    package: dict[str, bytes | None] = {
        "__init__.py": b"from casadi.casadi import *\n",
        "casadi.py": b"from . import _casadi\n",
        "casadi.pyi": b"",
        "tools/__init__.py": b"",
        "_casadi.so": library("libcasadi.so.9", "libc.so.6"),
        "libcasadi.so": library(),
        "libcasadi.so.9": library("libc.so.6"),
        "libcasadi_nlpsol_ipopt.so": library("libcasadi.so.9", "libipopt.so.3"),
        "libcasadi_nlpsol_ipopt.so.9": library("libcasadi.so.9", "libipopt.so.3"),
        "libcasadi_nlpsol_other.so": library("libcasadi.so.9", "libother.so"),
        "libipopt.so": library("libcoinmetis.so.2"),
        "libipopt.so.3": library("libcoinmetis.so.2"),
        "libcoinmetis.so.2": library("libc.so.6"),
        "libother.so": library(),
        "include/casadi/casadi.hpp": b"",
    }
    wanted = ("casadi/LICENSE/LICENSE.txt", "ipopt-external/LICENSE", "metis-external/metis-4.0/LICENSE")
    for text in (*wanted, "metis-external/LICENSE", "other-external/LICENSE"):
        package[f"include/licenses/{text}"] = f"text of {text}".encode()
    path = folder / "casadi-9.1.2-cp311-abi3-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (package | changes).items():
            if data is not None:
                archive.writestr(f"casadi/{name}", data)
        for name, text in (("METADATA", METADATA), ("WHEEL", WHEEL), ("RECORD", "")):
            archive.writestr(f"casadi-9.1.2.dist-info/{name}", text)
    return path


def trimmed(folder: Path, **changes: bytes | None) -> PhysicsWheel:
    (folder / "trimmed").mkdir()
    return trim(full_wheel(folder, **changes), folder / "trimmed")


def test_a_trimmed_wheel_holds_what_ipopt_needs_and_nothing_else(tmp_path: Path) -> None:
    wheel = trimmed(tmp_path)
    assert wheel.is_trimmed
    assert wheel.path.name == "casadi-9.1.2+ipopt-cp311-abi3-manylinux_2_28_x86_64.whl"
    info = "casadi-9.1.2+ipopt.dist-info/"
    with zipfile.ZipFile(wheel.path) as opened:
        content = {name.removeprefix("casadi/") for name in opened.namelist() if not name.startswith(info)}
        assert opened.read(f"{info}METADATA").decode() == METADATA.replace("9.1.2", "9.1.2+ipopt", 1)
        assert opened.read(f"{info}WHEEL").decode() == WHEEL
    libraries = {"libcasadi_nlpsol_ipopt.so", "libipopt.so.3", "libcoinmetis.so.2", "libcasadi.so.9", "_casadi.so"}
    assert content == {"__init__.py", "casadi.py"} | libraries


def test_its_record_has_size_and_digest_of_each_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(trimmed(tmp_path).path) as opened:
        record = "casadi-9.1.2+ipopt.dist-info/RECORD"
        rows = {row[0]: row[1:] for row in csv.reader(opened.read(record).decode().splitlines())}
        assert sorted(rows) == sorted(opened.namelist())
        assert rows.pop(record) == ["", ""]
        for name, (digest, size) in rows.items():
            data = opened.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={expected}", len(data))


def test_it_brings_the_texts_of_what_is_inside_and_no_others(tmp_path: Path) -> None:
    wheel = trimmed(tmp_path)
    assert wheel.licences == ["LGPL-3.0-or-later", "EPL-2.0", "LicenseRef-METIS-4.0"]
    folder = "casadi-9.1.2+ipopt.dist-info/licenses/"
    with zipfile.ZipFile(wheel.path) as opened:
        texts = {name.removeprefix(folder) for name in opened.namelist() if name.startswith(folder)}
        notice = opened.read(f"{folder}README.txt").decode()
        assert opened.read(f"{folder}GPL-3.0.txt") == (ROOT / "LICENSE").read_bytes()
    wanted = {"casadi/LICENSE/LICENSE.txt", "ipopt-external/LICENSE", "metis-external/metis-4.0/LICENSE"}
    assert texts == wanted | {"metis-external/LICENSE", "GPL-3.0.txt", "README.txt"}
    assert "CasADi 9.1.2" in notice and "NOT FREE SOFTWARE" in notice


def test_a_work_inside_another_library_is_named_where_it_is_there(tmp_path: Path) -> None:
    wheel = trimmed(tmp_path, **{"libipopt.so.3": library("libcoinmetis.so.2", marker=b"spral_ssids_analyse")})
    assert "BSD-3-Clause" in wheel.licences


def test_a_wheel_of_another_kind_of_libraries_is_left_whole(tmp_path: Path) -> None:
    windows = {"_casadi.so": None, "_casadi.pyd": b"MZ\x90\0"}
    wheel = trimmed(tmp_path, **windows)
    assert not wheel.is_trimmed
    assert wheel.path.read_bytes() == (tmp_path / wheel.path.name).read_bytes()
    assert wheel.licences[-1] == licences.OTHERS_OF_WHEEL and "EPL-2.0" in wheel.licences


def test_a_library_of_unknown_terms_stops_the_build(tmp_path: Path) -> None:
    with pytest.raises(licences.UnknownLicenceError, match=r"terms of libother\.so are not known"):
        trimmed(tmp_path, **{"libipopt.so.3": library("libother.so")})


def test_terms_that_may_have_changed_stop_the_build(tmp_path: Path) -> None:
    with pytest.raises(licences.UnknownLicenceError, match=r"METIS 4\.0 may have changed"):
        trimmed(tmp_path, **{"include/licenses/metis-external/metis-4.0/LICENSE": None})


def test_a_wheel_without_the_plugin_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrimError, match=r"has 0 files like .*ipopt"):
        trimmed(tmp_path, **{"libcasadi_nlpsol_ipopt.so": None})


def test_every_text_that_is_added_is_there() -> None:
    beginnings = {
        name: path.read_text(encoding="utf-8").split(maxsplit=3)[:3] for name, path in licences.ADDED_TEXTS.items()
    }
    assert beginnings == {
        "GPL-3.0.txt": ["GNU", "GENERAL", "PUBLIC"],
        "LGPL-2.1.txt": ["GNU", "LESSER", "GENERAL"],
        "GCC-exception-3.1.txt": ["GCC", "RUNTIME", "LIBRARY"],
    }
    assert {name for each in licences.COMPONENTS for name in each.added} == set(licences.ADDED_TEXTS)


# --- pip ----------------------------------------------------------------------------------------------------------


def hide_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip know no place that has wheels."""
    for name, value in (("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", ""), ("PIP_CONFIG_FILE", "/dev/null")):
        monkeypatch.setenv(name, value)


def test_where_no_wheel_can_be_had_a_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide_indexes(monkeypatch)
    with pytest.raises(WheelUnavailableError, match=r"^pip cannot get a wheel of casadi"):
        download(tmp_path)


def test_the_build_then_ends_with_a_code_of_its_own_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hide_indexes(monkeypatch)
    assert build_extension.main(tmp_path / "build", with_physics=True) == build_extension.WHEEL_UNAVAILABLE
    assert capsys.readouterr().err.startswith("pip cannot get a wheel of casadi")
    assert list((tmp_path / "build").iterdir()) == []


def test_a_wheel_is_found_by_the_name_of_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert requirement().startswith("casadi>=")
    hide_indexes(monkeypatch)
    source, folder = tmp_path / "source", tmp_path / "downloaded"
    source.mkdir()
    folder.mkdir()
    path = source / "poise_made_up-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "poise_made_up-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: poise_made_up\nVersion: 1.0\n"
        )
        archive.writestr(
            "poise_made_up-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("poise_made_up-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(source))
    assert download(folder, "poise-made-up").read_bytes() == path.read_bytes()


def test_a_wheel_that_does_not_work_is_found(tmp_path: Path) -> None:
    """The made-up libraries hold no code, so that Python cannot import them."""
    with pytest.raises(CheckError, match=r"^IPOPT does not work with casadi-9"):
        check(trimmed(tmp_path).path)
    with pytest.raises(CheckError, match=r"^pip cannot install"):
        check(tmp_path / "casadi-1.0-py3-none-any.whl")


# --- the manifest -------------------------------------------------------------------------------------------------


def test_the_manifest_gains_the_wheel_its_platform_and_its_terms() -> None:
    plain = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    wheel = PhysicsWheel(Path("somewhere/casadi-9.1.2+ipopt-cp311-abi3-any.whl"), ["EPL-2.0", "Zlib"], is_trimmed=True)
    before, after = (
        tomllib.loads(text) for text in (plain, build_extension.physics_manifest(plain, wheel, "linux-x64"))
    )
    assert after.pop("wheels") == ["./wheels/casadi-9.1.2+ipopt-cp311-abi3-any.whl"]
    assert after.pop("platforms") == ["linux-x64"]
    assert after["license"] == [*before["license"], "SPDX:EPL-2.0", "SPDX:Zlib"]
    assert after | {"license": before["license"]} == before


def test_a_manifest_of_another_form_is_refused() -> None:
    wheel = PhysicsWheel(Path("casadi.whl"), [], is_trimmed=True)
    with pytest.raises(ValueError, match="`license`"):
        build_extension.physics_manifest('license=["SPDX:MIT"]\n', wheel, "linux-x64")


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [("Linux", "x86_64", "linux-x64"), ("Darwin", "arm64", "macos-arm64"), ("Windows", "AMD64", "windows-x64")],
)
def test_platforms_have_blenders_names(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, name: str) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert build_extension.blender_platform() == name
