# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches without examples: where bones stay in their places, and where they slide along a line or on a plane."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

import bpy

from ... import solver
from .. import bridge, translation
from . import detect, progress, solve
from .bakeable import Bakeable
from .detected_constraints import proposals_of
from .examples import detection_of
from .subjects import Reference, Subject, check_joint, tracked_in_steps

SLIDE_KINDS = ("SLIDE_LINE", "SLIDE_PLANE")
STAY_KINDS = ("POINT",)
"""What these searches find, as `PoiseDetected` has it."""

_Detector = Callable[
    [solver.Clip, str, "str | solver.MovingObject | None"], Sequence["solver.Detected | solver.DetectedSlide"]
]


def find_slides_in_steps(
    armature: bpy.types.Object | None, bones: Sequence[str]
) -> Generator[progress.StageShare, None, dict[str, int]]:
    """Propose trajectories where bones slide along a line or on a plane, relative to the reference of the panel.

    Without bones these are both hands. Returns how many were found by bone. A generator that yields its progress;
    closing it changes nothing.
    """
    armature = bridge.check_armature(armature)
    reference = Reference.of(armature, detection_of(armature))
    return (yield from _find(armature, bones, reference, SLIDE_KINDS, solver.detect_sliding))


def find_stays_in_steps(
    armature: bpy.types.Object | None, bones: Sequence[str]
) -> Generator[progress.StageShare, None, dict[str, int]]:
    """Propose pins where bones stay in their places, whether they turn or not; otherwise as `find_slides_in_steps`."""
    armature = bridge.check_armature(armature)

    def stays(clip: solver.Clip, bone: str, reference: object) -> list[solver.Detected]:
        return solver.detect_stays(clip, bone)

    return (yield from _find(armature, bones, Reference(), STAY_KINDS, stays))


def _hands(clip: solver.Clip) -> list[str]:
    """The bones of both hands; raises where neither is known."""
    marks = clip.skeleton.landmarks
    found = [clip.skeleton.names[joint] for joint in (marks.left_wrist, marks.right_wrist) if joint is not None]
    if not found:
        raise translation.TranslationError(
            "No bone is chosen, and the hands of this character are not known: select the bones to look at in pose "
            "mode, or set its wrists in Character > Landmarks."
        )
    return found


def _find(
    armature: bpy.types.Object,
    bones: Sequence[str],
    reference: Reference,
    kinds: tuple[str, ...],
    detector: _Detector,
) -> Generator[progress.StageShare, None, dict[str, int]]:
    reading = yield from solve.read_in_steps(armature)
    armature = reading.armature
    clip = translation.clip_with_settings(armature, reading)
    bones = bones or _hands(clip)
    Bakeable(armature, reading).check(bones, "position")
    bridge.check_bones(armature, bones)
    carrier = yield from tracked_in_steps(reading, clip, reference.bone, reference.object)
    proposals: list[detect.Proposal] = []
    counts = {}
    for number, bone in enumerate(bones):
        yield progress.DETECTING, number / len(bones)
        check_joint(clip, bone)
        found = detector(clip, bone, carrier)
        counts[bone] = len(found)
        for each in found:
            proposals += proposals_of(clip, Subject(bone=bone, reference=reference), carrier, each, reading)
    detect.propose(reading, proposals, lambda item: detect.is_of_search(item, bones, kinds))
    return counts
