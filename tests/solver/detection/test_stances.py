# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances: rest intervals of heel and ball, paired."""

from __future__ import annotations

from poise.solver.detection.rest_intervals import RestInterval
from poise.solver.detection.stances import Stance, stances_of_foot


def rest(begin: int, end: int, height: float = 0.0) -> RestInterval:
    return RestInterval(begin, end, (0.0, height, 0.0), 0.5)


def paired_spans(
    heels: list[RestInterval], balls: list[RestInterval], shortest: int = 1
) -> list[tuple[tuple[int, int] | None, tuple[int, int] | None]]:
    def span(part: RestInterval | None) -> tuple[int, int] | None:
        return None if part is None else (part.begin, part.end)

    stances = stances_of_foot("left", heels, balls, 1, 0.1, shortest)
    return [(span(stance.heel), span(stance.ball)) for stance in stances]


def test_a_stance_lasts_as_long_as_either_part() -> None:
    both = Stance("left", rest(5, 20, 0.2), rest(8, 30, 0.1))
    assert (both.begin, both.end, both.frames, both.height(1)) == (5, 30, 26, 0.1)
    alone = Stance("left", rest(5, 20, 0.2), None)
    assert (alone.begin, alone.end, alone.frames, alone.height(1)) == (5, 20, 16, 0.2)


def test_heel_and_ball_that_rest_together_are_one_stance() -> None:
    assert paired_spans([rest(5, 20), rest(50, 60)], [rest(8, 30), rest(52, 75)]) == [
        ((5, 20), (8, 30)),
        ((50, 60), (52, 75)),
    ]


def test_heel_or_ball_may_rest_alone() -> None:
    assert paired_spans([rest(5, 20)], []) == [((5, 20), None)]
    assert paired_spans([], [rest(5, 20)]) == [(None, (5, 20))]
    assert paired_spans([rest(5, 20)], [rest(25, 40)]) == [((5, 20), None), (None, (25, 40))]


def test_a_part_that_rests_while_the_other_is_lifted_is_cut_midway() -> None:
    assert paired_spans([rest(0, 20), rest(30, 50)], [rest(2, 60)]) == [((0, 20), (2, 25)), ((30, 50), (26, 60))]
    assert paired_spans([rest(0, 60)], [rest(2, 20), rest(30, 70)]) == [((0, 25), (2, 20)), ((26, 60), (30, 70))]


def test_no_interval_is_lost_where_both_parts_are_lifted_in_turn() -> None:
    heels, balls = [rest(0, 50), rest(60, 90)], [rest(2, 20), rest(30, 95)]
    assert paired_spans(heels, balls) == [((0, 25), (2, 20)), ((26, 50), (30, 55)), ((60, 90), (56, 95))]


def test_parts_of_a_group_that_do_not_overlap_are_two_stances() -> None:
    # The ball rests throughout, but the second heel only after it has left: a group of three, two of them together.
    heels, balls = [rest(0, 20), rest(30, 50)], [rest(10, 31)]
    assert paired_spans(heels, balls) == [((0, 20), (10, 25)), ((30, 50), (26, 31))]
    heels, balls = [rest(0, 20), rest(40, 60)], [rest(10, 32), rest(33, 35), rest(55, 70)]
    for heel, ball in paired_spans(heels, balls):
        assert heel is None or ball is None or (heel[0] <= ball[1] and ball[0] <= heel[1])


def test_an_interval_above_the_longest_one_is_dropped() -> None:
    assert paired_spans([rest(0, 30), rest(35, 50, 0.2)], [rest(2, 60)]) == [((0, 30), (2, 60))]
    assert paired_spans([rest(0, 30), rest(35, 50, 0.05)], [rest(2, 60)])[1] == ((35, 50), (33, 60))


def test_parts_that_are_cut_too_short_are_dropped() -> None:
    heels, balls = [rest(0, 20), rest(24, 50)], [rest(2, 24)]
    assert paired_spans(heels, balls) == [((0, 20), (2, 22)), ((24, 50), (23, 24))]
    assert paired_spans(heels, balls, 3) == [((0, 20), (2, 22)), ((24, 50), None)]
    assert paired_spans([rest(0, 1)], [], 3) == [((0, 1), None)], "only what is cut"
