# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads an armature with its animation as a clip, in world space with z up."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import bpy
import numpy as np

from ...solver import Clip, feet_beside_legs, finished
from . import context, sampling, versions
from .arrays import Array, BoolArray
from .channels import Channels
from .checks import check_animation, check_armature
from .curves import TRANSFORMS, StaticValues, bone_property, channels_at, is_evaluated_curve
from .errors import BridgeError
from .limits import with_rig_limits
from .movers import UNKNOWN, Mover, movers_of, why_unbakeable
from .posing import BonePose, grouped_by_inheritance, inheritance_of, pose_of
from .rig import Rig, made_orthogonal
from .scene_frames import in_scene_frames
from .skeletons import Joints
from .sources import Animation, animation_of, evaluated_strips, follow_renames, source_shown

Method = Literal["curves", "evaluated"]

_OBJECT_TRANSFORMS = ("location", "rotation_", "scale", "delta_", "parent", "matrix_")
"""Prefixes of the data paths that move an object."""

_INHERITANCE = (".inherit_scale", ".use_inherit_rotation", ".use_local_location")
"""Suffixes of the data paths that change what a bone inherits."""

_CHANNEL_TOLERANCE = 3e-6
"""A bone follows its channels where they put it within this share of the rig's extent of where Blender has it: the
rounding of one step in single precision."""


@dataclass(frozen=True, eq=False)
class Reading:
    """A clip that was read, and what is needed to bake a changed one."""

    clip: Clip
    """In world space and Blender units, with z up; frame i is the scene's frame `times[i]`."""
    times: Array
    """(frames,) as frames of the scene."""
    method: Method
    """How the motion was read: from the keys, or by letting Blender evaluate every frame."""
    reason: str
    """Why Blender had to evaluate it, in one sentence; else empty."""
    unbakeable: dict[str, str]
    """Joints whose bones do not follow their channels, each with a sentence that says why and what to do."""
    movers: dict[str, Mover]
    """What moves the bones that do not follow their channels, joints or not, by bone."""
    armature_name: str
    source_name: str
    """The source action; empty where only NLA strips animate."""
    joints: Joints
    channels: Channels
    """Of the source."""
    keyed: set[tuple[str, str, int]]
    """Channels of the source with f-curves: bone, property and index."""
    follows_channels: BoolArray
    """(bones,) whether a bone is where its channels put it."""
    pose: BonePose
    """All bones of the source in armature space."""
    world: Array
    """(frames or 1, 4, 4) the object's matrix."""
    key_times: Array
    """(frames,) in the time of f-curves, which differs from `times` where the scene's time is stretched."""

    @property
    def armature(self) -> bpy.types.Object:
        """The armature object; looked up by its name, since undo and loading replace objects."""
        found = context.find_object(self.armature_name)
        if found is None:
            raise BridgeError(f"Armature {self.armature_name!r} has been deleted or renamed: solve again.")
        return found

    @property
    def rig(self) -> Rig:
        """All bones, joints or not."""
        return self.joints.rig

    @property
    def size_in_armature(self) -> float:
        """The character's size in armature space, in which locations are measured."""
        scale = float(np.cbrt(np.abs(np.linalg.det(self.world[0, :3, :3]))))
        return self.clip.skeleton.size / scale if scale > 0.0 else self.clip.skeleton.size

    def frame_of(self, time: float) -> int:
        """The frame of the clip nearest to a frame of the scene."""
        return int(np.abs(self.times - time).argmin())


def frame_range(scene: bpy.types.Scene) -> tuple[int, int]:
    """The first and last frame of the preview range where it is in use, else of the scene."""
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


def read(
    armature: bpy.types.Object | None,
    begin: float | None = None,
    end: float | None = None,
    *,
    step: float = 1.0,
    bones: Iterable[str] | None = None,
    method: Method | None = None,
) -> Reading:
    """Read the source animation of an armature from frame `begin` to frame `end` of the scene, both included.

    Without `begin` and `end` these are the preview range or the scene's range; a `step` below 1 reads between frames.
    `bones` are the bones that become joints. The default is all bones, or the deforming bones of a control rig, where
    constraints move those. `method` forces a method of reading.
    """
    return finished(read_in_steps(armature, begin, end, step=step, bones=bones, method=method))


