# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes from the solver into the .blend comes back as it was, also from another file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import create
from poise.solver.constraints import Source

SINGLE = 1e-6
"""Numbers keep this share of themselves as single-precision ones."""


def random_constraints(clip: solver.Clip, seed: int) -> list[solver.Constraint]:
    """One of every kind and shade, anywhere in the clip."""
    rng = np.random.default_rng(seed)
    names = clip.skeleton.names
    last = clip.frames - 1

    def times(count: int) -> list[float]:
        return np.sort(rng.choice(np.arange(2 * last + 1), count, replace=False) / 2.0).tolist()

    def points(give: Callable[[], Any], begin: float, end: float) -> list[solver.ConstraintPoint]:
        first, second = begin + 0.25 * (end - begin), begin + 0.75 * (end - begin)
        return [
            solver.ConstraintPoint(give(), begin, first, *rng.normal(size=3)),
            solver.ConstraintPoint(give(), second, None, *rng.normal(size=3)),
        ]

    def shared(recruit: Any) -> dict[str, Any]:
        return {
            "priority": int(rng.integers(-3, 9)),
            "weight": float(rng.uniform(0.1, 5.0)),
            "recruit": recruit,
            "exact": bool(rng.integers(2)),
            "name": f"Number {rng.integers(1000)}",
        }

    def where() -> Any:
        return clip.position(0)[0] + rng.normal(size=3)

    def path(mode: str, recruit: Any = None, of: Callable[[], Any] = where) -> dict[str, Any]:
        begin, end = times(2)
        return {"begin": begin, "end": end, "points": points(of, begin, end), "mode": mode, **shared(recruit)}

    one, other, third = (names[joint] for joint in rng.choice(len(names), 3, replace=False))
    offset = tuple(rng.normal(size=3))
    still = solver.MovingObject(rng.normal(size=3), rng.normal(size=4))
    moving = solver.MovingObject(rng.normal(size=(last + 1, 3)), rng.normal(size=(last + 1, 4)))
    heel, toe, lifted, gone = times(4)
    return [
        solver.ShapeConstraint(one, **path("absolute")),
        solver.ShapeConstraint(solver.BodyPoint(one, offset), **path("relative", 3)),
        solver.ShapeConstraint(names.index(one), reference=other, **path("condensed", (one, other))),
        solver.ShapeConstraint(one, reference=still, **path("absolute", 0)),
        solver.ShapeConstraint(one, reference=moving, **path("relative")),
        solver.OrientationConstraint(other, **path("absolute", (third,), lambda: rng.normal(size=4))),
        solver.DirectionConstraint(third, axis=tuple(rng.normal(size=3)), **path("relative", None)),
        solver.LookAtConstraint(
            solver.BodyPoint(third, offset), axis=tuple(rng.normal(size=3)), **path("condensed", None)
        ),
        solver.Balance(**shared(None)),
        solver.Balance(
            points=[one, solver.BodyPoint(other, offset)],
            displacement=rng.normal(size=3),
            begin=heel,
            end=gone,
            axes="xz",
            **shared(None),
        ),
        solver.Footplant(foot="left", heel_strike=heel, toe_strike=toe, heel_off=lifted, toe_off=gone, **shared(None)),
        solver.Footplant(foot="right", toe_strike=toe, toe_off=gone, ease_in=2.5, ease_out=0.0, **shared(2)),
        solver.Footplant(
            foot="left",
            heel_strike=toe,
            heel_off=gone,
            position=rng.normal(size=3),
            heading=float(rng.uniform(-3, 3)),
            height=float(rng.normal()),
            shift=rng.normal(size=3),
            turn=float(rng.uniform(-3, 3)),
            ground_velocity=rng.normal(size=3),
            **shared(None),
        ),
        solver.DetectedFootplant(foot="left", heel_strike=toe, heel_off=gone, confidence=0.25, shift=(0, 0.1, 0)),
    ]


