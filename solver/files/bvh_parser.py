# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip from the text of a BVH file; `bvh` documents the format.

Counts in the file allocate no memory, and nesting does not recurse: any broken file ends in one `FileFormatError` that
names its line.
"""

from __future__ import annotations

import codecs
import itertools
import re
from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint, JointKind
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import FileFormatError
from ..core.numbers import LARGEST_NUMBER
from .frame_rates import frame_rate

MAX_DEPTH = 1000
"""Largest depth of the hierarchy. A deeper file has lost its closing braces."""

MAX_TRANSFORMS = 50_000_000
"""Largest product of frames and joints: an hour of a hundred joints at 120 frames a second, 5.4 GB while it is read."""

MAX_STILL_TRANSFORMS = 2_000_000
"""Largest product of frames and joints without channels, 220 MB, in a file with fewer numbers. Joints without channels
have no numbers in the file, so that without this limit a small file could need any amount of memory."""

_BLOCK_BYTES = 2**24
"""Bytes of text that are converted to numbers at a time, to bound the memory for single words."""

_CHANNELS = {
    f"{axis}{kind}".encode(): (kind, index) for kind in ("POSITION", "ROTATION") for index, axis in enumerate("XYZ")
}
_NUMBER = re.compile(rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[{}]|[^\s{}]+")
_NUMERIC_WORD = re.compile(rb"\S+")
_NAME = re.compile(rb"\s*([^\n{}]*)")
_FRAMES = re.compile(rb"\s*FRAMES(?:\s*:\s*|\s+)(\S+)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*FRAME\s*TIME(?:\s*:\s*|\s+)(\S+)", re.IGNORECASE)


def parse_bvh(text: str | bytes, name: str = "The BVH text") -> Clip:
    """The clip of a BVH file's content; error messages call the file `name`."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else bytes(text)
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    cursor = _Cursor(data, name)
    hierarchy = _HierarchyReader(cursor).read()
    frames, fps = _read_motion_header(cursor, hierarchy)
    values = _read_values(cursor, frames, hierarchy.width)
    return Clip(hierarchy.skeleton(), hierarchy.motion(values), fps)


# ---------------------------------------------------------------------------------------------------------------------
# The hierarchy
# ---------------------------------------------------------------------------------------------------------------------


class _Cursor:
    """A position in the text, whose lines end with a line feed."""

    def __init__(self, data: bytes, source: str) -> None:
        self.data = data
        self.source = source
        self.position = 0
        """Just behind the last word."""
        self.start = 0
        """Start of the last word, whose line errors name."""

    def word(self) -> bytes:
        """The next word, empty at the end of the text; a brace is a word of its own."""
        match = _WORD.search(self.data, self.position)
        if match is None:
            self.start = self.position = len(self.data)
            return b""
        self.start, self.position = match.span()
        return match[0]

    def name(self) -> bytes:
        """The text up to the end of the line or a brace."""
        match = _NAME.match(self.data, self.position)
        assert match is not None  # it also matches the empty text
        self.position = match.end()
        return match[1].strip()

    def number(self, of: str) -> float:
        word = self.word()
        value = _number(word)
        if value is None:
            raise self.error(f"{_shown(word)} is not a finite number; correct the {of}")
        return value

    def expect(self, wanted: bytes, of: str) -> None:
        word = self.word()
        if word.upper() != wanted:
            raise self.error(f"{_shown(word)} stands where {of} needs {wanted.decode()!r}; correct the hierarchy")

    def error(self, complaint: str, at: int | None = None) -> FileFormatError:
        """An error that names the line of the last word, or the line of the position `at`."""
        # The end of a text that ends its last line belongs to that line.
        end = min(self.start if at is None else at, len(self.data.rstrip()))
        line = 1 + self.data.count(b"\n", 0, end)
        return FileFormatError(f"{self.source}, line {line}: {complaint}.")


@dataclass
class _Joint:
    name: str
    parent: int
    offset: list[float] | None = None
    channels: list[tuple[str, int]] | None = None
    """("POSITION" or "ROTATION", axis) in the file's order."""
    first_column: int = 0
    """Index of its first channel among the numbers of a frame."""


