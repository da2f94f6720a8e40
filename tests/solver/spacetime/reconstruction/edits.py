# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up edits of a clip, as a simplified character would show them: smooth displacements of handles and of feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise import solver
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.constraints import Footplant
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.smooth_steps import smooth_step
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import AxisHandle, CenterOfMassHandle, DirectionHandle, Handle, PointHandle
from poise.solver.spacetime.handles.handle_tracks import HandleTrack, moved_rigidly
from poise.solver.spacetime.reconstruction.foot_paths import PlantedFoot
from poise.solver.synthetic import walk

from ...made_up import plant_of

HANDLES: tuple[Handle, ...] = (
    CenterOfMassHandle(),
    CenterOfMassHandle("spine"),
    CenterOfMassHandle("left_shoulder"),
    CenterOfMassHandle("right_shoulder"),
    AxisHandle("hips", "up"),
    AxisHandle("hips", "left"),
    DirectionHandle("right_shoulder", "left_shoulder"),
    PointHandle("left_ball"),
    PointHandle("right_ball"),
)
"""Those of a run (Popović 1999, section 6.4.3)."""

EDITS = ("lower", "lean", "wide", "aside", "stairs", "all")


@dataclass(frozen=True, eq=False)
class Edit:
    """An edit of a clip."""

    source: Clip
    rigid: Clip
    """The source, moved and turned as a whole with the edit."""
    tracks: list[HandleTrack]
    plants: list[PlantedFoot]


def walking(fps: float = 30.0, steps: int = 4) -> tuple[Clip, list[Footplant]]:
    """A made-up walk with its plants."""
    made = walk(steps=steps, fps=fps)
    return made.clip, [plant_of(contact) for contact in made.contacts]


def captured(mocap: Path, name: str, first: int, last: int) -> tuple[Clip, list[Footplant]]:
    """A part of a captured clip with its detected plants, as far as they are in it."""
    whole = solver.read_bvh(mocap / f"{name}.bvh")
    clip = whole.with_motion(whole.motion.at(np.arange(first, last + 1)))
    plants = []
    for plant in solver.detect_footplants(whole):
        events = {}
        for part, (begin, end) in plant.stays.items():
            begin, end = max(begin - first, 0.0), min(end - first, last - first)
            if begin < end:
                events |= {f"{part}_strike": begin, f"{part}_off": end}
        if events:
            plants.append(Footplant(foot=plant.foot, **events))
    return clip, plants


def bump(frames: int, times: int) -> Array:
    """(frames, 1) a smooth rise from 0 to 1 and back, so many times."""
    return (0.5 - 0.5 * np.cos(2.0 * np.pi * times * np.arange(frames) / (frames - 1)))[:, None]


def edited(clip: Clip, plants: Sequence[Footplant], edit: str) -> Edit:
    """One of `EDITS` of a clip: the body lowered and moved to the side, the trunk leaned, footprints moved apart,
    aside or up a stair; or the first three at once."""
    skeleton, frames, size = clip.skeleton, clip.frames, clip.skeleton.size
    up = np.eye(3)[skeleton.up_axis]
    ahead = clip.center_of_mass()[-1] - clip.center_of_mass()[0]
    ahead = rotations.unit(ahead - (ahead @ up) * up)
    side = np.cross(up, ahead)
    moved, turned = np.zeros((frames, 3)), np.zeros((frames, 3))
    shifts = [np.zeros(3) for _ in plants]
    if edit in ("lower", "all"):
        moved = 0.15 * size * (bump(frames, 1) * side - bump(frames, 2) * up)
    if edit in ("lean", "all"):
        turned = np.radians(15.0) * bump(frames, 2) * side
    if edit in ("wide", "all"):
        shifts = [0.15 * size * side * (1.0 if plant.foot == "left" else -1.0) for plant in plants]
    if edit in ("aside", "stairs"):
        step = 0.15 * size * side if edit == "aside" else 0.1 * size * up
        shifts = [step * (number % 3 - 1 if edit == "aside" else number) for number in range(len(plants))]
        moved = 0.5 * sum(foot_path(frames, plants, shifts, foot) for foot in ("left", "right"))
    whole = leaned(clip, rotations.exp(turned), moved)
    tracks = []
    for handle in HANDLES:
        before, after = (handle.value(FullBody(each.world)) for each in (clip, whole))
        if isinstance(handle, PointHandle):
            after = before + foot_path(frames, plants, shifts, handle.point.partition("_")[0])
        tracks.append(HandleTrack(handle, before, after))
    return Edit(
        clip,
        moved_rigidly(clip, moved, rotations.exp(turned)),
        tracks,
        [PlantedFoot.of(plant, shift) for plant, shift in zip(plants, shifts, strict=True)],
    )


def foot_path(frames: int, plants: Sequence[Footplant], shifts: Sequence[Array], foot: str) -> Array:
    """(frames, 3) the displacement of a foot: that of its plants, and smooth between them."""
    own = [(plant, shift) for plant, shift in zip(plants, shifts, strict=True) if plant.foot == foot]
    spans = [PlantedFoot.of(plant) for plant, _ in own]
    path, times = np.tile(own[0][1], (frames, 1)), np.arange(frames)
    for number in range(len(own) - 1):
        begin, end = spans[number].end, spans[number + 1].begin
        share = smooth_step((times - begin) / (end - begin))[:, None]
        path = path + share * (own[number + 1][1] - own[number][1])
    return path


def leaned(clip: Clip, turns: Array, moved: Array) -> Clip:
    """The clip with its root turned by rotations (frames, 4) and moved (frames, 3), and its thighs turned back."""
    local, places = clip.motion.rotations.copy(), clip.motion.translations.copy()
    for side in ("left", "right"):
        hip = clip.skeleton.landmarks.leg(side)[0]
        assert hip is not None
        parent = rotations.multiply(turns, clip.world.rotations[:, clip.skeleton.parents[hip]])
        local[:, hip] = rotations.multiply(rotations.conjugate(parent), clip.world.rotations[:, hip])
    local[:, 0] = rotations.multiply(turns, local[:, 0])
    places[:, 0] += moved
    return clip.with_motion(Motion(local, places))
