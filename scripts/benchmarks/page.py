# SPDX-License-Identifier: GPL-3.0-or-later
"""The page docs/benchmarks.md of a whole run: a table and a plot for each benchmark, and one plot of all bounds."""

from __future__ import annotations

import json
import math
import platform
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure as Picture

from . import pictures, report
from .figures import Figure

Measured = Mapping[str, Sequence[Figure]]
"""By benchmark: its figures."""

TIMES = ("s", "ms", "µs")
"""First words of the units that are drawn as bars."""
FEWEST_BARS, MOST_BARS = 2, 14

DRAWN = {
    "integration_and_damping": "figure_3_9.png",
    "parameterization": "figure_3_7.png",
    "transpose": "figure_3_12.png",
}
"""Pictures that benchmarks draw themselves, in the folder of the benchmarks' pictures."""

INTRODUCTION = """# Benchmarks

`make bench` has measured this, with one thread, and has written this page and its plots from `build/bench.json`. Times
depend on the machine; ratios are taken within one run and hold on others too. A bound is what a figure must keep: where
it does not, `make bench` fails.
[Profiling](maintainers/profiling.md) says which benchmark answers which question, `scripts/benchmarks` has their code.
"""


def write(measured: Measured, titles: Mapping[str, str], docs: Path, drawn: Path = pictures.FOLDER) -> Path:
    """Write the page and its plots into the folder of the documentation; `drawn` has the pictures of benchmarks."""
    folder = docs / "pictures"
    for old in folder.glob("bench_*"):
        old.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    lines = [INTRODUCTION, f"Measured under Python {platform.python_version()} with NumPy {np.__version__}.", ""]
    bounded = [figure for figures in measured.values() for figure in figures if _share(figure) is not None]
    if bounded:
        _save(_draw_shares(bounded), folder / "bench_bounds.svg")
        lines += [
            f"## All {len(bounded)} bounds",
            "",
            "How much of its bound each figure needs: what is left of the line holds.",
            "",
            "![Each figure with a bound, as a share of it](pictures/bench_bounds.svg)",
            "",
        ]
    for name, figures in measured.items():
        lines += [f"## {titles.get(name, name).rstrip('.')}", "", f"`{name}`", ""]
        timed = _timed(figures)
        if len(timed) >= FEWEST_BARS:
            _save(_draw_times(timed), folder / f"bench_{name}.svg")
            lines += [f"![Times of {name}](pictures/bench_{name}.svg)", ""]
        own = drawn / DRAWN.get(name, "")
        if name in DRAWN and own.is_file():
            shutil.copy(own, folder / f"bench_{name}.png")
            lines += [f"![The figure of {name}](pictures/bench_{name}.png)", ""]
        lines += [*_table(figures), ""]
    path = docs / "benchmarks.md"
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return path


def read(path: Path) -> dict[str, list[Figure]]:
    """The figures of a JSON file of a whole run, by benchmark."""
    measured: dict[str, list[Figure]] = {}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        figure = Figure(
            entry["name"],
            entry["value"],
            entry["unit"],
            entry["bound"],
            entry["direction"] or "at most",
            entry["note"],
        )
        measured.setdefault(entry["benchmark"], []).append(figure)
    return measured


def _table(figures: Sequence[Figure]) -> list[str]:
    """A Markdown table of figures; bounds that are broken are bold."""
    lines = ["| figure | value | unit | bound | note |", "|---|---:|---|---|---|"]
    for figure in figures:
        name, value, unit, bound, holds, note = (cell.replace("|", "\\|") for cell in report.cells(figure))
        told = f"**{bound}: broken**" if holds == "NO" else bound
        lines.append(f"| {name} | {value} | {unit} | {told} | {note} |")
    return lines


def _share(figure: Figure) -> float | None:
    """The share of its bound that a figure needs, at most 1 where it holds; None where there is none."""
    if not figure.bound or figure.value is None or not math.isfinite(figure.value) or figure.value <= 0.0:
        return None
    return figure.value / figure.bound if figure.direction == "at most" else figure.bound / figure.value


def _timed(figures: Sequence[Figure]) -> list[Figure]:
    """The figures with the most frequent unit of time."""
    timed = [each for each in figures if each.value is not None and each.unit.split(" ")[0] in TIMES]
    units = [each.unit for each in timed]
    common = max(units, key=units.count, default="")
    return [each for each in timed if each.unit == common][:MOST_BARS]


def _draw_times(figures: Sequence[Figure]) -> Picture:
    """Horizontal bars, Poise and what has no other library in its name in blue; lines at bounds."""
    picture, axes = plt.subplots(figsize=(8.0, 0.6 + 0.28 * len(figures)), layout="constrained")
    rows = np.arange(len(figures))[::-1]
    values = [float(figure.value or 0.0) for figure in figures]
    colors = [pictures.GREY if _is_peer(figure.name) else pictures.BLUE for figure in figures]
    axes.barh(rows, values, color=colors, height=0.7)
    for row, figure, value in zip(rows, figures, values, strict=True):
        axes.text(value, row, f" {value:.3g}", va="center", fontsize=8)
        if figure.bound is not None:
            axes.plot([figure.bound] * 2, [row - 0.4, row + 0.4], color=pictures.RED, linewidth=2.0)
    if max(values) > 30.0 * max(min(values), 1e-12) and min(values) > 0.0:
        axes.set_xscale("log")
    axes.set_yticks(rows, [figure.name for figure in figures], fontsize=8)
    axes.set_xlabel(figures[0].unit, fontsize=8)
    axes.tick_params(axis="x", labelsize=8)
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    return picture


PEERS = ("pink", "mink", "placo", "Blender")


def _is_peer(name: str) -> bool:
    return any(peer in name for peer in PEERS) and "Poise" not in name


LEAST_SHARE = 1e-3
"""Smaller shares of bounds are drawn here: rounding errors would take the whole scale."""


def _draw_shares(figures: Sequence[Figure]) -> Picture:
    """A dot a figure on a logarithmic scale of shares, red where its bound is broken."""
    ordered = sorted(figures, key=lambda figure: _share(figure) or 0.0)
    picture, axes = plt.subplots(figsize=(8.0, 0.8 + 0.17 * len(ordered)), layout="constrained")
    shares = np.maximum([_share(figure) or 0.0 for figure in ordered], LEAST_SHARE)
    axes.axvline(1.0, color=pictures.GREY, linewidth=1.0)
    axes.margins(y=0.01)
    axes.scatter(shares, np.arange(len(shares)), s=16, c=[pictures.BLUE if x <= 1.0 else pictures.RED for x in shares])
    axes.set_xscale("log")
    axes.set_yticks(np.arange(len(shares)), [figure.name for figure in ordered], fontsize=6)
    axes.set_xlabel("share of the bound", fontsize=8)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x", color="#e6e6e6")
    axes.spines[["top", "right"]].set_visible(False)
    return picture


def _save(picture: Picture, path: Path) -> None:
    """Write a picture so that the same figures give the same file."""
    with plt.rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none"}):
        picture.savefig(path, metadata={"Date": None})
    plt.close(picture)
