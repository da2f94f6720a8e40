# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognition of the body by the names of joints.

A name is read as a side, a word and a number: `mixamorig:LeftUpLeg`, `thigh.L`, `Bip01 L Thigh` and `J_Bip_L_UpperLeg`
are all (left, "upleg" | "thigh" | "upperleg", ""). Words are compared whole, so that `ik_foot_l` and
`upperarm_twist_01_l` match nothing. The tables below hold the meanings of all words. Some words mean two things
(`LeftShoulder` is the clavicle in MotionBuilder and the upper arm in HAnim): they stand in the lists of both, and the
hierarchy decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..joints import SIDES
from .figure import Figure

LEG = ("hip", "knee", "ankle", "toe")
ARM = ("clavicle", "shoulder", "elbow", "wrist", "finger")
"""Roles of a limb's joints, from the trunk outwards."""

_OPTIONAL = frozenset({"clavicle", "toe", "finger"})
"""Roles that a limb may lack: an ambiguous word gets one of the other roles first."""

_LOOSE = frozenset({"clavicle", "finger"})
"""Roles that a rig may parent to its controls instead of to the limb."""

# Each list is in order of preference: of two words on one limb, the earlier takes the role.
_LIMB_WORDS: dict[str, tuple[str, ...]] = {
    "hip": ("thigh", "upleg", "upperleg", "legupper", "femur", "thighbend", "hip", "leg"),
    "knee": ("shin", "calf", "lowerleg", "lowleg", "leglower", "tibia", "shank", "knee", "leg"),
    "ankle": ("ankle", "talocrural", "foot"),
    "toe": ("toe", "toes", "ball", "metatarsophalangeal", "metatarsal", "metatarsals", "tarsometatarsal", "foot"),
    "clavicle": ("clavicle", "collar", "collarbone", "sternoclavicular", "acromioclavicular", "scapula", "shoulder"),
    "shoulder": ("upperarm", "uparm", "armupper", "humerus", "shldr", "shldrbend", "arm", "shoulder"),
    "elbow": ("forearm", "lowerarm", "lowarm", "armlower", "forearmbend", "radius", "ulna", "elbow"),
    "wrist": ("wrist", "radiocarpal", "hand"),
    "finger": (
        *("middle", "handmiddle", "fmiddle", "middleproximal", "middlefinger", "fingermiddle", "finger2"),
        *("metacarpophalangeal3", "index", "handindex", "findex", "indexproximal", "indexfinger", "fingerindex"),
        *("finger1", "metacarpophalangeal2", "finger", "fingers"),
    ),
}
_HIPS_WORDS = ("hips", "pelvis", "hip", "humanoidroot")
_SPINE_WORDS = ("spine", "lowerback", "upperback", "back", "waist", "abdomen", "chest", "upperchest", "torso", "thorax")
_VERTEBRAE = ("vl", "vt")
_NECK_WORDS = ("neck", "lowerneck", "necklower", "upperneck", "neckupper", "vc")
_HEAD_WORDS = ("head", "skullbase", "skull")
_HEEL_WORDS = ("heel", "calcaneus", "calcaneous")
_HEEL_BONE_WORDS = ("subtalar", "talocalcaneonavicular", "talocalcaneal")
"""Joints between ankle and toes with which the heel bone moves."""
_THUMB_WORDS = ("thumb", "handthumb", "thumbproximal", "finger0")
_FACE_WORDS = frozenset(
    {"face", "jaw", "eye", "eyes", "eyeball", "eyelid", "brow", "eyebrow", "nose", "lip", "lips", "mouth", "tongue"}
    | {"teeth", "ear", "cheek", "chin", "forehead", "temple", "hair"}
)
_END_WORDS = frozenset({"end", "nub", "tip", "top", "site", "effector"})

_SIDE_WORDS = dict.fromkeys(("left", "l", "lft"), "left") | dict.fromkeys(("right", "r", "rgt", "rt"), "right")
_NOISE = frozenset(
    {"mixamorig", "bip", "biped", "valve", "j", "c", "m", "x", "b", "cc", "base", "def", "org", "joint", "jnt", "bone"}
    | {"stretch"}
)
"""Tokens that every joint of some convention carries, or that only mean "joint"."""

_NUMBERED_PALM = frozenset({"middle0", "index0", "metacarpophalangeal0"})
"""HAnim's joints in the palm, which share the word of the finger and lie above its base."""

_DEFORM_PREFIXES = ("DEF-", "ORG-")
"""Rigify's bones that move the body, the better first; where they exist, all others are controls."""

