# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds while the posture tool drags a bone, as tasks of the solver: ground and walls, pins, balance, the drag.

The order of importance is that of the priorities below (Le Callennec 2006, section 3.3.1, designs postures so).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import bpy
import numpy as np

from ... import solver
from ...solver import BodyPoint, Clip, Ground, JointKind, Skeleton
from .. import translation
from ..bridge.arrays import Array, BoolArray
from ..bridge.transforms import Transform
from ..properties import PoisePosture, character_of, resolve_bone
from . import latest

OBSTACLE, PIN, BALANCE, DRAG, DIRECTION, POSE = 6, 5, 4, 3, 2, 1
"""Priorities, the most important first."""

NEAR = 0.4
"""Sizes of the character: a point of the body that is farther from an obstacle has no task. The solver's intermediate
goals are shorter; where a point passes nevertheless, it has a task in the next solve."""

BODY_JOINTS = ("hips", "head", *(f"{side}_{part}" for side in ("left", "right") for part in ("elbow", "wrist", "knee")))
BODY_POINTS = (
    "head_top",
    *(f"{side}_{part}" for side in ("left", "right") for part in ("heel", "ball", "toe_tip", "fingertip")),
)
"""The landmarks that stay above the ground and in front of walls."""

EXTREMITIES = ("head", "left_wrist", "right_wrist", "left_ankle", "right_ankle")
"""Joints below these do not move for the balance: fingers weigh nothing."""

Hold = Literal["PLACE", "BOTH", "ROTATION"]


@dataclass(frozen=True)
class Drag:
    """The dragged point, and the joints that can move it."""

    point: BodyPoint
    """Its joint is an index."""
    chain: tuple[int, ...]
    """The joints that move the point, from its own upward, without those that cannot move."""

    @staticmethod
    def of(skeleton: Skeleton, joint: int, offset: tuple[float, float, float]) -> Drag:
        """The drag of a point on a joint."""
        chain = [
            above
            for above in skeleton.tree.chain(joint)
            if skeleton.kinds[above] is not JointKind.FIXED
            # A joint turns about its own head, so it does not move that.
            and (above != joint or any(offset) or skeleton.kinds[above] is JointKind.FREE)
        ]
        return Drag(BodyPoint(joint, offset), tuple(int(above) for above in chain))

    def recruited(self, settings: PoisePosture) -> tuple[int, ...]:
        """The joints of the chain that move for the drag; all of them count as the whole body."""
        return self.chain if settings.use_all else self.chain[: settings.recruit_level + 1]


@dataclass(frozen=True, eq=False)
class Obstacles:
    """The ground and the walls, for the points of the body that stay above and in front of them."""

    ground: Ground | None
    walls: tuple[Transform, ...]
    points: tuple[BodyPoint, ...]
    clearances: Array
    """(points,) the thickness of the sole under points of the feet, else 0."""
    allowed: Array
    """(points, obstacles) by how much points that were behind an obstacle at first may stay behind it."""

    @staticmethod
    def of(armature: bpy.types.Object, clip: Clip) -> Obstacles:
        """Those of an armature and the first frame of its clip."""
        settings, marks, skeleton = character_of(armature).posture, clip.skeleton.landmarks, clip.skeleton
        named = {name: getattr(marks, name) for name in (*BODY_JOINTS, *BODY_POINTS)}
        points = {
            name: mark if isinstance(mark, BodyPoint) else BodyPoint(int(mark))
            for name, mark in named.items()
            if mark is not None
        }
        clearances = np.array([skeleton.soles.get(name, 0.0) for name in points])
        walls = [wall.object for wall in settings.walls if wall.object is not None]
        found = Obstacles(
            _ground(armature, clip) if settings.use_ground else None,
            tuple(Transform.of(wall.matrix_world) for wall in walls),
            tuple(points.values()),
            clearances,
            np.zeros((len(points), 1 + len(walls))),
        )
        if not points:
            return found
        heights, _, _ = found._measured(clip)
        return replace(found, allowed=np.minimum(heights, 0.0))

    def _measured(self, clip: Clip) -> tuple[Array, Array, Array]:
        """Of each point and obstacle: the distance in front of it (points, obstacles), infinite where there is none; a
        point of its boundary and its normal (points, obstacles, 3)."""
        places = np.array([clip.position(point)[0] for point in self.points])
        shape = (len(places), 1 + len(self.walls), 3)
        boundary, normals = np.zeros(shape), np.tile([0.0, 0.0, 1.0], (*shape[:2], 1))
        distances = np.full(shape[:2], np.inf)
        if self.ground is not None:
            under = places.copy()
            under[:, 2] = self.ground.lowest_allowed(places, 2, self.clearances)
            known = np.isfinite(under[:, 2])
            boundary[known, 0], normals[known, 0] = under[known], self.ground.normals(places[known], 2)
            distances[known, 0] = ((places - under)[known] * normals[known, 0]).sum(axis=1)
        for number, wall in enumerate(self.walls, start=1):
            boundary[:, number], normals[:, number] = wall.location, wall.axes[:, 2]
            distances[:, number] = (places - wall.location) @ wall.axes[:, 2]
        return distances, boundary, normals

    def tasks(self, clip: Clip) -> list[solver.Task]:
        """A half-space for each point that is near an obstacle in the first frame of a clip."""
        if not self.points or (self.ground is None and not self.walls):
            return []
        distances, boundary, normals = self._measured(clip)
        near = np.argwhere(distances < NEAR * clip.skeleton.size)
        return [
            solver.HalfSpaceTask(
                self.points[point].joint,
                boundary[point, obstacle] + self.allowed[point, obstacle] * normals[point, obstacle],
                normals[point, obstacle],
                offset=self.points[point].offset,
                priority=OBSTACLE,
            )
            for point, obstacle in near.tolist()
        ]


