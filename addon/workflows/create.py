# SPDX-License-Identifier: GPL-3.0-or-later
"""Creates constraints from bones and frames. Everything is checked before anything is added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..bridge.arrays import Array
from ..bridge.transforms import FORWARD, Transform, bone_transforms, transforms_at
from ..properties import POINT_KINDS, PoiseConstraint, character_of, ease_frames, handles, name_bone
from ..properties.constraint_list import DEFAULT_PRIORITIES, held_pose_name, new_item
from ..properties.shown_names import shown_bone
from ..translation import TranslationError
from .bakeable import Bakeable, Change, bakeable_at, change_of
from .recruiting import DefaultRecruiting

HOLD = 0.5
"""Default seconds for which a footplant or a pose is held: about as long as a foot stands in a walk."""

VIEW_DISTANCE = 1.0
"""The distance of the empty that a bone looks at, as a share of the armature's longest side: near enough to be
found."""


def hold_frames(scene: bpy.types.Scene) -> int:
    """`HOLD` in whole frames of a scene, at least 1."""
    return max(1, round(HOLD * scene.render.fps / scene.render.fps_base))


def with_eases(scene: bpy.types.Scene, begin: float, end: float) -> tuple[float, float]:
    """A span of frames with an ease before and after it, as far as these are within the range of the scene."""
    first, last = bridge.frame_range(scene)
    ease = ease_frames(scene)
    return min(max(begin - ease, first), begin), max(min(end + ease, last), end)


def _check_given(armature: bpy.types.Object, bones: Sequence[str]) -> None:
    """Raise where the armature cannot be used, or where no bone is given."""
    bridge.check_armature(armature)
    if not bones:
        raise TranslationError("No bone is selected: select at least one in pose mode.")


def checked_recruiting(
    armature: bpy.types.Object, bones: Sequence[str], frame: float, change: Change, has_offset: bool = False
) -> DefaultRecruiting:
    """The default recruiting at a frame; raises where a bone cannot be constrained, or its change not be baked."""
    _check_given(armature, bones)
    recruiting = DefaultRecruiting(armature, frame)
    # First, since showing or unlocking a bone does not help where it cannot be baked.
    if recruiting.reading is not None:
        Bakeable(armature, recruiting.reading).check(bones, change, has_offset)
    bridge.check_bones(armature, bones)
    return recruiting


def check_role(armature: bpy.types.Object, item: PoiseConstraint, role: str, bones: Sequence[str]) -> None:
    """Raise where a constraint cannot take bones in a role: "BONE" (constrained), "REFERENCE" or "RECRUITED"."""
    _check_given(armature, bones)
    known = bakeable_at(armature, bridge.current_scene().frame_current_final)
    if known is not None and role == "RECRUITED":
        known.check_recruited(bones)
    elif known is not None and role == "BONE" and item.kind != "BALANCE":
        known.check(bones, change_of(item), any(item.offset))
    bridge.check_bones(armature, bones)


def use_bones(armature: bpy.types.Object, item: PoiseConstraint, role: str, bones: Sequence[str], frame: float) -> None:
    """Let a constraint use bones in a role (see `check_role`); a held pose takes their pose at a frame."""
    check_role(armature, item, role, bones)
    if role == "RECRUITED":
        list_bones(armature, item.recruited, bones)
        item.recruit = "BONES"
    elif role == "REFERENCE":
        name_bone(armature, item, bones[0], "reference_bone")
        item.reference = "BONE"
    elif item.kind == "POSE":
        capture_pose(armature, item, frame, bones)
    elif item.kind == "BALANCE":
        list_bones(armature, item.bones, bones)
    else:
        name_bone(armature, item, bones[0])


def tail_offset(armature: bpy.types.Object, bone: str) -> tuple[float, float, float]:
    """The offset of a bone's tail from its head, along its own axes and in world lengths."""
    data: Any = armature.data
    rest = data.bones[bone]
    along = armature.matrix_world.to_3x3() @ (rest.tail_local - rest.head_local)
    return 0.0, float(along.length), 0.0


# Paths through points ----------------------------------------------------------------------------------------------


def _new_path(
    armature: bpy.types.Object, kind: str, name: str, bone: str, span: tuple[float, float], mode: str
) -> PoiseConstraint:
    item = new_item(armature, kind, name)
    name_bone(armature, item, bone)
    item.begin, item.end = span
    item.mode = mode
    return item


