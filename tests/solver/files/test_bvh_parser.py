# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading BVH text: what files may look like, and what a broken one says."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint, JointKind
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import FileFormatError, PoiseError
from poise.solver.files import bvh_parser
from poise.solver.files.bvh_parser import MAX_DEPTH, MAX_TRANSFORMS, parse_bvh

SAMPLE = """HIERARCHY
ROOT Hips
{
	OFFSET 0.0 1.0 0.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Chest
	{
		OFFSET 0.0 0.5 0.1
		CHANNELS 3 Zrotation Xrotation Yrotation
		JOINT Head
		{
			OFFSET 0.0 0.4 0.0
			CHANNELS 3 Zrotation Xrotation Yrotation
			End Site
			{
				OFFSET 0.0 0.2 0.0
			}
		}
	}
	JOINT LeftLeg
	{
		OFFSET 0.1 -0.1 0.0
		CHANNELS 1 Xrotation
		End Site
		{
			OFFSET 0.0 -0.9 0.0
		}
	}
}
MOTION
Frames: 2
Frame Time: .0333333
1 2 3 10 20 30 40 50 60 70 80 90 15
4 5 6 11 21 31 41 51 61 71 81 91 16
"""
MOTION_LINE = 1 + SAMPLE[: SAMPLE.index("MOTION")].count("\n")


def line_of(error: pytest.ExceptionInfo[PoiseError]) -> int:
    """The line that an error names."""
    return int(str(error.value).split("line ")[1].split(":")[0])


# ---------------------------------------------------------------------------------------------------------------------
# Any file, against an evaluation of its own with plain matrices
# ---------------------------------------------------------------------------------------------------------------------


@dataclass
class Described:
    """A BVH file as data."""

    names: list[str]
    parents: list[int]
    offsets: Array
    channels: list[list[str]]
    ends: list[list[Array]]
    values: Array

    def world_positions(self) -> Array:
        """(frames, joints, 3) by 4×4 matrices, one at a time."""
        positions = np.zeros((len(self.values), len(self.names), 3))
        for frame, row in enumerate(self.values):
            numbers = iter(row.tolist())
            matrices: list[Array] = []
            for joint, parent in enumerate(self.parents):
                local = np.eye(4)
                local[:3, 3] = self.offsets[joint]
                for channel in self.channels[joint]:
                    axis, value = "XYZ".index(channel[0].upper()), next(numbers)
                    if channel[1:].lower() == "position":
                        local[axis, 3] = value
                    else:
                        local[:3, :3] = local[:3, :3] @ turn(axis, value)
                matrices.append(local if parent < 0 else matrices[parent] @ local)
                positions[frame, joint] = matrices[joint][:3, 3]
        return positions


