# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of constraints: what is written is read again, at other frame rates and with another axis up, or refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    DirectionConstraint,
    Footplant,
    Handplant,
    HeldPose,
    LookAtConstraint,
    MovingObject,
    OrientationConstraint,
    ShapeConstraint,
    Source,
    Track,
)
from poise.solver.constraints.effectors import AttachedEffector
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError, FileFormatError
from poise.solver.core.splines import Spline
from poise.solver.files.constraint_files import (
    constraints_as_dict,
    constraints_from_dict,
    entries_from_dict,
    read_constraint_entries,
    read_constraints,
    write_constraints,
)
from poise.solver.files.constraint_records import KINDS, ConstraintEntry

from ..made_up import moving_human

FRAMES = 61
UPRIGHT = rotations.from_axis_angle((1.0, 0.0, 0.0), 0.5 * np.pi)
"""From a world in which y is up to one in which z is: (x, y, z) becomes (x, -z, y)."""


@pytest.fixture(scope="module")
def clip() -> Clip:
    return moving_human(np.random.default_rng(11), FRAMES)


# --- random constraints -------------------------------------------------------------------------------------------


def maybe(rng: np.random.Generator, value: Any, otherwise: Any = None) -> Any:
    return value if rng.random() < 0.5 else otherwise


def shared(rng: np.random.Generator, clip: Clip) -> dict[str, Any]:
    names = clip.skeleton.names
    recruits = [None, 0, int(rng.integers(5)), [str(name) for name in rng.choice(names, 3, replace=False)]]
    return {
        "priority": int(rng.integers(-3, 9)),
        "weight": maybe(rng, float(rng.uniform(0.1, 9.0)), 1.0),
        "recruit": recruits[rng.integers(len(recruits))],
        "exact": maybe(rng, False, True),
        "name": maybe(rng, 'A "näme"\n', ""),
    }


def points(rng: np.random.Generator, locations: Array) -> list[ConstraintPoint]:
    """At times between 4 and 56, in order; some of them stay."""
    times = np.sort(rng.uniform(4.0, 56.0, 2 * len(locations)))
    return [
        ConstraintPoint(
            location,
            float(begin),
            maybe(rng, float(end)),
            *(maybe(rng, float(rng.uniform(-1.0, 1.0)), 0.0) for _ in range(3)),
        )
        for location, begin, end in zip(locations, times[::2], times[1::2], strict=True)
    ]


def path(rng: np.random.Generator, clip: Clip, locations: Array) -> dict[str, Any]:
    joint = int(rng.integers(5, len(clip.skeleton)))
    name = clip.skeleton.names[joint]
    ways = [joint, name, BodyPoint(name, tuple(rng.standard_normal(3)))]
    return {
        "joint": ways[rng.integers(len(ways))],
        "begin": float(rng.uniform(0.0, 4.0)),
        "end": int(rng.integers(57, FRAMES)),
        "points": points(rng, locations),
        "mode": str(rng.choice(["absolute", "relative", "condensed"])),
        **shared(rng, clip),
    }


def random_reference(rng: np.random.Generator, clip: Clip) -> Any:
    moving = MovingObject(rng.standard_normal((clip.frames, 3)), rotations.random(rng, clip.frames))
    still = MovingObject(rng.standard_normal(3), rotations.random(rng))
    choices = [None, clip.skeleton.names[1], 2, moving, still]
    return choices[rng.integers(len(choices))]


def random_shape(rng: np.random.Generator, clip: Clip) -> Constraint:
    return ShapeConstraint(
        **path(rng, clip, rng.standard_normal((rng.integers(1, 4), 3))), reference=random_reference(rng, clip)
    )


def random_orientation(rng: np.random.Generator, clip: Clip) -> Constraint:
    return OrientationConstraint(**path(rng, clip, rotations.random(rng, int(rng.integers(1, 4)))))


def random_direction(rng: np.random.Generator, clip: Clip) -> Constraint:
    axis = maybe(rng, rng.standard_normal(3), (0.0, 1.0, 0.0))
    return DirectionConstraint(**path(rng, clip, rng.standard_normal((rng.integers(1, 4), 3))), axis=axis)


def random_look_at(rng: np.random.Generator, clip: Clip) -> Constraint:
    axis = maybe(rng, rng.standard_normal(3), (0.0, 1.0, 0.0))
    return LookAtConstraint(**path(rng, clip, rng.standard_normal((rng.integers(1, 4), 3))), axis=axis)


