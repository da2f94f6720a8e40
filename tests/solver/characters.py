# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters and motions to test on: random trees of every kind of joint, and a small person with known lengths."""

from __future__ import annotations

import numpy as np

from poise.solver.body.joints import BodyPoint, JointKind, Load
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.synthetic import human

FREE, BALL, HINGE, FIXED = JointKind.FREE, JointKind.BALL, JointKind.HINGE, JointKind.FIXED

THIGH, SHANK, HEEL = 0.45, 0.4, (0.0, -0.1, -0.05)
"""Of `person`, in metres: two lengths, and where its heels are on its ankles."""


def random_skeleton(rng: np.random.Generator, joints: int = 14, roots: int = 1) -> Skeleton:
    """A random tree, or forest, in which every kind of joint is met anywhere and some bones have no length.

    Masses are random too, and two loads are carried.
    """
    parents = np.array([-1] * roots + [int(rng.integers(joint)) for joint in range(roots, joints)])
    kinds = [FREE, BALL, HINGE, FIXED] * -(-joints // 4)
    kinds = [kinds[position] for position in rng.permutation(joints)]
    kinds[0] = FREE
    offsets = 0.4 * rng.standard_normal((joints, 3))
    offsets[rng.permutation(np.arange(1, joints))[: joints // 5]] = 0.0
    return Skeleton(
        tuple(f"part {joint}" for joint in range(joints)),
        parents,
        offsets,
        rest_rotations=rotations.random(rng, joints),
        kinds=tuple(kinds),
        hinge_axes=rng.standard_normal((joints, 3)),
        stiffness=rng.uniform(0.5, 2.0, joints),
        tips=(BodyPoint(joints - 1, tuple(rng.standard_normal(3))),),
        up="y" if rng.random() < 0.5 else "z",
        set_masses={int(joint): float(rng.uniform(0.0, 5.0)) for joint in rng.permutation(joints)[: joints // 2]},
        loads=tuple(
            Load(BodyPoint(int(rng.integers(joints)), tuple(rng.standard_normal(3))), float(rng.uniform(1.0, 9.0)))
            for _ in range(2)
        ),
    )


def hinge_chain() -> Skeleton:
    """Five hinges about different axes in a row on a fixed base: no free joint and no ball anywhere."""
    return Skeleton(
        ("base", "first", "second", "third", "fourth", "fifth"),
        [-1, 0, 1, 2, 3, 4],
        [[0.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.1, 0.4, 0.0], [0.0, 0.0, 0.3], [0.2, 0.0, 0.0], [0.0, 0.2, 0.1]],
        kinds=(FIXED, HINGE, HINGE, HINGE, HINGE, HINGE),
        hinge_axes=[[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, -1, 2]],
        tips=(BodyPoint("fifth", (0.0, 0.25, 0.0)),),
    )


def person() -> Skeleton:
    """A character of 17 joints that stands upright, faces +z and has +y up; elbows and knees are hinges."""
    joints: dict[str, tuple[str | None, tuple[float, float, float]]] = {
        "Hips": (None, (0.0, 0.95, 0.0)),
        "Spine": ("Hips", (0.0, 0.15, 0.0)),
        "Chest": ("Spine", (0.0, 0.2, 0.0)),
        "Neck": ("Chest", (0.0, 0.15, 0.0)),
        "Head": ("Neck", (0.0, 0.1, 0.0)),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joints |= {
            f"{side}Arm": ("Chest", (0.2 * sign, 0.1, 0.0)),
            f"{side}ForeArm": (f"{side}Arm", (0.3 * sign, 0.0, 0.0)),
            f"{side}Hand": (f"{side}ForeArm", (0.25 * sign, 0.0, 0.0)),
            f"{side}UpLeg": ("Hips", (0.1 * sign, 0.0, 0.0)),
            f"{side}Leg": (f"{side}UpLeg", (0.0, -THIGH, 0.0)),
            f"{side}Foot": (f"{side}Leg", (0.0, -SHANK, 0.0)),
        }
    names = tuple(joints)
    tips = [BodyPoint("Head", (0.0, 0.2, 0.0))]
    tips += [BodyPoint(f"{side}Hand", (0.18 * sign, 0.0, 0.0)) for side, sign in (("Left", 1.0), ("Right", -1.0))]
    tips += [BodyPoint(f"{side}Foot", (0.0, -0.1, 0.2)) for side in ("Left", "Right")]
    bent = [name for name in names if name.endswith(("ForeArm", "LeftLeg", "RightLeg"))]
    standing = Skeleton(
        names,
        [-1 if parent is None else names.index(parent) for parent, _ in joints.values()],
        [offset for _, offset in joints.values()],
        tips=tuple(tips),
    )
    standing = standing.with_kinds(dict.fromkeys(bent, HINGE), {name: (0.0, 1.0, 0.0) for name in bent[:2]})
    return standing.with_landmarks(left_heel=BodyPoint("LeftFoot", HEEL), right_heel=BodyPoint("RightFoot", HEEL))


def random_motion(rng: np.random.Generator, skeleton: Skeleton, frames: int = 4, *, on_bones: bool = False) -> Motion:
    """A motion in which every joint may be turned any way and translated, as files and Blender allow.

    With `on_bones` each joint keeps to its kind: hinges turn about their axes only, and only free joints translate.
    """
    joints = len(skeleton)
    turned = rotations.random(rng, (frames, joints))
    moved = skeleton.offsets + 0.3 * rng.standard_normal((frames, joints, 3))
    if on_bones:
        kinds = np.array(skeleton.kinds)
        angles = rng.uniform(-3.0, 3.0, (frames, joints))
        bent = rotations.multiply(skeleton.rest_rotations, rotations.from_axis_angle(skeleton.hinge_axes, angles))
        turned = np.where((kinds == HINGE)[:, None], bent, turned)
        turned = np.where((kinds == FIXED)[:, None], skeleton.rest_rotations, turned)
        moved = np.where((kinds == FREE)[:, None], moved, skeleton.offsets)
    return Motion(turned, moved)


def random_state(rng: np.random.Generator, skeleton: Skeleton, frames: int = 4) -> WorldState:
    """Every joint anywhere."""
    return WorldState.of(skeleton, random_motion(rng, skeleton, frames))


def matrix(q: Array) -> Array:
    """(…, 3, 3) of a unit quaternion, by the textbook and independent of the solver."""
    w, x, y, z = np.moveaxis(np.asarray(q), -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


CHARACTERS = {
    "tree": lambda: random_skeleton(np.random.default_rng(11)),
    "bush": lambda: random_skeleton(np.random.default_rng(12), joints=25),
    "forest": lambda: random_skeleton(np.random.default_rng(13), joints=16, roots=3),
    "single joint": lambda: Skeleton(("only",), [-1], [[0.0, 0.0, 0.0]]),
    "chain of hinges": hinge_chain,
    "person": person,
    "human": lambda: human(up="z", hinges=True),
}
"""By name; the fixture `character` adds the one of a captured clip."""

CAPTURED = "captured"
