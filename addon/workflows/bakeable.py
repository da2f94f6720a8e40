# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses constraints that could not be baked, when they are added, and names the bones that would work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import bpy
import numpy as np

from ...solver import JointKind, PoiseError
from .. import bridge, translation
from ..properties import PoiseConstraint, current_name

Change = Literal["place", "turn"]
"""What a constraint changes of a bone: where it is, or how it is turned."""

NAMED = 3
"""How many bones are named that would work."""


class Bakeable:
    """Which bones of an armature can be changed through channels that can be baked."""

    def __init__(self, armature: bpy.types.Object, reading: bridge.Reading) -> None:
        self.armature = armature
        self.reading = reading
        self.movers = reading.movers
        skeleton = reading.clip.skeleton
        self.joints = set(skeleton.names)
        self.movable = {
            name
            for name, kind in zip(skeleton.names, skeleton.kinds, strict=True)
            if kind is not JointKind.FIXED and name not in self.movers
        }
        """Joints that the solver may move and whose channels Blender follows_channels."""
        self.free = {skeleton.names[joint] for joint, kind in enumerate(skeleton.kinds) if kind is JointKind.FREE}

    # Checks ------------------------------------------------------------------------------------------------------

    def check_any(self) -> None:
        """Raise where nothing of the character can be baked."""
        if self.movers and not self.movable:
            raise translation.TranslationError(self._nothing())

    def check(self, bones: Sequence[str], change: Change, has_offset: bool = False) -> None:
        """Raise where a constraint of one of these bones could not be baked; bones that do not exist are passed over.

        `has_offset` says that the constraint holds a point of the bone other than its head.
        """
        for bone in bones:
            if bone in self.reading.rig.index and self.movers:
                complaint = self._why_not(bone, change, has_offset)
                if complaint:
                    raise self._refusal(complaint, bone, change, has_offset)

    def check_foot(self, foot: Literal["left", "right"]) -> None:
        """Raise where no joint of a leg can be baked."""
        complaint = self.why_not_foot(foot)
        if complaint:
            raise translation.TranslationError(complaint)

    def check_recruited(self, bones: Sequence[str]) -> None:
        """Raise where none of the bones that a constraint shall recruit can be baked."""
        known = [bone for bone in bones if bone in self.reading.rig.index]
        if known and self.movers and not self.movable.intersection(known):
            complaint = self._why_not(known[0], "turn", has_offset=False) or f"Bone {known[0]!r} may not move"
            raise self._refusal(complaint, known[0], "turn", has_offset=False)

    def check_item(self, item: PoiseConstraint, counterparts: Mapping[str, str] | None = None) -> None:
        """Raise where a saved constraint could not be baked, or with `counterparts` of its bones, its mirrored copy."""

        def named(each: Any) -> str:
            name = current_name(self.armature, each)
            return name if counterparts is None else counterparts.get(name, name)

        if item.kind == "FOOTPLANT":
            self.check_foot("left" if (item.foot == "LEFT") == (counterparts is None) else "right")
        elif item.kind == "BALANCE":
            self.check_any()
        elif item.kind == "POSE":
            self.check([named(listed) for listed in item.bones], "turn")
        elif item.bone:
            self.check([named(item)], change_of(item), any(item.offset))

    def why_not_foot(self, foot: Literal["left", "right"]) -> str:
        """Why no footplant of a foot could be baked, in one sentence; empty where one could, or no leg is known."""
        if not self.movers:
            return ""
        skeleton = translation.clip_with_settings(self.armature, self.reading).skeleton
        leg = [skeleton.names[joint] for joint in skeleton.landmarks.leg(foot) if joint is not None]
        held = [name for name in leg if name in self.movers]
        if not held or self.movable.intersection(leg):
            return ""
        words = self.movers[held[0]].description_for(held[0])
        return f"The {foot} leg cannot be baked, since {words} moves bone {held[0]!r}: {bridge.COPY_INSTEAD}."

    # What stands in the way ----------------------------------------------------------------------------------------

    def _why_not(self, bone: str, change: Change, has_offset: bool) -> str:
        """Why a constraint of a bone could not be baked, without its full stop; empty where it could."""
        if bone not in self.joints:
            return f"Bone {bone!r} is none of the bones that move the character"
        if bone in self.movers:
            return f"Bone {bone!r} cannot be baked, since {self.movers[bone].description_for(bone)} moves it"
        blocker = self._blocker(bone, has_offset) if change == "place" else ""
        if blocker:
            words = self.movers[blocker].description_for(bone)
            return f"Bone {bone!r} cannot be moved by keys, since {words} decides where it is"
        if bone not in self.movable and not self.movable.intersection(self._above(bone)):
            return f"Bone {bone!r} cannot be moved, since neither it nor a bone above it can be baked"
        return ""

    def _blocker(self, bone: str, has_offset: bool) -> str:
        """The bone above whose mover decides where a bone is, with no bone in between that can be baked to move it."""
        if bone in self.movable and (has_offset or bone in self.free):
            return ""
        for above in self._above(bone):
            if above in self.movable:
                return ""
            if above in self.movers and self.movers[above].sets_position:
                return above
        return ""

    def _has_place_set(self, bone: str) -> bool:
        """Whether a mover of a bone above decides, at least in part, where a bone is."""
        return any(above in self.movers and self.movers[above].sets_position for above in self._above(bone))

    def _above(self, bone: str) -> list[str]:
        data: Any = self.armature.data
        return [above.name for above in data.bones[bone].parent_recursive]

    # What would work -----------------------------------------------------------------------------------------------

    def _refusal(self, complaint: str, bone: str, change: Change, has_offset: bool) -> translation.TranslationError:
        """The complaint about a bone with what to do: the nearest bones that would work, or a copy."""
        rig = self.reading.rig
        usable = [
            name
            for name in rig.names
            if name in self.movable
            and not bridge.why_unusable(self.armature, name)
            and not self._why_not(name, change, has_offset)
        ]
        if not usable:
            nor = "none of those can be baked" if bone not in self.joints else "no other bone would work"
            return translation.TranslationError(f"{complaint}, and {nor}: {bridge.COPY_INSTEAD}.")
        if change == "place":
            # Below inverse kinematics a bone can be moved only as far as the few bones in between let it.
            usable = [name for name in usable if not self._has_place_set(name)] or usable
        nearest = [repr(name) for name in sorted(usable, key=lambda name: self._apart(bone, name))[:NAMED]]
        listed = " or ".join(filter(None, (", ".join(nearest[:-1]), nearest[-1])))
        return translation.TranslationError(
            f"{complaint}: choose {listed}, which can be baked, or {bridge.COPY_INSTEAD}."
        )

    def _apart(self, bone: str, other: str) -> tuple[int, float]:
        """How far two bones are apart, to be compared: in bones from the one to the other, then in length at rest.

        Bones that are no joints, such as controls, often hang on the root: of these only the length counts.
        """
        rig = self.reading.rig
        apart = float(np.linalg.norm(rig.rest_heads[rig.index[bone]] - rig.rest_heads[rig.index[other]]))
        if bone not in self.joints:
            return 0, apart
        mine, others = {bone, *self._above(bone)}, {other, *self._above(other)}
        return len(mine ^ others), apart

    def _nothing(self) -> str:
        held = next((name for name in self.reading.clip.skeleton.names if name in self.movers), next(iter(self.movers)))
        words = self.movers[held].description_for(held)
        return (
            f"No bone that moves the character of {self.armature.name!r} can be baked ({words} moves {held!r}): "
            f"{bridge.COPY_INSTEAD}."
        )


def change_of(item: PoiseConstraint) -> Change:
    """What a saved constraint changes of its bone."""
    return "place" if item.kind == "SHAPE" else "turn"


def bakeable_at(armature: bpy.types.Object, frame: float) -> Bakeable | None:
    """What can be baked of an armature, as it is at a frame; None where it has no motion yet."""
    bridge.check_armature(armature)
    try:
        return Bakeable(armature, bridge.read(armature, frame, frame))
    except PoiseError:
        return None