def random_footplant(rng: np.random.Generator, clip: Clip) -> Constraint:
    first, second, third, fourth = (float(time) for time in np.sort(rng.uniform(0.0, 60.0, 4)))
    heel, toe = maybe(rng, (first, third), (None, None)), (second, fourth)
    return Footplant(
        foot=maybe(rng, "left", "right"),
        heel_strike=heel[0],
        heel_off=heel[1],
        toe_strike=toe[0],
        toe_off=toe[1],
        position=maybe(rng, rng.standard_normal(3)),
        heading=maybe(rng, float(rng.uniform(-3.0, 3.0))),
        height=maybe(rng, float(rng.standard_normal())),
        own_height=maybe(rng, True, False),
        shift=maybe(rng, tuple(rng.standard_normal(3)), (0.0, 0.0, 0.0)),
        turn=maybe(rng, float(rng.standard_normal()), 0.0),
        ease_in=maybe(rng, float(rng.uniform(0.0, 9.0))),
        ease_out=maybe(rng, int(rng.integers(9))),
        ground_velocity=maybe(rng, tuple(rng.standard_normal(3)), (0.0, 0.0, 0.0)),
        contact=maybe(rng, (first - 1.5, fourth + 2.0)),
        **shared(rng, clip),
    )


def random_handplant(rng: np.random.Generator, clip: Clip) -> Constraint:
    begin, end = (float(time) for time in np.sort(rng.uniform(0.0, 60.0, 2)))
    moving = MovingObject(rng.standard_normal((clip.frames, 3)), rotations.random(rng, clip.frames))
    return Handplant(
        hand=maybe(rng, "left", "right"),
        begin=begin,
        end=end,
        position=maybe(rng, rng.standard_normal(3)),
        shift=maybe(rng, tuple(rng.standard_normal(3)), (0.0, 0.0, 0.0)),
        turn=maybe(rng, float(rng.standard_normal()), 0.0),
        reference=maybe(rng, moving),
        ease_in=maybe(rng, float(rng.uniform(0.0, 9.0))),
        ease_out=maybe(rng, int(rng.integers(9))),
        **shared(rng, clip),
    )


def random_balance(rng: np.random.Generator, clip: Clip) -> Constraint:
    names = clip.skeleton.names
    times = np.sort(rng.uniform(0.0, 60.0, 4))
    displacements = [
        None,
        rng.standard_normal(3),
        rng.standard_normal((clip.frames, 3)),
        Spline(times, rng.standard_normal((4, 3))),
        points(rng, rng.standard_normal((3, 3))),
        Spline(times, rng.standard_normal((4, 3)), tension=0.3, continuity=rng.uniform(-1, 1, 4), bias=0.2),
    ]
    on = [str(names[3]), 4, BodyPoint(names[5], tuple(rng.standard_normal(3)))]
    begin, end = maybe(rng, float(rng.uniform(0.0, 20.0))), maybe(rng, float(rng.uniform(30.0, 60.0)))
    standing = maybe(rng, {"points": maybe(rng, on)}, {"support": "plants"})
    return Balance(
        **standing,
        displacement=displacements[rng.integers(len(displacements))],
        begin=begin,
        end=end,
        axes=maybe(rng, str(rng.choice(["x", "yz", "zx", "xyz"]))),
        **shared(rng, clip),
    )


def random_pose(rng: np.random.Generator, clip: Clip) -> HeldPose:
    joints = rng.choice(len(clip.skeleton), 3, replace=False).tolist()
    names = clip.skeleton.names
    begin, end = (float(time) for time in np.sort(rng.uniform(0.0, 60.0, 2)))
    return HeldPose(
        {maybe(rng, joint, names[joint]): turn for joint, turn in zip(joints, rotations.random(rng, 3), strict=True)},
        begin,
        end,
        space=maybe(rng, "local", "world"),
        ease_in=maybe(rng, float(rng.uniform(0.0, 9.0))),
        ease_out=maybe(rng, int(rng.integers(9))),
        **shared(rng, clip),
    )


RANDOM: dict[str, Callable[[np.random.Generator, Clip], Constraint | HeldPose]] = {
    "shape": random_shape,
    "orientation": random_orientation,
    "direction": random_direction,
    "look_at": random_look_at,
    "footplant": random_footplant,
    "handplant": random_handplant,
    "balance": random_balance,
    "pose": random_pose,
}


def some_of_all(clip: Clip, count: int, seed: int = 5) -> list[Constraint | HeldPose]:
    rng = np.random.default_rng(seed)
    return [make(rng, clip) for make in RANDOM.values() for _ in range(count)]


# --- there and back -----------------------------------------------------------------------------------------------


