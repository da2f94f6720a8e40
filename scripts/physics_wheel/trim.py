# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a wheel with the part of CasADi's that IPOPT needs: a fifth of its size."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from . import elf, licences

MODULE = re.compile(r"casadi/_casadi\.(\S+\.)?(so|pyd)")
PLUGINS = (re.compile(r"casadi/(lib)?casadi_nlpsol_ipopt\.(so|dylib|dll)"),)
"""What CasADi loads by name while it runs, so that no library lists it as needed: a pattern for each plugin."""

SOURCES = re.compile(r"casadi/\w+\.py")
LOCAL_VERSION = "ipopt"
"""The trimmed wheel is version 3.8.2+ipopt where the full one is 3.8.2."""

NOTICE = """\
This is CasADi {version} with only the libraries that its IPOPT plugin needs. The build of the Blender extension Poise
made it on {day} from {full}
by leaving out all other files. The libraries and modules that are here were not changed.

The works that are inside, their terms as SPDX expressions, and the files in this folder that have the texts:

{table}"""


class TrimError(Exception):
    """A wheel that is not built as CasADi's wheels were so far."""


@dataclass(frozen=True)
class PhysicsWheel:
    """A wheel for the extension: `licences` are SPDX expressions, `is_trimmed` is false where it was left whole."""

    path: Path
    licences: list[str]
    is_trimmed: bool


def trim(full: Path, folder: Path) -> PhysicsWheel:
    """Write the trimmed wheel of the full one into `folder`; a wheel whose libraries are not ELF is copied whole."""
    with zipfile.ZipFile(full) as opened:
        names = [name for name in opened.namelist() if not name.endswith("/")]
        roots = [_only(pattern, names) for pattern in (MODULE, *PLUGINS)]
        if not all(opened.read(root).startswith(elf.MAGIC) for root in roots):
            spdx = [*licences.spdx_of(licences.COMPONENTS), licences.OTHERS_OF_WHEEL]
            return PhysicsWheel(Path(shutil.copy(full, folder)), spdx, is_trimmed=False)
        libraries = needed_files(roots, names, opened.read)
        modules = {name: opened.read(name) for name in names if SOURCES.fullmatch(name)}
        wheel_texts = {name: opened.read(name) for name in names if name.startswith(licences.TEXTS_OF_WHEEL)}
        wheel_info = {name: opened.read(name) for name in names if ".dist-info/" in name}
        made = opened.infolist()[0].date_time

    components = licences.components_of({name.rpartition("/")[2]: data for name, data in libraries.items()})
    name, version, *tags = full.stem.split("-")
    new_version = f"{version}+{LOCAL_VERSION}"
    info = _renamed_info(wheel_info, f"{name}-{version}.dist-info/", f"{name}-{new_version}.dist-info/")
    record_path = f"{name}-{new_version}.dist-info/RECORD"
    info.pop(record_path)
    metadata_path = f"{name}-{new_version}.dist-info/METADATA"
    info[metadata_path] = _with_version(info[metadata_path], version, new_version)

    notice = NOTICE.format(version=version, day=date.today(), full=full.name, table=licences.table_of(components))
    texts = {"README.txt": notice.encode(), **licences.texts_of(components, wheel_texts)}
    info |= {f"{name}-{new_version}.dist-info/licenses/{path}": text for path, text in texts.items()}

    path = folder / ("-".join([name, new_version, *tags]) + ".whl")
    _write(path, {**modules, **libraries, **info}, record_path, made)
    return PhysicsWheel(path, licences.spdx_of(components), is_trimmed=True)


def needed_files(roots: Iterable[str], names: Iterable[str], read: Callable[[str], bytes]) -> dict[str, bytes]:
    """The roots and the files beside them that they need, directly or through others: bytes by path.

    `names` are the paths of all files, and `read` gives the bytes of one. A needed library that is not among them is
    one of the system.
    """
    all_names = set(names)
    found: dict[str, bytes] = {}
    waiting = list(roots)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = read(path)
        folder = path.rpartition("/")[0]
        beside = (f"{folder}/{library}" for library in elf.needed_libraries(found[path]))
        waiting += [library for library in beside if library in all_names]
    return found


def record(files: Mapping[str, bytes], own_path: str) -> bytes:
    """The RECORD of a wheel: path, SHA-256 and size of each file, and its own path without them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        writer.writerow([path, f"sha256={digest}", len(data)])
    writer.writerow([own_path, "", ""])
    return text.getvalue().encode()


def _only(pattern: re.Pattern[str], names: Iterable[str]) -> str:
    """The one name that matches the whole pattern."""
    found = [name for name in names if pattern.fullmatch(name)]
    if len(found) != 1:
        raise TrimError(
            f"The CasADi wheel has {len(found)} files like {pattern.pattern} instead of one: it is built in another "
            "way than before, so scripts/physics_wheel/trim.py has to be brought up to date."
        )
    return found[0]


def _renamed_info(info: Mapping[str, bytes], old: str, new: str) -> dict[str, bytes]:
    """The files of the folder .dist-info under its new name."""
    missing = [file for file in ("METADATA", "WHEEL", "RECORD") if old + file not in info]
    if missing:
        raise TrimError(
            f"The CasADi wheel has no {', '.join(old + file for file in missing)}: it is not a valid wheel."
        )
    return {new + path.removeprefix(old): data for path, data in info.items()}


def _with_version(metadata: bytes, old: str, new: str) -> bytes:
    """METADATA with another version."""
    line = rb"^Version: " + re.escape(old.encode()) + rb"(?=\r?$)"
    changed, count = re.subn(line, b"Version: " + new.encode(), metadata, count=1, flags=re.MULTILINE)
    if count != 1:
        raise TrimError(f"The CasADi wheel's METADATA does not have the version {old} of its file name.")
    return changed


def _write(path: Path, files: Mapping[str, bytes], record_path: str, made: tuple[int, int, int, int, int, int]) -> None:
    """Write a wheel of files and their RECORD; `made` is the time that each of them gets."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**files, record_path: record(files, record_path)}.items():
            entry = zipfile.ZipInfo(name, made)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=6)