def read_in_steps(
    armature: bpy.types.Object | None,
    begin: float | None = None,
    end: float | None = None,
    *,
    step: float = 1.0,
    bones: Iterable[str] | None = None,
    method: Method | None = None,
) -> Generator[float, None, Reading]:
    """As `read`, as a generator that yields the share that is done: evaluating a heavy rig takes a while."""
    # A script may just have moved or unlinked something: matrices and collections must be up to date.
    context.view_layer().update()
    armature = check_armature(armature)
    check_animation(armature)
    scene = context.scene()
    times = _times(scene, begin, end, step)
    key_times = times * (scene.render.frame_map_old / scene.render.frame_map_new)
    follow_renames(armature)
    subject = _Subject.of(armature)
    reason = reason_to_evaluate(armature, subject.animation, subject.curves)
    if method == "curves" and reason:
        raise BridgeError(f"Armature {armature.name!r} cannot be read from its keys alone. {reason}")
    is_evaluated = bool(reason) or method == "evaluated"
    if is_evaluated:
        source = yield from subject.evaluated(scene, times, key_times)
    else:
        source = yield from subject.from_curves(scene, times, key_times)
    rig, animation = subject.rig, subject.animation
    is_control_rig = is_evaluated and bool((rig.deforms & ~source.follows_channels).any())
    joints = _joints(armature, rig, bones, is_control_rig)
    with in_scene_frames(times):
        joints, clip = _clip(joints, armature, source, scene.render.fps / scene.render.fps_base / step)
    return Reading(
        clip=clip,
        times=times,
        method="evaluated" if is_evaluated else "curves",
        reason=reason,
        unbakeable={name: why_unbakeable(name, source.movers[name]) for name in joints.names if name in source.movers},
        movers=source.movers,
        armature_name=armature.name,
        source_name=animation.source.name if animation.source is not None else "",
        joints=joints,
        channels=source.channels,
        keyed=source.keyed,
        follows_channels=source.follows_channels,
        pose=source.pose,
        world=source.world,
        key_times=key_times,
    )


def read_shown(armature: bpy.types.Object | None) -> Reading:
    """Read the pose that the viewport shows now, with changes that have no keys, as a clip of one frame.

    No action is needed. The channels are those of the pose, whether the source or a result is shown.
    """
    armature = check_armature(armature)
    scene, rig = context.scene(), Rig.of(armature)
    shown = _SourceMotion.of_sample(rig, sampling.sample_shown(armature, rig), set(), movers_of(armature))
    is_control_rig = bool((rig.deforms & ~shown.follows_channels).any())
    joints = _joints(armature, rig, None, is_control_rig)
    times = np.array([scene.frame_current_final])
    with in_scene_frames(times):
        joints, clip = _clip(joints, armature, shown, scene.render.fps / scene.render.fps_base)
    return Reading(
        clip=clip,
        times=times,
        method="evaluated",
        reason="The shown pose is read.",
        unbakeable={name: why_unbakeable(name, shown.movers[name]) for name in joints.names if name in shown.movers},
        movers=shown.movers,
        armature_name=armature.name,
        source_name="",
        joints=joints,
        channels=shown.channels,
        keyed=shown.keyed,
        follows_channels=shown.follows_channels,
        pose=shown.pose,
        world=shown.world,
        key_times=times,
    )


@dataclass(frozen=True, eq=False)
class _SourceMotion:
    """The source at the times that are read, bone by bone; the fields are those of `Reading`."""

    channels: Channels
    keyed: set[tuple[str, str, int]]
    pose: BonePose
    world: Array
    follows_channels: BoolArray
    movers: dict[str, Mover]

    @staticmethod
    def of_sample(
        rig: Rig, sample: sampling.Sample, keyed: set[tuple[str, str, int]], known_movers: dict[str, Mover]
    ) -> _SourceMotion:
        """What was sampled, with what moves bones other than their channels."""
        follows_channels = _follow_channels(rig, sample.channels, sample.pose)
        follows_channels[[rig.index[name] for name in known_movers]] = False
        pose = pose_of(rig, sample.channels, known=sample.pose, is_known=~follows_channels)
        moved = [rig.names[bone] for bone in np.flatnonzero(~follows_channels).tolist()]
        movers = {name: known_movers.get(name, UNKNOWN) for name in moved}
        return _SourceMotion(sample.channels, keyed, pose, _rigid_matrices(sample.world), follows_channels, movers)