def plain(value: Any, clip: Clip) -> Any:
    """What a constraint holds, in a form in which equal means equal to the last bit."""
    if isinstance(value, BodyPoint):
        return plain(value.joint, clip) if not any(value.offset) else (plain(value.joint, clip), value.offset)
    if isinstance(value, str) and value in clip.skeleton.names:
        return clip.skeleton.index(value)
    if isinstance(value, Spline):
        return [getattr(value, name).tolist() for name in ("times", "values", "incoming", "outgoing")]
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name), clip) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {plain(key, clip): plain(item, clip) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), clip)
    if isinstance(value, (list, tuple)):
        return [plain(item, clip) for item in value]
    return value


def test_every_kind_of_constraint_is_tested() -> None:
    def below(kind: type[Any]) -> set[type[Any]]:
        return {kind} | {inner for child in kind.__subclasses__() for inner in below(child)}

    solvers = {kind for kind in below(Constraint) if kind.__module__.startswith("poise.solver.constraints.")}
    concrete = {kind for kind in solvers if not getattr(kind, "__abstractmethods__", None)}
    assert {record.record_type for record in KINDS.values()} == concrete | {HeldPose}
    assert set(RANDOM) == set(KINDS)


@pytest.mark.parametrize("kind", RANDOM)
def test_what_is_written_is_read_to_the_last_bit(tmp_path: Path, clip: Clip, kind: str) -> None:
    rng = np.random.default_rng(7)
    written = [RANDOM[kind](rng, clip) for _ in range(40)]
    write_constraints(written, tmp_path / "file.json", clip)
    read = [entry.constraint for entry in read_constraint_entries(tmp_path / "file.json", clip)]
    for number, (before, after) in enumerate(zip(written, read, strict=True)):
        assert type(after) is type(before)
        assert plain(after, clip) == plain(before, clip), f"constraint {number} has changed"
    assert constraints_as_dict(read, clip) == constraints_as_dict(written, clip)


def test_a_held_pose_is_read_as_the_constraints_that_hold_it(tmp_path: Path, clip: Clip) -> None:
    pose = HeldPose({"l_elbow": (0.9, 0.1, 0.2, 0.0), "vl5": (1.0, 0.0, 0.0, 0.0)}, 20, 30, name="Guard")
    write_constraints([pose], tmp_path / "file.json", clip)
    read = read_constraints(tmp_path / "file.json", clip)
    assert [type(each) for each in read] == [ShapeConstraint] * 4 and {each.name for each in read} == {"Guard"}
    for track, same in zip(tracks(read, clip), tracks(pose, clip), strict=True):
        assert np.array_equal(track.displacement, same.displacement)


def test_what_only_blender_knows_is_kept_and_has_no_effect(tmp_path: Path, clip: Clip) -> None:
    plain_one = ShapeConstraint(7, 1, 9, [ConstraintPoint((1, 2, 3), 4)])
    write_constraints([ConstraintEntry(plain_one, {"empties": [1]}), plain_one], tmp_path / "file.json", clip)
    with_more, without = read_constraint_entries(tmp_path / "file.json", clip)
    assert with_more.blender == {"empties": [1]} and without.blender == {}
    assert plain(with_more.constraint, clip) == plain(without.constraint, clip)
    assert len(read_constraints(tmp_path / "file.json", clip)) == 2


def test_what_is_default_is_left_out(clip: Clip) -> None:
    name = clip.skeleton.names[7]
    few = [
        Footplant(foot="left", toe_strike=5, toe_off=9),
        Balance(),
        ShapeConstraint(BodyPoint(7), 1, 9, [ConstraintPoint((1, 2, 3), 4)]),
        DirectionConstraint(7, 1, 9, [ConstraintPoint((0, 0, 1), 4, 5)], axis=np.array([0.0, 1.0, 0.0])),
    ]
    assert constraints_as_dict(few, clip) == {
        "poise": 1,
        "fps": 30.0,
        "up": "y",
        "rest": {name: clip.skeleton.rest[0][7].tolist()},
        "constraints": [
            {"kind": "footplant", "foot": "left", "toe_strike": 5, "toe_off": 9},
            {"kind": "balance"},
            {"kind": "shape", "joint": name, "begin": 1, "end": 9, "points": [{"location": [1, 2, 3], "begin": 4}]},
            {
                "kind": "direction",
                "joint": name,
                "begin": 1,
                "end": 9,
                "axis": [0, 1, 0],
                "points": [{"direction": [0, 0, 1], "begin": 4, "end": 5}],
            },
        ],
    }


