# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool: drags a point of a bone with the whole body, while pins, balance and joint limits hold.

A session begins with the pose that is shown. `move` writes bone channels at once; `finish` keys them by the rules of
auto-keying; `cancel` restores the pose from before to the bit, and the settings. Nothing here needs a window.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..bridge import auto_keying
from ..bridge.arrays import Array
from ..bridge.edits import edits_for
from ..bridge.shown_pose import ShownPose, direct_channels
from ..properties import PoisePosture, character_of
from .bakeable import Bakeable
from .posture_tasks import PIN, Drag, Held
from .solve import with_unbakeable_joints_fixed

ANSWER_TIME = 0.02
"""Seconds that a solve during a drag should take: with writing and evaluation it answers within 33 ms."""
FEWEST_STEPS, MOST_STEPS = 3, 20
"""Steps of the solver at an event. A posture that has not come to rest goes on from there at the next one; with fewer
steps, those that are refused at first would be refused again each time."""
LONGEST_WAY, SHORTEST_WAY = 0.25, 1e-3
"""Sizes of the character that the goal of one solve is ahead of the dragged point. It is divided by `SHORTENING` where
the point comes less than `SHORT` of the way, and doubled where it comes more than `LONG` of it: so what a solve has
learnt of the reach is not lost to the next one."""
SHORTENING, SHORT, LONG = 4.0, 0.25, 0.75
STARTING_WAY = 0.03
"""Sizes of the character: the least of it when the target moves, which may have come within reach again."""
STEPS_TO_REST = 60
"""Steps of the last solve, after which a drag out of reach has come to rest."""
MOST_ROUNDS = 10
"""How often they are repeated, on the way to a far target and where reaching and balancing take turns."""
MOST_LEFT = 300
"""Steps after which a posture that still changes is left as it is."""
DRAG_TOLERANCE = 1e-4
"""Sizes of the character: a drag at rest. A hundredth of it would cost twice the steps and be invisible."""
HELD_TOLERANCE = 1e-4
"""Sizes of the character, or radians: an error of a pin above this is repaired at once."""
CHANGED_BY_DRAGS = ("use_all", "recruit_level", "balance")
"""The settings that keys and the mouse wheel change during a drag."""
NAMED = 4
"""How many moving bones the header names."""

_BALANCE_WORDS = {"KEEP": "kept", "CENTER": "over the feet"}


def begin(armature: bpy.types.Object | None, bone: str, share: float = 0.0) -> PostureSession:
    """A session that drags a bone by a point on its axis: `share` 0 is its head, 1 its tail.

    Raises where nothing that moves the bone can be moved by its channels, before anything has changed.
    """
    armature = bridge.check_armature(armature)
    auto_keying.check_keyable(armature)
    reading = bridge.read_shown(armature)
    if bone not in reading.rig.index:
        raise bridge.BridgeError(f"Armature {armature.name!r} has no bone {bone!r}.")
    Bakeable(armature, reading).check([bone], "position", has_offset=share > 0.0)
    if bone not in reading.clip.skeleton.names:
        raise bridge.BridgeError(f"Bone {bone!r} is none of the bones that move the character: drag a deforming bone.")
    return PostureSession(armature, reading, bone, share)