@dataclass(frozen=True, eq=False)
class _Subject:
    """An armature that is read."""

    armature: bpy.types.Object
    animation: Animation
    rig: Rig
    curves: list[bpy.types.FCurve]
    """Of the source action."""
    static: StaticValues

    @staticmethod
    def of(armature: bpy.types.Object) -> _Subject:
        animation = animation_of(armature)
        rig = Rig.of(armature).with_connected(animation.record.disconnected)
        curves = versions.curves_of(animation.source, animation.slot) if animation.source is not None else []
        return _Subject(armature, animation, rig, curves, StaticValues.of(armature, rig, animation.record.unkeyed))

    def from_curves(
        self, scene: bpy.types.Scene, times: Array, key_times: Array
    ) -> Generator[float, None, _SourceMotion]:
        """The source as its f-curves alone determine it; only the object's matrix may have to be evaluated."""
        channels, keyed = channels_at(self.rig, self.curves, self.static, key_times)
        if object_moves(self.armature, self.curves):
            shown = partial(source_shown, self.armature)
            world = yield from sampling.sample_object(self.armature, scene, times, shown)
        else:
            world = np.array(self.armature.matrix_world, dtype=np.float64)[None]
        follows_channels = np.ones(len(self.rig), dtype=bool)
        pose = pose_of(self.rig, channels)
        return _SourceMotion(channels, keyed, pose, _rigid_matrices(world), follows_channels, {})

    def evaluated(
        self, scene: bpy.types.Scene, times: Array, key_times: Array
    ) -> Generator[float, None, _SourceMotion]:
        """The source as Blender evaluates it, with what moves bones other than their channels."""
        rig, known_movers = self.rig, movers_of(self.armature)
        sample = yield from sampling.sample(self.armature, scene, rig, times, partial(source_shown, self.armature))
        curves = (*self.curves, *nla_curves(self.armature.animation_data, self.animation))
        _, keyed = channels_at(rig, curves, self.static, key_times[:1])
        return _SourceMotion.of_sample(rig, sample, keyed, known_movers)


def _rigid_matrices(world: Array) -> Array:
    """Object matrices (frames, 4, 4) without the rounding errors of their axes."""
    world[:, :3, :3] = made_orthogonal(world[:, :3, :3])
    return world


def _clip(joints: Joints, armature: bpy.types.Object, source: _SourceMotion, fps: float) -> tuple[Joints, Clip]:
    """The joints and their motion, with feet that are siblings of their legs reparented to them."""

    def clip_of(joints: Joints) -> Clip:
        skeleton = joints.skeleton(source.world[0], armature)
        return with_rig_limits(Clip(skeleton, joints.motion(source.pose, source.world), fps=fps), armature)

    clip = clip_of(joints)
    new_parents = feet_beside_legs(clip)
    if not new_parents:
        return joints, clip
    joints = joints.reparented(new_parents)
    return joints, clip_of(joints)


def _times(scene: bpy.types.Scene, begin: float | None, end: float | None, step: float) -> Array:
    usual = frame_range(scene)
    first, last = usual[0] if begin is None else begin, usual[1] if end is None else end
    if not (np.isfinite(step) and step > 0.0):
        raise BridgeError(f"The step between frames must be a positive number, not {step!r}.")
    if not (np.isfinite(first) and np.isfinite(last)) or last < first:
        raise BridgeError(
            f"There is no frame from {first:g} to {last:g}: the range must end at or after the frame where it begins."
        )
    count = int(np.floor((last - first) / step + 1e-6)) + 1
    return first + step * np.arange(count)


# Which method to use ----------------------------------------------------------------------------------------------


def reason_to_evaluate(armature: bpy.types.Object, animation: Animation, curves: Iterable[bpy.types.FCurve]) -> str:
    """Why f-curves alone do not determine the pose, in one sentence; empty where they do."""
    assert armature.pose is not None and armature.data is not None
    if animation.source is None or animation.uses_nla(armature):
        return "NLA strips move its bones."
    data = armature.animation_data
    assert data is not None
    if len(data.nla_tracks) > 0 and data.use_nla and (data.action_blend_type != "REPLACE" or data.action_influence < 1):
        return "Its action is blended."
    if _bones_are_animated(armature.data):
        return "Its armature data are animated."
    moved_constraints = False
    for curve in (*curves, *data.drivers):
        found = bone_property(curve.data_path)
        if found is not None and found[1] == "rotation_mode" and is_evaluated_curve(curve):
            return f"The rotation mode of bone {found[0]!r} is animated."
        moved_constraints |= ".constraints[" in curve.data_path
    for driver in data.drivers:
        found = bone_property(driver.data_path)
        if found is not None and found[1] in TRANSFORMS and not driver.mute:
            return f"A driver moves bone {found[0]!r}."
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if moved_constraints or (not constraint.mute and constraint.influence > 0.0):
                return f"Constraint {constraint.name!r} moves bone {bone.name!r}."
    return ""


