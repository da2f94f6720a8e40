# SPDX-License-Identifier: GPL-3.0-or-later
"""From a source and two motions of its simplified character to the edited motion of the full one (Popović 1999, section
5.2).

Handles are displaced from the source by what the edit has displaced them on the simplified character, feet that stand
keep their places exactly, and otherwise as little mass as possible is displaced from the source, smoothly over time.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...body.clip import Clip
from ...body.kinematics import WorldState
from ...body.motion import Motion
from ...core import rotations
from ...core.arrays import Array, BoolArray
from ...core.errors import HandleError, MotionError
from ...core.numbers import is_number
from ...core.progress import finished, with_each_step
from ...core.sentences import Amount, Frame, Part, told
from ...deformation.continuation import continued
from ...deformation.smoothing import lowpass
from ...posture.settings import SolveSettings
from ...posture.solve import solving_checked
from ...tasks import OrientationTask, PoseTask, PositionTask, Task
from ..handles.full_body import FullBody
from ..handles.handle_task import HandleTask
from ..handles.handle_tracks import HandleTrack, common_displacement, headings_of, moved_rigidly, trunk_rotation
from .collective_problem import WeightedTask
from .collective_solve import solving_collectively
from .foot_paths import FootPath, PlantedFoot, SourceFeet, foot_paths, is_foot_handle, standing

ORIENTATION_SHARE = 1e-3
"""The weight of a foot's orientation, and of a heel that does not stand, as a share of that of handles: it decides
where legs leave it free, and yields where a leg must reach further."""

START_STEPS = 12
"""Steps with which legs are bent to begin with."""

START_EASE = 0.04
"""Seconds over which these bends are averaged: those of neighbouring frames may differ where legs are straight."""

CORRECTION_STEPS = 20
"""Steps of the last correction, which puts feet that stand into their places; it needs two or three."""

CORRECTABLE = 5e-3
"""Sizes of the character: a foot that is farther from its place cannot be there, and stays where it has come to."""

MET = 1e-3
"""Sizes of the character, or radians: what is left of a handle that counts as met."""

SAID = 3
"""Handles and plants that a sentence names."""

IN_PLACE = 1e-4
"""Sizes of the character: the same of a foot that stands."""


@dataclass(frozen=True)
class ReconstructionSettings:
    """How a motion is reconstructed."""

    smoothing_time: float = 0.12
    """Seconds: displacements from the source that change within this time count as much by their acceleration as by
    their size. More makes a smoother motion that comes less near to handles and source where these are hard to meet."""
    handle_weight: float = 1.0
    """What multiplies the weights of all handles (Popović 1999, equation 5.4): with a hundredth of it the motion stays
    nearer to the source, at the expense of the handles."""

    def __post_init__(self) -> None:
        for name in ("smoothing_time", "handle_weight"):
            value = getattr(self, name)
            if not is_number(value) or value < 0.0 or (name == "handle_weight" and value == 0.0):
                raise HandleError(f"The setting {name} of a reconstruction must be a finite, positive number.")


@dataclass(frozen=True)
class Residual:
    """What is left of a handle or of a planted foot, in the frame in which it is most."""

    label: str
    amount: float
    """In sizes of the character, or radians where `is_angular`."""
    distance: float
    """The same in the clip's units, or in radians."""
    frame: int
    is_angular: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """A sentence without its full stop, whose frame and amount a program can say in its own way (`told`)."""
        return f"{self.label} is off by ", Amount(self.distance, self.is_angular), " at frame ", Frame(self.frame)


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """The edited motion of the full character."""

    clip: Clip
    handles: tuple[Residual, ...]
    """What is left of each handle, in the order of the tracks."""
    plants: tuple[Residual, ...]
    """What is left of each planted foot, in their order."""

    @property
    def missed(self) -> tuple[Residual, ...]:
        """The planted feet that are not in their places, and then the handles that do not have their values, the worst
        ones first."""
        feet = [each for each in self.plants if each.amount > IN_PLACE]
        handles = [each for each in self.handles if each.amount > MET]
        return tuple(each for some in (feet, handles) for each in sorted(some, key=lambda one: -one.amount))

    @property
    def message(self) -> tuple[Part, ...]:
        """What was missed, in a sentence; empty where everything is met."""
        missed = self.missed
        if not missed:
            return ()
        parts = [part for each in missed[:SAID] for part in ("; ", *each.parts)][1:]
        return (*parts, f"; and {len(missed) - SAID} more." if len(missed) > SAID else ".")

    def __str__(self) -> str:
        return told(self.message)


