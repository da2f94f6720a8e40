# SPDX-License-Identifier: GPL-3.0-or-later
"""Single values of a constraint file; whole files are tested in `test_constraint_files`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.body.joints import BodyPoint
from poise.solver.core.errors import FileFormatError
from poise.solver.core.splines import Spline
from poise.solver.files import constraint_codecs as codecs
from poise.solver.files.constraint_codecs import Codec, choice, list_of
from poise.solver.files.conversion import Conversion
from poise.solver.files.json_location import JsonLocation

WHERE = JsonLocation("walk.json", Conversion(synthetic.human(), 10), ("key",))
BETWEEN = JsonLocation("walk.json", Conversion(synthetic.human(), 19, rate=2.0), ("key",))

VALUES: list[tuple[Codec, Any]] = [
    (codecs.NUMBER, 0.1),
    (codecs.WHOLE, -3),
    (codecs.SWITCH, True),
    (codecs.WORD, "name"),
    (codecs.TIME, 4.25),
    (codecs.DURATION, 7),
    (codecs.LOCAL_VECTOR, (1.0, 2.0, 3.0)),
    (codecs.WORLD_VECTOR, (1.0, 2.0, 3.0)),
    (codecs.WORLD_ROTATION, (1.0, 0.0, 0.0, 0.0)),
    (codecs.AXES, "xz"),
    (codecs.JOINT, "l_hip"),
    (codecs.BODY_POINT, BodyPoint("l_hip", (0.0, 0.1, 0.0))),
    (codecs.RECRUIT, 3),
    (codecs.RECRUIT, ("l_hip", "l_knee")),
    (list_of(codecs.NUMBER), (1.0, 2.0)),
    (choice("left", "right"), "left"),
]


@pytest.mark.parametrize(("codec", "value"), VALUES)
def test_what_is_written_is_read_again(codec: Codec, value: Any) -> None:
    assert codec.read(codec.write(value, WHERE), WHERE) == value


WRONG: list[tuple[Codec, Any, str]] = [
    (codecs.NUMBER, True, "must be a number, not true"),
    (codecs.NUMBER, float("inf"), "must be a finite number"),
    (codecs.NUMBER, 10**400, "must be a finite number"),
    (codecs.WHOLE, 1.5, "must be a whole number, not 1.5"),
    (codecs.SWITCH, 1, "must be true or false, not 1"),
    (codecs.WORLD_VECTOR, [1, 2], r"must be three numbers in brackets, not \[1, 2\]"),
    (codecs.WORLD_ROTATION, [0, 0, 0, 0], "quaternion of zeros"),
    (codecs.JOINT, "nose", "There is no joint 'nose'"),
    (codecs.RECRUIT, "l_hip", "must be a number of joints or a list of their names"),
    (list_of(codecs.NUMBER), [1, "two"], 'item 2 of "key" must be a number'),
    (choice("left", "right"), "middle", 'must be one of "left", "right", not "middle"'),
]


@pytest.mark.parametrize(("codec", "value", "message"), WRONG)
def test_a_wrong_value_fails_at_its_location(codec: Codec, value: Any, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        codec.read(value, WHERE)


def test_displacements_are_arrays_or_splines() -> None:
    rows = np.arange(30.0).reshape(10, 3)
    assert np.array_equal(codecs.DISPLACEMENT.read(codecs.DISPLACEMENT.write(rows, WHERE), WHERE), rows)
    spline = Spline(np.array([0.0, 4.0, 9.0]), rows[:3], tension=0.3)
    read = codecs.DISPLACEMENT.read(codecs.DISPLACEMENT.write(spline, WHERE), WHERE)
    assert np.allclose(read.at(np.linspace(0.0, 9.0, 20)), spline.at(np.linspace(0.0, 9.0, 20)), rtol=1e-12)


def test_rows_of_frames_are_interpolated_at_the_clips_frames() -> None:
    rows = np.arange(30.0).reshape(10, 3)
    read = codecs.DISPLACEMENT.read(rows.tolist(), BETWEEN)
    assert read[::2] == pytest.approx(rows)
    assert read[1] == pytest.approx(0.5 * (rows[0] + rows[1]))


def test_a_spline_keeps_its_path_in_seconds() -> None:
    spline = Spline(np.array([0.0, 4.0, 9.0]), np.eye(3), tension=-0.4)
    written = codecs.DISPLACEMENT.write(spline, WHERE)
    read = codecs.DISPLACEMENT.read(written, BETWEEN)
    times = np.linspace(0.0, 9.0, 20)
    assert np.allclose(read.at(2.0 * times), spline.at(times), rtol=1e-12, atol=1e-12)