class PostureSession:
    """One drag of a bone."""

    def __init__(self, armature: bpy.types.Object, reading: bridge.Reading, bone: str, share: float) -> None:
        settings = character_of(armature).posture
        clip = with_unbakeable_joints_fixed(reading, translation.clip_with_settings(armature, reading))
        if not settings.use_limits:
            clip = replace(clip, skeleton=clip.skeleton.replace(limits={}))
        self._reading = replace(reading, clip=clip)
        self._name = armature.name
        self._bone = bone
        self._drag = Drag.of(clip.skeleton, clip.skeleton.index(bone), _offset(reading, bone, share))
        if not self._drag.chain:
            raise bridge.BridgeError(
                f"Bone {bone!r} cannot be moved, since it and all bones above it are locked: unlock the rotation of "
                "one of them (sidebar, Item), or drag another bone."
            )
        self._held = Held.of(armature, clip, self._drag)
        self._before = ShownPose(armature, reading.rig)
        self._settings_before = {name: getattr(settings, name) for name in CHANGED_BY_DRAGS}
        self._direct = direct_channels(self._reading)
        self._now = clip
        self._target = self.place
        self._steps = MOST_STEPS
        self._way = LONGEST_WAY
        self._left = 0
        """Steps that a posture which is not at rest may still take for the present target."""

    # What is shown -------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> PoisePosture:
        """The settings of the armature; looked up, since undo replaces objects."""
        settings: PoisePosture = character_of(self._reading.armature).posture
        return settings

    @property
    def place(self) -> Array:
        """(3,) where the dragged point is, in the world."""
        return np.asarray(self._now.position(self._drag.point)[0])

    @property
    def is_at_rest(self) -> bool:
        """Whether further steps would not change the pose."""
        return self._left <= 0

    @property
    def moving_bones(self) -> list[str]:
        """The bones that move for the drag, from the dragged one upward."""
        names = self._now.skeleton.names
        return [names[joint] for joint in self._drag.recruited(self.settings)]

    @property
    def description(self) -> str:
        """What is dragged, which bones move for it and what holds, in one line."""
        settings, names = self.settings, self.moving_bones
        if settings.use_all:
            moves = "whole body"
        else:
            named, more = ", ".join(names[:NAMED]), len(names) - NAMED
            moves = named + (f" and {more} more" if more > 0 else "")
        balance = "" if settings.balance == "OFF" else f"  |  balance: {_BALANCE_WORDS[settings.balance]}"
        return f"Drag {self._bone}  |  wheel: {moves}{balance}  |  Esc restores"

    # The drag ------------------------------------------------------------------------------------------------------

    def move(self, target: Sequence[float] | Array) -> None:
        """Bring the dragged point as near to a target (3,) in the world as it comes, and write the pose."""
        self._target = np.array(target, dtype=np.float64)
        self._left = MOST_LEFT
        self._way = max(self._way, STARTING_WAY)
        self._solve(self._steps, restarts=False)

    def go_on(self) -> None:
        """Take further steps to the present target, where the last ones were too few."""
        if not self.is_at_rest:
            self._solve(self._steps, restarts=False)

    def recruit(self, more: int) -> None:
        """Let so many more bones above the dragged one move with it, or fewer; beyond the last one the whole body."""
        settings, most = self.settings, len(self._drag.chain) - 1
        level = (most if settings.use_all else min(settings.recruit_level, most)) + more
        settings.use_all = level >= most
        if not settings.use_all:
            settings.recruit_level = max(level, 0)
        self.solve_again()

    def solve_again(self) -> None:
        """Solve for the present target after a setting has changed, from the pose at the begin."""
        self._now, self._way = self._held.start, LONGEST_WAY
        self.move(self._target)

    def finish(self) -> str:
        """Come to rest, write the pose, key it by the rules of auto-keying, and return a sentence."""
        for _ in range(MOST_ROUNDS):
            if self.is_at_rest:
                break
            self._solve(STEPS_TO_REST, restarts=True)
        armature = self._reading.armature
        changes = self._before.changed()
        keyed = auto_keying.key_changes(armature, changes)
        moved = f"{len(changes)} bone{'' if len(changes) == 1 else 's'} moved"
        return f"{moved}, {keyed} keyed." if auto_keying.is_on() else f"{moved}."

    def cancel(self) -> None:
        """Restore the pose and the settings from before."""
        self._before.restore()
        for name, value in self._settings_before.items():
            setattr(self.settings, name, value)

    def _solve(self, steps: int, restarts: bool) -> None:
        """Take steps to the present target and write the pose."""
        begin, before, taken, converged = time.perf_counter(), self.place, 1, True
        goal = self._goal(before)
        for stage in self._held.stages(self.settings, self._drag):
            tasks = self._held.tasks(stage, self.settings, self._drag, self._now, goal)
            options = solver.SolveSettings(
                iterations=steps, tolerance=DRAG_TOLERANCE, restarts=restarts, thorough_restarts=False
            )
            solved = solver.solve_posture(stage.skeleton, self._now.pose(0), tasks, settings=options)
            if not restarts and self._has_lost_a_pin(tasks, solved):
                options = replace(options, restarts=True)
                solved = solver.solve_posture(stage.skeleton, self._now.pose(0), tasks, settings=options)
            self._now = self._now.with_motion(solved.pose.motion)
            taken, converged = taken + solved.iterations, converged and solved.converged
            # The balance has moved the dragged point: the next answer reaches again from there.
            converged = converged and (stage.drags or self._is_near(before))
        is_stuck = self._way <= SHORTEST_WAY and self._is_near(before)
        has_arrived = converged and self._is_near(self._target)
        self._left = 0 if has_arrived or is_stuck else self._left - taken
        self._adapt_way(before, goal)
        self._write()
        if steps <= MOST_STEPS:
            affordable = int(taken * ANSWER_TIME / (time.perf_counter() - begin))
            self._steps = int(np.clip(affordable, FEWEST_STEPS, MOST_STEPS))

    def _write(self) -> None:
        """Write the present pose to the bones."""
        values = self._direct.values(self._now) if self._direct is not None else None
        if values is None:
            self._before.write(edits_for(self._reading, self._now, may_leave_parent=False))
        else:
            self._before.write_direct(values)

    def _goal(self, place: Array) -> Array:
        """(3,) the target, or a place on the way there from the present one (3,)."""
        way, longest = self._target - place, self._way * self._now.skeleton.size
        length = float(np.linalg.norm(way))
        return self._target if length <= longest else place + way * (longest / length)

    def _adapt_way(self, before: Array, goal: Array) -> None:
        """Set how far the next goal may be, given the place before and the goal (3,) of the last solve."""
        way = goal - before
        length = float(np.linalg.norm(way))
        share = float((self.place - before) @ way) / length**2 if length > 0.0 else 1.0
        if share < SHORT:
            self._way = max(self._way / SHORTENING, SHORTEST_WAY)
        elif share > LONG:
            self._way = min(2.0 * self._way, LONGEST_WAY)

    def _is_near(self, place: Array) -> bool:
        """Whether the dragged point is at a place (3,)."""
        return float(np.linalg.norm(self.place - place)) < DRAG_TOLERANCE * self._now.skeleton.size

    def _has_lost_a_pin(self, tasks: Sequence[solver.Task], solved: solver.Posture) -> bool:
        size = self._now.skeleton.size
        return any(
            float(np.abs(error).max(initial=0.0)) > HELD_TOLERANCE * (1.0 if task.is_angular else size)
            for task, error in zip(tasks, solved.errors, strict=True)
            if task.priority >= PIN
        )


def _offset(reading: bridge.Reading, bone: str, share: float) -> tuple[float, float, float]:
    """A point on the axis of a bone, from its head and along its own axes, in the world's unit of length."""
    index = reading.rig.index[bone]
    axis = reading.world[0, :3, :3] @ reading.pose.axes[0, index, :, 1]
    return 0.0, share * float(reading.rig.lengths[index] * np.linalg.norm(axis)), 0.0


def nearest_share(head: Array, tail: Array, ray_origin: Array, ray_direction: Array) -> float:
    """The share of a bone's axis, from 0 at its head (3,) to 1 at its tail (3,), that is nearest to a ray."""
    axis, way = tail - head, ray_direction / np.linalg.norm(ray_direction)
    apart = head - ray_origin
    along, across = float(axis @ way), float(axis @ axis)
    room = across - along * along
    if room <= 1e-12 * max(across, 1e-30):  # seen along its axis
        return 0.0
    return float(np.clip((along * float(way @ apart) - float(axis @ apart)) / room, 0.0, 1.0))
