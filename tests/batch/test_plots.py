# SPDX-License-Identifier: GPL-3.0-or-later
"""Histograms as SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from poise.batch.plots import histogram


def counts(svg: str, place: int) -> int:
    """The number of values in the bars of a series."""
    found = re.findall(rf'<rect class="series{place}".*?<title>[^<]*: (\d+)</title>', svg)
    return sum(map(int, found))


def test_each_value_is_in_a_bar() -> None:
    svg = histogram({"before": [0.0, 1.0, 2.5, 9.0], "after": [0.0] * 7}, "slide <%>")
    ElementTree.fromstring(svg)
    assert counts(svg, 0) == 4 and counts(svg, 1) == 7
    assert "slide &lt;%&gt;" in svg


def test_a_tall_bar_is_taller() -> None:
    svg = histogram({"clips": [1.0, 1.0, 1.0, 5.0]}, "seconds")
    heights = [float(height) for height in re.findall(r'<rect[^>]* height="([\d.]+)"', svg)]
    assert len(heights) == 2 and abs(heights[0] - 3.0 * heights[1]) < 0.2


def test_equal_values_and_none_are_no_trouble() -> None:
    assert counts(histogram({"clips": [2.0, 2.0]}, "x"), 0) == 2
    assert counts(histogram({"clips": [0.0]}, "x"), 0) == 1
    assert histogram({"clips": []}, "x") == ""
