# SPDX-License-Identifier: GPL-3.0-or-later
"""Implausible results are told from large edits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import solver
from poise.solver import Clip, Motion, synthetic, why_implausible


@pytest.fixture(scope="module")
def walk() -> Clip:
    return synthetic.walk(steps=3, fps=30.0).clip


@pytest.fixture(scope="module")
def plants(walk: Clip) -> list[solver.Footplant]:
    return list(solver.detect_footplants(walk))


def moved(clip: Clip, by: np.ndarray) -> Clip:
    """The clip with its root moved by (frames, 3)."""
    placed = clip.motion.translations.copy()
    placed[:, 0] += by
    return replace(clip, motion=Motion(clip.motion.rotations, placed))


def drift(clip: Clip, far: float) -> np.ndarray:
    """(frames, 3) a smooth way there and back, in sizes."""
    return far * clip.skeleton.size * np.sin(np.linspace(0.0, np.pi, clip.frames))[:, None] * [0.0, 1.0, 0.0]


def test_what_solving_and_cleaning_give_is_plausible(walk: Clip, plants: list[solver.Footplant]) -> None:
    result = solver.deform(walk, plants).clip
    assert why_implausible(walk, result, plants) == ""
    assert why_implausible(walk, solver.clean(walk, plants, method="stretch"), plants) == ""
    assert why_implausible(walk, walk, []) == ""


def test_a_body_that_flies_away_from_standing_feet_is_named(walk: Clip, plants: list[solver.Footplant]) -> None:
    why = why_implausible(walk, moved(walk, drift(walk, 4.0)), plants)
    assert why.startswith("The result is not kept: at frame ")
    assert "although the feet already stand" in why and "landmarks" in why
    ground = why_implausible(walk, moved(walk, drift(walk, 4.0)), plants, solver.Ground(-3.0))
    assert "ground" in ground


def test_frames_are_called_as_the_caller_counts_them(walk: Clip, plants: list[solver.Footplant]) -> None:
    times = 1000.0 + np.arange(walk.frames)
    why = why_implausible(walk, moved(walk, drift(walk, 4.0)), plants, times=times)
    assert "at frame 10" in why


def test_plants_that_slide_more_than_they_did_are_named(walk: Clip, plants: list[solver.Footplant]) -> None:
    slides = moved(walk, 0.4 * walk.skeleton.size * np.linspace(-1.0, 1.0, walk.frames)[:, None] * [1.0, 0.0, 0.0])
    why = why_implausible(walk, slides, plants)
    assert "would slide by" in why and plants[0].label in why


def test_what_an_animator_asks_for_may_move_the_body(walk: Clip, plants: list[solver.Footplant]) -> None:
    lifted = [plant.moved((0.0, 2.0 * walk.skeleton.size, 0.0)) for plant in plants]
    assert (
        why_implausible(walk, moved(walk, np.tile([0.0, 2.0 * walk.skeleton.size, 0.0], (walk.frames, 1))), lifted)
        == ""
    )
    there = walk.position("HumanoidRoot")[walk.frames // 2] + [0.0, -0.7 * walk.skeleton.size, 0.0]
    crouch = solver.ShapeConstraint(
        "HumanoidRoot",
        begin=0,
        end=walk.frames - 1,
        points=[solver.ConstraintPoint(there, walk.frames // 2, walk.frames // 2)],
    )
    assert why_implausible(walk, moved(walk, drift(walk, -0.7)), [*plants, crouch]) == ""
    assert why_implausible(walk, moved(walk, drift(walk, -0.7)), plants) != ""
