# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves the bones of a rig instead of their channels: constraints, inverse kinematics and drivers."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from .curves import TRANSFORMS, bone_property

COPY_INSTEAD = "work on a bakeable copy (Make Bakeable Copy in the Poise tab), which leaves the rig as it is"
"""What to do where bones cannot be baked. Clearing a rig's constraints would destroy the rig."""

COPY_SENTENCE = f"{COPY_INSTEAD[0].upper()}{COPY_INSTEAD[1:]}."
"""The same as a sentence of its own."""

_LETS_CHANNELS_THROUGH = frozenset(("LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "MAINTAIN_VOLUME"))
"""Constraints that leave a bone to its channels, within bounds."""

_LEAVES_THE_HEAD = frozenset(
    ("COPY_ROTATION", "COPY_SCALE", "DAMPED_TRACK", "LOCKED_TRACK", "STRETCH_TO", "TRACK_TO", "TRANSFORM")
)
"""Constraints that turn or scale a bone about its head, which stays where the parent has it. (A Transformation
constraint may also move a bone, but adds to where its parent has it.)"""

_INVERSE_KINEMATICS = frozenset(("IK", "SPLINE_IK"))


@dataclass(frozen=True)
class Mover:
    """What moves one bone."""

    bone: str
    """The bone that has the constraint or the driver; empty where that is not known."""
    constraint: str
    """The constraint's name; empty for a driver."""
    sets_place: bool
    """Whether it alone decides where the bone is, or where the bone's children are: then bones above do not."""

    def words_for(self, bone: str) -> str:
        """The mover in words, in a sentence about a bone."""
        if not self.bone:
            return "something other than its channels"
        if not self.constraint:
            return "a driver" if self.bone == bone else f"a driver of bone {self.bone!r}"
        if self.bone == bone:
            return f"its constraint {self.constraint!r}"
        return f"constraint {self.constraint!r} of bone {self.bone!r}"


UNKNOWN = Mover("", "", sets_place=False)
"""Of a bone that is not where its channels put it, although no constraint or driver of its own is known."""


def movers_of(armature: bpy.types.Object) -> dict[str, Mover]:
    """By bone, the constraint or driver that decides where it is, whatever its channels say."""
    assert armature.pose is not None
    found: dict[str, Mover] = {}
    chains: dict[str, Mover] = {}
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if constraint.mute or constraint.influence == 0.0 or constraint.type in _LETS_CHANNELS_THROUGH:
                continue
            sets_place = constraint.influence >= 1.0 and constraint.type not in _LEAVES_THE_HEAD
            mover = Mover(bone.name, constraint.name, sets_place)
            known = found.setdefault(bone.name, mover)
            if mover.sets_place and not known.sets_place:
                found[bone.name] = mover
            if constraint.type in _INVERSE_KINEMATICS:
                for name in _chain(bone, constraint):
                    chains.setdefault(name, mover)
    for name, mover in chains.items():
        found.setdefault(name, mover)
    for driver in armature.animation_data.drivers if armature.animation_data is not None else ():
        driven = bone_property(driver.data_path)
        if driven is not None and driven[1] in TRANSFORMS and driven[0] in armature.pose.bones and not driver.mute:
            found.setdefault(driven[0], Mover(driven[0], "", sets_place=False))
    return found


def _chain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list[str]:
    """The bones that inverse kinematics moves: so many from its bone upward, or all."""
    chain = [bone.name, *(above.name for above in bone.parent_recursive)]
    return chain[: int(getattr(constraint, "chain_count", 0)) or len(chain)]


def why_unbakeable(name: str, mover: Mover) -> str:
    """Why a bone cannot be baked and what to do, in one sentence."""
    return f"Bone {name!r} cannot be baked, since {mover.words_for(name)} moves it: {COPY_INSTEAD}."
