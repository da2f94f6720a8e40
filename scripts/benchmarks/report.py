# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run: a table, JSON, and one sentence for each broken bound."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from .figures import Figure

HEADINGS = ("figure", "value", "unit", "bound", "holds", "note")
NUMERIC = {"value"}
SIGNIFICANT_DIGITS = 3


def as_json(figures: Sequence[Figure], benchmarks: Mapping[str, str] | None = None) -> str:
    """A list of objects, one a figure; numbers that JSON cannot write (infinite, not a number) become null.

    `benchmarks` has the benchmark of a figure, by the name of the figure."""
    belongs = benchmarks or {}
    entries = [
        {
            **({"benchmark": belongs[figure.name]} if figure.name in belongs else {}),
            "name": figure.name,
            "value": _finite(figure.value),
            "unit": figure.unit,
            "bound": figure.bound,
            "direction": None if figure.bound is None else figure.direction,
            "holds": figure.holds,
            "note": figure.note,
        }
        for figure in figures
    ]
    return json.dumps(entries, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def as_table(figures: Sequence[Figure]) -> str:
    """Aligned columns with a heading; the note comes last, so that its length moves nothing."""
    rows = [HEADINGS, *(cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "  ".join("─" * width for width in widths[:-1]) + "  " + "─" * len(HEADINGS[-1]))
    return "\n".join(lines)


def broken_bounds(figures: Sequence[Figure]) -> list[str]:
    """One sentence for each figure that breaks its bound."""
    return [
        f"{figure.name} is {_number(figure.value)} {figure.unit}, but must be {_bound(figure)}."
        for figure in figures
        if figure.holds is False
    ]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.{SIGNIFICANT_DIGITS}g}"


def _bound(figure: Figure) -> str:
    return "" if figure.bound is None else f"{figure.direction} {figure.bound:g}"


def cells(figure: Figure) -> tuple[str, ...]:
    """The texts of a figure under `HEADINGS`."""
    holds = {True: "yes", False: "NO", None: ""}[figure.holds]
    return figure.name, _number(figure.value), figure.unit, _bound(figure), holds, figure.note


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        cell.rjust(width) if heading in NUMERIC else cell.ljust(width)
        for cell, width, heading in zip(row, widths, HEADINGS, strict=True)
    ]
    return "  ".join(cells).rstrip()
