# SPDX-License-Identifier: GPL-3.0-or-later
"""Every panel in every state, drawn with a real layout: nothing raises, nothing is complained about, all is shown."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import bpy
import pytest

from poise import solver
from poise.addon import operators, panels
from poise.addon.panels import work
from poise.addon.properties import TRUNK_MARKS
from poise.addon.workflows import physics_memory, progress

from .drawing import MENUS, PANELS, Complaints, draw_all, drawn, in_sidebar

ADDED = {
    "SHAPE": ("constraint_add_pin", {"bone": "l_wrist"}),
    "FOOTPLANT": ("constraint_add_footplant", {"foot": "LEFT"}),
    "ORIENTATION": ("constraint_add_orientation", {"bone": "l_wrist"}),
    "LOOK_AT": ("constraint_add_look_at", {"bone": "skullbase"}),
    "BALANCE": ("constraint_add_balance", {}),
    "POSE": ("constraint_add_pose", {"bone": "l_wrist,l_elbow"}),
    "HANDPLANT": ("constraint_add_handplant", {"hand": "LEFT"}),
}
OWN = {
    "SHAPE": ("offset", "reference", "mode", "begin"),
    "FOOTPLANT": ("foot", "heel_strike", "toe_off", "use_ease_in", "use_height", "ground_choice", "ground_velocity"),
    "ORIENTATION": ("mode", "begin", "end"),
    "LOOK_AT": ("aim", "axis"),
    "BALANCE": ("is_whole", "displacement", "axes", "support"),
    "POSE": ("pose_space", "use_ease_out"),
    "HANDPLANT": ("hand", "begin", "reference", "use_position"),
}
"""Of each kind, properties that its settings must show."""
FITTING = 14
"""Letters that a window shows uncut in two fifths of a sidebar of the usual width."""


def drawn_texts(shown: str) -> Iterator[str]:
    """The texts of a panel, from what `draw_all` gives, in their order; names of properties and tooltips left out."""

    def texts(items: list[Any]) -> Iterator[str]:
        for item in items:
            if item.get("draw_string") and "PoiseConstraint.name" not in item.get("rna", ""):
                yield item["draw_string"]
            yield from texts(item.get("items", []))

    return texts(ast.literal_eval(shown))


def text_of(shown: str) -> str:
    """The texts of a panel as one: sentences are drawn in several lines."""
    return " ".join(drawn_texts(shown))


def add(kind: str) -> None:
    operator, given = ADDED[kind]
    getattr(bpy.ops.poise, operator)(**given)


# The states of a file -----------------------------------------------------------------------------------------------


def test_an_empty_file_asks_for_an_armature(complaints: Complaints) -> None:
    shown = draw_all(complaints)
    assert set(shown) == {"POISE_PT_work", *(menu.__name__ for menu in MENUS)}
    assert "Select an armature" in shown["POISE_PT_work"]
    assert "Add Example" in text_of(shown["POISE_PT_work"]), "the first click in an empty scene"


def test_something_else_than_an_armature_asks_for_one(complaints: Complaints) -> None:
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    bpy.context.view_layer.objects.active = lamp
    assert "Select an armature" in draw_all(complaints)["POISE_PT_work"]


def test_leftovers_of_a_deleted_character_are_offered(armature: Any, complaints: Complaints) -> None:
    add("SHAPE")
    assert "leftovers_remove" not in draw_all(complaints)["POISE_PT_work"]
    bpy.data.objects.remove(armature)
    shown = draw_all(complaints)["POISE_PT_work"]
    assert "1 empty" in shown and "poise.leftovers_remove" in shown


def test_an_armature_without_bones_or_action_is_drawn(complaints: Complaints) -> None:
    bare = bpy.data.objects.new("Bare", bpy.data.armatures.new("Bare"))
    bpy.context.scene.collection.objects.link(bare)
    bpy.context.view_layer.objects.active = bare
    shown = draw_all(complaints)
    assert "poise.solve(" in shown["POISE_PT_work"]


def test_a_fresh_character_offers_each_step_of_the_work_on_top(armature: Any, complaints: Complaints) -> None:
    shown = draw_all(complaints)
    for operator in ("detect_footplants", "clean", "solve"):
        assert f"poise.{operator}(" in shown["POISE_PT_work"]
    assert "example_character_add" not in shown["POISE_PT_work"]
    assert "poise.character_recognise" not in shown["POISE_PT_work"], "it happens by itself"
    assert "is recognised with the first" in text_of(shown["POISE_PT_character"])
    assert "POISE_PT_active" not in shown
    assert "POISE_PT_proposals" not in shown
    assert "POISE_PT_found" not in shown
    assert "POISE_PT_report" not in shown


def test_limits_are_chosen_and_what_is_kept_only_nearly_is_said(armature: Any, complaints: Complaints) -> None:
    assert "use_anatomical_limits" in draw_all(complaints)["POISE_PT_character"]
    bone = armature.pose.bones["l_shoulder"]
    bone.use_ik_limit_x = bone.use_ik_limit_z = True
    bpy.ops.poise.character_recognise()
    bone.ik_max_x = 0.5
    assert "l_shoulder" not in draw_all(complaints)["POISE_PT_character"], "a range of a whole turn limits nothing"
    bpy.ops.poise.character_recognise()
    assert "a twist and a swing: l_shoulder" in draw_all(complaints)["POISE_PT_character"]


def test_loads_are_shown_with_their_bones(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.load_add(bone="l_wrist", mass=3.0)
    shown = draw_all(complaints)["POISE_PT_character"]
    assert "PoiseLoad.mass[" in shown and "l_wrist" in shown and "poise.load_remove" in shown


def test_recognised_landmarks_are_shown_left_and_right(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.character_recognise()
    shown = draw_all(complaints)
    assert "All landmarks are known" in shown["POISE_PT_character"]
    for mark in TRUNK_MARKS:
        assert f"mark=\\'{mark}\\'" in shown["POISE_PT_landmarks"] or f'mark="{mark}"' in shown["POISE_PT_landmarks"]
    for bone in ("l_talocrural", "r_talocrural"):
        assert bone in shown["POISE_PT_landmarks"]


def test_what_is_missing_stands_in_plain_words(complaints: Complaints) -> None:
    chain = bpy.data.objects.new("Chain", bpy.data.armatures.new("Chain"))
    bpy.context.scene.collection.objects.link(chain)
    bpy.context.view_layer.objects.active = chain
    bpy.ops.object.mode_set(mode="EDIT")
    bone = chain.data.edit_bones.new("Link")
    bone.tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    chain.pose.bones["Link"].keyframe_insert("location", frame=1)
    bpy.ops.poise.character_recognise()
    shown = draw_all(complaints)["POISE_PT_work"]
    assert "Not found" in shown and "poise.character_recognise" in shown


def test_a_landmark_set_by_hand_can_be_cleared(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.bone_choose(field="landmark", mark="left_ankle", bone="l_subtalar")
    shown = draw_all(complaints)["POISE_PT_landmarks"]
    assert "poise.landmark_clear" in shown
    assert "l_subtalar" in shown


# The ground and the range -------------------------------------------------------------------------------------------


def test_the_ground_is_off_and_says_what_that_means(armature: Any, complaints: Complaints) -> None:
    shown = draw_all(complaints)["POISE_PT_ground"]
    assert "own height" in shown
    assert "ground_kind" not in shown and "use_sole_heel" in shown and "use_sole_ball" in shown


@pytest.mark.parametrize(
    "kind, fields",
    [("PLANE", ("ground_plane", "ground_height")), ("MESH", ("ground_mesh", "ground_collection")), ("ESTIMATE", ())],
)
def test_each_kind_of_ground_shows_what_it_needs(
    kind: str, fields: tuple[str, ...], armature: Any, complaints: Complaints
) -> None:
    armature.poise.use_ground, armature.poise.ground_kind = True, kind
    shown = draw_all(complaints)["POISE_PT_ground"]
    assert "poise.ground_check" in shown
    for field in ("ground_plane", "ground_height", "ground_mesh", "ground_collection"):
        assert (field in shown) == (field in fields)


def test_soles_show_what_the_rest_pose_says_until_they_are_set(armature: Any, complaints: Complaints) -> None:
    assert "from the rest pose" in draw_all(complaints)["POISE_PT_ground"]
    bpy.ops.poise.character_recognise()
    shown = draw_all(complaints)["POISE_PT_ground"]
    assert "0 m (rest pose)" in shown and "PoiseCharacter.sole_heel[" not in shown
    armature.poise.use_sole_heel = armature.poise.use_sole_ball = True
    shown = draw_all(complaints)["POISE_PT_ground"]
    assert "rest pose" not in text_of(shown) and "PoiseCharacter.sole_heel[" in shown


def test_values_that_are_chosen_automatically_are_shown_as_values(armature: Any, complaints: Complaints) -> None:
    add("FOOTPLANT")
    shown = draw_all(complaints)
    assert "70 kg (body table)" in shown["POISE_PT_character"]
    assert "every frame keyed" in shown["POISE_PT_solve"]
    assert "8 frames (auto)" in shown["POISE_PT_active"] and "-1" not in shown["POISE_PT_active"]
    character, plant = armature.poise, armature.poise.constraints[0]
    character.use_mass = character.use_tolerance = plant.use_ease_in = plant.use_ease_out = True
    shown = draw_all(complaints)
    assert "(auto)" not in shown["POISE_PT_active"] and "PoiseConstraint.ease_in[" in shown["POISE_PT_active"]
    assert "PoiseCharacter.mass[" in shown["POISE_PT_character"] and "kg (body" not in shown["POISE_PT_character"]
    assert "PoiseCharacter.tolerance[" in shown["POISE_PT_solve"]


def test_plants_off_the_ground_are_listed_with_both_choices(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.found_accept_all()
    armature.poise.use_ground, armature.poise.ground_height = True, -0.3
    assert "poise.ground_put_on" not in draw_all(complaints)["POISE_PT_work"], "nothing has been checked yet"
    bpy.ops.poise.ground_check()
    for panel in ("POISE_PT_ground", "POISE_PT_work"):
        shown = draw_all(complaints)[panel]
        assert "poise.ground_put_on" in shown and "poise.ground_keep_heights" in shown
        assert armature.poise.constraints[0].name in shown and "above" in shown
    armature.poise.ground_height = -0.31
    assert "poise.ground_put_on" not in draw_all(complaints)["POISE_PT_work"], "another ground, nothing checked"


def test_a_range_that_leaves_out_a_part_of_the_action_is_shown(armature: Any, complaints: Complaints) -> None:
    shown = draw_all(complaints)
    assert not any("poise.range_from_action" in shown[panel] for panel in shown if panel.startswith("POISE_PT"))
    bpy.context.scene.frame_end -= 10
    shown = draw_all(complaints)["POISE_PT_work"]
    assert "poise.range_from_action" in shown and "leave out" in shown


def narrow(items: list[Any]) -> Iterator[str]:
    """The texts that get less than half of a panel: titles beside properties, and buttons beside each other."""
    for item in items:
        inner = item.get("items", [])
        if item["type"] == "LAYOUT_SPLIT" and inner and inner[0]["type"] == "LAYOUT_COLUMN":
            yield from (title["draw_string"] for title in inner[0]["items"] if "draw_string" in title)
        buttons = [each["draw_string"] for each in inner if each.get("operator") and each["draw_string"]]
        if item["type"] == "LAYOUT_ROW" and len(buttons) > 1:
            yield from buttons
        yield from narrow(inner)


@pytest.mark.parametrize("kind", ADDED)
def test_texts_beside_others_fit_into_a_sidebar_of_the_usual_width(
    kind: str, armature: Any, complaints: Complaints
) -> None:
    bpy.ops.poise.detect_footplants()
    add("FOOTPLANT")
    armature.poise.use_ground, armature.poise.ground_height = True, -0.3
    bpy.ops.poise.ground_check()
    add(kind)
    shown = draw_all(complaints)
    assert "poise.ground_put_on" in shown["POISE_PT_ground"]
    panels_shown = [ast.literal_eval(shown[name]) for name in shown if name.startswith("POISE_PT")]
    texts = {text for items in panels_shown for text in narrow(items)}
    assert {"Clean Up Feet", "Accept All"} <= texts
    assert not [text for text in texts if len(text) > FITTING]


# Constraints --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ADDED)
def test_each_kind_shows_its_own_settings(kind: str, armature: Any, complaints: Complaints) -> None:
    add(kind)
    assert armature.poise.constraints[0].kind == kind
    shown = draw_all(complaints)
    settings = shown["POISE_PT_active"] + shown["POISE_PT_details"]
    for name in ("name", "priority", "weight", "exact", *OWN[kind]):
        assert f"PoiseConstraint.{name}[" in settings, f"{name} is not shown"
    assert ("POISE_PT_points" in shown) == (kind in ("SHAPE", "ORIENTATION", "LOOK_AT", "BALANCE"))
    assert "PoiseConstraint.recruit[" in shown["POISE_PT_recruiting"]


def test_points_show_hold_times_and_the_shape_of_the_way(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.constraint_add_trajectory(bone="l_wrist")
    shown = draw_all(complaints)["POISE_PT_points"]
    for name in ("begin", "end", "tension", "continuity", "bias"):
        assert f"PoisePoint.{name}[" in shown
    for point in armature.poise.constraints[0].points:
        assert f"{point.begin:g}" in shown


@pytest.mark.parametrize("reference", ["WORLD", "BONE", "OBJECT"])
@pytest.mark.parametrize("recruit", ["ALL", "LEVEL", "BONES"])
def test_each_reference_and_recruiting_is_drawn(
    reference: str, recruit: str, armature: Any, complaints: Complaints
) -> None:
    add("SHAPE")
    item = armature.poise.constraints[0]
    item.reference, item.recruit = reference, recruit
    shown = draw_all(complaints)
    assert ("PoiseConstraint.reference_object[" in shown["POISE_PT_details"]) == (reference == "OBJECT")
    assert ("PoiseConstraint.recruit_level[" in shown["POISE_PT_recruiting"]) == (recruit == "LEVEL")
    if recruit == "LEVEL":
        assert "l_elbow" in shown["POISE_PT_recruiting"]


def test_a_handplant_stands_in_the_world_or_on_an_object(armature: Any, complaints: Complaints) -> None:
    add("HANDPLANT")
    item = armature.poise.constraints[0]
    shown = draw_all(complaints)["POISE_PT_active"]
    texts = list(drawn_texts(shown))
    assert "World" in texts and "Object" in texts and "Bone" not in texts
    assert "PoiseConstraint.reference_object[" not in shown
    item.reference = "OBJECT"
    assert "PoiseConstraint.reference_object[" in draw_all(complaints)["POISE_PT_active"]


def test_the_list_has_the_most_important_on_top(armature: Any, complaints: Complaints) -> None:
    for kind in list(ADDED)[:5]:  # as many as the list has lines
        add(kind)
    items = armature.poise.constraints
    for number, item in enumerate(items):
        item.priority = number
    shown = draw_all(complaints)["POISE_PT_constraints"]
    places = [shown.index(f"'{priority}'") for priority in reversed(range(len(items)))]
    assert places == sorted(places)


def test_a_renamed_bone_is_shown_by_its_name_of_today(armature: Any, complaints: Complaints) -> None:
    add("SHAPE")
    armature.data.bones["l_wrist"].name = "Renamed"
    shown = draw_all(complaints)
    assert "Renamed" in shown["POISE_PT_active"]
    assert "Renamed" in shown["POISE_PT_constraints"]


def test_a_deleted_bone_and_a_deleted_empty_are_drawn(armature: Any, complaints: Complaints) -> None:
    add("SHAPE")
    add("POSE")
    bpy.data.objects.remove(armature.poise.constraints[0].points[0].object)
    bpy.ops.object.mode_set(mode="EDIT")
    for name in ("l_wrist", "l_elbow"):
        armature.data.edit_bones.remove(armature.data.edit_bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "deleted" in draw_all(complaints)["POISE_PT_active"]
    armature.poise.active_constraint = 0
    shown = draw_all(complaints)
    assert "l_wrist" in shown["POISE_PT_active"]
    assert "deleted" in shown["POISE_PT_points"]


def test_an_empty_that_was_deleted_in_the_viewport_is_said(armature: Any, complaints: Complaints) -> None:
    add("SHAPE")
    assert "deleted" not in draw_all(complaints)["POISE_PT_points"]
    empty = armature.poise.constraints[0].points[0].object
    empty.users_collection[0].objects.unlink(empty)
    assert "deleted" in draw_all(complaints)["POISE_PT_points"]


def test_a_point_that_begins_after_its_end_is_explained(armature: Any, complaints: Complaints) -> None:
    add("SHAPE")
    point = armature.poise.constraints[0].points[0]
    point.end = point.begin - 2.0
    shown = draw_all(complaints)["POISE_PT_points"].replace("', 'tip': ''}, {'", " ")
    assert "Point 1 begins" in shown
    point.end = point.begin
    assert "Point 1 begins" not in draw_all(complaints)["POISE_PT_points"]


def test_a_copy_says_whose_empties_it_shows(armature: Any, complaints: Complaints) -> None:
    add("SHAPE")
    assert "handles_make_own" not in draw_all(complaints)["POISE_PT_constraints"]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.duplicate()
    assert "handles_make_own" in draw_all(complaints)["POISE_PT_constraints"]


def test_a_point_shows_the_panels_of_its_armature(armature: Any, complaints: Complaints) -> None:
    add("SHAPE")
    bpy.context.view_layer.objects.active = armature.poise.constraints[0].points[0].object
    assert "Pin l_wrist" in draw_all(complaints)["POISE_PT_active"]


# Detecting, cleaning, solving ---------------------------------------------------------------------------------------


def test_proposals_can_be_accepted_rejected_and_edited(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.detect_footplants()
    shown = draw_all(complaints)
    for operator in ("found_accept", "found_reject", "found_accept_all", "found_reject_all"):
        assert f"poise.{operator}(" in shown["POISE_PT_proposals"]
    assert "%" in shown["POISE_PT_proposals"]
    assert "PoiseConstraint.heel_strike[" in shown["POISE_PT_found"]
    bpy.ops.poise.found_reject_all()
    assert "POISE_PT_found" not in draw_all(complaints)


def test_examples_are_explained_until_there_is_one_and_then_listed(armature: Any, complaints: Complaints) -> None:
    assert "set the preview range" in draw_all(complaints)["POISE_PT_examples"].replace("', 'tip': ''}, {'", " ")
    bpy.ops.poise.template_add(bone="l_wrist", begin=5, end=12)
    shown = draw_all(complaints)["POISE_PT_examples"]
    assert "set the preview range" not in shown.replace("', 'tip': ''}, {'", " ")
    for part in ("5–12", "l_wrist", "PoiseTemplate.tolerance[", "poise.template_remove(", "poise.detect_template("):
        assert part in shown
    assert "Counts as still" not in shown, "nothing has been learnt yet"
    bpy.ops.poise.detect_template()
    assert "Counts as still" in draw_all(complaints)["POISE_PT_examples"]
    settings = draw_all(complaints)["POISE_PT_detection_settings"]
    assert "s = 3 f" in settings and "s = 6 f" in settings, "a tenth and a fifth of a second"
    template = armature.poise.detection.templates[0]
    for reference, field in (("BONE", "reference_bone"), ("OBJECT", "reference_object")):
        template.reference = reference
        assert f"PoiseTemplate.{field}" in draw_all(complaints)["POISE_PT_examples"]


def test_what_objects_do_is_listed_with_its_buttons(armature: Any, complaints: Complaints) -> None:
    assert "poise.event_hold(" not in draw_all(complaints)["POISE_PT_objects"]
    box = bpy.data.objects.new("Box", bpy.data.meshes.new("Box"))
    bpy.context.scene.collection.objects.link(box)
    armature.poise.detection.object = box
    bpy.ops.poise.detect_object()
    shown = draw_all(complaints)["POISE_PT_objects"]
    for part in ("Box", "poise.event_hold(", "poise.event_show(", "poise.events_clear("):
        assert part in shown


def test_after_cleaning_there_are_figures_before_and_after(armature: Any, complaints: Complaints) -> None:
    assert "Before" not in draw_all(complaints)["POISE_PT_clean"]
    bpy.ops.poise.clean()
    shown = draw_all(complaints)["POISE_PT_clean"]
    for title in ("Before", "After", "Slide", "Penetration", "Knee Pops", "Largest Jump"):
        assert title in shown
    assert armature.poise.last_clean.split()[0] in shown
    assert "PoiseCharacter.clean_repair" in shown


def test_figures_that_rise_are_flagged_and_faults_are_named(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.clean()
    assert "frame 76" not in draw_all(complaints)["POISE_PT_clean"]
    after = armature.poise.metrics_after
    after.worse, after.jump, after.jump_joint, after.jump_frame = {"jump", "knee_pops"}, 2.95, "l_hip", 76.0
    armature.poise.last_faults = "The capture has a fault: a calibration pose at frame 11."
    shown = draw_all(complaints)["POISE_PT_clean"]
    assert "2.95 ×" in shown and "l_hip, frame 76" in shown
    assert "calibration pose" in shown


def missed(armature: Any, *bones: str) -> None:
    """Pins that are far out of reach, solved."""
    for bone in bones:
        bpy.ops.poise.constraint_add_pin(bone=bone)
        item = armature.poise.constraints[-1]
        item.points[0].object.location.z += 3.0
    bpy.ops.poise.solve()
    assert len(armature.poise.advice)


def test_after_a_solve_there_are_problems_with_buttons(armature: Any, complaints: Complaints) -> None:
    add("FOOTPLANT")
    missed(armature, "l_wrist")
    shown = draw_all(complaints)
    assert "Missed by up to" in shown["POISE_PT_active"]
    assert "Pin l_wrist" in shown["POISE_PT_report"]
    work = shown["POISE_PT_work"]
    assert "Pin l_wrist: " in work and "out of reach" in text_of(work)
    for operator in ("advice_go", "advice_apply", "advice_ignore", "source_restore", "result_apply"):
        assert f"poise.{operator}(" in work
    assert "Move Target" in work


def test_a_result_that_is_older_than_an_edit_says_so(
    armature: Any, complaints: Complaints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "STALE_AGE", 0.0)
    add("SHAPE")
    assert "poise.compare_toggle(" not in draw_all(complaints)["POISE_PT_work"]
    bpy.ops.poise.solve()
    shown = draw_all(complaints)["POISE_PT_work"]
    assert "Every constraint holds" in text_of(shown) and "older than your edits" not in text_of(shown)
    assert "poise.compare_toggle(" in shown
    armature.poise.constraints[0].points[0].object.location.z += 0.1
    assert "older than your edits" in text_of(draw_all(complaints)["POISE_PT_work"])


def test_the_body_is_recognised_by_itself(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.detect_footplants()
    shown = draw_all(complaints)
    assert "All landmarks are known" in shown["POISE_PT_character"]
    assert "l_talocrural" in shown["POISE_PT_landmarks"]


def test_at_most_five_problems_are_shown_and_the_others_counted(armature: Any, complaints: Complaints) -> None:
    for number in range(7):
        armature.poise.advice.add().sentence = f"Problem {number}."
    shown = draw_all(complaints)["POISE_PT_work"]
    assert "Problem 4." in shown and "Problem 5." not in shown and "and 2 more" in shown
    bpy.ops.poise.advice_ignore(index=0)
    shown = draw_all(complaints)["POISE_PT_work"]
    assert "Problem 0." not in shown and "Problem 5." in shown and "and 1 more" in shown and "Show 1 Ignored" in shown


def test_a_rig_that_keeps_bones_from_the_result_offers_a_copy(armature: Any, complaints: Complaints) -> None:
    entry = armature.poise.advice.add()
    entry.kind, entry.sentence = "RIG", "The rig decides."
    assert "poise.bakeable_copy(" in draw_all(complaints)["POISE_PT_work"]


def test_a_running_solve_shows_a_bar_instead_of_the_buttons(armature: Any, complaints: Complaints) -> None:
    running = progress.begin(armature.name)
    try:
        running.update("solving", 0.5)
        shown = draw_all(complaints)["POISE_PT_work"]
        assert "Esc stops it" in shown
        assert "poise.solve(" not in shown
    finally:
        progress.end(running)
    assert "poise.solve(" in draw_all(complaints)["POISE_PT_work"]


# Names --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["mixamorig:", "Bip001 ", "rig_"])
def test_a_prefix_of_all_bones_is_shown_nowhere(prefix: str, armature: Any, complaints: Complaints) -> None:
    for bone in armature.data.bones:
        bone.name = f"{prefix}{bone.name}"
    bpy.ops.poise.character_recognise()
    bpy.ops.poise.load_add(bone=f"{prefix}l_wrist")
    add("FOOTPLANT")
    bpy.ops.poise.constraint_add_pose(bone=f"{prefix}l_wrist,{prefix}l_elbow")
    missed(armature, f"{prefix}l_wrist")
    shown = draw_all(complaints)
    for panel in PANELS:
        if panel.__name__ in shown:
            texts = " ".join(drawn_texts(shown[panel.__name__]))
            assert prefix not in texts, panel.__name__
    assert "l_wrist" in shown["POISE_PT_constraints"]


# Several at once ----------------------------------------------------------------------------------------------------


def test_selected_constraints_can_be_changed_together(armature: Any, complaints: Complaints) -> None:
    add("FOOTPLANT")
    add("SHAPE")
    shown = draw_all(complaints)["POISE_PT_constraints"]
    assert "poise.constraint_select(" in shown and "poise.selected_edit(" not in shown
    bpy.ops.poise.constraints_select(by="ALL")
    shown = draw_all(complaints)["POISE_PT_constraints"]
    assert "2 selected" in shown
    for operator in ("selected_edit", "selected_enable", "selected_remove"):
        assert f"poise.{operator}(" in shown


# Menus --------------------------------------------------------------------------------------------------------------


def test_every_operator_stands_in_a_menu_where_f3_finds_it(armature: Any, complaints: Complaints) -> None:
    drawn_menus = draw_all(complaints)
    shown = "".join(drawn_menus[menu.__name__] for menu in MENUS)
    meant = {found.bl_idname for found in operators.classes if "INTERNAL" not in found.bl_options}
    assert not {name for name in meant if f"bpy.ops.{name}(" not in shown}


def test_every_operator_describes_itself() -> None:
    for found in operators.classes:
        assert found.bl_description not in ("", found.bl_label), found.bl_idname
        own = {name for base in found.__mro__ for name in getattr(base, "__annotations__", ())}
        for known in getattr(bpy.ops.poise, found.bl_idname.split(".")[1]).get_rna_type().properties:
            if known.identifier in own and not known.is_hidden:
                assert known.description, f"{found.bl_idname}.{known.identifier}"


# The tests themselves -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["property", "operator"])
def test_a_mistake_in_a_panel_would_be_heard(wrong: str, armature: Any, complaints: Complaints) -> None:
    class Mistaken:
        @staticmethod
        def draw(panel: Any, context: Any) -> None:
            if wrong == "property":
                panel.layout.prop(armature.poise, "no_such_property")
            else:
                panel.layout.operator("poise.no_such_operator")

    with in_sidebar(), pytest.raises(AssertionError, match="Blender complains"):
        drawn(Mistaken, complaints)


def test_each_panel_is_drawn_by_some_test(armature: Any, complaints: Complaints) -> None:
    bpy.ops.poise.detect_footplants()
    add("SHAPE")
    bpy.ops.poise.solve()
    names = {found.__name__ for found in panels.classes if not issubclass(found, bpy.types.UIList)}
    assert set(draw_all(complaints)) == names


# What is drawn --------------------------------------------------------------------------------------------------------


def test_each_part_of_the_display_can_be_switched_and_a_problem_is_said(armature: Any, complaints: Complaints) -> None:
    shown = draw_all(complaints)["POISE_PT_display"]
    assert "poise.compare_toggle" in shown
    for part in ("footprints", "points", "trajectories", "misses", "proposals", "balance", "ghosts", "texts"):
        assert f"PoiseDisplay.{part}" in shown
    assert "ghost_step" not in shown and "three apples" not in shown
    display = armature.poise.display
    display.ghosts, display.show, display.problem = True, False, "Drawing is off: three apples."
    shown = draw_all(complaints)["POISE_PT_display"]
    assert "ghost_step" in shown and "ghost_frames" not in shown and "three apples" in shown
    display.ghosts_at = "CHOSEN"
    shown = draw_all(complaints)["POISE_PT_display"]
    assert "ghost_step" not in shown and "ghost_frames" in shown


# Physics ------------------------------------------------------------------------------------------------------------


def test_without_the_optimiser_the_panel_says_how_to_get_it_and_nothing_else(
    armature: Any, complaints: Complaints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solver.spacetime, "is_available", lambda: False)
    shown = draw_all(complaints)
    assert text_of(shown["POISE_PT_physics"]) == f"Test {solver.spacetime.MISSING}", "the title of the test, no more"
    assert [name for name in shown if name.startswith("POISE_PT_physics")] == ["POISE_PT_physics"]


@pytest.mark.skipif(not solver.spacetime.is_available(), reason="CasADi is not installed")
def test_the_physics_lead_from_the_fit_to_the_result(armature: Any, complaints: Complaints) -> None:
    shown = draw_all(complaints)
    assert "one foot after the other" in text_of(shown["POISE_PT_physics"])
    assert "poise.physics_fit(" in shown["POISE_PT_physics"] and "poise.physics_solve(" in shown["POISE_PT_physics"]
    assert "Fit the motion first" in text_of(shown["POISE_PT_physics_footprints"])
    physics = armature.poise.physics
    physics.recipe = "HOPPER"
    assert "both feet together" in text_of(draw_all(complaints)["POISE_PT_physics"])
    physics.recipe = "BIPED"
    physics.fitted, physics.fit_sentence = physics_memory.fit_signature(armature), "The fit is near."
    stance = physics.stances.add()
    stance.contact, stance.begin, stance.end = "left foot", 12.0, 25.0
    physics_memory.forget()
    shown = draw_all(complaints)
    assert "The fit is near." in text_of(shown["POISE_PT_physics"])
    assert "L 12–25" in text_of(shown["POISE_PT_physics_footprints"])
    physics.quality = "DRAFT"
    physics_memory.forget()
    assert "Solve fits it again" in text_of(draw_all(complaints)["POISE_PT_physics"])


@pytest.mark.skipif(not solver.spacetime.is_available(), reason="CasADi is not installed")
def test_edits_of_the_physics_are_shown_as_values(armature: Any, complaints: Complaints) -> None:
    physics = armature.poise.physics
    shown = draw_all(complaints)["POISE_PT_physics_world"]
    assert "gravity_factor" not in shown and "PoisePhysics.duration[" in shown
    physics.gravity, physics.automatic_duration = "CUSTOM", True
    shown = draw_all(complaints)["POISE_PT_physics_world"]
    assert "gravity_factor" in shown and "PoisePhysics.duration[" not in shown
    bpy.ops.poise.physics_limb_add(joint="left_knee")
    bpy.ops.poise.physics_lock_add(joint="right_hip")
    bpy.ops.poise.physics_obstacle_add()
    shown = draw_all(complaints)["POISE_PT_physics_body"]
    for field in ("PoiseLimb.length[", "PoiseLock.joint[", "PoiseObstacle.height[", "poise.physics_remove("):
        assert field in shown
    bpy.data.objects.remove(physics.obstacles[0].object)
    assert "Its handle was deleted" in text_of(draw_all(complaints)["POISE_PT_physics_body"])


@pytest.mark.skipif(not solver.spacetime.is_available(), reason="CasADi is not installed")
def test_a_running_fit_shows_its_progress_in_the_physics_too(armature: Any, complaints: Complaints) -> None:
    running = progress.begin(armature.name, progress.PHYSICS)
    running.update(progress.TRANSFORMING, 0.5)
    shown = draw_all(complaints)["POISE_PT_physics"]
    progress.end(running)
    assert "Solving the physics" in shown and "poise.physics_solve(" not in shown