@dataclass
class _Hierarchy:
    joints: list[_Joint]
    tips: list[BodyPoint]
    width: int
    """Numbers a frame."""

    def skeleton(self) -> Skeleton:
        return Skeleton(
            names=tuple(joint.name for joint in self.joints),
            parents=np.array([joint.parent for joint in self.joints], dtype=np.int64),
            offsets=np.array([joint.offset for joint in self.joints], dtype=np.float64),
            kinds=tuple(_kind(joint) for joint in self.joints),
            tips=tuple(self.tips),
            up="y",
        )

    def motion(self, values: Array) -> Motion:
        """The motion of channel values (frames, width)."""
        frames, count = len(values), len(self.joints)
        position_columns: dict[tuple[int, int], int] = {}
        by_axes: dict[str, tuple[list[int], list[list[int]]]] = {}
        for index, joint in enumerate(self.joints):
            columns = []
            axes = ""
            for column, (kind, axis) in enumerate(joint.channels or (), start=joint.first_column):
                if kind == "POSITION":
                    position_columns[index, axis] = column
                else:
                    columns.append(column)
                    axes += "XYZ"[axis]
            if axes:
                joints, columns_of_joints = by_axes.setdefault(axes, ([], []))
                joints.append(index)
                columns_of_joints.append(columns)

        translations = np.empty((frames, count, 3))
        translations[:] = [joint.offset for joint in self.joints]
        if position_columns:
            moving, moving_axes = zip(*position_columns, strict=True)
            translations[:, moving, moving_axes] = values[:, list(position_columns.values())]
        joint_rotations = np.empty((frames, count, 4))
        joint_rotations[:] = rotations.IDENTITY
        for axes_of_joints, (joints, columns_of_joints) in by_axes.items():
            joint_rotations[:, joints] = rotations.from_turns(np.radians(values[:, columns_of_joints]), axes_of_joints)
        return Motion(joint_rotations, translations)


class _HierarchyReader:
    """Reads the text from HIERARCHY to MOTION, without recursion."""

    def __init__(self, cursor: _Cursor) -> None:
        self.cursor = cursor
        self.joints: list[_Joint] = []
        self.tips: list[BodyPoint] = []
        self.width = 0
        self.open: list[int] = []
        """The joints whose braces are open, outermost first."""
        self.unique = UniqueNames()

    def read(self) -> _Hierarchy:
        cursor = self.cursor
        first = cursor.word()
        if first.upper() != b"HIERARCHY":
            raise cursor.error(f"a BVH file begins with HIERARCHY, not with {_shown(first)}; choose a BVH file")
        while True:
            word = cursor.word()
            keyword = word.upper()
            if not self.open and keyword == b"ROOT":
                self._joint("ROOT")
            elif not self.open and keyword == b"MOTION":
                if not self.joints:
                    raise cursor.error("there is no ROOT before MOTION; the file has no skeleton")
                return _Hierarchy(self.joints, self.tips, self.width)
            elif not self.open:
                raise cursor.error(f"{_shown(word)} stands where ROOT or MOTION should; correct the braces before it")
            elif keyword == b"OFFSET":
                self._offset()
            elif keyword == b"CHANNELS":
                self._channels()
            elif keyword == b"JOINT":
                self._check_complete()
                self._joint("JOINT")
            elif keyword == b"END":
                self._check_complete()
                self._end_site()
            elif keyword == b"}":
                self._check_complete()
                self.open.pop()
            else:
                raise cursor.error(
                    f"{_shown(word)} stands inside joint {shown_name(self._innermost.name)}, where OFFSET, CHANNELS, "
                    "JOINT, End Site or '}' should; the file is cut short or a brace is missing"
                )

    @property
    def _innermost(self) -> _Joint:
        return self.joints[self.open[-1]]

    def _joint(self, keyword: str) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise self.cursor.error(
                f"joints are nested more than {MAX_DEPTH} deep; check the closing braces, no character needs as many"
            )
        name = _decoded(self.cursor.name())
        if not name:
            raise self.cursor.error(f"{keyword} has no name; write one behind it")
        self.joints.append(_Joint(self.unique(name), self.open[-1] if self.open else -1))
        self.open.append(len(self.joints) - 1)
        self.cursor.expect(b"{", f"{keyword} {shown_name(name)}")

    def _offset(self) -> None:
        joint = self._innermost
        if joint.offset is not None:
            raise self.cursor.error(f"joint {shown_name(joint.name)} has a second OFFSET; remove one")
        joint.offset = self._three_numbers(f"OFFSET of joint {shown_name(joint.name)}")

    def _three_numbers(self, of: str) -> list[float]:
        return [self.cursor.number(of) for _ in range(3)]

    def _channels(self) -> None:
        joint, cursor = self._innermost, self.cursor
        name = shown_name(joint.name)
        if joint.channels is not None:
            raise cursor.error(f"joint {name} has a second CHANNELS; remove one")
        word = cursor.word()
        count = _count(word)
        if count is None:
            raise cursor.error(
                f"{_shown(word)} is not the number of channels of joint {name}; write it behind CHANNELS"
            )
        # Collected word by word, because the count may be any number.
        channels: list[tuple[str, int]] = []
        for _ in range(count):
            word = cursor.word()
            channel = _CHANNELS.get(word.upper())
            if channel is None:
                raise cursor.error(
                    f"{_shown(word)} is not a channel; give joint {name} its {count} channels out of Xposition, "
                    "Yposition, Zposition, Xrotation, Yrotation and Zrotation"
                )
            channels.append(channel)
        joint.channels, joint.first_column = channels, self.width
        self.width += count

    def _check_complete(self) -> None:
        joint = self._innermost
        if joint.offset is None or joint.channels is None:
            lacking = "OFFSET" if joint.offset is None else "CHANNELS"
            raise self.cursor.error(f"joint {shown_name(joint.name)} has no {lacking} before this; write one")

    def _end_site(self) -> None:
        self.cursor.name()
        of = f"the End Site of joint {shown_name(self._innermost.name)}"
        self.cursor.expect(b"{", of)
        self.cursor.expect(b"OFFSET", of)
        x, y, z = self._three_numbers(f"OFFSET of {of}")
        self.tips.append(BodyPoint(self.open[-1], (x, y, z)))
        self.cursor.expect(b"}", of)


