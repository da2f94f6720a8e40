# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects do is found with and without examples, and bones hold on to them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge, translation
from poise.addon.bridge.transforms import track_in_steps
from poise.addon.properties import character_of
from poise.addon.workflows import examples, object_events, solve
from poise.examples.detection.bodies import Example, die, door, lamp
from poise.examples.detection.tracks import noisy
from poise.solver import MovingObject, finished

from ..bodies import FIRST, moving_box

TURNED = np.array([0.9, 0.3, 0.2, 0.1]) / np.linalg.norm([0.9, 0.3, 0.2, 0.1])
SIDE = 0.1
"""Of the objects, in metres, beside a character of 1.7: distances are relative to the object."""


def small(body: MovingObject) -> MovingObject:
    return MovingObject(SIDE * np.asarray(body.positions) + [0.5, 0.2, 0.0], body.rotations)


def events(armature: Any) -> list[Any]:
    return list(character_of(armature).detection.events)


def extend(body: MovingObject) -> None:
    """Let the scene be as long as a motion."""
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FIRST, FIRST + len(body.positions) - 1


def check(armature: Any, example: Example, late: int) -> None:
    """Every true constraint is found once, at its frames and in its place."""
    found = events(armature)
    for truth in example.truths:
        (best,) = [
            event
            for event in found
            if event.kind == truth.kind.upper()
            and min(event.end - FIRST, truth.end) - max(event.begin - FIRST, truth.begin)
            > 0.6 * (truth.end - truth.begin)
        ]
        assert abs(best.begin - FIRST - truth.begin) <= late and abs(best.end - FIRST - truth.end) <= late
        away = np.array(best.location) - (SIDE * truth.place + [0.5, 0.2, 0.0])
        if truth.direction is not None:
            assert abs(np.array(best.direction) @ truth.direction) > 0.999
            away = away - (away @ truth.direction) * truth.direction
        assert np.linalg.norm(away) < 0.02 * SIDE
        assert best.name.startswith("Thing ")


@pytest.mark.parametrize("example", [die(TURNED), door(), lamp()], ids=["die", "door", "lamp"])
def test_keyed_objects_need_no_example(example: Example, armature: bpy.types.Object) -> None:
    thing = moving_box("Thing", small(example.body), SIDE)
    extend(example.body)
    count = object_events.find(armature, thing)
    assert count == len(events(armature)) >= len(example.truths)
    check(armature, example, late=2)
    assert object_events.find(armature, thing) == count == len(events(armature)), "former ones are replaced"


def test_a_trembling_object_is_found_from_examples(armature: bpy.types.Object) -> None:
    example = die(TURNED)
    rng = np.random.default_rng(3)
    thing = moving_box("Thing", small(noisy(example.body, rng, 1e-3, 1e-3)), SIDE)
    extend(example.body)
    object_events.find(armature, thing)
    assert not [event for event in events(armature) if event.kind == "SPACE"], "without an example it never rests"
    for kind, begin, end in (("space", 0, 11), ("line", 11, 25), ("point", 119, 159)):
        new = examples.NewExamples([], kind, begin + FIRST, end + FIRST, thing)  # type: ignore[arg-type]
        examples.add_examples(armature, new)
    assert examples.find_like_examples(armature).counts == {"Thing": len(events(armature))}
    check(armature, example, late=4)
    assert not len(character_of(armature).found), "an object is not changed by a solve: nothing is proposed"


def test_a_hand_holds_a_door_for_the_frames_in_which_it_turns(armature: bpy.types.Object) -> None:
    example = door()
    thing = moving_box("Thing", small(example.body), SIDE)
    bpy.context.scene.frame_end = 60
    object_events.find(armature, thing)
    index = next(number for number, event in enumerate(events(armature)) if event.kind == "LINE")
    event = events(armature)[index]
    (pin,) = object_events.hold_on(armature, ["r_wrist"], index)
    assert pin.reference == "OBJECT" and pin.reference_object == thing
    assert (pin.points[0].begin, pin.points[0].end) == (event.begin, event.end)
    result = solve.solve(armature)
    motion = finished(track_in_steps(armature, thing, result.reading.times))
    held = slice(result.reading.frame_of(event.begin), result.reading.frame_of(event.end) + 1)
    seen = motion.seen_from(result.baked.clip.position("r_wrist"))[held]
    assert np.ptp(seen, axis=0).max() < 1e-3, "metres: it stays on the door"


def test_refusals(armature: bpy.types.Object) -> None:
    with pytest.raises(translation.TranslationError, match="No object of the scene is chosen"):
        object_events.find(armature, None)
    with pytest.raises(translation.TranslationError, match="There is no entry 0"):
        object_events.hold_on(armature, ["r_wrist"], 0)
    thing = moving_box("Thing", small(door().body), SIDE)
    object_events.find(armature, thing)
    with pytest.raises(translation.TranslationError, match="No bone is chosen"):
        object_events.hold_on(armature, [], 0)
    with pytest.raises(bridge.BridgeError, match="no bone 'Missing'"):
        object_events.hold_on(armature, ["Missing"], 0)
    bpy.data.objects.remove(thing)
    with pytest.raises(translation.TranslationError, match="has been deleted"):
        object_events.hold_on(armature, ["r_wrist"], 0)
    assert not len(character_of(armature).constraints)