def test_short_records_are_written_in_one_line(tmp_path: Path, clip: Clip) -> None:
    write_constraints(some_of_all(clip, 6), tmp_path / "file.json", clip)
    lines = (tmp_path / "file.json").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= 120
    assert lines[1:4] == ['  "poise": 1,', '  "fps": 30.0,', '  "up": "y",']
    assert sum('"rotation": [' in line and line.count("]") >= 1 for line in lines) >= 6, "a quaternion fits in a line"


def test_detected_footplants_are_footplants_in_a_file(clip: Clip) -> None:
    found = solver.DetectedFootplant(foot="left", toe_strike=5, toe_off=9, contact=(4, 11), confidence=0.5)
    (read,) = constraints_from_dict(constraints_as_dict([found], clip), clip)
    assert type(read) is Footplant
    assert plain(read, clip) == {key: value for key, value in plain(found, clip).items() if key != "confidence"}


def test_a_file_that_was_saved_elsewhere_is_read(tmp_path: Path, clip: Clip) -> None:
    """With a byte order mark, without frame rate and up axis, with whole numbers and with null for what is not set."""
    text = '{"poise": 1, "constraints": [{"kind": "balance", "begin": 3, "axes": null, "displacement": [1, 0, 0]}]}'
    (tmp_path / "file.json").write_text(text, encoding="utf-8-sig")
    (read,) = read_constraints(tmp_path / "file.json", clip)
    assert isinstance(read, Balance)
    assert read.begin == 3 and read.axes is None
    assert np.array_equal(read.displacement, [1, 0, 0])


# --- another clip -------------------------------------------------------------------------------------------------


def turned_upright(clip: Clip) -> Clip:
    """The same motion in a world in which z is up."""
    skeleton = clip.skeleton
    rest, offsets = np.array(skeleton.rest_rotations), np.array(skeleton.offsets)
    turned, moved = np.array(clip.motion.rotations), np.array(clip.motion.translations)
    rest[0], turned[:, 0] = rotations.multiply(UPRIGHT, rest[0]), rotations.multiply(UPRIGHT, turned[:, 0])
    offsets[0], moved[:, 0] = rotations.rotate(UPRIGHT, offsets[0]), rotations.rotate(UPRIGHT, moved[:, 0])
    return Clip(
        dataclasses.replace(skeleton, up="z", rest_rotations=rest, offsets=offsets), Motion(turned, moved), clip.fps
    )


def tracks(given: Any, clip: Clip) -> list[Track]:
    """The tracks of a constraint, of a held pose or of a list of constraints."""
    if isinstance(given, HeldPose):
        given = given.constraints(clip)
    listed = given if isinstance(given, list) else [given]
    return [track for constraint in listed for track in constraint.tracks(Source(clip))]


@pytest.mark.parametrize("kind", RANDOM)
def test_where_z_is_up_a_constraint_asks_for_the_same(clip: Clip, kind: str) -> None:
    upright = turned_upright(clip)
    rng = np.random.default_rng(13)
    for number in range(25):
        before = RANDOM[kind](rng, clip)
        after = constraints_from_dict(constraints_as_dict([before], clip), upright)
        asked, asked_upright = tracks(before, clip), tracks(after, upright)
        for track, other in zip(asked, asked_upright, strict=True):
            expected = track.displacement
            if not isinstance(track.effector, AttachedEffector):  # which is not seen from the world
                expected = rotations.rotate(UPRIGHT, expected)
            assert np.allclose(other.displacement, expected, atol=1e-9), f"number {number}: {before}"
        back = constraints_from_dict(constraints_as_dict(after, upright), clip)
        for track, same in zip(tracks(back, clip), asked, strict=True):
            assert np.allclose(track.displacement, same.displacement, atol=1e-12)


def with_other_frames(clip: Clip, rng: np.random.Generator) -> tuple[Clip, Array]:
    """The same body with frames that lie otherwise on every joint, and (joints, 4) how: from the new to the old one."""
    skeleton, parents = clip.skeleton, np.asarray(clip.skeleton.parents)
    frames = rotations.random(rng, len(skeleton))
    above = np.where((parents >= 0)[:, None], frames[parents], (1.0, 0.0, 0.0, 0.0))
    back = rotations.conjugate(above)

    def turned(local: Array) -> Array:
        return rotations.multiply(rotations.multiply(back, local), frames)

    tips = [
        BodyPoint(tip.joint, tuple(rotations.rotate(rotations.conjugate(frames[tip.joint]), tip.local)))
        for tip in map(skeleton.resolve, skeleton.tips)
    ]
    other = dataclasses.replace(
        skeleton,
        rest_rotations=turned(np.array(skeleton.rest_rotations)),
        offsets=rotations.rotate(back, skeleton.offsets),
        tips=tuple(tips),
    )
    motion = Motion(turned(clip.motion.rotations), rotations.rotate(back, clip.motion.translations))
    return Clip(other, motion, clip.fps), frames


