# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of a capture: a calibration pose at the begin, and frames in which joints are somewhere else for a moment.

A marker that is lost or taken for another one throws joints for one frame or a few: their places leave a smooth path
and come back to it, with accelerations that no body has. Impacts, kicks and claps are as sharp, but their velocities do
not come back; jitter is, but so are the frames around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.interpolation import interpolated
from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray, runs
from ..core.errors import ConstraintError
from ..core.smooth_steps import cubic_step

# The constants were chosen on clips of subjects 1 to 60 of the CMU library, at 120, 30 and 24 frames a second.

VISIBLE = 0.01
"""Sizes of the character by which a fault displaces a joint at least: a centimetre."""
IMPOSSIBLE = 110.0
"""Sizes a second squared, ten times gravity: accelerations at the begin and at the end of a fault are larger."""
OUTSTANDING = 5.0
"""They are also so many times the upper quartile of accelerations shortly before and after."""
REMOVED = 0.25
"""Without the faulty frames the largest acceleration is at most this share of what it was."""
ABRUPT = 1.0 / 3.0
"""Share of the largest displacement, along it, that every faulty frame has at least: a short contact, between two
impacts, is displaced from a smooth path as well, but not in its first and last frame."""
LONGEST = 1.0 / 15.0
"""Seconds that a fault lasts at most."""
NEARBY, FEWEST_NEARBY = 0.2, 6
"""Seconds, and least number of frames, before and after a fault with which it is compared."""
ROUNDS = 3
"""A fault beside another one is recognised after that has been repaired."""

CALIBRATION_JUMP = 0.1
"""Sizes by which joints jump, on average, from a calibration pose to the motion."""


@dataclass(frozen=True)
class CaptureFault:
    """Frames of a clip in which joints are not where the actor had them."""

    kind: Literal["calibration", "glitch"]
    """A pose at the begin of the clip that does not belong to the motion, or joints that leave it for a moment."""
    begin: int
    """The first faulty frame."""
    end: int
    """The last one."""
    joints: tuple[str, ...]
    """The joints whose rotations or translations are faulty, and with them those of all joints below."""

    @property
    def description(self) -> str:
        """What it is, without its frames: a calibration pose, or a glitch of joints."""
        return "a calibration pose" if self.kind == "calibration" else f"a glitch of {' and '.join(self.joints)}"

    def __str__(self) -> str:
        frames = f"frame {self.begin}" if self.begin == self.end else f"frames {self.begin} to {self.end}"
        return f"{frames}: {self.description}"


def find_faults(clip: Clip) -> list[CaptureFault]:
    """The faults of a clip's capture, in the order of their frames."""
    first = _calibration_frames(clip)
    names, parents = clip.skeleton.names, clip.skeleton.parents
    roots = tuple(name for name, parent in zip(names, parents, strict=True) if parent < 0)
    faults = [CaptureFault("calibration", 0, first - 1, roots)] if first else []
    faulty = _glitches(clip, first)
    for begin, end in runs(faulty.any(axis=1)):
        joints = faulty[begin : end + 1].any(axis=0)
        topmost = np.flatnonzero(joints & ~((parents >= 0) & joints[parents]))
        faults.append(CaptureFault("glitch", begin, end, tuple(names[joint] for joint in topmost)))
    return faults


def faulty_joints(clip: Clip, faults: Iterable[CaptureFault] | None = None) -> BoolArray:
    """(frames, joints) true where a joint's place and transform are faulty.

    Without `faults`, they are those of `find_faults`.
    """
    faulty: BoolArray = np.zeros((clip.frames, len(clip.skeleton)), dtype=bool)
    for fault in find_faults(clip) if faults is None else faults:
        if not 0 <= fault.begin <= fault.end < clip.frames:
            raise ConstraintError(f"A fault ({fault}) lies outside the clip, whose frames are 0 to {clip.frames - 1}.")
        topmost = [clip.skeleton.index(name) for name in fault.joints]
        faulty[fault.begin : fault.end + 1] |= clip.skeleton.tree.ancestry[:, topmost].any(axis=1)
    return faulty


