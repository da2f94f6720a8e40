# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder and the style of the benchmarks' pictures."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure as Picture

FOLDER = Path(__file__).resolve().parents[2] / "build" / "bench"
DOTS_PER_INCH = 130

BLUE, RED, GREY, GOAL = "#2166ac", "#b2182b", "#9a9a9a", "#e08214"


def save(picture: Picture, folder: Path, name: str) -> None:
    """Write a picture into the folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    picture.savefig(folder / name, dpi=DOTS_PER_INCH)
