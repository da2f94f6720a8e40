# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker takes Poise from the folder around it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from .running import ROOT


def test_the_folder_around_it_is_used_whatever_it_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "some other-name"
    (folder / "batch").mkdir(parents=True)
    shutil.copy(ROOT / "__init__.py", folder)
    shutil.copy(ROOT / "batch" / "start_worker.py", folder / "batch")
    code = "import start_worker; start_worker.load_poise(); import poise; print(poise.__file__)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder / "batch", capture_output=True, text=True)
    assert done.stdout.strip() == str(folder / "__init__.py"), done.stderr
