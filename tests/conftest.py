# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

MOCAP = Path(__file__).parents[1].parent / "shared" / "mocap"


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder of captured clips beside the checkout; the test is skipped where there is none."""
    if not MOCAP.is_dir():
        pytest.skip("the captured clips are not there: this test reads them from ../shared/mocap beside the checkout")
    return MOCAP
