# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `poise`."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["bake"], 2), (["--help"], 0)])
def test_what_can_be_done_is_said(arguments: list[str], code: int) -> None:
    done = subprocess.run([sys.executable, "-m", "poise", *arguments], capture_output=True, text=True)
    assert done.returncode == code
    assert "usage: poise batch" in (done.stderr if code else done.stdout)


def test_batch_is_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "poise", "batch", "nowhere.bvh", "-o", "out"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (2, "nowhere.bvh does not exist.\n")
