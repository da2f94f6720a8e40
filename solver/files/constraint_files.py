# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint files: JSON that can be edited by hand and applied to other motions.

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
- Kinds are shape, orientation, direction, look_at, footplant, handplant, balance and pose. Their keys are the
  attributes of the solver's classes, and what is left out is as it is there by default. Instead of a `location`, a
  point of an orientation has a `rotation`, a quaternion (w, x, y, z), and one of a direction a `direction`. The
  `rotations` of a pose, which is read as the constraints that hold it, are records {"joint": …, "rotation": …}.
- `blender` of a constraint is what only the add-on knows about it. The solver ignores it.
- A joint is its name, or {"name": …, "offset": [x, y, z]} for a point on it. A `reference` is a joint, or a moving
  object {"positions": …, "rotations": …} with one row for all frames or one for each.
- Where the other axis is up, places, directions and rotations of the world are turned by 90° about x: (x, y, z) with y
  up is (x, -z, y) with z up.
- Vectors in a joint's local frame (an `offset`, an `axis`, points on a `reference`) and a joint's `rotation` depend on
  that frame, which differs from program to program. `rest` holds the world rotation of each such joint in the rest
  pose. Where the clip's rest rotation differs, they are converted; without `rest` they are taken as they are.
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
from ..constraints import Constraint, HeldPose
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError, FileFormatError
from ..core.numbers import LARGEST_NUMBER
from .atomic_writing import read_whole, write_whole
from .constraint_codecs import NUMBER, WORLD_ROTATION
from .constraint_records import ConstraintEntry, joints_with_local_values, read_constraint, write_constraint
from .conversion import Conversion
from .json_location import JsonLocation, check_keys, quoted
from .json_text import parse_json

VERSION = 1
"""Version of the format."""

MAX_BYTES = 2**28
"""Largest size of a file, enough for thousands of moving objects."""

LINE = 120
"""Records and lists up to so many characters are written in one line."""


Written = Constraint | HeldPose | ConstraintEntry
"""What a file can hold."""


def write_constraints(constraints: Iterable[Written], path: str | os.PathLike[str], clip: Clip) -> None:
    """Write the constraints of a clip to a file. A failure leaves an existing file unchanged."""
    write_whole(path, f"{_format_json(constraints_as_dict(constraints, clip))}\n")


def read_constraints(path: str | os.PathLike[str], clip: Clip) -> list[Constraint]:
    """The constraints of a file, for a clip. A mistake in the file raises one `FileFormatError` with its location.

    Whether times lie within the clip, and all else that needs the motion, is checked by `deform`. A held pose is read
    as the constraints that hold it.
    """
    return _expanded(read_constraint_entries(path, clip), clip, Path(path).name)


def read_constraint_entries(path: str | os.PathLike[str], clip: Clip) -> list[ConstraintEntry]:
    """As `read_constraints`, with held poses as such, and with what only the add-on knows."""
    data = read_whole(path, "a JSON file of constraints", MAX_BYTES, ", which no file of constraints is")
    name = Path(path).name
    return entries_from_dict(parse_json(data, name), clip, name)


def constraints_as_dict(constraints: Iterable[Written], clip: Clip) -> dict[str, Any]:
    """The content of a constraint file as dictionaries, lists, numbers and strings."""
    conversion = Conversion(clip.skeleton, clip.frames)
    records = []
    for number, constraint in enumerate(constraints, start=1):
        if not isinstance(constraint, Written):
            raise ConstraintError(f"Constraints are written to a file, not {constraint!r}.")
        records.append(write_constraint(constraint, number, conversion))
    data: dict[str, Any] = {"poise": VERSION, "fps": float(clip.fps), "up": clip.up}
    used = set().union(*(joints_with_local_values(record, clip.skeleton) for record in records))
    if used:
        rest_rotations, _ = clip.skeleton.rest
        data["rest"] = {name: rest_rotations[clip.skeleton.index(name)].tolist() for name in sorted(used)}
    return {**data, "constraints": records}


def constraints_from_dict(data: Any, clip: Clip, name: str = "The constraints") -> list[Constraint]:
    """The constraints in the result of `constraints_as_dict`; error messages call the file `name`."""
    return _expanded(entries_from_dict(data, clip, name), clip, name)


