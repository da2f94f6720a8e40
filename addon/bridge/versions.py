# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between Blender 4.2 and 5.2: slots and channelbags of actions, where a bone's selection is stored, and
which shader draws dots.

No other module checks the version of Blender. A slot is given by its identifier; before Blender 4.4 that is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

ACTIONS_HAVE_SLOTS = bpy.app.version >= (4, 4, 0)
ACTIONS_ARE_COPIED_TO_BE_EVALUATED = bpy.app.version < (4, 3, 0)
CURVES_ARE_GROUPED_WHEN_MADE = bpy.app.version >= (5, 0, 0)
POSE_BONES_HOLD_THE_SELECTION = bpy.app.version >= (5, 0, 0)
DOT_SHADER = "POINT_FLAT_COLOR" if bpy.app.version >= (4, 5, 0) else "FLAT_COLOR"
"""The builtin shader that draws dots of some size with a colour each."""

Animated = bpy.types.AnimData | bpy.types.NlaStrip
"""Types to which an action can be assigned."""


# Slots ------------------------------------------------------------------------------------------------------------


def slot_of(owner: Any) -> str:
    """The slot of the action that an AnimData or a strip uses; empty without an action, or before slots."""
    if not ACTIONS_HAVE_SLOTS or owner.action is None or owner.action_slot is None:
        return ""
    return str(owner.action_slot.identifier)


def animates(owner: Any) -> bool:
    """Whether the assigned action animates its owner; without a slot it does nothing, and Blender does not say so."""
    return owner.action is not None and (not ACTIONS_HAVE_SLOTS or owner.action_slot is not None)


def assign(owner: Any, action: bpy.types.Action | None, slot: str = "") -> None:
    """Assign an action with its slot; with Blender's choice, or the first suitable slot, where it has no such slot."""
    owner.action = action
    if action is None or not ACTIONS_HAVE_SLOTS:
        return
    named: Any = next((found for found in slots_of(action) if found.identifier == slot), None)
    if named is not None:
        owner.action_slot = named
    elif owner.action_slot is None and len(owner.action_suitable_slots) > 0:
        owner.action_slot = owner.action_suitable_slots[0]


def slots_of(action: bpy.types.Action) -> list[Any]:
    """The slots of an action; none before Blender 4.4."""
    return list(action.slots) if ACTIONS_HAVE_SLOTS else []


def ensure_slot(action: bpy.types.Action, owner: bpy.types.ID) -> str:
    """The slot of an action for an object, which is made where there is none."""
    if not ACTIONS_HAVE_SLOTS:
        return ""
    present = _object_slot(action)
    if present:
        return present
    slots: Any = action.slots
    return str(slots.new(id_type="OBJECT", name=owner.name).identifier)


def present_slot(action: bpy.types.Action, slot: str) -> str:
    """The given slot where the action has it, else its first slot for objects; empty where it has neither.

    A slot is missing in files of Blender 4.2 and 4.3, which wrote none: newer Blenders give each action of such a file
    one slot when they load it.
    """
    return slot if any(found.identifier == slot for found in slots_of(action)) else _object_slot(action)


def _object_slot(action: bpy.types.Action) -> str:
    """The identifier of the first slot that can animate an object; empty where there is none."""
    usable = (slot for slot in slots_of(action) if slot.target_id_type in ("OBJECT", "UNSPECIFIED"))
    return next((str(slot.identifier) for slot in usable), "")


# Curves -----------------------------------------------------------------------------------------------------------


def curves_of(action: bpy.types.Action, slot: str) -> list[bpy.types.FCurve]:
    """The f-curves of one slot."""
    holder = _curve_container(action, slot, make=False)
    return [] if holder is None else list(holder.fcurves)