_COMMON_PREFIX_SHARE = 0.8
_COMMON_PREFIX_NAMES = 4
"""A first token that this share of at least so many names begin with is the character's name, not the joint's."""

_CANDIDATES = 16
"""Joints considered for one role: more than any convention gives; it bounds the work on absurd input."""

_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_UNSIDED_WORDS = frozenset((*_HIPS_WORDS, *_SPINE_WORDS, *_VERTEBRAE, *_NECK_WORDS, *_HEAD_WORDS))
_SIDED_WORDS = frozenset(
    word for words in (*_LIMB_WORDS.values(), _HEEL_WORDS, _HEEL_BONE_WORDS, _THUMB_WORDS) for word in words
)


@dataclass(frozen=True)
class JointName:
    """One name as it was read."""

    side: str | None
    word: str
    """The meaningful tokens run together, in lower case."""
    number: str
    """The digits behind the word, as written."""
    tokens: frozenset[str]

    def rank(self, words: Sequence[str]) -> int | None:
        """The place in `words` of this name with its number, or without it; None where neither stands there."""
        for spelling in (self.word + self.number, self.word):
            if spelling in words:
                return words.index(spelling)
        return None

    def is_one_of(self, words: Sequence[str]) -> bool:
        """Whether the name means one of these words."""
        return self.rank(words) is not None


def read_names(names: Sequence[str]) -> list[JointName]:
    """Every name as side, word and number, without its namespace and without a prefix that the names share."""
    tokens = [_tokens(name) for name in names]
    _drop_common_prefix(tokens)
    return [_read(parts) for parts in tokens]


def _tokens(name: str) -> list[str]:
    own_name = re.split(r"[:|]", name)[-1]
    parts: list[str] = []
    for token in _TOKEN.findall(own_name):
        lowered = token.lower()
        for side in SIDES:
            if lowered != side and lowered.startswith(side):
                parts += [side, lowered[len(side) :]]
                break
            if lowered != side and lowered.endswith(side):
                parts += [lowered[: -len(side)], side]
                break
        else:
            parts.append(lowered)
    return parts


def _drop_common_prefix(tokens: list[list[str]]) -> None:
    if len(tokens) < _COMMON_PREFIX_NAMES:
        return
    while True:
        first, count = Counter(parts[0] for parts in tokens if parts).most_common(1)[0] if any(tokens) else ("", 0)
        meaningful = first in _SIDE_WORDS or first in _SIDED_WORDS or first in _UNSIDED_WORDS
        if meaningful or count == 0 or count < _COMMON_PREFIX_SHARE * len(tokens):
            return
        for parts in tokens:
            if parts and parts[0] == first:
                del parts[0]


def _read(parts: Sequence[str]) -> JointName:
    side: str | None = None
    words: list[str] = []
    number = ""
    for token in parts:
        if token.isdigit():
            number = token if words else ""
        elif token in _SIDE_WORDS:
            side = side or _SIDE_WORDS[token]
        elif token not in _NOISE:
            words.append(token)
    word = "".join(words)
    if side is None and word not in _UNSIDED_WORDS and word not in _SIDED_WORDS and word[1:] in _SIDED_WORDS:
        side = _SIDE_WORDS.get(word[0])
        word = word[1:] if side else word
    return JointName(side, word, number, frozenset(parts))


