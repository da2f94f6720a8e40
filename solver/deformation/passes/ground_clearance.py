# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeping planted feet above the ground: feet in the air are lifted over it, toes that press into it are bent.

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
from ...constraints.eases import smooth_step
from ...constraints.effectors import PointEffector
from ...core import rotations
from ...core.arrays import TINY, Array, BoolArray, IntArray, runs
from ..displacement_filter import envelope
from ..frame_tasks import Enforcement
from ..timeline import Channel, Timeline, distances_to
from ..workspace import Steps, Workspace

LIFT_REACH = 0.08
"""Seconds before and after a foot would touch the ground in the air at which it begins and ceases to be lifted."""

BENDING = 0.5
"""Of their length, how far the tip of the toes may be under the ground in the air before the foot is lifted: beyond
thirty degrees bent toes look wrong."""

TOUCHES = 1e-5
"""Sizes of the character, or radians: what is less deep in the ground is on it."""

SLOPE_ROUNDS = 4
"""How often where toes touch a slope is looked up again: each leaves at most the slope's share of what was wrong."""


@dataclass(frozen=True, eq=False)
class PlantedFoot:
    """A foot that constraints plant, with the points of it that must stay above the ground."""

    heel: int
    """The channel of its heel."""
    toe: int
    """The channel of its ball."""
    points: tuple[BodyPoint, ...]
    """Heel, ball and, where the character has it, the tip of the toes."""
    soles: Array
    """(points,) how high each lies above the floor when the foot stands flat: see `Skeleton.soles`."""
    allowed: Array
    """(frames,) how deep below the ground the foot may be: as deep as the plants before and after, where these stand at
    heights of their own."""
    held: BoolArray
    """(frames,) where heel or ball stands."""
    active: BoolArray
    """(frames,) where heel or ball is constrained."""
    owners: tuple[IntArray, IntArray]
    """(frames,) each, of its heel and of its ball: who has it, as in `Channel`."""

    @property
    def tip(self) -> BodyPoint | None:
        """The tip of the toes."""
        return self.points[2] if len(self.points) > 2 else None

    @property
    def bends(self) -> bool:
        """Whether there are toes that bend at the ball, and not just a stiff foot."""
        return self.tip is not None and not any(self.points[1].offset)


def planted_feet(timeline: Timeline) -> Iterable[PlantedFoot]:
    """The feet of which heel and ball are planted at some time."""
    skeleton = timeline.source.clip.skeleton
    landmarks = skeleton.landmarks
    sides = {
        skeleton.resolve(ball): side
        for side, ball in (("left", landmarks.left_ball), ("right", landmarks.right_ball))
        if ball is not None
    }
    for heel, toe in timeline.pairs:
        channels = timeline.channels[heel], timeline.channels[toe]
        points = tuple(channel.effector.point for channel in channels if isinstance(channel.effector, PointEffector))
        side = sides.get(points[1])
        tip = None if side is None else getattr(landmarks, f"{side}_toe_tip")
        names = ("heel", "ball", "toe_tip")[: 3 if tip else 2]
        soles = np.array([0.0 if side is None else skeleton.soles[f"{side}_{name}"] for name in names])
        yield PlantedFoot(
            heel,
            toe,
            (*points, tip) if tip else points,
            soles,
            _allowed(timeline, channels, soles),
            channels[0].held | channels[1].held,
            channels[0].active | channels[1].active,
            (channels[0].owner, channels[1].owner),
        )


def depths(ground: Ground, world: WorldState, points: Iterable[BodyPoint], soles: Iterable[float], up: int) -> Array:
    """(frames, points) how far the soles under points, of these thicknesses, are under the ground; negative above it.

    Minus infinity where there is no ground.
    """
    columns = []
    for point, sole in zip(points, soles, strict=True):
        places = world.point(point)
        columns.append(ground.lowest_allowed(places, up) + sole - places[:, up])
    return np.stack(columns, axis=1)