@pytest.mark.parametrize("kind", RANDOM)
def test_where_frames_lie_otherwise_on_joints_a_constraint_asks_for_the_same(clip: Clip, kind: str) -> None:
    rng = np.random.default_rng(23)
    other, frames = with_other_frames(clip, rng)
    assert np.allclose(other.world.positions, clip.world.positions, atol=1e-12)
    for number in range(25):
        before = RANDOM[kind](rng, clip)
        after = constraints_from_dict(constraints_as_dict([before], clip), other)
        if isinstance(before, HeldPose):
            # It is held by points along the axes of the joints' frames, so the rotations are compared.
            (entry,) = entries_from_dict(constraints_as_dict([before], clip), other)
            assert isinstance(entry.constraint, HeldPose)
            for joint, turn in before.rotations.items():
                index = clip.skeleton.index(joint)
                parent = int(clip.skeleton.parents[index])
                expected = rotations.multiply(turn, frames[index])
                if before.space == "local" and parent >= 0:
                    expected = rotations.multiply(rotations.conjugate(frames[parent]), expected)
                got = entry.constraint.rotations[clip.skeleton.names[index]]
                assert rotations.angle_between(got, expected) < 1e-7
            continue
        for track, same in zip(tracks(before, clip), tracks(after, other), strict=True):
            expected = track.displacement
            if isinstance(track.effector, AttachedEffector):
                expected = rotations.rotate(rotations.conjugate(frames[track.effector.reference]), expected)
            assert np.allclose(same.displacement, expected, atol=1e-9), f"number {number}: {before}"


def test_only_joints_whose_frames_matter_have_a_rest(clip: Clip) -> None:
    names = clip.skeleton.names
    point = [ConstraintPoint((1, 2, 3), 4)]
    few = [
        ShapeConstraint(7, 1, 9, point),
        ShapeConstraint(7, 1, 9, point, reference=3),
        Balance(points=[5, BodyPoint(6, (0, 1, 0))]),
        Footplant(foot="left", toe_strike=5, toe_off=9),
    ]
    written = constraints_as_dict(few, clip)
    assert written["rest"] == {names[joint]: clip.skeleton.rest[0][joint].tolist() for joint in (3, 6)}
    del written["rest"]
    other, _ = with_other_frames(clip, np.random.default_rng(29))
    for before, after in zip(few, constraints_from_dict(written, other), strict=True):
        assert plain(after, clip) == plain(before, clip), "without it, they are taken as they are"


def at_another_rate(clip: Clip, times: int) -> Clip:
    """So many frames in place of each, the new ones on the way to the next."""
    moments = np.arange((clip.frames - 1) * times + 1) / times
    before = np.minimum(moments.astype(int), clip.frames - 2)
    share = moments - before
    turned, moved = clip.motion.rotations, clip.motion.translations
    return Clip(
        clip.skeleton,
        Motion(
            rotations.slerp(turned[before], turned[before + 1], share[:, None]),
            moved[before] + share[:, None, None] * (moved[before + 1] - moved[before]),
        ),
        clip.fps * times,
    )


def test_times_are_the_same_seconds_at_another_frame_rate(clip: Clip) -> None:
    fast = at_another_rate(clip, 4)
    for before in some_of_all(clip, 12):
        (after,) = (entry.constraint for entry in entries_from_dict(constraints_as_dict([before], clip), fast))
        for name in ("begin", "end", "heel_strike", "toe_strike", "heel_off", "toe_off", "ease_in", "ease_out"):
            time = getattr(before, name, None)
            assert getattr(after, name, None) == (None if time is None else 4 * time), name
        contact = getattr(before, "contact", None)
        assert getattr(after, "contact", None) == (None if contact is None else tuple(4 * time for time in contact))
        (back,) = (entry.constraint for entry in entries_from_dict(constraints_as_dict([after], fast), clip))
        if isinstance(before, (ShapeConstraint, Handplant)) and isinstance(before.reference, MovingObject):
            # Signs and last bits of quaternions are free.
            assert isinstance(back, (ShapeConstraint, Handplant)) and isinstance(back.reference, MovingObject)
            assert np.array_equal(back.reference.positions, before.reference.positions)
            apart = rotations.quotient(back.reference.rotations, before.reference.rotations)
            assert np.abs(rotations.log(apart)).max() < 1e-7
            before, back = (dataclasses.replace(each, reference=None) for each in (before, back))
        assert plain(back, clip) == plain(before, clip)


