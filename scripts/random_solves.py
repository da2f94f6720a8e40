# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve random postures and count those that are not finite, break a limit, or disturb a higher priority.

    random_solves.py --count 100000
    random_solves.py --seeds 17 230

A problem is a random skeleton with limits and `FRAMES` postures that are solved with the same tasks and other targets
(`examples/posture_problems`): each posture counts as one solve. Its seed is enough to get a problem back. The exit code
is 1 where a check is violated.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from multiprocessing import get_context

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from poise.examples.posture_problems.checks import Verdict, Violation, judged
from poise.examples.posture_problems.random_problems import FRAMES, random_problem

SAID = 60.0
"""Seconds between two lines about the progress."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="how many postures are solved")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, nargs="+", help="only these problems")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args(arguments)
    problems = -(-chosen.count // FRAMES)
    seeds = chosen.seeds or range(chosen.first_seed, chosen.first_seed + problems)
    solves = compared = done = rounded = 0
    violations: list[Violation] = []
    slowest = (0.0, -1)
    begun = said = time.monotonic()
    for verdict, seconds, seed in _judged_seeds(seeds, chosen.processes):
        slowest = max(slowest, (seconds, seed))
        solves, compared, done = solves + verdict.solves, compared + verdict.compared, done + 1
        violations += verdict.violations
        rounded += len(verdict.by_rounding)
        for each in verdict.violations:
            print(f"{each.check}: seed {each.seed}, posture {each.frame}: {each.sentence}", flush=True)
        for each in verdict.by_rounding:
            print(f"only in the batch: seed {each.seed}, posture {each.frame}: {each.sentence}", flush=True)
        if time.monotonic() - said > SAID:
            print(_told(solves, compared, done, violations, time.monotonic() - begun), flush=True)
            said = time.monotonic()
    print(_told(solves, compared, done, violations, time.monotonic() - begun))
    print(f"{rounded} postures have another local minimum in their batch than by themselves.")
    print(f"The slowest problem has seed {slowest[1]}: {slowest[0]:.1f} s.")
    return int(bool(violations))


def _judged_seeds(seeds: Iterable[int], processes: int) -> Iterator[tuple[Verdict, float, int]]:
    """The verdict on the problem of each seed, with the seconds that it took and the seed."""
    if processes == 1:
        yield from map(_judged_seed, seeds)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(_judged_seed, seeds)


def _judged_seed(seed: int) -> tuple[Verdict, float, int]:
    begun = time.monotonic()
    return judged(random_problem(seed)), time.monotonic() - begun, seed


def _told(solves: int, compared: int, problems: int, violations: list[Violation], seconds: float) -> str:
    by_check = Counter(violation.check for violation in violations)
    figures = ", ".join(f"{count} {check}" for check, count in sorted(by_check.items())) or "none"
    seeds = len({violation.seed for violation in violations})
    return (
        f"{solves} solves of {problems} problems in {seconds:.0f} s, {compared} levels compared; "
        f"violations: {figures} (in {seeds} problems)"
    )


if __name__ == "__main__":
    sys.exit(main())
