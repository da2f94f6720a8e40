# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties, collections and results that characters have left behind when their armatures were deleted.

Blender's own deletion takes them along (`deleted_characters`). What scripts or other add-ons have deleted, and what was
left over in a file, is removed only where the animator asks for it, in an undo step of its own: an armature also
disappears for a while when it is moved between scenes or collections.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import bpy
from bpy.app.handlers import persistent

from .. import bridge
from ..properties import character_of, handles

_Found = TypeVar("_Found", bpy.types.Object, bpy.types.Collection, bpy.types.Action)


@dataclass(frozen=True)
class Leftovers:
    """What can be removed."""

    empties: tuple[bpy.types.Object, ...]
    collections: tuple[bpy.types.Collection, ...]
    results: tuple[bpy.types.Action, ...]

    def __bool__(self) -> bool:
        return bool(self.empties or self.collections or self.results)

    @property
    def uids(self) -> set[int]:
        """The session uids of all of it."""
        return {found.session_uid for found in (*self.empties, *self.collections, *self.results)}

    def without(self, uids: set[int]) -> Leftovers:
        """All but what has one of these session uids."""

        def kept(items: Iterable[_Found]) -> tuple[_Found, ...]:
            return tuple(found for found in items if found.session_uid not in uids)

        return Leftovers(kept(self.empties), kept(self.collections), kept(self.results))

    @property
    def sentence(self) -> str:
        """How many of each there are."""
        counts = (len(self.empties), "empty", "empties"), (len(self.results), "result", "results")
        words = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
        return " and ".join(words) or "an empty collection"


def find() -> Leftovers:
    """The leftovers of deleted characters, without anything that the animator has made, renamed or uses elsewhere."""
    living = [found for found in bpy.data.objects if found.type == "ARMATURE" and _is_living(found)]
    used = [character_of(armature).collection for armature in living]
    left = [found for found in handles.point_collections() if found not in used]
    empties = _unused([empty for found in left for empty in found.objects if handles.is_point(empty)], living)
    emptied = [
        found
        for found in left
        if not handles.is_renamed(found) and not len(found.children) and set(found.objects) <= set(empties)
    ]
    return Leftovers(tuple(empties), tuple(emptied), tuple(bridge.results_without(living)))


_glanced: tuple[Any, str] | None = None
"""What the last look was at, and what it saw."""


def glance() -> str:
    """What deleted characters have left, in words, for panels; empty where there is nothing.

    Panels are drawn often, and to look through all objects takes milliseconds where there are thousands: that is done
    anew only where objects, collections or actions were added or removed.
    """
    global _glanced
    scene = bpy.context.scene
    seen = (
        bpy.data.filepath,
        len(bpy.data.objects),
        len(bpy.data.collections),
        len(bpy.data.actions),
        0 if scene is None else len(scene.objects),
    )
    if _glanced is None or _glanced[0] != seen:
        found = find()
        _glanced = seen, found.sentence if found else ""
    return _glanced[1]


@persistent  # type: ignore[untyped-decorator]
def forget_glance(*_: Any) -> None:
    """Look anew the next time: another file was loaded, or a step undone."""
    global _glanced
    _glanced = None


HANDLERS = ("load_post", "undo_post", "redo_post")
"""The lists of handlers of Blender in which `forget_glance` is."""


def register() -> None:
    """Notice when another file is loaded and when a step is undone."""
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(forget_glance)


def unregister() -> None:
    """Remove the handlers."""
    forget_glance()
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(forget_glance)


def remove() -> str:
    """Remove the leftovers, and return how many there were."""
    found = find()
    if not found:
        raise bridge.BridgeError("No deleted character has left anything behind.")
    sentence = found.sentence
    remove_all(found)
    return sentence


def remove_all(found: Leftovers) -> None:
    """Remove what was found."""
    for empty in found.empties:
        bpy.data.objects.remove(empty)
    for collection in found.collections:
        bpy.data.collections.remove(collection)
    for result in found.results:
        bpy.data.actions.remove(result)


def _is_living(armature: bpy.types.Object) -> bool:
    """Whether an armature is in a collection or kept on purpose; a deleted one may still be held by a modifier."""
    if armature.use_fake_user or handles.is_in_scene(armature):
        return True
    return len(armature.users_collection) > 0  # slow, since Blender looks through all collections


def _unused(empties: list[bpy.types.Object], living: list[bpy.types.Object]) -> list[bpy.types.Object]:
    """The empties that only collections, scenes and deleted armatures refer to."""
    if not empties:
        return []
    users: Any = bpy.data.user_map(subset=empties)

    def is_no_use(user: Any) -> bool:
        if isinstance(user, (bpy.types.Collection, bpy.types.Scene)):
            return True
        return isinstance(user, bpy.types.Object) and user.type == "ARMATURE" and user not in living

    return [empty for empty in empties if all(is_no_use(user) for user in users[empty])]
