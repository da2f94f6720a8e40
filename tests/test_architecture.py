# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for the whole tree that no linter checks: libraries, the add-on's use of the solver, licences, mirrored tests.

The order of the packages is a contract in pyproject.toml, which `make lint` checks.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

NEEDED_LIBRARIES = {"numpy"}
LIBRARIES_OF_PACKAGE = {"spacetime": {"casadi"}}
"""Libraries that one package of solver/ may import besides."""

LIBRARIES_OF_BATCH = {"bpy", "distributed", "psutil"}
"""Libraries that batch/ may import besides, inside functions that need them."""

BEFORE_ALL_IMPORTS = {"batch.requirements", "batch.start_worker"}
"""Modules that look for others before they are imported, or make `poise` itself importable."""

SPDX = "# SPDX-License-Identifier: GPL-3.0-or-later"


@dataclass(frozen=True)
class Import:
    """One imported name: `module` is dotted, from the package root where `relative`; `name` is None for `import x`."""

    line: int
    relative: bool
    module: str
    name: str | None


def package_sources() -> dict[str, str]:
    """The source text of each module of the package, by its dotted name from the root, such as `solver.tasks.base`."""
    sources = {}
    for package in ("solver", "addon", "batch"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            sources[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return sources


def is_package(module: str) -> bool:
    return (ROOT / Path(*module.split(".")) / "__init__.py").is_file()


def imports_of(source: str, package: str) -> Iterator[Import]:
    """Every import in the text, also inside functions and under TYPE_CHECKING; `package` is the importing module's."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, False, alias.name, None)
        elif isinstance(node, ast.ImportFrom):
            levels = package.split(".") if package else []
            above = levels[: max(len(levels) - node.level + 1, 0)]
            module = ".".join([*above, node.module] if node.module else above) if node.level else str(node.module)
            for alias in node.names:
                yield Import(node.lineno, node.level > 0, module, alias.name)


def imports_of_module(module: str, source: str) -> Iterator[Import]:
    return imports_of(source, module if is_package(module) else module.rpartition(".")[0])


def package_of(module: str) -> str:
    """The package directly under solver/ that `module` belongs to; empty for solver/__init__ itself."""
    return module.split(".")[1] if "." in module else ""


def complaints_about_libraries(module: str, source: str) -> list[str]:
    """One sentence for each import of another library in solver/, and of Poise by an absolute name."""
    allowed = set(sys.stdlib_module_names) | NEEDED_LIBRARIES | LIBRARIES_OF_PACKAGE.get(package_of(module), set())
    found = []
    for imported in imports_of_module(module, source):
        library = imported.module.partition(".")[0]
        if imported.relative or (module == "batch.start_worker" and imported.module == "poise.batch.worker"):
            continue
        if library == "poise":
            found.append(
                f"{module}:{imported.line}: write `{imported.module}` as a relative import: an extension's name varies"
            )
        elif library == "importlib" and module not in BEFORE_ALL_IMPORTS:
            found.append(f"{module}:{imported.line}: importing by a computed name hides the imported module")
        elif module.startswith("solver") and library not in allowed:
            found.append(f"{module}:{imported.line}: the solver must not import {library}")
        elif module.startswith("batch") and library not in allowed | LIBRARIES_OF_BATCH:
            found.append(f"{module}:{imported.line}: batches must not import {library}")
    found += [
        f"{module}:{node.lineno}: importing by a computed name hides the imported module"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name) and node.id == "__import__"
    ]
    return found


def public_names(solver_init: str) -> set[str]:
    """The names that solver/__init__ imports or defines."""
    names = set()
    for node in ast.parse(solver_init).body:
        if isinstance(node, ast.ImportFrom | ast.Import):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def complaints_about_solver_names(module: str, source: str, public: set[str]) -> list[str]:
    """One sentence for each use of the solver in addon/ that is not a public name."""
    found = []
    solver_names = set()
    for imported in imports_of_module(module, source):
        where = f"{module}:{imported.line}"
        if not imported.relative:
            continue
        if imported.module.startswith("solver."):
            found.append(f"{where}: {imported.module} is inside the solver: use a public name of solver")
        elif imported.module == "solver" and imported.name not in public:
            found.append(f"{where}: {imported.name} is not a public name of the solver")
        elif imported.module == "" and imported.name == "solver":
            solver_names.add("solver")
    found += [
        f"{module}:{node.lineno}: solver.{node.attr} is not a public name of the solver"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in solver_names
        and node.attr not in public
    ]
    return found


def complaints_about_licence(name: str, source: str) -> list[str]:
    """One sentence if the first line does not name the licence; a script's `#!` line may come before it."""
    lines = source.splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    return [] if lines[:1] == [SPDX] else [f"{name}: the first line must be `{SPDX}`"]


# --- the tree -----------------------------------------------------------------------------------------------------


SOURCES = package_sources()


def test_the_solver_needs_only_numpy_and_the_standard_library() -> None:
    assert not [text for module, source in SOURCES.items() for text in complaints_about_libraries(module, source)]


def test_the_addon_uses_only_public_names_of_the_solver() -> None:
    public = public_names(SOURCES["solver"])
    assert not [
        text
        for module, source in SOURCES.items()
        if module.startswith("addon")
        for text in complaints_about_solver_names(module, source, public)
    ]


def test_each_source_file_names_its_licence() -> None:
    files = [ROOT / "__init__.py", ROOT / "__main__.py"]
    files += [
        path
        for folder in ("addon", "batch", "examples", "scripts", "solver", "tests")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert not [
        text
        for path in files
        for text in complaints_about_licence(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    ]


# --- every module has a test module --------------------------------------------------------------------------------

UNTESTED: dict[str, str] = {
    "addon/bridge/errors.py": "one exception class",
    "addon/panels/active.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/advice.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/base.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/character.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/clean.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/constraints.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/detect.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/display.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/ground.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/menu.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/physics.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/pie.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/proposals.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/residual.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/solve.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/timeline.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/panels/work.py": "tests/addon/panels/test_panels.py draws all panels together",
    "addon/translation/errors.py": "one exception class",
    "solver/spacetime/progress.py": "one dataclass",
}
"""Modules without a test module of their name, by path, each with the reason."""

SEVERAL_MODULES: dict[str, str] = {
    "addon/bridge/test_random_armatures.py": "reading, baking and undo on any armature that hypothesis draws",
    "addon/bridge/test_undo.py": "undo of Blender over several modules of the bridge",
    "addon/operators/test_undo.py": "undo of every operator",
    "addon/panels/test_panels.py": "all panels are drawn together",
    "addon/test_addon_bake.py": "the benchmark's script inside Blender",
    "addon/test_posture_drag.py": "the benchmark of the posture tool inside Blender",
    "addon/test_documented_calls.py": "examples of the documentation that use Blender",
    "addon/test_bvh_against_blender.py": "the solver's BVH reader against Blender's importer",
    "addon/test_constraint_files_in_blender.py": "constraint files between the solver and Blender",
    "addon/test_demo.py": "the demonstration in scripts/",
    "addon/test_exit.py": "a Blender process with the add-on ends",
    "addon/test_exported_characters.py": "whole workflow on characters from glTF and FBX files",
    "addon/test_extension.py": "the built extension",
    "addon/test_physics_extension.py": "the extension that is built with CasADi inside",
    "addon/test_live_editing.py": "the benchmark of live mode inside Blender",
    "addon/test_registration.py": "registering the whole add-on",
    "addon/test_soak_rounds.py": "rounds of the soak test inside Blender",
    "addon/test_saved_files.py": "files that earlier versions have saved",
    "solver/cleanup/test_jumps_of_shared_clips.py": "jumps after each method of cleanup, on captured clips",
    "solver/deformation/test_random_cases.py": "what must hold of every deformation, on random cases",
    "solver/detection/test_heading.py": "every detector, with clips turned about the vertical",
    "solver/detection/test_labels.py": "detection on captured clips that were labelled by hand",
    "solver/test_oracle.py": "kinematics, masses and Jacobians against Pinocchio",
}
"""Test modules that belong to no single module, by path below tests/, each with the reason."""


def mirror_of(module: str) -> str:
    """The path below tests/ of the test module of a module, given by its path from the root."""
    path = Path(module)
    return (path.parent / f"test_{path.name}").as_posix()


def unmirrored_modules(modules: Iterable[str], tests: Iterable[str], excused: Iterable[str]) -> set[str]:
    """The modules that have neither a test module of their name nor an excuse."""
    there = set(tests)
    return {module for module in modules if mirror_of(module) not in there} - set(excused)


def unmirrored_tests(modules: Iterable[str], tests: Iterable[str], excused: Iterable[str]) -> set[str]:
    """The test modules that are named after no module and have no excuse."""
    return set(tests) - {mirror_of(module) for module in modules} - set(excused)


def all_modules() -> set[str]:
    """Paths of all modules but the `__init__`s, which only collect names."""
    return {
        path.relative_to(ROOT).as_posix()
        for folder in ("addon", "batch", "solver")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "__init__.py"
    }


def mirrored_tests() -> set[str]:
    """Paths below tests/ of all test modules of the packages."""
    folders = ("addon", "batch", "solver")
    tests = ROOT / "tests"
    return {path.relative_to(tests).as_posix() for each in folders for path in (tests / each).rglob("test_*.py")}


def test_every_module_has_a_test_module_of_its_name() -> None:
    missing = sorted(unmirrored_modules(all_modules(), mirrored_tests(), UNTESTED))
    assert not missing, f"write a test module for each of these, or a reason in UNTESTED: {', '.join(missing)}"


def test_every_test_module_is_named_after_a_module() -> None:
    extra = sorted(unmirrored_tests(all_modules(), mirrored_tests(), SEVERAL_MODULES))
    assert not extra, f"name each of these after its module, or list it in SEVERAL_MODULES: {', '.join(extra)}"


def test_no_excuse_is_stale() -> None:
    modules, tests = all_modules(), mirrored_tests()
    tested = sorted(set(UNTESTED) - unmirrored_modules(modules, tests, ()))
    named = sorted(set(SEVERAL_MODULES) - unmirrored_tests(modules, tests, ()))
    assert not tested, f"take these out of UNTESTED, they have tests or are gone: {', '.join(tested)}"
    assert not named, f"take these out of SEVERAL_MODULES, they have modules or are gone: {', '.join(named)}"


# --- without Blender -----------------------------------------------------------------------------------------------

REFUSE_BLENDER = """
import sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"bpy", "mathutils", "addon_utils", "gpu", "blf"}:
            sys.exit(f"{name} was imported")

sys.meta_path.insert(0, Watch())
"""


def run_without_blender(statements: str) -> subprocess.CompletedProcess[str]:
    """Run the statements in a new Python process, which ends with an error when any module of Blender is imported."""
    code = REFUSE_BLENDER + statements
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT.anchor)


def test_the_package_and_its_solver_are_imported_without_blender() -> None:
    run = run_without_blender("import poise\nfrom poise import solver\n")
    assert run.returncode == 0, run.stderr


def test_batches_are_imported_without_blender_and_without_dask() -> None:
    modules = ", ".join(f"poise.{module}" for module in SOURCES if module.startswith("batch"))
    run = run_without_blender(f"import {modules}\nassert not {{'distributed', 'dask', 'psutil'}} & set(sys.modules)\n")
    assert run.returncode == 0, run.stderr


# --- each check can fail ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("solver.kinematics", "import bpy"),
        ("solver.kinematics", "from scipy import optimize"),
        ("solver.kinematics", "def late():\n    import matplotlib.pyplot as plt"),
        ("solver.kinematics", "try:\n    import numba\nexcept ImportError:\n    pass"),
        ("solver.kinematics", "import casadi"),
        ("solver.kinematics", "from poise.solver import rotations"),
        ("solver.kinematics", "import importlib"),
        ("solver.kinematics", "bpy = __import__('bpy')"),
        ("addon.example", "from poise import solver"),
        ("addon.example", "import poise.solver"),
        ("batch.example", "import matplotlib"),
        ("batch.example", "from poise import solver"),
        ("batch.example", "import importlib"),
    ],
)
def test_an_import_of_another_library_is_found(module: str, source: str) -> None:
    assert len(complaints_about_libraries(module, source)) == 1


def test_allowed_imports_are_accepted() -> None:
    assert not complaints_about_libraries("solver.spacetime.fit", "import casadi\nimport numpy.linalg\nimport math")
    assert not complaints_about_libraries(
        "addon.example", "import bpy\nfrom mathutils import Vector\nfrom .. import solver"
    )


@pytest.mark.parametrize(
    "source",
    [
        "from ..solver.rotations import multiply",
        "from ..solver import rotations",
        "from .. import solver\nsolver.rotations.multiply(a, b)",
        "def late():\n    from .. import solver\n    return solver.posture",
    ],
)
def test_an_addon_that_imports_from_inside_the_solver_is_found(source: str) -> None:
    public = public_names("from .deform import deform\nfrom .bvh import read_bvh as read_bvh, write_bvh")
    assert len(complaints_about_solver_names("addon.example", source, public)) == 1
    assert not complaints_about_solver_names("addon.example", "from ..solver import deform, read_bvh", public)
    assert not complaints_about_solver_names("addon.example", "from .. import solver\nsolver.write_bvh(clip)", public)


@pytest.mark.parametrize(
    "source", ["", "import bpy", '"""Words."""\n' + SPDX, SPDX.replace("3.0", "2.0"), "#!/bin/sh\nx"]
)
def test_a_missing_licence_is_found(source: str) -> None:
    assert complaints_about_licence("file", source)
    assert not complaints_about_licence("file", f"{SPDX}\n")
    assert not complaints_about_licence("file", f"#!/usr/bin/env python3\n{SPDX}\n")


def test_a_package_that_imports_blender_is_found() -> None:
    run = run_without_blender("import poise\ntry:\n    import bpy\nexcept ImportError:\n    pass\n")
    assert run.returncode == 1
    assert "bpy was imported" in run.stderr


def test_a_module_without_a_test_is_found() -> None:
    modules, tests = ["solver/core/splines.py", "solver/core/numbers.py"], ["solver/core/test_splines.py"]
    assert unmirrored_modules(modules, tests, ()) == {"solver/core/numbers.py"}
    assert not unmirrored_modules(modules, tests, ["solver/core/numbers.py"])


def test_a_test_without_a_module_is_found() -> None:
    modules, tests = ["solver/core/splines.py"], ["solver/core/test_splines.py", "solver/core/test_spline.py"]
    assert unmirrored_tests(modules, tests, ()) == {"solver/core/test_spline.py"}
    assert not unmirrored_tests(modules, tests, ["solver/core/test_spline.py"])
