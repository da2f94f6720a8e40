# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between Blender 4.2 and 5.2: slots and channelbags of actions, where a bone's selection is kept.

Nobody else asks which Blender this is. A slot is named by its identifier, a string; before slots it is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

ACTIONS_HAVE_SLOTS = bpy.app.version >= (4, 4, 0)
CURVES_ARE_GROUPED_WHEN_MADE = bpy.app.version >= (5, 0, 0)
POSE_BONES_HOLD_THE_SELECTION = bpy.app.version >= (5, 0, 0)

Animated = bpy.types.AnimData | bpy.types.NlaStrip
"""What an action can be assigned to."""


# Slots ------------------------------------------------------------------------------------------------------------


def slot_of(owner: Any) -> str:
    """The slot by which an AnimData or a strip uses its action; empty where it uses none or there are no slots."""
    if not ACTIONS_HAVE_SLOTS or owner.action is None or owner.action_slot is None:
        return ""
    return str(owner.action_slot.identifier)


def animates(owner: Any) -> bool:
    """Whether the assigned action reaches its owner at all: one without a slot does nothing, silently."""
    return owner.action is not None and (not ACTIONS_HAVE_SLOTS or owner.action_slot is not None)


def assign(owner: Any, action: bpy.types.Action | None, slot: str = "") -> None:
    """Assign an action with its slot. Without a name, the slot is the one that Blender or a lone slot suggests."""
    owner.action = action
    if action is None or not ACTIONS_HAVE_SLOTS:
        return
    named: Any = next((found for found in slots_of(action) if found.identifier == slot), None)
    if named is not None:
        owner.action_slot = named
    elif owner.action_slot is None and len(owner.action_suitable_slots) > 0:
        owner.action_slot = owner.action_suitable_slots[0]


def slots_of(action: bpy.types.Action) -> list[Any]:
    """The slots of an action; none before there were any."""
    return list(action.slots) if ACTIONS_HAVE_SLOTS else []


def ensure_slot(action: bpy.types.Action, owner: bpy.types.ID) -> str:
    """The slot for an owner in an action, made where the action has none for objects."""
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
    holder = _holder(action, slot, make=False)
    return [] if holder is None else list(holder.fcurves)


def all_curves_of(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    """The f-curves of every slot."""
    if not ACTIONS_HAVE_SLOTS:
        yield from action.fcurves
        return
    for slot in slots_of(action):
        yield from curves_of(action, slot.identifier)


def new_curve(action: bpy.types.Action, slot: str, path: str, index: int, group: str) -> bpy.types.FCurve:
    """A new f-curve in a group of the given name, which is made where it is missing."""
    holder = _holder(action, slot, make=True)
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
    """Take an f-curve out of its slot."""
    _holder(action, slot, make=False).fcurves.remove(curve)


def remove_groups_without_curves(action: bpy.types.Action, slot: str) -> None:
    """Take away the groups that removed f-curves have left empty."""
    holder = _holder(action, slot, make=False)
    for group in list(holder.groups) if holder is not None else []:
        if len(group.channels) == 0:
            holder.groups.remove(group)


def _holder(action: bpy.types.Action, slot: str, make: bool) -> Any:
    """What holds the f-curves and groups of a slot: its channelbag, or before slots the action itself."""
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


def is_passed_over(curve: bpy.types.FCurve) -> bool:
    """Whether Blender does not evaluate an f-curve since its path has once led nowhere: with slots it tries again."""
    return not ACTIONS_HAVE_SLOTS and not curve.is_valid


def is_layered_beyond_reach(action: bpy.types.Action) -> bool:
    """Whether an action has more layers or strips than the one that Blenders up to 5.2 make and evaluate."""
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
    """The bone collections to show so that a bone is seen: one of its own and those above that are hidden too.

    Empty where one of the bone's collections is shown, or where it is in none.
    """
    collections: Any = bone.bone.collections
    if len(collections) == 0 or any(held.is_visible_effectively for held in collections):
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
    """Whether bone collections are soloed, which hides all others, whatever their own setting."""
    armature: Any = bone.id_data
    return bool(armature.data.collections.is_solo_active)


def set_hidden(bone: bpy.types.PoseBone, hidden: bool = True) -> None:
    """Hide a pose bone, or show it again."""
    _selection(bone).hide = hidden


def _selection(bone: bpy.types.PoseBone) -> Any:
    """What holds a bone's selection and whether it is hidden."""
    return bone if POSE_BONES_HOLD_THE_SELECTION else bone.bone
