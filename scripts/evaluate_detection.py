# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate detection with changed thresholds, beside the present ones, on motions whose constraints are known.

    evaluate_detection.py --set rest_share=0.1 --set hover_height=0.05
    evaluate_detection.py --field rest_share --around 0.7 0.85 1.15 1.3
    evaluate_detection.py --list

For each motion it prints F1 over frames, intervals that were missed, the share of events that are found within two
frames of 30 a second, and the median error of events. Motions that the present values were chosen on are marked; the
others are held out, and show whether a change is more than an adaptation to the first. A change should be taken only if
the held-out motions do not get worse. Without a change, the present values are evaluated on all motions, and on the
labelled captures beside simple detectors.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from evaluation import baselines
from evaluation.cases import MOCAP, Case, Score, captured, made_up
from evaluation.changes import FIELDS, AllSettings, Field, field_named, parsed, with_changes

from poise.solver.core.errors import PoiseError

CHOSEN, HELD_OUT = "chosen on", "held out"


def main(arguments: Sequence[str]) -> int:
    """Print the evaluation; returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.list:
        print(_listed())
        return 0
    try:
        changes = [parsed(assignment) for assignment in options.set]
        swept = field_named(options.field) if options.field else None
        cases = [*captured(options.clips), *made_up(options.seeds)]
        changed = [field for field, _ in changes] + ([swept] if swept is not None else [])
        cases = [case for case in cases if not changed or any(field.group in case.groups for field in changed)]
        print(described(changed, cases))
        if swept is not None:
            print(sweep(swept, options.around, changes, cases))
        else:
            print(comparison(with_changes(changes), cases, changed))
            if not changed:
                print(baselines.table(options.clips))
    except PoiseError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a threshold")
    parser.add_argument("--field", metavar="NAME", help="evaluate several values of one threshold")
    parser.add_argument(
        "--around",
        nargs="+",
        type=float,
        default=[0.7, 0.85, 1.15, 1.3],
        metavar="FACTOR",
        help="factors of its present value (0.7 0.85 1.15 1.3)",
    )
    parser.add_argument("--list", action="store_true", help="print all thresholds and what they were chosen on")
    parser.add_argument("--clips", type=Path, default=MOCAP, help=f"the folder of the labelled captures ({MOCAP})")
    parser.add_argument("--seeds", type=int, default=2, help="seeds of each made-up motion with noise (2)")
    return parser


def _listed() -> str:
    """All thresholds with their present values and the motions that these were chosen on."""
    width = max(len(field.label) for field in FIELDS)
    return "\n".join(
        f"{field.label:{width}}  {field.default:<8.4g}  {', '.join(field.chosen_on) or 'not tuned'}" for field in FIELDS
    )


def described(changed: Sequence[Field], cases: Sequence[Case]) -> str:
    """What each changed threshold was chosen on, and which of the motions are held out."""
    lines = [f"{field.label} = {field.default:.4g}: {_provenance(field)}" for field in changed]
    held_out = sorted({case.origin for case in cases if role(case, changed) == HELD_OUT})
    lines.append(f"held out: {', '.join(held_out) or 'none'}" if changed else "present values on all motions")
    if not any(case.origin[:1].isdigit() for case in cases):
        lines.append("no labelled capture is evaluated: none is affected, or --clips holds none")
    return "\n".join(lines) + "\n"


def _provenance(field: Field) -> str:
    return f"chosen on {', '.join(field.chosen_on)}" if field.chosen_on else "not tuned"


def role(case: Case, changed: Sequence[Field]) -> str:
    """Whether the present value of one of the changed thresholds was chosen on a motion, or whether it is held out."""
    return CHOSEN if any(case.origin in field.chosen_on for field in changed) else HELD_OUT


def comparison(settings: AllSettings, cases: Sequence[Case], changed: Sequence[Field]) -> str:
    """A table of the scores with present and with changed settings, and their means by role."""
    rows = [(case, role(case, changed), case.score(AllSettings()), case.score(settings)) for case in cases]
    lines = [f"{'motion':44} {'':9}  {'F1':>13}  {'missed':>7}  {'in time':>13}  {'median error':>15}"]
    for case, its_role, before, after in rows:
        lines.append(f"{case.name[:44]:44} {its_role if changed else '':9}  {_cells(before, after)}")
    for its_role in (CHOSEN, HELD_OUT):
        chosen = [(before, after) for _, each, before, after in rows if each == its_role]
        if chosen and changed:
            means = (mean_score([pair[side] for pair in chosen]) for side in (0, 1))
            lines.append(f"{f'mean of {len(chosen)}':44} {its_role:9}  {_cells(*means)}")
    return "\n".join(lines)


def _cells(before: Score, after: Score) -> str:
    return (
        f"{before.f1:.3f} > {after.f1:.3f}  {before.missed:>2} > {after.missed:<2}  "
        f"{before.in_time:.3f} > {after.in_time:.3f}  "
        f"{1e3 * before.median_error:>4.0f} > {1e3 * after.median_error:<4.0f} ms"
    )


def mean_score(scores: Sequence[Score]) -> Score:
    """The mean F1, the sum of missed intervals, and all event errors."""
    errors = tuple(error for score in scores for error in score.errors)
    return Score(float(np.mean([score.f1 for score in scores])), sum(score.missed for score in scores), errors)


def sweep(field: Field, factors: Sequence[float], changes: Sequence[tuple[Field, float]], cases: Sequence[Case]) -> str:
    """A table of the mean scores by role for several values of one threshold, with the other changes."""
    changed = [field, *(each for each, _ in changes)]
    lines = [f"{field.label:>24}  {'role':9}  {'F1':>5}  {'worst F1':>8}  {'missed':>6}  {'in time':>7}  median error"]
    for factor in sorted({1.0, *factors}):
        settings = with_changes([*changes, (field, factor * field.default)])
        scored = [(role(case, changed), case.score(settings)) for case in cases]
        for its_role in (CHOSEN, HELD_OUT):
            scores = [score for each, score in scored if each == its_role]
            if scores:
                mean = mean_score(scores)
                lines.append(
                    f"{factor * field.default:>15.4g} ({factor:4.2f} x)  {its_role:9}  {mean.f1:.3f}  "
                    f"{min(score.f1 for score in scores):>8.3f}  {mean.missed:>6}  {mean.in_time:>7.3f}  "
                    f"{1e3 * mean.median_error:.0f} ms"
                )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
