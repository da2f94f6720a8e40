# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise patterns are kept by armature and subject, and dropped with the file."""

from __future__ import annotations

import bpy

from poise.addon.workflows import noise_patterns
from poise.addon.workflows.noise_patterns import NoisePattern, Span
from poise.addon.workflows.subjects import Subject


def test_the_newest_pattern_of_each_subject_is_kept(armature: bpy.types.Object) -> None:
    hand, foot = Subject(bone="hand"), Subject(bone="foot")
    first, second = (NoisePattern(hand, (), (), (Span(1.0, end, "SPACE"),), 1.0) for end in (2.0, 3.0))
    other = NoisePattern(foot, (), (), (), 1.0)
    noise_patterns.keep(armature, [first, other])
    noise_patterns.keep(armature, [second])
    assert noise_patterns.of(armature, hand) is second and noise_patterns.of(armature, foot) is other
    learnt = (Span(5.0, 9.0, "SPACE", 2.0),)
    third = NoisePattern(hand, (), learnt, (), 1.0)
    noise_patterns.keep(armature, [third])
    assert noise_patterns.of(armature, hand, learnt) is third
    assert noise_patterns.of(armature, hand, ()) is second, "undo shows the one that belongs to its examples"
    assert noise_patterns.of(armature, hand, (Span(1.0, 2.0, "LINE"),)) is third, "or else the newest"
    for _ in range(2 * noise_patterns.HISTORY):
        noise_patterns.keep(armature, [other])
    assert noise_patterns.of(armature, hand) is None, "old ones are dropped"
    noise_patterns.forget()
    assert noise_patterns.of(armature, foot) is None
