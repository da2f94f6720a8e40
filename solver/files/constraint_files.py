# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of constraints, to keep beside a motion, to edit by hand and to apply to other motions.

A file is JSON in UTF-8:

    {
      "poise": 1,
      "fps": 120.0,
      "up": "y",
      "constraints": [
        {"kind": "footplant", "foot": "left", "heel_strike": 5, "toe_strike": 14, "heel_off": 63, "toe_off": 84},
        {"kind": "shape", "name": "Wave", "joint": "RightHand", "begin": 60, "end": 150, "mode": "condensed",
         "points": [{"location": [0.1, 1.4, 0.3], "begin": 95, "end": 110}]}
      ]
    }

- `poise` is the version of this format. `fps` and `up` are the frame rate and the up axis of the motion that it was
  written for; where they are left out they are those of the motion that it is read for.
- Frames count from 0, and may lie between two. In a motion of another frame rate they are as many seconds from its
  beginning; what has a value for every frame is interpolated.
- Kinds are shape, orientation, direction, footplant and balance. Their keys are the attributes of the solver's classes,
  and what is left out is as it is there by default. Instead of a `location`, a point of an orientation has a
  `rotation`, a quaternion (w, x, y, z), and one of a direction a `direction`.
- A joint is its name, or {"name": …, "offset": [x, y, z]} for a point on it. A `reference` is a joint, or a moving
  object {"positions": …, "rotations": …} with one row for all frames or one for each.
- Where the other axis is up, places, directions and rotations of the world are turned by 90° about x: (x, y, z) with y
  up is (x, -z, y) with z up.
- What lies in a joint's own frame (an `offset`, an `axis`, points on a `reference`) and a joint's `rotation` mean
  something only with that frame, which programs lay differently into the same body. `rest` holds, for each such joint,
  its frame in the rest pose: the rotation from there to the world. Where the clip's is another one, they are turned
  accordingly; of a joint without `rest` they are taken as they are.
- Lengths are the motion's own units and are taken as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..body.clip import Clip
from ..constraints import Constraint
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError, FileFormatError
from .atomic_writing import read_whole, write_whole
from .constraint_codecs import NUMBER, WORLD_ROTATION, Conversion, Spot, checked_keys, shown
from .constraint_records import joints_in_their_frames, read_constraint, write_constraint

VERSION = 1
"""Of the format; another number means that what is written here does not hold."""

MAX_BYTES = 2**28
"""Size of a file: thousands of moving objects fit in. A larger one is a mistake."""

LINE = 120
"""What fits into a line of so many letters is written in one."""


def write_constraints(constraints: Iterable[Constraint], path: str | os.PathLike[str], clip: Clip) -> None:
    """Write the constraints of a clip to a file, which appears whole or not at all."""
    write_whole(path, f"{_laid_out(constraints_as_dict(constraints, clip))}\n")


def read_constraints(path: str | os.PathLike[str], clip: Clip) -> list[Constraint]:
    """The constraints of a file, for a clip. Any mistake in it is one `FileFormatError` that says where it is.

    Whether times lie within the clip, and all else that needs the motion, is checked when it is deformed.
    """
    data = read_whole(path, "a JSON file of constraints", MAX_BYTES, ", which no file of constraints is")
    name = Path(path).name
    return constraints_from_dict(_parsed(data, name), clip, name)


def constraints_as_dict(constraints: Iterable[Constraint], clip: Clip) -> dict[str, Any]:
    """What `write_constraints` writes: dictionaries, lists, numbers and words."""
    conversion = Conversion(clip.skeleton, clip.frames)
    records = []
    for number, constraint in enumerate(constraints, start=1):
        if not isinstance(constraint, Constraint):
            raise ConstraintError(f"Constraints are written to a file, not {constraint!r}.")
        records.append(write_constraint(constraint, number, conversion))
    data: dict[str, Any] = {"poise": VERSION, "fps": float(clip.fps), "up": clip.up}
    used = set().union(*map(joints_in_their_frames, records))
    if used:
        turned, _ = clip.skeleton.rest
        data["rest"] = {name: turned[clip.skeleton.index(name)].tolist() for name in sorted(used)}
    return {**data, "constraints": records}


