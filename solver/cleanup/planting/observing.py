# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a limb in the frames of a motion, and its state after an adjustment.

All arrays lead with the frame axis. "Extremity" is the hand or the foot: what the end of a limb, wrist or ankle,
carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...body.joints import BodyPoint
from ...body.motion import Motion
from ...body.skeleton import Skeleton
from ...body.tree import Tree
from ...core.arrays import Array, BoolArray
from ...core.errors import SkeletonError
from ...core.rotations import conjugate, exp, from_axis_angle, multiply, rotate, scaled
from ..limbs import Limb
from .frames import identities
from .pelvis import Pelvis


class LimbState(NamedTuple):
    """A limb in the world, in every frame."""

    arm: Array
    """(frames, 3) from the pelvis to where the limb hangs on it; 0 where there is no pelvis."""
    parent_rotation: Array
    """(frames, 4) of the ball joint's parent."""
    ball: Array
    """(frames, 3) position of the ball joint, hip or shoulder."""
    hinge: Array
    """(frames, 3) position of knee or elbow."""
    axis: Array
    """(frames, 3) unit axis of the hinge."""
    end: Array
    """(frames, 3) position of ankle or wrist."""
    end_parent_rotation: Array
    """(frames, 4) of the end's parent."""
    end_rotation: Array
    """(frames, 4) of the end: the orientation of the extremity."""
    points: tuple[Array, Array]
    """(frames, 3) each: the points that can be planted; a limb with one such point has it twice."""
    is_on_toes: BoolArray
    """(frames,) whether the second point is the joint that bends the toes: where their tip is planted."""
    toes: Array
    """(frames, 3) position of the joint that bends the toes; of the end where there are none."""
    toes_rotation: Array
    """(frames, 4) of the joint that bends the toes."""
    local_rotations: tuple[Array, Array, Array]
    """(frames, 4) each: of ball joint, hinge and end."""
    bones: Array
    """(frames, joints, 3) the local translations of the joints from below the ball joint down to the end."""
    extremity_rotations: Array
    """(frames, joints, 4) the local rotations of the joints `Extremity.joints`."""
    extremity_translations: Array
    """(frames, joints, 3) the local translations of these joints."""


class Adjustment(NamedTuple):
    """The differences of a limb's parameters from the source."""

    ball_rotation: Array
    """(frames, 4) multiplies the ball joint's local rotation from the left."""
    bend: Array
    """(frames,) is added to the hinge's bend, in radians."""
    scale: Array
    """(frames,) multiplies the lengths of both bones."""
    end_rotation: Array
    """(frames, 4) multiplies the end's local rotation from the left."""
    extremity_rotations: Array
    """(frames, rigid joints, 4) multiply the local rotations of the first of `Extremity.joints` from the left."""

    @staticmethod
    def none(frames: int, extremity_joints: int = 0) -> Adjustment:
        """The adjustment that leaves a limb as it is."""
        inside = identities(frames * extremity_joints).reshape(frames, extremity_joints, 4)
        return Adjustment(identities(frames), np.zeros(frames), np.ones(frames), identities(frames), inside)


class Observer:
    """Forward kinematics of the joints that some limbs need."""

    def __init__(self, skeleton: Skeleton, limbs: Sequence[Limb]) -> None:
        """Take a character and those of its limbs that are cleaned."""
        tree = skeleton.tree
        roots = {tree.chain(limb.ball)[-1] for limb in limbs}
        if len(roots) > 1:
            names = ", ".join(repr(skeleton.names[root]) for root in sorted(roots))
            raise SkeletonError(f"The limbs hang on several roots ({names}); clean those of one root at a time.")
        self.root = roots.pop() if roots else 0
        """The root joint of all limbs."""
        self.pelvis = Pelvis(skeleton)
        needed = np.zeros(len(skeleton), dtype=bool)
        for limb in limbs:
            for point in (*limb.points.values(), BodyPoint(limb.end), *([limb.toes.tip] if limb.toes else [])):
                needed |= tree.carriers(int(point.joint))
        self._joints = np.flatnonzero(needed)
        row = {int(joint): number for number, joint in enumerate(self._joints)}
        self._tree = Tree(np.array([row.get(int(skeleton.parents[joint]), -1) for joint in self._joints]))
        self.extremities = tuple(Extremity(skeleton, limb) for limb in limbs)
        """Of each limb."""
        self._rows = [
            _Rows(skeleton, limb, extremity, self.pelvis, row)
            for limb, extremity in zip(limbs, self.extremities, strict=True)
        ]

    def states(self, motion: Motion) -> tuple[LimbState, ...]:
        """The state of each limb in a motion."""
        local = motion.rotations[:, self._joints], motion.translations[:, self._joints]
        world = self._tree.accumulate(*local)
        return tuple(rows.state(world, local) for rows in self._rows)


