# SPDX-License-Identifier: GPL-3.0-or-later
"""What cleaning has to know of a limb in a frame, or in many, and how a limb looks once it is adjusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...body.joints import BodyPoint
from ...body.motion import Motion
from ...body.skeleton import Skeleton
from ...core.arrays import Array
from ...core.errors import SkeletonError
from ..components import (
    IDENTITY,
    Number,
    Quaternion,
    Vector,
    about,
    conjugate,
    minus,
    multiply,
    plus,
    rotate,
    split,
    times,
)
from ..limbs import Limb


class Inside(NamedTuple):
    """The local transforms of the joints between a limb's end and its points: fingers, the middle of a foot."""

    turned: tuple[Quaternion, ...]
    moved: tuple[Vector, ...]
    """Of these joints, and of those on which points and toes are."""
    toes: Quaternion
    """The rotation of the joint that bends the toes."""


class LimbState(NamedTuple):
    """A limb in the world; all fields are `components`, of one frame or of many."""

    above: Quaternion
    """Rotation of what the ball joint hangs on."""
    ball: Vector
    hinge: Vector
    axis: Vector
    """Unit axis of the hinge."""
    end: Vector
    before_end: Quaternion
    """Rotation of what the end hangs on."""
    turned: Quaternion
    """Rotation of the end: the orientation of hand or foot."""
    points: tuple[Vector, Vector]
    """What can be planted; a limb with one such point has it twice."""
    toes: Vector
    """Where the toes bend; the end where there are none."""
    toes_turned: Quaternion
    inside: Inside
    """The joints of hand or foot itself."""
    local: tuple[Quaternion, Quaternion, Quaternion]
    """The local rotations of ball joint, hinge and end."""
    bones: tuple[Vector, ...]
    """The local translations of the joints from below the ball joint down to the end."""


class Adjustment(NamedTuple):
    """By what the parameters of a limb differ from the source: what fades where nothing is planted."""

    hip: Quaternion
    """Turns the ball joint, in the frame of what it hangs on."""
    bend: Number
    """Is added to the hinge's angle."""
    scale: Number
    """Multiplies the lengths of both bones."""
    ankle: Quaternion
    """Turns the end, in the frame of what it hangs on."""
    inside: tuple[Quaternion, ...] = ()
    """Turn the joints of hand or foot itself, each in the frame of what it hangs on."""


UNADJUSTED = Adjustment(IDENTITY, 0.0, 1.0, IDENTITY)
"""What a limb without joints inside its hand or foot does where nothing is asked of it."""


class Observer:
    """Forward kinematics of some limbs only, one joint after the other: of a frame, or of a clip, alike."""

    def __init__(self, skeleton: Skeleton, limbs: Sequence[Limb]) -> None:
        """Take a character and those of its limbs that matter."""
        self.limbs = tuple(limbs)
        tree = skeleton.tree
        roots = {tree.chain(limb.ball)[-1] for limb in limbs}
        if len(roots) > 1:
            names = ", ".join(repr(skeleton.names[root]) for root in sorted(roots))
            raise SkeletonError(f"The limbs hang on several roots ({names}); clean those of one root at a time.")
        self.root = roots.pop() if roots else 0
        """The joint that carries them all, whose translation is in the world."""
        needed = np.zeros(len(skeleton), dtype=bool)
        for limb in limbs:
            for point in (*limb.points.values(), BodyPoint(limb.end), *([limb.toes.tip] if limb.toes else [])):
                needed |= tree.carriers(int(point.joint))
        self.joints = np.flatnonzero(needed)
        """(needed,) those whose transforms matter, parents first."""
        place = {int(joint): number for number, joint in enumerate(self.joints)}
        self._parents = [place.get(int(skeleton.parents[joint]), -1) for joint in self.joints]
        self.hands = tuple(Hand(skeleton, limb) for limb in limbs)
        """Of each limb what hangs on its end."""
        self._views = [_View(skeleton, limb, hand, place) for limb, hand in zip(self.limbs, self.hands, strict=True)]

    def of_motion(self, motion: Motion) -> tuple[LimbState, ...]:
        """Each limb in all frames of a motion."""
        turned, moved = motion.rotations[:, self.joints], motion.translations[:, self.joints]
        each = range(len(self.joints))
        return self.of_components([split(turned[:, n]) for n in each], [split(moved[:, n]) for n in each])

    def of_frame(self, turned: Array, moved: Array) -> tuple[LimbState, ...]:
        """Each limb in one frame, given the local rotations (joints, 4) and translations (joints, 3) of all joints."""
        return self.of_components(turned[self.joints].tolist(), moved[self.joints].tolist())

    def of_components(self, turned: Sequence[Any], moved: Sequence[Any]) -> tuple[LimbState, ...]:
        """Each limb, given the local rotations and translations of the needed joints."""
        world: list[tuple[Quaternion, Vector]] = []
        for parent, turn, way in zip(self._parents, turned, moved, strict=True):
            if parent < 0:
                world.append((turn, way))
            else:
                above, place = world[parent]
                world.append((multiply(above, turn), plus(place, rotate(above, way))))
        return tuple(view.seen(world, turned, moved) for view in self._views)


