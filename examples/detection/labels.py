# SPDX-License-Identifier: GPL-3.0-or-later
"""The labels of captured clips, placed by eye (tests/labels): footplants, and hands that support the body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .gaits import Spans
from .scores import FEET, PARTS

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "labels"

NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
"""The names of the labelled captures, such as "02_01"."""


@dataclass(frozen=True)
class Labels:
    """The labels of one capture. Frames are those of the clip; first and last frames are both included."""

    clip: str
    """The name of the clip's file."""
    how: str
    """How the labels were placed, how certain they are, and whether a detector had seen the clip before."""
    footplants: tuple[dict[str, Any], ...]
    """Each with its foot and four events, which are None for a heel, or a ball, that is not at rest."""
    hands: tuple[dict[str, Any], ...]
    """Each with its hand, begin and end; most captures have none."""

    @property
    def foot_spans(self) -> Spans:
        """The rest intervals of each heel and ball."""
        spans: Spans = {(foot, part): [] for foot in FEET for part in PARTS}
        for label in self.footplants:
            for part in PARTS:
                if label[f"{part}_strike"] is not None:
                    spans[label["foot"], part].append((label[f"{part}_strike"], label[f"{part}_off"]))
        return spans

    @property
    def hand_spans(self) -> dict[str, list[tuple[int, int]]]:
        """The intervals in which each hand supports the body."""
        spans: dict[str, list[tuple[int, int]]] = {hand: [] for hand in FEET}
        for label in self.hands:
            spans[label["hand"]].append((label["begin"], label["end"]))
        return spans


def read_labels(name: str) -> Labels:
    """The labels of the capture of this name."""
    read = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return Labels(read["clip"], read["how"], tuple(read["footplants"]), tuple(read.get("hands", ())))
