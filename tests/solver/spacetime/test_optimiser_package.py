# SPDX-License-Identifier: GPL-3.0-or-later
"""With and without CasADi: what is available, and what a user is told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from poise import solver
from poise.solver.core.errors import MissingPackageError
from poise.solver.spacetime import optimiser_package


class OnlyModule(MetaPathFinder):
    """Finds the module `casadi`, or refuses to, before any other finder is asked."""

    def __init__(self, found: bool) -> None:
        self.found = found

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] != "casadi":
            return None
        if not self.found:
            raise ModuleNotFoundError("No module named 'casadi'", name="casadi")
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.nlpsol = "the optimiser"  # type: ignore[attr-defined]


def set_casadi(monkeypatch: pytest.MonkeyPatch, found: bool) -> None:
    """Whatever this environment has, `import casadi` finds a made-up module, or none."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "casadi"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "casadi", None)  # so that what the import puts there is taken away afterwards
    monkeypatch.delitem(sys.modules, "casadi")
    monkeypatch.setattr(sys, "meta_path", [OnlyModule(found), *sys.meta_path])


def test_it_is_available_where_it_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    set_casadi(monkeypatch, found=True)
    assert optimiser_package.is_available()
    assert optimiser_package.require().nlpsol == "the optimiser"


def test_where_it_is_missing_an_error_says_both_ways_of_getting_it(monkeypatch: pytest.MonkeyPatch) -> None:
    set_casadi(monkeypatch, found=False)
    assert not optimiser_package.is_available()
    with pytest.raises(MissingPackageError) as caught:
        optimiser_package.require()
    assert str(caught.value) == optimiser_package.MISSING
    assert isinstance(caught.value, solver.PoiseError)
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_what_users_read_is_one_sentence() -> None:
    assert optimiser_package.MISSING.count(". ") == 0 and optimiser_package.MISSING.endswith(".")
    for way in ("make extension PHYSICS=1", "pip install casadi"):
        assert way in optimiser_package.MISSING


def test_it_is_not_imported_with_the_module() -> None:
    """A module that imports CasADi at its top would make all of Poise need it."""
    assert not hasattr(optimiser_package, "casadi")
