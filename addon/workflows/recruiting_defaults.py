# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the body a new constraint recruits: a hand that is pinned must not lift the feet off the ground."""

from __future__ import annotations

import bpy

from ...solver import PoiseError, Skeleton
from .. import bridge, translation
from ..properties import PoiseConstraint


class Body:
    """The parts of a character, as far as they are known."""

    def __init__(self, armature: bpy.types.Object, frame: float) -> None:
        self.skeleton: Skeleton | None = None
        self.reading: bridge.Reading | None = None
        try:
            self.reading = bridge.read(armature, frame, frame)
            self.skeleton = translation.clip_with_settings(armature, self.reading).skeleton
        except PoiseError:
            return  # whoever has no motion yet, or a landmark on a deleted bone, may move as a whole

    def recruit(self, item: PoiseConstraint, is_turned: bool) -> None:
        """Let a constraint of a bone recruit its limb, or the spine below it; one that only turns it, a neighbour."""
        level = self._level(item.bone, is_turned)
        if level is not None:
            item.recruit, item.recruit_level = "LEVEL", level

    def _level(self, bone: str, is_turned: bool) -> int | None:
        """How many joints above a bone's own; None for all, of a bone that is of no limb and not above the hips."""
        if self.skeleton is None or bone not in self.skeleton.names:
            return None
        limbs, trunk = self._parts(is_turned)
        joint, above = self.skeleton.index(bone), 0
        while joint >= 0:
            if joint in limbs:
                return min(above, TURNED_BY) if is_turned else above
            if joint in trunk:
                return above
            joint, above = int(self.skeleton.parents[joint]), above + 1
        return None

    def _parts(self, is_turned: bool) -> tuple[set[int | None], set[int | None]]:
        """The joints at which limbs begin, and those at which the trunk does, or the neck where only that turns."""
        assert self.skeleton is not None
        marks = self.skeleton.landmarks
        limbs: set[int | None] = {marks.left_hip, marks.right_hip}
        for side in ("left", "right"):
            clavicle, shoulder, _, _ = marks.arm(side)
            limbs.add(shoulder if clavicle is None else clavicle)
        lowest = set(marks.spine[:1])
        return limbs - {None}, {*lowest, *({marks.neck} if is_turned else ())} - {None}


TURNED_BY = 1
"""Joints above its own that turn a hand or a foot: the forearm, which carries the wrist's twist, or the shin."""
