# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognition by shape: what makes a person, and what prevents it. Whole characters are in `test_recognition`."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.landmarks.body_shape import find_body
from poise.solver.body.landmarks.figure import Figure
from poise.solver.core import rotations

Tree = dict[str, tuple[str | None, tuple[float, float, float]]]

TRUNK: Tree = {
    "hips": (None, (0.0, 0.95, 0.0)),
    "spine": ("hips", (0.0, 1.15, 0.0)),
    "chest": ("spine", (0.0, 1.35, 0.0)),
    "neck": ("chest", (0.0, 1.48, 0.0)),
    "head": ("neck", (0.0, 1.6, 0.0)),
}
LIMBS: Tree = {
    "clavicle": ("chest", (0.03, 1.42, 0.0)),
    "shoulder": ("clavicle", (0.18, 1.42, 0.0)),
    "elbow": ("shoulder", (0.46, 1.42, 0.0)),
    "wrist": ("elbow", (0.73, 1.42, 0.0)),
    "finger": ("wrist", (0.82, 1.42, 0.0)),
    "hip": ("hips", (0.09, 0.91, 0.0)),
    "knee": ("hip", (0.09, 0.49, 0.01)),
    "ankle": ("knee", (0.09, 0.08, 0.0)),
    "toe": ("ankle", (0.09, 0.0, 0.13)),
}


def person() -> Tree:
    tree = dict(TRUNK)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, (parent, (x, y, z)) in LIMBS.items():
            tree[f"{side}_{name}"] = (f"{side}_{parent}" if parent in LIMBS else parent, (sign * x, y, z))
    return tree


def found_in(tree: Tree) -> dict[str, str]:
    """The joints that the shape gives, by their names in the tree."""
    names = list(tree)
    parents = [-1 if parent is None else names.index(parent) for parent, _ in tree.values()]
    positions = np.array([place for _, place in tree.values()], dtype=float)
    body = find_body(Figure(parents, positions, np.tile(rotations.IDENTITY, (len(names), 1)), ()))
    return {role: names[joint] for role, joint in body.items()}


def chain(tree: Tree, name: str, parent: str, places: list[tuple[float, float, float]]) -> None:
    for number, place in enumerate(places):
        tree[f"{name}{number}"] = (parent if number == 0 else f"{name}{number - 1}", place)


def test_a_person() -> None:
    expected = {name: name for name in person() if name not in ("spine", "chest")}
    assert found_in(person()) == expected


def test_a_person_without_arms_has_legs() -> None:
    tree = {name: joint for name, joint in person().items() if not any(part in name for part in list(LIMBS)[:5])}
    assert set(found_in(tree)) == {
        "hips",
        *(f"{s}_{r}" for s in ("left", "right") for r in ("hip", "knee", "ankle", "toe")),
    }


def test_a_skirt_a_tail_and_hair_are_not_limbs() -> None:
    tree = person()
    for sign in (-1.0, 1.0):
        chain(tree, f"skirt{sign}", "hips", [(sign * 0.2, 0.9, 0.1), (sign * 0.3, 0.5, 0.1), (sign * 0.3, 0.1, 0.1)])
        chain(tree, f"hair{sign}", "head", [(sign * 0.1, 1.6, 0.0), (sign * 0.12, 1.4, 0.0), (sign * 0.12, 1.2, 0.0)])
    chain(tree, "tail", "hips", [(0.0, 0.9, -0.1), (0.0, 0.5, -0.4), (0.0, 0.08, -0.8)])
    assert found_in(tree) == found_in(person())


def test_rounding_does_not_decide_between_joints_in_one_place(rng: np.random.Generator) -> None:
    """The first of them is the knee, elbow or wrist, the last is the toe."""
    exact: Tree = {}
    for name, (parent, place) in person().items():
        twins = ("knee", "elbow", "wrist", "toe")
        parent_is_twin = parent is not None and parent.endswith(twins)
        exact[name] = (f"{parent}_twin" if parent_is_twin else parent, place)
        if name.endswith(twins):
            exact[f"{name}_twin"] = (name, place)
    expected = {role: f"{name}_twin" if name.endswith("toe") else name for role, name in found_in(person()).items()}
    for _ in range(20):
        noise = rng.uniform(-1e-15, 1e-15, (len(exact), 3))
        rounded = {
            name: (parent, tuple(np.add(place, each)))
            for (name, (parent, place)), each in zip(exact.items(), noise, strict=True)
        }
        assert found_in(rounded) == expected


def test_legs_on_a_joint_of_their_own_leave_the_hips_where_the_trunk_begins() -> None:
    tree: Tree = {}
    for name, (parent, place) in person().items():
        tree[name] = ("pelvis" if name.endswith("_hip") else parent, place)
        if name == "hips":
            tree["pelvis"] = ("hips", (0.0, 0.93, 0.0))
    assert found_in(tree) == found_in(person())


def test_bent_knees_tell_the_sides_where_there_are_no_feet() -> None:
    tree = {name: joint for name, joint in person().items() if not name.endswith("toe")}
    assert found_in(tree)["left_ankle"] == "left_ankle"
    backward = {name: (parent, (x, y, -z)) for name, (parent, (x, y, z)) in tree.items()}
    assert found_in(backward)["left_ankle"] == "right_ankle"


def shifted(tree: Tree, part: str, by: tuple[float, float, float]) -> Tree:
    return {
        name: (parent, tuple(np.add(place, by)) if name.startswith(part) else place)
        for name, (parent, place) in tree.items()
    }


@pytest.mark.parametrize(
    "tree",
    [
        shifted(person(), "left_knee", (0.0, 0.0, 0.3)),
        shifted(person(), "left_ankle", (0.0, 0.3, 0.0)),
        shifted(shifted(person(), "left_ankle", (0.3, 0.0, 0.0)), "right_ankle", (0.3, 0.0, 0.0)),
        {name: (parent, (x, -y, z)) for name, (parent, (x, y, z)) in person().items()},
        {name: (parent, (y, x, z)) for name, (parent, (x, y, z)) in person().items()},
        {name: joint for name, joint in person().items() if not name.startswith("right_")},
        {name: joint for name, joint in person().items() if name not in TRUNK or name == "hips"}
        | {name: joint for name, joint in person().items() if name == "chest"},
    ],
    ids=["one knee aside", "one leg short", "legs aslant", "upside down", "lying", "one side", "no trunk"],
)
def test_what_is_not_even_or_does_not_stand_is_no_person(tree: Tree) -> None:
    known = {name: (parent if parent in tree else None, place) for name, (parent, place) in tree.items()}
    assert found_in(known) == {}


def test_a_third_leg_makes_a_stranger() -> None:
    tree = person()
    chain(tree, "third", "hips", [(0.0, 0.9, -0.1), (0.0, 0.5, -0.1), (0.0, 0.0, -0.1)])
    assert found_in(tree) == {}


def test_uneven_arms_are_not_taken() -> None:
    found = found_in(shifted(person(), "left_wrist", (0.0, -0.4, 0.0)))
    assert "left_ankle" in found and "left_wrist" not in found
