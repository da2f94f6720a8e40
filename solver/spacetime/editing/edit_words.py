# SPDX-License-Identifier: GPL-3.0-or-later
"""An edit in an animator's words, for the message that it cannot be done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..problem.stances import Stance
from .edit import Edit, FootprintEdit, LimbEdit

MOST_FOOTPRINTS = 2
"""More changed footprints are counted, not named."""


def changes_in_words(edit: Edit, stances: Sequence[Stance]) -> list[str]:
    """What an edit changes about a motion with these stances, each a noun with its figures in the clip's units."""
    found = []
    if edit.gravity != 1.0:
        found.append(f"{edit.gravity:.3g} times the gravity")
    if edit.duration is not None and edit.duration != 1.0:
        found.append(f"{edit.duration:.3g} times the duration")
    if edit.flight != 1.0:
        found.append(f"{edit.flight:.3g} times the time in the air")
    if len(edit.footprints) > MOST_FOOTPRINTS:
        found.append(f"{len(edit.footprints)} changed footprints")
    else:
        found += [_footprint(each, stances[each.stance].label) for each in edit.footprints]
    found += [_limb(each) for each in edit.limbs]
    found += [f"a locked {_joint(each.joint)}" for each in edit.locked]
    found += [f"obstacle {number} of height {each.height:.3g}" for number, each in enumerate(edit.obstacles, 1)]
    if edit.turn:
        found.append(f"a turn by {np.rad2deg(edit.turn):.0f}°")
    return found or ["these weights of objectives"]


def _footprint(edit: FootprintEdit, label: str) -> str:
    parts = []
    far = float(np.linalg.norm(edit.shift))
    if far:
        parts.append(f"moved by {far:.3g}")
    if edit.turn:
        parts.append(f"turned by {np.rad2deg(edit.turn):.0f}°")
    if edit.earlier_strike or edit.later_release:
        parts.append("at other times")
    return " ".join([label, " and ".join(parts)]).strip()


def _limb(edit: LimbEdit) -> str:
    parts = [
        f"{factor:.3g} times its {name}"
        for name, factor in (("length", edit.length), ("mass", edit.mass))
        if factor != 1.0
    ]
    return f"the limb below the {_joint(edit.joint)} with {' and '.join(parts) or 'its length'}"


def _joint(name: str) -> str:
    return name.replace("_", " ")
