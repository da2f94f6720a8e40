# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds while a bone is dragged, as tasks."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.workflows import pins, posture_tasks
from poise.addon.workflows.posture_tasks import DRAG, OBSTACLE, PIN, Drag, Held, Obstacles
from poise.solver import Clip, JointKind

HAND, FOOT = "l_wrist", "r_talocrural"


@pytest.fixture
def clip(armature: bpy.types.Object) -> Clip:
    return translation.clip_with_settings(armature, bridge.read_shown(armature))


def test_a_chain_leaves_out_what_does_not_move_the_point(clip: Clip) -> None:
    skeleton = clip.skeleton
    joint, elbow = skeleton.index(HAND), skeleton.index("l_elbow")
    assert Drag.of(skeleton, joint, (0.0, 0.0, 0.0)).chain[0] == elbow
    assert Drag.of(skeleton, joint, (0.0, 0.1, 0.0)).chain[0] == joint
    stiff = skeleton.with_kinds({"l_elbow": JointKind.FIXED})
    assert elbow not in Drag.of(stiff, joint, (0.0, 0.1, 0.0)).chain


def test_tasks_come_in_their_order(armature: bpy.types.Object, clip: Clip) -> None:
    pins.pin(armature, ["skullbase"], "ROTATION")
    settings = armature.poise.posture
    settings.keep_rotation = True
    drag = Drag.of(clip.skeleton, clip.skeleton.index(HAND), (0.0, 0.0, 0.0))
    held = Held.of(armature, clip, drag)
    (stage,) = held.stages(settings, drag)
    tasks = held.tasks(stage, settings, drag, clip, np.zeros(3))
    assert [task.priority for task in tasks] == sorted((task.priority for task in tasks), reverse=True)
    kinds = {task.priority: type(task) for task in tasks}
    assert kinds[OBSTACLE] is solver.HalfSpaceTask and kinds[DRAG] is solver.PositionTask
    assert sum(task.priority == PIN for task in tasks) == 5  # two feet, in place and rotation, and the head's rotation
    for task in tasks:
        task.check(clip.skeleton, 1)
        if task.priority > DRAG:
            assert np.abs(task.error(clip.world)).max() < 1e-9  # nothing jumps when a drag begins


def test_fewer_bones_reach_first_and_the_others_balance_then(armature: bpy.types.Object, clip: Clip) -> None:
    settings = armature.poise.posture
    settings.use_all, settings.recruit_level = False, 1
    drag = Drag.of(clip.skeleton, clip.skeleton.index(HAND), (0.0, 0.0, 0.0))
    held = Held.of(armature, clip, drag)
    reaching, balancing = held.stages(settings, drag)

    def movable(stage: posture_tasks.Stage) -> set[str]:
        kinds = zip(stage.skeleton.names, stage.skeleton.kinds, strict=True)
        return {name for name, kind in kinds if kind is not JointKind.FIXED}

    assert movable(reaching) == {"l_elbow", "l_shoulder"}
    assert not movable(reaching) & movable(balancing) and "HumanoidRoot" in movable(balancing)
    assert held.stages(settings, drag)[0].skeleton is reaching.skeleton
    settings.balance = "OFF"
    assert len(held.stages(settings, drag)) == 1


def test_a_pin_on_a_bone_that_is_no_joint_is_said(armature: bpy.types.Object, clip: Clip) -> None:
    pins.pin(armature, [HAND], "BOTH")
    without = clip.skeleton.names.index(HAND)
    other = clip.skeleton.replace(
        names=tuple("x" if n == without else name for n, name in enumerate(clip.skeleton.names))
    )
    drag = Drag.of(other, other.index("r_wrist"), (0.0, 0.0, 0.0))
    with pytest.raises(translation.TranslationError, match="Pinned bone 'l_wrist' is none"):
        Held.of(armature, Clip(other, clip.motion, clip.fps), drag)


def test_the_ground_is_that_of_the_panel_else_the_floor(armature: bpy.types.Object, clip: Clip) -> None:
    def ground_height() -> float:
        ground = Obstacles.of(armature, clip).ground
        assert ground is not None
        return float(ground.heights(np.zeros((1, 3)), 2)[0])

    assert ground_height() == pytest.approx(0.0, abs=0.05)
    armature.poise.use_ground, armature.poise.ground_kind, armature.poise.ground_height = True, "PLANE", -0.4
    assert ground_height() == pytest.approx(-0.4)
    armature.poise.posture.use_ground = False
    assert Obstacles.of(armature, clip).ground is None


def test_what_is_below_the_ground_already_may_stay_there(armature: bpy.types.Object, clip: Clip) -> None:
    armature.poise.use_ground, armature.poise.ground_kind, armature.poise.ground_height = True, "PLANE", 0.5
    tasks = Obstacles.of(armature, clip).tasks(clip)
    assert tasks and all(np.abs(task.error(clip.world)).max() < 1e-9 for task in tasks)
