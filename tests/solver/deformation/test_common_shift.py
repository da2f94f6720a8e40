# SPDX-License-Identifier: GPL-3.0-or-later
"""The shift that the plants of both feet have in common, and the displacement of a body that it carries."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.constraints import Balance, Constraint, Footplant, Source
from poise.solver.core.arrays import Array
from poise.solver.deformation.common_shift import carried, common_shift
from poise.solver.deformation.rows import Rows
from poise.solver.deformation.timeline import Timeline

from ..standing import displaced, standing_human
from .drafts import drafting


@pytest.fixture(scope="module")
def clip() -> Clip:
    return standing_human(121, fps=60.0)


def plant(foot: str, begin: float, end: float, shift: tuple[float, float, float]) -> Footplant:
    events = {"heel_strike": begin, "toe_strike": begin, "heel_off": end, "toe_off": end}
    return Footplant(foot=foot, shift=shift, **events)  # type: ignore[arg-type]


def shift_of(clip: Clip, *constraints: Constraint) -> Array:
    found = common_shift(Timeline.of(Source(clip), constraints))
    assert found is not None
    return found


def test_feet_that_are_shifted_alike_carry_the_body(clip: Clip) -> None:
    shift = (0.1, 0.3, -0.2)
    found = shift_of(clip, plant("left", 10, 50, shift), plant("right", 40, 90, shift))
    np.testing.assert_allclose(found, np.tile(shift, (121, 1)), atol=1e-9)


def test_a_foot_that_is_shifted_alone_carries_nothing(clip: Clip) -> None:
    for other in ((0.0, 0.0, 0.0), (-0.1, 0.0, 0.0), (0.0, 0.1, 0.0)):
        found = shift_of(clip, plant("left", 10, 50, (0.1, 0.0, 0.0)), plant("right", 40, 90, other))
        assert np.abs(found).max() < 1e-9
    assert common_shift(Timeline.of(Source(clip), [plant("left", 10, 50, (0.1, 0.0, 0.0)), Balance()])) is None


def test_feet_that_are_turned_in_their_places_carry_nothing(clip: Clip) -> None:
    """How they roll, or point, is no shift."""
    plants = (plant("left", 10, 50, (0.0, 0.0, 0.0)), plant("right", 40, 90, (0.0, 0.0, 0.0)))
    assert np.abs(shift_of(clip, *(each.turned(0.7) for each in plants))).max() < 1e-9


def test_on_stairs_the_shift_rises_from_plant_to_plant(clip: Clip) -> None:
    plants = [
        plant(foot, begin, begin + 20, (0.0, height, 0.0))
        for foot, begin, height in (("left", 0, 0.1), ("right", 20, 0.2), ("left", 40, 0.3), ("right", 60, 0.4))
    ]
    heights = shift_of(clip, *plants)[:, 1]
    assert (np.diff(heights) > -1e-9).all()
    assert heights[0] == pytest.approx(2.0 * 0.1 * 0.2 / 0.3) and heights[100] == pytest.approx(2.0 * 0.3 * 0.4 / 0.7)


def test_feet_that_slide_about_their_places_carry_nothing(clip: Clip) -> None:
    translations = clip.motion.translations.copy()
    translations[:, 0, 0] += 0.05 * np.sin(np.arange(121) * 2.0 * np.pi / 40.0)
    sliding = clip.with_motion(type(clip.motion)(clip.motion.rotations, translations))
    plants = [plant("left", 0, 79, (0.0, 0.0, 0.0)), plant("right", 20, 99, (0.0, 0.0, 0.0))]
    assert np.abs(shift_of(sliding, *plants)).max() < 0.01


def test_the_root_is_carried_unless_plants_do_not_recruit_it(clip: Clip) -> None:
    shift = (0.1, 0.3, -0.2)
    plants = [plant("left", 10, 100, shift), plant("right", 10, 100, shift)]
    for recruit, is_carried in ((None, True), (2, False)):
        chosen = [Footplant(**{**vars(each), "recruit": recruit}) for each in plants]
        hand = displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 10, 40, 60, 90)
        solving = drafting(clip, [*chosen, hand])
        frames, columns = solving.draft.knots.frames, solving.draft.columns
        rows = Rows(solving.tasks, frames, columns)
        moved = carried(solving.timeline, rows, WorldState.of(clip.skeleton, clip.motion.at(frames)))
        expected = np.array(shift) / columns.scale[:3] if is_carried else np.zeros(3)
        free = rows.movable[:, 0]
        np.testing.assert_allclose(moved[free][:, :3], np.tile(expected, (free.sum(), 1)), atol=1e-9)
        assert not moved[:, 3:].any() and free.any()
