# SPDX-License-Identifier: GPL-3.0-or-later
"""Every stage of a solve has a label in an animator's words, and the share of the whole never falls."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector

from poise import solver
from poise.addon.workflows import create, progress, solve

LABELS = {"Reading", "Solving", "Resolving conflicts", "Lifting feet", "Baking"}


def test_every_stage_has_one_of_the_labels() -> None:
    assert {stage.label for stage in progress.SOLVE.values()} == LABELS
    missing = [stage.name for stage in solver.Stage if stage.value not in progress.SOLVE]
    assert not missing, "give each stage of the solver a label"


@pytest.mark.parametrize("lift", [0.1, 9.0])
def test_every_stage_of_a_solve_is_known(armature: bpy.types.Object, lift: float) -> None:
    """Also those of a pin out of reach, and of plants on a ground."""
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.found_accept_all()
    armature.poise.use_ground, armature.poise.ground_kind = True, "ESTIMATE"
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location += Vector((0.0, 0.0, lift))
    running, labels, shares = progress.begin(armature.name), [], [0.0]
    for stage, share in solve.solve_in_steps(armature):
        running.update(stage, share)
        labels.append(running.label)
        shares.append(running.share)
    progress.end(running)
    assert set(labels) <= LABELS and {labels[0], labels[-1]} == {"Solving", "Baking"}
    assert shares == sorted(shares) and shares[-1] <= 1.0
    assert ("Resolving conflicts" in labels) == (lift > 1.0)


def test_the_running_solve_of_an_armature_is_found_until_it_ends() -> None:
    first, second = progress.begin("One"), progress.begin("Two")
    assert (progress.of("One"), progress.of("Two"), progress.of("Three")) == (first, second, None)
    progress.end(first)
    progress.end(first)
    assert progress.of("One") is None and progress.of("Two") is second
    progress.end(second)


def test_a_share_is_that_of_the_whole() -> None:
    running = progress.RunningWork("One")
    assert (running.label, running.share) == ("Reading", 0.0)
    running.update(progress.READING, 0.5)
    assert running.share == pytest.approx(0.1)
    running.update(progress.BAKING, 2.0)
    assert (running.label, running.share) == ("Baking", 1.0)
    running.update(progress.READING, 1.0)
    assert running.share == 1.0
