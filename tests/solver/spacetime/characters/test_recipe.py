# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes for simplified characters, as data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from poise.solver.core.errors import HandleError, RecipeError
from poise.solver.spacetime.characters.recipe import (
    BIPED,
    HOPPER,
    JUMPER,
    RECIPES,
    VALUE_NAMES,
    Contact,
    KeptHandle,
    KeptJoint,
    Recipe,
    recipe_from_dict,
)
from poise.solver.spacetime.handles.handle import CenterOfMassHandle, PointHandle

OWN = Recipe(
    "own",
    joints=(
        KeptJoint(("spine",), "ball", lower=(-30.0, -20.0, -40.0), upper=(60.0, 20.0, 40.0)),
        KeptJoint(("LeftArm", "RightArm"), "hinge", axis="fitted", margin=0.2),
        KeptJoint(("left_hip",), "telescope", end="left_ball", lower=(0.3,), upper=(1.2,)),
    ),
    handles=(KeptHandle(PointHandle("left_ball"), 2.5), KeptHandle(CenterOfMassHandle("spine") * 0.5)),
    contacts=(Contact("left foot", ("left",)),),
    holds_ends=True,
)


@pytest.mark.parametrize("recipe", [BIPED, JUMPER, HOPPER, OWN], ids=lambda recipe: recipe.name)
def test_a_recipe_comes_back_from_json(recipe: Recipe) -> None:
    assert recipe_from_dict(json.loads(json.dumps(recipe.as_dict()))) == recipe


def test_known_recipes_are_found_by_their_names() -> None:
    assert RECIPES == {"biped": BIPED, "jumper": JUMPER, "hopper": HOPPER}
    values = [sum(len(VALUE_NAMES[joint.form]) for joint in recipe.joints) for recipe in (BIPED, JUMPER, HOPPER)]
    assert values == [10, 9, 4]


def test_what_has_a_default_may_be_left_out() -> None:
    data = {
        "name": "short",
        "joints": [{"joints": ["left_knee"], "form": "hinge"}],
        "handles": [{"handle": "left_ball"}],
        "contacts": [{"name": "foot", "feet": ["left"]}],
    }
    recipe = recipe_from_dict(data)
    assert recipe.joints == (KeptJoint(("left_knee",), "hinge"),)
    assert recipe.handles == (KeptHandle(PointHandle("left_ball")),)
    assert not recipe.holds_ends


def test_lists_and_single_values_become_tuples() -> None:
    joint = KeptJoint("left_knee", "hinge", lower=[1], upper=[150])  # type: ignore[arg-type]
    assert joint.joints == ("left_knee",) and joint.lower == (1,)
    assert Contact("foot", ["left"]).feet == ("left",)  # type: ignore[arg-type]
    assert hash(replace(OWN, joints=[joint])) == hash(replace(OWN, joints=(joint,)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"joints": ()}, "names one joint or more"),
        ({"joints": ("left_hip", "")}, "names one joint or more"),
        ({"joints": (3,)}, "names one joint or more"),
        ({"form": "slider"}, "'ball' or 'hinge' or 'telescope' or 'mass point', not 'slider'"),
        ({"form": None}, "form of the left hip"),
        ({"axis": "up"}, "'left' or 'fitted', not 'up'"),
        ({"form": "ball", "axis": "fitted"}, "only a hinge has a fitted axis"),
        ({"form": "ball", "lower": (0.0,), "upper": (1.0,)}, r"lower bounds .* 3 finite numbers \(flexion, abduction"),
        (
            {"lower": (0.0,), "upper": ("wide",)},
            r"upper bounds .* be one finite number \(flexion\), not \['wide'\]",
        ),
        ({"lower": (float("nan"),), "upper": (1.0,)}, "finite"),
        ({"lower": (0.0,)}, "give both lower and upper"),
        ({"lower": (5.0,), "upper": (1.0,)}, r"lower bound \(5\) above its upper \(1\)"),
        ({"margin": -0.1}, "margin of the left hip"),
        ({"form": "telescope"}, "a telescope, has an end"),
        ({"end": "left_ball"}, "a telescope, has an end"),
    ],
)
def test_a_kept_joint_that_cannot_be_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(RecipeError, match=words) as refused:
        KeptJoint(**{"joints": ("left_hip",), "form": "hinge", **given})
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": ""}, "has a name"),
        ({"handles": ()}, "has no handles"),
        ({"contacts": ()}, "has no contacts"),
        ({"joints": (KeptJoint(("neck",), "ball"), KeptJoint(("neck",), "hinge"))}, "the joint 'neck' twice"),
        ({"joints": (PointHandle("neck"),)}, "are KeptJoint"),
        ({"handles": (PointHandle("neck"),)}, "are KeptHandle"),
        ({"contacts": (Contact("a", ("left",)), Contact("a", ("right",)))}, "the contact 'a' twice"),
        ({"contacts": (Contact("a", ("left",)), Contact("b", ("left", "right")))}, "the foot 'left' twice"),
        ({"holds_ends": "yes"}, "true or false, not 'yes'"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(RecipeError, match=words):
        replace(OWN, **given)


@pytest.mark.parametrize("feet", [(), ("left", "left"), ("middle",), ("left", "right", "left"), (None,)])
def test_a_contact_has_the_left_the_right_or_both_feet(feet: tuple[Any, ...]) -> None:
    with pytest.raises(RecipeError, match="each once"):
        Contact("foot", feet)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), "much"])
def test_a_handle_has_a_positive_weight(weight: Any) -> None:
    with pytest.raises(RecipeError, match="weight of the left ball"):
        KeptHandle(PointHandle("left_ball"), weight)
    with pytest.raises(RecipeError, match="has handles"):
        KeptHandle("left_ball")  # type: ignore[arg-type]


def broken(**changes: Any) -> dict[str, Any]:
    return {**BIPED.as_dict(), **changes}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "A recipe has name, joints, handles, contacts, holds_ends, not None"),
        ([1], "A recipe has"),
        ({key: value for key, value in BIPED.as_dict().items() if key != "contacts"}, "A recipe needs 'contacts'"),
        (broken(speed=1), "A recipe has no 'speed'; it has name"),
        (broken(joints=7), "joints of a recipe are a list"),
        (broken(joints=["left_hip"]), "A kept joint has joints, form"),
        (broken(joints=[{"joints": ["left_hip"]}]), "A kept joint needs 'form'"),
        (broken(joints=[{"joints": ["left_hip"], "form": "hinge", "stiffness": 2}]), "A kept joint has no 'stiffness'"),
        (broken(handles=[{"weight": 2.0}]), "A handle of a recipe needs 'handle'"),
        (broken(contacts=[{"name": "foot", "feet": "both"}]), "each once"),
        (broken(contacts=[{"name": "foot"}]), "A contact needs 'feet'"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_a_sentence(data: object, words: str) -> None:
    with pytest.raises(RecipeError, match=words) as refused:
        recipe_from_dict(data)
    assert str(refused.value).endswith(".")


def test_a_wrong_handle_in_a_file_is_said_as_everywhere() -> None:
    with pytest.raises(HandleError, match="no handle of the kind 'speed'"):
        recipe_from_dict(broken(handles=[{"handle": {"kind": "speed"}}]))
