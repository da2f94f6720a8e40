# SPDX-License-Identifier: GPL-3.0-or-later
"""The bars that show constraints over the frames of the scene: which there are, and where they are missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from .. import bridge
from ..properties import PATH_KINDS, PoiseConstraint, character_of, current_name, ease_frames
from . import latest
from .events import Event, events
from .sides import Side, side_of

Span = tuple[float, float]

LANE_ORDER = ("FOOTPLANT", "HANDPLANT", "SHAPE", "ORIENTATION", "LOOK_AT", "POSE", "BALANCE")
"""Kinds in the order of their lanes, from above; those that are not listed come last."""
KIND_WORDS = {"ORIENTATION": "turn", "LOOK_AT": "look at", "POSE": "pose"}
"""What the name of a lane says of its kind besides its bone."""


@dataclass(frozen=True)
class Bar:
    """A constraint or proposal as a bar."""

    uid: str
    name: str
    lane: str
    """The name of its lane: bars of the same foot or of the same bone and kind share one."""
    side: Side
    begin: float
    end: float
    solid: Span
    """The frames in which it holds fully; it fades in before and out after."""
    parts: tuple[tuple[str, float, float], ...] = ()
    """Of a footplant: "HEEL" and "BALL", each with the frames in which it stands."""
    holds: tuple[Span, ...] = ()
    """The frames of its points; begin and end are the same for a point that is only passed."""
    events: tuple[Event, ...] = ()
    """What can be dragged; none of a proposal."""
    missed: tuple[Span, ...] = ()
    """Where the newest solve misses it."""
    is_active: bool = False
    is_enabled: bool = True
    is_proposal: bool = False
    rank: int = 0
    """The place of its kind in `LANE_ORDER`."""


def bars_of(armature: bpy.types.Object) -> list[Bar]:
    """The bars of all constraints and proposals of a character, in the order of their lanes."""
    character = character_of(armature)
    scene = bridge.current_scene()
    missed = missed_spans(armature)
    found = [
        _bar(armature, scene, item, index == character.active_constraint, missed.get(item.uid, ()))
        for index, item in enumerate(character.constraints)
    ]
    found += [
        _bar(armature, scene, item, index == character.active_found, (), is_proposal=True)
        for index, item in enumerate(character.found)
    ]
    return sorted(found, key=lambda bar: (bar.rank, _LANE_SIDES[bar.side], bar.lane))


_LANE_SIDES = {"LEFT": 0, "RIGHT": 1, "": 2}


def _bar(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    item: PoiseConstraint,
    is_active: bool,
    missed: tuple[Span, ...],
    is_proposal: bool = False,
) -> Bar:
    is_single = bool(item.bone) and (item.kind != "POSE" or len(item.bones) < 2)
    bone = current_name(armature, item) if is_single else ""
    rank = LANE_ORDER.index(item.kind) if item.kind in LANE_ORDER else len(LANE_ORDER)
    side: Side = side_of(bone)
    holds: tuple[Span, ...] = ()
    parts: tuple[tuple[str, float, float], ...] = ()
    begin, end = item.begin, item.end
    if item.kind == "BALANCE" and item.is_whole:
        first, last = bridge.frame_range(scene)
        begin, end = float(first), float(last)
    solid = begin, end
    if item.kind == "FOOTPLANT":
        side = "LEFT" if item.foot == "LEFT" else "RIGHT"
        lane = f"{side.capitalize()} foot"
        parts = tuple(_plant_parts(item))
    elif item.kind == "HANDPLANT":
        side = "LEFT" if item.hand == "LEFT" else "RIGHT"
        lane = f"{side.capitalize()} hand"
    elif item.kind == "BALANCE":
        lane = "Balance"
    else:
        lane = f"{short_name(bone)} {KIND_WORDS.get(item.kind, '')}".strip() if bone else item.name
    if item.kind in ("FOOTPLANT", "HANDPLANT", "POSE"):
        usual = float(ease_frames(scene))
        begin -= usual if item.ease_in < 0.0 else item.ease_in
        end += usual if item.ease_out < 0.0 else item.ease_out
    elif len(item.points):
        holds = tuple((point.begin, point.end) for point in item.points)
        if item.kind in PATH_KINDS:
            solid = min(first for first, _ in holds), max(last for _, last in holds)
    return Bar(
        uid=item.uid,
        name=item.name,
        lane=lane,
        side=side,
        begin=begin,
        end=end,
        solid=solid,
        parts=parts,
        holds=holds,
        events=() if is_proposal else tuple(events(item)),
        missed=missed,
        is_active=is_active,
        is_enabled=bool(item.enabled),
        is_proposal=is_proposal,
        rank=rank,
    )


def short_name(bone: str) -> str:
    """The name of a bone without its namespace, as "mixamorig:"."""
    return bone.rsplit(":", 1)[-1]


def _plant_parts(item: PoiseConstraint) -> Iterator[tuple[str, float, float]]:
    if item.has_heel:
        yield "HEEL", item.heel_strike, item.heel_off
    if item.has_toe:
        yield "BALL", item.toe_strike, item.toe_off


def missed_spans(armature: bpy.types.Object) -> dict[str, tuple[Span, ...]]:
    """By uid, the frames in which constraints are missed: by the newest solve in memory, else as saved in the file,
    which has only the worst frame of each."""
    newest = latest.of(armature)
    found: dict[str, tuple[Span, ...]] = {}
    if newest is None:
        return {
            saved.uid: ((saved.worst_frame, saved.worst_frame),)
            for saved in character_of(armature).residuals
            if saved.misses
        }
    times = newest.solved.reading.times
    for residual, uid in zip(newest.residuals, newest.solved.translated.uids, strict=True):
        missing = residual.frames[residual.misses]
        if missing.size:
            runs = np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1)
            found[uid] = (*found.get(uid, ()), *((float(times[run[0]]), float(times[run[-1]])) for run in runs))
    return found


def signature(armature: bpy.types.Object) -> tuple[Any, ...]:
    """All values that the bars of a character depend on; it is quicker to compare than bars are to make."""
    character = character_of(armature)
    scene = bridge.current_scene()
    items = (*character.constraints, *character.found)
    return (
        armature.name,
        character.active_constraint,
        character.active_found,
        len(character.found),
        bridge.frame_range(scene),
        ease_frames(scene),
        id(latest.of(armature)),
        tuple((saved.uid, saved.misses, saved.worst_frame) for saved in character.residuals),
        *(
            (
                item.uid,
                item.name,
                item.kind,
                item.bone,
                item.enabled,
                item.begin,
                item.end,
                item.ease_in,
                item.ease_out,
                item.foot,
                item.is_whole,
                item.has_heel,
                item.has_toe,
                item.heel_strike,
                item.heel_off,
                item.toe_strike,
                item.toe_off,
                *((point.begin, point.end) for point in item.points),
            )
            for item in items
        ),
    )
