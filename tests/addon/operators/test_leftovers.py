# SPDX-License-Identifier: GPL-3.0-or-later
"""Leftovers of a deleted character are removed without any armature in the scene, and said."""

from __future__ import annotations

import bpy

from .test_constraints import LEFT, run


def test_it_needs_no_armature(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    assert not bpy.ops.poise.leftovers_remove.poll()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.objects.remove(armature)
    assert bpy.ops.poise.leftovers_remove.poll()
    assert run("leftovers_remove") == {"FINISHED"}
    assert not [found for found in bpy.data.objects if found.type == "EMPTY"]
    assert not bpy.ops.poise.leftovers_remove.poll()