def assert_alike(before: Any, after: Any, clip: solver.Clip) -> None:
    """Two constraints ask for the same."""
    assert isinstance(before, type(after))
    message = f"{before.label} came back otherwise: "
    for field in ("priority", "weight", "begin", "end", "mode", "foot", "height", "ease_in", "ease_out"):
        assert_number(getattr(before, field, None), getattr(after, field, None), message + field)
    for field in ("heel_strike", "toe_strike", "heel_off", "toe_off", "position", "shift", "ground_velocity"):
        assert_number(getattr(before, field, None), getattr(after, field, None), message + field)
    for field in ("heading", "turn"):
        one, other = getattr(before, field, None), getattr(after, field, None)
        assert (one is None) == (other is None), message + field
        if one is not None and other is not None:
            assert abs(np.sin(0.5 * (one - other))) < 1e-5, message + field
    assert before.exact == after.exact, message + "exact"
    assert_recruits(before.recruit, after.recruit, clip, message)
    if isinstance(before, solver.Balance):
        assert_number(before.displacement, after.displacement, message + "displacement")
        assert (before.axes or "xy") == (after.axes or "xy"), message + "axes"
        assert_points(list(before.points or ()), list(after.points or ()), clip, message)
    elif not isinstance(before, solver.Footplant):
        assert_points([before.joint], [after.joint], clip, message)
        assert_path(before, after, clip, message)


def assert_number(before: Any, after: Any, message: str, within: float = SINGLE) -> None:
    assert (before is None) == (after is None), message
    if isinstance(before, str) or before is None:
        assert before == after, message
    else:
        np.testing.assert_allclose(after, before, rtol=within, atol=10 * within, err_msg=message)


def assert_recruits(before: Any, after: Any, clip: solver.Clip, message: str) -> None:
    if before is None or isinstance(before, int):
        assert before == after, message + "recruit"
    else:
        assert [clip.skeleton.index(j) for j in before] == [clip.skeleton.index(j) for j in after], message + "recruit"


def assert_points(before: list[Any], after: list[Any], clip: solver.Clip, message: str) -> None:
    assert len(before) == len(after), message + "points"
    for one, other in zip(map(clip.skeleton.resolve, before), map(clip.skeleton.resolve, after), strict=True):
        assert one.joint == other.joint, message + "joint"
        assert_number(one.offset, other.offset, message + "offset")


def assert_path(before: Any, after: Any, clip: solver.Clip, message: str) -> None:
    ordered = sorted(before.points, key=lambda point: point.stay)
    for one, other in zip(ordered, after.points, strict=True):
        for field in ("stay", "tension", "continuity", "bias"):
            assert_number(getattr(one, field), getattr(other, field), message + field)
        location, found = np.array(one.location), np.array(other.location)
        if not isinstance(before, solver.ShapeConstraint | solver.LookAtConstraint):
            location /= np.linalg.norm(location)
        if isinstance(before, solver.OrientationConstraint):
            found *= np.sign(found @ location)
        assert_number(location, found, message + "location", 1e-6)
    if isinstance(before, solver.DirectionConstraint | solver.LookAtConstraint):
        assert_number(before.axis, after.axis, message + "axis")
    if isinstance(before, solver.ShapeConstraint):
        assert_reference(before.reference, after.reference, clip, message)


def assert_reference(before: Any, after: Any, clip: solver.Clip, message: str) -> None:
    if not isinstance(before, solver.MovingObject):
        assert before == after, message + "reference"
        return
    before, after = before.checked("before", clip.frames), after.checked("after", clip.frames)
    assert_number(before.positions, after.positions, message + "reference")
    dots = np.abs((before.rotations * after.rotations).sum(axis=1))
    assert_number(np.ones(clip.frames), dots, message + "reference")


