# SPDX-License-Identifier: GPL-3.0-or-later
"""The thresholds of detection: checked, described, used, and with the motions that they were chosen on."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.cartwheels import cartwheel
from poise.examples.detection.labels import NAMES
from poise.examples.detection.slides import drawer
from poise.examples.detection.tracks import body_clip
from poise.solver.core.errors import ConstraintError
from poise.solver.detection import settings as module
from poise.solver.detection.settings import (
    FORCE_PLATES,
    DetectionSettings,
    FootplantSettings,
    HandplantSettings,
    RestSettings,
    SlidingSettings,
    chosen_on,
)
from poise.solver.synthetic import walk

CLASSES = [DetectionSettings, RestSettings, FootplantSettings, HandplantSettings, SlidingSettings]
SOURCES = Path(module.__file__).parent


def numbers(settings: type[Any]) -> list[str]:
    return [each.name for each in fields(settings) if each.type in ("float", "int")]


def described(settings: type[Any]) -> dict[str, str]:
    """The docstring below each field."""
    (node,) = ast.parse(inspect.getsource(settings)).body
    assert isinstance(node, ast.ClassDef)
    found = {}
    for one, after in zip(node.body, node.body[1:], strict=False):
        if isinstance(one, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            assert isinstance(one.target, ast.Name)
            found[one.target.id] = " ".join(str(after.value.value).split())
    return found


@pytest.mark.parametrize("settings", CLASSES)
def test_every_field_says_what_it_is_and_what_it_was_chosen_on(settings: type[Any]) -> None:
    told = described(settings)
    assert set(told) == {each.name for each in fields(settings)}
    for name in numbers(settings):
        assert bool(chosen_on(settings, name)) != ("Not tuned" in told[name]), name


def test_captures_that_a_value_was_chosen_on_are_labelled() -> None:
    labelled = set(NAMES)
    named = {motion for settings in CLASSES for name in numbers(settings) for motion in chosen_on(settings, name)}
    assert {motion for motion in named if not motion.startswith("made-up")} <= {*labelled, FORCE_PLATES}
    assert len(labelled - named) >= 4, "captures that are held out"


@pytest.mark.parametrize("settings", CLASSES)
def test_every_field_is_used(settings: type[Any]) -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py") if path.name != "settings.py")
    for each in fields(settings):
        assert f".{each.name}" in text, each.name


@pytest.mark.parametrize("settings", CLASSES)
@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), "much", None])
def test_bad_values_are_refused_by_name(settings: type[Any], value: object) -> None:
    for name in numbers(settings):
        with pytest.raises(ConstraintError, match=f"The setting {name} of a detection must be"):
            settings(**{name: value})


def test_a_running_median_needs_an_odd_width() -> None:
    with pytest.raises(ConstraintError, match="median_width of a detection must be an odd whole number, not 4"):
        RestSettings(median_width=4)


def test_divisors_are_not_zero() -> None:
    for settings, name in (
        (DetectionSettings, "displacement_rate"),
        (DetectionSettings, "noise_excess"),
        (RestSettings, "displacement_rate"),
        (RestSettings, "noise_sample"),
        (RestSettings, "noise_floor"),
        (RestSettings, "certain_ratio"),
    ):
        with pytest.raises(ConstraintError, match=f"The setting {name} of a detection must be larger than zero"):
            settings(**{name: 0.0})  # type: ignore[arg-type]


def test_a_share_of_the_frames_is_at_most_one() -> None:
    with pytest.raises(ConstraintError, match="fast_share of a detection must be at most 1"):
        RestSettings(fast_share=2.0)


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ConstraintError, match="RestSettings has no field 'stands'"):
        chosen_on(RestSettings, "stands")


@pytest.mark.parametrize(
    ("detector", "changed"),
    [
        (solver.detect_footplants, FootplantSettings(rest=RestSettings(shortest=2.0))),
        (solver.detect_footplants, FootplantSettings(hover_height=2.0)),
        (solver.detect_handplants, HandplantSettings(hips_above=5.0, floor_height=0.0)),
        (lambda clip, **given: solver.detect_stays(clip, "l_metatarsal", **given), RestSettings(shortest=2.0)),
    ],
)
def test_settings_change_what_is_found(detector: Callable[..., list[Any]], changed: Any) -> None:
    clip = cartwheel()[0]
    assert detector(clip) and not detector(clip, settings=changed)
    assert len(detector(clip, settings=type(changed)())) == len(detector(clip)), "the defaults"


def test_settings_of_sliding_change_what_is_found() -> None:
    clip = body_clip(drawer().body)
    assert solver.detect_sliding(clip, "body")
    assert solver.detect_sliding(clip, "body", settings=SlidingSettings(extent=5.0)) == []


def test_a_small_change_of_any_threshold_of_rest_keeps_most_of_a_walk() -> None:
    clip = walk(steps=4, skate=0.01).clip
    expected = solver.detect_footplants(clip)
    for name in numbers(RestSettings):
        if name == "median_width":
            continue
        for factor in (0.9, 1.1):
            rest = replace(RestSettings(), **{name: factor * getattr(RestSettings(), name)})
            found = solver.detect_footplants(clip, settings=FootplantSettings(rest=rest))
            assert abs(len(found) - len(expected)) <= 1, name
            assert np.median([plant.confidence for plant in found]) > 0.3, name
