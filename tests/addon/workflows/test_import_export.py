# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints are saved and loaded; a file is loaded completely or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.bridge.transforms import Transform
from poise.addon.properties import character_of, constraint_list, handles, name_bone
from poise.addon.properties.constraint import KINDS as ALL_KINDS
from poise.addon.workflows import create, import_export

from ..property_values import property_values


def names(armature: bpy.types.Object) -> list[str]:
    return [item.name for item in character_of(armature).constraints]


def test_loading_adds_or_replaces_and_keeps_names(armature: bpy.types.Object, tmp_path: Path) -> None:
    create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    path = tmp_path / "pins.json"
    assert import_export.save(armature, path) == (2, [])
    assert import_export.load(armature, path) == 2
    assert names(armature) == ["Pin l_wrist", "Pin r_wrist", "Pin l_wrist.001", "Pin r_wrist.001"]
    assert import_export.load(armature, path, replace=True) == 2
    assert names(armature) == ["Pin l_wrist", "Pin r_wrist"]


def test_what_is_left_out_is_reported(armature: bpy.types.Object, tmp_path: Path) -> None:
    pins = create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    pins[0].begin, pins[0].end = 500.0, 520.0
    pins[0].points[0].begin = pins[0].points[0].end = 510.0
    count, left_out = import_export.save(armature, tmp_path / "pins.json")
    assert count == 1 and len(left_out) == 1 and "Pin l_wrist" in left_out[0]


def test_a_file_that_cannot_be_loaded_adds_nothing(armature: bpy.types.Object, tmp_path: Path) -> None:
    create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    path = tmp_path / "pins.json"
    import_export.save(armature, path)
    armature.pose.bones["r_wrist"].constraints.new("COPY_TRANSFORMS").target = armature
    armature.pose.bones["r_wrist"].constraints[0].subtarget = "vt6"
    before, empties = names(armature), len(bpy.data.objects)
    with pytest.raises(solver.PoiseError, match="r_wrist"):
        import_export.load(armature, path, replace=True)
    assert names(armature) == before and len(bpy.data.objects) == empties


def test_nothing_to_save_is_refused(armature: bpy.types.Object, tmp_path: Path) -> None:
    with pytest.raises(translation.TranslationError, match="no enabled constraint"):
        import_export.save(armature, tmp_path / "none.json")


# Every kind comes back as it was ------------------------------------------------------------------------------------

KINDS = ("SHAPE", "FOOTPLANT", "ORIENTATION", "LOOK_AT", "BALANCE", "POSE", "HANDPLANT")
BONES = ("l_wrist", "r_elbow", "skullbase", "vt6")
SINGLE = 2e-5
"""Lengths, or shares of a unit vector: Blender keeps numbers in single precision, and a file holds sums of them."""


def test_every_kind_is_covered() -> None:
    assert {kind for kind, *_ in ALL_KINDS} == set(KINDS)


def random_item(armature: bpy.types.Object, kind: str, rng: np.random.Generator) -> Any:
    """A constraint of a kind with random values in all that the kind uses."""
    item = constraint_list.new_item(armature, kind, f"{kind} {rng.integers(1000)}")
    item.priority, item.weight = int(rng.integers(1, 9)), float(rng.uniform(0.5, 2.0))
    item.exact, item.confidence = bool(rng.integers(2)), float(rng.uniform())
    item.recruit = str(rng.choice(["ALL", "LEVEL", "BONES"]))
    if item.recruit == "LEVEL":
        item.recruit_level = int(rng.integers(5))
    if item.recruit == "BONES":
        create.list_bones(armature, item.recruited, ["l_shoulder", "r_shoulder"])
    begin, *inner, end = np.sort(rng.choice(np.arange(10.0, 80.0), 8, replace=False) / 2.0).tolist()
    item.begin, item.end = begin, end
    own = {
        "FOOTPLANT": random_plant,
        "BALANCE": random_balance,
        "POSE": random_pose,
        "HANDPLANT": random_handplant,
    }
    own.get(kind, random_path)(armature, item, rng, inner)
    return item


