# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `poise batch` from a checkout, without installing anything: see `batch.py --help`.

Runs with any Python that has NumPy, with one that has the bpy module, and in Blender: `blender -b FILE --python
scripts/batch.py -- ...`. Poise is taken from the checkout around this script, under the name `poise`, whatever the
checkout's folder is called and whichever version is installed.

Old Pythons must be able to parse this file, to be told that they are too old.
"""

import os
import sys

OLDEST = (3, 11)


def load_poise():
    # type: () -> None
    """Make the checkout importable as `poise`."""
    import importlib.util

    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    path = os.path.join(root, "__init__.py")
    spec = importlib.util.spec_from_file_location("poise", path, submodule_search_locations=[root])
    assert spec is not None and spec.loader is not None
    sys.modules["poise"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["poise"])


def main():
    # type: () -> None
    """Run the command with the arguments of this process, and end it."""
    if sys.version_info[:2] < OLDEST:
        words = "Poise needs Python {0}.{1} or later, and this is Python {2}.{3}: run this script with a newer one.\n"
        sys.stderr.write(words.format(*(OLDEST + tuple(sys.version_info[:2]))))
        sys.exit(2)
    # In Blender, what comes before the two dashes is Blender's own.
    is_in_blender = "bpy" in sys.modules
    given = sys.argv[1:]
    if is_in_blender:
        given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    load_poise()
    from poise.__main__ import main as run_command

    run_command(["batch"] + given)  # noqa: RUF005


if __name__ == "__main__":
    main()
