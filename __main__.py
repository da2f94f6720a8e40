# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `poise`, also `python -m poise`: `poise batch` edits folders of clips."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

USAGE = """\
usage: poise batch IN … -o OUT [options]

Edits folders of clips without a window; `poise batch --help` has the rest."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command of the arguments, without the program's name, and end the process."""
    from .batch.requirements import missing_requirement

    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] != "batch":
        asks_for_help = given[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asks_for_help else sys.stderr)
        sys.exit(0 if asks_for_help else 2)
    missing = missing_requirement()
    if missing:
        print(missing, file=sys.stderr)
        sys.exit(2)
    from .batch.command import run_and_leave

    run_and_leave(given[1:])


if __name__ == "__main__":
    main()
