# SPDX-License-Identifier: GPL-3.0-or-later
"""What a proposal was detected as is kept when it is accepted, and empty for what is made by hand."""

from __future__ import annotations

import bpy

from poise.addon.properties import character_of
from poise.addon.properties.detected import DETECTED_KINDS
from poise.addon.workflows import create, detect, examples, slides


def test_what_is_made_by_hand_was_not_detected(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 10.0)
    assert pin.detected.kind == "NONE" and pin.detected.group == ""


def test_an_accepted_proposal_keeps_its_geometry(armature: bpy.types.Object) -> None:
    examples.add_examples(armature, examples.NewExamples(["l_talocrural"], "point", 5, 20))
    examples.find_like_examples(armature)
    proposal = character_of(armature).found[0].detected
    expected = (proposal.kind, proposal.group, tuple(proposal.location), proposal.begin, proposal.end)
    kept = detect.accept(armature, 0).detected
    assert (kept.kind, kept.group, tuple(kept.location), kept.begin, kept.end) == expected
    assert kept.kind == "POINT" and kept.group


def test_there_is_a_kind_for_all_that_searches_find() -> None:
    known = {item[0] for item in DETECTED_KINDS}
    assert {*examples.KINDS, *slides.SLIDE_KINDS, *slides.STAY_KINDS, "NONE"} == known
