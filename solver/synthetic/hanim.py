# SPDX-License-Identifier: GPL-3.0-or-later
"""A made-up human with the joints of the HAnim standard, in its standard posture: upright, arms at the sides.

Its chains have as many joints as in Le Callennec 2006, appendix B: up to the root, a wrist recruits 9 joints, a hand
10, an ankle 4, a heel 5 and the toes 7.
"""

from __future__ import annotations

import numpy as np

from ..body.anatomical_limits import with_anatomical_limits
from ..body.joints import BodyPoint, JointKind
from ..body.skeleton import Skeleton, Up
from ..core.errors import SkeletonError
from .axes import from_y_up

STATURE = 1.75
"""Metres from the floor to the crown of the body that the tables below describe."""

# Heights and lengths follow the segments of Drillis and Contini 1966 as shares of stature; the joints of the trunk
# lie along the curve of a spine. As people stand, the knees are a little bent and the weight falls before the ankles.
_TRUNK: tuple[tuple[str, str | None, tuple[float, float, float]], ...] = (
    ("HumanoidRoot", None, (0.0, 0.965, 0.0)),
    ("sacroiliac", "HumanoidRoot", (0.0, 0.965, 0.0)),
    ("vl5", "HumanoidRoot", (0.0, 1.010, -0.020)),
    ("vl2", "vl5", (0.0, 1.100, -0.010)),
    ("vt11", "vl2", (0.0, 1.190, -0.020)),
    ("vt6", "vt11", (0.0, 1.320, -0.045)),
    ("vt1", "vt6", (0.0, 1.450, -0.030)),
    ("vc4", "vt1", (0.0, 1.520, -0.010)),
    ("skullbase", "vc4", (0.0, 1.590, 0.005)),
)
_LIMBS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("hip", "sacroiliac", (0.090, 0.925, 0.000)),
    ("knee", "hip", (0.090, 0.495, 0.012)),
    ("talocrural", "knee", (0.090, 0.075, -0.025)),
    ("subtalar", "talocrural", (0.090, 0.050, -0.030)),
    ("midtarsal", "subtalar", (0.093, 0.045, 0.030)),
    ("metatarsal", "midtarsal", (0.097, 0.015, 0.115)),
    ("sternoclavicular", "vt1", (0.025, 1.420, 0.035)),
    ("shoulder", "sternoclavicular", (0.180, 1.430, -0.015)),
    ("elbow", "shoulder", (0.200, 1.110, -0.025)),
    ("wrist", "elbow", (0.212, 0.855, 0.005)),
    ("middle1", "wrist", (0.214, 0.770, 0.020)),
)
"""Joints of the left side; a parent on the same side is named without its `l_`."""

_CROWN = (0.0, 1.750, 0.010)
_LIMB_TIPS = {"metatarsal": (0.100, 0.000, 0.185), "middle1": (0.212, 0.668, 0.030)}

_HINGES = {"knee": (1.0, 0.0, 0.0), "elbow": (-1.0, 0.0, 0.0)}
"""Hinge axes: a positive angle about them bends the limb."""


def human(
    up: Up = "y", *, stature: float = STATURE, mass: float = 70.0, hinges: bool = False, limits: bool = False
) -> Skeleton:
    """A human of `stature` metres and `mass` kilograms, both feet on the floor through the origin.

    With y up it faces z, with z up -y; its left is toward x. All joints are balls; with `hinges`, knees and elbows are
    hinges. With `limits`, all joints but root and pelvis have their anatomical range, and knees and elbows are hinges.
    """
    if not (np.isfinite(stature) and stature > 0.0):
        raise SkeletonError("The stature must be a finite, positive number of metres.")
    places: dict[str, tuple[float, float, float]] = {name: place for name, _, place in _TRUNK}
    parents: dict[str, str | None] = {name: parent for name, parent, _ in _TRUNK}
    tips = {"skullbase": _CROWN}
    axes: dict[str, tuple[float, float, float]] = {}
    sided = {name for name, _, _ in _LIMBS}
    for side, mirror in (("l_", 1.0), ("r_", -1.0)):
        for name, parent, (x, y, z) in _LIMBS:
            places[side + name] = (mirror * x, y, z)
            parents[side + name] = side + parent if parent in sided else parent
        for name, (x, y, z) in _LIMB_TIPS.items():
            tips[side + name] = (mirror * x, y, z)
        if hinges:
            axes |= {side + name: axis for name, axis in _HINGES.items()}

    names = tuple(places)
    index = {name: number for number, name in enumerate(names)}
    parent_indices = [-1 if parent is None else index[parent] for parent in parents.values()]
    positions = from_y_up(list(places.values()), up) * (stature / STATURE)
    offsets = positions - np.where(np.array(parent_indices)[:, None] < 0, 0.0, positions[parent_indices])
    kinds = [JointKind.FREE, *[JointKind.BALL] * (len(names) - 1)]
    hinge_axes = np.tile([1.0, 0.0, 0.0], (len(names), 1))
    for name, axis in axes.items():
        kinds[index[name]] = JointKind.HINGE
        hinge_axes[index[name]] = from_y_up(axis, up)
    skeleton = Skeleton(
        names=names,
        parents=np.array(parent_indices),
        offsets=offsets,
        kinds=tuple(kinds),
        hinge_axes=hinge_axes,
        tips=tuple(
            BodyPoint(name, tuple(from_y_up(place, up) * (stature / STATURE) - positions[index[name]]))
            for name, place in tips.items()
        ),
        up=up,
        total_mass=mass,
    )
    return with_anatomical_limits(skeleton) if limits else skeleton
