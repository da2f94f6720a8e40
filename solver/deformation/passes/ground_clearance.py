# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground clearance: feet in their swing phase are lifted out of the ground, and toes that press into it are bent.

Both are smooth in time: a foot is lifted before and after it would touch, and toes lie on the ground as long as they
would be under it, as they do when a foot rolls off.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ...body.joints import BodyPoint
from ...body.kinematics import WorldState
from ...body.motion import Motion
from ...constraints import Footplant, Ground, Source
from ...constraints.effectors import PointEffector
from ...core import rotations
from ...core.arrays import TINY, Array, BoolArray, IntArray, distances_to
from ...core.progress import Stage
from ...core.smooth_steps import smooth_step
from ..channel import Channel
from ..frame_tasks import FrameTasks
from ..progress import Steps
from ..smoothing import envelope
from ..timeline import Timeline
from ..workspace import Workspace
from .draft import Draft
from .projection import project

LIFT_RADIUS = 0.08
"""Seconds before and after a foot in its swing phase would touch the ground over which the lift is blended in and
out."""

BENDING = 0.5
"""How far the tip of the toes may be under the ground in the swing phase before the foot is lifted, as a share of the
toes' length: toes that are bent by more than thirty degrees look wrong."""

TOUCHES = 1e-5
"""Sizes of the character, or radians: a point that is less deep in the ground is on it."""

LIFTS = 3
"""How often feet are lifted: what a lift adds beside its own frames may lower the foot there."""

SLOPE_ROUNDS = 4
"""How often the place at which toes touch a slope is computed again: each time the error shrinks by the slope."""


@dataclass(frozen=True, eq=False)
class PlantedFoot:
    """A foot that constraints plant, with its points that must stay above the ground."""

    heel: int
    """The channel of its heel."""
    ball: int
    """The channel of its ball."""
    points: tuple[BodyPoint, ...]
    """Heel, ball and, where the character has it, the tip of the toes."""
    soles: Array
    """(points,) how high each lies above the floor when the foot stands flat: see `Skeleton.soles`."""
    allowed_depth: Array
    """(frames,) how deep below the ground the foot may be: as deep as the plants before and after, where these stand at
    heights of their own."""
    held: tuple[BoolArray, BoolArray]
    """(frames,) each: where the heel stands, and where the ball does."""
    active: BoolArray
    """(frames,) where heel or ball is constrained."""
    owners: tuple[IntArray, IntArray]
    """(frames,) each, of its heel and of its ball: the tracks that own the frames, see `Channel.owner`."""

    @property
    def standing(self) -> BoolArray:
        """(frames,) where heel and ball stand."""
        return self.held[0] & self.held[1]

    @property
    def tip(self) -> BodyPoint | None:
        """The tip of the toes; None where the character has none."""
        return self.points[2] if len(self.points) > 2 else None

    @property
    def has_toe_joint(self) -> bool:
        """Whether the toes bend at the ball."""
        return self.tip is not None and not any(self.points[1].offset)


def planted_feet(timeline: Timeline) -> Iterable[PlantedFoot]:
    """The feet of which heel and ball are planted at once at some time."""
    skeleton = timeline.source.clip.skeleton
    landmarks = skeleton.landmarks
    sides = {
        skeleton.resolve(landmark): side
        for side, landmark in (("left", landmarks.left_ball), ("right", landmarks.right_ball))
        if landmark is not None
    }
    for heel, ball in timeline.pairs:
        channels = timeline.channels[heel], timeline.channels[ball]
        points = tuple(channel.effector.point for channel in channels if isinstance(channel.effector, PointEffector))
        side = sides.get(points[1])
        tip = None if side is None else getattr(landmarks, f"{side}_toe_tip")
        names = ("heel", "ball", "toe_tip")[: 3 if tip else 2]
        soles = np.array([0.0 if side is None else skeleton.soles[f"{side}_{name}"] for name in names])
        yield PlantedFoot(
            heel,
            ball,
            (*points, tip) if tip else points,
            soles,
            _allowed_depths(timeline, channels, soles),
            (channels[0].in_hold, channels[1].in_hold),
            channels[0].active | channels[1].active,
            (channels[0].owner, channels[1].owner),
        )


def ground_depths(
    ground: Ground, world: WorldState, points: Iterable[BodyPoint], soles: Iterable[float], up: int
) -> Array:
    """(frames, points) how far the soles, which lie by `soles` below their points, are under the ground.

    Negative above it, minus infinity where there is no ground.
    """
    columns = []
    for point, sole in zip(points, soles, strict=True):
        places = world.point(point)
        columns.append(ground.lowest_allowed(places, up, sole) - places[:, up])
    return np.stack(columns, axis=1)


