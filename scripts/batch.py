# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits folders of clips without a window: see `batch.py --help`.

Runs with any Python that has NumPy, with one that has the bpy module, and in Blender: `blender -b FILE --python
scripts/batch.py -- …`. Poise is taken from the checkout around this script, under the name `poise`, whatever the
checkout's folder is called and whichever version is installed.
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
    """Edit the inputs of the arguments, or `open_file` if there are none; returns the exit code."""
    from batching import job_runner, worker_pool
    from batching.command_line import parse_arguments
    from batching.jobs import UsageError, jobs_for
    from batching.progress_output import ProgressPrinter

    if arguments == [worker_pool.WORKER_ARGUMENT]:
        job_runner.run_worker()
        return 0
    options = parse_arguments(arguments)
    try:
        jobs = jobs_for(options, open_file)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    printer = ProgressPrinter(len(jobs))
    failures = 0
    done = (
        worker_pool.run_in_pool(jobs, options, worker_pool.command(SCRIPT))
        if options.inputs
        else ((job, job_runner.run_job(job, options)) for job in jobs)
    )
    for _, report in done:
        printer.print_report(report)
        failures += not report["succeeded"]
    if failures:
        print(f"{failures} of {len(jobs)} failed.", file=sys.stderr)
    return 1 if failures else 0


def leave(code: int) -> NoReturn:
    """Exit the process; with Blender loaded, without Blender's own exit, which may crash or hang."""
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
    except BrokenPipeError:  # the reader has closed the pipe, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        leave(1)
