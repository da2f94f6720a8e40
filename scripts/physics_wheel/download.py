# SPDX-License-Identifier: GPL-3.0-or-later
"""Gets the full CasADi wheel of this platform with the environment's pip."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 900
"""Seconds for a download of a hundred megabytes over a slow line."""


class WheelUnavailableError(Exception):
    """pip has neither a wheel for this platform nor a way to get one."""


def requirement() -> str:
    """What pyproject.toml asks for: CasADi, with the oldest version that Poise works with."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (wanted,) = project["optional-dependencies"]["spacetime"]
    return str(wanted)


def download(folder: Path, wanted: str | None = None) -> Path:
    """The wheel, downloaded into the empty `folder` from pip's cache or from the indexes that pip is configured for."""
    wanted = wanted or requirement()
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder), wanted]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise WheelUnavailableError(f"pip did not download {wanted} within {LONGEST} seconds: try again.") from None
    wheels = list(folder.glob("*.whl"))
    if run.returncode != 0 or len(wheels) != 1:
        reason = (run.stderr.strip() or "it downloaded no wheel").splitlines()[-1]
        raise WheelUnavailableError(
            f"pip cannot get a wheel of {wanted} for this platform and Python {sys.version_info.major}."
            f"{sys.version_info.minor}: {reason}"
        )
    return wheels[0]
