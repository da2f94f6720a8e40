# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for the whole tree and no linter says: which libraries are needed, what the add-on may know, licences.

The order of the packages is a contract in pyproject.toml, which `make lint` checks.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

NEEDED_LIBRARIES = {"numpy"}
LIBRARIES_OF_ROOM = {"spacetime": {"casadi"}}

SPDX = "# SPDX-License-Identifier: GPL-3.0-or-later"


@dataclass(frozen=True)
class Import:
    """One imported name: `module` is dotted, from the package root where `relative`; `name` is None for `import x`."""

    line: int
    relative: bool
    module: str
    name: str | None

    def target(self, modules: Mapping[str, str]) -> str:
        """The module that is meant: `name` may be a module inside `module`, or something defined in it."""
        inner = f"{self.module}.{self.name}".lstrip(".")
        return inner if inner in modules else self.module


def package_sources() -> dict[str, str]:
    """The source text of each module of the package, by its dotted name from the root, such as `solver.tasks.base`."""
    sources = {}
    for room in ("solver", "addon"):
        for path in sorted((ROOT / room).rglob("*.py")):
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


def room_of(module: str) -> str:
    """The module or folder directly under solver/ that `module` belongs to; empty for solver/__init__ itself."""
    return module.split(".")[1] if "." in module else ""


def complaints_about_libraries(module: str, source: str) -> list[str]:
    """solver/ imports the standard library, NumPy and its own modules; nothing reaches Poise by an absolute name."""
    allowed = set(sys.stdlib_module_names) | NEEDED_LIBRARIES | LIBRARIES_OF_ROOM.get(room_of(module), set())
    found = []
    for imported in imports_of_module(module, source):
        library = imported.module.partition(".")[0]
        if imported.relative:
            continue
        if library == "poise":
            found.append(
                f"{module}:{imported.line}: write `{imported.module}` as a relative import: an extension's name varies"
            )
        elif library == "importlib":
            found.append(f"{module}:{imported.line}: importing by a computed name hides what this module needs")
        elif module.startswith("solver") and library not in allowed:
            found.append(f"{module}:{imported.line}: the solver must do without {library}")
    found += [
        f"{module}:{node.lineno}: importing by a computed name hides what this module needs"
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


def complaints_about_the_addon(module: str, source: str, public: set[str]) -> list[str]:
    """addon/ uses the solver's public names, and no module inside it."""
    found = []
    solver_is_called = set()
    for imported in imports_of_module(module, source):
        where = f"{module}:{imported.line}"
        if not imported.relative:
            continue
        if imported.module.startswith("solver."):
            found.append(f"{where}: {imported.module} is inside the solver: use what solver itself offers")
        elif imported.module == "solver" and imported.name not in public:
            found.append(f"{where}: {imported.name} is not a public name of the solver")
        elif imported.module == "" and imported.name == "solver":
            solver_is_called.add("solver")
    found += [
        f"{module}:{node.lineno}: solver.{node.attr} is not a public name of the solver"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in solver_is_called
        and node.attr not in public
    ]
    return found


def complaints_about_the_licence(name: str, source: str) -> list[str]:
    """The first line names the licence; a script's `#!` line may come before it."""
    lines = source.splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    return [] if lines[:1] == [SPDX] else [f"{name}: the first line must be `{SPDX}`"]


# --- the tree obeys -----------------------------------------------------------------------------------------------


SOURCES = package_sources()


def test_the_solver_needs_only_numpy_and_the_standard_library() -> None:
    assert not [text for module, source in SOURCES.items() for text in complaints_about_libraries(module, source)]


def test_the_addon_knows_only_the_public_solver() -> None:
    public = public_names(SOURCES["solver"])
    assert not [
        text
        for module, source in SOURCES.items()
        if module.startswith("addon")
        for text in complaints_about_the_addon(module, source, public)
    ]


def test_each_source_file_names_its_licence() -> None:
    files = [ROOT / "__init__.py"]
    files += [path for folder in ("addon", "scripts", "solver", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert not [
        text
        for path in files
        for text in complaints_about_the_licence(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    ]


WATCHES_FOR_BLENDER = """
import sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"bpy", "mathutils", "addon_utils", "gpu", "blf"}:
            sys.exit(f"something asked for {name}")

sys.meta_path.insert(0, Watch())
"""


def run_without_blender(statements: str) -> subprocess.CompletedProcess[str]:
    """Run the statements in a Python of their own, which ends with an error when anything asks for Blender."""
    code = WATCHES_FOR_BLENDER + statements
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT.anchor)


def test_the_package_and_its_solver_are_imported_without_blender() -> None:
    run = run_without_blender("import poise\nfrom poise import solver\n")
    assert run.returncode == 0, run.stderr


# --- and each check can fail --------------------------------------------------------------------------------------


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
        ("addon.live", "from poise import solver"),
        ("addon.live", "import poise.solver"),
    ],
)
def test_a_foreign_import_is_found(module: str, source: str) -> None:
    assert len(complaints_about_libraries(module, source)) == 1


def test_what_is_allowed_is_not_complained_about() -> None:
    assert not complaints_about_libraries("solver.spacetime.fit", "import casadi\nimport numpy.linalg\nimport math")
    assert not complaints_about_libraries(
        "addon.live", "import bpy\nfrom mathutils import Vector\nfrom .. import solver"
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
def test_an_addon_that_looks_inside_the_solver_is_found(source: str) -> None:
    public = public_names("from .deform import deform\nfrom .bvh import read_bvh as read_bvh, write_bvh")
    assert len(complaints_about_the_addon("addon.live", source, public)) == 1
    assert not complaints_about_the_addon("addon.live", "from ..solver import deform, read_bvh", public)
    assert not complaints_about_the_addon("addon.live", "from .. import solver\nsolver.write_bvh(clip)", public)


@pytest.mark.parametrize(
    "source", ["", "import bpy", '"""Words."""\n' + SPDX, SPDX.replace("3.0", "2.0"), "#!/bin/sh\nx"]
)
def test_a_missing_licence_is_found(source: str) -> None:
    assert complaints_about_the_licence("file", source)
    assert not complaints_about_the_licence("file", f"{SPDX}\n")
    assert not complaints_about_the_licence("file", f"#!/usr/bin/env python3\n{SPDX}\n")


def test_a_package_that_asks_for_blender_is_found() -> None:
    run = run_without_blender("import poise\ntry:\n    import bpy\nexcept ImportError:\n    pass\n")
    assert run.returncode == 1
    assert "something asked for bpy" in run.stderr