def repair(clip: Clip, faults: Iterable[CaptureFault] | None = None) -> Clip:
    """The clip with the faulty joints interpolated across the faulty frames; everything else stays bit for bit.

    Rotations and translations follow a cubic that meets place and velocity before and after; a calibration pose becomes
    what the motion behind it comes from. Without `faults`, they are those of `find_faults`.
    """
    faulty = faulty_joints(clip, faults)
    return clip.with_motion(interpolated(clip.motion, faulty)) if faulty.any() else clip


# A calibration pose ---------------------------------------------------------------------------------------------------


def _calibration_frames(clip: Clip) -> int:
    """How many frames at the begin show a calibration pose, from which the whole body jumps to the motion."""
    longest, nearby = _frames(clip, LONGEST, 1), _frames(clip, NEARBY, FEWEST_NEARBY)
    places = clip.world.positions[: longest + nearby + 2] / clip.skeleton.size
    jumps = rotations.lengths(np.diff(places, 2, axis=0)).mean(axis=1)
    least = max(CALIBRATION_JUMP, 0.5 * IMPOSSIBLE / clip.fps**2)
    for frame in range(min(longest, len(jumps) - 1) - 1, -1, -1):
        usual = _usual(jumps[frame + 1 : frame + 1 + nearby])
        held = rotations.lengths(places[frame] - places[0]).mean()
        if jumps[frame] > max(least, OUTSTANDING * usual) and held < 0.5 * jumps[frame]:
            return frame + 1
    return 0


# Glitches -------------------------------------------------------------------------------------------------------------


def _glitches(clip: Clip, first: int) -> BoolArray:
    """(frames, joints) true where a joint's own transform is faulty from frame `first` on."""
    faulty: BoolArray = np.zeros((clip.frames, len(clip.skeleton)), dtype=bool)
    places = clip.world.positions[first:] / clip.skeleton.size
    for _ in range(ROUNDS):
        displaced = _displaced(places, clip)
        if not displaced.any():
            break
        for begin, end in runs(displaced.any(axis=1)):
            joints = displaced[begin : end + 1].any(axis=0)
            faulty[first + begin : first + end + 1] |= _involved(clip, first, first + begin, first + end, joints)
        changed = np.flatnonzero(faulty.any(axis=1))
        repaired = interpolated(clip.motion, faulty).at(changed)
        places[changed - first] = WorldState.of(clip.skeleton, repaired).positions / clip.skeleton.size
    return faulty


def _displaced(places: Array, clip: Clip) -> BoolArray:
    """(frames, joints) true where places (frames, joints, 3), in sizes, leave a smooth path and come back to it."""
    displaced: BoolArray = np.zeros(places.shape[:2], dtype=bool)
    accelerations = _accelerations(places)
    sharp = accelerations > _sharp(clip)
    if not sharp.any():
        return displaced
    nearby = _frames(clip, NEARBY, FEWEST_NEARBY)
    for length in range(1, _frames(clip, LONGEST, 1) + 1):
        apart = length + 1
        begins, joints = np.nonzero(_edges(sharp, apart))
        for frame, joint in zip(*_come_back(places, accelerations, begins, joints, apart), strict=True):
            if displaced[frame - 1 : frame + apart + 2, joint].any():
                continue
            around = (slice(max(frame - nearby, 1), frame - 1), slice(frame + apart + 2, frame + apart + nearby + 1))
            usual = _usual(np.concatenate([accelerations[part, joint] for part in around]))
            edges = accelerations[[frame, frame + 1, frame + length, frame + apart], joint]
            if min(edges[:2].max(), edges[2:].max()) > OUTSTANDING * usual:
                displaced[frame + 1 : frame + apart, joint] = True
    return displaced


def _edges(sharp: BoolArray, apart: int) -> BoolArray:
    """(frames, joints) true at frames s where a joint is sharp at s or s + 1, and at s + apart - 1 or s + apart."""
    found = np.zeros_like(sharp)
    if len(sharp) > apart + 2:
        begins, ends = sharp[1:-1] | sharp[2:], sharp[:-2] | sharp[1:-1]
        found[1 : len(sharp) - 1 - apart] = begins[:-apart] & ends[apart:]
    return found


