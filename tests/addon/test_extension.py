# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension as a user meets it: Blender accepts its manifest, builds it, installs it and can take it away."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import addon_utils
import bpy
import pytest

from .walking import walking_armature

ROOT = Path(__file__).parents[2]
REPOSITORY = "user_default"
MODULE = f"bl_ext.{REPOSITORY}.poise"


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as `make extension` builds it."""
    folder = tmp_path_factory.mktemp("extension")
    script = ROOT / "scripts" / "build_extension.py"
    run = subprocess.run([sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture
def installed(archive: Path) -> Iterator[None]:
    """The extension installed and enabled; taken away afterwards if the test has not done so."""
    bpy.ops.extensions.package_install_files(filepath=str(archive), repo=REPOSITORY, enable_on_install=True)
    yield
    if MODULE in known_modules():
        uninstall()


def known_modules() -> set[str]:
    """The add-ons that Blender finds on disk."""
    return {module.__name__ for module in addon_utils.modules(refresh=True)}


def uninstall() -> None:
    repositories = bpy.context.preferences.extensions.repos
    index = next(index for index, repository in enumerate(repositories) if repository.module == REPOSITORY)
    bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="poise")


def test_the_archive_holds_the_package_and_nothing_else(archive: Path) -> None:
    modules = {
        path.relative_to(ROOT).as_posix() for room in ("solver", "addon") for path in (ROOT / room).rglob("*.py")
    }
    with zipfile.ZipFile(archive) as opened:
        assert set(opened.namelist()) == modules | {"__init__.py", "version.py", "blender_manifest.toml", "LICENSE"}


def test_the_manifest_declares_what_the_add_on_may_touch(archive: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        manifest = tomllib.loads(opened.read("blender_manifest.toml").decode())
    assert set(manifest["permissions"]) == {"files"}, "it neither asks the network nor the clipboard"


def test_it_enables_on_installation_and_its_solver_is_the_installed_one(installed: None) -> None:
    assert MODULE in bpy.context.preferences.addons
    solver = importlib.import_module(f"{MODULE}.solver")
    assert not Path(solver.__file__).is_relative_to(ROOT)


def test_it_can_be_disabled_and_enabled_again_and_again(installed: None) -> None:
    before = set(dir(bpy.types))
    for _ in range(3):
        bpy.ops.preferences.addon_disable(module=MODULE)
        assert MODULE not in bpy.context.preferences.addons
        bpy.ops.preferences.addon_enable(module=MODULE)
        assert MODULE in bpy.context.preferences.addons
    assert set(dir(bpy.types)) == before


def registered() -> dict[str, set[str]]:
    """All that an add-on may have left with Blender."""
    handlers = {
        f"{name}: {handler.__module__}"
        for name in dir(bpy.app.handlers)
        if isinstance(listed := getattr(bpy.app.handlers, name), list)
        for handler in listed
    }
    owners = (bpy.types.Object, bpy.types.Bone, bpy.types.Scene, bpy.types.WindowManager, bpy.types.Armature)
    return {
        "classes": {
            name for name in dir(bpy.types) if getattr(getattr(bpy.types, name), "__module__", "").startswith(MODULE)
        },
        "properties": {f"{owner.__name__}.{name}" for owner in owners for name in dir(owner) if "poise" in name},
        "operators": {name for name in dir(bpy.ops) if name == "poise"},
        "menus": {
            f"{name}: {drawing.__module__}"
            for name in ("VIEW3D_MT_object", "VIEW3D_MT_pose", "VIEW3D_MT_editor_menus")
            for drawing in getattr(getattr(bpy.types, name).draw, "_draw_funcs", ())
            if drawing.__module__.startswith(MODULE)
        },
        "handlers": {handler for handler in handlers if MODULE in handler},
    }


def use(folder: Path) -> None:
    """Do what an animator does, with every room of the add-on."""
    armature = walking_armature(folder)
    for operator, given in (
        ("character_recognise", {}),
        ("detect_footplants", {}),
        ("found_accept_all", {}),
        ("constraint_add_pin", {"bone": "l_wrist", "frame": 20}),
        ("solve", {}),
        ("clean", {}),
    ):
        assert getattr(bpy.ops.poise, operator)(**given) == {"FINISHED"}, operator
    assert len(armature.poise.residuals) == len(armature.poise.constraints) > 1
    assert bpy.ops.poise.source_restore() == {"FINISHED"}
    assert hasattr(bpy.types, "POISE_PT_solve")


def test_it_is_used_and_disabling_leaves_nothing_registered(installed: None, tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    assert all(registered()[what] for what in ("classes", "properties", "operators", "menus"))
    use(tmp_path)
    bpy.ops.preferences.addon_disable(module=MODULE)
    assert not any(registered().values()), registered()
    bpy.ops.wm.read_homefile(use_empty=True)


def test_what_was_done_survives_disabling_and_enabling(installed: None, tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    use(tmp_path)
    armature = bpy.context.view_layer.objects.active
    before = [item.name for item in armature.poise.constraints]
    bpy.ops.preferences.addon_disable(module=MODULE)
    bpy.ops.preferences.addon_enable(module=MODULE)
    assert [item.name for item in armature.poise.constraints] == before
    assert bpy.ops.poise.solve() == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_empty=True)


def test_uninstalling_leaves_nothing_on_disk(installed: None) -> None:
    folder = Path(bpy.utils.user_resource("EXTENSIONS")) / REPOSITORY / "poise"
    assert folder.is_dir()
    uninstall()
    assert not folder.exists()
    assert MODULE not in known_modules()
    assert MODULE not in bpy.context.preferences.addons
