# SPDX-License-Identifier: GPL-3.0-or-later
"""Which action is the source and which the result: kept in the result, so that files, copies and undo keep it too.

A result is an action with custom properties that point to its source. It is either assigned to the armature (the
source then waits beside it), or it is a strip in an NLA track of its own, above the source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy

from . import context, versions
from .connections import connect, disconnect
from .curves import bone_property
from .errors import BridgeError
from .renaming import bone_names, rename_in_action, rename_path, renames

MARK = "poise_result"
SOURCE = "poise_source"
SLOT = "poise_source_slot"
RECORD = "poise_record"
"""Names of the custom properties of a result: that it is one, its source action, that one's slot, and the rest."""

SUFFIX = ".poise"
LAYER_TRACK = "Poise"
SOURCE_TRACK = "Poise source"
BASE_TRACK = "Poise base"
"""Names of the NLA tracks that a result as a layer makes."""


_LONGEST_STEM = 50
"""Bytes of the source's name that are kept: the longest name in Blender 4 has 63, with room for suffix and number."""


@dataclass(frozen=True)
class Record:
    """What else a result remembers about the state before it."""

    unkeyed: Mapping[str, list[float]] = field(default_factory=dict)
    """Values of properties, by data path, that were not wholly keyed in the source and are in the result."""
    disconnected: tuple[str, ...] = ()
    """Bones that were connected to their parents before."""
    bones: tuple[str, ...] = ()
    """The names of all bones: those that are renamed later keep their places."""

    def written(self) -> str:
        """As text."""
        return json.dumps(
            {"unkeyed": dict(self.unkeyed), "disconnected": list(self.disconnected), "bones": list(self.bones)}
        )

    @staticmethod
    def read(action: bpy.types.Action) -> Record:
        """The record of a result."""
        try:
            held = json.loads(str(context.custom(action, RECORD) or "{}"))
            return Record(
                dict(held.get("unkeyed", {})), tuple(held.get("disconnected", ())), tuple(held.get("bones", ()))
            )
        except (ValueError, AttributeError, TypeError):
            raise BridgeError(
                f"The custom property {RECORD!r} of action {action.name!r} cannot be read: remove it, or assign the "
                "source action by hand."
            ) from None


@dataclass(frozen=True)
class Animation:
    """How an armature is animated, with a result or without."""

    source: bpy.types.Action | None
    """The source action; None where NLA tracks alone animate."""
    slot: str
    result: bpy.types.Action | None = None
    layer: bpy.types.NlaTrack | None = None
    """The track of the result, where it is a layer."""
    pushed_down: bpy.types.NlaTrack | None = None
    """The track that holds the source, where the layer put it there."""
    base: bpy.types.NlaTrack | None = None
    """The track that holds what the source does not key, where the layer needs it."""
    record: Record = field(default_factory=Record)

    def uses_nla(self, armature: bpy.types.Object) -> bool:
        """Whether NLA tracks have a say, other than the ones that the bridge has made."""
        animation = armature.animation_data
        if animation is None or not animation.use_nla:
            return False
        ours = [track for track in (self.layer, self.pushed_down, self.base) if track is not None]
        return any(track not in ours for track in animation.nla_tracks if sounding_strips(animation, track))


def is_result(action: bpy.types.Action | None) -> bool:
    """Whether an action is something that was baked here."""
    return action is not None and bool(context.custom(action, MARK))


def sounding_strips(animation: bpy.types.AnimData, track: bpy.types.NlaTrack) -> list[bpy.types.NlaStrip]:
    """The strips of a track that are evaluated."""
    silenced = track.mute or (not track.is_solo and any(other.is_solo for other in animation.nla_tracks))
    return [] if silenced else [strip for strip in track.strips if not strip.mute]


def animation_of(armature: bpy.types.Object) -> Animation:
    """How an armature is animated; the source is found even while a result is shown."""
    animation = armature.animation_data
    if animation is None:
        return Animation(None, "")
    if is_result(animation.action):
        assert animation.action is not None
        source, slot = _source_of_result(animation.action)
        return Animation(source, slot, animation.action, record=Record.read(animation.action))
    layer: bpy.types.NlaTrack | None = context.named(animation.nla_tracks, LAYER_TRACK)
    result = next((strip.action for strip in layer.strips if is_result(strip.action)), None) if layer else None
    # An action that was assigned later lies above the layer, which is then a track like any other.
    if layer is None or result is None or animation.action is not None:
        return Animation(animation.action, versions.slot_of(animation))
    source, slot = _source_of_result(result)
    pushed_down = context.named(animation.nla_tracks, SOURCE_TRACK) if source is not None else None
    base = context.named(animation.nla_tracks, BASE_TRACK)
    return Animation(source, slot, result, layer, pushed_down, base, Record.read(result))


def _source_of_result(result: bpy.types.Action) -> tuple[bpy.types.Action | None, str]:
    source = context.custom(result, SOURCE)
    if context.custom(result, SLOT) is not None and not isinstance(source, bpy.types.Action):
        raise BridgeError(
            f"The source of action {result.name!r} has been deleted: apply the result to make it the new source."
        )
    if not isinstance(source, bpy.types.Action):
        return None, ""
    return source, versions.present_slot(source, str(context.custom(result, SLOT) or ""))