def _come_back(
    places: Array, accelerations: Array, begins: IntArray, joints: IntArray, apart: int
) -> tuple[IntArray, IntArray]:
    """Those of frames and joints (n,) each whose places between the frame and the one `apart` behind it are displaced
    from the cubic across, while the cubic and the frames around it are smooth."""
    window = places[begins[:, None] + np.arange(-1, apart + 2), joints[:, None]]
    largest = accelerations[begins[:, None] + np.arange(apart + 1), joints[:, None]].max(axis=1)
    share = (np.arange(1, apart) / apart)[:, None]
    before, start, stop, behind = (window[:, [each]] for each in (0, 1, -2, -1))
    cubic = start + (stop - start) * cubic_step(share)
    cubic += apart * share * (1.0 - share) * ((1.0 - share) * (start - before) - share * (behind - stop))
    away = window[:, 2:-2] - cubic
    window[:, 2:-2] = cubic
    left = np.maximum(accelerations[begins - 1, joints], accelerations[begins + apart + 1, joints])
    left = np.maximum(left, rotations.lengths(np.diff(window, 2, axis=1)).max(axis=1))
    sizes = rotations.lengths(away)
    farthest = away[np.arange(len(away)), sizes.argmax(axis=1)]
    most = sizes.max(axis=1)
    alike = np.einsum("nfi,ni->nf", away, farthest).min(axis=1) > ABRUPT * most * most
    holds = (most > VISIBLE) & (left < REMOVED * largest) & alike
    return begins[holds], joints[holds]


def _involved(clip: Clip, first: int, begin: int, end: int, displaced: BoolArray) -> BoolArray:
    """(joints,) true for the joints whose transforms are to be replaced in frames `begin` to `end`.

    They are those above the joints `displaced` (joints,) whose own transforms leave a smooth path, and all below them,
    which may make up for that: as few as bring the displaced ones back and displace no other.
    """
    size, nearby = clip.skeleton.size, _frames(clip, NEARBY, FEWEST_NEARBY)
    low, high = max(begin - nearby, first), min(end + nearby, clip.frames - 1)
    motion = clip.motion.at(np.arange(low, high + 1))
    inner = slice(begin - 1 - low, end + 2 - low)

    def largest(states: Motion) -> Array:
        return np.asarray(_accelerations(WorldState.of(clip.skeleton, states).positions / size)[inner].max(axis=0))

    # Twice a quaternion changes by as much as its rotation turns; that displaces points by about as many sizes.
    outstanding = np.zeros(len(clip.skeleton))
    for values in (2.0 * rotations.continuous(motion.rotations), motion.translations / size):
        accelerations = _accelerations(values)
        outer = np.concatenate([accelerations[1 : max(inner.start - 1, 1)], accelerations[inner.stop + 1 : -1]])
        ratios = accelerations[inner].max(axis=0) / np.maximum(_usual(outer), VISIBLE / OUTSTANDING)
        outstanding = np.maximum(outstanding, ratios)
    outstanding[~clip.skeleton.tree.ancestry[displaced].any(axis=0)] = 0.0
    before = largest(motion)
    allowed = np.where(displaced, 0.5 * before, np.maximum(before, _sharp(clip)))
    replaced: BoolArray = np.zeros(motion.rotations.shape[:2], dtype=bool)
    for ratio in (OUTSTANDING, 0.5 * OUTSTANDING):
        involved: BoolArray = clip.skeleton.tree.ancestry[:, outstanding > ratio].any(axis=1)
        replaced[inner.start + 1 : inner.stop - 1] = involved
        if (largest(interpolated(motion, replaced)) <= allowed).all():
            return involved
    return np.ones(len(clip.skeleton), dtype=bool)


def _accelerations(values: Array) -> Array:
    """(frames, joints) the lengths of second differences of values (frames, joints, width); 0 at both ends."""
    found = np.zeros(values.shape[:2])
    if len(values) > 2:
        found[1:-1] = rotations.lengths(np.diff(values, 2, axis=0))
    return found


def _usual(accelerations: Array) -> Array:
    """The upper quartile of accelerations (frames, …) along the first axis; infinite without any."""
    if not len(accelerations):
        return np.full(accelerations.shape[1:], np.inf)
    return np.asarray(np.sort(accelerations, axis=0)[(3 * (len(accelerations) - 1)) // 4])


def _sharp(clip: Clip) -> float:
    """Sizes a frame squared: the least acceleration at the begin and at the end of a fault."""
    return max(VISIBLE, IMPOSSIBLE / clip.fps**2)


def _frames(clip: Clip, seconds: float, fewest: int) -> int:
    return max(round(seconds * clip.fps), fewest)