def _expanded(entries: Iterable[ConstraintEntry], clip: Clip, name: str) -> list[Constraint]:
    """The constraints of entries, of a held pose those that hold it."""
    found: list[Constraint] = []
    for number, entry in enumerate(entries, start=1):
        if isinstance(entry.constraint, Constraint):
            found.append(entry.constraint)
            continue
        try:
            found += entry.constraint.constraints(clip)
        except ConstraintError as error:
            raise FileFormatError(f"{name}: constraint {number}: {error}") from None
    return found


def entries_from_dict(data: Any, clip: Clip, name: str = "The constraints") -> list[ConstraintEntry]:
    """As `constraints_from_dict`, with held poses as such, and with what only the add-on knows."""
    if not isinstance(data, dict) or "poise" not in data:
        raise FileFormatError(f'{name}: it is no file of Poise constraints, which begins with {{"poise": {VERSION}.')
    if isinstance(data["poise"], bool) or data["poise"] != VERSION:
        raise FileFormatError(
            f"{name}: it has version {quoted(data['poise'])} of the format, and this Poise reads version {VERSION}."
        )
    where = JsonLocation(name, Conversion(clip.skeleton, clip.frames))
    check_keys(data, ("poise", "fps", "up", "rest", "constraints"), ("constraints",), where)
    fps, up, rest, records = data.get("fps"), data.get("up"), data.get("rest", {}), data["constraints"]
    if fps is not None and not NUMBER.read(fps, where.at("fps")) > 0:
        where.at("fps").fail(f"must be a positive number of frames a second, not {quoted(fps)}")
    if up is not None and up not in ("y", "z"):
        where.at("up").fail(f'must be "y" or "z", not {quoted(up)}')
    if not isinstance(records, list):
        where.at("constraints").fail(f"must be a list in brackets, not {quoted(records)}")
    if not isinstance(rest, dict):
        where.at("rest").fail(f"must be a record in braces, not {quoted(rest)}")
    rate = 1.0 if fps is None else clip.fps / fps
    if not 1.0 / LARGEST_NUMBER <= rate <= LARGEST_NUMBER:
        where.at("fps").fail(f"is {quoted(fps)}, from which nothing can be converted to the {clip.fps:g} of the motion")
    conversion = Conversion(
        clip.skeleton,
        clip.frames,
        rate=rate,
        new_up=None if up in (None, clip.up) else clip.up,
    )
    frames = _joint_frame_changes(rest, JsonLocation(name, conversion, ("rest",)))
    conversion = replace(conversion, joint_frame_changes=frames)
    return [read_constraint(record, number, name, conversion) for number, record in enumerate(records, start=1)]


SAME_FRAME = 1e-9
"""Radians. Local frames that differ by less are the same but for rounding, and values in them are not converted."""


def _joint_frame_changes(rest: dict[str, Any], where: JsonLocation) -> dict[str, Array]:
    """(4,) by joint name: the rotation from the file's local frame to the clip's, where they differ at rest."""
    skeleton = where.conversion.skeleton
    clip_rest, _ = skeleton.rest
    found = {}
    for name, written in rest.items():
        in_file = rotations.normalize(WORLD_ROTATION.read(written, where.at(name)))
        if name in skeleton.names:
            in_clip = clip_rest[skeleton.index(name)]
            if rotations.angle_between(in_clip, in_file) > SAME_FRAME:
                found[name] = rotations.multiply(rotations.conjugate(in_clip), in_file)
    return found


# Text ---------------------------------------------------------------------------------------------------------------


def _format_json(value: Any, indent: int = 0, taken: int = 0) -> str:
    """JSON with one line for each value that fits into it; `taken` characters of the line are used by other text."""
    one_line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    # The outermost record always has a line for each key.
    if not isinstance(value, (dict, list)) or not value or (indent and indent + taken + len(one_line) <= LINE):
        return one_line
    inner = indent + 2
    if isinstance(value, dict):
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        items = [
            f"{key}{_format_json(item, inner, len(key) + 1)}" for key, item in zip(keys, value.values(), strict=True)
        ]
    else:
        items = [_format_json(item, inner, 1) for item in value]
    margin = " " * inner
    before, after = "{}" if isinstance(value, dict) else "[]"
    return f"{before}\n{margin}" + f",\n{margin}".join(items) + f"\n{' ' * indent}{after}"
