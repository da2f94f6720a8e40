# SPDX-License-Identifier: GPL-3.0-or-later
"""What is fuzzed: a way to make inputs, and a function that reads one and checks what it has read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np

from poise import solver
from poise.solver import spacetime
from poise.solver.files.bvh import format_bvh, parse_bvh
from poise.solver.files.json_text import parse_json

from . import bvh_mutation, corpus, json_mutation

MOST_VALUES = 20_000
"""Frames times joints up to which a clip that was read is also written and read again."""


MOST_WRITTEN = 200
"""Constraints up to which a file is also written and read again."""

MOST_SOLVED = 4
"""Constraints up to which a file is solved: hundreds of them take their time, and rightly so."""


class CheckError(Exception):
    """Something was read that should have been refused, or that is not read again as it was written."""


@dataclass(frozen=True)
class Target:
    """A reader of files."""

    corpus: Callable[[], tuple[bytes, ...]]
    mutated: Callable[[Random, tuple[bytes, ...]], bytes]
    run: Callable[[bytes], None]
    """Reads an input. Raises a `PoiseError` where it refuses it; anything else that it raises is a finding."""
    share: float
    """How often it is taken, in relation to the others."""

    def input(self, rng: Random) -> bytes:
        """A random input."""
        return self.mutated(rng, self.corpus())


def _check(condition: object, sentence: str) -> None:
    if not condition:
        raise CheckError(sentence)


def _read_bvh(data: bytes) -> None:
    clip = parse_bvh(data, "file")
    motion = clip.motion
    _check(np.isfinite(motion.rotations).all() and np.isfinite(motion.translations).all(), "a motion is not finite")
    if motion.rotations.size > 4 * MOST_VALUES:
        return
    _check(np.isfinite(clip.world.positions).all(), "world positions are not finite")
    again = parse_bvh(format_bvh(clip), "file as it was written")
    _check(again.skeleton.names == clip.skeleton.names, "names change when a clip is written and read")
    _check(again.frames == clip.frames, "the count of frames changes when a clip is written and read")
    scale = max(1.0, float(np.abs(motion.translations).max(initial=0.0)))
    moved = np.abs(again.motion.translations - motion.translations).max(initial=0.0)
    _check(moved <= 1e-5 * scale, f"translations change by {moved:g} when a clip is written and read")


def _constraints(data: bytes) -> list[solver.Constraint]:
    clip = corpus.clip()
    found = solver.constraints_from_dict(parse_json(data, "file"), clip, "file")
    if len(found) > MOST_WRITTEN:
        return found
    written = json.loads(json.dumps(solver.constraints_as_dict(found, clip), allow_nan=False))
    again = solver.constraints_from_dict(written, clip, "file as it was written")
    _check(len(again) == len(found), "constraints are lost when they are written and read")
    return found


def _read_constraints(data: bytes) -> None:
    _constraints(data)


def _solve_constraints(data: bytes) -> None:
    clip, constraints = corpus.clip(), _constraints(data)
    if len(constraints) > MOST_SOLVED:
        return
    solved = solver.deform(clip, constraints)
    motion = solved.clip.motion
    _check(np.isfinite(motion.rotations).all() and np.isfinite(motion.translations).all(), "a result is not finite")
    str(solved.report)


def _read_edit(data: bytes) -> None:
    edit = spacetime.edit_from_dict(parse_json(data, "file"))
    again = spacetime.edit_from_dict(json.loads(json.dumps(edit.as_dict(), allow_nan=False)))
    _check(again == edit, "an edit changes when it is written and read")
    edit.part(0.5)
    hash(edit.own_objectives)


def _read_recipe(data: bytes) -> None:
    recipe = spacetime.recipe_from_dict(parse_json(data, "file"))
    again = spacetime.recipe_from_dict(json.loads(json.dumps(recipe.as_dict(), allow_nan=False)))
    _check(again == recipe, "a recipe changes when it is written and read")
    hash(recipe)
    [joint.label for joint in recipe.joints]


def _read_handle(data: bytes) -> None:
    handle = spacetime.handle_from_dict(parse_json(data, "file"))
    again = spacetime.handle_from_dict(json.loads(json.dumps(handle.as_dict(), allow_nan=False)))
    _check(again == handle, "a handle changes when it is written and read")
    hash(handle)
    _check(handle.label and handle.width in (1, 3), "a handle has no label")


TARGETS: dict[str, Target] = {
    "bvh": Target(corpus.bvh_files, bvh_mutation.mutated, _read_bvh, 35.0),
    "constraints": Target(corpus.constraint_files, json_mutation.mutated, _read_constraints, 35.0),
    "solve": Target(corpus.single_constraint_files, json_mutation.mutated, _solve_constraints, 3.0),
    "edit": Target(corpus.edit_files, json_mutation.mutated, _read_edit, 9.0),
    "recipe": Target(corpus.recipe_files, json_mutation.mutated, _read_recipe, 9.0),
    "handle": Target(corpus.handle_files, json_mutation.mutated, _read_handle, 9.0),
}
"""By name. What is solved is mutated as what is read: most of it is refused before."""


def case(seed: int, index: int, names: tuple[str, ...]) -> tuple[str, bytes]:
    """Name of the target and input of one case: the same in every run."""
    rng = Random(f"{seed}:{index}")
    name = rng.choices(names, [TARGETS[each].share for each in names])[0]
    return name, TARGETS[name].input(rng)