def _allowed(timeline: Timeline, channels: Iterable[Channel], soles: Array) -> Array:
    """(frames,) see `PlantedFoot.allowed`, for the channels of heel and ball with their soles."""
    source, up = timeline.source, timeline.source.clip.skeleton.up_axis
    allowed = np.zeros(timeline.frames)
    if source.ground is None:
        return allowed
    stands = np.zeros(timeline.frames, dtype=bool)
    for channel, sole in zip(channels, soles, strict=False):
        values = source.values(channel.effector)
        for number, track in enumerate(channel.tracks):
            frames = np.flatnonzero(channel.held & (channel.owner == number))
            if not frames.size:
                continue
            stands[frames] = True
            if isinstance(track.constraint, Footplant) and track.constraint.own_height:
                place = values[frames[:1]] + track.part(int(frames[0]), int(frames[0]))
                deep = float(source.ground.lowest_allowed(place, up)[0] + sole - place[0, up])
                allowed[frames] = np.maximum(allowed[frames], deep)
    standing = np.flatnonzero(stands)
    if not allowed.any():
        return allowed
    # In the air, the deeper one of the two plants between which the foot swings.
    after = np.searchsorted(standing, np.arange(timeline.frames))
    before = standing[np.clip(after - 1, 0, len(standing) - 1)]
    return np.where(
        stands, allowed, np.maximum(allowed[before], allowed[standing[np.minimum(after, len(standing) - 1)]])
    )


def lifts(source: Source, foot: PlantedFoot, world: WorldState) -> Array:
    """(frames,) by how much a foot in the air is to be lifted so that no point of it is under the ground.

    The tip of the toes is let under it as far as bending the toes will help.
    """
    ground = source.ground
    assert ground is not None
    up = source.clip.skeleton.up_axis
    under = depths(ground, world, foot.points, foot.soles, up) - foot.allowed[:, None]
    if foot.tip is not None and foot.bends:
        under[:, 2] -= BENDING * np.linalg.norm(world.point(foot.tip) - world.point(foot.points[1]), axis=1)
    deep = np.maximum(under.max(axis=1), 0.0)
    swinging = foot.active & ~foot.held
    deep[~swinging | (deep < TOUCHES * source.clip.skeleton.size)] = 0.0
    if not deep.any():
        return deep
    reach = source.frames_in(LIFT_REACH)
    smooth = _envelope(deep, swinging, reach)
    # A foot that is about to stand is on the ground, no higher.
    freedom = smooth_step(distances_to(foot.held) / reach) if foot.held.any() else np.ones_like(deep)
    return np.asarray(deep + freedom * (smooth - deep))


def lifted(
    timeline: Timeline, targets: list[Array], feet: Iterable[PlantedFoot], world: WorldState
) -> tuple[Timeline, list[Array], IntArray]:
    """A time line in which feet that would be under the ground in the air are held above it; and those frames.

    `targets` (frames, width) are those of its channels, `world` is where the body is by now.
    """
    source = timeline.source
    up = source.clip.skeleton.up_axis
    channels, targets = list(timeline.channels), [target.copy() for target in targets]
    concerned = np.zeros(timeline.frames, dtype=bool)
    for foot in feet:
        lift = lifts(source, foot, world)
        frames = np.flatnonzero(lift > 0.0)
        for number, has_it in zip((foot.heel, foot.toe), foot.owners, strict=True):
            channel = channels[number]
            effector = channel.effector
            active = channel.active.copy()
            owner = channel.owner.copy()
            active[frames] = True
            owner[frames] = _nearest_owner(has_it, frames)
            channels[number] = replace(channel, active=active, owner=owner)
            targets[number][frames] = effector.value(world)[frames]
            targets[number][frames, up] += lift[frames]
        concerned[frames] = True
    return replace(timeline, channels=tuple(channels)), targets, np.flatnonzero(concerned)


