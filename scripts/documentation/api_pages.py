# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of the API, one for each package of the solver: its public names, which mkdocstrings fills from docstrings.

The public names are those that `solver/__init__.py`, and the packages of `OWN_NAMES`, import and list in `__all__`.
Their sources are read, not imported, so that the site is built without NumPy.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOLVER = ROOT / "solver"
FOLDER = "programmers/api"

OWN_NAMES = ("spacetime", "synthetic")
"""Packages whose public names are not names of the solver itself."""


@dataclass(frozen=True)
class ApiPage:
    """The public names of one package."""

    package: str
    """Below the solver, such as `body`."""
    names: Mapping[str, str]
    """By public name: the dotted name of the module that it is taken from."""

    @property
    def path(self) -> str:
        """Its path in the documentation."""
        return f"{FOLDER}/{self.package}.md"

    @property
    def imported_from(self) -> str:
        """The package from which users import the names."""
        return f"poise.solver.{self.package}" if self.package in OWN_NAMES else "poise.solver"

    def markdown(self) -> str:
        """The page: the docstring of the package, then each name."""
        told = _docstring(SOLVER / self.package / "__init__.py")
        lines = [f"# {self.package}", "", told, "", f"All of these are names of `{self.imported_from}`.", ""]
        for name, module in sorted(self.names.items(), key=_functions_last):
            lines += [f"::: {module}.{name}", ""]
        return "\n".join(lines)


def api_pages() -> list[ApiPage]:
    """The pages, in the order in which a reader needs them."""
    packages: dict[str, dict[str, str]] = {}
    for name, module in _public_names(SOLVER, "poise.solver").items():
        if module != "poise.solver":  # a package with a page of its own
            packages.setdefault(module.split(".")[2], {})[name] = module
    packages |= {own: _public_names(SOLVER / own, f"poise.solver.{own}") for own in OWN_NAMES}
    pages = [ApiPage(package, names) for package, names in packages.items()]
    return sorted(pages, key=lambda page: _ORDER.index(page.package) if page.package in _ORDER else len(_ORDER))


_ORDER = (
    "body",
    "files",
    "constraints",
    "deformation",
    "detection",
    "cleanup",
    "posture",
    "tasks",
    "spacetime",
    "synthetic",
    "core",
)
"""Packages that are not listed here come last."""


def _functions_last(item: tuple[str, str]) -> tuple[bool, str]:
    return item[0].islower(), item[0].lower()


def _public_names(package: Path, dotted: str) -> dict[str, str]:
    """By name of `__all__`: the dotted name of the module from which the package imports it."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    listed: set[str] = set()
    origins: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            module = f"{dotted}.{node.module}" if node.module else dotted
            origins |= {alias.asname or alias.name: module for alias in node.names}
        elif isinstance(node, ast.Assign) and any(
            isinstance(each, ast.Name) and each.id == "__all__" for each in node.targets
        ):
            listed = set(ast.literal_eval(node.value))
    return {name: module for name, module in origins.items() if name in listed}


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
