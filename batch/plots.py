# SPDX-License-Identifier: GPL-3.0-or-later
"""Histograms as SVG elements, without any library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

BINS = 24
WIDTH, HEIGHT = 460, 190
LEFT, RIGHT, TOP, BOTTOM = 44, 24, 26, 34
"""Pixels around the bars for names and numbers."""


def histogram(series: Mapping[str, Sequence[float]], label: str, is_logarithmic: bool = False) -> str:
    """Bars that count the values of each series; empty without values.

    `label` names the quantity below the axis. On a logarithmic axis values of zero are in the first bar.
    """
    values = [value for each in series.values() for value in each if math.isfinite(value)]
    positive = [value for value in values if value > 0.0]
    if not values or (is_logarithmic and not positive):
        return ""
    edges = _edges(positive if is_logarithmic else values, is_logarithmic)
    counts = {name: np.histogram(np.clip(each, edges[0], edges[-1]), edges)[0] for name, each in series.items()}
    most = max(int(each.max()) for each in counts.values())
    parts = [_axes(edges, most, label, is_logarithmic)]
    bar = (WIDTH - LEFT - RIGHT) / BINS / len(series)
    for place, (name, each) in enumerate(counts.items()):
        parts.append(f'<text x="{LEFT + 120 * place}" y="14" class="series{place}">■ {escape(name)}</text>')
        for number, count in enumerate(each.tolist()):
            if count:
                height = (HEIGHT - TOP - BOTTOM) * count / most
                x, y = LEFT + (number * len(series) + place) * bar, HEIGHT - BOTTOM - height
                words = f"{_number(edges[number])} to {_number(edges[number + 1])}: {count}"
                parts.append(
                    f'<rect class="series{place}" x="{x:.1f}" y="{y:.1f}" width="{max(bar - 0.5, 0.5):.1f}" '
                    f'height="{height:.1f}"><title>{words}</title></rect>'
                )
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'


def _edges(values: Sequence[float], is_logarithmic: bool) -> list[float]:
    """The boundaries of the bars, ascending."""
    low, high = min(values), max(values)
    if is_logarithmic:
        begin, end = math.floor(math.log10(low)), math.ceil(math.log10(high))
        return [float(edge) for edge in np.logspace(begin, max(end, begin + 1), BINS + 1)]
    least = min(low, 0.0)
    return [float(edge) for edge in np.linspace(least, least + 4.0 * _round_up((high - least) / 4.0), BINS + 1)]


def _round_up(step: float) -> float:
    """The least of 1, 2, 2.5 and 5 times a power of ten that is no less than a step, so that ticks have few digits."""
    if step <= 0.0:
        return 0.25
    power = 10.0 ** math.floor(math.log10(step))
    return power * next((factor for factor in (1.0, 2.0, 2.5, 5.0) if factor * power >= step), 10.0)


def _axes(edges: Sequence[float], most: int, label: str, is_logarithmic: bool) -> str:
    floor, ticks = HEIGHT - BOTTOM, []
    for number in range(0, BINS + 1, BINS // 4):
        x = LEFT + (WIDTH - LEFT - RIGHT) * number / BINS
        ticks.append(f'<text x="{x:.0f}" y="{floor + 14}" text-anchor="middle">{_number(edges[number])}</text>')
    ticks.append(f'<text x="{LEFT - 4}" y="{TOP + 8}" text-anchor="end">{most}</text>')
    ticks.append(f'<text x="{LEFT - 4}" y="{floor}" text-anchor="end">0</text>')
    ticks.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 4}" text-anchor="middle">{escape(label)}</text>')
    return f'<path class="axis" d="M{LEFT} {TOP}V{floor}H{WIDTH - RIGHT}"/>{"".join(ticks)}'


def _number(value: float) -> str:
    return f"{value:.2g}"
