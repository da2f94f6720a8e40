# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate the extension and build its archive with Blender's own builder: `build_extension.py [--physics] FOLDER`.

With `--physics` the archive brings CasADi along, as a wheel, and is for this platform only. docs/physics_package.md
says what is inside, and why the archive may not be passed on.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from physics_wheel.check import CheckError, check
from physics_wheel.download import WheelUnavailableError, download
from physics_wheel.licences import UnknownLicenceError
from physics_wheel.trim import PhysicsWheel, TrimError, trim

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = "blender_manifest.toml"
WHEELS = "wheels"
"""The folder of the archive for wheels, by Blender's convention."""

WHEEL_UNAVAILABLE = 3
"""The exit code where pip has no wheel of CasADi; any other failure has another one."""

# Blender's words for what Python reports.
SYSTEMS = {"darwin": "macos"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}

Commands = Callable[[list[str]], int]


def build(folder: Path, run: Commands, source: Path = ROOT, *, splits_platforms: bool = False) -> int:
    """Write the archive of `source` into `folder`; returns the exit code of the first command that fails, or 0."""
    commands = (
        ["validate", str(source)],
        ["build", "--source-dir", str(source), "--output-dir", str(folder)]
        + (["--split-platforms"] if splits_platforms else []),
    )
    # A refused argument ends in SystemExit, a refused manifest in a code: `next` stops at the first of either.
    return next((code for code in map(run, commands) if code != 0), 0)


def build_with_wheel(folder: Path, run: Commands, wheel: PhysicsWheel) -> int:
    """Write the archive with the wheel into `folder`: the files of the plain one, the wheel, and its own manifest."""
    with tempfile.TemporaryDirectory(prefix="poise-extension-") as temporary:
        plain, tree = Path(temporary, "plain"), Path(temporary, "tree")
        plain.mkdir()
        if (code := build(plain, run)) != 0:
            return code
        (archive,) = plain.iterdir()
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(tree)
        (tree / WHEELS).mkdir()
        shutil.copy(wheel.path, tree / WHEELS)
        manifest = tree / MANIFEST
        text = physics_manifest(manifest.read_text(encoding="utf-8"), wheel, blender_platform())
        manifest.write_text(text, encoding="utf-8")
        return build(folder, run, tree, splits_platforms=True)


def physics_manifest(plain: str, wheel: PhysicsWheel, for_platform: str) -> str:
    """The text of the plain manifest with the wheel, its platform, and the terms of all that is inside."""
    before = tomllib.loads(plain)
    added: dict[str, list[str]] = {
        "license": before["license"] + [f"SPDX:{each}" for each in wheel.licences],
        "platforms": [for_platform],
        "wheels": [f"./{WHEELS}/{wheel.path.name}"],
    }
    text, count = re.subn(r"^license = \[[^]]*\]$", lambda _: _as_toml(added), plain, flags=re.MULTILINE)
    after: dict[str, Any] = tomllib.loads(text)
    if count != 1 or after != before | added:
        raise ValueError(f"The line `license` of {MANIFEST} is not of the form that is replaced here.")
    return text


def _as_toml(lists: dict[str, list[str]]) -> str:
    def quoted(values: Iterable[str]) -> str:
        return ", ".join(f'"{value}"' for value in values)

    return "\n".join(f"{key} = [{quoted(values)}]" for key, values in lists.items())


def blender_platform() -> str:
    """This platform in Blender's words, such as linux-x64."""
    system, machine = platform.system().lower(), platform.machine().lower()
    return f"{SYSTEMS.get(system, system)}-{MACHINES.get(machine, machine)}"


def physics_wheel(folder: Path) -> PhysicsWheel:
    """A checked wheel for the extension, in `folder`; prints the sizes before and after."""
    download_folder = folder / "full"
    download_folder.mkdir()
    full = download(download_folder)
    wheel = trim(full, folder)
    check(wheel.path)
    print(f"{full.name}: {megabytes(full)}")
    if wheel.is_trimmed:
        print(f"{wheel.path.name}: {megabytes(wheel.path)}")
    else:
        print("It is left whole: which of its libraries IPOPT needs is only known of ELF files, and these are others.")
    return wheel


def megabytes(path: Path) -> str:
    """The size of a file for people."""
    return f"{path.stat().st_size / 1e6:.1f} MB"


def main(folder: Path, with_physics: bool) -> int:
    """Write the archive into `folder`; returns the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="poise-blender-") as temporary:
        wheel = None
        if with_physics:
            try:
                wheel = physics_wheel(Path(temporary))
            except (CheckError, TrimError, UnknownLicenceError, WheelUnavailableError) as error:
                print(error, file=sys.stderr)
                return WHEEL_UNAVAILABLE if isinstance(error, WheelUnavailableError) else 1
        # Blender reads this once, at import: without it the user's own preferences would be loaded.
        user_resources = Path(temporary, "user")
        user_resources.mkdir()
        os.environ["BLENDER_USER_RESOURCES"] = str(user_resources)
        import bpy  # noqa: F401  bl_pkg can be imported only after it
        from bl_pkg import bl_extension_cli

        def run(command: list[str]) -> int:
            return int(bl_extension_cli.cli_extension_handler(command))

        return build(folder, run) if wheel is None else build_with_wheel(folder, run, wheel)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the archive is written")
    parser.add_argument("--physics", action="store_true", help="bring CasADi along, for this platform")
    arguments = parser.parse_args()
    sys.exit(main(arguments.folder, arguments.physics))
