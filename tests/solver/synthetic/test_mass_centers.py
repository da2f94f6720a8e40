# SPDX-License-Identifier: GPL-3.0-or-later
"""The pelvis is where the centre of mass follows its path, and the feet keep their poses."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.body.skeleton import Up
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError
from poise.solver.synthetic.axes import to_y_up
from poise.solver.synthetic.mass_centers import follow_with_center_of_mass, height_by_extension
from poise.solver.synthetic.puppet import MIRROR, FootPose, Puppet, Side, degrees

from .checks import UPS

FRAMES = 20


def crouching(up: Up) -> tuple[Puppet, dict[Side, FootPose], Array]:
    """A human that leans, its feet at rest, and a path of the centre of mass at which it crouches and sways."""
    puppet = Puppet(synthetic.human(up), FRAMES)
    puppet.turn("HumanoidRoot", degrees(np.linspace(0.0, 40.0, FRAMES), 5.0, 0.0))
    feet = {side: puppet.stand_at_rest(side) for side in MIRROR}
    share = np.linspace(0.0, 1.0, FRAMES)
    path = np.stack([0.03 * np.sin(6.0 * share), 0.95 - 0.25 * share, 0.05 * share], axis=-1)
    return puppet, feet, path


@pytest.mark.parametrize("up", UPS)
def test_center_of_mass_and_feet_are_where_they_should_be(up: Up) -> None:
    puppet, feet, path = crouching(up)
    follow_with_center_of_mass(puppet, path, feet, 0.05)
    state, size = puppet.state(), puppet.skeleton.size
    assert np.abs(to_y_up(state.center_of_mass(), up) - path).max() < 1e-12 * size
    for side, pose in feet.items():
        ball = state.positions[:, puppet.skeleton.index(side + "metatarsal")]
        assert np.abs(ball - pose.ball).max() < 1e-12 * size


def test_a_path_out_of_reach_is_refused_or_approached() -> None:
    puppet, feet, path = crouching("y")
    path[7, 1] += 0.4
    with pytest.raises(MotionError, match="frame 7"):
        follow_with_center_of_mass(puppet, path, feet, 0.0)
    follow_with_center_of_mass(puppet, path, feet, 0.0, or_nearest=True)
    state = puppet.state()
    assert np.abs(state.center_of_mass() - path).max() < 1e-12, "the centre of mass follows even there"
    off = np.abs(state.positions[:, puppet.skeleton.index("l_metatarsal")] - feet["l_"].ball).max(axis=1)
    assert off[7] > 0.1
    assert np.delete(off, 7).max() < 1e-12


@pytest.mark.parametrize("extension", [0.9, 0.97])
def test_the_height_extends_the_leg_as_much_as_asked(extension: float) -> None:
    puppet, feet, path = crouching("y")
    path[:, 1] *= 0.2
    height = height_by_extension(puppet, path, feet, 0.0, "l_", extension)
    follow_with_center_of_mass(puppet, path + np.array([0.0, height, 0.0]), feet, 0.0)
    places = puppet.state().positions
    hip, ankle = (places[:, puppet.skeleton.index("l_" + joint)] for joint in ("hip", "talocrural"))
    lengths = np.linalg.norm(hip - ankle, axis=1)
    assert lengths.max() / puppet.leg_length("l_") == pytest.approx(extension, abs=1e-8)
