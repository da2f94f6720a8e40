# SPDX-License-Identifier: GPL-3.0-or-later
"""The physics in a Blender with a window: Esc stops a fit, an edit is solved, undo takes it back."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def physics(seen: dict[str, Any]) -> dict[str, Any]:
    """What was seen, where the optimiser could be loaded."""
    if not seen["available"]:
        pytest.skip("this Blender cannot load CasADi of the test's own Python")
    return seen


def test_esc_stops_a_fit_and_nothing_has_changed(physics: dict[str, Any]) -> None:
    assert physics["stopped"]


def test_a_fit_ends_with_a_sentence_and_footprints(physics: dict[str, Any]) -> None:
    assert "of the leg's length" in physics["sentence"] and physics["stances"] >= 2


def test_a_footprint_is_dragged_in_pose_mode_and_put_back_by_undo(physics: dict[str, Any]) -> None:
    across, along, up = physics["dragged"]
    assert across**2 + along**2 > 0.05**2 and abs(up) < 1e-5 and physics["drag mode"] == "POSE"
    assert physics["drag undone"] < 1e-6


def test_a_result_is_baked_beside_the_source_and_undone_in_one_step(physics: dict[str, Any]) -> None:
    source, shown = physics["actions"]
    assert shown == f"{source}.poise" and " s instead of " in physics["result"]
    assert physics["undone"] == [source, ""]
