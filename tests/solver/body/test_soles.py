# SPDX-License-Identifier: GPL-3.0-or-later
"""Thickness of soles: a ball joint above the floor stays above it where its plant is put on a ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import solver
from poise.solver.body.skeleton import Up
from poise.solver.constraints import Source
from poise.solver.core import rotations
from poise.solver.core.errors import SkeletonError
from poise.solver.synthetic import human, walk

from ..made_up import plant_of

THICK = 0.03
"""Sizes of the character between its lowest joints and the floor, as characters with shoes have them."""


NAMES = {"heel": "heel", "toe": "ball"}
"""What landmarks call the parts of a plant."""


def in_shoes(up: Up = "y") -> tuple[solver.Clip, list[solver.Footplant]]:
    """A walk on a floor at height 0, of which only the joints are known: all of them `THICK` above where they were."""
    made = walk(steps=4, fps=30.0, up=up)
    moved = made.clip.motion.translations.copy()
    moved[:, 0, made.clip.skeleton.up_axis] += THICK * made.clip.skeleton.size
    clip = made.clip.with_motion(solver.Motion(made.clip.motion.rotations, moved))
    return clip, [plant_of(contact) for contact in made.contacts]


def test_soles_come_from_the_rest_pose() -> None:
    skeleton = human()
    marks = skeleton.landmarks
    assert skeleton.soles["left_heel"] == skeleton.soles["right_heel"] == 0.0
    rise = (skeleton.rest_place(marks.left_ball) - skeleton.rest_place(marks.left_heel))[1]  # type: ignore[arg-type]
    assert skeleton.soles["left_ball"] == pytest.approx(rise)


@pytest.mark.parametrize("up", ["y", "z"])
def test_the_lowest_skin_of_a_foot_is_its_sole(up: Up) -> None:
    """Of the left foot alone: the right one, which has no skin, keeps what the joints say."""
    skeleton = human(up)
    marks = skeleton.landmarks
    heel, ankle = marks.left_heel, marks.left_ankle
    assert heel is not None and ankle is not None
    turned, placed = skeleton.rest
    below = skeleton.rest_place(heel) - 0.03 * np.eye(3)[skeleton.up_axis]
    point = rotations.rotate(rotations.conjugate(turned[ankle]), below - placed[ankle])
    # With the heel where it is: the skin must not find another one.
    shod = skeleton.with_landmarks(left_heel=heel, left_ball=marks.left_ball).replace(
        skin=solver.Skin([ankle], [point])
    )
    assert shod.soles["left_heel"] == pytest.approx(0.03)
    assert shod.soles["left_ball"] == pytest.approx(skeleton.soles["left_ball"] + 0.03)
    assert shod.soles["right_heel"] == 0.0


def test_what_is_set_counts_and_the_rest_follows_the_heel() -> None:
    skeleton = human()
    higher = skeleton.with_soles(left_heel=0.05)
    assert higher.soles["left_heel"] == 0.05
    assert higher.soles["left_ball"] == pytest.approx(skeleton.soles["left_ball"] + 0.05)
    assert higher.soles["right_ball"] == skeleton.soles["right_ball"]
    assert skeleton.with_soles(left_ball=0.07).soles["left_ball"] == 0.07
    assert higher.scaled(100.0).soles["left_heel"] == pytest.approx(5.0)


@pytest.mark.parametrize("given", [{"left_knee": 0.1}, {"left_heel": -0.1}, {"left_ball": np.nan}])
def test_what_is_no_sole_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(SkeletonError, match="sole under"):
        human().with_soles(**given)


@pytest.mark.parametrize("up", ["y", "z"])
def test_with_its_soles_a_character_in_shoes_does_not_sink(up: Up) -> None:
    clip, plants = in_shoes(up)
    size, axis = clip.skeleton.size, clip.skeleton.up_axis
    thick = THICK * size
    barefoot = Source(clip, solver.Ground(0.0))
    assert plants[2].stand(barefoot)["heel"][axis] == pytest.approx(0.0, abs=1e-9), "without soles it would sink"
    soles = {name: clip.skeleton.soles[name] + thick for name in clip.skeleton.soles}
    shod = replace(clip, skeleton=clip.skeleton.with_soles(**soles))
    source = Source(shod, solver.Ground(0.0))
    for plant in plants:
        for part, place in plant.stand(source).items():
            assert place[axis] == pytest.approx(soles[f"{plant.foot}_{NAMES[part]}"], abs=1e-9)
            assert plant.soles(source)[part] == pytest.approx(0.0, abs=1e-9)
    done = solver.deform(shod, plants, ground=solver.Ground(0.0))
    hips = clip.skeleton.landmarks.hips
    assert hips is not None
    assert np.abs(done.clip.position(hips) - clip.position(hips))[:, axis].max() < 0.01 * size


@pytest.mark.parametrize("method", ["stretch", "rigid", "prioritized"])
def test_cleaning_and_metrics_know_soles_too(method: solver.CleanMethod) -> None:
    clip, plants = in_shoes()
    soles = {name: height + THICK * clip.skeleton.size for name, height in clip.skeleton.soles.items()}
    shod = replace(clip, skeleton=clip.skeleton.with_soles(**soles))
    ground = solver.Ground(0.0)
    assert solver.foot_metrics(shod, plants, ground=ground).height < 0.005
    assert solver.foot_metrics(clip, plants, ground=ground).height > 0.8 * THICK
    done = solver.clean(shod, plants, method, ground=ground)
    assert abs(solver.foot_metrics(done, plants, ground=ground).height) < 1e-4
    hips = clip.skeleton.landmarks.hips
    assert hips is not None
    assert np.abs(done.position(hips) - clip.position(hips))[:, 1].max() < 0.01 * clip.skeleton.size
