# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of the physics of made-up motions: forces of the ground, flights, angular momentum, joint ranges."""

from __future__ import annotations

import numpy as np

from poise import solver
from poise.solver.body.angular_momentum import angular_momentum_of
from poise.solver.body.gravity import earth_gravity
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.synthetic import SyntheticMotion

from .checks import in_drawing_axes


def accelerations_of_center(motion: SyntheticMotion) -> Array:
    """(frames - 2, 3) of the centre of mass by second differences, x to the left, y up, z ahead, in gravities."""
    clip = motion.clip
    path = in_drawing_axes(clip.skeleton, clip.center_of_mass())
    return np.asarray(np.diff(path, 2, axis=0) * clip.fps**2 / earth_gravity(clip.skeleton))


def forces(motion: SyntheticMotion, gravity: float = 1.0) -> Array:
    """(frames - 2, 3) of the ground on the body, in weights on the earth, under a gravity in those of the earth."""
    return accelerations_of_center(motion) + gravity * np.array([0.0, 1.0, 0.0])


def in_flight(motion: SyntheticMotion) -> BoolArray:
    """(frames - 2,) whether no foot stands in an inner frame and in the frames before and after."""
    standing = np.zeros(motion.clip.frames, dtype=bool)
    for contact in motion.contacts:
        standing[contact.heel_strike : contact.toe_off + 1] = True
    return np.asarray(~(standing[:-2] | standing[1:-1] | standing[2:]))


def spans(frames: BoolArray) -> list[Array]:
    """The indices of each run of marked frames."""
    marked = np.flatnonzero(frames)
    return [part for part in np.split(marked, np.flatnonzero(np.diff(marked) > 1) + 1) if part.size]


def momentum_ranges(motion: SyntheticMotion) -> Array:
    """(flights, 3) by how much the angular momentum changes in each flight, in masses times squared sizes a second."""
    skeleton = motion.clip.skeleton
    momentum = angular_momentum_of(motion.clip) / skeleton.total_mass / skeleton.size**2
    return np.array([np.ptp(momentum[flight], axis=0) for flight in spans(in_flight(motion))])


def beyond_soles(motion: SyntheticMotion) -> Array:
    """(frames - 4,) the moment that no push within the soles gives, in weights times sizes; 0 in flight. For a human
    with y up who faces along z.

    While heels and toes are down, the ground pushes between them; once a heel has risen, before the ball.
    """
    clip = motion.clip
    skeleton, size = clip.skeleton, clip.skeleton.size
    inner = slice(2, -2)
    path, force = clip.center_of_mass()[inner] / size, forces(motion)[1:-1]
    momentum = angular_momentum_of(clip) / skeleton.total_mass / size / earth_gravity(skeleton)
    rate = (momentum[2:, 0] - momentum[:-2, 0]) * clip.fps / 2.0
    # Where the ground pushes times the vertical force, from the moments about the left axis.
    needed = path[:, 2] * force[:, 1] - path[:, 1] * force[:, 2] - rate
    frames, beyond = np.arange(clip.frames)[inner], np.zeros(clip.frames - 4)
    toes = float((clip.position(skeleton.landmarks.left_toe_tip) - clip.position(skeleton.landmarks.left_ball))[0, 2])
    for contact in motion.contacts:
        stands = (frames >= contact.toe_strike) & (frames <= contact.toe_off)
        rear = np.where(frames <= contact.heel_off, contact.heel[2], contact.toe[2]) / size
        low, high = rear * force[:, 1], (contact.toe[2] + toes) / size * force[:, 1]
        beyond[stands] = np.maximum(np.maximum(low - needed, needed - high), 0.0)[stands]
    return beyond


def beyond_table(clip: solver.Clip) -> dict[str, float]:
    """By how many degrees each joint exceeds the anatomical table at most; joints within it are left out."""
    skeleton, found = solver.with_anatomical_limits(clip.skeleton), {}
    for joint, limit in skeleton.limits.items():
        bound = limit.bound_to(skeleton.hinge_axes[joint]) if isinstance(limit, solver.HingeLimit) else limit
        unrotated = rotations.conjugate(skeleton.rest_rotations[joint])
        relative = rotations.multiply(unrotated, clip.motion.rotations[:, joint])
        excess = float(np.rad2deg(bound.excess(relative).max()))
        if excess > 0.0:
            found[skeleton.names[joint]] = excess
    return found


def knee_bends(clip: solver.Clip, side: str) -> Array:
    """(frames,) signed bends of a knee in degrees: negative where it bends the wrong way."""
    knee = clip.skeleton.index(side + "knee")
    axis = (1.0, 0.0, 0.0)
    return np.asarray(np.rad2deg(rotations.twist_angle(clip.motion.rotations[:, knee], axis)))


def detection_errors(motion: SyntheticMotion) -> list[tuple[str, str, float]]:
    """(foot, event, frames) between each true event and that of the detected plant of the same contact.

    Events in the first and the last tenth of a second do not count: there, a clip does not show that a foot moves.
    """
    margin = 0.1 * motion.clip.fps
    plants = solver.detect_footplants(motion.clip)
    found = []
    for foot in ("left", "right"):
        true = [contact for contact in motion.contacts if contact.foot == foot]
        own = [plant for plant in plants if plant.foot == foot]
        assert len(own) == len(true), f"{len(own)} plants of the {foot} foot were found, there are {len(true)}"
        for contact, plant in zip(true, own, strict=True):
            for event in ("heel_strike", "toe_strike", "heel_off", "toe_off"):
                frame = getattr(contact, event)
                if margin < frame < motion.clip.frames - 1 - margin:
                    value = getattr(plant, event)
                    assert value is not None, f"the {event} of the {foot} foot at frame {frame} was not found"
                    found.append((foot, event, abs(value - frame)))
    return found
