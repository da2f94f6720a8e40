# SPDX-License-Identifier: GPL-3.0-or-later
"""How far plants stand from a ground, and which ground they suggest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import solver
from poise.solver.body.skeleton import Up
from poise.solver.constraints.ground_estimate import NEAR, estimate_ground, ground_gaps
from poise.solver.core import rotations
from poise.solver.core.errors import ConstraintError
from poise.solver.synthetic import walk

from ..grounds import climber
from ..made_up import placed, plant_of


def walked(up: Up = "y", steps: int = 8) -> tuple[solver.Clip, list[solver.Footplant]]:
    made = walk(steps=steps, fps=60.0, up=up)
    return made.clip, [plant_of(contact) for contact in made.contacts]


@pytest.mark.parametrize("up", ["y", "z"])
def test_gaps_are_heights_above_the_ground(up: Up) -> None:
    clip, plants = walked(up)
    size = clip.skeleton.size
    np.testing.assert_allclose(ground_gaps(clip, plants, solver.Ground(-0.1 * size)) / size, 0.1, atol=2e-3)
    np.testing.assert_allclose(ground_gaps(clip, plants, solver.Ground(0.1 * size)) / size, -0.1, atol=2e-3)


def test_moved_plants_are_looked_at_above_their_new_places() -> None:
    clip, plants = walked()
    slope = solver.Ground(lambda x, z: 0.1 * x)
    plant = replace(plants[2], heel_strike=None, heel_off=None)
    aside = ground_gaps(clip, [plant.moved((1.0, 5.0, 0.0))], slope) - ground_gaps(clip, [plant], slope)
    np.testing.assert_allclose(aside, -0.1, atol=1e-9)


def test_where_there_is_no_ground_there_is_no_gap() -> None:
    clip, plants = walked()
    elsewhere = solver.Ground.of_mesh([[90, 0, 90], [91, 0, 90], [90, 0, 91]], [[0, 2, 1]])
    assert np.isnan(ground_gaps(clip, plants, elsewhere)).all()


def test_stairs_lie_under_their_climber() -> None:
    clip, plants, stairs = climber()
    size = clip.skeleton.size
    ground = solver.Ground.of_mesh(*stairs, headroom=0.5 * size)
    assert np.abs(ground_gaps(clip, plants, ground)).max() < 0.25 * NEAR * size
    assert np.abs(ground_gaps(clip, plants, solver.Ground(0.0))).max() > 4.0 * NEAR * size


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("height", [0.0, -3.0])
def test_a_level_walk_has_a_level_ground(up: Up, height: float) -> None:
    clip, plants = walked(up)
    lift = np.zeros(3)
    lift[clip.skeleton.up_axis] = height
    found = estimate_ground(placed(clip, rotations.IDENTITY, lift), plants)
    assert found.level == pytest.approx(height, abs=0.005 * clip.skeleton.size)


def test_a_slope_is_found_along_the_way_and_not_across() -> None:
    clip, plants = walked()
    tilt = rotations.from_axis_angle((1.0, 0.0, 0.0), -0.15)
    found = estimate_ground(placed(clip, tilt), plants)
    assert found.level is None
    ahead, aside = found.heights(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), 1)[[0, 2]]
    here = found.heights(np.zeros((1, 3)), 1)[0]
    assert ahead - here == pytest.approx(np.tan(0.15), abs=0.01)
    assert aside - here == pytest.approx(0.0, abs=0.01)
    assert np.abs(ground_gaps(placed(clip, tilt), plants, found)).max() < NEAR * clip.skeleton.size


def test_a_steep_slope_is_where_the_soles_are() -> None:
    """Heels and balls are their clearances above it along its normal, not along the vertical."""
    clip, plants = walked()
    tilt = rotations.from_axis_angle((1.0, 0.0, 0.0), -0.4)
    steep = placed(clip, tilt)
    found = estimate_ground(steep, plants)
    assert np.abs(ground_gaps(steep, plants, found)).max() < 1e-5 * clip.skeleton.size
    normal = rotations.rotate(tilt, np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(found.normals(np.zeros((1, 3)), 1)[0], normal, atol=1e-4)
    assert found.heights(np.zeros((1, 3)), 1)[0] == pytest.approx(0.0, abs=1e-5 * clip.skeleton.size)


def test_some_plants_may_stand_on_something_else() -> None:
    clip, plants = walked()
    size = clip.skeleton.size
    raised = solver.deform(clip, [plants[3].moved((0.0, 0.2 * size, 0.0)), *plants[:3], *plants[4:]]).clip
    found = estimate_ground(raised, plants)
    assert found.level == pytest.approx(0.0, abs=0.005 * size)
    assert ground_gaps(raised, plants, found)[3] > 0.15 * size


def test_stairs_are_no_plane_and_the_sentence_says_what_to_do() -> None:
    clip, plants, _ = climber()
    flight = [replace(plant) for plant in plants]
    size = clip.skeleton.size
    up_and_down = placed(clip, rotations.IDENTITY, (0.0, 0.0, 3.0 * size))
    both = solver.Clip(
        clip.skeleton,
        solver.Motion(
            np.concatenate([clip.motion.rotations, up_and_down.motion.rotations[::-1]]),
            np.concatenate([clip.motion.translations, up_and_down.motion.translations[::-1]]),
        ),
        clip.fps,
    )
    last = both.frames - 1
    for plant in plants:
        stays = {part: (last - end, last - begin) for part, (begin, end) in plant.stays.items()}
        events = {
            f"{part}_{event}": time
            for part, stay in stays.items()
            for event, time in zip(("strike", "off"), stay, strict=True)
        }
        flight.append(solver.Footplant(foot=plant.foot, **events))  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match=r"do not stand in one plane.*leave the ground off"):
        estimate_ground(both, flight)


def test_without_plants_nothing_is_estimated() -> None:
    clip, _ = walked()
    with pytest.raises(ConstraintError, match="without footplants"):
        estimate_ground(clip, [])
