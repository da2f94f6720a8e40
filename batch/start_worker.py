# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts a process that edits clips, in Python or in Blender: `python start_worker.py`.

It takes Poise from the folder around it, under the name `poise`, whatever that folder is called and whichever version
is installed, so that all processes of a run have the same.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def load_poise() -> None:
    """Make the folder around this one importable as `poise`."""
    spec = importlib.util.spec_from_file_location("poise", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    sys.modules["poise"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["poise"])


if __name__ == "__main__":
    load_poise()
    from poise.batch.worker import run_worker

    run_worker()
