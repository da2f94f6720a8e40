# SPDX-License-Identifier: GPL-3.0-or-later
"""What every posed motion keeps: smooth joints, bone lengths, heading, up axis, stature."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.skeleton import Up
from poise.solver.core import rotations
from poise.solver.core.errors import MotionError

from .checks import STILL, Make, angular_accelerations, contact_paths, every_motion, in_drawing_axes


@every_motion
def test_motion_is_smooth(make: Make) -> None:
    """Where position or speed jumped, accelerations would grow with the rate; where they jumped themselves, what they
    change by from frame to frame would not shrink with it."""
    coarse, fine = (angular_accelerations(make(fps=fps).clip) for fps in (300.0, 1200.0))
    sizes = [np.linalg.norm(of_rate, axis=-1).max() for of_rate in (coarse, fine)]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)
    changes = [np.linalg.norm(np.diff(of_rate, axis=0), axis=-1).max(axis=0) for of_rate in (coarse, fine)]
    assert (changes[1] < 0.35 * changes[0] + 1e-3).all(), "a quarter of the time should quarter the change"


@every_motion
def test_bones_keep_their_lengths(make: Make) -> None:
    clip = make().clip
    assert np.array_equal(clip.motion.translations[:, 1:], np.tile(clip.skeleton.offsets[1:], (clip.frames, 1, 1)))


@every_motion
def test_neighbouring_quaternions_have_the_same_sign(make: Make) -> None:
    q = make(heading=3.0).clip.motion.rotations
    assert (np.einsum("fji,fji->fj", q[1:], q[:-1]) > 0.9).all()


@every_motion
@pytest.mark.parametrize("up", ["y", "z"])
def test_heading_turns_the_whole_motion(make: Make, up: Up) -> None:
    straight, turned = make(up=up), make(up=up, heading=2.1)
    skeleton = straight.clip.skeleton
    turn = rotations.exp(2.1 * np.eye(3)[skeleton.up_axis])
    assert np.allclose(turned.clip.world.positions, rotations.rotate(turn, straight.clip.world.positions), atol=1e-12)
    for mine, theirs in zip(turned.contacts, straight.contacts, strict=True):
        assert np.allclose(mine.heel, rotations.rotate(turn, theirs.heel), atol=1e-12)
        assert np.allclose(mine.toe, rotations.rotate(turn, theirs.toe), atol=1e-12)


@every_motion
def test_z_up_is_the_same_motion(make: Make) -> None:
    y_up, z_up = make(), make(up="z")
    assert z_up.clip.up == "z"
    drawn = in_drawing_axes(z_up.clip.skeleton, z_up.clip.world.positions)
    assert np.allclose(drawn, y_up.clip.world.positions, atol=1e-12)


@every_motion
@pytest.mark.parametrize("factor", [0.6, 100.0])
def test_any_stature_moves_alike(make: Make, factor: float) -> None:
    usual, other = make(), make(synthetic.human().scaled(factor))
    assert np.allclose(other.clip.world.positions, factor * usual.clip.world.positions, atol=1e-10 * factor)
    assert np.allclose(np.abs(other.clip.motion.rotations), np.abs(usual.clip.motion.rotations), atol=1e-9)
    assert [contact.toe_off for contact in other.contacts] == [contact.toe_off for contact in usual.contacts]


@every_motion
def test_hinged_knees_and_elbows_only_bend(make: Make) -> None:
    skeleton = synthetic.human(hinges=True)
    motion = make(skeleton)
    for joint, kind in enumerate(skeleton.kinds):
        if kind is solver.JointKind.HINGE:
            swing, _ = rotations.swing_twist(motion.clip.motion.rotations[:, joint], skeleton.hinge_axes[joint])
            assert np.abs(rotations.log(swing)).max() < 1e-9, skeleton.names[joint]
    for name, places, truth in contact_paths(motion):
        assert np.abs(places - truth).max() < STILL * skeleton.size, name


@every_motion
def test_the_same_call_gives_the_same_motion(make: Make) -> None:
    one, other = make(), make()
    assert np.array_equal(one.clip.motion.rotations, other.clip.motion.rotations)
    assert np.array_equal(one.clip.motion.translations, other.clip.motion.translations)


@every_motion
@pytest.mark.parametrize("wrong", [{"fps": 0.0}, {"fps": np.nan}, {"heading": np.inf}])
def test_impossible_requests_are_refused(make: Make, wrong: dict[str, float]) -> None:
    with pytest.raises(MotionError):
        make(**wrong)


def test_only_the_made_up_human_moves_so() -> None:
    with pytest.raises(solver.PoiseError):
        synthetic.walk(synthetic.chain(3))
