# SPDX-License-Identifier: GPL-3.0-or-later
"""What detection looks at: a bone or an object, in the world or relative to what carries it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import bpy

from ... import solver
from .. import bridge, translation
from ..bridge import context
from ..bridge.transforms import track_in_steps
from ..properties import current_name
from ..properties.handles import is_in_scene
from . import progress


@dataclass(frozen=True)
class Reference:
    """The bone or the object, by name, that carries something; neither is the world."""

    bone: str = ""
    object: str = ""

    @staticmethod
    def of(armature: bpy.types.Object, item: Any) -> Reference:
        """The reference that the properties of an item choose; raises where it chooses none."""
        if item.reference == "BONE":
            name = current_name(armature, item, "reference_bone")
            if not name:
                raise translation.TranslationError("No bone is chosen that it is relative to: choose one.")
            return Reference(bone=name)
        if item.reference == "OBJECT":
            if item.reference_object is None:
                raise translation.TranslationError("No object is chosen that it is relative to: choose one.")
            return Reference(object=item.reference_object.name)
        return Reference()

    @property
    def title(self) -> str:
        """Its name; empty for the world."""
        return self.bone or self.object


WORLD = Reference()


@dataclass(frozen=True)
class Subject:
    """A bone, or an object, by name, and what carries it."""

    bone: str = ""
    object: str = ""
    reference: Reference = WORLD

    @staticmethod
    def of(armature: bpy.types.Object, template: Any) -> Subject:
        """The subject of an example; raises where it has none."""
        reference = Reference.of(armature, template)
        if template.object is not None:
            return Subject(object=template.object.name, reference=reference)
        if not template.bone:
            raise translation.TranslationError("An example has neither a bone nor an object: choose one, or remove it.")
        return Subject(bone=current_name(armature, template), reference=reference)

    @property
    def title(self) -> str:
        """Its name, with that of what carries it."""
        name = self.bone or self.object
        return f"{name} on {self.reference.title}" if self.reference.title else name


def tracked_in_steps(
    reading: bridge.Reading, clip: solver.Clip, bone: str, object_name: str
) -> Generator[progress.StageShare, None, str | solver.MovingObject | None]:
    """A bone, or the motion of an object, as detection takes it; None where neither is given."""
    if bone:
        check_joint(clip, bone)
        return bone
    if not object_name:
        return None
    target: bpy.types.Object | None = context.get_item(bpy.data.objects, object_name)
    if target is None or not is_in_scene(target):
        raise translation.TranslationError(f"The object {object_name!r} is not in the scene: choose another one.")
    return (yield from object_in_steps(reading, target))


def object_in_steps(
    reading: bridge.Reading, target: bpy.types.Object
) -> Generator[progress.StageShare, None, solver.MovingObject]:
    """The motion of an object over the frames of a reading."""
    steps = track_in_steps(reading.armature, target, reading.times)
    return (yield from solver.converted(steps, lambda share: (progress.READING, share)))


def check_joint(clip: solver.Clip, bone: str) -> None:
    """Raise where a bone is none of the clip's joints."""
    if bone not in clip.skeleton.names:
        raise translation.TranslationError(
            f"Bone {bone!r} is none of the bones that move the character: choose a deforming bone instead."
        )