def test_what_has_a_value_a_frame_is_interpolated(clip: Clip) -> None:
    rng = np.random.default_rng(17)
    fast = at_another_rate(clip, 2)
    swing = rng.standard_normal((clip.frames, 3))
    spline = Spline([3.0, 20.0, 45.0], rng.standard_normal((3, 3)), bias=0.4)
    written = constraints_as_dict([Balance(displacement=swing), Balance(displacement=spline)], clip)
    rows, curve = constraints_from_dict(written, fast)
    assert isinstance(rows, Balance) and isinstance(curve, Balance)
    assert np.allclose(rows.displacement[::2], swing, atol=1e-15)
    assert np.allclose(rows.displacement[1::2], 0.5 * (swing[1:] + swing[:-1]), atol=1e-15)
    moments = rng.uniform(-5.0, 70.0, 50)
    assert np.allclose(curve.displacement.at(2 * moments), spline.at(moments), atol=1e-12)


def test_the_last_frame_stays_the_last(clip: Clip) -> None:
    """122 frames at 60 a second are 61 at 30: the last one of the former lies after the last one of the latter."""
    data = {"poise": 1, "fps": 60, "constraints": [{"kind": "balance", "end": 121}, {"kind": "balance", "end": 123}]}
    inside, outside = constraints_from_dict(data, clip)
    assert isinstance(inside, Balance) and isinstance(outside, Balance)
    assert inside.end == 60.0
    assert outside.end == 61.5


# --- mistakes -----------------------------------------------------------------------------------------------------


def a_file(*records: Any, **rest: Any) -> dict[str, Any]:
    return {"poise": 1, "constraints": list(records), **rest}


def shape(**changes: Any) -> dict[str, Any]:
    point = {"location": [0, 1, 2], "begin": 4}
    usual = {"kind": "shape", "name": "Wave", "joint": "vl5", "begin": 1, "end": 9, "points": [point]}
    return {key: value for key, value in (usual | changes).items() if value is not ...}


PLANT = {"kind": "footplant", "foot": "left", "toe_strike": 1, "toe_off": 9}
POSE = {"kind": "pose", "begin": 4, "end": 9, "rotations": [{"joint": "vl5", "rotation": [1, 0, 0, 0]}]}
WAVE = r'file\.json: constraint 1 \("Wave"\): '

