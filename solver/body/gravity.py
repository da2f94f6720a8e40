# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity in the units of a character, which are rarely metres: the character's own size says how long a metre is."""

from __future__ import annotations

from .skeleton import Skeleton

EARTH = 9.81
"""Metres a second squared."""

ADULT_SIZE = 0.92
"""Metres from hip to heel of an adult. The hip joint is at 0.530 of stature (Drillis and Contini 1966), and the adults
of de Leva 1996, who have the masses of `masses`, are 1.741 m (men) and 1.735 m (women) tall."""


def earth_gravity(skeleton: Skeleton) -> float:
    """The acceleration of free fall on the earth in the skeleton's units a second squared.

    The character counts as an adult of `ADULT_SIZE`, however large it is in its own units: a giant falls as a person
    does, seen from as far as makes both equally large.
    """
    return EARTH / ADULT_SIZE * skeleton.size
