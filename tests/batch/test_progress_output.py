# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and the bar on the terminal."""

from __future__ import annotations

import io
import sys

import pytest

from poise.batch import progress_output


@pytest.mark.parametrize("is_watched", [True, False])
def test_a_bar_is_drawn_only_on_an_interactive_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_watched: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return is_watched

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    printer = progress_output.ProgressPrinter(4)
    good = {"input": "a.bvh", "succeeded": True, "seconds": 1.25, "clips": [], "asked": []}
    for told in (good, good | {"succeeded": False, "error": "It is broken."}):
        printer.print_report(told)
    assert capsys.readouterr().out == "1/4  a.bvh  ok, 1.2 s\n2/4  a.bvh  FAILED\n"
    assert "a.bvh: It is broken.\n" in terminal.getvalue()
    assert ("[###############...............] 2 of 4" in terminal.getvalue()) == is_watched
    assert ("\033" in terminal.getvalue()) == is_watched