class Hand:
    """What hangs on the end of a limb: the joints whose rotations move its points, and where points and toes are."""

    def __init__(self, skeleton: Skeleton, limb: Limb) -> None:
        """Take a limb of a character."""
        below, tree = skeleton.tree.ancestry[:, limb.end], skeleton.tree
        moves = np.zeros(len(skeleton), dtype=bool)
        for point in limb.points.values():
            moves |= tree.carriers(int(point.joint if any(point.offset) else skeleton.parents[int(point.joint)]))
        if limb.toes is not None:
            moves |= tree.carriers(int(skeleton.parents[limb.toes.joint]))
        moves &= below
        moves[limb.end] = False
        self.joints = tuple(np.flatnonzero(moves).tolist())
        """Those whose rotations move points or toes, parents first."""
        order = {limb.end: -1} | {joint: number for number, joint in enumerate(self.joints)}
        self._parents = [order[int(skeleton.parents[joint])] for joint in self.joints]
        points = [*limb.points.values()]
        leaves = [points[0], points[-1], BodyPoint(limb.toes.joint if limb.toes else limb.end)]
        others = [int(leaf.joint) for leaf in leaves if int(leaf.joint) not in order]
        self.moved = (*self.joints, *dict.fromkeys(others))
        """Those whose translations are needed: the same, and joints on which points or toes are."""
        self.toes = int(leaves[2].joint)
        self._leaves = [
            (order[joint], None, leaf.offset)
            if joint in order
            else (order[int(skeleton.parents[joint])], self.moved.index(joint), leaf.offset)
            for joint, leaf in ((int(leaf.joint), leaf) for leaf in leaves)
        ]
        self._toes_inside = order.get(self.toes)

    def stiffened(self, limb: LimbState, turned: Sequence[Quaternion]) -> LimbState:
        """A limb whose joints inside hand or foot have these local rotations."""
        world: list[tuple[Quaternion, Vector]] = []
        wrist = limb.turned, limb.end
        for parent, turn, way in zip(self._parents, turned, limb.inside.moved, strict=False):
            above, place = world[parent] if parent >= 0 else wrist
            world.append((multiply(above, turn), plus(place, rotate(above, way))))
        found = []
        for joint, way_of, offset in self._leaves:
            above, place = world[joint] if joint >= 0 else wrist
            found.append(plus(place, rotate(above, offset if way_of is None else limb.inside.moved[way_of])))
        joint = self._leaves[2][0]
        above = world[joint][0] if joint >= 0 else wrist[0]
        toes_turned = above if self._toes_inside is not None else multiply(above, limb.inside.toes)
        return limb._replace(points=(found[0], found[1]), toes=found[2], toes_turned=toes_turned)


class _View:
    """Where the parts of one limb stand among the needed joints."""

    def __init__(self, skeleton: Skeleton, limb: Limb, hand: Hand, place: dict[int, int]) -> None:
        self.above = place[int(skeleton.parents[limb.ball])]
        self.ball, self.hinge, self.end = place[limb.ball], place[limb.hinge], place[limb.end]
        self.before_end = place[int(skeleton.parents[limb.end])]
        self.axis = limb.axis
        points = [(place[int(point.joint)], point.offset) for point in limb.points.values()]
        self.points = (points[0], points[-1])
        self.toes = place[hand.toes]
        self.inside = [place[joint] for joint in hand.joints]
        self.moved = [place[joint] for joint in hand.moved]
        self.bones = [place[joint] for joint in limb.chain(skeleton)]

    def seen(
        self, world: list[tuple[Quaternion, Vector]], turned: Sequence[Quaternion], moved: Sequence[Vector]
    ) -> LimbState:
        one, other = (plus(world[joint][1], rotate(world[joint][0], offset)) for joint, offset in self.points)
        return LimbState(
            above=world[self.above][0],
            ball=world[self.ball][1],
            hinge=world[self.hinge][1],
            axis=rotate(world[self.hinge][0], self.axis),
            end=world[self.end][1],
            before_end=world[self.before_end][0],
            turned=world[self.end][0],
            points=(one, other),
            toes=world[self.toes][1],
            toes_turned=world[self.toes][0],
            inside=Inside(
                tuple(turned[joint] for joint in self.inside),
                tuple(moved[joint] for joint in self.moved),
                turned[self.toes],
            ),
            local=(turned[self.ball], turned[self.hinge], turned[self.end]),
            bones=tuple(moved[joint] for joint in self.bones),
        )


def adjusted(limb: LimbState, root: Vector, by: Adjustment) -> LimbState:
    """A limb once its root is moved and its parameters are adjusted."""
    hip = multiply(multiply(limb.above, by.hip), conjugate(limb.above))
    shank = multiply(hip, about(limb.axis, by.bend))
    ankle = multiply(multiply(limb.before_end, by.ankle), conjugate(limb.before_end))
    foot = multiply(shank, ankle)
    ball = plus(limb.ball, root)
    hinge = plus(ball, times(by.scale, rotate(hip, minus(limb.hinge, limb.ball))))
    end = plus(hinge, times(by.scale, rotate(shank, minus(limb.end, limb.hinge))))
    one, other = (plus(end, rotate(foot, minus(point, limb.end))) for point in limb.points)
    return LimbState(
        above=limb.above,
        ball=ball,
        hinge=hinge,
        axis=rotate(hip, limb.axis),
        end=end,
        before_end=multiply(shank, limb.before_end),
        turned=multiply(foot, limb.turned),
        points=(one, other),
        toes=plus(end, rotate(foot, minus(limb.toes, limb.end))),
        toes_turned=multiply(foot, limb.toes_turned),
        inside=limb.inside,
        local=limb.local,
        bones=limb.bones,
    )


def combined(first: Adjustment, then: Adjustment) -> Adjustment:
    """One adjustment after the other, which leaves hand or foot itself as it is."""
    return Adjustment(
        multiply(then.hip, first.hip),
        first.bend + then.bend,
        first.scale * then.scale,
        multiply(then.ankle, first.ankle),
        first.inside,
    )
