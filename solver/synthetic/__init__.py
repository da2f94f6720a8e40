# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up characters and motions with known contacts: a human, chains, a walk, a run, a jump, hops.

The solver itself needs none."""

from .body_mesh import COLORED, BodyMesh, body_mesh
from .chains import ChainKind, bent, chain
from .contacts import Contact, SyntheticMotion
from .gaits import walk
from .hanim import human
from .hop import hop
from .jump import jump
from .run import run

__all__ = [
    "COLORED",
    "BodyMesh",
    "ChainKind",
    "Contact",
    "SyntheticMotion",
    "bent",
    "body_mesh",
    "chain",
    "hop",
    "human",
    "jump",
    "run",
    "walk",
]
