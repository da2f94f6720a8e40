# SPDX-License-Identifier: GPL-3.0-or-later
"""The contacts of made-up motions are true: feet stand still in them, at every frame rate, and only in them."""

from __future__ import annotations

import numpy as np
import pytest

from .checks import STILL, Make, contact_paths, every_motion, sole_heights


@every_motion
@pytest.mark.parametrize("fps", [24.0, 30.0, 59.94, 120.0])
def test_feet_stand_still_in_their_contacts(make: Make, fps: float) -> None:
    motion = make(fps=fps)
    size = motion.clip.skeleton.size
    assert motion.contacts
    for name, places, truth in contact_paths(motion):
        assert len(places) > 0, name
        assert np.abs(places - truth).max() < STILL * size, name


@every_motion
def test_contacts_are_as_long_as_they_can_be(make: Make) -> None:
    motion = make(fps=120.0)
    clip, marks = motion.clip, motion.clip.skeleton.landmarks
    last = clip.frames - 1
    for contact in motion.contacts:
        for part, first, final, truth in (
            ("heel", contact.heel_strike, contact.heel_off, contact.heel),
            ("toe", contact.toe_strike, contact.toe_off, contact.toe),
        ):
            places = clip.position(marks.require(f"{contact.foot}_{part}"))
            beyond = [first - 3] * (first > 3) + [final + 3] * (final < last - 3)
            for frame in beyond:
                off = np.abs(places[frame] - truth).max()
                assert off > STILL * clip.skeleton.size, f"{contact.foot} {part} still stands at frame {frame}"


@every_motion
def test_contacts_come_in_order_inside_the_clip(make: Make) -> None:
    motion = make()
    last = motion.clip.frames - 1
    for contact in motion.contacts:
        assert 0 <= contact.heel_strike <= contact.toe_strike <= contact.heel_off <= contact.toe_off <= last
        assert contact.heel[1] == pytest.approx(0.0, abs=1e-12)
    begins = [contact.heel_strike for contact in motion.contacts]
    assert begins == sorted(begins)


@every_motion
@pytest.mark.parametrize("fps", [30.0, 240.0])
def test_nothing_is_below_the_floor(make: Make, fps: float) -> None:
    clip = make(fps=fps).clip
    assert sole_heights(clip).min() > -1e-12
