# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest solve of an armature is at hand after it was baked."""

from __future__ import annotations

import bpy
import numpy as np

from poise.addon.properties import character_of
from poise.addon.workflows import create, latest, solve


def test_a_solve_is_kept_until_it_is_forgotten(armature: bpy.types.Object) -> None:
    latest.forget()
    assert latest.of(armature) is None
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location.z += 0.1
    solve.solve(armature)
    found = latest.of(armature)
    assert found is not None
    assert found.solved.translated.uids == tuple(item.uid for item in character_of(armature).constraints)
    lift = found.shown.position("l_wrist") - found.solved.source.position("l_wrist")
    frame = found.solved.reading.frame_of(20)
    np.testing.assert_allclose(lift[frame], [0.0, 0.0, 0.1], atol=1e-4)
    assert len(found.residuals) == 1
    latest.forget(armature.name)
    assert latest.of(armature) is None
