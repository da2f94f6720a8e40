# SPDX-License-Identifier: GPL-3.0-or-later
"""Deform random clips by random constraints and count the cases in which something that must hold does not.

    evaluate_random_cases.py --cases 2000 --first-seed 0
    evaluate_random_cases.py --seeds 17 230 --checks strict truthful

A case is the same in every run: its seed is enough to get it back (`examples/deformation/random_cases.py`). For each
check (`examples/deformation/checks.py`) the table has the number of violating cases, and the worst of them with their
figures; below it are the slowest cases. With --seeds, and with -v, every violation is printed. The exit code is 1
where a check is violated.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from types import FrameType

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from poise.examples.deformation.checks import CHECKS, SLOWEST, Judged
from poise.examples.deformation.random_cases import random_case

TIMEOUT = 60
"""Seconds for all checks of a case."""
WORST = 8
"""Seeds that the table has for each check."""


class CaseTimeoutError(BaseException):
    """A case takes too long. No `Exception`, so that nothing on the way catches it."""


@dataclass
class Outcome:
    """The violations of one case."""

    seed: int
    description: str = ""
    seconds: float = float("inf")
    """For the deformation and its report; infinite where they did not end in time."""
    violations: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    """Sentences and figures by check."""
    not_reached: list[str] = field(default_factory=list)
    """Checks for which there was no time left."""


def evaluated(seed: int, checks: Sequence[str], timeout: int) -> Outcome:
    """Run the checks on the case of a seed. An exception of the solver counts as a violation, called "raises"."""
    outcome = Outcome(seed)

    def stop(number: int, frame: FrameType | None) -> None:
        raise CaseTimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(timeout)
    begun = ""
    try:
        case = random_case(seed)
        outcome.description = str(case)
        judged = Judged(case)
        for begun in checks:
            found = CHECKS[begun](judged)
            outcome.seconds = judged.seconds
            if found:
                outcome.violations[begun] = [(each.sentence, each.figure) for each in found]
    except CaseTimeoutError:
        outcome.not_reached = list(checks[checks.index(begun) :]) if begun else list(checks)
        if outcome.seconds > timeout:
            outcome.violations["quick"] = [(f"it takes more than {timeout} s", float(timeout))]
    except Exception:
        last = traceback.format_exc().strip().splitlines()
        outcome.violations["raises"] = [(f"{begun}: {last[-1]} ({last[-3].strip()})", 1.0)]
    finally:
        signal.alarm(0)
    return outcome


def _evaluated(job: tuple[int, Sequence[str], int]) -> Outcome:
    return evaluated(*job)


def table(outcomes: Sequence[Outcome], checks: Sequence[str]) -> str:
    """The number of violating cases and the worst of them for each check, and the slowest cases."""
    lines = [f"{'check':18} {'cases':>6} {'not reached':>12}  worst (seed: figure)"]
    for check in [*checks, "raises"]:
        worst = {
            each.seed: max(figure for _, figure in each.violations[check])
            for each in outcomes
            if check in each.violations
        }
        missing = sum(check in each.not_reached for each in outcomes)
        ordered = sorted(worst, key=lambda seed: -worst[seed])[:WORST]
        seeds = ", ".join(f"{seed}: {worst[seed]:.2g}" for seed in ordered)
        lines.append(f"{check:18} {len(worst):>6} {missing:>12}  {seeds}")
    times = np.array([each.seconds for each in outcomes])
    slowest = sorted(outcomes, key=lambda each: -each.seconds)[:5]
    some, slow = sum(bool(each.violations or each.not_reached) for each in outcomes), int((times > SLOWEST).sum())
    lines.append(f"{some} of {len(outcomes)} cases violate a check; {slow} take longer than {SLOWEST:g} s")
    lines.append(
        f"seconds for the deformation and its report: median {np.median(times):.3f}, "
        f"90 % {np.quantile(times, 0.9, method='higher'):.2f}, 99 % {np.quantile(times, 0.99, method='higher'):.2f}"
    )
    lines += [f"  {each.seconds:6.2f} s  {each.description}" for each in slowest]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Evaluate, print, and return the exit code."""
    options = _parser().parse_args(arguments)
    seeds = options.seeds or range(options.first_seed, options.first_seed + options.cases)
    checks = options.checks or list(CHECKS)
    jobs = [(seed, checks, options.timeout) for seed in seeds]
    begin = time.perf_counter()
    outcomes: list[Outcome] = []
    with get_context("fork").Pool(options.processes) as pool:
        for outcome in pool.imap_unordered(_evaluated, jobs):
            outcomes.append(outcome)
            if (options.seeds or options.v) and (outcome.violations or outcome.not_reached):
                print(outcome.description)
                for check, found in outcome.violations.items():
                    for sentence, _ in found:
                        print(f"  {check}: {sentence}")
                if outcome.not_reached:
                    print(f"  no time left for {', '.join(outcome.not_reached)}", flush=True)
    outcomes.sort(key=lambda each: each.seed)
    print(table(outcomes, checks))
    print(f"{time.perf_counter() - begin:.0f} s of wall time")
    return int(any(each.violations or each.not_reached for each in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--cases", type=int, default=200, help="how many seeds (200)")
    parser.add_argument("--first-seed", type=int, default=0, help="the first of them (0)")
    parser.add_argument("--seeds", type=int, nargs="+", help="these seeds instead, with every violation")
    parser.add_argument("--checks", nargs="+", choices=list(CHECKS), help="only these checks")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help=f"seconds for a case ({TIMEOUT})")
    parser.add_argument("-v", action="store_true", help="print every violation")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
