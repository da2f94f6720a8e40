# SPDX-License-Identifier: GPL-3.0-or-later
"""Which action is the source and which the result. This is stored in the result, so files, copies and undo keep it.

A result is an action with custom properties that point to its source. It is either assigned to the armature instead of
the source, or it is a strip in an NLA track of its own above the source. A result can be hidden, to compare it with its
source: then the source is assigned and a custom property of the armature points to the result, or its track is muted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import bpy

from . import context, versions
from .connections import can_connect, connect, disconnect, is_connected
from .curves import bone_property
from .errors import BridgeError
from .renaming import bone_names, rename_in_action, rename_path, renames

MARK = "poise_result"
SOURCE = "poise_source"
SLOT = "poise_source_slot"
RECORD = "poise_record"
"""The custom properties of a result: that it is one, the source action, the slot of the source, and its
`ResultRecord`."""

HIDDEN = "poise_hidden_result"
"""The custom property of an armature that points to its result while the source is assigned instead."""

SUFFIX = ".poise"
LAYER_TRACK = "Poise"
SOURCE_TRACK = "Poise source"
BASE_TRACK = "Poise base"
"""Names of the NLA tracks that a result as a layer makes."""


_LONGEST_STEM = 50
"""Bytes of the source's name in the name of a result: a name in Blender 4 has at most 63, with suffix and number."""


