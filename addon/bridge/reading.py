# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature with its animation to a clip, in world space with z up."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Literal

import bpy
import numpy as np

from ...solver import Clip, feet_beside_legs, finished
from . import context, sampling, versions
from .arrays import Array, BoolArray
from .channels import Channels
from .checks import check_animation, check_armature
from .curves import TRANSFORMS, StaticValues, bone_property, channels_at, is_heard
from .errors import BridgeError
from .movers import UNKNOWN, Mover, movers_of, why_unbakeable
from .posing import Pose, alike, inherited, pose_of
from .rig import Rig, squared
from .skeletons import Joints
from .sources import Animation, animation_of, follow_renames, sounding_strips, source_shown

Method = Literal["curves", "evaluated"]

_OBJECT_TRANSFORMS = ("location", "rotation_", "scale", "delta_", "parent", "matrix_")
"""How the data paths begin that move an object."""

_INHERITANCE = (".inherit_scale", ".use_inherit_rotation", ".use_local_location")
"""How the data paths end that change what a bone gets from its parent."""

_EXPLAINED = 3e-6
"""A bone obeys its channels where they put it within this share of the rig's reach of where Blender has it: the
rounding of one step in single precision."""


@dataclass(frozen=True, eq=False)
class Reading:
    """A clip and all that is needed to bake a changed one."""

    clip: Clip
    """In world space, in the scene's units, with z up: frame i is the scene's frame `times[i]`."""
    times: Array
    """(frames,) in the scene's counting."""
    method: Method
    """Where the motion came from: the keys and NumPy, or Blender's own evaluation of every frame."""
    reason: str
    """Why it had to be Blender's own evaluation, in one sentence; else empty."""
    unbakeable: dict[str, str]
    """Joints whose bones their channels do not move, each with a sentence that says what does."""
    movers: dict[str, Mover]
    """By bone that its channels do not move, joint or not, what does."""
    armature_name: str
    source_name: str
    """Of the source action; empty where NLA strips alone animate."""
    joints: Joints
    channels: Channels
    """Of the source."""
    keyed: set[tuple[str, str, int]]
    """Channels of the source that have f-curves: bone, property and index."""
    obeys: BoolArray
    """(bones,) whether a bone is where its channels put it."""
    pose: Pose
    """Of the source, in the armature's space, all bones."""
    world: Array
    """(frames or 1, 4, 4) the object's matrix."""
    key_times: Array
    """(frames,) the same times as f-curves count them: other ones where the scene's time is stretched."""

    @property
    def armature(self) -> bpy.types.Object:
        """The armature object; looked up by its name, since undo and loading replace objects."""
        found: bpy.types.Object | None = context.named(bpy.data.objects, self.armature_name)
        if found is None:
            raise BridgeError(f"Armature {self.armature_name!r} has been deleted or renamed: solve again.")
        return found

    @property
    def rig(self) -> Rig:
        """All bones, those that are no joints too."""
        return self.joints.rig

    @property
    def size_in_armature(self) -> float:
        """The character's size in the armature's own space, in which locations are."""
        scale = float(np.cbrt(np.abs(np.linalg.det(self.world[0, :3, :3]))))
        return self.clip.skeleton.size / scale if scale > 0.0 else self.clip.skeleton.size

    def frame_of(self, time: float) -> int:
        """The clip's frame nearest to a frame of the scene."""
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
    """Read an armature's source animation over some frames of the scene, the last included.

    Without `begin` and `end` these are the preview range or the scene's range; a `step` below 1 reads between frames.
    `bones` says which bones become joints: all where nothing else is said, but of a control rig, whose deforming
    bones are moved by constraints, only the deforming ones. `method` forces one way of reading.
    """
    return finished(reading_in_steps(armature, begin, end, step=step, bones=bones, method=method))


def reading_in_steps(
    armature: bpy.types.Object | None,
    begin: float | None = None,
    end: float | None = None,
    *,
    step: float = 1.0,
    bones: Iterable[str] | None = None,
    method: Method | None = None,
) -> Generator[float, None, Reading]:
    """As `read`, in `steps`: to evaluate a heavy rig takes a while."""
    # A script may have moved or unlinked something a moment ago: matrices and collections must be today's.
    context.view_layer().update()
    armature = check_armature(armature)
    check_animation(armature)
    scene = context.scene()
    times = _times(scene, begin, end, step)
    follow_renames(armature)
    animation = animation_of(armature)
    rig = Rig.of(armature).with_connected(animation.record.disconnected)
    curves = versions.curves_of(animation.source, animation.slot) if animation.source is not None else []
    reason = why_evaluated(armature, animation, curves)
    if method == "curves" and reason:
        raise BridgeError(f"Armature {armature.name!r} cannot be read from its keys alone. {reason}")
    is_evaluated = bool(reason) or method == "evaluated"
    key_times = times * (scene.render.frame_map_old / scene.render.frame_map_new)
    static = StaticValues.of(armature, rig, animation.record.unkeyed)
    held = movers_of(armature) if is_evaluated else {}
    if is_evaluated:
        with source_shown(armature):
            sample = yield from sampling.sample(armature, scene, rig, times)
        channels, pose, world = sample.channels, sample.pose, sample.world
        _, keyed = channels_at(rig, (*curves, *_nla_curves(armature, animation)), static, key_times[:1])
        obeys = _obeys_channels(rig, channels, pose)
        obeys[[rig.places[name] for name in held]] = False
        pose = pose_of(rig, channels, known=pose, is_known=~obeys)
    else:
        channels, keyed = channels_at(rig, curves, static, key_times)
        pose = pose_of(rig, channels)
        if object_moves(armature, curves):
            with source_shown(armature):
                world = yield from sampling.sample_object(armature, scene, times)
        else:
            world = np.array(armature.matrix_world, dtype=np.float64)[None]
        obeys = np.ones(len(rig), dtype=bool)
    world[:, :3, :3] = squared(world[:, :3, :3])
    joints = _joints(armature, rig, bones, is_control_rig=is_evaluated and bool((rig.deforms & ~obeys).any()))
    fps = scene.render.fps / scene.render.fps_base / step
    clip = _clip(joints, armature, pose, world, fps)
    beside = feet_beside_legs(clip)
    if beside:
        joints = joints.reparented(beside)
        clip = _clip(joints, armature, pose, world, fps)
    movers = {rig.names[bone]: held.get(rig.names[bone], UNKNOWN) for bone in np.flatnonzero(~obeys).tolist()}
    unbakeable = {name: why_unbakeable(name, movers[name]) for name in joints.names if name in movers}
    return Reading(
        clip=clip,
        times=times,
        method="evaluated" if is_evaluated else "curves",
        reason=reason,
        unbakeable=unbakeable,
        movers=movers,
        armature_name=armature.name,
        source_name=animation.source.name if animation.source is not None else "",
        joints=joints,
        channels=channels,
        keyed=keyed,
        obeys=obeys,
        pose=pose,
        world=world,
        key_times=key_times,
    )


