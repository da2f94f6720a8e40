# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files as Blender's own importer and exporter understand them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.files import bvh

SINGLE_PRECISION = 1e-4
"""Of the character's size: Blender computes in single precision, through every bone of a chain."""

FIRST_FRAME = 1
"""Of an imported motion, in Blender's counting."""


@pytest.fixture(autouse=True)
def empty_file() -> Iterator[None]:
    """Nothing in the file, before and after."""
    bpy.ops.wm.read_homefile(use_empty=True)
    yield
    bpy.ops.wm.read_homefile(use_empty=True)


def import_bvh(path: Path) -> bpy.types.Object:
    """The armature that Blender makes of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # Blender's importer leaves closing the file to Python
        assert bpy.ops.import_anim.bvh(filepath=str(path)) == {"FINISHED"}
    armature = bpy.context.object
    assert armature is not None
    return armature


def bone_heads(armature: bpy.types.Object, names: Iterable[str], frames: Iterable[int]) -> Array:
    """(frames, bones, 3) in world space, y up as in the file."""
    heads = []
    for frame in frames:
        bpy.context.scene.frame_set(FIRST_FRAME + frame)
        heads.append([armature.matrix_world @ armature.pose.bones[name].head for name in names])
    x, y, z = np.moveaxis(np.array(heads, dtype=np.float64), -1, 0)
    return np.stack([x, z, -y], axis=-1)


def check(clip: Clip, armature: bpy.types.Object, frames: Iterable[int]) -> None:
    """The joints of a clip are where the bones of the same names are."""
    frames = list(frames)
    heads = bone_heads(armature, clip.skeleton.names, frames)
    apart = np.linalg.norm(clip.world.positions[frames] - heads, axis=-1)
    reach = np.ptp(clip.world.positions.reshape(-1, 3), axis=0).max()
    worst = np.unravel_index(int(apart.argmax()), apart.shape)
    assert apart.max() < SINGLE_PRECISION * reach, (
        f"{clip.skeleton.names[worst[1]]} at frame {frames[worst[0]]} is {apart.max():.3g} away, of {reach:.3g}"
    )


def made_up_text(rng: np.random.Generator, roots: int = 1) -> str:
    """Every order of three rotations, positions on joints of every depth, offsets on roots."""
    orders = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
    lines = ["HIERARCHY"]
    width = 0

    def block(name: str, keyword: str, order: str, positions: bool) -> list[str]:
        nonlocal width
        channels = [f"{axis}rotation" for axis in order]
        if positions:
            channels = list(rng.permutation(["Xposition", "Yposition", "Zposition"])) + channels
        if rng.random() < 0.5:
            channels = channels[::-1]
        width += len(channels)
        offset = " ".join(f"{value:.6f}" for value in rng.normal(size=3))
        return [f"{keyword} {name}", "{", f"OFFSET {offset}", f"CHANNELS {len(channels)} {' '.join(channels)}"]

    for root in range(roots):
        lines += block(f"root{root}", "ROOT", orders[root], positions=True)
        for branch in range(3):
            for depth, order in enumerate(orders):
                lines += block(f"joint{root}_{branch}_{depth}", "JOINT", order, positions=bool(rng.random() < 0.3))
            lines += ["End Site", "{", "OFFSET 0.0 1.0 0.5", "}"] + ["}"] * len(orders)
        lines += ["}"]
    values = rng.uniform(-180.0, 180.0, size=(5, width))
    lines += ["MOTION", "Frames: 5", "Frame Time: 0.0333333"]
    return "\n".join(lines + [" ".join(f"{value:.6f}" for value in row) for row in values]) + "\n"


@pytest.mark.parametrize("roots", [1, 3])
def test_a_made_up_file_means_what_it_means_to_blender(tmp_path: Path, roots: int) -> None:
    path = tmp_path / "made_up.bvh"
    path.write_text(made_up_text(np.random.default_rng(roots), roots))
    clip = bvh.read_bvh(path)
    check(clip, import_bvh(path), range(clip.frames))


def test_repeated_names_are_numbered_as_in_blender(tmp_path: Path) -> None:
    text = made_up_text(np.random.default_rng(4)).replace("joint0_1_2", "root0").replace("joint0_2_4", "root0")
    path = tmp_path / "repeated.bvh"
    path.write_text(text)
    clip = bvh.read_bvh(path)
    assert {"root0", "root0.001", "root0.002"} < set(clip.skeleton.names)
    check(clip, import_bvh(path), range(clip.frames))


def test_a_captured_walk_stands_where_blender_puts_it(mocap: Path) -> None:
    clip = bvh.read_bvh(mocap / "02_01.bvh")
    check(clip, import_bvh(mocap / "02_01.bvh"), [0, 1, 57, 171, 260, 343])


def test_blender_reads_what_was_written(tmp_path: Path) -> None:
    """Rest rotations, z up, joints out of depth-first order, translations everywhere."""
    rng = np.random.default_rng(5)
    parents = np.array([-1, 0, 0, 1, 2, 3, 4, 1])
    skeleton = Skeleton(
        names=tuple(f"joint{index}" for index in range(len(parents))),
        parents=parents,
        offsets=rng.normal(size=(len(parents), 3)),
        rest_rotations=rotations.random(rng, len(parents)),
        tips=(BodyPoint(5, (0.0, 0.5, 0.0)), BodyPoint(6, (0.5, 0.0, 0.0))),
        up="z",
    )
    translations = skeleton.offsets + 0.3 * rng.normal(size=(6, len(parents), 3))
    clip = Clip(skeleton, Motion(rotations.random(rng, (6, len(parents))), translations), fps=24.0)
    bvh.write_bvh(clip, tmp_path / "written.bvh")
    armature = import_bvh(tmp_path / "written.bvh")
    x, y, z = np.moveaxis(bone_heads(armature, skeleton.names, range(6)), -1, 0)
    np.testing.assert_allclose(np.stack([x, -z, y], axis=-1), clip.world.positions, atol=SINGLE_PRECISION)


def test_what_blender_writes_is_read_where_blender_had_it(tmp_path: Path) -> None:
    """Its exporter gives a root both an offset and absolute positions: adding the two would be wrong."""
    (tmp_path / "made_up.bvh").write_text(made_up_text(np.random.default_rng(6)))
    armature = import_bvh(tmp_path / "made_up.bvh")
    path = tmp_path / "exported.bvh"
    last_frame = FIRST_FRAME + 4
    assert bpy.ops.export_anim.bvh(filepath=str(path), frame_start=FIRST_FRAME, frame_end=last_frame) == {"FINISHED"}
    clip = bvh.read_bvh(path)
    assert clip.frames == 5
    assert np.linalg.norm(clip.skeleton.offsets[0]) > 0.1
    # The exporter writes Blender's own axes, whatever the format's vertical is.
    x, y, z = np.moveaxis(bone_heads(armature, clip.skeleton.names, range(5)), -1, 0)
    reach = np.ptp(clip.world.positions.reshape(-1, 3), axis=0).max()
    np.testing.assert_allclose(clip.world.positions, np.stack([x, -z, y], axis=-1), atol=SINGLE_PRECISION * reach)