@pytest.mark.parametrize("seed", range(3))
def test_every_constraint_comes_back_as_it_was(armature: bpy.types.Object, reading: bridge.Reading, seed: int) -> None:
    given = random_constraints(reading.clip, seed)
    for constraint in given:
        translation.store_constraint(armature, reading, constraint)
    found = translation.translate(armature, reading)
    assert not found.skipped
    assert list(found.uids) == [item.uid for item in character_of(armature).constraints]
    for before, after in zip(given, found.constraints, strict=True):
        assert_alike(before, after, reading.clip)


def test_confidence_is_kept(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    plant = solver.DetectedFootplant(foot="left", heel_strike=4, heel_off=9, confidence=0.25)
    assert translation.store_constraint(armature, reading, plant, "found").confidence == 0.25


def test_a_saved_file_holds_everything(armature: bpy.types.Object, reading: bridge.Reading, tmp_path: Path) -> None:
    given = random_constraints(reading.clip, 7)
    for constraint in given:
        translation.store_constraint(armature, reading, constraint)
    name, path = armature.name, str(tmp_path / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    opened = bpy.data.objects[name]
    again = bridge.read(opened)
    for before, after in zip(given, translation.translate(opened, again).constraints, strict=True):
        assert_alike(before, after, again.clip)


def test_an_accepted_proposal_asks_for_the_same(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    given = [
        constraint
        for constraint in random_constraints(reading.clip, 11)
        if not np.any(getattr(constraint, "shift", 0.0))
    ]
    for constraint in given:
        translation.store_constraint(armature, reading, constraint, "found")
    assert len(bpy.data.objects) == 3, "but the two moving objects, proposals have no empties"
    character = character_of(armature)
    for before, after in zip(given, translation.translate(armature, reading, character.found).constraints, strict=True):
        assert_alike(before, after, reading.clip)
    while len(character.found):
        translation.accept_proposal(armature, 0)
    for before, after in zip(given, translation.translate(armature, reading).constraints, strict=True):
        assert_alike(before, after, reading.clip)


def displacement_of(balance: solver.Constraint, clip: solver.Clip) -> Any:
    (track,) = balance.tracks(Source(clip))
    return track.displacement


def test_displacements_over_time_are_kept_as_points(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    rng = np.random.default_rng(3)
    last = reading.clip.frames - 1
    keys = [
        solver.ConstraintPoint((0.1, 0.0, 0.0), 5.0, 9.0),
        solver.ConstraintPoint((0.0, 0.2, 0.0), 20.0, None, 0.5, 0.1, -0.2),
    ]
    displacements = (
        keys,
        0.1 * rng.normal(size=(last + 1, 3)),
        solver.Spline([0.0, last], 0.1 * rng.normal(size=(2, 3))),
    )
    for given in displacements:
        before = solver.Balance(displacement=given, support="plants", exact=False)
        item = translation.store_constraint(armature, reading, before)
        assert len(item.points) == (2 if given is keys else 1) and not any(item.displacement)
        (after,) = translation.translate(armature, reading, [item]).constraints
        assert isinstance(after, solver.Balance) and after.support == "plants" and after.exact is False
        assert_number(displacement_of(before, reading.clip), displacement_of(after, reading.clip), "displacement", 2e-6)


def test_a_moved_empty_of_a_balance_displaces_the_centre_of_mass(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    item = create.add_balance(armature)
    create.add_point(armature, item, 20.0)
    create.add_point(armature, item, 30.0)
    center = reading.clip.center_of_mass()[reading.frame_of(20)]
    np.testing.assert_allclose(np.array(item.points[0].object.location), center, atol=1e-5)
    item.points[1].object.location.x += 0.1
    item.displacement = (0.0, 0.0, 0.05)
    (balance,) = translation.translate(armature, reading).constraints
    found = displacement_of(balance, reading.clip)
    np.testing.assert_allclose(found[reading.frame_of(20)], (0.0, 0.0, 0.05), atol=1e-6)
    np.testing.assert_allclose(found[reading.frame_of(30)], (0.1, 0.0, 0.05), atol=1e-6)
    assert 0.01 < found[reading.frame_of(25), 0] < 0.09