def turn(axis: int, degrees: float) -> Array:
    """The matrix of a rotation about a coordinate axis."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def describe(rng: np.random.Generator, *, roots: int = 1) -> Described:
    """A random file: any channels, also repeated, on any joint, in any order."""
    count = int(rng.integers(roots, 12))
    channel_names = ["Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"]
    parents: list[int] = []
    open_joints: list[int] = []
    for joint in range(count):  # depth first, as a file lists its joints
        starts_root = joint == 0 or (parents.count(-1) < roots and rng.random() < 0.3)
        open_joints = [] if starts_root else open_joints[: int(rng.integers(1, len(open_joints) + 1))]
        parents.append(open_joints[-1] if open_joints else -1)
        open_joints.append(joint)
    channels = [[str(name) for name in rng.choice(channel_names, size=int(rng.integers(0, 8)))] for _ in parents]
    channels[0] = [str(name) for name in rng.permutation(channel_names)]
    width = sum(map(len, channels))
    return Described(
        names=[f"joint {index}: {'abc'[index % 3]}" for index in range(count)],
        parents=parents,
        offsets=rng.normal(size=(count, 3)),
        channels=channels,
        ends=[[rng.normal(size=3) for _ in range(int(rng.integers(0, 3)))] for _ in parents],
        values=rng.normal(size=(int(rng.integers(0, 5)), width)) * 100.0,
    )


def written(file: Described, rng: np.random.Generator) -> str:
    """The text of a described file, laid out and spelled at random."""

    def spelled(word: str) -> str:
        return str(rng.choice([word, word.upper(), word.lower(), word.title()]))

    def gap() -> str:
        return str(rng.choice([" ", "  ", "\t", " \t "]))

    def number(value: float) -> str:
        return str(rng.choice([repr(float(value)), f"{value:.17e}", f"{value:+.17E}"]))

    def words(*items: str) -> str:
        return gap().join(items) + str(rng.choice(["", " ", "\t"]))

    lines = [spelled("HIERARCHY")]
    depths: list[int] = []
    for joint, parent in enumerate(file.parents):
        depth = 0 if parent < 0 else depths[parent] + 1
        lines += ["}"] * (0 if joint == 0 else depths[-1] + 1 - depth)
        depths.append(depth)
        head = words(spelled("ROOT" if parent < 0 else "JOINT"), file.names[joint])
        lines += [head + " {"] if rng.random() < 0.3 else [head, "{"]
        attributes = [
            words(spelled("OFFSET"), *map(number, file.offsets[joint])),
            words(spelled("CHANNELS"), str(len(file.channels[joint])), *map(spelled, file.channels[joint])),
        ]
        lines += attributes if rng.random() < 0.5 else attributes[::-1]
        for end in file.ends[joint]:
            lines += [words(*spelled("End Site").split()), "{", words(spelled("OFFSET"), *map(number, end)), "}"]
    lines += ["}"] * (depths[-1] + 1)
    lines += ["MOTION", rng.choice(["Frames: ", "Frames:", "FRAMES :\t", "Frames "]) + str(len(file.values))]
    lines += [rng.choice(["Frame Time: ", "Frame Time:", "FRAME  TIME:\t"]) + "0.04"]
    numbers = [number(value) for value in file.values.ravel()]
    per_line = int(rng.choice([file.values.shape[1], 1 + rng.integers(30)]))
    lines += [words(*numbers[start : start + per_line]) for start in range(0, len(numbers), per_line)]

    ends = rng.choice(["\n", "\r\n", "\r", "mixed"])
    indented = [gap() * int(rng.integers(0, 3)) + line for line in lines]
    text = "".join(
        line
        + str(rng.choice(["\n", "\r\n"]) if ends == "mixed" else ends)
        + ("\n" if rng.random() < 0.1 and ends != "\r" else "")
        for line in indented
    )
    return ("\ufeff" if rng.random() < 0.3 else "") + (text.rstrip() if rng.random() < 0.5 else text)


@pytest.mark.parametrize("seed", range(60))
def test_any_file_moves_as_its_channels_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    file = describe(rng, roots=int(rng.integers(1, 4)))
    clip = parse_bvh(written(file, rng).encode())
    assert clip.skeleton.names == tuple(file.names)
    assert clip.skeleton.parents.tolist() == file.parents
    np.testing.assert_array_equal(clip.skeleton.offsets, file.offsets)
    np.testing.assert_array_equal(clip.skeleton.rest_rotations, np.tile(rotations.IDENTITY, (len(file.names), 1)))
    ends = [BodyPoint(joint, tuple(end)) for joint, several in enumerate(file.ends) for end in several]
    assert clip.skeleton.tips == tuple(ends)
    assert clip.frames == len(file.values)
    assert clip.fps == 25.0
    assert clip.up == "y"
    np.testing.assert_allclose(clip.world.positions, file.world_positions(), rtol=0.0, atol=1e-10)


def test_the_kinds_of_joints_follow_from_their_channels() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        file = describe(rng, roots=3)
        clip = parse_bvh(written(file, rng))
        for kind, parent, channels in zip(clip.skeleton.kinds, file.parents, file.channels, strict=True):
            positions = any(channel.endswith("position") for channel in channels)
            turns = any(channel.endswith("rotation") for channel in channels)
            wanted = JointKind.FREE if parent < 0 and positions else JointKind.BALL if turns else JointKind.FIXED
            assert kind is wanted, f"{channels} under {parent} made a joint that is {kind.value}"


def test_a_position_channel_replaces_its_coordinate_of_the_offset_and_the_others_stay() -> None:
    text = SAMPLE.replace("CHANNELS 1 Xrotation", "CHANNELS 1 Zposition")
    clip = parse_bvh(text)
    np.testing.assert_array_equal(clip.motion.root_translation, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(clip.motion.translations[:, 3], [[0.1, -0.1, 15.0], [0.1, -0.1, 16.0]])
    np.testing.assert_array_equal(clip.motion.translations[:, 1], np.tile([0.0, 0.5, 0.1], (2, 1)))


def test_a_whole_file_on_one_line_reads_as_well() -> None:
    spread, together = parse_bvh(SAMPLE), parse_bvh(" ".join(SAMPLE.split()))
    assert together.skeleton.names == spread.skeleton.names
    np.testing.assert_array_equal(together.world.positions, spread.world.positions)


@pytest.mark.parametrize("block_bytes", [1, 40, 1000])
def test_motions_are_read_the_same_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    whole = parse_bvh(SAMPLE)
    monkeypatch.setattr(bvh_parser, "_BLOCK_BYTES", block_bytes)
    np.testing.assert_array_equal(parse_bvh(SAMPLE).world.positions, whole.world.positions)
    for case in ("more frames announced", "fewer frames announced", "motion NaN", "text behind the motion"):
        text, line, fragment = BROKEN[case]
        with pytest.raises(FileFormatError, match=fragment) as error:
            parse_bvh(text)
        assert line_of(error) == line


def test_names_keep_spaces_colons_and_other_scripts() -> None:
    name = "mixamorig:Hips  (left) ü 腰 .001"
    assert parse_bvh(SAMPLE.replace("Hips", f"{name} ")).skeleton.names[0] == name
    latin = SAMPLE.replace("Hips", "Hüfte").encode("latin-1")
    assert parse_bvh(latin).skeleton.names[0] == "Hüfte"


def test_repeated_names_get_numbers_as_in_blender() -> None:
    text = SAMPLE.replace("Chest", "Hips").replace("Head", "Hips.001").replace("LeftLeg", "Hips")
    assert parse_bvh(text).skeleton.names == ("Hips", "Hips.001", "Hips.001.001", "Hips.002")


def test_twenty_thousand_joints_of_one_name_are_read_without_trying_every_number() -> None:
    joint = "JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n"
    text = (
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
        + joint * 20_000
        + "}\nMOTION\nFrames: 0\nFrame Time: 1\n"
    )
    assert parse_bvh(text).skeleton.names[-1] == "a.20000"


def test_no_frames_is_a_clip_of_none() -> None:
    clip = parse_bvh(SAMPLE[: SAMPLE.index("1 2 3")].replace("Frames: 2", "Frames: 0"))
    assert clip.frames == 0
    assert clip.motion.rotations.shape == (0, 4, 4)
    assert clip.motion.translations.shape == (0, 4, 3)


def test_a_chain_as_deep_as_the_limit_is_read() -> None:
    clip = parse_bvh(chain(MAX_DEPTH))
    assert len(clip.skeleton) == MAX_DEPTH
    np.testing.assert_allclose(clip.world.positions[0, -1], [0.0, MAX_DEPTH - 1.0, 0.0])


def chain(length: int) -> str:
    """The text of a chain of joints, five lines each, that stands upright for one frame."""
    joints = [f"JOINT j{index}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n" for index in range(1, length)]
    head = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    return head + "".join(joints) + "}\n" * length + f"MOTION\nFrames: 1\nFrame Time: 1\n{'0 ' * length}\n"


# ---------------------------------------------------------------------------------------------------------------------
# Broken files
# ---------------------------------------------------------------------------------------------------------------------


def number_in_last_row(word: str) -> str:
    return SAMPLE.replace(" 16\n", f" {word}\n")


BROKEN = {
    "empty": ("", 1, "HIERARCHY"),
    "blank": ("\n \r\n\t\n", 1, "HIERARCHY"),
    "another kind of text": ("ply\nformat ascii 1.0\n", 1, "'ply'"),
    "binary": (b"\x00\x01\xff\xfe{}\x80" * 50, 1, "HIERARCHY"),
    "only the first word": ("HIERARCHY", 1, "the end of the file"),
    "no root": ("HIERARCHY\nMOTION\nFrames: 0\nFrame Time: 1\n", 2, "ROOT"),
    "joint outside": ("HIERARCHY\nJOINT a\n", 2, "'JOINT'"),
    "root without a name": (SAMPLE.replace("ROOT Hips", "ROOT"), 2, "no name"),
    "brace not opened": (SAMPLE.replace("{", "", 1), 4, "needs '{'"),
    "brace not closed": (SAMPLE.replace("}\nMOTION", "MOTION"), MOTION_LINE - 1, "'MOTION' stands inside joint 'Hips'"),
    "brace too many": (SAMPLE.replace("MOTION", "}\nMOTION"), MOTION_LINE, "'}'"),
    "no offset": (SAMPLE.replace("OFFSET 0.0 0.5 0.1", ""), 10, "'Chest' has no OFFSET"),
    "no channels": (SAMPLE.replace("CHANNELS 1 Xrotation", ""), 24, "'LeftLeg' has no CHANNELS"),
    "no offset at an end": (SAMPLE.replace("OFFSET 0.0 0.2 0.0", ""), 17, "End Site of joint 'Head'"),
    "two offsets": (SAMPLE.replace("CHANNELS 1 Xrotation", "OFFSET 1 2 3"), 23, "second OFFSET"),
    "two channels": (SAMPLE.replace("OFFSET 0.1 -0.1 0.0", "CHANNELS 0"), 23, "second CHANNELS"),
    "offset of two numbers": (SAMPLE.replace("0.0 0.5 0.1", "0.0 0.5"), 9, "'CHANNELS' is not a finite number"),
    "offset of four numbers": (SAMPLE.replace("0.0 0.5 0.1", "0.0 0.5 0.1 7"), 8, "'7'"),
    "offset not a number": (SAMPLE.replace("0.0 0.5 0.1", "0.0 NaN 0.1"), 8, "'NaN'"),
    "offset infinite": (SAMPLE.replace("0.0 0.2 0.0", "0.0 -inf 0.1"), 16, "'-inf'"),
    "offset beyond all measure": (SAMPLE.replace("0.0 0.5 0.1", "0.0 1e200 0.1"), 8, "'1e200'"),
    "unknown channel": (SAMPLE.replace("Zposition Z", "Wposition Z"), 5, "'Wposition' is not a channel"),
    "fewer channels than announced": (SAMPLE.replace("CHANNELS 1", "CHANNELS 2"), 24, "'End' is not a channel"),
    "more channels than announced": (SAMPLE.replace("CHANNELS 6", "CHANNELS 5"), 5, "'Yrotation'"),
    "channels without a number": (SAMPLE.replace("CHANNELS 1", "CHANNELS"), 23, "'Xrotation'"),
    "a negative number of channels": (SAMPLE.replace("CHANNELS 1", "CHANNELS -1"), 23, "'-1'"),
    "more channels than exist": (SAMPLE.replace("CHANNELS 1", "CHANNELS 999999999999"), 24, "is not a channel"),
    "no motion": (SAMPLE[: SAMPLE.index("MOTION")], MOTION_LINE - 1, "the end of the file"),
    "no number of frames": (SAMPLE.replace("Frames: 2\n", ""), MOTION_LINE + 1, "'Frames:'"),
    "frames not a number": (SAMPLE.replace("Frames: 2", "Frames: two"), MOTION_LINE + 1, "'two'"),
    "negative frames": (SAMPLE.replace("Frames: 2", "Frames: -2"), MOTION_LINE + 1, "'-2'"),
    "frames of 5000 digits": (SAMPLE.replace("Frames: 2", "Frames: " + "9" * 5000), MOTION_LINE + 1, "'Frames:'"),
    "no frame time": (SAMPLE.replace("Frame Time: .0333333\n", ""), MOTION_LINE + 2, "'Frame Time:'"),
    "frame time 0": (SAMPLE.replace(".0333333", "0.0"), MOTION_LINE + 2, "'0.0'"),
    "frame time negative": (SAMPLE.replace(".0333333", "-.03"), MOTION_LINE + 2, "'-.03'"),
    "frame time not a number": (SAMPLE.replace(".0333333", "nan"), MOTION_LINE + 2, "'nan'"),
    "frame time next to nothing": (SAMPLE.replace(".0333333", "1e-310"), MOTION_LINE + 2, "'1e-310'"),
    "frame time of a huge exponent": (SAMPLE.replace(".0333333", "1e" + "9" * 50), MOTION_LINE + 2, "time between"),
    "more frames announced": (SAMPLE.replace("Frames: 2", "Frames: 3"), MOTION_LINE + 4, "after 26 numbers"),
    "fewer frames announced": (SAMPLE.replace("Frames: 2", "Frames: 1"), MOTION_LINE + 4, "'4' is one number too many"),
    "no frames announced": (SAMPLE.replace("Frames: 2", "Frames: 0"), MOTION_LINE + 3, "'1' is one number too many"),
    "a number missing": (SAMPLE.replace(" 70 ", " "), MOTION_LINE + 3, "this line has 12 numbers"),
    "a number missing in the last row": (SAMPLE.replace(" 71 ", " "), MOTION_LINE + 4, "this line has 12 numbers"),
    "a number too many": (SAMPLE.replace(" 71 ", " 71 71 "), MOTION_LINE + 4, "this line has 14 numbers"),
    "motion not a number": (number_in_last_row("x"), MOTION_LINE + 4, "'x'"),
    "motion NaN": (number_in_last_row("nan"), MOTION_LINE + 4, "'nan'"),
    "motion infinite": (number_in_last_row("inf"), MOTION_LINE + 4, "'inf'"),
    "motion out of range": (number_in_last_row("1e999"), MOTION_LINE + 4, "'1e999'"),
    "motion with Python's underscore": (number_in_last_row("1_6"), MOTION_LINE + 4, "'1_6'"),
    "motion with a decimal comma": (number_in_last_row("1,6"), MOTION_LINE + 4, "'1,6'"),
    "motion with a zero byte": (number_in_last_row("1\x00"), MOTION_LINE + 4, "'1\\x00'"),
    "text behind the motion": (SAMPLE + "\nthe end\n", MOTION_LINE + 6, "'the'"),
    "frames without channels": (
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 999999999\nFrame Time: 1\n",
        8,
        "no joint has channels",
    ),
    "10 000 joints deep": (chain(10_000), 2 + 4 * MAX_DEPTH, f"more than {MAX_DEPTH} deep"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_broken_file_is_one_sentence_that_names_file_and_line(case: str, line_end: str) -> None:
    text, line, fragment = BROKEN[case]
    data = text if isinstance(text, bytes) else text.replace("\r\n", "\n").replace("\n", line_end).encode()
    with pytest.raises(FileFormatError) as error:
        parse_bvh(data, "walk.bvh")
    message = str(error.value)
    assert message.startswith("walk.bvh, line ")
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300
    assert line_of(error) == line, message
    assert fragment in message, message


def test_a_file_cut_off_anywhere_says_so() -> None:
    data = SAMPLE.rstrip().encode()
    last_number = data.rindex(b" ") + 1
    for cut in range(last_number + 1):
        with pytest.raises(FileFormatError) as error:
            parse_bvh(data[:cut], "cut.bvh")
        last_line = 1 + data[:cut].rstrip().count(b"\n")
        assert 1 <= line_of(error) <= last_line, f"cut at {cut}: {error.value}"
    # A last number that lost digits is a number still: nothing in the format tells.
    assert parse_bvh(data[: last_number + 1]).frames == 2


def test_damaged_bytes_give_a_clip_or_a_sentence_and_nothing_else() -> None:
    rng = np.random.default_rng(7)
    refused = 0
    for _ in range(3000):
        data = bytearray(SAMPLE.encode())
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(len(data)))
            length = int(rng.integers(1, 30))
            kind = rng.integers(5)
            if kind == 0:
                data[at] = int(rng.integers(256))
            elif kind == 1:
                del data[at : at + length]
            elif kind == 2:
                data[at:at] = rng.bytes(length)
            elif kind == 3:
                source = int(rng.integers(len(data)))
                data[at:at] = data[source : source + length]
            else:
                data[at : at + 1] = rng.choice([b"{", b"}", b"\r", b"\n", b"-", b".", b"e", b"9", b" ", b"\x00"])
        try:
            clip = parse_bvh(bytes(data), "damaged.bvh")
        except FileFormatError as error:
            refused += 1
            assert str(error).startswith("damaged.bvh, line ")
        else:
            assert np.isfinite(clip.world.positions).all()
    assert 1000 < refused < 3000, "the damage should break most files, not all and not none"


def test_random_bytes_behind_the_first_words_are_refused() -> None:
    rng = np.random.default_rng(8)
    beginnings = [b"HIERARCHY", SAMPLE[: SAMPLE.index("Chest")].encode(), SAMPLE[: SAMPLE.index("1 2 3")].encode()]
    for _ in range(300):
        with pytest.raises(FileFormatError, match="noise, line "):
            parse_bvh(beginnings[int(rng.integers(3))] + b" " + rng.bytes(200), "noise")


def peak_memory(data: bytes, wanted: str) -> int:
    """The bytes that refusing a file took at most."""
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match=wanted):
            parse_bvh(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_a_file_announces_allocates_nothing() -> None:
    many_frames = SAMPLE.replace("Frames: 2", "Frames: 9999999").encode()
    assert peak_memory(many_frames, "after 26 numbers") < 1_000_000
    assert peak_memory(SAMPLE.replace("Frames: 2", "Frames: 999999999").encode(), "fit into memory") < 1_000_000
    assert peak_memory(SAMPLE.replace("CHANNELS 6", "CHANNELS 999999999").encode(), "not a channel") < 1_000_000


FLOODS = {
    "digits and a letter": b"1" * 500_000 + b"x",
    "decimals": b"0." + b"1" * 500_000,
    "digits": b"1" * 500_000,
    "spaces": b" " * 500_000 + b"x",
    "blank lines": b"\n" * 500_000,
    "signs": b"-." * 250_000,
}
"""Half a million characters: a parser whose time grows with the square of the length would take hours."""

PLACES = [" 0.5 ", "Frames: 2", "Frame Time: .0333333", " 16\n", "Chest"]
"""Parts of the sample that a flood replaces."""

NUMBERS = [(" 0.5 ", ""), ("Frame Time: .0333333", "Frame Time:"), (" 16\n", "")]
"""Places, with the keyword before the flood, where a finite number is expected: half a million decimals are one."""


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("place", PLACES)
def test_long_text_is_parsed_in_time_proportional_to_its_length(flood: str, place: str) -> None:
    before, behind = SAMPLE.encode().split(place.encode(), 1)
    for keyword in ("", place.split(":")[0] + ":"):
        is_name = place == "Chest" and (flood, keyword) != ("blank lines", "")
        data = before + b" " + keyword.encode() + FLOODS[flood] + b" " + behind
        begin = time.process_time()
        if is_name or (flood == "decimals" and (place, keyword) in NUMBERS):
            assert parse_bvh(data).frames == 2
        else:
            with pytest.raises(FileFormatError, match=r"line [0-9]+: ") as error:
                parse_bvh(data)
            assert len(str(error.value)) < 200, "a message quotes only the beginning of a long word"
        assert time.process_time() - begin < SECONDS_FOR_A_FLOOD


SECONDS_FOR_A_FLOOD = 5.0
"""Processor time. It takes some hundredths of a second."""


def test_numbers_far_behind_the_frames_announced_are_not_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bvh_parser, "_BLOCK_BYTES", 1)
    with pytest.raises(FileFormatError, match="one number too many"):
        parse_bvh(SAMPLE.replace("Frames: 2", "Frames: 1") + "\nnever looked at\n")


def with_still_joints(frames: int, still: int, channels: int = 1) -> bytes:
    """A file whose root has channels and whose other joints have none, all numbers 0."""
    joint = "JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n"
    head = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS {channels}{' Xrotation' * channels}\n" + joint * still
    return f"{head}}}\nMOTION\nFrames: {frames}\nFrame Time: 1\n{'0 ' * (frames * channels)}".encode()


@pytest.mark.parametrize(
    ("frames", "still", "sentence"),
    [
        (MAX_TRANSFORMS // 2000, 2000, "fit into memory"),
        (50_000, 999, "line .*: 50000 frames of 999 joints without channels are more than the 2000000 transforms"),
    ],
)
def test_joints_without_channels_cannot_ask_for_any_amount_of_memory(frames: int, still: int, sentence: str) -> None:
    data = with_still_joints(frames, still)
    assert peak_memory(data, sentence) < 20 * len(data)


def test_joints_without_channels_are_read_where_they_are_few_or_the_numbers_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bvh_parser, "MAX_STILL_TRANSFORMS", 100)
    assert parse_bvh(with_still_joints(10, 10)).frames == 10
    assert parse_bvh(with_still_joints(50, 10, channels=10)).frames == 50, "no more joints than numbers in a frame"
    with pytest.raises(FileFormatError, match="11 frames of 10 joints without channels"):
        parse_bvh(with_still_joints(11, 10))