def random_path(armature: bpy.types.Object, item: Any, rng: np.random.Generator, times: list[float]) -> None:
    name_bone(armature, item, str(rng.choice(BONES[:3])))
    item.mode = str(rng.choice(["ABSOLUTE", "RELATIVE", "CONDENSED"]))
    if item.kind != "ORIENTATION":
        item.offset = rng.normal(scale=0.1, size=3).tolist()
    if item.kind == "LOOK_AT":
        item.aim, item.axis = str(rng.choice(["PLACE", "DIRECTION"])), rng.normal(size=3).tolist()
        if item.aim == "DIRECTION":
            item.offset = (0.0, 0.0, 0.0)
    if item.kind == "SHAPE":
        item.reference = str(rng.choice(["WORLD", "BONE", "OBJECT"]))
        if item.reference == "BONE":
            name_bone(armature, item, "vt6", "reference_bone")
        if item.reference == "OBJECT":
            item.reference_object = random_empty(rng, [1.0, 20.0, 40.0] if rng.integers(2) else [])
    random_points(armature, item, rng, times)


def random_points(armature: bpy.types.Object, item: Any, rng: np.random.Generator, times: list[float]) -> None:
    """Points that are passed or held, by empties that stand, that move, or that could move and do not."""
    if rng.integers(3) == 0:  # one a frame, each with its own empty
        first = float(np.floor(times[0]))
        stays = [(first + number, first + number) for number in range(1, 5)]
        item.begin, item.end = min(item.begin, first), max(item.end, first + 6.0)
    else:
        stays = [(times[0], times[1]), (times[2], times[2]), (times[3], times[4])]
    for begin, end in stays:
        point = item.points.add()
        point.begin, point.end = begin, end
        moves = end > begin and bool(rng.integers(2))
        point.object = random_empty(rng, [begin, 0.5 * (begin + end), end] if moves else [])
        if not moves:
            point.tension, point.continuity, point.bias = rng.uniform(-1.0, 1.0, 3).tolist()
            if rng.integers(2):
                point.object.parent = random_empty(rng, [])
        point.home = rng.normal(size=3).tolist() if item.kind == "BALANCE" else point.object.location


def random_empty(rng: np.random.Generator, frames: list[float]) -> bpy.types.Object:
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.rotation_mode = "QUATERNION"
    for frame in frames or [0.0]:
        empty.location = rng.normal(size=3).tolist()
        empty.rotation_quaternion = solver.rotations.random(rng).tolist()
        if frames:
            empty.keyframe_insert("location", frame=frame)
            empty.keyframe_insert("rotation_quaternion", frame=frame)
    return empty


def random_plant(armature: bpy.types.Object, item: Any, rng: np.random.Generator, times: list[float]) -> None:
    item.foot = str(rng.choice(["LEFT", "RIGHT"]))
    name_bone(armature, item, "l_talocrural" if item.foot == "LEFT" else "r_talocrural")
    item.has_heel = bool(rng.integers(2))
    item.toe_strike, item.toe_off = times[1], times[3]
    if item.has_heel:
        item.heel_strike, item.heel_off = times[0], times[2]
    item.ease_in, item.ease_out = rng.choice([-1.0, 0.0, 3.5], 2).tolist()
    item.ground_velocity = rng.normal(size=3).tolist()
    item.use_position, item.use_heading, item.use_height = (bool(rng.integers(2)) for _ in range(3))
    item.height = float(rng.normal()) if item.use_height else 0.0
    item.ground_choice = str(rng.choice(["GROUND", "AUTO", "OWN"]))
    plant = solver.Footplant(foot=item.foot.lower(), **{key: getattr(item, key) for key in ("toe_strike", "toe_off")})
    home = translation.plant_transform(bridge.read(armature).clip, plant)
    point = item.points.add()
    point.begin, point.end = item.begin, item.end
    handles.add_empty(armature, item, point, Transform.upright(home.location, float(rng.uniform(-2.0, 2.0))))
    point.object.location.x += float(rng.normal())
    turned = solver.rotations.multiply((np.cos(0.2), 0.0, 0.0, np.sin(0.2)), point.object.rotation_quaternion)
    point.object.rotation_quaternion = turned.tolist()