def _allowed_depths(timeline: Timeline, channels: Iterable[Channel], soles: Array) -> Array:
    """(frames,) see `PlantedFoot.allowed_depth`, for the channels of heel and ball with their soles."""
    source, up = timeline.source, timeline.source.clip.skeleton.up_axis
    allowed = np.zeros(timeline.frames)
    if source.ground is None:
        return allowed
    stands = np.zeros(timeline.frames, dtype=bool)
    for channel, sole in zip(channels, soles, strict=False):
        values = source.values(channel.effector)
        for number, track in enumerate(channel.tracks):
            frames = np.flatnonzero(channel.in_hold & (channel.owner == number))
            if not frames.size:
                continue
            stands[frames] = True
            if isinstance(track.constraint, Footplant) and track.constraint.own_height:
                place = values[frames[:1]] + track.part(int(frames[0]), int(frames[0]))
                deep = float(source.ground.lowest_allowed(place, up, float(sole))[0] - place[0, up])
                allowed[frames] = np.maximum(allowed[frames], deep)
    standing = np.flatnonzero(stands)
    if not allowed.any():
        return allowed
    # In the swing phase the deeper one of the plants before and after counts.
    after = np.searchsorted(standing, np.arange(timeline.frames))
    before = standing[np.clip(after - 1, 0, len(standing) - 1)]
    return np.where(
        stands, allowed, np.maximum(allowed[before], allowed[standing[np.minimum(after, len(standing) - 1)]])
    )


def required_lifts(source: Source, foot: PlantedFoot, world: WorldState) -> Array:
    """(frames,) the heights by which a foot in its swing phase must be lifted so that no point of it is under the
    ground.

    The tip of the toes may be under it as far as bending the toes corrects that.
    """
    ground = source.ground
    assert ground is not None
    up = source.clip.skeleton.up_axis
    under = ground_depths(ground, world, foot.points, foot.soles, up) - foot.allowed_depth[:, None]
    if foot.tip is not None and foot.has_toe_joint:
        under[:, 2] -= BENDING * np.linalg.norm(world.point(foot.tip) - world.point(foot.points[1]), axis=1)
    # What stands is where its plant wants it; the tip hangs on the ball.
    for point, held in enumerate((*foot.held, foot.held[1])[: under.shape[1]]):
        under[held, point] = 0.0
    deep = np.maximum(under.max(axis=1), 0.0)
    in_swing = foot.active & ~foot.standing
    deep[~in_swing | (deep < TOUCHES * source.clip.skeleton.size)] = 0.0
    if not deep.any():
        return deep
    radius = source.frames_in(LIFT_RADIUS)
    smooth = envelope(deep, radius, in_swing)
    # Toward a stance phase the lift falls to the least that clears the ground.
    share = smooth_step(distances_to(foot.standing) / radius) if foot.standing.any() else np.ones_like(deep)
    return np.asarray(deep + share * (smooth - deep))


def with_lifted_feet(
    timeline: Timeline, targets: list[Array], feet: Iterable[PlantedFoot], world: WorldState
) -> tuple[Timeline, list[Array], IntArray]:
    """A time line and its targets, in which feet that would be under the ground in their swing phase are above it;
    and the frames in which they have.

    `targets` (frames, width) are those of its channels, `world` is the state of the result so far.
    """
    source = timeline.source
    up = source.clip.skeleton.up_axis
    channels, targets = list(timeline.channels), [target.copy() for target in targets]
    is_lifted = np.zeros(timeline.frames, dtype=bool)
    for foot in feet:
        lift = required_lifts(source, foot, world)
        frames = np.flatnonzero(lift > 0.0)
        for number, owners, held in zip((foot.heel, foot.ball), foot.owners, foot.held, strict=True):
            channel, some = channels[number], frames[~held[frames]]
            active, owner = channel.active.copy(), channel.owner.copy()
            active[some] = True
            owner[some] = _nearest_owner(owners, some)
            channels[number] = replace(channel, active=active, owner=owner)
            targets[number][some] = channel.effector.value(world)[some]
            targets[number][some, up] += lift[some]
        is_lifted[frames] = True
    return replace(timeline, channels=tuple(channels)), targets, np.flatnonzero(is_lifted)


