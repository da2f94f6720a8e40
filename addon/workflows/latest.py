# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest solves of each armature, kept in memory for what is drawn and for the next solve, and whether the result
that is shown is older than an edit.

Each solve has two signatures (`bridge.Signature`): of the source with the settings of the character, and of the
constraints. The character stores the signature of the result that it shows, so undo and files keep it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ... import solver
from .. import bridge, translation
from ..properties import character_of, resolve_bone
from ..properties.handles import is_in_scene
from .ground_gaps import GroundedConstraints

MOST_FRAMES = 20000
"""Frames of all solves that are kept of an armature, each about 20 kB; the newest solve is kept in any case."""

SETTINGS = (
    "mass",
    "use_anatomical_limits",
    "sole_heel",
    "sole_ball",
    "use_ground",
    "ground_kind",
    "ground_height",
    "loop",
)
"""The properties of a character, beside its lists and objects, that change how its source is taken."""

BAKING = ("quality", "target", "tolerance")
"""Those that change how its result is made."""

_NOT_SIGNED = frozenset(
    (
        "uid",
        "bone",
        "bone_id",
        "reference_bone",
        "reference_bone_id",
        "confidence",
        "active_point",
        "object",
        "selected",
    )
)
"""Properties of constraints and points that change nothing, or that are added in another way."""


@dataclass(frozen=True, eq=False)
class SourceRead:
    """The source of an armature as it was read."""

    signature: str
    """Of the source, the settings of the character and the frames."""
    reading: bridge.Reading
    clip: solver.Clip
    """The clip of the reading, with the settings of the character; joints that cannot be baked are fixed."""
    cyclic: bool
    keep_ends: bool
    """Whether it is a part of a longer motion, which is joined to the rest at its first and last frame."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A solve with everything that it was made of."""

    read: SourceRead
    translated: translation.Translation
    """The constraints as saved, with their uids."""
    grounded: GroundedConstraints
    """The constraints as solved."""
    deformation: solver.Deformation
    signature: str
    """Of the constraints."""

    @property
    def reading(self) -> bridge.Reading:
        """As the source was read."""
        return self.read.reading

    @property
    def source(self) -> solver.Clip:
        """The clip that was deformed."""
        return self.read.clip

    @property
    def cyclic(self) -> bool:
        """Whether it was solved as a loop."""
        return self.read.cyclic


@dataclass(frozen=True, eq=False)
class Latest:
    """A solve that was baked."""

    solved: Solved
    shown: solver.Clip
    """The motion as baked."""
    residuals: Sequence[solver.Residual]
    """Of the motion as baked, one for each constraint in `solved.translated`."""
    signature: str
    """Of all that the result depends on."""
    is_preview: bool = False
    """Whether `shown` is a preview of the next solve: all else is of the one before."""


_kept: dict[str, list[Latest]] = {}
"""The newest last, by the name of the armature object: undo and loading replace objects."""

_edited: dict[str, Latest] = {}
"""What live mode shows while constraints are edited, by the name of the armature object."""

_checked: dict[str, tuple[float, bool]] = {}
"""When `is_stale` was last found for an armature, and what."""


def of(armature: bpy.types.Object) -> Latest | None:
    """The solve whose result an armature shows; None where it is not in memory."""
    if armature.name in _edited:
        return _edited[armature.name]
    return with_signature(armature, character_of(armature).live_state.solved)


def with_signature(armature: bpy.types.Object, signature: str) -> Latest | None:
    """The kept solve that was made from all that a signature stands for; None where it is not in memory."""
    return next((each for each in reversed(_kept.get(armature.name, [])) if each.signature == signature), None)


def source_read(armature: bpy.types.Object, signature: str) -> SourceRead | None:
    """The source as it was read for a kept solve, where it has this signature."""
    kept = _kept.get(armature.name, [])
    return next((each.solved.read for each in reversed(kept) if each.solved.read.signature == signature), None)


def keep(armature: bpy.types.Object, latest: Latest) -> None:
    """Make a solve the newest of its armature, which shows it."""
    kept = _kept.setdefault(armature.name, [])
    kept[:] = [each for each in kept if each.signature != latest.signature] + [latest]
    while len(kept) > 1 and sum(each.shown.frames for each in kept) > MOST_FRAMES:
        kept.pop(0)
    _edited.pop(armature.name, None)
    _checked.pop(armature.name, None)


def show_edit(armature: bpy.types.Object, latest: Latest | None) -> None:
    """Make a solve of live mode the one that an armature shows, until the next one is kept; None ends that."""
    if latest is None:
        _edited.pop(armature.name, None)
    else:
        _edited[armature.name] = latest


def forget(name: str | None = None) -> None:
    """Drop the solves of the armature with this name, or of all."""
    for held in (_kept, _edited, _checked):
        if name is None:
            held.clear()
        else:
            held.pop(name, None)