def random_handplant(armature: bpy.types.Object, item: Any, rng: np.random.Generator, times: list[float]) -> None:
    item.hand = str(rng.choice(["LEFT", "RIGHT"]))
    name_bone(armature, item, "l_wrist" if item.hand == "LEFT" else "r_wrist")
    item.begin, item.end = float(np.floor(item.begin)), float(np.ceil(item.end))
    item.ease_in, item.ease_out = rng.choice([-1.0, 0.0, 3.5], 2).tolist()
    item.use_position = bool(rng.integers(2))
    item.reference = str(rng.choice(["WORLD", "OBJECT"]))
    if item.reference == "OBJECT":
        item.reference_object = random_empty(rng, [1.0, 20.0, 40.0] if rng.integers(2) else [])
    point = item.points.add()
    point.begin, point.end = item.begin, item.end
    handles.add_empty(armature, item, point, Transform.upright(rng.normal(size=3), float(rng.uniform(-2.0, 2.0))))
    point.object.location.x += float(rng.normal())


def random_balance(armature: bpy.types.Object, item: Any, rng: np.random.Generator, times: list[float]) -> None:
    item.support = str(rng.choice(["FEET", "PLANTS"]))
    if item.support == "FEET" and rng.integers(2):
        create.list_bones(armature, item.bones, BONES[:2])
        item.bones[0].offset = (0.1, 0.2, 0.3)
    item.is_whole = bool(rng.integers(2))
    if item.is_whole:
        item.begin, item.end = bridge.frame_range(bpy.context.scene)
    item.axes = set(rng.choice(["X", "Y", "Z"], 2, replace=False).tolist())
    item.displacement = rng.normal(size=3).tolist()
    if rng.integers(3):
        random_points(armature, item, rng, times)


def random_pose(armature: bpy.types.Object, item: Any, rng: np.random.Generator, times: list[float]) -> None:
    item.pose_space = str(rng.choice(["LOCAL", "WORLD"]))
    item.ease_in, item.ease_out = rng.choice([-1.0, 0.0, 3.5], 2).tolist()
    create.list_bones(armature, item.bones, BONES[: rng.integers(1, 4)])
    name_bone(armature, item, item.bones[0].bone)
    for listed in item.bones:
        listed.rotation, listed.world_rotation = solver.rotations.random(rng, 2).tolist()


def described(item: Any) -> dict[str, Any]:
    """All values of a constraint that mean something, with what its empties mean at every frame they are held."""
    values = property_values(item)
    if item.kind in ("FOOTPLANT", "HANDPLANT", "BALANCE"):  # their points are always empties of the character
        for point in values["points"]:
            del point["object"]
    for field in ("uid", "bone_id", "reference_bone_id", "active_point"):
        del values[field]
    for listed in (*values["recruited"], *values["bones"]):
        del listed["bone_id"]
        if item.kind == "POSE":  # only one of the two is held
            del listed["world_rotation" if item.pose_space == "LOCAL" else "rotation"]
    for saved, point in zip(item.points, values["points"], strict=True):
        home = Transform.from_quaternion(saved.home, saved.home_rotation)
        for field in ("home", "home_rotation"):
            del point[field]
        frames = np.linspace(saved.begin, saved.end, int(np.ceil(saved.end - saved.begin)) + 1)
        if item.kind == "HANDPLANT":  # where it stands later is up to what it stands on
            frames = frames[:1]
        placed = [
            placed_at(saved.object, float(frame)) for frame in np.unique([*frames[[0, -1]], *np.ceil(frames[:-1])])
        ]
        point["moves"] = not all(place.equals(placed[0]) for place in placed)
        point["means"] = [meaning(item, home, place) for place in placed]
    if item.reference_object is not None:
        placed = [placed_at(item.reference_object, frame) for frame in range(1, 50, 7)]
        values["reference"] = [[place.location.tolist(), place.quaternion.tolist()] for place in placed]
    return values


