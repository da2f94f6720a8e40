# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension with physics: its archive, and the optimiser that it brings into a Blender that has none."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "scripts" / "build_extension.py"
WHEEL_UNAVAILABLE = 3
"""The exit code of the build where pip has no wheel of CasADi."""

INSIDE_BLENDER = """
import json, os, sys
from pathlib import Path

archive, problem, packages = sys.argv[1:]
sys.path.append(packages)
import bpy
import addon_utils

try:
    import casadi
    sys.exit("this Blender has CasADi already")
except ModuleNotFoundError:
    pass
bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
from bl_ext.user_default.poise.solver.spacetime import optimiser_package

extensions = Path(bpy.utils.user_resource("EXTENSIONS")).resolve()
problem_module = {}
exec(compile(Path(problem).read_text(), problem, "exec"), problem_module)
version = problem_module["solve"](extensions)
mapped = Path("/proc/self/maps")
lines = mapped.read_text().splitlines() if mapped.exists() else []
loaded = {line.split()[-1] for line in lines if "/casadi/" in line}
available = optimiser_package.is_available() and optimiser_package.require().CasadiMeta.version() == version

repositories = bpy.context.preferences.extensions.repos
index = next(index for index, each in enumerate(repositories) if each.module == "user_default")
bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="poise")
left = [str(path) for path in extensions.rglob("*casadi*")]
print("RESULT", json.dumps({"version": version, "available": available, "loaded": sorted(loaded),
    "extensions": str(extensions), "left": left}))
sys.stdout.flush()
os._exit(0)
"""
"""Installs the archive, solves a problem with the optimiser that came with it, and uninstalls it again."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that `make extension PHYSICS=1` builds; its wheel comes from pip's cache or from the network."""
    folder = tmp_path_factory.mktemp("physics")
    command = [sys.executable, str(BUILD), "--physics", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=200)
    if run.returncode == WHEEL_UNAVAILABLE and os.environ.get("CI") != "true":
        pytest.skip(f"the extension with physics was NOT tested: {run.stderr.strip()}")
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def manifest(archive: Path) -> dict[str, Any]:
    with zipfile.ZipFile(archive) as opened:
        return tomllib.loads(opened.read("blender_manifest.toml").decode())


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is in the archive."""
    with zipfile.ZipFile(archive) as opened:
        (name,) = [name for name in opened.namelist() if name.endswith(".whl")]
        return Path(opened.extract(name, tmp_path_factory.mktemp("wheel")))


def test_the_archive_is_the_plain_one_with_a_wheel(archive: Path, tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, str(BUILD), str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    (plain,) = tmp_path.iterdir()
    with zipfile.ZipFile(plain) as small, zipfile.ZipFile(archive) as large:
        extra = set(large.namelist()) - set(small.namelist())
        assert set(small.namelist()) <= set(large.namelist())
        assert [name for name in small.namelist() if small.read(name) != large.read(name)] == ["blender_manifest.toml"]
    assert len(extra) == 1 and extra.pop().startswith("wheels/casadi-")
    assert plain.stat().st_size < 2e6, "the plain extension stays small"


def test_the_manifest_names_the_wheel_the_platform_and_all_licences(archive: Path, manifest: dict[str, Any]) -> None:
    plain = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert not {"wheels", "platforms"} & set(plain)
    (path,) = manifest["wheels"]
    assert path.removeprefix("./") in zipfile.ZipFile(archive).namelist()
    (platform,) = manifest["platforms"]
    assert platform.replace("-", "_") in archive.name
    assert manifest["version"] == plain["version"]
    assert manifest["license"][:1] == plain["license"]
    assert {f"SPDX:{each}" for each in ("LGPL-3.0-or-later", "EPL-2.0", "CECILL-C")} <= set(manifest["license"])


def test_blender_installs_it_and_solves_a_problem_with_its_own_optimiser(
    archive: Path, wheel: Path, tmp_path: Path
) -> None:
    packages = packages_without_casadi(tmp_path)
    # Neither site-packages (-S) nor variables or the user's own packages (-I): CasADi can only come with the extension.
    small_problem = ROOT / "scripts" / "physics_wheel" / "small_problem.py"
    command = [sys.executable, "-I", "-S", "-c", INSIDE_BLENDER, str(archive), str(small_problem), str(packages)]
    (tmp_path / "user").mkdir()
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path / "user")}
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    result = json.loads(next(line for line in run.stdout.splitlines() if line.startswith("RESULT"))[len("RESULT") :])
    assert result["available"]
    assert wheel.name.split("-")[1].startswith(result["version"])
    assert [path for path in result["loaded"] if not path.startswith(result["extensions"])] == []
    assert sys.platform != "linux" or any("libipopt" in path for path in result["loaded"])
    assert result["left"] == [], "uninstalling takes the optimiser away again"


def packages_without_casadi(folder: Path) -> Path:
    """A folder with links to all packages of this environment but CasADi."""
    site = Path(str(distribution("bpy").locate_file("")))
    only = folder / "packages"
    only.mkdir()
    for path in site.iterdir():
        if "casadi" not in path.name.lower():
            (only / path.name).symlink_to(path)
    return only


def test_the_record_of_the_wheel_lists_each_file(wheel: Path) -> None:
    """Blender removes what a RECORD lists, and pip refuses a wheel whose RECORD is incomplete."""
    with zipfile.ZipFile(wheel) as opened:
        (record,) = [name for name in opened.namelist() if name.endswith(".dist-info/RECORD")]
        rows = list(csv.reader(opened.read(record).decode().splitlines()))
        assert sorted(path for path, _, _ in rows) == sorted(opened.namelist())
        sizes = {info.filename: info.file_size for info in opened.infolist()}
        assert all(sizes[path] == int(size) for path, _, size in rows if path != record)


def test_on_linux_the_wheel_is_trimmed_and_says_so(wheel: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only wheels of ELF libraries are trimmed")
    assert "+ipopt-" in wheel.name
    assert wheel.stat().st_size < 30e6
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        (notice,) = [name for name in names if name.endswith(".dist-info/licenses/README.txt")]
        text = opened.read(notice).decode()
    assert "IPOPT: EPL-2.0" in text and "METIS 4.0: LicenseRef-METIS-4.0" in text
    assert not [name for name in names if "/include/" in name or "libcasadi_conic" in name]