# Signatures -------------------------------------------------------------------------------------------------------


def solved_range(armature: bpy.types.Object) -> tuple[int, int]:
    """The first and last frame to solve, as the panel has them."""
    character, scene = character_of(armature), bridge.current_scene()
    if character.use_range:
        return character.begin, character.end
    return scene.frame_start, scene.frame_end


def source_signature(armature: bpy.types.Object, begin: int, end: int, quality: str) -> str:
    """The signature of the source, of the settings with which it is taken, and of its frames."""
    signature, character = bridge.Signature(), character_of(armature)
    signature.add(bridge.source_signature(armature), begin, end, quality)
    signature.add(settings_signature(armature), character.use_range, character.begin, character.end)
    return signature.text


def settings_signature(armature: bpy.types.Object) -> str:
    """The signature of the settings of a character: of its body, its loads and its ground."""
    signature, character = bridge.Signature(), character_of(armature)
    signature.add(*(getattr(character, name) for name in SETTINGS))
    for listed in (*character.landmarks, *character.loads):
        signature.add(resolve_bone(armature, listed.bone, listed.bone_id))
        signature.add_properties(listed, _NOT_SIGNED)
    if character.use_ground and character.ground_kind == "PLANE":
        signature.add_object(character.ground_plane, left_out=[armature])
    elif character.use_ground and character.ground_kind == "MESH":
        group: bpy.types.Collection | None = character.ground_collection
        for solid in (character.ground_mesh, *(group.all_objects if group is not None else ())):
            signature.add_object(solid, left_out=[armature])
            if solid is not None:
                signature.add_shape(solid)
    return signature.text


def constraint_signature(armature: bpy.types.Object, kinds: Sequence[str] | None = None) -> str:
    """The signature of all enabled constraints, or of those of some kinds, with the objects that they refer to; those
    whose object was deleted do not count, since a solve leaves them out."""
    signature = bridge.Signature()
    for item in character_of(armature).constraints:
        if item.enabled and (kinds is None or item.kind in kinds) and not _is_lost(item):
            _add_constraint(signature, armature, item)
    return signature.text


def _is_lost(item: Any) -> bool:
    needed = [point.object for point in item.points]
    needed += [item.reference_object] if _is_relative_to_object(item) else []
    return any(held is not None and not is_in_scene(held) for held in needed)


def _is_relative_to_object(item: Any) -> bool:
    """Whether its points go with an object."""
    return bool(item.kind in ("SHAPE", "HANDPLANT") and item.reference == "OBJECT")


def _add_constraint(signature: bridge.Signature, armature: bpy.types.Object, item: Any) -> None:
    signature.add_properties(item, _NOT_SIGNED | {"reference_object"})
    signature.add(
        resolve_bone(armature, item.bone, item.bone_id),
        resolve_bone(armature, item.reference_bone, item.reference_bone_id),
    )
    for listed in (*item.recruited, *item.bones):
        signature.add(resolve_bone(armature, listed.bone, listed.bone_id))
        signature.add_properties(listed, _NOT_SIGNED)
    for point in item.points:
        signature.add_properties(point, _NOT_SIGNED)
        signature.add_object(point.object, left_out=[armature])
    if _is_relative_to_object(item):
        signature.add_object(item.reference_object, left_out=[armature])


def result_signature(armature: bpy.types.Object, source: str, constraints: str) -> str:
    """The signature of a result: of its source, its constraints and how it is baked."""
    signature, character = bridge.Signature(), character_of(armature)
    signature.add(source, constraints, *(getattr(character, name) for name in BAKING))
    return signature.text


def signature_now(armature: bpy.types.Object) -> str:
    """The signature that the result of a solve with the panel's settings would have now."""
    source = source_signature(armature, *solved_range(armature), character_of(armature).quality.lower())
    return result_signature(armature, source, constraint_signature(armature))


def is_stale(armature: bpy.types.Object, longest_age: float = 0.0) -> bool:
    """Whether the result of a solve that an armature shows is older than an edit of its source, its settings or its
    constraints. What was found within the last `longest_age` seconds is not checked again: for what is drawn often."""
    checked = _checked.get(armature.name)
    now = time.perf_counter()
    if checked is not None and now - checked[0] < longest_age:
        return checked[1]
    found = False
    solved = character_of(armature).live_state.solved
    with suppress(solver.PoiseError):  # a lost source is reported when it is read
        if solved and bridge.animation_of(armature).result is not None:
            found = signature_now(armature) != solved
    _checked[armature.name] = time.perf_counter(), found
    return found


@persistent  # type: ignore[untyped-decorator]
def forget_on_load(*_: Any) -> None:
    """Forget the solves of the file before."""
    forget()