def toes_bent(source: Source, feet: Iterable[PlantedFoot], motion: Motion, near: BoolArray) -> Motion:
    """The motion with the toes of planted feet, at the frames `near` (frames,), bent off the ground."""
    skeleton, ground = source.clip.skeleton, source.ground
    assert ground is not None
    up = skeleton.up_axis
    turned = motion.rotations.copy()
    reach = source.frames_in(LIFT_REACH)
    world = WorldState.of(skeleton, motion)
    for foot in feet:
        if foot.tip is None or not foot.bends:
            continue
        tip, ball = world.point(foot.tip), world.point(foot.points[1])
        along = tip - ball
        lengths = np.maximum(np.linalg.norm(along, axis=1), TINY)
        pitch = np.arcsin(np.clip(along[:, up] / lengths, -1.0, 1.0))
        least = _least_pitch(ground, ball, along, lengths, foot.soles[2] - foot.allowed, up)
        bend = np.where(foot.active & near & (least - pitch > TOUCHES), least - pitch, 0.0)
        smooth = _envelope(bend, foot.active, reach)
        frames = np.flatnonzero(smooth * near)
        if not frames.size:
            continue
        angle = smooth[frames]
        axis = _across(along[frames], (ball - world.point(foot.points[0]))[frames], up)
        toe = int(foot.tip.joint)
        parents = world.parent_rotations(np.array([toe]))[frames, 0]
        local = rotations.exp(rotations.rotate(rotations.conjugate(parents), angle[:, None] * axis))
        turned[frames, toe] = rotations.normalize(rotations.multiply(local, turned[frames, toe]))
    return Motion(turned, motion.translations)


def _least_pitch(ground: Ground, ball: Array, along: Array, lengths: Array, over: Array, up: int) -> Array:
    """(frames,) how far toes of some lengths (frames,) rise above the level where their tips lie `over` the ground.

    `ball` and `along` (frames, 3) are where they begin and how they lie. On a slope it depends on itself: toes that
    bend up have their tips elsewhere.
    """
    ahead = along.copy()
    ahead[:, up] = 0.0
    reach = np.linalg.norm(ahead, axis=1)
    least = np.zeros_like(lengths)
    for _ in range(SLOPE_ROUNDS):
        tip = ball + (lengths * np.cos(least) / np.maximum(reach, TINY))[:, None] * ahead
        least = np.arcsin(np.clip((ground.lowest_allowed(tip, up) + over - ball[:, up]) / lengths, -1.0, 1.0))
    return least


def _across(vectors: Array, ahead: Array, up: int) -> Array:
    """(n, 3) the level unit axes about which vectors (n, 3) rise; by `ahead` (n, 3) where they have no heading."""
    level = vectors.copy()
    level[:, up] = 0.0
    upright = np.linalg.norm(level, axis=1) < 1e-3 * np.linalg.norm(vectors, axis=1)
    level[upright] = ahead[upright]
    axis = np.cross(level, np.eye(3)[up])
    return np.asarray(axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), TINY))


def _envelope(values: Array, where: BoolArray, reach: int) -> Array:
    """(frames,) the envelope of values within each run of a mask; 0 elsewhere."""
    smooth = np.zeros_like(values)
    for first, last in runs(where):
        smooth[first : last + 1] = envelope(values[first : last + 1], reach)
    return smooth


def _nearest_owner(owner: IntArray, frames: IntArray) -> IntArray:
    """(frames,) who has a channel at some frames, or else at the nearest one at which somebody has."""
    owned = np.flatnonzero(owner >= 0)
    after = np.clip(np.searchsorted(owned, frames), 0, len(owned) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.where(frames - owned[before] < owned[after] - frames, before, after)
    return owner[owned[nearer]]


def keeping_above_ground(enforcement: Enforcement, timeline: Timeline, work: Workspace, changed: BoolArray) -> Steps:
    """Lift feet in the air over the ground and bend toes off it, at the frames that have `changed` (frames,).

    `timeline` tells when feet are planted; of it `enforcement` enforces what is enforced by now.
    """
    if timeline.source.ground is None:
        return
    feet = list(planted_feet(timeline))
    world = WorldState.of(enforcement.skeleton, work.motion)
    above, targets, frames = lifted(enforcement.timeline, enforcement.targets, feet, world)
    yield from work.polish_or_solve(Enforcement(above, targets), frames[changed[frames]], "lifting")
    work.motion = toes_bent(timeline.source, feet, work.motion, changed)