@dataclass(frozen=True)
class ResultRecord:
    """The state of the armature before a result was baked, as far as restoring the source needs it."""

    unkeyed: Mapping[str, list[float]] = field(default_factory=dict)
    """Values of properties by data path that the result keys and the source does not key completely."""
    disconnected: tuple[str, ...] = ()
    """Bones that baking has disconnected from their parents."""
    bones: tuple[str, ...] = ()
    """The names of all bones in order, by which later renames are noticed."""

    def to_json(self) -> str:
        """The record as JSON."""
        return json.dumps(
            {"unkeyed": dict(self.unkeyed), "disconnected": list(self.disconnected), "bones": list(self.bones)}
        )

    @staticmethod
    def read(action: bpy.types.Action) -> ResultRecord:
        """Read the record of a result; raise where it is not valid."""
        try:
            stored = json.loads(str(context.custom_property(action, RECORD) or "{}"))
            return ResultRecord(
                dict(stored.get("unkeyed", {})), tuple(stored.get("disconnected", ())), tuple(stored.get("bones", ()))
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
    """The source action; None where only NLA tracks animate."""
    slot: str
    result: bpy.types.Action | None = None
    layer: bpy.types.NlaTrack | None = None
    """The track of the result, where it is a layer."""
    source_track: bpy.types.NlaTrack | None = None
    """The track that holds the source, where the layer has pushed it down."""
    base: bpy.types.NlaTrack | None = None
    """The track with values that the source does not key, where the layer needs them."""
    record: ResultRecord = field(default_factory=ResultRecord)
    is_hidden: bool = False
    """Whether the source is shown although there is a result."""

    def uses_nla(self, armature: bpy.types.Object) -> bool:
        """Whether NLA tracks are evaluated other than those of a result."""
        animation = armature.animation_data
        if animation is None or not animation.use_nla:
            return False
        ours = [track for track in (self.layer, self.source_track, self.base) if track is not None]
        return any(track not in ours for track in animation.nla_tracks if evaluated_strips(animation, track))


def is_result(action: bpy.types.Action | None) -> bool:
    """Whether an action is a result of Poise."""
    return action is not None and bool(context.custom_property(action, MARK))


def evaluated_strips(animation: bpy.types.AnimData, track: bpy.types.NlaTrack) -> list[bpy.types.NlaStrip]:
    """The strips of a track that are evaluated."""
    is_silent = track.mute or (not track.is_solo and any(other.is_solo for other in animation.nla_tracks))
    return [] if is_silent else [strip for strip in track.strips if not strip.mute]


def animation_of(armature: bpy.types.Object) -> Animation:
    """How an armature is animated, with the source behind a result that is shown."""
    animation = armature.animation_data
    if animation is None:
        return Animation(None, "")
    if is_result(animation.action):
        assert animation.action is not None
        source, slot = _source_of_result(animation.action)
        return Animation(source, slot, animation.action, record=ResultRecord.read(animation.action))
    hidden = _hidden_result(armature)
    if hidden is not None:
        source, slot = _source_of_result(hidden)
        return Animation(source, slot, hidden, record=ResultRecord.read(hidden), is_hidden=True)
    layer: bpy.types.NlaTrack | None = context.get_item(animation.nla_tracks, LAYER_TRACK)
    result = next((strip.action for strip in layer.strips if is_result(strip.action)), None) if layer else None
    # An action that was assigned later is above the layer, which then is an ordinary track.
    if layer is None or result is None or animation.action is not None:
        return Animation(animation.action, versions.slot_of(animation))
    source, slot = _source_of_result(result)
    source_track = context.get_item(animation.nla_tracks, SOURCE_TRACK) if source is not None else None
    base = context.get_item(animation.nla_tracks, BASE_TRACK)
    return Animation(source, slot, result, layer, source_track, base, ResultRecord.read(result), layer.mute)


def _hidden_result(armature: bpy.types.Object) -> bpy.types.Action | None:
    """The result that is hidden behind its source; None where another action than its source is assigned."""
    hidden, animation = context.custom_property(armature, HIDDEN), armature.animation_data
    if animation is None or not isinstance(hidden, bpy.types.Action) or not is_result(hidden):
        return None
    return hidden if context.custom_property(hidden, SOURCE) == animation.action else None


def result_action(armature: bpy.types.Object) -> bpy.types.Action | None:
    """The result of an armature that is an action of its own, shown or hidden; it is found where its source is lost."""
    animation = armature.animation_data
    if animation is not None and is_result(animation.action):
        return animation.action
    return _hidden_result(armature)


def has_result(armature: bpy.types.Object) -> bool:
    """Whether an armature has a result, shown or hidden; as `animation_of` says, without reading its record."""
    animation = armature.animation_data
    if animation is None:
        return False
    if is_result(animation.action) or _hidden_result(armature) is not None:
        return True
    layer = context.get_item(animation.nla_tracks, LAYER_TRACK) if animation.action is None else None
    return layer is not None and any(is_result(strip.action) for strip in layer.strips)


def is_result_hidden(armature: bpy.types.Object) -> bool:
    """Whether an armature shows its source although it has a result."""
    animation = armature.animation_data
    if animation is None or not has_result(armature) or is_result(animation.action):
        return False
    return _hidden_result(armature) is not None or bool(context.get_item(animation.nla_tracks, LAYER_TRACK).mute)


def hide_result(armature: bpy.types.Object) -> None:
    """Show the source instead of the result, which stays as it is until it is shown again."""
    follow_renames(armature)
    shown = animation_of(armature)
    animation = armature.animation_data
    if shown.result is None or animation is None:
        raise BridgeError(f"Armature {armature.name!r} has no result of Poise to compare with: solve or clean first.")
    if shown.is_hidden:
        return
    connect(armature, shown.record.disconnected)
    if shown.layer is not None:
        shown.layer.mute = True
    else:
        armature[HIDDEN] = shown.result
        versions.assign(animation, shown.source, shown.slot)
    _set_values(armature, shown.record.unkeyed)
    update_frame()


def show_result(armature: bpy.types.Object) -> None:
    """Show the result again that was hidden behind its source."""
    follow_renames(armature)
    shown = animation_of(armature)
    animation = armature.animation_data
    if shown.result is None or animation is None:
        raise BridgeError(f"Armature {armature.name!r} has no result of Poise to show: solve or clean first.")
    if not shown.is_hidden:
        return
    if shown.layer is not None:
        shown.layer.mute = False
    else:
        versions.assign(animation, shown.result, versions.present_slot(shown.result, ""))
        del armature[HIDDEN]
    disconnect(armature, shown.record.disconnected)
    update_frame()


def _source_of_result(result: bpy.types.Action) -> tuple[bpy.types.Action | None, str]:
    source = context.custom_property(result, SOURCE)
    if context.custom_property(result, SLOT) is not None and not isinstance(source, bpy.types.Action):
        raise BridgeError(
            f"The source of action {result.name!r} has been deleted: apply the result to make it the new source."
        )
    if not isinstance(source, bpy.types.Action):
        return None, ""
    return source, versions.present_slot(source, str(context.custom_property(result, SLOT) or ""))


def follow_renames(armature: bpy.types.Object) -> None:
    """Rename bones in the source and in the record of a result that have been renamed since it was baked."""
    shown = animation_of(armature)
    changes = renames(shown.record.bones, armature) if shown.result is not None else {}
    if shown.result is None or not changes:
        return
    # Blender itself renames bones in the assigned action, and in a source that is in an NLA strip.
    if shown.is_hidden and shown.layer is None:
        rename_in_action(shown.result, versions.present_slot(shown.result, ""), changes)
    elif shown.source is not None and shown.layer is None and not context.is_linked(shown.source):
        rename_in_action(shown.source, shown.slot, changes)
    record = ResultRecord(
        {rename_path(path, changes): values for path, values in shown.record.unkeyed.items()},
        tuple(changes.get(name, name) for name in shown.record.disconnected),
        bone_names(armature),
    )
    shown.result[RECORD] = record.to_json()


@contextmanager
def source_shown(armature: bpy.types.Object) -> Iterator[None]:
    """Assign the source inside the context, where a result is shown."""
    shown = animation_of(armature)
    if shown.result is None or (shown.is_hidden and shown.layer is None):
        yield
        return
    animation = armature.animation_data
    assert animation is not None
    slot = versions.slot_of(animation)
    was_muted = shown.layer is not None and shown.layer.mute
    disconnected = [name for name in shown.record.disconnected if not is_connected(armature, name)]
    try:
        connect(armature, disconnected)
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
        disconnect(armature, disconnected)


def restore_source(armature: bpy.types.Object) -> None:
    """Assign the source again, and delete the result if it has no other user."""
    follow_renames(armature)
    shown = animation_of(armature)
    animation = armature.animation_data
    if shown.result is None or animation is None:
        raise BridgeError(f"Armature {armature.name!r} shows no result of Poise, so there is nothing to restore.")
    connect(armature, shown.record.disconnected)
    _unassign_result(armature, shown)
    _set_values(armature, shown.record.unkeyed)
    delete_unused(shown.result)
    update_frame()


def apply_result(armature: bpy.types.Object) -> bpy.types.Action:
    """Make the result the new source: it stays assigned, without the link to its former source.

    The tracks of a layer stay and are renamed. A hidden result is shown.
    """
    if is_result_hidden(armature):
        show_result(armature)
    animation = armature.animation_data
    layer = context.get_item(animation.nla_tracks, LAYER_TRACK) if animation is not None else None
    actions = [animation.action] if animation is not None else []
    actions += [strip.action for strip in layer.strips] if layer is not None else []
    result = next((action for action in actions if is_result(action)), None)
    if result is None or animation is None:
        raise BridgeError(f"Armature {armature.name!r} shows no result of Poise, so there is nothing to apply.")
    for name in (MARK, SOURCE, SLOT, RECORD):
        if context.custom_property(result, name) is not None:
            del result[name]
    if layer is not None and result is not animation.action:
        for name in (LAYER_TRACK, SOURCE_TRACK, BASE_TRACK):
            track = context.get_item(animation.nla_tracks, name)
            if track is not None:
                track.name = f"{name} applied"
    return result


def remove_result(armature: bpy.types.Object) -> None:
    """Assign the source instead of a result, if there is one, and delete the result if it has no other user."""
    shown = animation_of(armature)
    if shown.result is None:
        return
    _unassign_result(armature, shown)
    _set_values(armature, shown.record.unkeyed)
    delete_unused(shown.result)


def _unassign_result(armature: bpy.types.Object, shown: Animation) -> None:
    animation = armature.animation_data
    assert animation is not None
    if context.custom_property(armature, HIDDEN) is not None:
        del armature[HIDDEN]
    if shown.layer is None:
        versions.assign(animation, shown.source, shown.slot)
        return
    animation.nla_tracks.remove(shown.layer)
    if shown.base is not None:
        actions = [strip.action for strip in shown.base.strips if strip.action is not None]
        animation.nla_tracks.remove(shown.base)
        for action in actions:
            delete_unused(action)
    if shown.source_track is not None:
        animation.nla_tracks.remove(shown.source_track)
        versions.assign(animation, shown.source, shown.slot)


def delete_unused(action: bpy.types.Action) -> None:
    """Delete an action that has no user except its fake user."""
    if not _is_used(action):
        bpy.data.actions.remove(action)


def _is_used(action: bpy.types.Action) -> bool:
    """Whether any data-block uses an action. Blender 4.3 counts one user too many of actions that it duplicates along
    with an object, so the count alone does not say."""
    return action.users > int(action.use_fake_user) and bool(bpy.data.user_map(subset=[action])[action])


def result_name(armature: bpy.types.Object, before: Animation) -> str:
    """The name for a result: that of the source action, or without one of the armature, with a suffix."""
    return shortened((before.source or armature).name) + SUFFIX


def remove_unused_results(armature: bpy.types.Object, before: Animation) -> tuple[str, ...]:
    """Delete results of a source that nothing shows any more, so that the next one can have their name.

    This happens where the source was assigned by hand instead of the result. A result that the animator has renamed is
    kept. Returns the bones that those results had disconnected and that are disconnected still.
    """
    disconnected: list[str] = []
    names = re.compile(rf"{re.escape(result_name(armature, before))}(\.\d+)?")
    for action in list(bpy.data.actions):
        if (
            _is_unused_result(action)
            and names.fullmatch(action.name)
            and context.custom_property(action, SOURCE) == before.source
        ):
            with suppress(BridgeError):  # one whose record cannot be read is kept
                disconnected += ResultRecord.read(action).disconnected
                bpy.data.actions.remove(action)
    return tuple(name for name in disconnected if can_connect(armature, name))


def results_without(armatures: Sequence[bpy.types.Object]) -> list[bpy.types.Action]:
    """The results that nothing shows and whose source none of the armatures has; none that was renamed."""
    shown = [armature.animation_data.action for armature in armatures if armature.animation_data is not None]
    unused = [action for action in bpy.data.actions if action not in shown and _is_unused_result(action)]
    sources, names = [], []
    for armature in armatures if unused else ():
        with suppress(BridgeError):
            sources.append(animation_of(armature).source)
        names.append(shortened(armature.name) + SUFFIX)
    found = []
    for action in unused:
        source, name = context.custom_property(action, SOURCE), re.sub(r"\.\d+$", "", action.name)
        if source is None:
            is_left = name.endswith(SUFFIX) and name not in names
        else:
            is_left = name == shortened(source.name) + SUFFIX and source not in sources
        found += [action] if is_left else []
    return found


def _is_unused_result(action: bpy.types.Action) -> bool:
    """Whether an action of this file is a result that nothing shows."""
    return is_result(action) and not context.is_linked(action) and not _is_used(action)


def shortened(name: str) -> str:
    """The beginning of a name, with room for a suffix and a number."""
    return name.encode()[:_LONGEST_STEM].decode(errors="ignore")


def mark(result: bpy.types.Action, source: bpy.types.Action | None, slot: str, record: ResultRecord) -> None:
    """Mark an action as the result of a source."""
    result[MARK] = True
    if source is not None:
        result[SOURCE] = source
        result[SLOT] = slot
    result[RECORD] = record.to_json()


def record_unkeyed(result: bpy.types.Action, values: Mapping[str, list[float]]) -> None:
    """Add values by data path to the record of a result, which keys these properties too by now."""
    record = ResultRecord.read(result)
    more = ResultRecord({**values, **record.unkeyed}, record.disconnected, record.bones)
    if more != record:
        result[RECORD] = more.to_json()


def _set_values(armature: bpy.types.Object, values: Mapping[str, list[float]]) -> None:
    assert armature.pose is not None
    for path, numbers in values.items():
        found = bone_property(path)
        bone = context.get_item(armature.pose.bones, found[0]) if found else None
        if bone is not None and found is not None:
            setattr(bone, found[1], numbers)


def update_frame() -> None:
    """Evaluate the current frame again, after actions were assigned."""
    context.view_layer().update()
    scene = context.scene()
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
