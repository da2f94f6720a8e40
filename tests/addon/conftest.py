# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests inside Blender: away from the user's settings, and with an end that Blender cannot disturb."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BLENDER_IS_HERE = importlib.util.find_spec("bpy") is not None

if not BLENDER_IS_HERE and os.environ.get("CI") == "true":
    raise pytest.UsageError("bpy must be installed in continuous integration: the tests in tests/addon need it")

# Test modules import bpy at their top: without it they cannot even be collected.
collect_ignore_glob = [] if BLENDER_IS_HERE else ["test_*.py"]

if "bpy" in sys.modules:
    raise pytest.UsageError("bpy was imported before tests/addon could lead it away from the user's own settings")
USER_RESOURCES = tempfile.mkdtemp(prefix="poise-blender-")
os.environ["BLENDER_USER_RESOURCES"] = USER_RESOURCES
if BLENDER_IS_HERE:
    import bpy  # noqa: F401  only now can test modules import addon_utils and the like, in whatever order they are sorted

finished_session: pytest.Session | None = None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs Blender."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("blender")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep the session: its exit status is final only when everyone has finished."""
    global finished_session
    finished_session = session


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave without Blender's own clean-up, which crashes or hangs where a class is still registered."""
    shutil.rmtree(USER_RESOURCES, ignore_errors=True)
    if not BLENDER_IS_HERE or finished_session is None:
        return
    config.get_terminal_writer().flush()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(finished_session.exitstatus))
