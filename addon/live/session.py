# SPDX-License-Identifier: GPL-3.0-or-later
"""The live edit of one armature: notices edits, solves the newest one in slices, and shows what is solved.

While constraints are edited the result is written as samples. When the hand rests it is solved anew, so that it depends
on the constraints alone and not on how they came about, and baked to keys with its report.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..bridge import versions
from ..bridge.reading import object_moves
from ..bridge.transforms import is_static
from ..properties import active_constraint, character_of
from ..workflows import ground_gaps, latest, solve
from ..workflows.latest import Solved

Steps = Generator[object, None, None]

PREVIEWS = 0.02
"""Seconds from one preview to the next: more of them would only delay the result."""

MEASURED = 1000
"""Of how many edits it is known how long they took."""

MOST_ANEW = 3
"""How often in a row it begins anew because the source changes meanwhile: more often, it would never come to an end."""

REST = 0.25
"""Seconds without an edit after which the hand rests."""


class Session:
    """The live edit of an armature, given by its name: undo and loading replace objects."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.last_edit = time.perf_counter()
        """When the newest edit was noticed."""
        self.is_baked = True
        """Whether the keys of the result are those of the newest edit."""
        self._goal = ""
        """The signature of the constraints that are wanted."""
        self._settings = ""
        """The signature of the settings and frames with which the source was read."""
        self._place: bytes | None = None
        """Where the armature object was when it was read; None where it moves from frame to frame."""
        self._solved: Solved | None = None
        """The newest solve that came to its end."""
        self._following: solver.LiveDeformation | None = None
        self._samples: bridge.SampledResult | None = None
        self._steps: Steps | None = None
        self._preparing: Steps | None = None
        """Prepares for the first move of the active constraint, while there is nothing else to do."""
        self._prepared: tuple[str, str, int] | None = None
        """What was prepared for last: the goal, the uid of a constraint and its active point."""
        self._is_following = False
        """Whether the steps only solve and show: they do not read or bake, which evaluates the scene."""
        self._is_answer = False
        """Whether the steps have shown something of the goal that they are for."""
        self._last_shown = 0.0
        self._anew = 0
        """How often it has begun anew since the last bake, because the source had changed."""
        self.answers: deque[float] = deque(maxlen=MEASURED)
        """Seconds from the newest edits to the first f-curves that answered each of them."""
        self.results: deque[float] = deque(maxlen=MEASURED)
        """Seconds from the newest edits that were solved to their end to the f-curves of the result."""
        self._begun = 0.0
        """When the edit was noticed that the steps are for."""

    # Noticing -----------------------------------------------------------------------------------------------------

    def notice(self, armature: bpy.types.Object, is_source_suspect: bool = False) -> bool:
        """Compare the signatures of settings and constraints with those that were solved, and of the source too where
        something may have changed it; returns whether there is something new to solve."""
        settings, goal = _settings_signature(armature), latest.constraint_signature(armature)
        if (
            settings != self._settings
            or self._was_moved(armature)
            or (is_source_suspect and self._source_has_changed(armature))
        ):
            self._begin(armature, settings, goal)
            return True
        if goal == self._goal:
            return False
        self._goal, self.is_baked, self.last_edit = goal, False, time.perf_counter()
        if self._steps is None or self._is_answer:
            self._follow(armature)
        return True

    def _was_moved(self, armature: bpy.types.Object) -> bool:
        """Whether the armature object is elsewhere than when it was read, and not since it is animated."""
        return self._place is not None and _place_of(armature) != self._place

    def _source_has_changed(self, armature: bpy.types.Object) -> bool:
        """Whether the source is another one than that which was read."""
        if self._solved is None:
            return False
        options = options_of(armature)
        begin, end = solve.frames(options.begin, options.end)
        now = latest.source_signature(armature, begin, end, options.quality)
        return now != self._solved.read.signature

    @property
    def is_working(self) -> bool:
        """Whether there are steps left to run."""
        return self._steps is not None

    @property
    def is_following(self) -> bool:
        """Whether the steps solve an edit, and nothing else: then they may run while Blender handles it."""
        return self._steps is not None and self._is_following

    @property
    def is_settled(self) -> bool:
        """Whether the newest edit is solved and baked."""
        return self._solved is not None and self.is_baked and self._steps is None

    @property
    def rests(self) -> bool:
        """Whether all is solved, there was no edit for a while, and the keys are to be made."""
        return not self.is_baked and self._steps is None and time.perf_counter() - self.last_edit >= REST

    # Working ------------------------------------------------------------------------------------------------------

    def run(self, seconds: float, longest: float = 0.0) -> None:
        """Run steps for some time, at least one, or up to `longest` where nothing of an edit is shown by then; after
        the last one those for the newest goal, if that is another one by now."""
        begin = time.perf_counter()
        while self._steps is not None:
            try:
                next(self._steps)
            except StopIteration:
                self._steps = None
                self._go_on()
            except bridge.SourceChangedError:
                self._steps = None
                self._anew += 1
                if self._anew > MOST_ANEW:
                    raise
                self._settings = ""  # what is noticed next is something new
            if time.perf_counter() - begin >= (seconds if self._is_answer else max(seconds, longest)):
                return

    def finish(self) -> None:
        """Run all steps, and make keys of what is shown."""
        while self._steps is not None:
            self.run(1.0)
        if not self.is_baked and self._solved is not None:
            armature = self._solved.reading.armature
            solver.finished(self._baking(armature, self._solved))

    def close(self) -> None:
        """Stop without a change."""
        self.stop_preparing()
        if self._steps is not None:
            self._steps.close()
            self._steps = None

    def forget_shown(self) -> None:
        """Stop, and forget what f-curves hold: undo has replaced them."""
        self.close()
        if self._samples is not None:
            self._samples.forget()

    def _go_on(self) -> None:
        """Follow the newest goal where the steps that have ended were for another one."""
        if self._solved is not None and self._solved.signature != self._goal:
            self._follow(self._solved.reading.armature)

    # Preparing ----------------------------------------------------------------------------------------------------

    @property
    def is_preparing(self) -> bool:
        """Whether it prepares for the first move of a constraint, which changes and shows nothing."""
        return self._preparing is not None

    def prepare(self, armature: bpy.types.Object, seconds: float) -> None:
        """Prepare for the first move of the active constraint for some time, once for each: so it is shown as soon as
        later ones."""
        item: Any = active_constraint(armature)
        if self._following is None or self._solved is None or item is None:
            self.stop_preparing()
            return
        wanted = self._goal, str(item.uid), int(item.active_point)
        if wanted != self._prepared:
            self.stop_preparing()
            self._prepared, self._preparing = wanted, self._preparation(item)
        until = time.perf_counter() + seconds
        try:
            while self._preparing is not None and time.perf_counter() < until:
                next(self._preparing)
        except (StopIteration, solver.PoiseError):  # where it cannot be moved so, the animator has not asked for it
            self._preparing = None

    def _preparation(self, item: Any) -> Steps | None:
        """The steps that prepare for the first move of a constraint; None where it has no single one in the solver."""
        assert self._following is not None and self._solved is not None
        numbers = [number for number, uid in enumerate(self._solved.translated.uids) if uid == item.uid]
        if len(numbers) != 1:
            return None
        reading, chosen = self._solved.reading, item.points[item.active_point : item.active_point + 1]
        at = reading.frame_of(chosen[0].begin) if chosen else 0
        return self._following.preparing(numbers[0], at, solve.current_frame(reading))

    def stop_preparing(self) -> None:
        """Leave what is not prepared yet."""
        if self._preparing is not None:
            self._preparing.close()
            self._preparing = self._prepared = None

    # The begin ----------------------------------------------------------------------------------------------------

    def _begin(self, armature: bpy.types.Object, settings: str, goal: str) -> None:
        """Take the source as it is now, and solve it: from memory where that has the result."""
        self.close()
        self._place = None if _is_animated(armature) else _place_of(armature)
        self._settings, self._goal, self._is_answer, self._is_following = settings, goal, False, False
        shown = latest.of(armature)
        if shown is not None and shown.solved.signature == goal and not latest.is_stale(armature):
            self._take(shown.solved)
            self.is_baked = not bridge.has_samples(armature)
            return
        self.is_baked, self.last_edit = False, time.perf_counter()
        self._steps = self._solving(armature)

    def _take(self, solved: Solved) -> None:
        """Follow edits from a solve on."""
        self._solved = solved
        self._follow_from(solved.deformation)
        if self._samples is None or self._samples.reading is not solved.reading:
            self._samples = bridge.SampledResult(solved.reading)
        self._samples.forget()

    def _follow_from(self, deformation: solver.Deformation) -> None:
        """Begin to follow edits, with nothing prepared for them."""
        self.stop_preparing()
        self._following, self._prepared = solver.LiveDeformation(deformation), None

    def _solving(self, armature: bpy.types.Object) -> Steps:
        """Read, solve and bake as Solve does."""
        result = yield from solve.solve_in_steps(armature, options_of(armature))
        found = latest.of(result.reading.armature)
        assert found is not None
        self._take(found.solved)
        self._goal, self.is_baked, self._anew = found.solved.signature, True, 0

    # Following edits ----------------------------------------------------------------------------------------------

    def _follow(self, armature: bpy.types.Object) -> None:
        """Begin to solve the constraints as they are now."""
        before, following = self._solved, self._following
        if before is None or following is None:
            return
        self.close()
        reading, clip = before.reading, before.source
        goal = self._goal = latest.constraint_signature(armature)
        translated = translation.translate(armature, reading)
        grounded = ground_gaps.place_on_ground(
            armature, clip, translated.constraints, translated.uids, known=before.grounded
        )
        self._is_answer, self._is_following, self._begun = False, True, self.last_edit
        if grounded.ground is not before.grounded.ground and not _is_same_plane(grounded, before.grounded):
            self._steps = self._solving_anew(replace(before, translated=translated, grounded=grounded, signature=goal))
            return
        with bridge.in_scene_frames(reading.times):
            steps = following.follow(grounded.constraints, solve.current_frame(reading))
        self._steps = self._showing(steps, replace(before, translated=translated, grounded=grounded, signature=goal))

    def _showing(self, steps: Generator[solver.Progress, None, solver.Deformation], solved: Solved) -> Steps:
        """Show previews and the result of a solve, which is the newest then; `solved` has the rest of it."""
        while True:
            try:
                step = next(steps)
            except StopIteration as stop:
                deformation: solver.Deformation = stop.value
                break
            if step.preview is not None and time.perf_counter() - self._last_shown > PREVIEWS:
                self._show(step.preview.clip)
                self._share_preview(step.preview.clip)
            yield step
        # Constraints with equal values are those of the solve before.
        translated = replace(solved.translated, constraints=deformation.constraints)
        grounded = replace(solved.grounded, constraints=deformation.constraints)
        self._solved = replace(solved, translated=translated, grounded=grounded, deformation=deformation)
        self._show(deformation.clip)
        self.results.append(time.perf_counter() - self._begun)
        self._share(self._solved)

    def _show(self, clip: solver.Clip) -> None:
        assert self._samples is not None
        self._samples.write(clip)
        self._last_shown = time.perf_counter()
        if not self._is_answer:
            self.answers.append(self._last_shown - self._begun)
        self._is_answer = True

    def _share_preview(self, clip: solver.Clip) -> None:
        """Give a preview to the drawing in the viewport, with what is known of the solve before."""
        assert self._solved is not None
        armature = self._solved.reading.armature
        before = latest.of(armature)
        if before is not None:
            latest.show_edit(armature, replace(before, shown=clip, is_preview=True))

    def _share(self, solved: Solved) -> None:
        """Give what is shown to the drawing in the viewport."""
        clip = solved.deformation.clip
        latest.show_edit(
            solved.reading.armature, latest.Latest(solved, clip, solved.deformation.residuals_in(clip), "")
        )

    def _solving_anew(self, solved: Solved) -> Steps:
        """Solve constraints from the source, and show the result."""
        self._begun = time.perf_counter()
        read = solved.read
        with bridge.in_scene_frames(read.reading.times):
            steps = solver.deforming(
                read.clip,
                solved.grounded.constraints,
                ground=solved.grounded.ground,
                cyclic=read.cyclic,
                keep_ends=read.keep_ends,
                focus=solve.current_frame(read.reading),
            )
        yield from self._showing(steps, solved)
        assert self._solved is not None
        self._follow_from(self._solved.deformation)

    # The rest -----------------------------------------------------------------------------------------------------

    def refine(self, armature: bpy.types.Object) -> None:
        """Begin to solve the newest constraints anew, and to make keys of the result with its report."""
        if self._solved is None:
            return
        if self._source_has_changed(armature):
            self._begin(armature, self._settings, latest.constraint_signature(armature))
            return
        self._is_answer, self._is_following = True, False
        self._steps = self._refining(armature, self._solved)

    def _refining(self, armature: bpy.types.Object, solved: Solved) -> Steps:
        signature = latest.result_signature(armature, solved.read.signature, solved.signature)
        known = latest.with_signature(armature, signature)
        if known is not None:
            self._solved = known.solved
        else:
            yield from self._solving_anew(solved)
        assert self._solved is not None
        yield from self._baking(self._solved.reading.armature, self._solved)

    def _baking(self, armature: bpy.types.Object, solved: Solved) -> Steps:
        yield from solve.bake_in_steps(solved, options_of(armature))
        self._take(solved)
        self.is_baked, self._anew = True, 0

    # Undo ---------------------------------------------------------------------------------------------------------

    def restore(self, armature: bpy.types.Object) -> None:
        """Show what belongs to the constraints after undo or redo: from memory, or else as an edit is followed. Where
        the armature shows no solve any more, live mode is switched off."""
        self.forget_shown()
        latest.show_edit(armature, None)
        character = character_of(armature)
        if not bridge.has_result(armature) or not character.live_state.solved:
            character.live = False
            return
        self._settings, self._goal = _settings_signature(armature), latest.constraint_signature(armature)
        self._place = None if _is_animated(armature) else _place_of(armature)
        known = latest.with_signature(armature, latest.signature_now(armature))
        if known is not None and known.signature == character.live_state.solved and not bridge.has_samples(armature):
            self._show_undone(armature, known.solved)
        elif known is not None:
            solver.finished(self._baking(armature, known.solved))
        elif self._solved is None or self._source_has_changed(armature):
            self._begin(armature, self._settings, self._goal)
        else:
            self.is_baked, self.last_edit = False, time.perf_counter()
            self._follow(armature)

    def _show_undone(self, armature: bpy.types.Object, solved: Solved) -> None:
        """Go on from a solve whose keys undo has brought back, or left: then a pose without keys stays too."""
        if not (self.is_baked and self._solved is solved):
            self._take(solved)
            self.is_baked = True
            armature.update_tag(refresh={"TIME"})


