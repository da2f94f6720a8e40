# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing BVH text: what is written reads back as the same motion."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint, JointKind
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import FileFormatError
from poise.solver.files.bvh_formatter import format_bvh
from poise.solver.files.bvh_parser import MAX_DEPTH, parse_bvh

EXACT = 1e-12
"""Of a character about ten units large: what chains of rotations lose in double precision."""


def random_clip(
    rng: np.random.Generator,
    *,
    joints: int = 9,
    frames: int = 6,
    roots: int = 1,
    up: Up = "y",
    rest: bool = False,
    moving: bool = False,
    fps: float = 30.0,
) -> Clip:
    """A clip of random rotations, with random rest rotations and translations where asked."""
    parents = [-1] * roots + [int(rng.integers(index)) for index in range(roots, joints)]
    offsets = rng.normal(size=(joints, 3))
    tip_joints = [int(joint) for joint in rng.integers(joints, size=5)]
    skeleton = Skeleton(
        names=tuple(f"joint {index}" for index in range(joints)),
        parents=np.array(parents),
        offsets=offsets,
        rest_rotations=rotations.random(rng, joints) if rest else None,  # type: ignore[arg-type]
        tips=tuple(BodyPoint(joint, tuple(rng.normal(size=3))) for joint in tip_joints),
        up=up,
    )
    translations = np.tile(offsets, (frames, 1, 1))
    translations[:, :roots] = rng.normal(size=(frames, roots, 3)) * 10.0
    if moving:
        wanderers = rng.random(joints) < 0.5
        translations[:, wanderers] += rng.normal(size=(frames, int(wanderers.sum()), 3))
    return Clip(skeleton, Motion(rotations.random(rng, (frames, joints)), translations), fps)


def in_order_of(clip: Clip, other: Clip) -> list[int]:
    """The joints of `clip` by the order in which `other` names them."""
    return [clip.skeleton.index(name) for name in other.skeleton.names]