def _ground(armature: bpy.types.Object, clip: Clip) -> Ground:
    """The ground that the character has; where it is off or estimated, that of the newest solve or the floor."""
    character = character_of(armature)
    if character.use_ground and character.ground_kind != "ESTIMATE":
        chosen = translation.ground_of(armature, clip)
        if chosen is not None:
            return chosen
    solved = latest.of(armature)
    if character.use_ground and solved is not None and solved.solved.grounded.ground is not None:
        return solved.solved.grounded.ground
    soles = [
        float(clip.position(getattr(clip.skeleton.landmarks, name))[0, 2]) - height
        for name, height in clip.skeleton.soles.items()
    ]
    # A character that stands below height zero has its floor there.
    return Ground(min([0.0, *soles]))


@dataclass(frozen=True)
class Stage:
    """One of the solves of an answer."""

    skeleton: Skeleton
    """With joints fixed that do not move in it."""
    drags: bool
    """Whether it brings the dragged point to its target."""
    balances: bool
    """Whether it keeps the balance."""


@dataclass(frozen=True, eq=False)
class Held:
    """All that holds during a drag but the drag itself, for the pose at its begin."""

    start: Clip
    obstacles: Obstacles
    pins: tuple[solver.Task, ...]
    pinned: tuple[int, ...]
    """The joints of the pins, by which marks are drawn and the balance is told what it stands on."""
    support: tuple[BodyPoint, ...]
    """The points that the centre of mass is balanced over."""
    for_balance: BoolArray
    """(joints,) those that move for the balance."""
    skeletons: dict[tuple[int, ...], Skeleton] = field(default_factory=dict)
    """Those of stages, by the joints that are fixed."""

    @staticmethod
    def of(armature: bpy.types.Object, start: Clip, drag: Drag) -> Held:
        """What the settings of an armature say; raises where a pinned bone does not move the character."""
        settings, skeleton = character_of(armature).posture, start.skeleton
        holds = _holds(armature, skeleton)
        if settings.feet_stay:
            for ankle in (skeleton.landmarks.left_ankle, skeleton.landmarks.right_ankle):
                if ankle is not None:
                    holds.setdefault(ankle, "BOTH")
        holds = {joint: hold for joint, hold in holds.items() if not _is_moved_with(skeleton, joint, drag, hold)}
        pins: list[solver.Task] = []
        for joint, hold in holds.items():
            if hold != "ROTATION":
                pins.append(solver.PositionTask(joint, start.position(joint)[0], priority=PIN))
            if hold != "PLACE":
                pins.append(solver.OrientationTask(joint, start.orientation(joint)[0], priority=PIN))
        return Held(
            start,
            Obstacles.of(armature, start),
            tuple(pins),
            tuple(holds),
            _support(start, drag, [joint for joint, hold in holds.items() if hold != "ROTATION"]),
            _for_balance(skeleton, drag),
        )

    def stages(self, settings: PoisePosture, drag: Drag) -> tuple[Stage, ...]:
        """The solves that bring a drag nearer: one of the whole body; or the recruited joints reach, then the others
        keep the balance, and are not used to reach."""
        whole, recruited = self.start.skeleton, drag.recruited(settings)
        balances = settings.balance != "OFF" and bool(self.support)
        if recruited == drag.chain:
            return (Stage(whole, drags=True, balances=balances),)
        others = [joint for joint in range(len(whole)) if joint not in recruited]
        reaching = Stage(self._with_fixed(others), drags=True, balances=False)
        return (reaching, Stage(self._with_fixed(recruited), drags=False, balances=True)) if balances else (reaching,)

    def _with_fixed(self, joints: Sequence[int]) -> Skeleton:
        """The character with some joints that cannot move; kept, since it recognises its landmarks once."""
        key = tuple(joints)
        if key not in self.skeletons:
            whole = self.start.skeleton
            limits = {joint: limit for joint, limit in whole.limits.items() if whole.index(joint) not in key}
            fixed = whole.replace(limits=limits).with_kinds(dict.fromkeys(key, JointKind.FIXED))
            self.skeletons[key] = fixed
        return self.skeletons[key]

    def tasks(self, stage: Stage, settings: PoisePosture, drag: Drag, now: Clip, target: Array) -> list[solver.Task]:
        """The tasks of a stage, from the present pose `now` to a target (3,) of the dragged point."""
        skeleton, recruited = stage.skeleton, drag.recruited(settings)
        tasks = [*self.obstacles.tasks(now), *self.pins]
        if stage.balances:
            tasks.append(self._balance(settings, recruited))
        joint = int(drag.point.joint)
        if stage.drags:
            tasks.append(solver.PositionTask(joint, target, offset=drag.point.offset, recruit=recruited, priority=DRAG))
        if stage.drags and settings.keep_rotation:
            own = tuple(above for above in (joint,) if skeleton.kinds[joint] is not JointKind.FIXED)
            tasks.append(
                solver.OrientationTask(
                    joint,
                    self.start.orientation(joint)[0],
                    recruit=tuple(dict.fromkeys((*own, *recruited))),
                    priority=DIRECTION,
                )
            )
        moving = np.array([kind is not JointKind.FIXED for kind in skeleton.kinds])
        moving &= np.any([task.recruited(skeleton) for task in tasks], axis=0)
        tasks.append(solver.PoseTask(self.start.pose(0), recruit=np.flatnonzero(moving).tolist(), priority=POSE))
        return tasks

    def _balance(self, settings: PoisePosture, recruited: Sequence[int]) -> solver.Task:
        middle = np.mean([self.start.position(point)[0] for point in self.support], axis=0)
        away = self.start.center_of_mass()[0] - middle if settings.balance == "KEEP" else np.zeros(3)
        moving = self.for_balance.copy()
        moving[list(recruited)] = True
        return solver.BalanceTask(self.support, away, recruit=np.flatnonzero(moving).tolist(), priority=BALANCE)