def reconstruct(
    source: Clip,
    tracks: Sequence[HandleTrack],
    plants: Sequence[PlantedFoot] = (),
    rotation: Any = None,
    settings: ReconstructionSettings | None = None,
    feet: SourceFeet | None = None,
) -> Reconstruction:
    """The source with its handles displaced by an edit of the simplified character, see `reconstructing`."""
    return finished(reconstructing(source, tracks, plants, rotation, settings, feet))


def reconstructing(
    source: Clip,
    tracks: Sequence[HandleTrack],
    plants: Sequence[PlantedFoot] = (),
    rotation: Any = None,
    settings: ReconstructionSettings | None = None,
    feet: SourceFeet | None = None,
) -> Generator[float, None, Reconstruction]:
    """As `reconstruct`, a generator that yields the share that is done; to cancel it, close it.

    `source` has the frames of the result: a motion that takes more or less time is warped before (`time_warp`).
    `rotation` (frames, 4) is how the edit has turned the trunk, in the world; None: as axes among the tracks show.
    Plants and handles of feet are displaced from where `feet` has them; None: from where the source has them. All
    errors in the arguments are raised at the call.
    """
    tracks, plants = tuple(tracks), tuple(plants)
    for track in tracks:
        if not isinstance(track, HandleTrack):
            raise HandleError(f"A motion is reconstructed from tracks of handles, not from {track!r}.")
        track.check(source.frames)
        HandleTask(track.handle, track.edited).check(source.skeleton, source.frames)
    for plant in plants:
        if not isinstance(plant, PlantedFoot):
            raise HandleError(f"Feet of a reconstruction are planted feet, not {plant!r}.")
        plant.check(source.frames)
    feet = feet or SourceFeet.of(source)
    if feet.clip.frames != source.frames:
        raise MotionError(f"The feet have {feet.clip.frames} frames, but the source has {source.frames}.")
    up = source.skeleton.up_axis
    if rotation is None:
        trunk = trunk_rotation(tracks, up, source.frames)
    else:
        trunk = _checked_rotation(rotation, source.frames)
    headings = headings_of(trunk, up)
    paths = foot_paths(feet, tracks, plants, headings)
    return _reconstructing(_Edit(source, tracks, plants, trunk, headings, paths, settings or ReconstructionSettings()))


def _checked_rotation(given: Any, frames: int) -> Array:
    try:
        turns = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise MotionError("The rotation of the trunk must be numbers.") from None
    if turns.shape != (frames, 4) or not np.isfinite(turns).all() or not np.linalg.norm(turns, axis=1).all():
        raise MotionError(f"The rotation of the trunk must be one quaternion for each of the {frames} frames.")
    return rotations.normalize(turns)


