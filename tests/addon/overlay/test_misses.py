# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines lead from where a point is to where it should be, with the distance between them."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon.overlay.misses import Miss, miss_picture, missed_lines, misses_of
from poise.addon.overlay.palette import Palette, palette_of
from poise.solver import synthetic


@pytest.fixture(scope="module")
def clip() -> solver.Clip:
    return synthetic.walk(steps=4, fps=30.0).clip


@pytest.fixture
def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def missed_pin(clip: solver.Clip) -> tuple[solver.Deformation, list[Miss], np.ndarray]:
    far = clip.position("l_wrist")[30] + [0.0, 2.0, 0.0]
    pin = solver.ShapeConstraint("l_wrist", 20, 40, points=[solver.ConstraintPoint(far, 30)], recruit=2)
    there = [solver.ConstraintPoint(clip.position("r_wrist")[30], 30)]
    held = solver.ShapeConstraint("r_wrist", 20, 40, points=there, priority=2)
    deformed = solver.deform(clip, [held, pin])
    return deformed, misses_of(deformed, deformed.clip, deformed.report.residuals, ("held", "pin")), far


def test_a_line_leads_to_the_target_that_is_missed(clip: solver.Clip, palette: Palette) -> None:
    deformed, misses, far = missed_pin(clip)
    assert [miss.uid for miss in misses] == ["pin"]
    ((place, target, distance),) = missed_lines(misses[0], deformed.clip, 30)
    np.testing.assert_allclose(target, far, atol=1e-9)
    np.testing.assert_allclose(place, deformed.clip.position("l_wrist")[30], atol=1e-9)
    assert distance == pytest.approx(float(np.linalg.norm(far - place))) and distance > 0.5
    picture = miss_picture(misses, deformed.clip, 30, palette, lambda length: f"{length:.3f} units")
    ends = picture.vertices["bold"].places[[0, -1]]
    np.testing.assert_allclose(ends, [place, far], atol=1e-5)
    assert [label.text for label in picture.labels] == [f"{distance:.3f} units"]
    assert picture.vertices["bold"].colors[:, :3] == pytest.approx(
        np.tile(np.float32(palette.missed[:3]), (len(picture.vertices["bold"].colors), 1))
    )


def test_frames_in_which_nothing_is_missed_have_no_line(clip: solver.Clip, palette: Palette) -> None:
    deformed, misses, _ = missed_pin(clip)
    assert missed_lines(misses[0], deformed.clip, 5) == []
    assert miss_picture(misses, deformed.clip, 5, palette, str).is_empty


def test_a_missed_angle_is_written_at_the_joint(clip: solver.Clip, palette: Palette) -> None:
    turned = solver.rotations.multiply(solver.rotations.exp(np.array([0.0, 0.0, 2.5])), clip.orientation("l_elbow")[30])
    first = solver.OrientationConstraint("l_elbow", 20, 40, points=[solver.ConstraintPoint(turned, 28, 32)])
    other = solver.OrientationConstraint(
        "l_elbow", 20, 40, points=[solver.ConstraintPoint(clip.orientation("l_elbow")[30], 28, 32)], priority=2
    )
    deformed = solver.deform(clip, [first, other])
    (miss,) = misses_of(deformed, deformed.clip, deformed.report.residuals, ("first", "other"))
    assert miss.uid == "first" and not miss.targets
    picture = miss_picture([miss], deformed.clip, 30, palette, str)
    assert picture.labels[0].text.endswith("\N{DEGREE SIGN} off")
    assert float(picture.labels[0].text.split("\N{DEGREE SIGN}")[0]) == pytest.approx(math.degrees(2.5), rel=0.05)
    np.testing.assert_allclose(picture.labels[0].place, deformed.clip.position("l_elbow")[30], atol=1e-9)


def test_a_stale_line_is_faint(clip: solver.Clip, palette: Palette) -> None:
    deformed, misses, _ = missed_pin(clip)
    picture = miss_picture(misses, deformed.clip, 30, palette, str, strength=0.4, with_texts=False)
    assert picture.vertices["bold"].colors[:, 3] == pytest.approx(0.4) and not picture.labels
