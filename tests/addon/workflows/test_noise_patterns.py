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
    noise_patterns.forget()
    assert noise_patterns.of(armature, hand) is None
