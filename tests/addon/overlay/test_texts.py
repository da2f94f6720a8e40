# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts do not cover each other: the more important one stays."""

from __future__ import annotations

import numpy as np

from poise.addon.overlay import texts
from poise.addon.overlay.shapes import Label
from poise.addon.overlay.texts import kept_labels

WHITE = (1.0, 1.0, 1.0, 1.0)
REGION = (400.0, 300.0)


def label(text: str, rank: int = 1) -> Label:
    return Label(text, (0.0, 0.0, 0.0), WHITE, rank)


def kept(
    labels: list[Label], pixels: list[tuple[float, float]], direction: tuple[float, float] = (0.0, 0.0)
) -> dict[str, tuple[float, float]]:
    sizes, directions = [(40.0, 10.0)] * len(labels), np.tile(direction, (len(labels), 1))
    found = kept_labels(labels, np.array(pixels), directions, sizes, REGION, 7.0)
    return {each.text: (left, bottom) for each, left, bottom in found}


def test_texts_are_beside_their_places() -> None:
    place = [(100.0, 50.0)]
    assert kept([label("a")], place) == {"a": (107.0, 57.0)}
    assert kept([label("a")], place, direction=(20.0, 3.0)) == {"a": (107.0, 45.0)}, "to the right"
    assert kept([label("a")], place, direction=(-20.0, 3.0)) == {"a": (53.0, 45.0)}, "to the left"
    assert kept([label("a")], place, direction=(2.0, 3.0)) == {"a": (80.0, 33.0)}, "below: seen from the side"


def test_a_text_that_would_cover_a_more_important_one_is_put_on_another_side() -> None:
    found = kept([label("a", 2), label("b", 0)], [(100.0, 50.0), (102.0, 50.0)])
    assert found["b"] == (109.0, 57.0) and found["a"] == (107.0, 33.0), "below its place"


def test_where_there_is_no_room_at_all_the_less_important_ones_are_left_out() -> None:
    labels = [label(str(number), rank=number) for number in range(9)]
    assert set(kept(labels, [(100.0, 50.0)] * 9)) == {"0", "1", "2", "3"}, "one on each side"


def test_what_is_outside_or_behind_the_viewer_is_left_out() -> None:
    pixels = [(-5.0, 50.0), (100.0, 301.0), (np.nan, np.nan), (10.0, 10.0)]
    assert set(kept([label(text) for text in "abcd"], pixels)) == {"d"}


def test_there_is_a_limit() -> None:
    labels = [label(str(number)) for number in range(200)]
    pixels = [(float(5 + 50 * (number % 7)), float(20 * (number // 7 % 15))) for number in range(200)]
    assert len(kept(labels, pixels)) == texts.MOST
