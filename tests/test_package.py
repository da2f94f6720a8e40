# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python package: its list of subpackages is complete, and a wheel holds its modules and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from poise.version import VERSION

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = ("addon", "batch", "solver")


def test_every_subpackage_is_listed() -> None:
    packages = {path.parent.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("__init__.py")}
    in_the_tree = {"poise"} | {".".join(("poise", *package.parts)) for package in packages}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == in_the_tree, (
        "bring `packages` in pyproject.toml up to date"
    )


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    assert not [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").is_file()]


def test_the_package_and_the_extension_have_one_version_and_licence() -> None:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == VERSION and "version" not in PROJECT["project"]
    assert manifest["license"] == [f"SPDX:{PROJECT['project']['license']}"]


def test_numpy_is_all_that_the_package_needs() -> None:
    assert PROJECT["project"]["dependencies"] == ["numpy>=1.26"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a copy of the checkout: building leaves its own files behind."""
    copy = tmp_path_factory.mktemp("checkout")
    left_behind = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=left_behind, dirs_exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(copy / "built"),
        str(copy),
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = (copy / "built").iterdir()
    return built


def test_a_wheel_holds_the_modules_their_type_marker_and_nothing_else(wheel: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    with zipfile.ZipFile(wheel) as opened:
        content = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert content == {
        f"poise/{file}" for file in modules | {"__init__.py", "__main__.py", "version.py", "solver/py.typed"}
    }
    assert wheel.name.startswith(f"poise-{VERSION}-")


def test_a_wheel_works_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path)
    code = "import sys; sys.path.insert(0, sys.argv[1]); from poise import solver, version; print(solver.__file__)"
    code += "; assert version.VERSION == sys.argv[2]"
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), VERSION], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()).is_relative_to(tmp_path)