@dataclass(frozen=True)
class NamedBody:
    """The joints of a character by the meaning of their names."""

    body: frozenset[int] = frozenset()
    """The joints that move the body, as opposed to ends of bones and to the controls of a rig."""
    limbs: dict[str, int] = field(default_factory=dict)
    """Joints by side and role: "left_knee"."""
    loose_feet: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """For sides without an ankle: joints with the name of an ankle or a foot that are no descendants of the leg."""
    hips: tuple[int, ...] = ()
    spine: tuple[int, ...] = ()
    necks: tuple[int, ...] = ()
    head: int | None = None
    heels: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Joints that mark a heel, by side."""
    heel_bones: frozenset[int] = frozenset()
    face: frozenset[int] = frozenset()
    not_fingers: frozenset[int] = frozenset()
    not_toes: frozenset[int] = frozenset()

    @property
    def trunk(self) -> frozenset[int]:
        """Joints with the name of a part of the trunk or the head."""
        return frozenset((*self.hips, *self.spine, *self.necks, *([] if self.head is None else [self.head])))


def end_marks(readings: Sequence[JointName]) -> frozenset[int]:
    """Joints with the name of the end of a bone."""
    return frozenset(joint for joint, name in enumerate(readings) if name.tokens & _END_WORDS)


def name_body(names: Sequence[str], readings: Sequence[JointName], figure: Figure) -> NamedBody:
    """Give every role to the joint whose name and place in the hierarchy fit it best."""
    usable = [joint for joint in _body_joints(names) if joint not in figure.ends]

    def named(words: Sequence[str], side: str | None = None) -> list[int]:
        found = [joint for joint in usable if readings[joint].side == side and readings[joint].is_one_of(words)]
        return sorted(found, key=lambda joint: (readings[joint].rank(words), figure.depths[joint], joint))

    def limb_candidates(side: str, role: str) -> list[int]:
        return [
            joint
            for joint in named(_LIMB_WORDS[role], side)
            if readings[joint].word + readings[joint].number not in _NUMBERED_PALM
            and not readings[joint].is_one_of(_THUMB_WORDS)
        ][:_CANDIDATES]

    limbs: dict[str, int] = {}
    for side in SIDES:
        for roles in (LEG, ARM):
            candidates = [limb_candidates(side, role) for role in roles]
            for role, joint in _assign(roles, candidates, figure).items():
                limbs[f"{side}_{role}"] = joint
    loose_feet = {
        side: tuple(joint for joint in limb_candidates(side, "ankle") if joint not in limbs.values())
        for side in SIDES
        if f"{side}_ankle" not in limbs
    }
    necks = sorted(named(_NECK_WORDS), key=lambda joint: (figure.depths[joint], joint))
    heads = sorted(named(_HEAD_WORDS), key=lambda joint: not any(figure.above(neck, joint) for neck in necks))
    spine = {*named(_SPINE_WORDS), *named(_VERTEBRAE)}
    heels = {side: tuple(named(_HEEL_WORDS, side)) for side in SIDES}
    return NamedBody(
        body=frozenset(usable),
        limbs=limbs,
        loose_feet=loose_feet,
        hips=tuple(sorted(named(_HIPS_WORDS), key=lambda joint: (figure.depths[joint], joint))),
        spine=tuple(sorted(spine, key=lambda joint: (figure.depths[joint], joint))),
        necks=tuple(necks),
        head=heads[0] if heads else None,
        heels=heels,
        heel_bones=frozenset(joint for side in SIDES for joint in named(_HEEL_BONE_WORDS, side)),
        face=frozenset(joint for joint, name in enumerate(readings) if name.tokens & _FACE_WORDS),
        not_fingers=frozenset(joint for joint, name in enumerate(readings) if name.is_one_of(_THUMB_WORDS)),
        not_toes=frozenset(joint for side in SIDES for joint in heels[side]),
    )


def _body_joints(names: Sequence[str]) -> list[int]:
    """All joints or, in a rig whose names distinguish them from its controls, those that deform the body."""
    for prefix in _DEFORM_PREFIXES:
        joints = [joint for joint, name in enumerate(names) if name.startswith(prefix)]
        if joints:
            return joints
    return list(range(len(names)))


def _assign(roles: Sequence[str], candidates: Sequence[Sequence[int]], figure: Figure) -> dict[str, int]:
    """Choose one candidate for each role so that every joint is a descendant of the one before it.

    The chain with the most roles that are not optional is chosen, then the one with the most roles, then the one whose
    candidates come first: they are in order of preference.
    """
    Chain = tuple[tuple[int, int], dict[str, int], int]
    chains: list[Chain] = [((0, 0), {}, -1)]
    for role, joints in zip(roles, candidates, strict=True):
        extended: list[Chain] = []
        for joint in joints:
            fitting = (chain for chain in chains if chain[2] < 0 or figure.above(chain[2], joint))
            score, chosen, _ = max(fitting, key=lambda chain: chain[0])
            extended.append(((score[0] + (role not in _OPTIONAL), score[1] + 1), {**chosen, role: joint}, joint))
        chains += extended
    chosen = max(chains, key=lambda chain: chain[0])[1]
    _add_loose_ends(chosen, roles, candidates, figure)
    return chosen


def _add_loose_ends(
    chosen: dict[str, int], roles: Sequence[str], candidates: Sequence[Sequence[int]], figure: Figure
) -> None:
    """Add a clavicle or a finger outside the chain, unless it is on the wrong side of a joint of the chain."""
    for role, joints in zip(roles, candidates, strict=True):
        if role in chosen or role not in _LOOSE or not chosen:
            continue
        taken = list(chosen.values())
        for joint in joints:
            reversed_order = any(
                figure.above(other, joint) if role == "clavicle" else figure.above(joint, other) for other in taken
            )
            if joint not in taken and not reversed_order:
                chosen[role] = joint
                break