def _clip(joints: Joints, armature: bpy.types.Object, pose: Pose, world: Array, fps: float) -> Clip:
    """The motion of joints, given the pose of all bones in the armature's space and the object's matrices."""
    return Clip(joints.skeleton(world[0], armature), joints.motion(pose, world), fps=fps)


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


# Which way to read ------------------------------------------------------------------------------------------------


def why_evaluated(armature: bpy.types.Object, animation: Animation, curves: Iterable[bpy.types.FCurve]) -> str:
    """Why f-curves alone do not tell where the bones are, in one sentence; empty where they do."""
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
        if found is not None and found[1] == "rotation_mode" and is_heard(curve):
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
    """Whether settings of rest bones change, such as what they inherit."""
    animation: bpy.types.AnimData | None = getattr(data, "animation_data", None)
    if animation is None:
        return False
    held = [] if animation.action is None else list(versions.all_curves_of(animation.action))
    return len(animation.nla_tracks) > 0 or any(
        curve.data_path.endswith(_INHERITANCE) for curve in (*held, *animation.drivers)
    )


def object_moves(armature: bpy.types.Object, curves: Iterable[bpy.types.FCurve]) -> bool:
    """Whether the armature object, or one that it hangs on, may move from frame to frame."""
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


# Which bones obey -------------------------------------------------------------------------------------------------


def _nla_curves(armature: bpy.types.Object, animation: Animation) -> list[bpy.types.FCurve]:
    """The f-curves of all strips below the result, but for those that belong to it."""
    data = armature.animation_data
    if data is None or not data.use_nla:
        return []
    tracks = [track for track in data.nla_tracks if track not in (animation.layer, animation.base)]
    strips = [strip for track in tracks for strip in sounding_strips(data, track)]
    return [
        curve for strip in strips if strip.action for curve in versions.curves_of(strip.action, versions.slot_of(strip))
    ]


def _obeys_channels(rig: Rig, channels: Channels, pose: Pose) -> BoolArray:
    """(bones,) whether a bone is where its own channels put it, given where its parent is."""
    turns, shifts = channels.turns(rig), channels.shifts(rig)
    reach = float(np.abs(pose.heads).max()) + float(rig.lengths.max())
    obeys = np.empty(len(rig), dtype=bool)
    for bones in alike(rig, np.arange(len(rig))):
        given = inherited(rig, bones, pose)
        axes = given.axes_of(turns[:, bones], channels.scale[:, bones])
        heads = given.heads_of(shifts[:, bones])
        size = np.linalg.norm(axes, axis=-2).max(axis=-1).clip(1.0)
        turned_off = np.abs(axes - pose.axes[:, bones]).max(axis=(-2, -1)) / size
        moved_off = np.abs(heads - pose.heads[:, bones]).max(axis=-1) / reach
        obeys[bones] = np.maximum(turned_off, moved_off).max(axis=0) < _EXPLAINED
    return obeys


def mover_above(reading: Reading, bone: str) -> tuple[str, Mover] | None:
    """The nearest bone, from a bone upward, that its channels do not move, and what moves it; None if there is none.

    One whose mover decides where the bones below it are comes before nearer ones whose mover does not.
    """
    rig, place = reading.rig, reading.rig.places[bone]
    found: list[tuple[str, Mover]] = []
    while place >= 0:
        name = rig.names[place]
        if name in reading.movers:
            found.append((name, reading.movers[name]))
        place = int(rig.parents[place])
    return next((each for each in found if each[1].sets_place), found[0] if found else None)


def _joints(armature: bpy.types.Object, rig: Rig, bones: Iterable[str] | None, is_control_rig: bool) -> Joints:
    if bones is None:
        return Joints.some_of(rig, rig.deforms, armature) if is_control_rig else Joints.all_of(rig)
    kept = np.zeros(len(rig), dtype=bool)
    for name in bones:
        if name not in rig.places:
            raise BridgeError(f"Armature {armature.name!r} has no bone {name!r}.")
        kept[rig.places[name]] = True
    if not kept.any():
        raise BridgeError("At least one bone must be named to be read.")
    return Joints.some_of(rig, kept, armature)
