# SPDX-License-Identifier: GPL-3.0-or-later
"""Which constraint or driver of a rig moves a bone instead of the bone's own channels."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from .curves import TRANSFORMS, bone_property

COPY_INSTEAD = "work on a bakeable copy (Make Bakeable Copy in the Poise tab), which leaves the rig as it is"
"""What to do where bones cannot be baked. Clearing a rig's constraints would destroy the rig."""

COPY_SENTENCE = f"{COPY_INSTEAD[0].upper()}{COPY_INSTEAD[1:]}."
"""The same as a sentence of its own."""

_LETS_CHANNELS_THROUGH = frozenset(("LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "MAINTAIN_VOLUME"))
"""Constraints that only limit what the channels of a bone do."""

_LEAVES_THE_HEAD = frozenset(
    ("COPY_ROTATION", "COPY_SCALE", "DAMPED_TRACK", "LOCKED_TRACK", "STRETCH_TO", "TRACK_TO", "TRANSFORM")
)
"""Constraints that rotate or scale a bone about its head, whose position still comes from the parent. (A Transformation
constraint may also move the bone, but adds to the position from the parent.)"""

_INVERSE_KINEMATICS = frozenset(("IK", "SPLINE_IK"))


@dataclass(frozen=True)
class Mover:
    """The constraint or driver that moves a bone."""

    bone: str
    """The bone that has the constraint or the driver; empty where that is not known."""
    constraint: str
    """The constraint's name; empty for a driver."""
    sets_position: bool
    """Whether it alone determines where the bone is, whatever the bones above it do."""

    def description_for(self, bone: str) -> str:
        """The mover as part of a sentence about a bone, such as "its constraint 'IK'"."""
        if not self.bone:
            return "something other than its channels"
        if not self.constraint:
            return "a driver" if self.bone == bone else f"a driver of bone {self.bone!r}"
        if self.bone == bone:
            return f"its constraint {self.constraint!r}"
        return f"constraint {self.constraint!r} of bone {self.bone!r}"


UNKNOWN = Mover("", "", sets_position=False)
"""Where a bone is not where its channels put it, but none of its constraints or drivers is known to move it."""


def movers_of(armature: bpy.types.Object) -> dict[str, Mover]:
    """The constraint or driver that moves a bone instead of its channels, by name of the bone."""
    assert armature.pose is not None
    found: dict[str, Mover] = {}
    chains: dict[str, Mover] = {}
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if constraint.mute or constraint.influence == 0.0 or constraint.type in _LETS_CHANNELS_THROUGH:
                continue
            sets_position = constraint.influence >= 1.0 and constraint.type not in _LEAVES_THE_HEAD
            mover = Mover(bone.name, constraint.name, sets_position)
            known = found.setdefault(bone.name, mover)
            if mover.sets_position and not known.sets_position:
                found[bone.name] = mover
            if constraint.type in _INVERSE_KINEMATICS:
                for name in _chain(bone, constraint):
                    chains.setdefault(name, mover)
    for name, mover in chains.items():
        found.setdefault(name, mover)
    for driver in armature.animation_data.drivers if armature.animation_data is not None else ():
        driven = bone_property(driver.data_path)
        if driven is not None and driven[1] in TRANSFORMS and driven[0] in armature.pose.bones and not driver.mute:
            found.setdefault(driven[0], Mover(driven[0], "", sets_position=False))
    return found


def _chain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list[str]:
    """The bones of an inverse kinematics chain, from its bone upward."""
    chain = [bone.name, *(above.name for above in bone.parent_recursive)]
    return chain[: int(getattr(constraint, "chain_count", 0)) or len(chain)]


def why_unbakeable(name: str, mover: Mover) -> str:
    """Why a bone cannot be baked and what to do, in one sentence."""
    return f"Bone {name!r} cannot be baked, since {mover.description_for(name)} moves it: {COPY_INSTEAD}."
