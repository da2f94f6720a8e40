# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether CasADi, the optional package with the optimiser, is installed, and what users are told where it is not."""

from __future__ import annotations

from typing import Any

from ..core.errors import MissingPackageError

MISSING = (
    "The physical method needs the optimiser CasADi, which is not installed: in Blender install the extension with "
    "physics (`make extension PHYSICS=1` builds it), in Python run `pip install casadi`."
)
"""What a user reads where CasADi is missing."""


def is_available() -> bool:
    """Whether CasADi can be imported. The first call imports it, which takes about a third of a second."""
    try:
        import casadi  # noqa: F401
    except ImportError:
        return False
    return True


def require() -> Any:
    """The module `casadi`; raises a `MissingPackageError` where it cannot be imported."""
    try:
        import casadi
    except ImportError as error:
        raise MissingPackageError(MISSING) from error
    return casadi