def _add_point(
    armature: bpy.types.Object, item: PoiseConstraint, transform: Transform, begin: float, end: float
) -> None:
    point = item.points.add()
    point.begin, point.end = begin, end
    handles.add_empty(armature, item, point, transform)


def add_pins(
    armature: bpy.types.Object, bones: Sequence[str], frame: float, hold: float = 0.0, at_tail: bool = False
) -> list[PoiseConstraint]:
    """Pin bones where the viewport shows them at a frame, and for `hold` frames after it."""
    recruiting = checked_recruiting(armature, bones, frame, "position", has_offset=at_tail)
    end = frame + hold
    for bone, transform in zip(bones, bone_transforms(armature, bones, frame), strict=True):
        item = _new_path(
            armature,
            "SHAPE",
            f"Pin {shown_bone(armature, bone)}",
            bone,
            with_eases(bridge.current_scene(), frame, end),
            "CONDENSED",
        )
        recruiting.apply(item, is_rotation=False)
        offset = tail_offset(armature, bone) if at_tail else (0.0, 0.0, 0.0)
        item.offset = offset
        _add_point(armature, item, Transform(transform.to_world(offset), np.eye(3)), frame, end)
    return _newest(armature, len(bones))


def add_trajectories(
    armature: bpy.types.Object, bones: Sequence[str], begin: float, end: float, count: int, mode: str = "RELATIVE"
) -> list[PoiseConstraint]:
    """Add `count` points to the path of each bone in the source, evenly spread over a span of frames."""
    recruiting = checked_recruiting(armature, bones, begin, "position")
    reading = bridge.read(armature, begin, end)
    paths = {bone: reading.clip.position(joint_of(reading, bone)) for bone in bones}
    last = reading.clip.frames - 1
    frames = np.unique(np.round(np.linspace(0.0, last, count + 2)).astype(int))[1:-1]
    if not frames.size:
        raise TranslationError(f"There is no room for a point from frame {begin:g} to {end:g}: choose a longer range.")
    for bone, path in paths.items():
        item = _new_path(armature, "SHAPE", f"Trajectory {shown_bone(armature, bone)}", bone, (begin, end), mode)
        recruiting.apply(item, is_rotation=False)
        for frame in frames.tolist():
            time = float(reading.times[frame])
            _add_point(armature, item, Transform(path[frame], np.eye(3)), time, time)
    return _newest(armature, len(bones))


def joint_of(reading: bridge.Reading, bone: str) -> str:
    """The joint of a bone; raises for a bone that is no joint."""
    if bone not in reading.clip.skeleton.names:
        raise TranslationError(
            f"Bone {bone!r} is none of the bones that move the character: choose a deforming bone instead."
        )
    return bone


def add_orientations(
    armature: bpy.types.Object, bones: Sequence[str], frame: float, hold: float = 0.0
) -> list[PoiseConstraint]:
    """Hold the orientations that the viewport shows bones to have at a frame, and for `hold` frames after it."""
    recruiting = checked_recruiting(armature, bones, frame, "rotation")
    end = frame + hold
    for bone, transform in zip(bones, bone_transforms(armature, bones, frame), strict=True):
        item = _new_path(
            armature,
            "ORIENTATION",
            f"Orientation {shown_bone(armature, bone)}",
            bone,
            with_eases(bridge.current_scene(), frame, end),
            "CONDENSED",
        )
        recruiting.apply(item, is_rotation=True)
        _add_point(armature, item, transform, frame, end)
    return _newest(armature, len(bones))