class Extremity:
    """The joints below the end of a limb on which the positions of its points and of its toes depend."""

    def __init__(self, skeleton: Skeleton, limb: Limb) -> None:
        """Take a limb of a character."""
        tree = skeleton.tree
        moves = np.zeros(len(skeleton), dtype=bool)
        for point in limb.points.values():
            moves |= tree.carriers(int(point.joint if any(point.offset) else skeleton.parents[int(point.joint)]))
        if limb.toes is not None:
            moves |= tree.carriers(int(skeleton.parents[limb.toes.joint]))
        moves &= tree.ancestry[:, limb.end]
        moves[limb.end] = False
        self.rigid_joints: tuple[int, ...] = tuple(np.flatnonzero(moves).tolist())
        """Those whose rotations move points or toes, parents first: fixed while the limb is planted."""
        points = [*limb.points.values()]
        leaves = [points[0], points[-1], BodyPoint(limb.toes.joint if limb.toes else limb.end)]
        inner = (limb.end, *self.rigid_joints)
        others = dict.fromkeys(int(leaf.joint) for leaf in leaves if int(leaf.joint) not in inner)
        self.joints = (*self.rigid_joints, *others)
        """The rigid ones, and those on which points and toes lie."""
        row = {joint: number for number, joint in enumerate((limb.end, *self.joints))}
        self._tree = Tree(np.array([-1, *(row[int(skeleton.parents[joint])] for joint in self.joints)]))
        self._leaves = [(row[int(leaf.joint)], leaf.local) for leaf in leaves]
        self.toes = int(leaves[2].joint)
        """The joint that bends the toes; the end where there are none."""
        self._tip = np.zeros(3) if limb.toes is None else limb.toes.tip.local

    def toe_tip(self, state: LimbState) -> Array:
        """(frames, 3) the positions of the tip of the toes; of the end where there are none."""
        return np.asarray(state.toes + rotate(state.toes_rotation, self._tip))

    def posed(self, state: LimbState, local_rotations: Array) -> LimbState:
        """The state of a limb whose rigid joints have the local rotations (frames, rigid joints, 4)."""
        others = state.extremity_rotations[:, len(self.rigid_joints) :]
        local = np.concatenate([state.end_rotation[:, None], local_rotations, others], axis=1)
        translations = np.concatenate([state.end[:, None], state.extremity_translations], axis=1)
        world_rotations, positions = self._tree.accumulate(local, translations)
        one, other, toes = (positions[:, row] + rotate(world_rotations[:, row], offset) for row, offset in self._leaves)
        points = one, np.where(state.is_on_toes[:, None], toes, other)
        return state._replace(points=points, toes=toes, toes_rotation=world_rotations[:, self._leaves[2][0]])


