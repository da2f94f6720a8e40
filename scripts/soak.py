# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit, solve, undo and reload many times in one Blender process, and measure what is left behind.

    soak.py --rounds 1000

Runs with the bpy module. A round adds a constraint, moves its handle, solves, undoes, redoes, cleans, edits live,
removes what it has added, saves the file and loads it again (`scripts/soaking`). After each round the counts of all
data-blocks and of what modules of the add-on keep must be those of the first rounds, and the memory may not grow by
more than `STEEPEST` a round. Writes the measurements to build/soak.json. The exit code is 1 where something grows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[1]

STEEPEST = 20_000.0
"""Bytes a round by which the memory may grow: a hundredth of the motion that a solve makes."""
STEEPEST_OBJECTS = 1.0
"""Python objects a round."""
WARM_UP = 10
"""Rounds after which everything has been used once; data-blocks are compared with those of the first round."""


@dataclass
class Soak:
    """The measurements of all rounds."""

    data_blocks: list[dict[str, int]]
    """Of bpy.data when everything that a round added is removed, before the file is loaded again."""
    kept: list[dict[str, int]]
    objects: list[int]
    resident: list[int]

    def complaints(self) -> list[str]:
        """One sentence for each thing that grows."""
        from soaking.trends import slope

        found = []
        for number, blocks in enumerate(self.data_blocks[1:], start=2):
            if blocks != self.data_blocks[0]:
                found.append(f"After round {number} there are {_difference(self.data_blocks[0], blocks)} data-blocks.")
                break
        early, late = self.kept[:WARM_UP], self.kept[-WARM_UP:]
        for name in sorted({name for kept in late for name in kept}):
            before, after = (max(kept.get(name, 0) for kept in part) for part in (early, late))
            if after > before:
                found.append(f"poise.addon{name} keeps {after} items at the end and {before} at the beginning.")
        for what, values, most in (("bytes", self.resident, STEEPEST), ("objects", self.objects, STEEPEST_OBJECTS)):
            steep = slope(values)
            if steep > most:
                found.append(f"There are {steep:.0f} {what} more after each round, where {most:.0f} are allowed.")
        return found


def _difference(before: dict[str, int], after: dict[str, int]) -> str:
    changed = {name: after.get(name, 0) - before.get(name, 0) for name in before.keys() | after.keys()}
    return ", ".join(f"{count:+d} {name}" for name, count in sorted(changed.items()) if count)


def soak(rounds: int, folder: Path, said: float = 60.0) -> Soak:
    """Run the rounds in this process and measure after each."""
    from soaking import measures
    from soaking import rounds as editing

    result = Soak([], [], [], [])
    blend = editing.begin(folder)
    package, last = "poise.addon", time.monotonic()
    for number in range(rounds):
        editing.play(number, blend, lambda: result.data_blocks.append(measures.data_blocks()))
        held = measures.holdings(package)
        result.kept.append(dict(held.kept))
        result.objects.append(held.objects)
        result.resident.append(held.resident)
        if time.monotonic() - last > said or number + 1 == rounds:
            print(f"Round {number + 1}: {held.resident / 2**20:.1f} MB, {held.objects} objects", flush=True)
            last = time.monotonic()
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--result", type=Path, default=ROOT / "build" / "soak.json")
    chosen = parser.parse_args(arguments)
    from soaking.trends import slope

    from poise import addon

    with tempfile.TemporaryDirectory() as folder:
        os.environ["BLENDER_USER_RESOURCES"] = folder
        addon.register()
        found = soak(chosen.rounds, Path(folder))
    chosen.result.parent.mkdir(parents=True, exist_ok=True)
    chosen.result.write_text(json.dumps(found.__dict__), encoding="utf-8")
    print(
        f"{chosen.rounds} rounds: {found.resident[0] / 2**20:.1f} MB after the first, {found.resident[-1] / 2**20:.1f}"
        f" MB after the last, {slope(found.resident):+.0f} bytes and {slope(found.objects):+.2f} objects a round; "
        f"data-blocks: {found.data_blocks[-1]}; kept: {found.kept[-1]}"
    )
    complaints = found.complaints()
    print("\n".join(complaints) or "Nothing grows.")
    return int(bool(complaints))


if __name__ == "__main__":
    code = 1
    try:
        code = main()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # Blender's own end may hang where a class is still registered
