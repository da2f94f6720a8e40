# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks and bodies with known measures, for tests of geometry."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.addon.overlay.body import BodyMeasures, FootMeasures
from poise.addon.overlay.marks import Handle, Mark

FOOT = FootMeasures(heel_to_ball=0.18, ball_to_tip=0.07, heel_clearance=0.02, ball_clearance=0.04)
BODY = BodyMeasures(size=0.9, left=FOOT, right=FOOT)


def handle(place: Any = (0.0, 0.0, 0.0), turn: float = 0.0, home: Any = None, point: int = 0, **times: float) -> Handle:
    """A handle at a place, turned about the vertical."""
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    matrix[:3, 3] = place
    frames = {"begin": 10.0, "end": 20.0} | times
    return Handle(point, matrix=tuple(matrix.ravel().tolist()), home=tuple(place if home is None else home), **frames)


def mark(kind: str = "FOOTPLANT", *handles: Handle, **fields: Any) -> Mark:
    """A constraint from frame 10 to frame 20, with one handle in the origin unless others are given."""
    values: dict[str, Any] = {
        "uid": "one",
        "name": "One",
        "kind": kind,
        "is_proposal": False,
        "is_enabled": True,
        "is_active": False,
        "begin": 10.0,
        "end": 20.0,
        "bone": "",
        "offset": (0.0, 0.0, 0.0),
        "foot": "left" if kind == "FOOTPLANT" else "",
        "has_heel": True,
        "has_ball": True,
        "ground_choice": "AUTO",
        "height": None,
        "velocity": (0.0, 0.0, 0.0),
        "aim": "PLACE",
        "handles": handles or (handle(),),
    }
    return Mark(**values | fields)
