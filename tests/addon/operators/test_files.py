# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints go to files and come back."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of

from .test_constraints import LEFT, items, refused, run


def add_some(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT, frame=20, hold=4)
    run("constraint_add_trajectory", bone="r_wrist", begin=5, end=45)
    run("constraint_add_footplant", foot="LEFT", begin=10, end=25)
    run("constraint_add_orientation", bone="skullbase", frame=30)
    run("constraint_add_look_at", bone="skullbase", begin=5, end=40)
    run("constraint_add_balance", begin=10, end=30)
    run("constraint_add_pose", bone="r_elbow", frame=20, begin=20, end=25)


def test_a_saved_file_gives_the_same_motion(armature: bpy.types.Object, tmp_path: Path) -> None:
    add_some(armature)
    path = tmp_path / "constraints.json"
    run("constraints_save", filepath=str(path))
    reading = bridge.read(armature)
    before = translation.translate(armature, reading).constraints
    run("constraints_load", filepath=str(path), replace=True)
    after = translation.translate(armature, reading).constraints
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert other.name in (one.name, f"{one.name}.001")
        wanted, found = (constraint.tracks(_source(reading)) for constraint in (one, other))
        for asked, got in zip(wanted, found, strict=True):
            assert asked.begin == got.begin
            np.testing.assert_allclose(asked.displacement, got.displacement, atol=2e-5, err_msg=one.name)


def _source(reading: bridge.Reading) -> object:
    from poise.solver.constraints import Source

    return Source(reading.clip)


def test_loading_adds_and_counts_frames_from_the_range(armature: bpy.types.Object, tmp_path: Path) -> None:
    path = tmp_path / "plant.json"
    plant = {"kind": "footplant", "foot": "left", "heel_strike": 5, "toe_strike": 5, "heel_off": 9, "toe_off": 9}
    path.write_text(json.dumps({"poise": 1, "constraints": [plant]}), encoding="utf-8")
    run("constraint_add_pin", bone=LEFT)
    run("constraints_load", filepath=str(path))
    pin, loaded = items(armature)
    assert pin.kind == "SHAPE" and loaded.kind == "FOOTPLANT"
    assert loaded.heel_strike == bpy.context.scene.frame_start + 5
    assert character_of(armature).active_constraint == 1


def test_a_bad_file_changes_nothing(armature: bpy.types.Object, tmp_path: Path) -> None:
    run("constraint_add_pin", bone=LEFT)
    objects = set(bpy.data.objects)
    path = tmp_path / "bad.json"
    wave = [[0.0, 0.0, 0.1 * frame] for frame in range(5)]
    good = {"kind": "shape", "joint": LEFT, "begin": 3, "end": 9, "points": [{"location": [0, 0, 0], "begin": 5}]}
    for text, message in (
        ("no JSON", "bad.json"),
        (json.dumps({"poise": 1, "constraints": [good, {**good, "joint": "missing"}]}), "missing"),
        (json.dumps({"poise": 1, "constraints": [good, {"kind": "balance", "displacement": wave}]}), "5 rows"),
    ):
        path.write_text(text, encoding="utf-8")
        assert message in refused("constraints_load", filepath=str(path), replace=True)
        assert [item.name for item in items(armature)] == [f"Pin {LEFT}"]
        assert set(bpy.data.objects) == objects
    assert "does not exist" in refused("constraints_load", filepath=str(tmp_path / "none.json"))
    assert "No file" in refused("constraints_load")


def test_what_cannot_be_saved_is_reported(armature: bpy.types.Object, tmp_path: Path) -> None:
    path = tmp_path / "constraints.json"
    assert "no constraint yet" in refused("constraints_save", filepath=str(path))
    run("constraint_add_pin", bone=LEFT)
    items(armature)[0].enabled = False
    assert "no enabled constraint" in refused("constraints_save", filepath=str(path))
    items(armature)[0].enabled = True
    bpy.data.objects.remove(items(armature)[0].points[0].object)
    assert "has been deleted" in refused("constraints_save", filepath=str(path))
    assert not path.exists()


def test_a_folder_that_is_not_there_is_reported(armature: bpy.types.Object, tmp_path: Path) -> None:
    run("constraint_add_pin", bone=LEFT)
    sentence = refused("constraints_save", filepath=str(tmp_path / "nowhere" / "constraints.json"))
    assert "constraints.json" in sentence and "\n" not in sentence


@pytest.mark.parametrize("name", ["walk", "walk.json"])
def test_a_file_without_an_ending_gets_one(armature: bpy.types.Object, tmp_path: Path, name: str) -> None:
    run("constraint_add_pin", bone=LEFT)
    run("constraints_save", filepath=str(tmp_path / name))
    assert [path.name for path in tmp_path.glob("walk*")] == ["walk.json"]
    assert solver.read_constraints(tmp_path / "walk.json", bridge.read(armature).clip)
