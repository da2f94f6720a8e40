# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips by the folder, without a window: `batch.py --help` says how.

Runs with any Python that has NumPy, with one that has the bpy module, and in Blender: `blender -b FILE --python
scripts/batch.py -- …`. Poise is taken from the checkout around this script, under the name `poise`, whatever the
checkout's folder is called and whatever is installed: so one knows which version it is.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import NoReturn

SCRIPT = Path(__file__).resolve()
ROOT = SCRIPT.parents[1]


def load_poise() -> None:
    """Make the checkout importable as `poise`, and this folder's modules by their names."""
    if str(SCRIPT.parent) not in sys.path:
        sys.path.insert(0, str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("poise", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    sys.modules["poise"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["poise"])


def main(arguments: list[str], open_file: str | None) -> int:
    """Do what the arguments ask for, to `open_file` where they name none; returns the exit code."""
    from batching import crew, working
    from batching.files import OrderError, jobs_of
    from batching.order import order_of
    from batching.telling import Teller

    if arguments == [crew.WORKER]:
        working.work_for_others()
        return 0
    order = order_of(arguments)
    try:
        jobs = jobs_of(order, open_file)
    except OrderError as error:
        print(error, file=sys.stderr)
        return 2
    teller = Teller(len(jobs))
    failures = 0
    done = (
        crew.done_by_crew(jobs, order, crew.command(SCRIPT))
        if order.inputs
        else ((job, working.worked(job, order)) for job in jobs)
    )
    for _, report in done:
        teller.tell(report)
        failures += not report["succeeded"]
    if failures:
        print(f"{failures} of {len(jobs)} failed.", file=sys.stderr)
    return 1 if failures else 0


def leave(code: int) -> NoReturn:
    """End the process; where Blender was used, without its own clean-up, which may crash or hang."""
    if "bpy" not in sys.modules:
        sys.exit(code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    blender = sys.modules.get("bpy")
    given = sys.argv[1:] if blender is None else sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    load_poise()
    try:
        leave(main(given, None if blender is None else blender.data.filepath))
    except SystemExit as end:
        leave(end.code if isinstance(end.code, int) else 1)
    except KeyboardInterrupt:
        leave(130)
    except BrokenPipeError:  # nobody reads on, such as behind `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        leave(1)