def add_look_at(
    armature: bpy.types.Object, bones: Sequence[str], begin: float, end: float, target: str = ""
) -> list[PoiseConstraint]:
    """Let bones point at a new empty ahead of them, or at an object, from one frame to another."""
    recruiting = checked_recruiting(armature, bones, begin, "rotation")
    aim: Any = bpy.data.objects.get(target) if target else None
    if target and aim is None:
        raise TranslationError(f"There is no object {target!r} to look at.")
    scene = bridge.current_scene()
    ease = min(float(ease_frames(scene)), 0.25 * (end - begin))
    axes = {bone: looking_axis(armature, bone) for bone in bones}
    first, last = (bone_transforms(armature, bones, frame) for frame in (begin + ease, end - ease))
    for bone, transform, later in zip(bones, first, last, strict=True):
        item = _new_path(armature, "LOOK_AT", f"Look at {shown_bone(armature, bone)}", bone, (begin, end), "CONDENSED")
        recruiting.apply(item, is_rotation=True)
        item.axis = axes[bone].tolist()
        stay = begin + ease, end - ease
        if aim is not None:
            point = item.points.add()
            point.object, (point.begin, point.end) = aim, stay
        else:
            # Far enough ahead that a character which walks does not walk past it.
            walked = float(np.linalg.norm(later.location - transform.location))
            target_location = transform.to_world((walked + _view_distance(armature)) * axes[bone])
            _add_point(armature, item, Transform(target_location, np.eye(3)), *stay)
    return _newest(armature, len(bones))


def _view_distance(armature: bpy.types.Object) -> float:
    return VIEW_DISTANCE * handles.longest_side(armature)


def looking_axis(armature: bpy.types.Object, bone: str) -> Array:
    """The axis (3,) of a bone that is nearest to the forward direction at rest."""
    data: Any = armature.data
    forward = _forward(armature)
    axes = Transform.of(armature.matrix_world @ data.bones[bone].matrix_local).axes
    along = axes.T @ forward
    nearest = int(np.argmax(np.abs(along)))
    return np.eye(3)[nearest] * np.sign(along[nearest])


def _forward(armature: bpy.types.Object) -> Array:
    """The forward direction (3,) at rest: that of the recognised toes, else -y of the armature."""
    data: Any = armature.data
    recognised = {mark.mark: data.bones.get(mark.bone) for mark in character_of(armature).recognised}
    directions = [
        np.array(armature.matrix_world.to_3x3() @ (recognised[toe].head_local - recognised[ankle].head_local))
        for toe, ankle in (("left_toe", "left_ankle"), ("right_toe", "right_ankle"))
        if recognised.get(toe) and recognised.get(ankle)
    ]
    level = np.sum(directions, axis=0) * (1.0, 1.0, 0.0) if directions else np.zeros(3)
    if np.linalg.norm(level) > 0.0:
        return np.asarray(level / np.linalg.norm(level))
    return Transform.of(armature.matrix_world).axes @ FORWARD


# Other kinds ---------------------------------------------------------------------------------------------------------


def add_footplant(
    armature: bpy.types.Object, foot: Literal["left", "right"], begin: float, end: float, height: float | None = None
) -> PoiseConstraint:
    """Plant a foot flat from one frame to another where it stands in the source.

    Under a character that walks in place it moves with the ground.
    """
    bridge.check_armature(armature)
    reading = bridge.read(armature, begin, end)
    Bakeable(armature, reading).check_foot(foot)
    plant = solver.Footplant(
        foot=foot,
        heel_strike=0.0,
        toe_strike=0.0,
        heel_off=end - begin,
        toe_off=end - begin,
        height=height,
        ground_velocity=_ground_velocity(armature),
    )
    item = translation.store_constraint(armature, reading, plant)
    item.priority = DEFAULT_PRIORITIES["FOOTPLANT"]
    return item


def add_handplant(
    armature: bpy.types.Object,
    hand: Literal["left", "right"],
    begin: float,
    end: float,
    on: bpy.types.Object | None = None,
) -> PoiseConstraint:
    """Let a hand stand still from one frame to another where it is in the source, or with an object that moves."""
    bridge.check_armature(armature)
    reading = bridge.read(armature, begin, end)
    Bakeable(armature, reading).check_hand(hand)
    moving = None
    if on is not None:
        transforms = transforms_at(armature, [(on, frame) for frame in reading.times.tolist()])
        moving = solver.MovingObject(
            np.array([each.location for each in transforms]), np.array([each.quaternion for each in transforms])
        )
    plant = solver.Handplant(
        hand=hand,
        begin=0.0,
        end=reading.clip.frames - 1.0,
        reference=moving,
        priority=DEFAULT_PRIORITIES["HANDPLANT"],
    )
    return translation.store_constraint(
        armature, reading, plant, blender={} if on is None else {"reference_object": on.name}
    )


