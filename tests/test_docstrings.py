# SPDX-License-Identifier: GPL-3.0-or-later
"""Every public name of the solver has a docstring: what packages list in `__all__`, and members of classes."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from poise import solver

ROOT = Path(__file__).parents[1]


def public_packages() -> list[ModuleType]:
    """The solver and the packages below it that list public names."""
    names = [info.name for info in pkgutil.walk_packages(solver.__path__, "poise.solver.") if info.ispkg]
    return [package for package in [solver, *map(import_module, names)] if hasattr(package, "__all__")]


PACKAGES = public_packages()


def undocumented(package: ModuleType) -> Iterator[str]:
    """The names of a package, and of the members of its classes, without a docstring."""
    if not inspect.getdoc(package):
        yield package.__name__
    for name in package.__all__:
        value = getattr(package, name)
        if inspect.isclass(value):
            yield from undocumented_members(value)
        elif inspect.ismodule(value) or inspect.isfunction(value):
            if not inspect.getdoc(value):
                yield name
        elif not is_documented_constant(package, name):
            yield name


def undocumented_members(owner: type) -> Iterator[str]:
    """A class without a docstring of its own, and its public methods and properties without one, own or inherited."""
    # A dataclass without a docstring gets its signature as one.
    if not owner.__dict__.get("__doc__") or str(owner.__doc__).startswith(f"{owner.__name__}("):
        yield owner.__name__
    for name, member in vars(owner).items():
        described = isinstance(member, (property, cached_property, classmethod, staticmethod))
        if name.startswith("_") or not (described or inspect.isfunction(member)):
            continue
        if not inspect.getdoc(getattr(owner, name)):
            yield f"{owner.__name__}.{name}"


def is_documented_constant(package: ModuleType, name: str) -> bool:
    """Whether the module that defines a constant has a string below it."""
    return any(_has_string_below(module, name) for module in defining_modules(package, name))


def defining_modules(package: ModuleType, name: str) -> Iterator[ModuleType]:
    """The module from which a package imports a name, and those from which that one does."""
    source = inspect.getsource(package)
    yield package
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names):
            base = package.__name__ if hasattr(package, "__path__") else package.__name__.rpartition(".")[0]
            for _ in range(node.level - 1):
                base = base.rpartition(".")[0]
            yield from defining_modules(import_module(f"{base}.{node.module}"), name)


def _has_string_below(module: ModuleType, name: str) -> bool:
    body = ast.parse(inspect.getsource(module)).body
    for node, below in pairwise(body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        is_it = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if is_it and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return isinstance(below.value.value, str)
    return False


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_has_a_docstring(package: ModuleType) -> None:
    missing = sorted(undocumented(package))
    assert not missing, f"write docstrings for {', '.join(missing)}"


def test_the_packages_that_users_need_are_checked() -> None:
    assert {"poise.solver", "poise.solver.spacetime", "poise.solver.synthetic"} <= {each.__name__ for each in PACKAGES}


def modules_of(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", [*modules_of("solver"), *modules_of("addon")], ids=lambda path: str(path.name))
def test_every_module_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


# The checks can fail ------------------------------------------------------------------------------------------------


class Described:
    """A class."""

    def told(self) -> None:
        """A method."""

    def untold(self) -> None:
        pass

    @property
    def value(self) -> int:
        return 1

    @cached_property
    def kept(self) -> int:
        return 1

    def _private(self) -> None:
        pass


class Inheriting(Described):
    """Its method has the docstring of the class above."""

    def told(self) -> None:
        pass


def test_a_member_without_a_docstring_is_found() -> None:
    assert list(undocumented_members(Described)) == ["Described.untold", "Described.value", "Described.kept"]
    assert list(undocumented_members(Inheriting)) == []
    nameless: Any = type("Nameless", (), {})
    assert list(undocumented_members(nameless)) == ["Nameless"]


def test_a_constant_without_a_docstring_is_found() -> None:
    assert is_documented_constant(solver, "VISIBLE_ERROR")
    assert not is_documented_constant(solver, "__all__")
