# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate the extension and build its archive with Blender's own builder: `build_extension.py FOLDER`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(folder: Path) -> int:
    """Write the archive into `folder`; returns the exit code of the first command that fails, or 0."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="poise-blender-") as user_resources:
        # Blender reads this once, at import: without it the user's own preferences would be loaded.
        os.environ["BLENDER_USER_RESOURCES"] = user_resources
        import bpy  # noqa: F401  bl_pkg can be imported only after it
        from bl_pkg import bl_extension_cli

        commands = (
            ["validate", str(ROOT)],
            ["build", "--source-dir", str(ROOT), "--output-dir", str(folder)],
        )
        # A refused argument ends in SystemExit, a refused manifest in a code: `next` stops at the first of either.
        codes = (int(bl_extension_cli.cli_extension_handler(command)) for command in commands)
        return next((code for code in codes if code != 0), 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give the folder to write the archive to, and nothing else.")
    sys.exit(main(Path(sys.argv[1])))