@dataclass(frozen=True, eq=False)
class _Edit:
    """What a reconstruction begins with."""

    source: Clip
    tracks: tuple[HandleTrack, ...]
    plants: tuple[PlantedFoot, ...]
    trunk: Array
    """(frames, 4) the rotation of the trunk."""
    headings: Array
    """(frames, 4) the part of it about the vertical."""
    paths: dict[str, FootPath]
    settings: ReconstructionSettings

    @property
    def changes_nothing(self) -> bool:
        still = all(track.is_same.all() for track in self.tracks) and all(plant.is_still for plant in self.plants)
        return still and not np.abs(rotations.log(self.trunk)).any()

    def targets(self) -> list[Array]:
        """(frames, width) the values that each handle is to have."""
        body = FullBody(self.source.world)
        targets = []
        for track in self.tracks:
            values = track.handle.value(body)
            if is_foot_handle(track.handle):
                targets.append(track.handle.value(_Feet(body, self.paths)))
            else:
                targets.append(track.displaced(values, self.trunk, self.headings))
        return targets

    def tasks(self, targets: Sequence[Array]) -> list[WeightedTask]:
        """The tasks of all frames."""
        frames = self.source.frames
        tasks = [
            WeightedTask(HandleTask(track.handle, target), np.zeros(frames), self.settings.handle_weight * track.weight)
            for track, target in zip(self.tracks, targets, strict=True)
            if not is_foot_handle(track.handle)
        ]
        for path in self.paths.values():
            heel, ball = (PositionTask(point.joint, places, offset=point.offset) for point, places in path.points)
            orientation = OrientationTask(path.heel.joint, path.orientations)
            tasks += [
                WeightedTask(ball, path.ball_firmness, self.settings.handle_weight),
                WeightedTask(heel, path.heel_firmness, ORIENTATION_SHARE, is_exact=False),
                WeightedTask(orientation, np.zeros(frames), ORIENTATION_SHARE, is_exact=False),
            ]
        return tasks


class _Feet:
    """The feet of a body where their paths lead them: handles of feet are evaluated on it."""

    def __init__(self, source: FullBody, paths: dict[str, FootPath]) -> None:
        self._source, self._paths = source, paths
        self.algebra = source.algebra

    def point(self, name: str) -> Array:
        """(frames, 3) the places of a landmark of a foot."""
        path = self._paths[name.partition("_")[0]]
        return path.place(self._source.point(f"{path.foot}_ball"), self._source.point(name))

    def center_of_mass(self, joint: str | None) -> Array:
        """Not known of feet alone."""
        raise AssertionError("a handle of feet has no centre of mass")

    def axis(self, joint: str, axis: str) -> Array:
        """Not known of feet alone."""
        raise AssertionError("a handle of feet has no axis")


def _reconstructing(edit: _Edit) -> Generator[float, None, Reconstruction]:
    targets = edit.targets()
    if edit.changes_nothing:
        return _reported(edit, targets, edit.source)
    base = moved_rigidly(edit.source, common_displacement(edit.tracks, edit.source.frames), edit.trunk)
    tasks = edit.tasks(targets)
    start = yield from _with_bent_legs(base, edit)
    motion = yield from solving_collectively(base, tasks, start, edit.settings.smoothing_time)
    yield 0.95
    motion = yield from _with_feet_in_place(edit, motion)
    return _reported(edit, targets, edit.source.with_motion(motion))


def _with_bent_legs(base: Clip, edit: _Edit) -> Generator[float, None, Motion]:
    """A base whose legs alone bring its feet near their places, smoothly: a straight leg does not show how to bend."""
    skeleton = base.skeleton
    legs = np.zeros(len(skeleton), dtype=bool)
    tasks: list[Task] = [PoseTask(base.motion, priority=0)]
    for side, path in edit.paths.items():
        hip = getattr(skeleton.landmarks, f"{side}_hip")
        if hip is None or not skeleton.tree.ancestry[int(path.ball.joint), hip]:
            continue
        legs |= skeleton.tree.ancestry[:, hip]
        tasks.append(PositionTask(path.ball.joint, path.ball_places, offset=path.ball.offset, priority=2))
        tasks.append(OrientationTask(path.heel.joint, path.orientations, priority=1))
    if not legs.any():
        return base.motion
    settings = SolveSettings(iterations=START_STEPS, restarts=False)
    solved = yield from with_each_step(solving_checked(skeleton, base.motion, tasks, settings, moving=legs), 0.0)
    bends = rotations.log(rotations.quotient(solved.motion.rotations, base.motion.rotations))
    smooth = lowpass(bends, max(1, round(START_EASE * base.fps)))
    turned = rotations.multiply(rotations.exp(smooth), base.motion.rotations)
    return Motion(np.where(legs[:, None], turned, base.motion.rotations), base.motion.translations)


