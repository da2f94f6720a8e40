# SPDX-License-Identifier: GPL-3.0-or-later
"""From a changed clip to an action beside the source, or to an NLA layer above it: only the channels that changed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import bpy
import numpy as np

from ...solver import Clip, finished, rotations
from . import context, rotation_channels, sampling, sources, versions
from .arrays import Array
from .checks import check_animation, check_armature
from .connections import check_connections_editable, connect, disconnect
from .edits import Edits, check_result, edits_for
from .errors import BridgeError
from .layers import new_layer
from .movers import COPY_SENTENCE
from .plan import ChangedProperty, plan_of, unkeyed
from .posing import orientations, pose_of
from .reading import Reading, mover_above
from .rig import Rig
from .units import length_in_words
from .writing import new_action

Target = Literal["action", "replace", "combine"]
"""Where a result goes: an action of its own, or an NLA strip above the source that replaces it or combines with it.

Combining is for those who want to mix by influence: Blender raises a strip's quaternions to a power in single
precision, which rounds small turns to steps of 0.0007 radians. The other two are exact."""

_WORTH_TELLING = 1e-3
"""A gap above this share of the size is told to the animator."""

_COMBINED_EXACTLY = 2e-5
"""A combined result whose gap is below this share of the size has only been rounded."""

_LOCKED = 1e-5
"""Radians, or shares of the size, by which a locked channel may seem to change through rounding."""


@dataclass(frozen=True)
class Baked:
    """What was baked."""

    action: str
    """The name of the new action."""
    bones: tuple[str, ...]
    """Bones whose channels have changed."""
    curves: int
    """How many f-curves were written."""
    keys: int
    """How many keys they have together."""
    disconnected: tuple[str, ...]
    """Bones that had to be disconnected from their parents, so that they can be stretched away."""
    gap: float
    """The largest distance between a joint of the result and its bone as baked, in the scene's units."""
    notes: tuple[str, ...]
    """What the animator should know, a sentence each, the most important first."""
    held_off: str = ""
    """How far the rig's own constraints hold a bone off the result and which constraint does, in one sentence, which
    is also the first of the notes; empty where bones are where the result has them."""
    distances: Array = field(default_factory=lambda: np.zeros((0, 0)), compare=False, repr=False)
    """(frames, joints) from each joint of the result to its bone as baked, in the scene's units."""
    angles: Array = field(default_factory=lambda: np.zeros((0, 0)), compare=False, repr=False)
    """(frames, joints) likewise in radians, between their orientations; zero where all bones can be baked."""

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and tuples, without the arrays: what JSON can write."""
        kept = [each.name for each in fields(self) if each.name not in ("distances", "angles")]
        return {name: getattr(self, name) for name in kept}


def bake(
    reading: Reading,
    result: Clip,
    *,
    target: Target = "action",
    tolerance: float = 0.0,
    stretch: bool = True,
) -> Baked:
    """Bake a changed clip of what was read, and show it on the armature.

    A `tolerance` above zero leaves out keys, as long as smooth curves between the others keep every channel within it
    (radians; lengths as a share of the character's size). With `stretch`, connected bones that the result moves away
    from their parents are disconnected; without, they stay. Mode, frame and selection stay as they are.
    """
    armature = _checked(reading, result, target, tolerance)
    rig = reading.rig
    edits = edits_for(reading, result, may_leave_parent=stretch)
    _check_locks(reading, edits)
    before = sources.animation_of(armature)
    moved = [rig.names[bone] for bone in edits.moved_bones.tolist()]
    loose = tuple(name for name in moved if _is_held(armature, name))
    tight = tuple(name for name in before.record.disconnected if name not in moved)
    if loose or tight:
        check_connections_editable(armature)
    plan = plan_of(reading, edits, tolerance)
    _check_groups(armature, plan)

    connect(armature, tight)
    disconnect(armature, loose)
    kept_loose = tuple(name for name in before.record.disconnected if name in moved)
    sources.take_down_result(armature)
    record = sources.Record(unkeyed(reading, plan), (*kept_loose, *loose), rig.names)
    if target == "action":
        action, slot = new_action(armature, before, plan)
    else:
        action, slot = new_layer(armature, before, reading, plan, target)
    sources.mark(action, before.source, before.slot, record)
    action.use_fake_user = True
    if before.source is not None and not context.is_linked(before.source):
        before.source.use_fake_user = True
    sources.show_now()
    distances, angles = _gaps(reading, edits, plan, result, must_evaluate=target == "combine")
    gap = float(distances.max())
    held_off = _held_off(reading, distances)
    notes = _notes(reading, loose, gap, target, is_thinned=tolerance > 0.0, is_held_off=bool(held_off))
    return Baked(
        action=action.name,
        bones=tuple(dict.fromkeys(rig.names[channel.bone] for channel in plan)),
        curves=sum(channel.width for channel in plan),
        keys=_keys(action, slot, plan),
        disconnected=loose,
        gap=gap,
        notes=(held_off, COPY_SENTENCE, *notes) if held_off else notes,
        held_off=held_off,
        distances=distances,
        angles=angles,
    )


# Before anything is touched ---------------------------------------------------------------------------------------


def _checked(reading: Reading, result: Clip, target: Target, tolerance: float) -> bpy.types.Object:
    if target not in ("action", "replace", "combine"):
        raise BridgeError(f"A result goes to an 'action', or to a 'replace' or 'combine' layer, not to {target!r}.")
    if not (np.isfinite(tolerance) and tolerance >= 0.0):
        raise BridgeError(f"The tolerance must be a number that is not negative, not {tolerance!r}.")
    armature = check_armature(reading.armature)
    check_animation(armature)
    check_result(reading, result)
    now = Rig.of(armature)
    if now.names != reading.rig.names or now.modes != reading.rig.modes:
        raise BridgeError(f"The bones of armature {armature.name!r} have changed since it was read: solve again.")
    data = armature.animation_data
    assert data is not None
    animation = sources.animation_of(armature)
    source_name = animation.source.name if animation.source is not None else ""
    if source_name != reading.source_name:
        raise BridgeError(f"Armature {armature.name!r} has another source action than when it was read: solve again.")
    is_blended = data.action_blend_type != "REPLACE" or data.action_influence < 1.0
    if target == "action" and animation.uses_nla(armature) and animation.source is not None and is_blended:
        raise BridgeError(
            f"The action of {armature.name!r} is blended over NLA strips: bake to a layer, or set its blending to "
            "Replace with full influence."
        )
    if target != "action" and not data.use_nla and any(len(track.strips) > 0 for track in data.nla_tracks):
        raise BridgeError(
            f"The NLA stack of {armature.name!r} is off, and a layer would switch its tracks on: do so first, or bake "
            "to an action."
        )
    soloed = next((track.name for track in data.nla_tracks if track.is_solo), None)
    if target != "action" and soloed is not None:
        raise BridgeError(f"NLA track {soloed!r} is soloed, which would silence the new layer: end its solo first.")
    return armature


def _check_locks(reading: Reading, edits: Edits) -> None:
    armature, rig = reading.armature, reading.rig
    assert armature.pose is not None
    for bone in edits.turned_bones.tolist():
        locks = np.array(armature.pose.bones[rig.names[bone]].lock_rotation)
        off = np.abs(edits.channels.rotation[:, bone] - reading.channels.rotation[:, bone]).max(axis=0)
        is_euler = rotation_channels.property_of(rig.modes[bone]) == rotation_channels.EULER
        if locks.all() or (is_euler and (locks & (off[:3] > _LOCKED)).any()):
            raise BridgeError(_locked_sentence(rig.names[bone], "rotation", "turn"))
    size, shifts = reading.size_in_armature, reading.channels.shifts(rig)
    for bone in edits.moved_bones.tolist():
        locks = np.array(armature.pose.bones[rig.names[bone]].lock_location)
        off = np.abs(edits.channels.location[:, bone] - shifts[:, bone]).max(axis=0)
        if (locks & (off > _LOCKED * size)).any():
            raise BridgeError(_locked_sentence(rig.names[bone], "location", "move"))


def _locked_sentence(name: str, what: str, how: str) -> str:
    return (
        f"The {what} of bone {name!r} is locked, but the result would {how} it: unlock it (sidebar, Item), or keep it "
        "out of what the constraints recruit."
    )


def _is_held(armature: bpy.types.Object, name: str) -> bool:
    assert isinstance(armature.data, bpy.types.Armature)
    return armature.data.bones[name].use_connect


def _check_groups(armature: bpy.types.Object, plan: list[ChangedProperty]) -> None:
    """A muted group would silence what is written into it."""
    found = sources.animation_of(armature)
    if found.source is None:
        return
    paths = {changed.path for changed in plan}
    for curve in versions.curves_of(found.source, found.slot):
        if curve.data_path in paths and curve.group is not None and curve.group.mute:
            raise BridgeError(f"The group {curve.group.name!r} of action {found.source.name!r} is muted: unmute it.")


# Afterwards -------------------------------------------------------------------------------------------------------


def _keys(action: bpy.types.Action, slot: str, plan: list[ChangedProperty]) -> int:
    """How many keys the written f-curves have."""
    paths = {changed.path for changed in plan}
    return sum(len(curve.keyframe_points) for curve in versions.curves_of(action, slot) if curve.data_path in paths)


def _gaps(
    reading: Reading, edits: Edits, plan: list[ChangedProperty], result: Clip, must_evaluate: bool
) -> tuple[Array, Array]:
    """(frames, joints) distances and angles from the joints to their bones.

    The bones are where Blender stores the keys, or where these do not tell, where it evaluates them.
    """
    if reading.method == "evaluated" or must_evaluate:
        pose = finished(sampling.sample(reading.armature, context.scene(), reading.rig, reading.times)).pose
    else:
        stored = edits.channels.copy()
        for changed in plan:
            held = stored.location if changed.attribute == "location" else stored.rotation
            held[:, changed.bone, : changed.width] = changed.fit.shown.astype(np.float32)
        rig = reading.rig
        if edits.moved.any():
            rig = replace(rig, connected=rig.connected & ~edits.moved.any(axis=0))
        pose = pose_of(rig, stored)
    shown = pose.seen_through(reading.world)
    bones = reading.joints.bones
    distances = np.linalg.norm(shown.heads[:, bones] - result.world.positions, axis=-1)
    if not reading.unbakeable:
        return distances, np.zeros_like(distances)
    axes, known = orientations(shown.axes[:, bones])
    angles = rotations.angle_between(result.world.rotations, rotations.from_matrix(axes))
    return distances, np.where(known, angles, 0.0)


def _held_off(reading: Reading, distances: Array) -> str:
    """How far the rig's own constraints hold bones off the result, given distances (frames, joints); empty if not."""
    movers = [mover_above(reading, name) for name in reading.joints.names]
    held = [joint for joint, mover in enumerate(movers) if mover is not None]
    if not held:
        return ""
    worst = held[int(distances[:, held].max(axis=0).argmax())]
    gap, bone, found = float(distances[:, worst].max()), reading.joints.names[worst], movers[worst]
    if found is None or gap <= _WORTH_TELLING * reading.clip.skeleton.size:
        return ""
    words = found[1].words_for(bone)
    return (
        f"Bone {bone!r} is up to {length_in_words(gap)} away from where the result has it, since {words} decides where "
        "it is."
    )


def _notes(
    reading: Reading, loose: tuple[str, ...], gap: float, target: Target, is_thinned: bool, is_held_off: bool
) -> tuple[str, ...]:
    notes = []
    if loose:
        notes.append(
            f"{len(loose)} connected bone(s), first {loose[0]!r}, were disconnected so that they can be stretched; "
            "Restore Source connects them again."
        )
    is_coarse = target == "combine" and not is_thinned and not reading.unbakeable
    if is_coarse and _COMBINED_EXACTLY < gap / reading.clip.skeleton.size <= _WORTH_TELLING:
        notes.append(
            f"Blender combines quaternions coarsely, which puts bones up to {gap:.3g} off: bake to a replacing layer "
            "where that matters."
        )
    if gap > _WORTH_TELLING * reading.clip.skeleton.size and not is_thinned and not is_held_off:
        notes.append(
            f"Connected bones are up to {gap:.3g} away from where the result wants them, since they may not leave "
            "their parents: bake with stretching."
        )
    return tuple(notes)