def all_curves_of(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    """The f-curves of every slot."""
    if not ACTIONS_HAVE_SLOTS:
        yield from action.fcurves
        return
    for slot in slots_of(action):
        yield from curves_of(action, slot.identifier)


def new_curve(action: bpy.types.Action, slot: str, path: str, index: int, group: str) -> bpy.types.FCurve:
    """Add an f-curve in a group of the given name, which is made where there is none."""
    holder = _curve_container(action, slot, make=True)
    if not ACTIONS_HAVE_SLOTS:
        made: bpy.types.FCurve = holder.fcurves.new(path, index=index, action_group=group)
        return made
    if CURVES_ARE_GROUPED_WHEN_MADE:
        made = holder.fcurves.new(path, index=index, group_name=group)
        return made
    made = holder.fcurves.new(path, index=index)
    made.group = holder.groups.get(group) or holder.groups.new(group)
    return made


def remove_curve(action: bpy.types.Action, slot: str, curve: bpy.types.FCurve) -> None:
    """Remove an f-curve of a slot."""
    _curve_container(action, slot, make=False).fcurves.remove(curve)


def remove_groups_without_curves(action: bpy.types.Action, slot: str) -> None:
    """Remove the groups of a slot that are empty."""
    holder = _curve_container(action, slot, make=False)
    for group in list(holder.groups) if holder is not None else []:
        if len(group.channels) == 0:
            holder.groups.remove(group)


def _curve_container(action: bpy.types.Action, slot: str, make: bool) -> Any:
    """The container of the f-curves and groups of a slot: its channelbag, or before slots the action."""
    if not ACTIONS_HAVE_SLOTS:
        return action
    named = next((found for found in slots_of(action) if found.identifier == slot), None)
    if named is None:
        return None
    layers: Any = action.layers
    if len(layers) == 0:
        if not make:
            return None
        layers.new("Layer")
    strips = layers[0].strips
    if len(strips) == 0:
        if not make:
            return None
        strips.new(type="KEYFRAME")
    return strips[0].channelbag(named, ensure=True) if make else strips[0].channelbag(named)


def tag_curves(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    """Let Blender evaluate an armature again whose f-curves were written as arrays, which tells it nothing."""
    armature.update_tag(refresh={"TIME"})
    if ACTIONS_ARE_COPIED_TO_BE_EVALUATED:
        action.update_tag()


def is_skipped(curve: bpy.types.FCurve) -> bool:
    """Whether Blender skips an f-curve because its path was invalid before; since Blender 4.4 it tries again."""
    return not ACTIONS_HAVE_SLOTS and not curve.is_valid


def has_unsupported_layers(action: bpy.types.Action) -> bool:
    """Whether an action has more than one layer or strip; Blender up to 5.2 makes and evaluates one."""
    if not ACTIONS_HAVE_SLOTS:
        return False
    layers: Any = action.layers
    return len(layers) > 1 or any(len(layer.strips) > 1 for layer in layers)


# Bones ------------------------------------------------------------------------------------------------------------


def is_selected(bone: bpy.types.PoseBone) -> bool:
    """Whether a pose bone is selected."""
    return bool(_selection(bone).select)


def select(bone: bpy.types.PoseBone, selected: bool = True) -> None:
    """Select a pose bone, or deselect it."""
    _selection(bone).select = selected


def is_hidden(bone: bpy.types.PoseBone) -> bool:
    """Whether a pose bone is hidden, by itself or because no collection shows it."""
    return is_hidden_itself(bone) or bool(hiding_collections(bone))


def is_hidden_itself(bone: bpy.types.PoseBone) -> bool:
    """Whether a pose bone has been hidden in pose mode, so that Alt H shows it again."""
    return bool(_selection(bone).hide)


def hiding_collections(bone: bpy.types.PoseBone) -> list[str]:
    """The bone collections that must be shown to show a bone: one of its own, and hidden ones above that.

    Empty where one of the bone's collections is visible, or where it is in none.
    """
    collections: Any = bone.bone.collections
    if len(collections) == 0 or any(found.is_visible_effectively for found in collections):
        return []
    names: list[str] = []
    above: Any = collections[0]
    if is_solo_active(bone):
        return [above.name]
    while above is not None:
        if not above.is_visible:
            names.append(above.name)
        above = above.parent
    return names


def is_solo_active(bone: bpy.types.PoseBone) -> bool:
    """Whether bone collections are soloed, which hides all others."""
    armature: Any = bone.id_data
    return bool(armature.data.collections.is_solo_active)


def set_hidden(bone: bpy.types.PoseBone, hidden: bool = True) -> None:
    """Hide a pose bone, or show it again."""
    _selection(bone).hide = hidden


def _selection(bone: bpy.types.PoseBone) -> Any:
    """The owner of a bone's properties `select` and `hide`."""
    return bone if POSE_BONES_HOLD_THE_SELECTION else bone.bone


def shows_overlays(space: Any) -> bool:
    """Whether an editor of time shows overlays; before 5.0 it has no switch for them."""
    overlays = getattr(space, "overlays", None)
    return bool(getattr(overlays, "show_overlays", True))