def _with_feet_in_place(edit: _Edit, motion: Motion) -> Generator[float, None, Motion]:
    """The motion with the points of feet that stand exactly in their places; what that moves them by vanishes smoothly
    around each stance."""
    skeleton, frames = edit.source.skeleton, edit.source.frames
    world = WorldState.of(skeleton, motion)
    tasks: list[Task] = [PoseTask(motion, priority=0)]
    for side, path in edit.paths.items():
        stands = {part: standing(edit.plants, side, part, frames) for part in ("heel", "ball")}
        targets = {}
        for part, (point, places) in zip(stands, path.points, strict=True):
            values = world.point(point)
            off = (places - values) / skeleton.size
            stands[part] &= rotations.lengths(off) < CORRECTABLE
            targets[part] = values + continued(off, stands[part], edit.source.fps) * skeleton.size
        if not any(each.any() for each in stands.values()):
            continue
        if skeleton.is_rigid(path.heel, path.ball):
            apart = rotations.lengths(world.point(path.ball) - world.point(path.heel))
            targets = _at_distance(targets, apart, stands)
        tasks += [
            PositionTask(point.joint, targets[part], offset=point.offset, priority=1)
            for part, (point, _) in zip(stands, path.points, strict=True)
        ]
    if len(tasks) == 1:
        return motion
    settings = SolveSettings(iterations=CORRECTION_STEPS, restarts=False)
    solved = yield from with_each_step(solving_checked(skeleton, motion, tasks, settings), 0.95)
    return solved.motion


def _at_distance(targets: dict[str, Array], apart: Array, stands: dict[str, BoolArray]) -> dict[str, Array]:
    """The targets (frames, 3) of heel and ball at distances (frames,) from each other: the one that does not stand, or
    the heel, is moved along the line between them."""
    along = rotations.unit(targets["ball"] - targets["heel"]) * apart[:, None]
    moves_ball = (stands["heel"] & ~stands["ball"])[:, None]
    return {
        "heel": np.where(moves_ball, targets["heel"], targets["ball"] - along),
        "ball": np.where(moves_ball, targets["heel"] + along, targets["ball"]),
    }


def _reported(edit: _Edit, targets: Sequence[Array], clip: Clip) -> Reconstruction:
    """The result with what it leaves of handles and plants."""
    body, size, frames = FullBody(clip.world), clip.skeleton.size, clip.frames
    handles = []
    for track, target in zip(edit.tracks, targets, strict=True):
        is_angular = not track.handle.is_length
        off = np.linalg.norm(track.handle.value(body) - target, axis=1) / (1.0 if is_angular else size)
        worst = int(off.argmax())
        distance = float(off[worst]) * (1.0 if is_angular else size)
        handles.append(Residual(track.label, float(off[worst]), distance, worst, is_angular))
    plants = []
    for plant in edit.plants:
        path, found = edit.paths[plant.foot], []
        for part, (point, places) in zip(("heel", "ball"), path.points, strict=True):
            if part in plant.stays:
                during = plant.frames(part, frames)
                off = np.linalg.norm(clip.world.point(point)[during] - places[during], axis=1)
                found.append(
                    Residual(plant.label, float(off.max() / size), float(off.max()), int(during[off.argmax()]))
                )
        plants.append(max(found, key=lambda each: each.amount))
    return Reconstruction(clip, tuple(handles), tuple(plants))


__all__ = [
    "HandleTrack",
    "PlantedFoot",
    "Reconstruction",
    "ReconstructionSettings",
    "Residual",
    "reconstruct",
    "reconstructing",
]
