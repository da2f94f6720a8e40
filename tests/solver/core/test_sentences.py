# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences are told in frames and units of the clip, or in those that a program gives them."""

from __future__ import annotations

from poise.solver.core.errors import ConstraintError
from poise.solver.core.sentences import Amount, Frame, told

PARTS = (
    "At frame ",
    Frame(12),
    " and ",
    Frame(2.5),
    " by ",
    Amount(0.12345),
    " or ",
    Amount(0.5, is_angular=True),
    ".",
)


def test_frames_and_amounts_are_plain_numbers() -> None:
    assert told(PARTS) == "At frame 12 and 2.5 by 0.123 or 0.5."


def test_frames_and_amounts_can_be_told_otherwise() -> None:
    said = told(PARTS, lambda frame: f"{frame + 100:g}", lambda value, is_angular: "angle" if is_angular else "12 cm")
    assert said == "At frame 112 and 102.5 by 12 cm or angle."


def test_an_error_is_its_sentence_and_keeps_its_class_in_other_frames() -> None:
    error = ConstraintError("Pin {x}: it begins at frame ", Frame(3), ".")
    assert str(error) == "Pin {x}: it begins at frame 3."
    other = error.in_frames(lambda frame: f"{frame + 10:g}")
    assert type(other) is ConstraintError and str(other) == "Pin {x}: it begins at frame 13."
    assert str(ConstraintError("Plain.").in_frames(lambda frame: "no frame")) == "Plain."