def follow_renames(armature: bpy.types.Object) -> None:
    """Let the source and the record of a result know of bones that have been renamed since it was baked."""
    shown = animation_of(armature)
    changes = renames(shown.record.bones, armature) if shown.result is not None else {}
    if shown.result is None or not changes:
        return
    # A source in an NLA strip has been told by Blender.
    if shown.source is not None and shown.layer is None and not context.is_linked(shown.source):
        rename_in_action(shown.source, shown.slot, changes)
    record = Record(
        {rename_path(path, changes): values for path, values in shown.record.unkeyed.items()},
        tuple(changes.get(name, name) for name in shown.record.disconnected),
        bone_names(armature),
    )
    shown.result[RECORD] = record.written()


@contextmanager
def source_shown(armature: bpy.types.Object) -> Iterator[None]:
    """Let Blender evaluate the source for a while, where a result is shown."""
    shown = animation_of(armature)
    if shown.result is None:
        yield
        return
    animation = armature.animation_data
    assert animation is not None
    slot = versions.slot_of(animation)
    was_muted = shown.layer is not None and shown.layer.mute
    try:
        connect(armature, shown.record.disconnected)
        if shown.layer is not None:
            shown.layer.mute = True
        else:
            versions.assign(animation, shown.source, shown.slot)
        _set_values(armature, shown.record.unkeyed)
        yield
    finally:
        if shown.layer is not None:
            shown.layer.mute = was_muted
        else:
            versions.assign(animation, shown.result, slot)
        disconnect(armature, shown.record.disconnected)


def restore_source(armature: bpy.types.Object) -> None:
    """Assign the source again, and forget the result where nobody else uses it."""
    follow_renames(armature)
    shown = animation_of(armature)
    animation = armature.animation_data
    if shown.result is None or animation is None:
        raise BridgeError(f"Armature {armature.name!r} shows no result of Poise, so there is nothing to restore.")
    connect(armature, shown.record.disconnected)
    _take_down(armature, shown)
    _set_values(armature, shown.record.unkeyed)
    forget_unused(shown.result)
    show_now()


def apply_result(armature: bpy.types.Object) -> bpy.types.Action:
    """Make the result the new source: it stays assigned, and no longer knows the action that it came from.

    Of a layer, the result and its source stay in their NLA tracks, which get names of their own.
    """
    animation = armature.animation_data
    layer = context.named(animation.nla_tracks, LAYER_TRACK) if animation is not None else None
    held = [animation.action] if animation is not None else []
    held += [strip.action for strip in layer.strips] if layer is not None else []
    result = next((action for action in held if is_result(action)), None)
    if result is None or animation is None:
        raise BridgeError(f"Armature {armature.name!r} shows no result of Poise, so there is nothing to apply.")
    for name in (MARK, SOURCE, SLOT, RECORD):
        if context.custom(result, name) is not None:
            del result[name]
    if layer is not None and result is not animation.action:
        for name in (LAYER_TRACK, SOURCE_TRACK, BASE_TRACK):
            track = context.named(animation.nla_tracks, name)
            if track is not None:
                track.name = f"{name} applied"
    return result


def take_down_result(armature: bpy.types.Object) -> None:
    """Put the source back where it was before the result, and forget the result where nobody else uses it."""
    shown = animation_of(armature)
    if shown.result is None:
        return
    _take_down(armature, shown)
    _set_values(armature, shown.record.unkeyed)
    forget_unused(shown.result)


def _take_down(armature: bpy.types.Object, shown: Animation) -> None:
    animation = armature.animation_data
    assert animation is not None
    if shown.layer is None:
        versions.assign(animation, shown.source, shown.slot)
        return
    animation.nla_tracks.remove(shown.layer)
    if shown.base is not None:
        held = [strip.action for strip in shown.base.strips if strip.action is not None]
        animation.nla_tracks.remove(shown.base)
        for action in held:
            forget_unused(action)
    if shown.pushed_down is not None:
        animation.nla_tracks.remove(shown.pushed_down)
        versions.assign(animation, shown.source, shown.slot)


def forget_unused(action: bpy.types.Action) -> None:
    """Delete a result, or what belongs to one, that nothing but its own fake user holds."""
    if action.users <= int(action.use_fake_user):
        bpy.data.actions.remove(action)


def name_of_result(armature: bpy.types.Object, before: Animation) -> str:
    """The source's name with a suffix; where there is no source, the armature's."""
    stem = (before.source or armature).name.encode()[:_LONGEST_STEM].decode(errors="ignore")
    return stem + SUFFIX


def mark(result: bpy.types.Action, source: bpy.types.Action | None, slot: str, record: Record) -> None:
    """Say of an action that it is a result, and of what."""
    result[MARK] = True
    if source is not None:
        result[SOURCE] = source
        result[SLOT] = slot
    result[RECORD] = record.written()


def _set_values(armature: bpy.types.Object, values: Mapping[str, list[float]]) -> None:
    assert armature.pose is not None
    for path, numbers in values.items():
        found = bone_property(path)
        bone = context.named(armature.pose.bones, found[0]) if found else None
        if bone is not None and found is not None:
            setattr(bone, found[1], numbers)


def show_now() -> None:
    """Let Blender evaluate the present frame with what has been assigned."""
    context.view_layer().update()
    scene = context.scene()
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