MISTAKES: list[tuple[Any, str]] = [
    ([], "it is no file of Poise constraints"),
    ({"constraints": []}, "it is no file of Poise constraints"),
    ({"poise": 2, "constraints": []}, "it has version 2 of the format, and this Poise reads version 1"),
    ({"poise": True, "constraints": []}, "it has version true"),
    ({"poise": 1}, 'it needs the key "constraints"'),
    (a_file(contraints=[]), 'it has an unknown key "contraints"; did you mean "constraints"?'),
    (a_file(fps=0), '"fps" must be a positive number'),
    (a_file(fps="30"), '"fps" must be a number, not "30"'),
    (a_file(shape(), fps=1e-320), '"fps" is 1e-320, from which nothing can be converted to the 30 of the motion'),
    (a_file(shape(begin=1e49), fps=1e-9), WAVE + '"begin" is 1e.49, which at the "fps" of the file is no frame'),
    (
        a_file({"kind": "balance", "displacement": {"times": [0, 1e49], "values": [[0, 0, 0]] * 2}}, fps=1e-9),
        'item 2 of "times" of "displacement" is 1e.49, which at the "fps" of the file is no frame',
    ),
    (a_file(rest={"vl5": [1e300, 1e300, 0, 0]}), '"vl5" of "rest" must be a number up to 1e.50, not 1e.300'),
    (a_file(rest={"vl5": [1e-300, 0, 0, 0]}), '"vl5" of "rest" has a quaternion of zeros'),
    (
        a_file(shape(kind="orientation", points=[{"rotation": [1e300, 1e300, 0, 0], "begin": 4}])),
        WAVE + '"rotation" of item 1 of "points" must be a number up to 1e.50, not 1e.300',
    ),
    (
        a_file(shape(reference={"positions": [0, 0, 0], "rotations": [[1e300, 0, 0, 1e300]] * 61}), fps=60),
        WAVE + 'item 1 of "rotations" of "reference" must be a number up to 1e.50',
    ),
    (a_file(shape(points=[{"location": [1e300, 0, 0], "begin": 4}])), '"location" .* must be a number up to 1e.50'),
    (a_file(up="x"), '"up" must be "y" or "z", not "x"'),
    (a_file(rest=[]), r'"rest" must be a record in braces, not \[\]'),
    (a_file(rest={"vl5": [1, 0, 0]}), '"vl5" of "rest" must be four numbers in brackets'),
    (a_file(rest={"vl5": [0, 0, 0, 0]}), '"vl5" of "rest" has a quaternion of zeros'),
    ({"poise": 1, "constraints": {}}, '"constraints" must be a list in brackets, not {}'),
    (a_file(PLANT | {"own_height": 1}), '"own_height" must be true or false, not 1'),
    (a_file(PLANT, "plant"), r'constraint 2: it must be a record in braces, not "plant"'),
    (a_file({"joint": "vl5"}), 'constraint 1: it needs the key "kind": one of shape, orientation'),
    (a_file(shape(kind="shap")), WAVE + 'it has an unknown kind "shap"; did you mean "shape"?'),
    (a_file({"kind": ["shape"]}), r"constraint 1: it has an unknown kind \[\"shape\"\]"),
    (a_file(shape(begn=3)), WAVE + 'it has an unknown key "begn"; did you mean "begin"?'),
    (a_file(shape(axis=[0, 1, 0])), WAVE + 'it has an unknown key "axis"; '),
    (a_file(shape(joint=...)), WAVE + 'it needs the key "joint"'),
    (a_file(shape(joint="vl55")), WAVE + "\"joint\": There is no joint 'vl55'. Did you mean 'vl5'?"),
    (a_file(shape(joint=3)), WAVE + '"joint" must be the name of a joint in quotes, not 3'),
    (a_file(shape(joint={"name": "vl5", "off": [0, 0, 0]})), WAVE + '"joint" has an unknown key "off"'),
    (a_file(shape(joint={"name": "vl5", "offset": [0, 0]})), WAVE + '"offset" of "joint" must be three numbers'),
    (a_file(shape(begin="1")), WAVE + '"begin" must be a number, not "1"'),
    (a_file(shape(begin=None)), WAVE + '"begin" must be a number, not null'),
    (a_file(shape(begin=True)), WAVE + '"begin" must be a number, not true'),
    (a_file(shape(begin=10**400)), WAVE + '"begin" must be a finite number'),
    (a_file(shape(mode="absolut")), WAVE + '"mode" must be one of "absolute", "relative", "condensed"'),
    (a_file(shape(mode=["absolute"])), WAVE + '"mode" must be one of'),
    (a_file(shape(priority=1.5)), WAVE + '"priority" must be a whole number, not 1.5'),
    (a_file(shape(weight=-1)), WAVE + "the weight must be a positive number"),
    (a_file(shape(weight=1e49)), WAVE + "the weight must be a positive number between 1e-09 and 1e.09"),
    (a_file(shape(begin=1e51)), WAVE + '"begin" must be a number up to 1e.50'),
    (a_file(shape(recruit=["vl5", "nose"])), WAVE + "item 2 of \"recruit\": There is no joint 'nose'"),
    (a_file(shape(recruit=1.5)), WAVE + '"recruit" must be a number of joints or a list of their names'),
    (a_file(shape(recruit=-1)), WAVE + "recruit a number of joints"),
    (a_file(shape(points={})), WAVE + '"points" must be a list in brackets, not {}'),
    (a_file(shape(points=[3])), WAVE + 'item 1 of "points" must be a record in braces, not 3'),
    (a_file(shape(points=[{"begin": 3}])), WAVE + 'item 1 of "points" needs the key "location"'),
    (
        a_file(shape(points=[{"location": [1, 2, "3"], "begin": 3}])),
        WAVE + '"location" of item 1 of "points" must be three numbers in brackets',
    ),
    (
        a_file(shape(points=[{"location": [1, 2, 3], "begin": 5, "end": 3}])),
        WAVE + "A point begins at frame 5, after its end at 3",
    ),
    (
        a_file({"kind": "balance", "displacement": [{"location": [0, 0, 1], "begin": 5, "end": 3}]}),
        "constraint 1: A point begins at frame 5, after its end at 3",
    ),
    (a_file(shape(reference="nose")), WAVE + "\"reference\": There is no joint 'nose'"),
    (a_file(shape(reference={"positions": [0, 0, 0]})), WAVE + '"reference" needs the key "rotations"'),
    (
        a_file(shape(reference={"positions": [[0, 0, 0]] * 7, "rotations": [1, 0, 0, 0]})),
        WAVE + '"positions" of "reference" has 7 rows, which do not last as long as the clip with its 61 frames',
    ),
    (
        a_file(shape(reference={"positions": [0, 0, 0], "rotations": [0, 0, 0, 0]})),
        WAVE + '"rotations" of "reference" has a quaternion of zeros',
    ),
    (a_file(shape(blender=[])), WAVE + r'"blender" must be a record in braces, not \[\]'),
    (a_file(POSE | {"rotations": 3}), '"rotations" must be a list in brackets, not 3'),
    (a_file(POSE | {"rotations": [3]}), 'item 1 of "rotations" must be a record in braces, not 3'),
    (a_file(POSE | {"rotations": POSE["rotations"] * 2}), 'item 2 of "rotations" is a second rotation of joint "vl5"'),
    (a_file(POSE | {"rotations": []}), "constraint 1: Held pose: it holds no joint"),
    (a_file(POSE | {"end": 2}), "constraint 1: Held pose: it begins at frame 4, after its end at 2"),
    (a_file(PLANT | {"foot": "middle"}), 'constraint 1: "foot" must be one of "left", "right", not "middle"'),
    (a_file(PLANT | {"toe_off": 0}), "constraint 1: Footplant of the left foot at frame 1: an impossible order"),
    (a_file(PLANT | {"toe_off": None}), "it has a toe strike but no toe off"),
    (a_file({"kind": "balance", "axes": "xq"}), "axes must be some of the letters x, y and z"),
    (a_file({"kind": "balance", "points": []}), "it needs at least one point to stand on"),
    (
        a_file({"kind": "balance", "displacement": {"times": [3, 2], "values": [[0, 0, 0]] * 2}}),
        'constraint 1: "displacement": The times of a spline must increase',
    ),
    (
        a_file({"kind": "balance", "displacement": {"times": [3, 4], "values": [[0, 0, 0]]}}),
        'constraint 1: "values" of "displacement" must have a row of three numbers for each of the 2 times',
    ),
]