def _holds(armature: bpy.types.Object, skeleton: Skeleton) -> dict[int, Hold]:
    """What the pins hold, by joint."""
    found: dict[int, Hold] = {}
    for pin in character_of(armature).posture.pins:
        name = resolve_bone(armature, pin.bone, pin.bone_id)
        if name and name not in skeleton.names:
            raise translation.TranslationError(
                f"Pinned bone {name!r} is none of the bones that move the character: unpin it, and pin a bone that "
                "deforms instead."
            )
        if name:
            found[skeleton.index(name)] = pin.hold
    return found


def _is_moved_with(skeleton: Skeleton, pinned: int, drag: Drag, hold: Hold) -> bool:
    """Whether a drag takes a pinned joint along: the dragged joint itself, and a foot whose toes are dragged."""
    joint = int(drag.point.joint)
    if joint == pinned:
        return hold != "ROTATION"
    feet = (skeleton.landmarks.left_ankle, skeleton.landmarks.right_ankle)
    return pinned in feet and pinned in skeleton.tree.chain(joint)


def _support(start: Clip, drag: Drag, standing: Sequence[int]) -> tuple[BodyPoint, ...]:
    """The heels and balls of the feet that are not dragged, as points of the ankles; without feet the pinned joints.

    Were they points of the toes, a foot could keep the balance by lifting them.
    """
    marks, points = start.skeleton.landmarks, []
    chain = start.skeleton.tree.chain(int(drag.point.joint))
    for side in ("left", "right"):
        ankle = getattr(marks, f"{side}_ankle")
        if ankle is None or ankle in chain:
            continue
        foot = Transform.from_quaternion(start.position(ankle)[0], start.orientation(ankle)[0])
        for mark in (getattr(marks, f"{side}_{part}") for part in ("heel", "ball")):
            if mark is not None:
                x, y, z = foot.to_local(start.position(mark)[0]).tolist()
                points.append(BodyPoint(ankle, (x, y, z)))
    return tuple(points) or tuple(BodyPoint(joint) for joint in standing)


def _for_balance(skeleton: Skeleton, drag: Drag) -> BoolArray:
    """(joints,) the joints that move for the balance: all but those below hands, feet and head."""
    ends = [getattr(skeleton.landmarks, name) for name in EXTREMITIES]
    below = np.zeros(len(skeleton), dtype=bool)
    for end in ends:
        if end is not None:
            below |= skeleton.tree.ancestry[:, end] > 0
            below[end] = False
    moving = np.array([kind is not JointKind.FIXED for kind in skeleton.kinds]) & ~below
    moving[list(drag.chain)] = True
    return moving
