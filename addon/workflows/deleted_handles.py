# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletes the points and constraints whose handles the animator has deleted, and what deleted characters leave.

Only Blender's own deletion counts, which the list of the last operators tells: what a script unlinks, or what is hidden
or moved to another collection, stays. Undo brings handle and constraint back together, since the step before the
deletion has both. The step of the deletion itself still has the constraint: Blender stores it before anyone is told. So
wherever undo or redo leads there, the constraint is deleted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..bridge.context import is_linked, is_override
from ..properties import PoiseConstraint, character_of, constraint_list, handles
from . import create, deleted_characters, notices

DELETING = ("OBJECT_OT_delete", "OUTLINER_OT_delete")

_last_operator = 0
"""The address of the newest operator in Blender's list, as last seen."""

_deleted: set[int] = set()
"""The session uids of handles that were deleted."""

_unlinked: set[int] = set()
"""The session uids of handles that are in no collection, but were not deleted."""


@persistent  # type: ignore[untyped-decorator]
def follow_deletion(scene: bpy.types.Scene, depsgraph: Any) -> None:
    """Look for deleted handles, if the newest operator is one that deletes and was not seen before."""
    global _last_operator
    if depsgraph.mode != "VIEWPORT":
        return
    manager: Any = bpy.context.window_manager
    newest = manager.operators[-1] if manager is not None and len(manager.operators) else None
    address = newest.as_pointer() if newest is not None else 0
    is_new = address != _last_operator
    _last_operator = address
    if newest is not None and is_new and newest.bl_idname in DELETING:
        gone = _gone_from(scene) - _unlinked
        if gone:
            _deleted.update(gone)
            _delete(scene)
        deleted_characters.after_deletion()
    elif depsgraph.id_type_updated("COLLECTION"):
        _unlinked.update(_gone_from(scene) - _deleted)
        deleted_characters.after_other_changes()


@persistent  # type: ignore[untyped-decorator]
def follow_undo(*_: Any) -> None:
    """Delete again what undo or redo has brought back without its handle."""
    if _deleted and bpy.context.scene is not None:
        _delete(bpy.context.scene)
    deleted_characters.after_undo()


@persistent  # type: ignore[untyped-decorator]
def begin_anew(*_: Any) -> None:
    """Forget what was deleted: another file is loaded. What is in no collection there was not deleted here."""
    global _last_operator
    manager: Any = bpy.context.window_manager
    _last_operator = manager.operators[-1].as_pointer() if manager is not None and len(manager.operators) else 0
    _deleted.clear()
    _unlinked.clear()
    if not hasattr(bpy.data, "scenes"):
        return  # while an add-on is switched on, data cannot be read
    for scene in bpy.data.scenes:
        _unlinked.update(_gone_from(scene))
    deleted_characters.begin_anew()


def _gone_from(scene: bpy.types.Scene) -> set[int]:
    """The session uids of the handles that are in no collection."""
    return {handle.session_uid for *_, handle in _handles(scene) if is_gone(handle)}


def _delete(scene: bpy.types.Scene) -> None:
    names = delete_points_of(scene, _deleted)
    if names:
        notices.show(names[0] if len(names) == 1 else f"{len(names)} handles were deleted with what they held.")


def is_gone(handle: bpy.types.Object) -> bool:
    """Whether an object is in no collection of the file any more; its point alone keeps it from being removed."""
    return len(handle.users_collection) == 0


def _handles(scene: bpy.types.Scene) -> Iterator[tuple[bpy.types.Object, int, int, Any]]:
    """The handles that Poise has made for characters of a scene: armature, index of the constraint, of the point."""
    for armature in scene.objects:
        if armature.type != "ARMATURE" or is_linked(armature) or is_override(armature):
            continue
        for number, item in enumerate(character_of(armature).constraints):
            for index, point in enumerate(item.points):
                if point.object is not None and handles.is_made_by_poise(point.object):
                    yield armature, number, index, point.object


def delete_points_of(scene: bpy.types.Scene, uids: set[int]) -> list[str]:
    """Delete the points of these handles, given by session uid, as far as they are gone; return a sentence about each.

    A constraint goes with its last point, except a balance, which needs none.
    """
    found = [entry for entry in _handles(scene) if entry[3].session_uid in uids and is_gone(entry[3])]
    sentences = []
    for armature, number, index, _ in reversed(found):  # from the end, so that indices stay right
        item: PoiseConstraint = character_of(armature).constraints[number]
        if len(item.points) > 1 or item.kind == "BALANCE":
            create.remove_point(armature, item, index)
            left = len(item.points)
            sentences.append(f"a point of {item.name} was deleted with its handle; {left or 'none'} left.")
        else:
            sentences.append(f"{item.name} was deleted with its handle; undo brings both back.")
            constraint_list.remove(armature, number)
    view_layer = bpy.context.view_layer
    if found and view_layer is not None and view_layer.objects.active is None:
        view_layer.objects.active = found[0][0]  # so that the panels stay; not selected, so that it is not deleted next
    return sentences[::-1]


def register() -> None:
    """Watch what is deleted, undo and redo."""
    begin_anew()
    on = bpy.app.handlers
    on.depsgraph_update_post.append(follow_deletion)
    on.undo_post.append(follow_undo)
    on.redo_post.append(follow_undo)
    on.load_post.append(begin_anew)


def unregister() -> None:
    """Watch no more."""
    notices.forget()
    on = bpy.app.handlers
    on.load_post.remove(begin_anew)
    on.redo_post.remove(follow_undo)
    on.undo_post.remove(follow_undo)
    on.depsgraph_update_post.remove(follow_deletion)