def with_bent_toes(source: Source, feet: Iterable[PlantedFoot], motion: Motion, near: BoolArray) -> Motion:
    """The motion with the toes of planted feet bent out of the ground, in the frames marked in `near` (frames,)."""
    skeleton, ground = source.clip.skeleton, source.ground
    assert ground is not None
    up = skeleton.up_axis
    rotated = motion.rotations.copy()
    radius = source.frames_in(LIFT_RADIUS)
    world = WorldState.of(skeleton, motion)
    for foot in feet:
        if foot.tip is None or not foot.has_toe_joint:
            continue
        tip, ball = world.point(foot.tip), world.point(foot.points[1])
        along = tip - ball
        lengths = np.maximum(np.linalg.norm(along, axis=1), TINY)
        pitch = np.arcsin(np.clip(along[:, up] / lengths, -1.0, 1.0))
        least = _least_pitch(ground, ball, along, lengths, foot.soles[2], foot.allowed_depth, up)
        bend = np.where(foot.active & near & (least - pitch > TOUCHES), least - pitch, 0.0)
        smooth = envelope(bend, radius, foot.active)
        frames = np.flatnonzero(smooth * near)
        if not frames.size:
            continue
        angle = smooth[frames]
        axis = _across(along[frames], (ball - world.point(foot.points[0]))[frames], up)
        toe = int(foot.tip.joint)
        parents = world.parent_rotations(np.array([toe]))[frames, 0]
        local = rotations.exp(rotations.rotate(rotations.conjugate(parents), angle[:, None] * axis))
        rotated[frames, toe] = rotations.normalize(rotations.multiply(local, rotated[frames, toe]))
    return Motion(rotated, motion.translations)


def _least_pitch(
    ground: Ground, ball: Array, along: Array, lengths: Array, sole: float, allowed_depth: Array, up: int
) -> Array:
    """(frames,) the pitch in radians at which soles that lie by `sole` below the tips of toes are on the ground, or as
    deep under it as allowed (frames,).

    `ball` (frames, 3) are the points at which the toes begin, `along` (frames, 3) the vectors to their tips, of
    `lengths` (frames,). On a slope the pitch depends on itself: toes that bend up have their tips elsewhere.
    """
    ahead = along.copy()
    ahead[:, up] = 0.0
    reach = np.linalg.norm(ahead, axis=1)
    least = np.zeros_like(lengths)
    for _ in range(SLOPE_ROUNDS):
        tip = ball + (lengths * np.cos(least) / np.maximum(reach, TINY))[:, None] * ahead
        lowest = ground.lowest_allowed(tip, up, sole) - allowed_depth
        least = np.arcsin(np.clip((lowest - ball[:, up]) / lengths, -1.0, 1.0))
    return least


def _across(vectors: Array, ahead: Array, up: int) -> Array:
    """(n, 3) the horizontal unit axes about which vectors (n, 3) pitch up; those of `ahead` (n, 3) where a vector is
    upright."""
    level = vectors.copy()
    level[:, up] = 0.0
    upright = np.linalg.norm(level, axis=1) < 1e-3 * np.linalg.norm(vectors, axis=1)
    level[upright] = ahead[upright]
    axis = np.cross(level, np.eye(3)[up])
    return np.asarray(axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), TINY))


def _nearest_owner(owner: IntArray, frames: IntArray) -> IntArray:
    """(frames,) the owner of a channel in some frames; where there is none, that of the nearest frame with an owner."""
    owned = np.flatnonzero(owner >= 0)
    after = np.clip(np.searchsorted(owned, frames), 0, len(owned) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.where(frames - owned[before] < owned[after] - frames, before, after)
    return owner[owned[nearer]]


def keep_feet_above_ground(
    frame_tasks: FrameTasks, timeline: Timeline, work: Workspace, changed: BoolArray, draft: Draft
) -> Steps:
    """Lift feet in their swing phase and bend toes out of the ground, in the frames that have `changed` (frames,).

    `timeline` has the plants of all feet; `frame_tasks` are the tasks that are enforced so far.
    """
    if timeline.source.ground is None:
        return
    feet = list(planted_feet(timeline))
    above, targets = frame_tasks.timeline, frame_tasks.targets
    for _ in range(LIFTS):
        world = WorldState.of(frame_tasks.skeleton, work.motion)
        above, targets, frames = with_lifted_feet(above, targets, feet, world)
        if not changed[frames].any():
            break
        lifted = FrameTasks(above, targets, frame_tasks.movable, frame_tasks.relaxed)
        yield from project(lifted, work, np.flatnonzero(changed & timeline.active), draft, stage=Stage.CLEARANCE)
    work.motion = with_bent_toes(timeline.source, feet, work.motion, changed)