def constraints_from_dict(data: Any, clip: Clip, name: str = "The constraints") -> list[Constraint]:
    """The constraints that `constraints_as_dict` describes; `name` is what errors call the file."""
    if not isinstance(data, dict) or "poise" not in data:
        raise FileFormatError(f'{name}: it is no file of Poise constraints, which begins with {{"poise": {VERSION}.')
    if isinstance(data["poise"], bool) or data["poise"] != VERSION:
        raise FileFormatError(
            f"{name}: it has version {shown(data['poise'])} of the format, and this Poise reads version {VERSION}."
        )
    spot = Spot(name, Conversion(clip.skeleton, clip.frames))
    checked_keys(data, ("poise", "fps", "up", "rest", "constraints"), ("constraints",), spot)
    fps, up, rest, records = data.get("fps"), data.get("up"), data.get("rest", {}), data["constraints"]
    if fps is not None and not NUMBER.read(fps, spot.at("fps")) > 0:
        spot.at("fps").fail(f"must be a positive number of frames a second, not {shown(fps)}")
    if up is not None and up not in ("y", "z"):
        spot.at("up").fail(f'must be "y" or "z", not {shown(up)}')
    if not isinstance(records, list):
        spot.at("constraints").fail(f"must be a list in brackets, not {shown(records)}")
    if not isinstance(rest, dict):
        spot.at("rest").fail(f"must be a record in braces, not {shown(rest)}")
    conversion = Conversion(
        clip.skeleton,
        clip.frames,
        rate=1.0 if fps is None else clip.fps / fps,
        turned=None if up in (None, clip.up) else clip.up,
    )
    frames = _frames_of_joints(rest, Spot(name, conversion, ("rest",)))
    conversion = replace(conversion, frames_of_joints=frames)
    return [read_constraint(record, number, name, conversion) for number, record in enumerate(records, start=1)]


SAME_FRAME = 1e-9
"""Radians between frames that are the same to rounding: what lies in them then stays as it is, to the last bit."""


def _frames_of_joints(rest: dict[str, Any], spot: Spot) -> dict[str, Array]:
    """(4,) by joint, from the file's frame to the clip's, where they differ: both are known in the rest pose."""
    skeleton = spot.conversion.skeleton
    clip_rest, _ = skeleton.rest
    found = {}
    for name, written in rest.items():
        in_file = rotations.normalize(WORLD_ROTATION.read(written, spot.at(name)))
        if name in skeleton.names:
            in_clip = clip_rest[skeleton.index(name)]
            if rotations.angle_between(in_clip, in_file) > SAME_FRAME:
                found[name] = rotations.multiply(rotations.conjugate(in_clip), in_file)
    return found


# Text ---------------------------------------------------------------------------------------------------------------


def _parsed(data: bytes, name: str) -> Any:
    """What JSON says; every way in which it can be none is one sentence."""

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for key, value in pairs:
            if key in record:
                raise FileFormatError(f'{name}: the key "{key}" stands twice in the same record; remove one.')
            record[key] = value
        return record

    def not_a_number(word: str) -> Any:
        raise FileFormatError(f"{name}: it holds {word}, where only finite numbers mean something.")

    try:
        text = data.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=without_repetition, parse_constant=not_a_number)
    except UnicodeDecodeError:
        raise FileFormatError(f"{name}: it is not text in UTF-8, so it is no JSON.") from None
    except json.JSONDecodeError as error:
        raise FileFormatError(
            f"{name}: it is not JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise FileFormatError(f"{name}: its brackets are nested too deeply for a file of constraints.") from None
    except FileFormatError:
        raise
    except ValueError as error:  # a whole number with more digits than Python reads
        raise FileFormatError(f"{name}: it is not JSON that can be read: {error}.") from None


def _laid_out(value: Any, indent: int = 0, taken: int = 0) -> str:
    """JSON for people: what fits is in one line; `taken` letters of this line are used before and after it."""
    in_a_line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    # The outermost record always shows its version, frame rate and constraints one below the other.
    if not isinstance(value, (dict, list)) or not value or (indent and indent + taken + len(in_a_line) <= LINE):
        return in_a_line
    inner = indent + 2
    if isinstance(value, dict):
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        items = [f"{key}{_laid_out(held, inner, len(key) + 1)}" for key, held in zip(keys, value.values(), strict=True)]
    else:
        items = [_laid_out(held, inner, 1) for held in value]
    margin = " " * inner
    before, after = "{}" if isinstance(value, dict) else "[]"
    return f"{before}\n{margin}" + f",\n{margin}".join(items) + f"\n{' ' * indent}{after}"
