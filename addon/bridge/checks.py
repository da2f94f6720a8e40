# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks before an armature is read or baked. Each error is one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from . import context, versions
from .errors import BridgeError
from .sources import animation_of


def check_armature(armature: bpy.types.Object | None) -> bpy.types.Object:
    """Return the armature; raise where it cannot be read or changed."""
    if armature is None:
        raise BridgeError("There is no armature: select one, or make it the active object.")
    if not isinstance(armature.data, bpy.types.Armature):
        kind = armature.type.replace("_", " ").lower()
        raise BridgeError(f"{armature.name!r} is no armature but of type {kind}: select an armature.")
    if context.is_linked(armature):
        raise BridgeError(
            f"Armature {armature.name!r} is linked from {armature.library.filepath!r}, so it cannot be changed here: "
            "make it local (Object > Relations > Make Local), or open that file."
        )
    if context.is_override(armature):
        raise BridgeError(
            f"Armature {armature.name!r} is a library override, so it cannot be changed freely: make it local "
            "(Object > Relations > Make Local), or open the file that it is linked from."
        )
    if len(armature.data.bones) == 0 or armature.pose is None:
        raise BridgeError(f"Armature {armature.name!r} has no bones.")
    check_names(armature)
    if armature.mode == "EDIT":
        raise BridgeError(f"Armature {armature.name!r} is in edit mode, where nothing moves: leave edit mode first.")
    if armature.data.pose_position == "REST":
        raise BridgeError(
            f"Armature {armature.name!r} shows its rest position: switch to the pose position in its data properties."
        )
    if armature.name not in context.view_layer().objects:
        raise BridgeError(
            f"Armature {armature.name!r} is not in the view layer {context.view_layer().name!r}: link it to a "
            "collection that is not excluded there."
        )
    return armature


def check_names(armature: bpy.types.Object) -> None:
    """Raise where a bone has a name that is no text: Blender cuts long names of scripts inside of a letter."""
    assert isinstance(armature.data, bpy.types.Armature)
    for number, bone in enumerate(armature.data.bones, start=1):
        try:
            bone.name  # noqa: B018
        except UnicodeDecodeError:
            raise BridgeError(
                f"Bone {number} of armature {armature.name!r} has a name that was cut inside of a letter: give it a "
                "shorter one."
            ) from None


def check_animation(armature: bpy.types.Object) -> None:
    """Raise unless something animates the armature."""
    animation = armature.animation_data
    if animation is not None and animation.use_tweak_mode:
        raise BridgeError(f"A strip of {armature.name!r} is being tweaked in the NLA editor: leave tweak mode first.")
    found = animation_of(armature)
    if found.source is not None:
        if found.result is None and animation is not None and not versions.animates(animation):
            raise BridgeError(
                f"Action {found.source.name!r} has no slot assigned, so it does not move armature {armature.name!r}: "
                "choose a slot in the action editor."
            )
        if versions.has_unsupported_layers(found.source):
            raise BridgeError(
                f"Action {found.source.name!r} has several layers or strips, which this version of Poise cannot read: "
                "merge them."
            )
        return
    if found.uses_nla(armature):
        return
    filled = [track.name for track in animation.nla_tracks if len(track.strips) > 0] if animation is not None else []
    if animation is not None and filled:
        how = "muted" if animation.use_nla else "off, since the whole NLA stack is"
        raise BridgeError(
            f"Armature {armature.name!r} has no action, and NLA track {filled[0]!r} is {how}: unmute it, or assign an "
            "action."
        )
    raise BridgeError(f"Armature {armature.name!r} has no action: assign or record one first.")


def check_bones(armature: bpy.types.Object, names: Iterable[str]) -> None:
    """Raise where one of these bones is missing, hidden or locked in all its channels."""
    assert armature.pose is not None
    for name in names:
        reason = why_unusable(armature, name)
        if reason:
            raise BridgeError(reason)


def why_unusable(armature: bpy.types.Object, name: str) -> str:
    """Why a bone cannot be constrained, in one sentence; empty where it can."""
    assert armature.pose is not None
    bone = context.get_item(armature.pose.bones, name)
    if bone is None:
        return f"Armature {armature.name!r} has no bone {name!r}: choose another one, or delete what names it."
    if versions.is_hidden(bone):
        return f"Bone {name!r} is hidden: {_how_to_show(bone)}, or choose another one."
    if is_locked(bone):
        return f"Bone {name!r} is locked: unlock its location or rotation (sidebar, Item), or choose another one."
    return ""


def _how_to_show(bone: bpy.types.PoseBone) -> str:
    """The steps that show a hidden bone, as part of a sentence. Alt H does not show bone collections."""
    steps = []
    collections = versions.hiding_collections(bone)
    if collections:
        names = " and ".join(repr(name) for name in collections)
        what = "solo" if versions.is_solo_active(bone) else "show"
        steps.append(f"{what} its bone collection {names} (armature data properties, Bone Collections)")
    if versions.is_hidden_itself(bone):
        steps.append("press Alt H in pose mode" if steps else "show it (Alt H in pose mode)")
    return ", then ".join(steps)


def is_locked(bone: bpy.types.PoseBone) -> bool:
    """Whether all channels of location and rotation of a bone are locked."""
    moves = not bone.bone.use_connect and not all(bone.lock_location)
    return not moves and all(bone.lock_rotation)