@pytest.mark.parametrize(("data", "message"), MISTAKES)
def test_a_mistake_is_one_sentence_that_says_where_it_is(tmp_path: Path, clip: Clip, data: Any, message: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FileFormatError, match=message.replace("?", r"\?").replace("{}", r"\{\}")) as caught:
        read_constraints(file, clip)
    assert str(caught.value).startswith("file.json: ")
    assert "\n" not in str(caught.value) and str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is not JSON: Expecting value in line 1, column 1"),
        (b'{"poise": 1,\n "constraints": [}', "it is not JSON: Expecting value in line 2, column 18"),
        (b"\xff\xfe{}", "it is not text in UTF-8"),
        (b'{"poise": 1, "constraints": [{"kind": "balance", "begin": NaN}]}', "it holds NaN"),
        (b'{"poise": 1, "constraints": [{"kind": "balance", "begin": 1e999}]}', '"begin" must be a finite number'),
        (b'{"poise": 1, "constraints": [], "constraints": []}', 'the key "constraints" stands twice'),
        (b"[" * 100000, "nested too deeply"),
        (b'{"poise": 1, "fps": ' + b"9" * 5000 + b', "constraints": []}', "it is not JSON that can be read"),
    ],
)
def test_text_that_is_no_json_is_one_sentence(tmp_path: Path, clip: Clip, data: bytes, message: str) -> None:
    file = tmp_path / "file.json"
    file.write_bytes(data)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_constraints(file, clip)
    assert str(caught.value).startswith("file.json: ") and "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path, clip: Clip) -> None:
    with pytest.raises(FileFormatError, match=r"file\.json does not exist; choose"):
        read_constraints(tmp_path / "file.json", clip)
    with pytest.raises(FileFormatError, match="is not a file"):
        read_constraints(tmp_path, clip)


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (ShapeConstraint("nose", 1, 9), r"Constraint 1 \(Shape-constraint of nose\): \"joint\": There is no joint"),
        (
            ShapeConstraint(1, 1, 9, [ConstraintPoint((0, np.nan, 0), 4)]),
            '"location" of item 1 of "points" is not finite',
        ),
        (ShapeConstraint(1, 1, 9, [ConstraintPoint("there", 4)]), "cannot be written as numbers"),
        (ShapeConstraint(1, np.inf, 9), '"begin" is inf, which is not a finite number'),
        ("a plant", "Constraints are written to a file, not 'a plant'"),
    ],
)
def test_what_cannot_be_written_is_refused_before_a_file_is_touched(
    tmp_path: Path, clip: Clip, constraint: Any, message: str
) -> None:
    with pytest.raises(ConstraintError, match=message):
        write_constraints([constraint], tmp_path / "file.json", clip)
    assert not list(tmp_path.iterdir())