def options_of(armature: bpy.types.Object) -> solve.SolveOptions:
    """How the panel says to solve; live results are actions."""
    character = character_of(armature)
    begin, end = latest.solved_range(armature)
    if character.target != "ACTION":
        raise bridge.BridgeError("Live mode shows its result as a new action: choose New Action as the target.")
    return solve.SolveOptions(begin, end, "action", character.tolerance, character.quality.lower())


def _settings_signature(armature: bpy.types.Object) -> str:
    """The signature of the settings with which a character is solved, without the motion and the constraints."""
    signature, character, render = bridge.Signature(), character_of(armature), bridge.current_scene().render
    signature.add(latest.settings_signature(armature), latest.solved_range(armature), render.fps, render.fps_base)
    signature.add(character.use_range, *(getattr(character, name) for name in latest.BAKING))
    return signature.text


def _place_of(armature: bpy.types.Object) -> bytes:
    return np.array(armature.matrix_world, dtype=np.float64).tobytes()


def _is_animated(armature: bpy.types.Object) -> bool:
    """Whether the armature object may move from frame to frame."""
    animation = bridge.animation_of(armature)
    curves = versions.curves_of(animation.source, animation.slot) if animation.source is not None else []
    return object_moves(armature, curves)


def _is_same_plane(one: ground_gaps.GroundedConstraints, other: ground_gaps.GroundedConstraints) -> bool:
    """Whether two grounds are level and equally high."""
    if one.ground is None or other.ground is None:
        return False
    return one.ground.level is not None and one.ground.level == other.ground.level


def needs_other_frames(armature: bpy.types.Object) -> bool:
    """Whether an enabled constraint refers to an object that may move, which is evaluated at all of its frames: that
    cannot be done while Blender evaluates the scene."""
    for item in character_of(armature).constraints:
        if item.enabled:
            held = [point.object for point in item.points]
            held += [item.reference_object] if item.reference == "OBJECT" else []
            if any(each is not None and not is_static(each) for each in held):
                return True
    return False
