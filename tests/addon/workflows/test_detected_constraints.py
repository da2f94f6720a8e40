# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of what was detected are where it is, in the world and relative to what carries it."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.workflows.detected_constraints import as_constraints, geometry_of, proposals_of
from poise.addon.workflows.subjects import Reference, Subject
from poise.solver.core import rotations

BONE, CARRIER = "l_wrist", "l_elbow"


def detected(reading: bridge.Reading, kind: str, begin: int, end: int) -> solver.Detected:
    """Something that is where the wrist is in the frame of the elbow, or in its world at frame `begin`."""
    turned = np.array([1.0, 0.0, 0.0, 0.0]) if kind == "space" else None
    along = np.array([0.0, 0.6, 0.8]) if kind == "line" else None
    return solver.Detected(
        kind,  # type: ignore[arg-type]
        begin,
        end,
        np.array([0.1, 0.2, 0.3]),
        np.zeros(3),
        0.01,
        rotation=turned,
        direction=along,
    )


@pytest.mark.parametrize(("kind", "parts"), [("space", 2), ("line", 2), ("point", 1)])
def test_places_rotations_and_directions_are_in_the_world(kind: str, parts: int, reading: bridge.Reading) -> None:
    found = detected(reading, kind, 5, 12)
    made = as_constraints(reading.clip, Subject(bone=BONE), found, reading)
    assert len(made) == parts
    (point,) = made[0].points  # type: ignore[attr-defined]
    np.testing.assert_allclose(point.location, found.position)
    values = geometry_of(found, None, reading)
    assert (values["begin"], values["end"]) == (reading.times[5], reading.times[12])
    np.testing.assert_allclose(values["location"], found.position)


@pytest.mark.parametrize("kind", ["space", "line"])
def test_with_a_reference_they_are_carried(kind: str, reading: bridge.Reading) -> None:
    clip, found = reading.clip, detected(reading, kind, 5, 12)
    subject = Subject(bone=BONE, reference=Reference(bone=CARRIER))
    shape, turned = (proposal.constraint for proposal in proposals_of(clip, subject, CARRIER, found, reading, 0.5))
    assert isinstance(shape, solver.ShapeConstraint) and shape.reference == CARRIER
    assert len(turned.points) == 8, "one a frame"  # type: ignore[attr-defined]
    for point in turned.points:  # type: ignore[attr-defined]
        carried = clip.orientation(CARRIER)[int(point.begin)]
        if kind == "space":
            assert found.rotation is not None
            assert abs(rotations.multiply(carried, found.rotation) @ point.location) == pytest.approx(1.0)
        else:
            assert found.direction is not None
            np.testing.assert_allclose(point.location, rotations.rotate(carried, found.direction), atol=1e-9)
    proposal = proposals_of(clip, subject, CARRIER, found, reading, 0.5)[0]
    assert proposal.confidence == 0.5 and proposal.reference.bone == CARRIER
    where = clip.position(CARRIER)[5] + rotations.rotate(clip.orientation(CARRIER)[5], found.position)
    np.testing.assert_allclose(proposal.detected["location"], where)


def test_a_bone_turns_about_the_axis_that_points_along_the_line(reading: bridge.Reading) -> None:
    found = detected(reading, "line", 5, 12)
    *_, held = as_constraints(reading.clip, Subject(bone=BONE), found, reading)
    assert isinstance(held, solver.DirectionConstraint) and found.direction is not None
    middle = reading.clip.orientation(BONE)[8]
    np.testing.assert_allclose(rotations.rotate(middle, np.array(held.axis)), found.direction, atol=1e-9)
