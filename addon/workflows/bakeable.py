# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses new constraints that could not be baked, and names bones that could be constrained instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import bpy
import numpy as np

from ...solver import JointKind, PoiseError
from .. import bridge, translation
from ..properties import PoiseConstraint, current_name

Change = Literal["position", "rotation"]
"""What a constraint changes of a bone: its position or its rotation."""

NAMED = 3
"""How many usable bones an error names at most."""


class Bakeable:
    """Which bones of an armature can be moved by baking their channels."""

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
        """Joints that the solver may move and that follow their channels."""
        self.free = {skeleton.names[joint] for joint, kind in enumerate(skeleton.kinds) if kind is JointKind.FREE}

    # Checks ------------------------------------------------------------------------------------------------------

    def check_any(self) -> None:
        """Raise where no bone of the character can be baked."""
        if self.movers and not self.movable:
            raise translation.TranslationError(self._nothing())

    def check(self, bones: Sequence[str], change: Change, has_offset: bool = False) -> None:
        """Raise where a constraint of one of these bones could not be baked; bones that do not exist are ignored.

        With `has_offset` the constrained point is not the head of the bone.
        """
        for bone in bones:
            if bone in self.reading.rig.index and self.movers:
                reason = self._why_unbakeable(bone, change, has_offset)
                if reason:
                    raise self._refusal(reason, bone, change, has_offset)

    def check_foot(self, foot: Literal["left", "right"]) -> None:
        """Raise where no joint of a leg can be baked."""
        reason = self.why_unbakeable_foot(foot)
        if reason:
            raise translation.TranslationError(reason)

    def check_hand(self, hand: Literal["left", "right"]) -> None:
        """Raise where no joint of an arm can be baked."""
        reason = self.why_unbakeable_hand(hand)
        if reason:
            raise translation.TranslationError(reason)

    def check_recruited(self, bones: Sequence[str]) -> None:
        """Raise where a constraint would recruit only bones that cannot be baked."""
        known = [bone for bone in bones if bone in self.reading.rig.index]
        if known and self.movers and not self.movable.intersection(known):
            reason = self._why_unbakeable(known[0], "rotation", has_offset=False) or f"Bone {known[0]!r} may not move"
            raise self._refusal(reason, known[0], "rotation", has_offset=False)

    def check_item(self, item: PoiseConstraint, counterparts: Mapping[str, str] | None = None) -> None:
        """Raise where a saved constraint, or with `counterparts` of its bones its mirrored copy, could not be baked."""

        def named(each: Any) -> str:
            name = current_name(self.armature, each)
            return name if counterparts is None else counterparts.get(name, name)

        if item.kind == "FOOTPLANT":
            self.check_foot("left" if (item.foot == "LEFT") == (counterparts is None) else "right")
        elif item.kind == "HANDPLANT":
            self.check_hand("left" if (item.hand == "LEFT") == (counterparts is None) else "right")
        elif item.kind == "BALANCE":
            self.check_any()
        elif item.kind == "POSE":
            self.check([named(listed) for listed in item.bones], "rotation")
        elif item.bone:
            self.check([named(item)], change_of(item), any(item.offset))

    def why_unbakeable_foot(self, foot: Literal["left", "right"]) -> str:
        """Why no footplant of a foot could be baked, in one sentence; empty where one could, or no leg is known."""
        return self._why_unbakeable_limb(foot, "leg")

    def why_unbakeable_hand(self, hand: Literal["left", "right"]) -> str:
        """Why no handplant of a hand could be baked, in one sentence; empty where one could, or no arm is known."""
        return self._why_unbakeable_limb(hand, "arm")

    def _why_unbakeable_limb(self, side: str, limb: Literal["leg", "arm"]) -> str:
        if not self.movers:
            return ""
        skeleton = translation.clip_with_settings(self.armature, self.reading).skeleton
        joints = skeleton.landmarks.leg(side) if limb == "leg" else skeleton.landmarks.arm(side)
        names = [skeleton.names[joint] for joint in joints if joint is not None]
        moved = [name for name in names if name in self.movers]
        if not moved or self.movable.intersection(names):
            return ""
        mover = self.movers[moved[0]].description_for(moved[0])
        return f"The {side} {limb} cannot be baked, since {mover} moves bone {moved[0]!r}: {bridge.COPY_INSTEAD}."

    # Reasons -------------------------------------------------------------------------------------------------------

    def _why_unbakeable(self, bone: str, change: Change, has_offset: bool) -> str:
        """Why a constraint of a bone could not be baked, without its full stop; empty where it could."""
        if bone not in self.joints:
            return f"Bone {bone!r} is none of the bones that move the character"
        if bone in self.movers:
            return f"Bone {bone!r} cannot be baked, since {self.movers[bone].description_for(bone)} moves it"
        blocker = self._blocker(bone, has_offset) if change == "position" else ""
        if blocker:
            mover = self.movers[blocker].description_for(bone)
            return f"Bone {bone!r} cannot be moved by keys, since {mover} decides where it is"
        if bone not in self.movable and not self.movable.intersection(self._above(bone)):
            return f"Bone {bone!r} cannot be moved, since neither it nor a bone above it can be baked"
        return ""

    def _blocker(self, bone: str, has_offset: bool) -> str:
        """The bone above a bone whose mover sets its position, where no bone in between can be baked; else empty."""
        if bone in self.movable and (has_offset or bone in self.free):
            return ""
        for above in self._above(bone):
            if above in self.movable:
                return ""
            if above in self.movers and self.movers[above].sets_position:
                return above
        return ""

    def _has_position_set(self, bone: str) -> bool:
        """Whether the mover of a bone above sets its position, which limits where a bone can be."""
        return any(above in self.movers and self.movers[above].sets_position for above in self._above(bone))

    def _above(self, bone: str) -> list[str]:
        data: Any = self.armature.data
        return [above.name for above in data.bones[bone].parent_recursive]

    # Alternatives --------------------------------------------------------------------------------------------------

    def _refusal(self, reason: str, bone: str, change: Change, has_offset: bool) -> translation.TranslationError:
        """The error with a reason and what to do: use one of the nearest usable bones, or a copy of the rig."""
        rig = self.reading.rig
        usable = [
            name
            for name in rig.names
            if name in self.movable
            and not bridge.why_unusable(self.armature, name)
            and not self._why_unbakeable(name, change, has_offset)
        ]
        if not usable:
            nor = "none of those can be baked" if bone not in self.joints else "no other bone would work"
            return translation.TranslationError(f"{reason}, and {nor}: {bridge.COPY_INSTEAD}.")
        if change == "position":
            # Below inverse kinematics a bone can be moved only by the few bones in between.
            usable = [name for name in usable if not self._has_position_set(name)] or usable
        nearest = [repr(name) for name in sorted(usable, key=lambda name: self._apart(bone, name))[:NAMED]]
        listed = " or ".join(filter(None, (", ".join(nearest[:-1]), nearest[-1])))
        return translation.TranslationError(f"{reason}: choose {listed}, which can be baked, or {bridge.COPY_INSTEAD}.")

    def _apart(self, bone: str, other: str) -> tuple[int, float]:
        """The distance between two bones, to sort by: in bones from one to the other, then in length at rest.

        Controls and other bones that are no joints are often children of the root, so for them only the length counts.
        """
        rig = self.reading.rig
        apart = float(np.linalg.norm(rig.rest_heads[rig.index[bone]] - rig.rest_heads[rig.index[other]]))
        if bone not in self.joints:
            return 0, apart
        mine, others = {bone, *self._above(bone)}, {other, *self._above(other)}
        return len(mine ^ others), apart

    def _nothing(self) -> str:
        moved = next(
            (name for name in self.reading.clip.skeleton.names if name in self.movers), next(iter(self.movers))
        )
        mover = self.movers[moved].description_for(moved)
        return (
            f"No bone that moves the character of {self.armature.name!r} can be baked ({mover} moves {moved!r}): "
            f"{bridge.COPY_INSTEAD}."
        )


def change_of(item: PoiseConstraint) -> Change:
    """Whether a saved constraint changes the position or the rotation of its bone."""
    return "position" if item.kind == "SHAPE" else "rotation"


def bakeable_at(armature: bpy.types.Object, frame: float) -> Bakeable | None:
    """The `Bakeable` of an armature at a frame; None where it has no motion yet."""
    bridge.check_armature(armature)
    try:
        return Bakeable(armature, bridge.read(armature, frame, frame))
    except PoiseError:
        return None