def _bones_are_animated(data: bpy.types.ID) -> bool:
    """Whether the inheritance settings of bones are animated."""
    animation: bpy.types.AnimData | None = getattr(data, "animation_data", None)
    if animation is None:
        return False
    curves = [] if animation.action is None else list(versions.all_curves_of(animation.action))
    return len(animation.nla_tracks) > 0 or any(
        curve.data_path.endswith(_INHERITANCE) for curve in (*curves, *animation.drivers)
    )


def object_moves(armature: bpy.types.Object, curves: Iterable[bpy.types.FCurve]) -> bool:
    """Whether the armature object, or one of its parents, may move from frame to frame."""
    if any(curve.data_path.startswith(_OBJECT_TRANSFORMS) for curve in curves):
        return True
    found: bpy.types.Object | None = armature
    while found is not None:
        data = found.animation_data
        drivers = data.drivers if data is not None else ()
        if (
            len(found.constraints) > 0
            or found.rigid_body is not None
            or found.parent_type not in ("OBJECT", "ARMATURE")
        ):
            return True
        if any(driver.data_path.startswith(_OBJECT_TRANSFORMS) for driver in drivers):
            return True
        if found is not armature and data is not None and (data.action is not None or len(data.nla_tracks) > 0):
            return True
        found = found.parent
    return False


# Which bones follow their channels --------------------------------------------------------------------------------


def nla_curves(data: bpy.types.AnimData | None, animation: Animation) -> list[bpy.types.FCurve]:
    """The f-curves of all evaluated NLA strips of an object, except those of a result and its source."""
    if data is None or not data.use_nla:
        return []
    own = (animation.layer, animation.base, animation.source_track)
    tracks = [track for track in data.nla_tracks if track not in own]
    strips = [strip for track in tracks for strip in evaluated_strips(data, track)]
    return [
        curve for strip in strips if strip.action for curve in versions.curves_of(strip.action, versions.slot_of(strip))
    ]


def _follow_channels(rig: Rig, channels: Channels, pose: BonePose) -> BoolArray:
    """Whether each bone is where its own channels put it, given where its parent is, (bones,)."""
    matrices, locations = channels.rotation_matrices(rig), channels.effective_locations(rig)
    extent = float(np.abs(pose.heads).max()) + float(rig.lengths.max())
    follows = np.empty(len(rig), dtype=bool)
    for bones in grouped_by_inheritance(rig, np.arange(len(rig))):
        inheritance = inheritance_of(rig, bones, pose)
        axes = inheritance.axes_of(matrices[:, bones], channels.scale[:, bones])
        heads = inheritance.heads_of(locations[:, bones])
        size = np.linalg.norm(axes, axis=-2).max(axis=-1).clip(1.0)
        axes_off = np.abs(axes - pose.axes[:, bones]).max(axis=(-2, -1)) / size
        heads_off = np.abs(heads - pose.heads[:, bones]).max(axis=-1) / extent
        follows[bones] = np.maximum(axes_off, heads_off).max(axis=0) < _CHANNEL_TOLERANCE
    return follows


def mover_above(reading: Reading, bone: str) -> tuple[str, Mover] | None:
    """The nearest bone, from a bone upward, that has a mover, with this mover; None where there is none.

    A bone whose mover sets its position comes before nearer ones whose mover does not.
    """
    rig, above = reading.rig, reading.rig.index[bone]
    found: list[tuple[str, Mover]] = []
    while above >= 0:
        name = rig.names[above]
        if name in reading.movers:
            found.append((name, reading.movers[name]))
        above = int(rig.parents[above])
    return next((each for each in found if each[1].sets_position), found[0] if found else None)


def _joints(armature: bpy.types.Object, rig: Rig, bones: Iterable[str] | None, is_control_rig: bool) -> Joints:
    if bones is None:
        return Joints.some_of(rig, rig.deforms, armature) if is_control_rig else Joints.all_of(rig)
    kept = np.zeros(len(rig), dtype=bool)
    for name in bones:
        if name not in rig.index:
            raise BridgeError(f"Armature {armature.name!r} has no bone {name!r}.")
        kept[rig.index[name]] = True
    if not kept.any():
        raise BridgeError("At least one bone must be named to be read.")
    return Joints.some_of(rig, kept, armature)