def hand_of(armature: bpy.types.Object, bones: Sequence[str]) -> Literal["left", "right"]:
    """The hand that one of the bones belongs to: a bone of the arm, or one below its wrist."""
    found = _side_of(armature, bones, "arm")
    if found is None:
        raise TranslationError(
            "It is not clear which hand is meant: select a bone of an arm whose landmarks are known, or choose a hand."
        )
    return found


def _side_of(
    armature: bpy.types.Object, bones: Sequence[str], limb: Literal["leg", "arm"]
) -> Literal["left", "right"] | None:
    """The side of the leg or arm that one of the bones belongs to; None where none does."""
    scene = bridge.current_scene()
    reading = bridge.read(armature, scene.frame_current, scene.frame_current)
    marks = translation.clip_with_settings(armature, reading).skeleton.landmarks
    data: Any = armature.data
    names = reading.clip.skeleton.names
    for bone in bones:
        above = data.bones.get(bone)
        while above is not None:
            sides: tuple[Literal["left", "right"], ...] = ("left", "right")
            for side in sides:
                joints = marks.leg(side) if limb == "leg" else marks.arm(side)
                if above.name in [names[joint] for joint in joints if joint is not None]:
                    return side
            above = above.parent
    return None


def _ground_velocity(armature: bpy.types.Object) -> tuple[float, float, float]:
    """The velocity of the ground under the motion in the scene's range, in Blender units a second."""
    scene = bridge.current_scene()
    whole = bridge.read(armature, scene.frame_start, scene.frame_end)
    x, y, z = solver.ground_velocity(translation.clip_with_settings(armature, whole)).tolist()
    return x, y, z


def foot_of(armature: bpy.types.Object, bones: Sequence[str]) -> Literal["left", "right"]:
    """The foot that one of the bones belongs to: a bone of the leg, or one below its ankle."""
    found = _side_of(armature, bones, "leg")
    if found is None:
        raise TranslationError(
            "It is not clear which foot is meant: select a bone of a leg whose landmarks are known, or choose the foot."
        )
    return found


def add_balance(
    armature: bpy.types.Object, span: tuple[float, float] | None = None, bones: Sequence[str] = ()
) -> PoiseConstraint:
    """Keep the centre of mass over the feet, or over the middle of other bones; without a span, in all frames."""
    bridge.check_armature(armature)
    known = bakeable_at(armature, bridge.current_scene().frame_current_final)
    if known is not None:
        known.check_any()
    bridge.check_bones(armature, bones)
    item = new_item(armature, "BALANCE", "Balance")
    item.is_whole = span is None
    first, last = bridge.frame_range(bridge.current_scene()) if span is None else span
    item.begin, item.end = float(first), float(last)
    list_bones(armature, item.bones, bones)
    return item


def list_bones(armature: bpy.types.Object, listed: Any, bones: Sequence[str]) -> None:
    """Replace the bones of a list."""
    listed.clear()
    for bone in bones:
        name_bone(armature, listed.add(), bone)


def add_pose(
    armature: bpy.types.Object, bones: Sequence[str], frame: float, begin: float, end: float, space: str = "LOCAL"
) -> PoiseConstraint:
    """Hold from one frame to another the pose of bones that the viewport shows at `frame`."""
    rotations = _pose_shown(armature, bones, frame)
    item = new_item(armature, "POSE", held_pose_name([shown_bone(armature, bone) for bone in bones]))
    item.begin, item.end, item.pose_space = begin, end, space
    _write_pose(armature, item, rotations)
    return item


def capture_pose(
    armature: bpy.types.Object, item: PoiseConstraint, frame: float, bones: Sequence[str] | None = None
) -> None:
    """Replace a held pose by the one that the viewport shows at a frame, of the same bones or of others."""
    names = [listed.bone for listed in item.bones] if bones is None else bones
    _write_pose(armature, item, _pose_shown(armature, names, frame))


