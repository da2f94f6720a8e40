# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints lie where the handles of plants are, on their ground, as large as the foot."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.addon.overlay.soles import LIFT, footprints_of

from .made_up import BODY, FOOT, handle, mark

LIFTED = LIFT * FOOT.length
CLEARANCE = 0.5 * (FOOT.heel_clearance + FOOT.ball_clearance)


def area(outline: np.ndarray) -> float:
    """The signed area of a polygon seen from above; positive counter-clockwise."""
    x, y = outline[:, 0], outline[:, 1]
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def test_a_footprint_has_the_length_of_the_foot_and_lies_under_its_handle() -> None:
    (print_,) = footprints_of([mark("FOOTPLANT", handle((1.0, 2.0, 0.5)))], BODY, None)
    forward = print_.outline @ print_.ahead
    assert np.ptp(forward) == pytest.approx(1.07 * FOOT.length)
    assert print_.ahead == pytest.approx([0.0, -1.0, 0.0]), "heading 0 faces -y"
    assert print_.outline[:, 2] == pytest.approx(0.5 - CLEARANCE + LIFTED)
    assert area(print_.outline) > 0.0
    assert print_.tip[1] == pytest.approx(2.0 - 0.5 * FOOT.heel_to_ball - FOOT.ball_to_tip)


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.0])
def test_a_footprint_turns_with_its_handle(turn: float) -> None:
    (print_,) = footprints_of([mark("FOOTPLANT", handle(turn=turn))], BODY, None)
    assert print_.ahead == pytest.approx([np.sin(turn), -np.cos(turn), 0.0])


def test_left_and_right_mirror_each_other() -> None:
    left, right = (footprints_of([mark(foot=foot)], BODY, None)[0].outline for foot in ("left", "right"))
    mirrored = right * [-1.0, 1.0, 1.0]
    assert sorted(map(tuple, np.round(left, 9))) == sorted(map(tuple, np.round(mirrored, 9)))
    # The arch is on the inner side: the left foot's outer edge is farther to the left, which is +x when facing -y.
    assert left[:, 0].max() > -left[:, 0].min()


def test_only_the_part_that_stands_is_drawn() -> None:
    whole, heel, ball = (
        footprints_of([mark(has_heel=has_heel, has_ball=has_ball)], BODY, None)[0]
        for has_heel, has_ball in ((True, True), (True, False), (False, True))
    )
    assert area(heel.outline) + area(ball.outline) == pytest.approx(area(whole.outline))
    assert np.ptp(heel.outline[:, 1]) < 0.5 * FOOT.length
    assert not footprints_of([mark(has_heel=False, has_ball=False)], BODY, None)


def test_plants_near_the_ground_lie_on_it_and_others_keep_their_height() -> None:
    ground = solver.Ground(0.0)
    near, far = handle((0.0, 0.0, CLEARANCE + 0.01)), handle((0.0, 0.0, CLEARANCE + 0.3))
    heights = [footprints_of([mark("FOOTPLANT", each)], BODY, ground)[0].middle[2] for each in (near, far)]
    assert heights == pytest.approx([LIFTED, 0.3 + LIFTED])
    (put,) = footprints_of([mark("FOOTPLANT", far, ground_choice="GROUND")], BODY, ground)
    (own,) = footprints_of([mark("FOOTPLANT", near, ground_choice="OWN")], BODY, ground)
    assert put.middle[2] == pytest.approx(LIFTED) and own.middle[2] == pytest.approx(0.01 + LIFTED)


def test_a_handle_that_is_raised_raises_the_footprint_off_the_ground() -> None:
    raised = handle((0.0, 0.0, CLEARANCE + 0.25), home=(0.0, 0.0, CLEARANCE))
    (print_,) = footprints_of([mark("FOOTPLANT", raised)], BODY, solver.Ground(0.0))
    assert print_.middle[2] == pytest.approx(0.25 + LIFTED)


def test_a_set_height_counts_more_than_the_ground() -> None:
    moved = handle((0.0, 0.0, 0.6), home=(0.0, 0.0, 0.5))
    (print_,) = footprints_of([mark("FOOTPLANT", moved, height=0.2)], BODY, solver.Ground(0.0))
    assert print_.middle[2] == pytest.approx(0.3 + LIFTED)


def test_a_footprint_slopes_with_its_ground() -> None:
    slope = solver.Ground.plane((0.0, 0.0, 0.0), (-0.3, 0.2, 1.0))
    (print_,) = footprints_of([mark(ground_choice="GROUND")], BODY, slope)
    lifted = print_.outline[:, 2] - slope.heights(print_.outline, 2)
    assert lifted == pytest.approx(LIFTED), "every corner lies on the plane"


def test_where_there_is_no_ground_the_plant_keeps_its_height() -> None:
    corners, triangles = [[5.0, 5.0, 0.0], [6.0, 5.0, 0.0], [5.0, 6.0, 0.0]], [[0, 1, 2]]
    elsewhere = solver.Ground.of_mesh(corners, triangles)
    (print_,) = footprints_of([mark("FOOTPLANT", handle((0.0, 0.0, 0.4)), ground_choice="GROUND")], BODY, elsewhere)
    assert print_.middle[2] == pytest.approx(0.4 - CLEARANCE + LIFTED)


def test_plants_are_numbered_for_each_foot_in_the_order_of_time() -> None:
    marks = [
        mark(begin=30.0, uid="c"),
        mark(begin=10.0, uid="a"),
        mark(begin=20.0, uid="b", foot="right"),
        mark(begin=15.0, uid="p", is_proposal=True),
        mark("SHAPE"),
    ]
    assert {each.mark.uid: each.number for each in footprints_of(marks, BODY, None)} == {"a": 1, "b": 1, "c": 2, "p": 1}


def test_ground_that_moves_carries_footprints_while_they_stand() -> None:
    walking = mark(velocity=(0.0, 1.0, 0.0))
    places = [footprints_of([walking], BODY, None, frame, 10.0)[0].middle[1] for frame in (0.0, 10.0, 15.0, 20.0, 30.0)]
    assert places == pytest.approx([-0.5, -0.5, 0.0, 0.5, 0.5])
