# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzz the readers of BVH files, constraint files, and the JSON of physical edits, recipes and handles.

    fuzz.py --seconds 60                       goes on where the last run with this seed ended
    fuzz.py --seed 7 --first 0 --cases 1000    the same cases in every run
    fuzz.py --seed 7 --case 231                one case, in this process: for a debugger
    fuzz.py --targets bvh --file PATH          one file

Valid files are mutated (`scripts/fuzzing`), and each is read in a process that may take 5 s and 1 GB. A finding is
anything but a result or a `PoiseError` with one sentence: another exception, a warning, a hang, too much memory, or a
crash.
Findings are made small and saved in build/fuzz, one for each cause. The exit code is 1 where there is one.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from fuzzing.campaign import Campaign
from fuzzing.judgement import ROOT
from fuzzing.judgement import judged as judge
from fuzzing.targets import TARGETS, case


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=None, help="how long to run; 60 without --cases")
    parser.add_argument("--cases", type=int, default=None, help="how many cases to run at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=None, help="index of the first case; where the last run ended")
    parser.add_argument("--case", type=int, default=None, help="run one case in this process")
    parser.add_argument("--file", type=Path, default=None, help="run one file in this process, for one target")
    parser.add_argument("--targets", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz")
    return parser.parse_args(arguments)


def _one(target: str, data: bytes) -> int:
    """Read one input in this process."""
    accepted, found = judge(target, data)
    print(f"{target}: {data[:300]!r}")
    if found:
        print(f"{found.key}\n{found.text}")
    else:
        print("accepted" if accepted else "refused with a sentence")
    return int(found is not None)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    chosen = _arguments(arguments)
    names = tuple(chosen.targets)
    if chosen.file is not None:
        return _one(names[0], chosen.file.read_bytes())
    if chosen.case is not None:
        return _one(*case(chosen.seed, chosen.case, names))
    campaign = Campaign(chosen.folder, chosen.seed, names)
    seconds = chosen.seconds if chosen.seconds is not None else (60.0 if chosen.cases is None else math.inf)
    first = campaign.first() if chosen.first is None else chosen.first
    print(f"Seed {chosen.seed}, from case {first}: {', '.join(names)}", flush=True)
    totals = campaign.run(seconds, first, chosen.cases)
    for key, count in totals.findings.most_common():
        print(f"{count:6d}  {key}")
    print(totals.sentence())
    return int(bool(totals.findings))


if __name__ == "__main__":
    sys.exit(main())
