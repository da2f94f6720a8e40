# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be installed is said in one sentence."""

from __future__ import annotations

import pytest

from poise.batch import requirements


def test_nothing_is_missing_here() -> None:
    assert requirements.missing_requirement() == ""


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "NEEDED", "a_library_that_is_not_there")
    assert "NumPy" in requirements.missing_requirement() and "install" in requirements.missing_requirement()