def _pose_shown(armature: bpy.types.Object, bones: Sequence[str], frame: float) -> dict[str, tuple[Array, Array]]:
    """The rotations of bones relative to their parents and in the world, (4,) each, by bone."""
    _check_given(armature, bones)
    reading = bridge.read(armature, frame, frame)
    Bakeable(armature, reading).check(bones, "rotation")
    bridge.check_bones(armature, bones)
    skeleton = reading.clip.skeleton
    found = {}
    for bone in bones:
        parent = int(skeleton.parents[skeleton.index(joint_of(reading, bone))])
        above = [skeleton.names[parent]] if parent >= 0 else []
        own, *others = bone_transforms(armature, [bone, *above], frame)
        on_parent = others[0].axes.T @ own.axes if others else own.axes
        found[bone] = Transform(np.zeros(3), on_parent).quaternion, own.quaternion
    return found


def _write_pose(armature: bpy.types.Object, item: PoiseConstraint, rotations: dict[str, tuple[Array, Array]]) -> None:
    item.bones.clear()
    for bone, (on_parent, in_world) in rotations.items():
        listed = item.bones.add()
        name_bone(armature, listed, bone)
        listed.rotation, listed.world_rotation = on_parent.tolist(), in_world.tolist()
    name_bone(armature, item, next(iter(rotations)))


# Points ----------------------------------------------------------------------------------------------------------


def add_point(armature: bpy.types.Object, item: PoiseConstraint, frame: float) -> None:
    """Add a point where the viewport shows the bone at a frame, or at the centre of mass of the source for a balance;
    the constraint is extended to contain it."""
    bridge.check_armature(armature)
    if item.kind in ("FOOTPLANT", "HANDPLANT"):
        _add_plant_empty(armature, item)
        return
    if item.kind not in POINT_KINDS:
        raise TranslationError(f"{item.name}: it has no points.")
    if any(point.begin <= frame <= max(point.begin, point.end) for point in item.points):
        raise TranslationError(f"{item.name}: it has a point at frame {frame:g} already; go to another frame.")
    added = _point_shown(armature, item, frame)
    if not item.begin <= frame <= item.end:
        begin, end = with_eases(bridge.current_scene(), frame, frame)
        item.begin, item.end = min(begin, item.begin), max(end, item.end)
    _add_point(armature, item, added, frame, frame)
    item.active_point = len(item.points) - 1


def _point_shown(armature: bpy.types.Object, item: PoiseConstraint, frame: float) -> Transform:
    """The transform for a new point at a frame: where the bone is shown or, of a balance, the centre of mass."""
    if item.kind == "BALANCE":
        clip = translation.clip_with_settings(armature, bridge.read(armature, frame, frame))
        return Transform(clip.center_of_mass()[0], np.eye(3))
    bridge.check_bones(armature, [item.bone])
    (transform,) = bone_transforms(armature, [item.bone], frame)
    if item.kind == "ORIENTATION":
        return transform
    if item.kind == "LOOK_AT":
        axis = np.array(item.axis)
        direction = transform.axes @ axis
        where = transform.location + _view_distance(armature) * direction / (np.linalg.norm(direction) or 1.0)
        return Transform.pointing(where, direction) if item.aim == "DIRECTION" else Transform(where, np.eye(3))
    return Transform(transform.to_world(item.offset), np.eye(3))


def _add_plant_empty(armature: bpy.types.Object, item: PoiseConstraint) -> None:
    """Make the empty of a footplant or handplant whose empty was deleted."""
    for point in item.points:
        if handles.is_in_scene(point.object):
            raise TranslationError(f"{item.name}: a plant has one point, and this one has it already.")
    if len(item.points):
        item.points[0].object = None
        handles.make_empties(armature, item)
        return
    begin, end = translation.span_of(armature, item)
    reading = bridge.read(armature, begin, end)
    (plant,) = translation.translate(armature, reading, [item]).constraints
    clip = translation.clip_with_settings(armature, reading)
    if isinstance(plant, solver.Handplant):
        home = translation.hand_transform(clip, plant)
    else:
        assert isinstance(plant, solver.Footplant)
        home = translation.plant_transform(clip, plant)
    _add_point(armature, item, home, begin, end)


def remove_point(armature: bpy.types.Object, item: PoiseConstraint, index: int) -> None:
    """Remove a point with its empty."""
    handles.remove_empty(armature, item.points[index])
    item.points.remove(index)
    item.active_point = min(item.active_point, max(len(item.points) - 1, 0))


def _newest(armature: bpy.types.Object, count: int) -> list[PoiseConstraint]:
    """The last `count` constraints, looked up again since adding items invalidates references."""
    return list(character_of(armature).constraints)[-count:]