def meaning(item: Any, home: Transform, place: Transform) -> list[Any]:
    """What an empty with a home says at its place: a location, a rotation, a direction, or how far it was moved."""
    if item.kind == "ORIENTATION":
        return place.axes.tolist()
    if item.kind == "LOOK_AT" and item.aim == "DIRECTION":
        return place.axes[:, 2].tolist()
    if item.kind == "HANDPLANT":
        own = home.location.tolist() if item.use_position else []
        return [own, (place.location - home.location).tolist(), place.heading - home.heading]
    if item.kind == "FOOTPLANT":
        own = [*(home.location if item.use_position else ()), *([home.heading] if item.use_heading else ())]
        return [own, (place.location - home.location).tolist(), place.heading - home.heading]
    return (place.location - (home.location if item.kind == "BALANCE" else 0.0)).tolist()


def placed_at(empty: bpy.types.Object, frame: float) -> Transform:
    bridge.set_frame(bpy.context.scene, frame)
    return Transform.of(empty.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def assert_same(before: Any, after: Any, where: str) -> None:
    if isinstance(before, dict):
        assert set(before) == set(after), where
        for key in before:
            assert_same(before[key], after[key], f"{where}, {key}")
    elif isinstance(before, list):
        assert len(before) == len(after), where
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            assert_same(one, other, f"{where}, {number}")
    elif isinstance(before, float):
        assert after == pytest.approx(before, abs=SINGLE, rel=SINGLE), where
    else:
        assert before == after, where


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_a_round_trip(armature: bpy.types.Object, tmp_path: Path, kind: str, seed: int) -> None:
    random_item(armature, kind, np.random.default_rng(seed))
    (item,) = character_of(armature).constraints
    before = described(item)
    assert import_export.save(armature, tmp_path / "one.json") == (1, [])
    import_export.load(armature, tmp_path / "one.json", replace=True)
    (item,) = character_of(armature).constraints
    assert_same(before, described(item), f"{kind} {seed}")
    import_export.save(armature, tmp_path / "two.json")
    one, two = (
        solver.read_constraints(tmp_path / name, bridge.read(armature).clip) for name in ("one.json", "two.json")
    )
    assert [type(each) for each in one] == [type(each) for each in two]


@pytest.mark.parametrize(
    ("key", "value"), [("confidence", "high"), ("ground_choice", "AIR"), ("displacement", [1]), ("empties", "many")]
)
def test_what_a_file_says_wrongly_about_blender_is_refused(
    armature: bpy.types.Object, tmp_path: Path, key: str, value: Any
) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)
    path = tmp_path / "pins.json"
    import_export.save(armature, path)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["constraints"][0]["blender"] = {key: value, "of_a_later_version": 1}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(translation.TranslationError, match=f'"{key}" under "blender"'):
        import_export.load(armature, path)
    assert names(armature) == ["Pin l_wrist"]


def test_an_object_that_is_elsewhere_now_is_not_taken_for_the_one_of_the_file(
    armature: bpy.types.Object, tmp_path: Path
) -> None:
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    ball.location = (0.0, -3.0, 1.0)
    create.add_look_at(armature, ["skullbase"], 5.0, 40.0, target="Ball")
    import_export.save(armature, tmp_path / "look.json")
    import_export.load(armature, tmp_path / "look.json", replace=True)
    assert character_of(armature).constraints[0].points[0].object == ball
    ball.location.x += 0.5
    import_export.load(armature, tmp_path / "look.json", replace=True)
    made = character_of(armature).constraints[0].points[0].object
    assert made != ball and tuple(made.location) == pytest.approx((0.0, -3.0, 1.0))
    assert "Ball" in bpy.data.objects