def _kind(joint: _Joint) -> JointKind:
    kinds = {kind for kind, _ in joint.channels or ()}
    if joint.parent < 0 and "POSITION" in kinds:
        return JointKind.FREE
    return JointKind.BALL if "ROTATION" in kinds else JointKind.FIXED


class UniqueNames:
    """Makes names unique: a repeated name gets a number, as in Blender."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.numbers: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        unique = name
        while unique in self.taken:
            self.numbers[name] = self.numbers.get(name, 0) + 1
            unique = f"{name}.{self.numbers[name]:03d}"
        self.taken.add(unique)
        return unique


# ---------------------------------------------------------------------------------------------------------------------
# The motion
# ---------------------------------------------------------------------------------------------------------------------


def _read_motion_header(cursor: _Cursor, hierarchy: _Hierarchy) -> tuple[int, float]:
    """The number of frames and the frame rate of the header."""
    word = _header_word(cursor, _FRAMES, "'Frames:' with the number of frames should follow MOTION")
    frames = _count(word)
    if frames is None:
        raise cursor.error(f"{_shown(word)} is not a number of frames; correct 'Frames:'")
    if frames and not hierarchy.width:
        raise cursor.error(f"no joint has channels, so {frames} frames have no numbers; give the root some")
    if frames * len(hierarchy.joints) > MAX_TRANSFORMS:
        raise cursor.error(
            f"{frames} frames of {len(hierarchy.joints)} joints are more than fit into memory; "
            "correct 'Frames:' or cut the clip into shorter ones"
        )
    still = sum(not joint.channels for joint in hierarchy.joints)
    if frames * still > max(MAX_STILL_TRANSFORMS, frames * hierarchy.width):
        raise cursor.error(
            f"{frames} frames of {still} joints without channels are more than the {MAX_STILL_TRANSFORMS} transforms "
            f"that joints may have for which the file holds no numbers; remove such joints, give them channels, or cut "
            "the clip into shorter ones"
        )
    word = _header_word(cursor, _FRAME_TIME, "'Frame Time:' with the seconds of a frame should follow 'Frames:'")
    seconds = _number(word)
    if seconds is None or seconds < 1.0 / LARGEST_NUMBER:
        raise cursor.error(f"{_shown(word)} is not a time between frames; write its seconds, such as 0.0333333")
    return frames, frame_rate(word.decode())


def _header_word(cursor: _Cursor, pattern: re.Pattern[bytes], complaint: str) -> bytes:
    match = pattern.match(cursor.data, cursor.position)
    if match is None:
        word = cursor.word()
        raise cursor.error(f"{complaint}, not {_shown(word)}")
    cursor.start, cursor.position = match.span(1)
    return match[1]


def _read_values(cursor: _Cursor, frames: int, width: int) -> Array:
    """The channel values (frames, width) after the cursor."""
    data, begin = cursor.data, cursor.position
    blocks = [np.empty(0)]
    count = 0
    while begin < len(data) and count <= frames * width:
        end = data.find(b"\n", begin + _BLOCK_BYTES)
        end = len(data) if end < 0 else end
        values = _converted(data[begin:end])
        if values is None:
            raise _wrong_number(cursor, begin, end)
        blocks.append(values)
        count += len(values)
        begin = end
    if count != frames * width:
        raise _wrong_count(cursor, count, frames, width)
    return np.concatenate(blocks).reshape(frames, width)


def _converted(text: bytes) -> Array | None:
    """(numbers,) of a text, or None if a word is no number; `_number` does the same for one word."""
    try:
        values = np.fromiter(map(float, text.split()), dtype=np.float64)
    except ValueError:
        return None
    # Python reads 1_000 as a number, too; NaN fails every comparison.
    return values if b"_" not in text and (np.abs(values) <= LARGEST_NUMBER).all() else None


def _wrong_number(cursor: _Cursor, begin: int, end: int) -> FileFormatError:
    for match in _NUMERIC_WORD.finditer(cursor.data, begin, end):
        if _number(match[0]) is None:
            return cursor.error(f"{_shown(match[0])} in the motion is not a finite number; correct it", match.start())
    raise AssertionError("a text was refused although each of its words is a number")


def _wrong_count(cursor: _Cursor, count: int, frames: int, width: int) -> FileFormatError:
    announced = f"the {frames} frames announced have {width} each"
    few = count < frames * width
    advice = "get the whole file or correct 'Frames:'" if few else "remove what is too much or correct 'Frames:'"
    odd = _odd_line(cursor, width)
    extra = None if few else _word_in_motion(cursor, frames * width)
    if odd is not None and (extra is None or odd[0] < extra.start()):
        start, words = odd
        return cursor.error(f"this line has {words} numbers, but {announced}; correct it, or else {advice}", start)
    if extra is None:
        return cursor.error(f"the motion ends after {count} numbers, but {announced}; {advice}", len(cursor.data))
    return cursor.error(f"{_shown(extra[0])} is one number too many, as {announced}; {advice}", extra.start())


def _word_in_motion(cursor: _Cursor, index: int) -> re.Match[bytes] | None:
    return next(itertools.islice(_NUMERIC_WORD.finditer(cursor.data, cursor.position), index, None), None)


def _odd_line(cursor: _Cursor, width: int) -> tuple[int, int] | None:
    """Start and number of words of the first line without `width` words, if other lines have `width` words."""
    odd, start, frames_are_lines = None, cursor.position, False
    while start < len(cursor.data) and not (odd and frames_are_lines):
        end = cursor.data.find(b"\n", start)
        end = len(cursor.data) if end < 0 else end
        words = len(cursor.data[start:end].split())
        if words == width:
            frames_are_lines = True
        elif words and odd is None:
            odd = (start, words)
        start = end + 1
    return odd if frames_are_lines else None


# ---------------------------------------------------------------------------------------------------------------------
# Words
# ---------------------------------------------------------------------------------------------------------------------


def _number(word: bytes) -> float | None:
    """The number of a word, or None if it is no number or exceeds `LARGEST_NUMBER`."""
    if _NUMBER.fullmatch(word) is None:
        return None
    value = float(word)
    return value if abs(value) <= LARGEST_NUMBER else None


def _count(word: bytes) -> int | None:
    """The non-negative integer of a word, or None if it is none or has more than 18 digits."""
    return int(word) if re.fullmatch(rb"\d{1,18}", word) else None


def _decoded(name: bytes) -> str:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _shown(word: bytes) -> str:
    """A word of the file as an error message quotes it."""
    return shown_name(word.decode("utf-8", "replace")) if word else "the end of the file"


def shown_name(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:37] + "...")
