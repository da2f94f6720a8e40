# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files on disk: captured ones, missing ones, and writing that loses nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.errors import FileFormatError
from poise.solver.files import bvh

CLIPS = {
    "02_01": 344,
    "09_01": 149,
    "10_01": 802,
    "13_01": 2314,
    "13_11": 416,
    "13_33": 1500,
    "13_35": 1202,
    "16_17": 519,
    "49_06": 482,
    "63_01": 449,
    "85_05": 1635,
    "135_04": 1317,
}


def small_clip(frames: int = 3) -> Clip:
    """Two joints that turn."""
    rng = np.random.default_rng(frames)
    skeleton = Skeleton(names=("Hips", "Chest"), parents=np.array([-1, 0]), offsets=np.array([[0, 1, 0], [0, 0.5, 0]]))
    return Clip(skeleton, Motion(rotations.random(rng, (frames, 2)), np.tile(skeleton.offsets, (frames, 1, 1))))


@pytest.mark.parametrize("name", CLIPS)
def test_captured_clips_read_and_come_back_the_same(mocap: Path, tmp_path: Path, name: str) -> None:
    clip = bvh.read_bvh(mocap / f"{name}.bvh")
    assert clip.frames == CLIPS[name]
    assert clip.fps == 120.0
    assert len(clip.skeleton) == 31
    assert len(clip.skeleton.tips) == 7
    # Frame 0 is a T-pose, whose legs hang straight down and whose hands are far out at the sides.
    hip, foot, hand = (clip.position(f"Left{joint}")[0] for joint in ("UpLeg", "Foot", "Hand"))
    assert np.hypot(*(foot - hip)[[0, 2]]) < 0.05 * (hip - foot)[1]
    assert hand[0] - hip[0] > 0.5 * (hip - foot)[1]

    bvh.write_bvh(clip, tmp_path / "again.bvh")
    again = bvh.read_bvh(tmp_path / "again.bvh")
    assert again.fps == clip.fps
    assert again.skeleton.names == clip.skeleton.names
    assert again.skeleton.tips == clip.skeleton.tips
    np.testing.assert_array_equal(again.motion.translations, clip.motion.translations)
    assert rotations.angle_between(again.motion.rotations, clip.motion.rotations).max() < 1e-12
    np.testing.assert_allclose(again.world.positions, clip.world.positions, rtol=0.0, atol=1e-12 * 100.0)


def test_strings_and_paths_both_name_a_file(tmp_path: Path) -> None:
    clip = small_clip()
    bvh.write_bvh(clip, str(tmp_path / "a.bvh"))
    np.testing.assert_array_equal(
        bvh.read_bvh(str(tmp_path / "a.bvh")).world.positions, bvh.read_bvh(tmp_path / "a.bvh").world.positions
    )


def test_what_is_not_a_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"^nowhere\.bvh does not exist; choose a BVH file\.$"):
        bvh.read_bvh(tmp_path / "nowhere.bvh")
    with pytest.raises(FileFormatError, match="is not a file"):
        bvh.read_bvh(tmp_path)
    with pytest.raises(FileFormatError):
        bvh.read_bvh("a\0b.bvh")
    with pytest.raises(FileFormatError):
        bvh.read_bvh("")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_without_a_writer_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.bvh")
    with pytest.raises(FileFormatError, match=r"pipe\.bvh is not a file"):
        bvh.read_bvh(tmp_path / "pipe.bvh")


def test_a_file_too_large_for_memory_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.bvh").open("wb") as file:
        file.truncate(bvh.MAX_BYTES + 1)  # sparse: it takes no room
    with pytest.raises(FileFormatError, match=r"huge\.bvh is larger than"):
        bvh.read_bvh(tmp_path / "huge.bvh")


def test_a_read_that_fails_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bvh.write_bvh(small_clip(), tmp_path / "a.bvh")

    def fail(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", fail)
    with pytest.raises(FileFormatError, match=r"^a\.bvh cannot be read \(Permission denied\); check the file\.$"):
        bvh.read_bvh(tmp_path / "a.bvh")


def test_a_broken_file_is_called_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT\n{")
    with pytest.raises(FileFormatError, match=r"^broken\.bvh, line 2: ROOT has no name"):
        bvh.read_bvh(tmp_path / "broken.bvh")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    target = tmp_path / "a.bvh"
    bvh.write_bvh(small_clip(3), target)
    before = target.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bvh.os, step, fail)
    with pytest.raises(FileFormatError, match=r"^a\.bvh cannot be written \(No space left on device\)"):
        bvh.write_bvh(small_clip(4), target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.bvh"
    bvh.write_bvh(small_clip(3), target)
    before = target.read_bytes()

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bvh.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bvh.write_bvh(small_clip(4), target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "no folder" / "a.bvh", tmp_path / "file" / "a.bvh", Path("a\0b.bvh")):
        with pytest.raises(FileFormatError, match="cannot be written"):
            bvh.write_bvh(small_clip(), place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_writing_over_a_file_keeps_its_permissions_and_follows_links(tmp_path: Path) -> None:
    target, link = tmp_path / "a.bvh", tmp_path / "link.bvh"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    bvh.write_bvh(small_clip(), link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert bvh.read_bvh(target).frames == 3


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_new_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    bvh.write_bvh(small_clip(), tmp_path / "a.bvh")
    assert (tmp_path / "a.bvh").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_write_protected_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.bvh"
    target.write_text("old")
    monkeypatch.setattr(bvh.os, "access", lambda *_: False)  # the tests may run as root, which may write every file
    with pytest.raises(FileFormatError, match=r"a\.bvh cannot be written \(it is write-protected\)"):
        bvh.write_bvh(small_clip(), target)
    assert target.read_text() == "old"