def upright(points: Array, up: Up) -> Array:
    """World points as a file in which y is up has them."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    return points if up == "y" else np.stack([x, z, -y], axis=-1)


@pytest.mark.parametrize("seed", range(20))
def test_writing_what_was_read_gives_the_same_motion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = parse_bvh(format_bvh(random_clip(rng, roots=int(rng.integers(1, 4)), moving=True)))
    again = parse_bvh(format_bvh(first))
    assert again.skeleton.names == first.skeleton.names
    assert again.skeleton.kinds == first.skeleton.kinds
    assert again.skeleton.tips == first.skeleton.tips
    assert again.fps == first.fps
    np.testing.assert_array_equal(again.skeleton.parents, first.skeleton.parents)
    np.testing.assert_array_equal(again.skeleton.offsets, first.skeleton.offsets)
    np.testing.assert_array_equal(again.motion.translations, first.motion.translations)
    assert rotations.angle_between(again.motion.rotations, first.motion.rotations).max() < EXACT


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("rest", [False, True])
def test_world_positions_survive_rest_rotations_another_vertical_and_moving_joints(
    seed: int, up: Up, rest: bool
) -> None:
    rng = np.random.default_rng(seed)
    clip = random_clip(rng, roots=1 + seed % 3, up=up, rest=rest, moving=seed % 2 == 0)
    read = parse_bvh(format_bvh(clip))
    order = in_order_of(clip, read)
    assert read.up == "y"
    np.testing.assert_allclose(read.world.positions, upright(clip.world.positions[:, order], up), atol=EXACT)
    rest_positions = read.skeleton.rest[1]
    np.testing.assert_allclose(rest_positions, upright(clip.skeleton.rest[1][order], up), atol=EXACT)
    # Tips that no joint needs for its end come back beside the others.
    written_tips = np.sort(np.stack([upright(clip.position(tip), up) for tip in clip.skeleton.tips]), axis=0)
    named = [tip for tip in read.skeleton.tips if any(tip.offset)]
    np.testing.assert_allclose(
        np.sort(np.stack([read.position(tip) for tip in named]), axis=0), written_tips, atol=EXACT
    )


def test_world_orientations_turn_from_rest_as_they_did() -> None:
    clip = random_clip(np.random.default_rng(3), rest=True)
    read = parse_bvh(format_bvh(clip))
    order = in_order_of(clip, read)
    from_rest = rotations.multiply(clip.world.rotations, rotations.conjugate(clip.skeleton.rest[0]))[:, order]
    assert rotations.angle_between(read.world.rotations, from_rest).max() < EXACT


def test_joints_are_written_depth_first_with_children_by_index() -> None:
    skeleton = Skeleton(names=("a", "b", "c", "d", "e"), parents=np.array([-1, 0, 0, 1, 0]), offsets=np.ones((5, 3)))
    clip = Clip(skeleton, Motion(np.tile(rotations.IDENTITY, (1, 5, 1)), np.ones((1, 5, 3))))
    assert parse_bvh(format_bvh(clip)).skeleton.names == ("a", "b", "d", "c", "e")


def test_kinds_that_a_file_can_tell_survive() -> None:
    rng = np.random.default_rng(4)
    kinds = (JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.FIXED, JointKind.HINGE)
    skeleton = Skeleton(
        names=tuple("abcde"),
        parents=np.array([-1, 0, 1, 2, 3]),
        offsets=rng.normal(size=(5, 3)),
        rest_rotations=rotations.random(rng, 5),
        kinds=kinds,
    )
    turned = np.tile(skeleton.rest_rotations, (3, 1, 1))
    turned[:, [0, 2, 4]] = rotations.random(rng, (3, 3))
    clip = Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (3, 1, 1))))
    text = format_bvh(clip)
    assert text.count("CHANNELS 0") == 2
    assert parse_bvh(text).skeleton.kinds == (*kinds[:4], JointKind.BALL)


def test_a_fixed_joint_that_turns_anyway_keeps_its_motion() -> None:
    rng = np.random.default_rng(5)
    clip = random_clip(rng)
    fixed = Clip(clip.skeleton.replace(kinds=(JointKind.FIXED,) * len(clip.skeleton)), clip.motion)
    read = parse_bvh(format_bvh(fixed))
    np.testing.assert_allclose(read.world.positions, clip.world.positions[:, in_order_of(clip, read)], atol=EXACT)


def test_frames_in_which_nothing_can_move_are_still_counted() -> None:
    skeleton = Skeleton(names=("a", "b"), parents=np.array([-1, 0]), offsets=np.eye(3)[:2], kinds=("fixed", "fixed"))  # type: ignore[arg-type]
    clip = Clip(skeleton, Motion(np.tile(rotations.IDENTITY, (7, 2, 1)), np.tile(skeleton.offsets, (7, 1, 1))))
    read = parse_bvh(format_bvh(clip))
    assert read.frames == 7
    np.testing.assert_array_equal(read.motion.translations, clip.motion.translations)


def test_a_clip_without_frames_keeps_its_skeleton() -> None:
    clip = random_clip(np.random.default_rng(6), frames=0, fps=23.5)
    read = parse_bvh(format_bvh(clip))
    assert read.frames == 0
    assert read.fps == 23.5
    assert sorted(read.skeleton.names) == sorted(clip.skeleton.names)


def test_leaves_without_tips_get_an_end_site_of_no_length() -> None:
    clip = random_clip(np.random.default_rng(7))
    bare = Clip(clip.skeleton.replace(tips=()), clip.motion)
    read = parse_bvh(format_bvh(bare))
    leaves = set(range(len(read.skeleton))) - set(read.skeleton.parents.tolist())
    assert {tip.joint for tip in read.skeleton.tips} == leaves
    assert not any(any(tip.offset) for tip in read.skeleton.tips)


@pytest.mark.parametrize(
    ("names", "read_back"),
    [
        (("mixamorig:Hips", "left arm  (upper)", "腰"), ("mixamorig:Hips", "left arm  (upper)", "腰")),
        (("{a}", "b\nc", "d\r\ne"), ("_a_", "b_c", "d__e")),
        ((" a\t", "a", "\t"), ("a", "a.001", "_")),
        (("End Site", "MOTION", "JOINT x"), ("End Site", "MOTION", "JOINT x")),
        (("\u2028a\u00a0", "b\x85", "c\ud800"), ("\u2028a\u00a0", "b\x85", "c?")),
    ],
)
def test_names_are_read_back_or_made_writable(names: tuple[str, ...], read_back: tuple[str, ...]) -> None:
    skeleton = Skeleton(names=names, parents=np.array([-1, 0, 1]), offsets=np.zeros((3, 3)))
    clip = Clip(skeleton, Motion(np.tile(rotations.IDENTITY, (1, 3, 1)), np.zeros((1, 3, 3))))
    assert parse_bvh(format_bvh(clip).encode()).skeleton.names == read_back


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_no_digits_are_lost_at_any_scale(scale: float) -> None:
    clip = random_clip(np.random.default_rng(8), moving=True)
    far = Motion(clip.motion.rotations, clip.motion.translations * scale + 1e3 * scale)
    large = Clip(clip.skeleton.scaled(scale), far)
    read = parse_bvh(format_bvh(large))
    order = in_order_of(large, read)
    np.testing.assert_array_equal(read.motion.translations, large.motion.translations[:, order])
    np.testing.assert_allclose(read.world.positions, large.world.positions[:, order], rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("step", [5.0, -7.0])
def test_a_spin_is_written_as_a_straight_line(axis: int, step: float) -> None:
    """Five turns about one axis: neither ±180° nor the ±90° of the middle angle may break the curve."""
    degrees = 1.0 + step * np.arange(360)
    spin = rotations.from_axis_angle(np.eye(3)[axis], np.radians(degrees))
    skeleton = Skeleton(names=("a",), parents=np.array([-1]), offsets=np.zeros((1, 3)))
    text = format_bvh(Clip(skeleton, Motion(spin[:, None], np.zeros((360, 1, 3)))))
    rows = np.array([line.split() for line in text.splitlines()[-360:]], dtype=np.float64)
    written = rows[:, 3 + "ZYX".index("XYZ"[axis])]
    np.testing.assert_allclose(np.diff(written), step, atol=1e-9)
    others = np.delete(rows[:, 3:], "ZYX".index("XYZ"[axis]), axis=1)
    np.testing.assert_allclose(np.diff(others, axis=0), 0.0, atol=1e-9)


def test_curves_of_a_smooth_motion_have_no_avoidable_jumps() -> None:
    """Each row is as near to the row before as any Euler angles of its rotation."""
    rng = np.random.default_rng(9)
    steps = rotations.exp(rng.normal(size=(2000, 3)) * 0.15)
    path = [rotations.IDENTITY]
    for step in steps:
        path.append(rotations.normalize(rotations.multiply(step, path[-1])))
    skeleton = Skeleton(names=("a",), parents=np.array([-1]), offsets=np.zeros((1, 3)))
    clip = Clip(skeleton, Motion(np.array(path)[:, None], np.zeros((len(path), 1, 3))))
    text = format_bvh(clip)
    rows = np.array([line.split() for line in text.splitlines()[-len(path) :]], dtype=np.float64)[:, 3:]
    flipped = rows * [1.0, -1.0, 1.0] + 180.0
    for other in (rows, flipped):
        apart = other[1:] - rows[:-1]
        nearest = np.abs(apart - 360.0 * np.round(apart / 360.0)).sum(axis=1)
        assert (np.abs(np.diff(rows, axis=0)).sum(axis=1) <= nearest + 1e-9).all()
    assert np.abs(rows[:, 1]).max() > 90.0, "the path should pass the middle angle's quarter turn"


def test_gimbal_lock_loses_nothing() -> None:
    rng = np.random.default_rng(10)
    outer = rng.uniform(-np.pi, np.pi, size=(600, 2))
    middle = np.pi / 2 * rng.choice([-1.0, 1.0], 600) + 10.0 ** rng.uniform(-17, -3, 600) * rng.choice([-1, 0, 1], 600)
    turned = rotations.from_euler(np.stack([outer[:, 0], middle, outer[:, 1]], axis=-1), "ZYX")
    skeleton = Skeleton(names=("a",), parents=np.array([-1]), offsets=np.zeros((1, 3)))
    clip = Clip(skeleton, Motion(turned[:, None], np.zeros((600, 1, 3))))
    read = parse_bvh(format_bvh(clip))
    assert rotations.angle_between(read.motion.rotations, clip.motion.rotations).max() < 1e-9


def test_a_chain_too_deep_to_be_read_is_not_written() -> None:
    count = MAX_DEPTH + 1
    skeleton = Skeleton(
        names=tuple(f"j{index}" for index in range(count)),
        parents=np.arange(-1, count - 1),
        offsets=np.ones((count, 3)),
    )
    clip = Clip(skeleton, Motion(np.tile(rotations.IDENTITY, (1, count, 1)), np.ones((1, count, 3))))
    with pytest.raises(FileFormatError, match=f"'j{MAX_DEPTH}' has {MAX_DEPTH} joints above it"):
        format_bvh(clip)
