# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure Poise, beside other libraries, and check the bounds it must keep: `bench.py [--page | BENCHMARK …]`.

Prints a table and draws its pictures into build/bench. A whole run also writes build/bench.json and, from it, the page
docs/benchmarks.md with its plots; `--page` writes this page again and measures nothing. The exit code is 1 where a
bound is broken.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

# One thread: the peers solve one posture at a time, and a ratio must not depend on idle cores. Libraries read these
# when they are loaded, so this comes before any import of NumPy.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[variable] = "1"

from benchmarks import page, report  # noqa: E402
from benchmarks.catalogue import BENCHMARKS, title  # noqa: E402
from benchmarks.figures import Figure  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "build" / "bench.json"
DOCS = ROOT / "docs"


def main(names: list[str]) -> int:
    """Run the benchmarks of these names, or all; returns the exit code."""
    if names == ["--page"]:
        return write_page()
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    figures: list[Figure] = []
    benchmarks: dict[str, str] = {}
    for name in names or BENCHMARKS:
        begin = time.perf_counter()
        measured = list(BENCHMARKS[name]())
        print(f"\n{title(BENCHMARKS[name])} ({name}, {time.perf_counter() - begin:.0f} s)\n")
        print(report.as_table(measured), flush=True)
        figures += measured
        benchmarks |= {figure.name: name for figure in measured}
    if not names:
        RESULT.parent.mkdir(parents=True, exist_ok=True)
        RESULT.write_text(report.as_json(figures, benchmarks), encoding="utf-8")
        print(f"\nAll figures: {RESULT.relative_to(RESULT.parents[1])}")
        write_page()
    broken = report.broken_bounds(figures)
    for sentence in broken:
        print(f"BROKEN: {sentence}")
    return 1 if broken else 0


def write_page() -> int:
    """Write the page of the benchmarks from the JSON of the newest whole run; returns the exit code."""
    if not RESULT.is_file():
        print("There are no figures of a whole run yet: measure them with `make bench`.", file=sys.stderr)
        return 2
    titles = {name: title(benchmark) for name, benchmark in BENCHMARKS.items()}
    written = page.write(page.read(RESULT), titles, DOCS)
    print(f"The page: {written.relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