class _Rows:
    """Where the parts of one limb stand among the joints that an observer needs."""

    def __init__(
        self, skeleton: Skeleton, limb: Limb, extremity: Extremity, pelvis: Pelvis, row: dict[int, int]
    ) -> None:
        chain = skeleton.tree.chain(limb.ball)
        hanging = [joint for joint in chain if pelvis.joint in chain and joint in pelvis.hanging]
        self.arm = (row[pelvis.joint], row[hanging[0]]) if pelvis.joint is not None and hanging else (0, 0)
        self.parent, self.end_parent = (row[int(skeleton.parents[joint])] for joint in (limb.ball, limb.end))
        self.ball, self.hinge, self.end = row[limb.ball], row[limb.hinge], row[limb.end]
        self.axis = np.array(limb.axis)
        points = [(row[int(point.joint)], point.local) for point in limb.points.values()]
        self.points = (points[0], points[-1])
        self.toes = row[extremity.toes]
        self.extremity = [row[joint] for joint in extremity.joints]
        self.bones = [row[joint] for joint in limb.chain(skeleton)]

    def state(self, world: tuple[Array, Array], local: tuple[Array, Array]) -> LimbState:
        """The state of the limb, given world and local rotations and translations (frames, needed joints, …)."""
        (world_rotations, positions), (local_rotations, local_translations) = world, local
        one, other = (positions[:, row] + rotate(world_rotations[:, row], offset) for row, offset in self.points)
        return LimbState(
            arm=positions[:, self.arm[1]] - positions[:, self.arm[0]],
            parent_rotation=world_rotations[:, self.parent],
            ball=positions[:, self.ball],
            hinge=positions[:, self.hinge],
            axis=rotate(world_rotations[:, self.hinge], self.axis),
            end=positions[:, self.end],
            end_parent_rotation=world_rotations[:, self.end_parent],
            end_rotation=world_rotations[:, self.end],
            points=(one, other),
            is_on_toes=np.zeros(len(one), dtype=bool),
            toes=positions[:, self.toes],
            toes_rotation=world_rotations[:, self.toes],
            local_rotations=(
                local_rotations[:, self.ball],
                local_rotations[:, self.hinge],
                local_rotations[:, self.end],
            ),
            bones=local_translations[:, self.bones],
            extremity_rotations=local_rotations[:, self.extremity],
            extremity_translations=local_translations[:, self.extremity],
        )


def turned_arm(limb: LimbState, turn: Array) -> Array:
    """(frames, 3) how far a pelvis that turns by rotation vectors (frames, 3) carries a limb."""
    return np.asarray(rotate(exp(turn), limb.arm) - limb.arm)


def adjusted(limb: LimbState, root: Array, by: Adjustment) -> LimbState:
    """The state of a limb after a displacement of the root (frames, 3) and an adjustment.

    The rotations inside the extremity are not applied: see `Extremity.posed`.
    """
    upper = multiply(multiply(limb.parent_rotation, by.ball_rotation), conjugate(limb.parent_rotation))
    lower = multiply(upper, from_axis_angle(limb.axis, by.bend))
    end_turn = multiply(multiply(limb.end_parent_rotation, by.end_rotation), conjugate(limb.end_parent_rotation))
    foot = multiply(lower, end_turn)
    ball = limb.ball + root
    hinge = ball + scaled(rotate(upper, limb.hinge - limb.ball), by.scale)
    end = hinge + scaled(rotate(lower, limb.end - limb.hinge), by.scale)
    one, other = (end + rotate(foot, point - limb.end) for point in limb.points)
    return limb._replace(
        ball=ball,
        hinge=hinge,
        axis=rotate(upper, limb.axis),
        end=end,
        end_parent_rotation=multiply(lower, limb.end_parent_rotation),
        end_rotation=multiply(foot, limb.end_rotation),
        points=(one, other),
        toes=end + rotate(foot, limb.toes - limb.end),
        toes_rotation=multiply(foot, limb.toes_rotation),
    )


def combined(first: Adjustment, then: Adjustment) -> Adjustment:
    """The adjustment that does the first one and then the second one, whose extremity rotations do not count."""
    return Adjustment(
        multiply(then.ball_rotation, first.ball_rotation),
        first.bend + then.bend,
        first.scale * then.scale,
        multiply(then.end_rotation, first.end_rotation),
        first.extremity_rotations,
    )
