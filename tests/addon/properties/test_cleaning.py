# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of Clean Up: by default those of the solver, and each of them reaches it."""

from __future__ import annotations

import dataclasses

import bpy
import pytest

from poise.addon.properties.cleaning import FIELDS, clean_settings
from poise.solver import CleanSettings


def cleaning() -> object:
    return bpy.data.objects.new("Anything", None).poise.cleaning


def test_the_defaults_are_those_of_the_solver() -> None:
    found, wanted = clean_settings(cleaning()), CleanSettings()  # type: ignore[arg-type]
    for name in (*FIELDS, "damping"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name)), name


def test_no_setting_of_the_solver_is_left_out() -> None:
    assert {field.name for field in dataclasses.fields(CleanSettings)} == {*FIELDS, "damping", "ground"}


def test_every_value_reaches_the_solver() -> None:
    settings = cleaning()
    for number, name in enumerate(FIELDS):
        value = False if name == "stretch" else 0.05 + 0.01 * number
        setattr(settings, name, value)
        assert getattr(clean_settings(settings), name) == pytest.approx(value)  # type: ignore[arg-type]
    settings.use_damping = False  # type: ignore[attr-defined]
    assert clean_settings(settings).damping is None  # type: ignore[arg-type]
