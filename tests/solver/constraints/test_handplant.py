# SPDX-License-Identifier: GPL-3.0-or-later
"""Handplants: wrists stand where they are, or where they are put, and hands turn about the vertical."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver.body.clip import Clip
from poise.solver.constraints import Source
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError
from poise.solver.synthetic import walk

HELD = slice(30, 61)


def source() -> Clip:
    return walk().clip


def plant(**given: Any) -> solver.Handplant:
    return solver.Handplant(**({"hand": "left", "begin": 30, "end": 60} | given))


def wrists(clip: Clip) -> Array:
    return clip.position(clip.skeleton.landmarks.require("left_wrist"))


def hands(clip: Clip) -> Array:
    return clip.world.rotations[:, clip.skeleton.landmarks.require("left_wrist")]


def test_the_wrist_stands_in_its_mean_place() -> None:
    clip = source()
    result = solver.deform(clip, [plant()]).clip
    size = clip.skeleton.size
    assert np.ptp(wrists(clip)[HELD], axis=0).max() > 0.05 * size
    assert np.ptp(wrists(result)[HELD], axis=0).max() < 1e-5 * size
    inside = wrists(clip)[HELD]
    place = wrists(result)[40]
    assert (place > inside.min(axis=0)).all() and (place < inside.max(axis=0)).all()


def test_it_is_moved_and_turned() -> None:
    clip = source()
    size = clip.skeleton.size
    shift = np.array([0.03, 0.02, -0.04]) * size
    still, edited = plant(), plant().moved(0.5 * shift).moved(0.5 * shift).turned(0.3).turned(0.1)
    np.testing.assert_allclose(edited.place(Source(clip)) - still.place(Source(clip)), shift, atol=1e-12)
    result = solver.deform(clip, [edited]).clip
    assert np.abs(wrists(result)[HELD] - edited.place(Source(clip))).max() < 1e-4 * size
    turn = rotations.from_axis_angle([0.0, 1.0, 0.0], 0.4)
    wanted = rotations.multiply(turn, hands(clip))
    assert rotations.angle_between(hands(result), wanted)[HELD].max() < 1e-3
    assert rotations.angle_between(hands(result), hands(clip))[[0, 5, -1]].max() < 0.1, "not turned elsewhere"


def test_it_stands_at_a_given_position() -> None:
    clip = source()
    position = wrists(clip)[40] + 0.02 * clip.skeleton.size
    result = solver.deform(clip, [plant(position=position, shift=(0.01, 0.0, 0.0))]).clip
    assert np.abs(wrists(result)[HELD] - position - (0.01, 0.0, 0.0)).max() < 1e-4 * clip.skeleton.size


def test_it_moves_with_an_object() -> None:
    clip = source()
    frames = np.arange(clip.frames)
    box = solver.MovingObject(
        wrists(clip) * (1.0, 0.9, 1.0), rotations.exp(0.002 * frames[:, None] * np.array([0.0, 1.0, 0.5]))
    )
    result = solver.deform(clip, [plant(reference=box)]).clip
    seen = box.seen_from(wrists(result))[HELD]
    assert np.ptp(seen, axis=0).max() < 1e-4 * clip.skeleton.size
    assert np.ptp(box.seen_from(wrists(clip))[HELD], axis=0).max() > 1e-3 * clip.skeleton.size


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"hand": "third"}, "hand is 'left' or 'right'"),
        ({"begin": np.nan}, "its begin must be a finite number"),
        ({"turn": "half"}, "its turn must be a finite number"),
        ({"ease_in": -1.0}, "its ease_in cannot be negative"),
        ({"begin": 70}, "ends at frame 60, before it begins at 70"),
        ({"shift": (1.0, 2.0)}, "its shift must be three numbers"),
        ({"position": "here"}, "its position must be three numbers"),
        ({"reference": "box"}, "its reference is a MovingObject"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConstraintError, match=sentence):
        plant(**given)


def test_frames_outside_the_clip_are_refused() -> None:
    with pytest.raises(ConstraintError, match=r"its end .* lies outside the clip"):
        solver.deform(source(), [plant(end=10_000)])


@pytest.mark.parametrize("method", ["stretch", "rigid", "prioritized"])
def test_clips_are_cleaned_with_it(method: solver.CleanMethod) -> None:
    clip = source()
    size = clip.skeleton.size
    edited = plant(shift=(0.02 * size, 0.0, -0.01 * size), turn=0.4)
    place = edited.place(Source(clip))
    result = solver.cleaned(clip, [edited], method)
    assert result.residual < 1e-5 and result.plants[-1].label == edited.label
    assert np.abs(wrists(result.clip)[HELD] - place).max() < 1e-5 * size
    turned = rotations.multiply(rotations.from_axis_angle([0.0, 1.0, 0.0], 0.4), hands(clip))
    mean = rotations.mean(turned[HELD])
    off = rotations.angle_between(hands(result.clip)[HELD], mean if method != "prioritized" else turned[HELD])
    assert off.max() < 0.15, "the first frames give the orientation"
    assert rotations.angle_between(hands(result.clip)[HELD], hands(clip)[HELD]).min() > 0.2
    still = solver.cleaned(clip, [plant()], method)
    assert len(still.plants) == 1 and still.residual < 1e-5


def test_a_detected_handplant_is_kept_edited_and_used(tmp_path: Path) -> None:
    clip = source()
    size = clip.skeleton.size
    found = solver.DetectedHandplant(hand="left", begin=30, end=60, position=wrists(clip)[45], residual=0.01)
    file = tmp_path / "plants.json"
    solver.write_constraints([found.moved((0.01 * size, 0.0, 0.0)).turned(0.2)], file, clip)
    (read,) = solver.read_constraints(file, clip)
    assert isinstance(read, solver.Handplant)
    assert (read.hand, read.begin, read.end, read.turn) == ("left", 30, 60, 0.2)
    np.testing.assert_array_equal(read.position, found.position)
    expected = found.position + np.array([0.01 * size, 0.0, 0.0])
    for result in (solver.clean(clip, [read]), solver.deform(clip, [read]).clip):
        assert np.abs(wrists(result)[HELD] - expected).max() < 1e-4 * size


def test_one_on_an_object_is_kept_with_it(tmp_path: Path) -> None:
    clip = source()
    still = rotations.exp([0.3, 0.2, 0.1])
    box = solver.MovingObject(wrists(clip) + 0.1, np.tile(still, (clip.frames, 1)))
    given = plant(position=(0.01, 0.02, 0.03), shift=(0.0, 0.1, 0.0), reference=box, priority=3)
    file = tmp_path / "plants.json"
    solver.write_constraints([given], file, clip)
    (read,) = solver.read_constraints(file, clip)
    assert isinstance(read, solver.Handplant) and read.priority == 3 and read.reference is not None
    np.testing.assert_allclose(read.reference.in_world(read.position), box.in_world(given.position), atol=1e-12)
    # With the other axis up, the place on the box is the same, and the box is turned with the world.
    data = json.loads(file.read_text()) | {"up": "z"}
    file.write_text(json.dumps(data))
    (turned,) = solver.read_constraints(file, clip)
    assert isinstance(turned, solver.Handplant) and turned.reference is not None
    np.testing.assert_allclose(turned.position, given.position)
    x, y, z = box.in_world(np.array(given.position)).T
    np.testing.assert_allclose(turned.reference.in_world(turned.position), np.stack([x, z, -y], axis=1), atol=1e-12)
