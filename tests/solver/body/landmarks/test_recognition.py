# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks of characters whose joints are known, in the conventions of many programs and without any names."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.landmarks.foot_shape import HEEL_SETBACK, TOE_LENGTH
from poise.solver.body.landmarks.landmarks import NAMES, Landmarks
from poise.solver.body.landmarks.recognition import recognise
from poise.solver.core import rotations

# A standing person, arms stretched out sideways: y up, facing z, so that x is to the left. Metres.
PLACES = {
    "ground": (0.0, 0.0, 0.0),
    "hips": (0.0, 0.95, 0.0),
    "s1": (0.0, 1.06, 0.0),
    "s2": (0.0, 1.2, 0.0),
    "s3": (0.0, 1.34, 0.0),
    "neck": (0.0, 1.48, 0.0),
    "head": (0.0, 1.58, 0.01),
    "crown": (0.0, 1.76, 0.01),
    "clavicle": (0.03, 1.43, 0.01),
    "shoulder": (0.18, 1.43, -0.01),
    "elbow": (0.46, 1.43, -0.02),
    "wrist": (0.73, 1.43, -0.01),
    "finger": (0.82, 1.42, 0.0),
    "fingertip": (0.92, 1.42, 0.0),
    "thumb": (0.78, 1.42, 0.04),
    "hip": (0.09, 0.91, 0.0),
    "knee": (0.095, 0.49, 0.012),
    "ankle": (0.1, 0.085, -0.02),
    "toe": (0.115, 0.02, 0.11),
    "toe_tip": (0.12, 0.015, 0.18),
    "heel": (0.1, 0.0, -0.07),
}
ENDS = {"head": "crown", "finger": "fingertip", "toe": "toe_tip"}
"""Where the bone of a joint that is the last of its limb ends."""

# One line a joint, indented below its parent. A name with * stands for both sides, with the convention's two words for
# them; "=role" says which landmark it is; "@place" puts it somewhere else than at its role ("@a+b": halfway between).
CONVENTIONS = {
    "CMU": (
        ("Left|L", "Right|R"),
        """
        Hips=hips
          *|HipJoint@hips
            *UpLeg=hip
              *Leg=knee
                *Foot=ankle
                  *ToeBase=toe
          LowerBack=spine@hips
            Spine=spine@s1
              Spine1=spine@s3
                Neck=neck@s3
                  Neck1@neck
                    Head=head
                *Shoulder=clavicle@s3
                  *Arm=shoulder
                    *ForeArm=elbow
                      *Hand=wrist
                        *FingerBase@wrist
                          *HandIndex1=finger
                        *|Thumb@wrist
        """,
    ),
    "MotionBuilder": (
        ("Left", "Right"),
        """
        Character1:Reference@ground
          Character1:Hips=hips
            Character1:*UpLeg=hip
              Character1:*Leg=knee
                Character1:*Foot=ankle
                  Character1:*ToeBase=toe
            Character1:Spine=spine@s1
              Character1:Spine1=spine@s2
                Character1:Spine2=spine@s3
                  Character1:Neck=neck
                    Character1:Head=head
                  Character1:*Shoulder=clavicle
                    Character1:*Arm=shoulder
                      Character1:*ForeArm=elbow
                        Character1:*Hand=wrist
                          Character1:*HandMiddle1=finger
                          Character1:*HandThumb1@thumb
        """,
    ),
    "Mixamo": (
        ("Left", "Right"),
        """
        mixamorig:Hips=hips
          mixamorig:Spine=spine@s1
            mixamorig:Spine1=spine@s2
              mixamorig:Spine2=spine@s3
                mixamorig:Neck=neck
                  mixamorig:Head=head
                    mixamorig:HeadTop_End@crown
                mixamorig:*Shoulder=clavicle
                  mixamorig:*Arm=shoulder
                    mixamorig:*ForeArm=elbow
                      mixamorig:*Hand=wrist
                        mixamorig:*HandThumb1@thumb
                        mixamorig:*HandIndex1@finger
                        mixamorig:*HandMiddle1=finger
          mixamorig:*UpLeg=hip
            mixamorig:*Leg=knee
              mixamorig:*Foot=ankle
                mixamorig:*ToeBase=toe
                  mixamorig:*Toe_End@toe_tip
        """,
    ),
    "Rigify metarig": (
        ("L", "R"),
        """
        spine=hips
          spine.001=spine@s1
            spine.002=spine@s2
              spine.003=spine@s3
                spine.004=neck
                  spine.005@neck+head
                    spine.006=head
                      face@head
                        jaw@head
                        nose@head
                shoulder.*=clavicle
                  upper_arm.*=shoulder
                    forearm.*=elbow
                      hand.*=wrist
                        palm.02.*@wrist
                          f_middle.01.*=finger
                        thumb.01.*@thumb
                breast.*@clavicle
          pelvis.*@hips
          thigh.*=hip
            shin.*=knee
              foot.*=ankle
                toe.*=toe
        """,
    ),
    "Rigify generated": (
        ("L", "R"),
        """
        root@ground
          DEF-spine=hips
            DEF-spine.001=spine@s1
              DEF-spine.002=spine@s2
                DEF-spine.003=spine@s3
                  DEF-spine.004=neck
                    DEF-spine.006=head
        MCH-torso.parent@hips
          torso@hips
            hips@hips
            chest@s3
            MCH-spine@hips
              ORG-spine@hips
                thigh_fk.*@hip
                  shin_fk.*@knee
                    foot_fk.*@ankle
                thigh_ik.*@hip
                foot_ik.*@ankle
                  toe_ik.*@toe
                ORG-thigh.*@hip
                  ORG-shin.*@knee
                    ORG-foot.*@ankle
                DEF-thigh.*=hip
                  DEF-thigh.*.001@hip+knee
                    DEF-shin.*=knee
                      DEF-shin.*.001@knee+ankle
                        DEF-foot.*=ankle
                          DEF-toe.*=toe
            MCH-spine.003@s3
              neck@neck
                head@head
              shoulder.*@clavicle
                ORG-shoulder.*@clavicle
                  DEF-shoulder.*=clavicle
                  upper_arm_ik.*@shoulder
                  DEF-upper_arm.*=shoulder
                    DEF-upper_arm.*.001@shoulder+elbow
                      DEF-forearm.*=elbow
                        DEF-forearm.*.001@elbow+wrist
                          DEF-hand.*=wrist
                            ORG-palm.02.*@wrist
                              DEF-f_middle.01.*=finger
                              DEF-thumb.01.*@thumb
        """,
    ),
    "Unreal": (
        ("l", "r"),
        """
        root@ground
          pelvis=hips
            spine_01=spine@s1
              spine_02=spine@s2
                spine_03=spine@s3
                  clavicle_*=clavicle
                    upperarm_*=shoulder
                      upperarm_twist_01_*@shoulder+elbow
                      lowerarm_*=elbow
                        lowerarm_twist_01_*@elbow+wrist
                        hand_*=wrist
                          thumb_01_*@thumb
                          middle_metacarpal_*@wrist
                            middle_01_*=finger
                  neck_01=neck
                    head=head
            thigh_*=hip
              thigh_twist_01_*@hip+knee
              calf_*=knee
                calf_twist_01_*@knee+ankle
                foot_*=ankle
                  ball_*=toe
          ik_foot_root@ground
            ik_foot_*@ankle
          ik_hand_root@ground
            ik_hand_gun@ground
              ik_hand_*@wrist
        """,
    ),
    "VRoid": (
        ("L", "R"),
        """
        Root@ground
          J_Bip_C_Hips=hips
            J_Bip_C_Spine=spine@s1
              J_Bip_C_Chest=spine@s2
                J_Bip_C_UpperChest=spine@s3
                  J_Bip_C_Neck=neck
                    J_Bip_C_Head=head
                      J_Adj_*_FaceEye@head
                      J_Sec_Hair1_01@crown
                  J_Bip_*_Shoulder=clavicle
                    J_Bip_*_UpperArm=shoulder
                      J_Bip_*_LowerArm=elbow
                        J_Bip_*_Hand=wrist
                          J_Bip_*_Thumb1@thumb
                          J_Bip_*_Index1@finger
                          J_Bip_*_Middle1=finger
            J_Sec_*_SkirtBack0_01@hip
              J_Sec_*_SkirtBack1_01@knee
            J_Bip_*_UpperLeg=hip
              J_Bip_*_LowerLeg=knee
                J_Bip_*_Foot=ankle
                  J_Bip_*_ToeBase=toe
        """,
    ),
    "VRM humanoid": (
        ("left", "right"),
        """
        hips=hips
          spine=spine@s1
            chest=spine@s2
              upperChest=spine@s3
                neck=neck
                  head=head
                    *Eye@head
                *Shoulder=clavicle
                  *UpperArm=shoulder
                    *LowerArm=elbow
                      *Hand=wrist
                        *ThumbMetacarpal@thumb
                        *MiddleProximal=finger
          *UpperLeg=hip
            *LowerLeg=knee
              *Foot=ankle
                *Toes=toe
        """,
    ),
    "HAnim": (
        ("l", "r"),
        """
        HumanoidRoot=hips
          sacroiliac@hips
            *_hip=hip
              *_knee=knee
                *_ankle=ankle
                  *_subtalar@ankle
                    *_midtarsal@ankle+toe
                      *_metatarsal=toe
          vl5=spine@s1
            vl1=spine@s2
              vt1=spine@s3
                vc7=neck
                  vc4@neck+head
                    skullbase=head
                *_sternoclavicular=clavicle
                  *_acromioclavicular@clavicle+shoulder
                    *_shoulder=shoulder
                      *_elbow=elbow
                        *_wrist=wrist
                          *_thumb1@thumb
                          *_middle0@wrist
                            *_middle1=finger
        """,
    ),
    "HAnim, second edition": (
        ("l", "r"),
        """
        humanoid_root=hips
          sacroiliac@hips
            *_hip=hip
              *_knee=knee
                *_talocrural=ankle
                  *_talocalcaneonavicular@ankle
                    *_tarsometatarsal_2@ankle+toe
                      *_metatarsophalangeal_2=toe
          vl5=spine@s1
            vt1=spine@s3
              vc4=neck
                skullbase=head
              *_shoulder=shoulder
                *_elbow=elbow
                  *_radiocarpal=wrist
                    *_metacarpophalangeal_3=finger
        """,
    ),
    "3ds Max Biped": (
        ("L", "R"),
        """
        Bip01@hips
          Bip01 Pelvis=hips
            Bip01 Spine=spine@s1
              Bip01 * Thigh=hip
                Bip01 * Calf=knee
                  Bip01 * Foot=ankle
                    Bip01 * Toe0=toe
                      Bip01 * Toe0Nub@toe_tip
              Bip01 Spine1=spine@s2
                Bip01 Neck=neck
                  Bip01 Head=head
                    Bip01 HeadNub@crown
                  Bip01 * Clavicle=clavicle
                    Bip01 * UpperArm=shoulder
                      Bip01 * Forearm=elbow
                        Bip01 * Hand=wrist
                          Bip01 * Finger0@thumb
                          Bip01 * Finger1@finger
                          Bip01 * Finger2=finger
        """,
    ),
    "SMPL": (
        ("left", "right"),
        """
        pelvis=hips
          *_hip=hip
            *_knee=knee
              *_ankle=ankle
                *_foot=toe
          spine1=spine@s1
            spine2=spine@s2
              spine3=spine@s3
                neck=neck
                  head=head
                *_collar=clavicle
                  *_shoulder=shoulder
                    *_elbow=elbow
                      *_wrist=wrist
                        *_hand=finger
        """,
    ),
    "Acclaim": (
        ("l", "r"),
        """
        root=hips
          *hipjoint@hips
            *femur=hip
              *tibia=knee
                *foot=ankle
                  *toes=toe
          lowerback=spine@s1
            upperback=spine@s2
              thorax=spine@s3
                lowerneck=neck
                  upperneck@neck+head
                    head=head
                *clavicle=clavicle
                  *humerus=shoulder
                    *radius=elbow
                      *wrist=wrist
                        *hand@wrist
                          *fingers=finger
                        *thumb@thumb
        """,
    ),
    "Xsens": (
        ("Left", "Right"),
        """
        Pelvis=hips
          *UpperLeg=hip
            *LowerLeg=knee
              *Foot=ankle
                *Toe=toe
          L5=spine@s1
            L3=spine@s2
              T8=spine@s3
                Neck=neck
                  Head=head
                *Shoulder=clavicle
                  *UpperArm=shoulder
                    *ForeArm=elbow
                      *Hand=wrist
        """,
    ),
    "Character Creator": (
        ("L", "R"),
        """
        CC_Base_BoneRoot@ground
          CC_Base_Hip=hips
            CC_Base_Pelvis@hips
              CC_Base_*_Thigh=hip
                CC_Base_*_ThighTwist01@hip+knee
                CC_Base_*_Calf=knee
                  CC_Base_*_Foot=ankle
                    CC_Base_*_ToeBase=toe
            CC_Base_Waist=spine@s1
              CC_Base_Spine01=spine@s2
                CC_Base_Spine02=spine@s3
                  CC_Base_NeckTwist01=neck
                    CC_Base_Head=head
                  CC_Base_*_Clavicle=clavicle
                    CC_Base_*_Upperarm=shoulder
                      CC_Base_*_Forearm=elbow
                        CC_Base_*_Hand=wrist
                          CC_Base_*_Mid1=finger
                          CC_Base_*_Thumb1@thumb
        """,
    ),
    "Daz": (
        ("l", "r"),
        """
        hip=hips
          pelvis@hips
            *ThighBend=hip
              *ThighTwist@hip+knee
                *Shin=knee
                  *Foot=ankle
                    *Metatarsals@ankle+toe
                      *Toe=toe
          abdomenLower=spine@s1
            chestLower=spine@s2
              chestUpper=spine@s3
                neckLower=neck
                  neckUpper@neck+head
                    head=head
                *Collar=clavicle
                  *ShldrBend=shoulder
                    *ShldrTwist@shoulder+elbow
                      *ForearmBend=elbow
                        *Hand=wrist
        """,
    ),
    "Second Life": (
        ("Left", "Right"),
        """
        mPelvis=hips
          mTorso=spine@s1
            mChest=spine@s3
              mNeck=neck
                mHead=head
              mCollar*=clavicle
                mShoulder*=shoulder
                  mElbow*=elbow
                    mWrist*=wrist
          mHip*=hip
            mKnee*=knee
              mAnkle*=ankle
                mFoot*@ankle+toe
                  mToe*=toe
        """,
    ),
    "English": (
        ("left", "right"),
        """
        hips=hips
          spine=spine@s1
            chest=spine@s3
              neck=neck
                head=head
              * shoulder=clavicle
                * arm=shoulder
                  * elbow=elbow
                    * wrist=wrist
          * leg=hip
            * knee=knee
              * ankle=ankle
                * toe=toe
        """,
    ),
    "old BVH": (
        ("Left", "Right"),
        """
        Hips=hips
          *Hip=hip
            *Knee=knee
              *Ankle=ankle
                *Toe=toe
          Chest=spine@s2
            *Collar=clavicle
              *Shoulder=shoulder
                *Elbow=elbow
                  *Wrist=wrist
            Neck=neck
              Head=head
        """,
    ),
}


@dataclass(frozen=True)
class Character:
    """A character as `recognise` takes it, and what its joints are."""

    names: tuple[str, ...]
    parents: np.ndarray
    positions: np.ndarray
    rotations: np.ndarray
    tips: tuple[BodyPoint, ...]
    truth: dict[str, int | tuple[int, ...]]
    up: str = "y"

    def recognise(self) -> Landmarks:
        return recognise(self.names, self.parents, self.positions, self.rotations, self.tips, self.up)

    def world(self, point: BodyPoint) -> np.ndarray:
        return self.positions[point.joint] + rotations.rotate(self.rotations[point.joint], point.offset)

    def nameless(self) -> Character:
        return replace(self, names=tuple(f"j{index}" for index in range(len(self.names))))

    def transformed(self, rotation=(1, 0, 0, 0), scale: float = 1.0, move=(0, 0, 0), up: str = "y") -> Character:
        return replace(
            self,
            positions=rotations.rotate(rotation, self.positions) * scale + move,
            rotations=rotations.multiply(rotation, self.rotations),
            tips=tuple(BodyPoint(tip.joint, scale * tip.local) for tip in self.tips),
            up=up,
        )

    def mirrored(self) -> Character:
        """The mirror image in the plane x = 0: what was left is right."""
        sign = np.array([-1.0, 1.0, 1.0])
        # Reflecting both sides of a rotation turns its axis: (w, x, y, z) becomes (w, x, -y, -z).
        flipped = self.rotations * [1.0, 1.0, -1.0, -1.0]
        other = {"left": "right", "right": "left"}
        truth = {}
        for name, joint in self.truth.items():
            side, _, role = name.partition("_")
            truth[f"{other[side]}_{role}" if side in other else name] = joint
        return replace(
            self,
            positions=self.positions * sign,
            rotations=flipped,
            tips=tuple(BodyPoint(tip.joint, tip.local * sign) for tip in self.tips),
            truth=truth,
        )

    def reordered(self, rng: np.random.Generator) -> Character:
        """The same joints in another order, parents still first."""
        waiting = [joint for joint, parent in enumerate(self.parents) if parent < 0]
        order: list[int] = []
        while waiting:
            joint = waiting.pop(rng.integers(len(waiting)))
            order.append(joint)
            waiting += [child for child, parent in enumerate(self.parents) if parent == joint]
        new = {old: index for index, old in enumerate(order)}
        return replace(
            self,
            names=tuple(self.names[old] for old in order),
            parents=np.array([new.get(int(self.parents[old]), -1) for old in order]),
            positions=self.positions[order],
            rotations=self.rotations[order],
            tips=tuple(BodyPoint(new[tip.joint], tip.offset) for tip in self.tips),
            truth={
                name: tuple(new[one] for one in joint) if isinstance(joint, tuple) else new[joint]
                for name, joint in self.truth.items()
            },
        )


def place(where: str, side: str | None) -> np.ndarray:
    middle = np.mean([PLACES[one] for one in where.split("+")], axis=0)
    return middle * ([-1.0, 1.0, 1.0] if side == "right" else [1.0, 1.0, 1.0])


def build(side_words: tuple[str, str], tree: str, tips: bool = True) -> Character:
    """The person of `PLACES` with the joints of a tree; every joint's frame is turned at random."""
    lines = [line for line in tree.splitlines() if line.strip()]
    margin = len(lines[0]) - len(lines[0].lstrip())
    names: list[str] = []
    parents: list[int] = []
    positions: list[np.ndarray] = []
    ends: list[tuple[int, np.ndarray]] = []
    truth: dict[str, int | tuple[int, ...]] = {}

    def add(index: int, parent: int, side: str | None) -> None:
        depth = len(lines[index]) - len(lines[index].lstrip())
        text, _, where = lines[index].strip().partition("@")
        text, _, role = text.partition("=")
        if "*" in text and side is None:
            for each in ("left", "right"):
                add(index, parent, each)
            return
        joint = len(names)
        word = "" if side is None else side_words[side == "right"]
        if "|" in word:  # a convention with a long and a short word for a side: the short one is asked for by "*|"
            word = word.split("|")["*|" in text]
        names.append(text.replace("*|", "*").replace("*", word))
        parents.append(parent)
        positions.append(place(where or role, side))
        if role == "spine":
            truth["spine"] = (*truth.get("spine", ()), joint)
        elif role:
            truth[f"{side}_{role}" if side else role] = joint
        if role in ENDS:
            ends.append((joint, place(ENDS[role], side)))
        below = [one for one in range(index + 1, len(lines)) if lines[one].strip()]
        children = []
        for one in below:
            indent = len(lines[one]) - len(lines[one].lstrip())
            if indent <= depth:
                break
            if indent == depth + 2:
                children.append(one)
        for child in children:
            add(child, joint, side)

    for index, line in enumerate(lines):
        if len(line) - len(line.lstrip()) == margin:
            add(index, -1, None)
    frames = rotations.normalize(np.random.default_rng(len(names)).normal(size=(len(names), 4)))
    with_end_joint = {parents[joint] for joint, name in enumerate(names) if "End" in name or "Nub" in name}
    points = [
        BodyPoint(joint, rotations.rotate(rotations.conjugate(frames[joint]), end - positions[joint]))
        for joint, end in ends
        if tips and joint not in with_end_joint
    ]
    return Character(tuple(names), np.array(parents), np.array(positions), frames, tuple(points), truth)


CHARACTERS = {convention: build(*definition) for convention, definition in CONVENTIONS.items()}
PERSON = CHARACTERS["MotionBuilder"]
SIDES = ("left", "right")


def check(character: Character, found: Landmarks) -> None:
    """Every joint of the truth was found, and nothing else was taken for a joint."""
    for name in NAMES:
        mark = getattr(found, name)
        if mark is None or isinstance(mark, BodyPoint):
            assert name not in character.truth, f"{name} was not found"
        else:
            expected = character.truth.get(name, ())

            def said(marks: int | tuple[int, ...]) -> list[str]:
                return [character.names[one] for one in ((marks,) if isinstance(marks, int) else marks)]

            assert mark == expected, f"{name} is {said(mark)}, not {said(expected)}"


# By name -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_conventions(convention: str) -> None:
    check(CHARACTERS[convention], CHARACTERS[convention].recognise())


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_names_suffice_where_the_pose_says_nothing(convention: str) -> None:
    """All joints along one line, as in captures whose rest pose was never meant to be seen."""
    character = CHARACTERS[convention]
    depths = np.zeros(len(character.names))
    for joint, parent in enumerate(character.parents):
        depths[joint] = depths[parent] + 1.0 if parent >= 0 else 0.0
    lying = replace(character, positions=depths[:, None] * [1.0, 0.0, 0.0])
    found = lying.recognise()
    roles = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
    for name in (f"{side}_{role}" for side in SIDES for role in roles):
        assert getattr(found, name) == character.truth[name], name


@pytest.mark.parametrize(
    "spelling",
    ["{}.L", "{}_l", "{}-L", "{} Left", "Left{}", "left_{}", "L_{}", "l{}", "Hero:Left{}", "Hero_Left{}", "rig|{}.l"],
)
def test_spellings_of_sides(spelling: str) -> None:
    other = (
        spelling.replace("Left", "Right").replace("left", "right").replace("l{", "r{").replace("rig|{}.l", "rig|{}.r")
    )
    other = other.replace(".L", ".R").replace("_l", "_r").replace("-L", "-R").replace("L_", "R_")
    assert other != spelling
    words = {"UpLeg", "Leg", "Foot", "ToeBase", "Shoulder", "Arm", "ForeArm", "Hand", "HandMiddle1", "HandThumb1"}
    names = []
    for name in PERSON.names:
        bare = name.removeprefix("Character1:")
        for side, form in (("Left", spelling), ("Right", other)):
            if bare.removeprefix(side) in words:
                bare = form.format(bare.removeprefix(side))
        names.append(bare)
    character = replace(PERSON, names=tuple(names))
    check(character, character.recognise())


@pytest.mark.parametrize("change", [str.lower, str.upper, lambda name: name.replace("mixamorig:", "mixamorig1:")])
def test_case_and_namespace_do_not_matter(change) -> None:
    character = CHARACTERS["Mixamo"]
    character = replace(character, names=tuple(change(name) for name in character.names))
    check(character, character.recognise())


def test_namespace_without_a_colon() -> None:
    character = CHARACTERS["Mixamo"]
    character = replace(character, names=tuple(name.replace(":", "") for name in character.names))
    check(character, character.recognise())


def test_a_name_is_believed_only_where_the_hierarchy_agrees() -> None:
    """A knee that does not hang on the hip is none: the joint between hip and ankle is."""
    character = CHARACTERS["English"]
    names = list(character.names)
    knee = character.truth["left_knee"]
    names[knee], names[character.truth["head"]] = "left something", "left knee"
    found = replace(character, names=tuple(names)).recognise()
    assert found.left_knee == knee


def test_a_rig_whose_limbs_hang_on_controls_has_its_trunk_by_name() -> None:
    """As Rigify makes them, but all on one root: the torso control, where legs and arms part, is not the hips."""
    character = CHARACTERS["Rigify generated"]
    parents = character.parents.copy()
    parents[character.names.index("MCH-torso.parent")] = 0
    character = replace(character, parents=parents)
    check(character, character.recognise())


def test_a_heel_is_no_toe_and_a_thumb_no_finger() -> None:
    tree = (
        CONVENTIONS["old BVH"][1]
        .replace("*Toe=toe", "*Heel@heel")
        .replace("*Wrist=wrist", "*Wrist=wrist\n      *Thumb@thumb")
    )
    lines = [line for line in tree.splitlines() if line.strip()]
    wrist = next(index for index, line in enumerate(lines) if "*Wrist" in line)
    lines[wrist + 1] = lines[wrist].replace("*Wrist=wrist", "  *Thumb@thumb")
    character = build(("Left", "Right"), "\n".join(lines))
    found = character.recognise()
    assert found.left_toe is None and found.left_finger is None
    np.testing.assert_allclose(character.world(found.left_heel), place("heel", "left"), atol=1e-12)


def test_a_spine_joint_between_the_arms_is_no_clavicle() -> None:
    """One arm hangs a spine joint lower than the other, and the clavicles have no names."""
    names, parents = list(PERSON.names), PERSON.parents.copy()
    for side in SIDES:
        names[PERSON.truth[f"{side}_clavicle"]] = f"Character1:{side}Something"
    parents[PERSON.truth["right_clavicle"]] = PERSON.truth["spine"][-2]
    character = replace(PERSON, names=tuple(names), parents=parents)
    check(character, character.recognise())


def test_the_head_is_the_one_on_the_neck() -> None:
    character = with_joint(PERSON, "Character1:head", "Character1:Hips", (0.2, 1.0, 0.0))
    assert character.recognise().head == PERSON.truth["head"]


# By shape ------------------------------------------------------------------------------------------------------------

UNTELLABLE = ("Rigify metarig", "Rigify generated", "Unreal", "Mixamo", "3ds Max Biped")
"""Characters with more than a body: with controls, with bones of a face, with joints where only a bone ends."""
TELLABLE = [name for name in CONVENTIONS if name not in UNTELLABLE]


def check_shape(character: Character, found: Landmarks) -> None:
    """Everything that a shape can tell, of joints in one place any, and no side mistaken."""
    for name, expected in character.truth.items():
        if name in ("spine", "neck"):
            continue
        mark = getattr(found, name)
        assert mark is not None, f"{name} was not found"
        distance = np.linalg.norm(character.positions[mark] - character.positions[expected])
        size = np.ptp(character.positions[:, 1 if character.up == "y" else 2])
        if name.endswith("clavicle"):
            assert mark == expected
        assert distance <= 1e-9 * size, f"{name} is {character.names[mark]}, not {character.names[expected]}"


@pytest.mark.parametrize("convention", TELLABLE)
def test_shape_alone_tells_the_joints(convention: str) -> None:
    character = CHARACTERS[convention].nameless()
    check_shape(replace(character, names=CHARACTERS[convention].names), character.recognise())


@pytest.mark.parametrize("seed", range(8))
def test_shape_does_not_depend_on_order_place_heading_scale_or_axis(seed: int) -> None:
    rng = np.random.default_rng(seed)
    character = PERSON.nameless()
    heading = rotations.exp([0.0, rng.uniform(-np.pi, np.pi), 0.0])
    moved = character.transformed(heading, scale=10.0 ** rng.uniform(-3, 3), move=rng.normal(size=3) * 10.0)
    if seed % 2:
        moved = moved.transformed(rotations.exp([np.pi / 2.0, 0.0, 0.0]), up="z")
    moved = moved.reordered(rng)
    check(moved, moved.recognise())


def test_the_mirror_image_has_its_sides_exchanged() -> None:
    character = PERSON.nameless().mirrored()
    check(character, character.recognise())
    named = PERSON.mirrored()
    assert named.recognise().left_ankle == PERSON.truth["left_ankle"], "names say which side is meant"


@pytest.mark.parametrize("convention", ["MotionBuilder", "HAnim", "VRoid"])
def test_points_move_along_with_the_character(convention: str) -> None:
    """The same body elsewhere, turned and larger: every landmark is the same, every point moved along."""
    character = CHARACTERS[convention]
    heading = rotations.exp([0.0, 2.0, 0.0])
    moved = character.transformed(heading, scale=100.0, move=(3e4, -2e3, 1e5))
    before, after = character.recognise(), moved.recognise()
    for name in NAMES:
        mark, other = getattr(before, name), getattr(after, name)
        if isinstance(mark, BodyPoint):
            assert mark.joint == other.joint
            np.testing.assert_allclose(other.local, 100.0 * mark.local, atol=1e-8, err_msg=name)
        else:
            assert mark == other, name


def test_a_limb_without_names_is_filled_in_by_shape() -> None:
    for side in ("Left", "Right"):
        names = tuple(
            f"j{joint}" if name.removeprefix("Character1:").startswith(side) else name
            for joint, name in enumerate(PERSON.names)
        )
        check(PERSON, replace(PERSON, names=names).recognise())


@pytest.mark.parametrize("role", ["knee", "ankle", "toe", "elbow", "wrist", "finger", "clavicle"])
def test_a_joint_without_a_name_is_filled_in(role: str) -> None:
    names = list(PERSON.names)
    names[PERSON.truth[f"left_{role}"]] = "unknown"
    check(PERSON, replace(PERSON, names=tuple(names)).recognise())


def test_sides_of_shape_follow_the_sides_of_names() -> None:
    """One named leg settles which side is which, also where the character was mirrored without renaming."""
    mirrored = PERSON.mirrored()
    legs = ("UpLeg", "Leg", "Foot", "ToeBase")
    names = tuple(
        name if any(name.endswith(f"Left{part}") for part in legs) else f"j{joint}"
        for joint, name in enumerate(mirrored.names)
    )
    found = replace(mirrored, names=names).recognise()
    assert found.left_ankle == PERSON.truth["left_ankle"]
    assert found.right_ankle == PERSON.truth["right_ankle"]
    assert found.left_wrist == PERSON.truth["left_wrist"]


def joints_of(tree: dict[str, tuple[str | None, tuple[float, float, float]]]) -> Character:
    """A nameless character given by joints with parents and places."""
    index = {name: number for number, name in enumerate(tree)}
    parents = np.array([-1 if parent is None else index[parent] for parent, _ in tree.values()])
    positions = np.array([position for _, position in tree.values()], dtype=float)
    unturned = np.tile(rotations.IDENTITY, (len(tree), 1))
    return Character(tuple(f"j{number}" for number in range(len(tree))), parents, positions, unturned, (), {})


def quadruped() -> Character:
    tree: dict[str, tuple[str | None, tuple[float, float, float]]] = {"pelvis": (None, (0.0, 1.0, 0.0))}
    for number in range(1, 5):
        tree[f"spine{number}"] = ("pelvis" if number == 1 else f"spine{number - 1}", (0.0, 1.0, 0.3 * number))
    for number in range(1, 4):
        tree[f"neck{number}"] = ("spine4" if number == 1 else f"neck{number - 1}", (0.0, 1.0 + 0.2 * number, 1.2))
    for side in (-1.0, 1.0):
        for end, root, z in (("hind", "pelvis", 0.0), ("front", "spine4", 1.2)):
            for number, height in enumerate((0.9, 0.5, 0.1, 0.02)):
                parent = root if number == 0 else f"{end}{side}{number - 1}"
                tree[f"{end}{side}{number}"] = (parent, (0.15 * side, height, z + (0.1 if number == 3 else 0.0)))
    return joints_of(tree)


def chain(count: int, direction: tuple[float, float, float]) -> Character:
    step = np.array(direction)
    return joints_of({f"{n}": (f"{n - 1}" if n else None, tuple(n * step)) for n in range(count)})


def spider() -> Character:
    tree: dict[str, tuple[str | None, tuple[float, float, float]]] = {
        "body": (None, (0, 1, 0)),
        "head": ("body", (0, 1.6, 0)),
    }
    for leg in range(8):
        for number, (out, height) in enumerate(((0.2, 1.0), (0.5, 0.6), (0.7, 0.0))):
            angle = np.pi / 4 * leg + 0.3
            parent = "body" if number == 0 else f"{leg}.{number - 1}"
            tree[f"{leg}.{number}"] = (parent, (out * np.cos(angle), height, out * np.sin(angle)))
    return joints_of(tree)


STRANGERS = {
    "quadruped": quadruped(),
    "upright chain": chain(9, (0.0, 0.3, 0.0)),
    "hanging chain": chain(9, (0.0, -0.3, 0.0)),
    "lying chain": chain(9, (0.3, 0.0, 0.0)),
    "spider": spider(),
    "one joint": chain(1, (0.0, 0.0, 0.0)),
    "joints in one place": chain(20, (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_what_is_no_person_is_not_taken_for_one(stranger: str) -> None:
    assert len(STRANGERS[stranger].recognise().missing) == len(NAMES)


def test_a_person_who_cannot_be_told_from_front_to_back_has_no_sides() -> None:
    """Straight legs that end at the ankle: nothing says where forward is."""
    straight = {"hip": (0.09, 0.91, 0.0), "knee": (0.09, 0.5, 0.0), "ankle": (0.09, 0.0, 0.0)}
    person = PERSON.nameless()
    positions = person.positions.copy()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for role, where in straight.items():
            positions[person.truth[f"{side}_{role}"]] = np.multiply(where, (sign, 1.0, 1.0))
        positions[person.truth[f"{side}_toe"]] = np.multiply(straight["ankle"], (sign, 1.0, 1.0))
    tips = tuple(tip for tip in person.tips if tip.joint not in (person.truth["left_toe"], person.truth["right_toe"]))
    found = replace(person, positions=positions, tips=tips).recognise()
    assert found.left_ankle is None and found.right_wrist is None


# Points --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_heels_and_tips(convention: str) -> None:
    """The heel is behind the ankle on the lowest level of the foot; tips are the ends of the bones."""
    character = CHARACTERS[convention]
    found = character.recognise()
    for side in SIDES:
        ankle, toe, tip = (place(where, side) for where in ("ankle", "toe", "toe_tip"))
        heel = ankle - HEEL_SETBACK * (toe - ankle)
        heel[1] = tip[1]
        np.testing.assert_allclose(character.world(getattr(found, f"{side}_heel")), heel, atol=1e-12)
        np.testing.assert_allclose(character.world(getattr(found, f"{side}_toe_tip")), tip, atol=1e-12)
        if f"{side}_finger" in character.truth:
            fingertip = character.world(getattr(found, f"{side}_fingertip"))
            np.testing.assert_allclose(fingertip, place("fingertip", side), atol=1e-12)
    np.testing.assert_allclose(character.world(found.head_top), place("crown", None), atol=1e-12)


@pytest.mark.parametrize("convention", ["HAnim", "HAnim, second edition"])
def test_the_heel_moves_with_the_heel_bone(convention: str) -> None:
    character = CHARACTERS[convention]
    found = character.recognise()
    for side in SIDES:
        (below_ankle,) = np.flatnonzero(character.parents == character.truth[f"{side}_ankle"])
        assert getattr(found, f"{side}_heel").joint == below_ankle


def with_joint(character: Character, name: str, parent: str, at, tip=None) -> Character:
    joint = len(character.names)
    frame = rotations.exp([0.3, -0.2, 0.9])
    tips = character.tips
    if tip is not None:
        tips = (*tips, BodyPoint(joint, rotations.rotate(rotations.conjugate(frame), np.subtract(tip, at))))
    return replace(
        character,
        names=(*character.names, name),
        parents=np.append(character.parents, character.names.index(parent)),
        positions=np.vstack([character.positions, at]),
        rotations=np.vstack([character.rotations, frame]),
        tips=tips,
    )


def test_a_bone_named_heel_says_where_the_heel_is() -> None:
    metarig = CHARACTERS["Rigify metarig"]
    across = with_joint(metarig, "heel.02.L", "foot.L", (0.06, 0.0, -0.07), tip=(0.14, 0.0, -0.07))
    downward = with_joint(metarig, "heel.L", "foot.L", (0.1, 0.085, -0.02), tip=(0.1, 0.0, -0.07))
    for character in (across, downward):
        heel = character.recognise().left_heel
        assert character.names[heel.joint] == "foot.L"
        np.testing.assert_allclose(character.world(heel), PLACES["heel"], atol=1e-12)
    bare = with_joint(PERSON, "LeftHeel", "Character1:LeftFoot", PLACES["heel"])
    np.testing.assert_allclose(bare.world(bare.recognise().left_heel), PLACES["heel"], atol=1e-12)


def test_tips_are_estimated_where_there_are_none() -> None:
    character = build(*CONVENTIONS["old BVH"], tips=False)
    found = character.recognise()
    ankle, toe = place("ankle", "left"), place("toe", "left")
    expected = ankle + (1.0 + TOE_LENGTH) * (toe - ankle)
    expected[1] = toe[1]
    np.testing.assert_allclose(character.world(found.left_toe_tip), expected, atol=1e-12)
    wrist, elbow = place("wrist", "left"), place("elbow", "left")
    fingertip = character.world(found.left_fingertip)
    assert 0.15 <= np.linalg.norm(fingertip - wrist) <= 0.22, "a hand of 19 cm on a person of 1.76 m"
    np.testing.assert_allclose(np.cross(fingertip - wrist, wrist - elbow), 0.0, atol=1e-12)
    assert character.world(found.head_top)[1] == pytest.approx(1.76, abs=0.04)


def tilted_legs(square_feet: bool) -> Character:
    """The person with its legs spread by 20 degrees; the feet tilt along, or stay flat on the floor."""
    spread = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn = rotations.exp([0.0, 0.0, sign * np.radians(20.0)])
        hip = np.multiply((0.09, 0.9, 0.0), (sign, 1.0, 1.0))
        knee, ankle = hip + rotations.rotate(turn, [0, -0.42, 0]), hip + rotations.rotate(turn, [0, -0.82, 0])
        foot, tip = np.array([0.0, -0.06, 0.13]), np.array([0.0, 0.0, 0.07])
        spread[side] = (hip, knee, ankle, ankle + (rotations.rotate(turn, foot) if square_feet else foot), tip)
    character = replace(PERSON, rotations=np.tile(rotations.IDENTITY, (len(PERSON.names), 1)))
    positions, tips = character.positions.copy(), []
    for side, (hip, knee, ankle, toe, tip) in spread.items():
        for role, where in (("hip", hip), ("knee", knee), ("ankle", ankle), ("toe", toe)):
            positions[PERSON.truth[f"{side}_{role}"]] = where
        tips.append(BodyPoint(PERSON.truth[f"{side}_toe"], tip))
    return replace(character, positions=positions, tips=tuple(tips))


def test_the_sole_of_a_foot_that_tilts_with_its_leg_is_square_to_the_shin() -> None:
    character = tilted_legs(square_feet=True)
    heel = character.recognise().left_heel.local
    upright = rotations.rotate(rotations.exp([0.0, 0.0, -np.radians(20.0)]), heel)
    np.testing.assert_allclose(upright, [0.0, -0.06, -0.13 * HEEL_SETBACK], atol=1e-12)


def test_the_sole_of_a_flat_foot_is_on_the_floor_however_the_leg_is_spread() -> None:
    heel = tilted_legs(square_feet=False).recognise().left_heel.local
    np.testing.assert_allclose(heel, [0.0, -0.06, -0.13 * HEEL_SETBACK], atol=1e-12)


def test_a_rest_pose_that_does_not_stand_still_shows_a_bent_foot() -> None:
    """The same person lying on the back: the foot is square enough to its shin to find the heel."""
    standing = tilted_legs(square_feet=True)
    lying = standing.transformed(rotations.exp([np.pi / 2.0, 0.0, 0.0]))
    np.testing.assert_allclose(lying.recognise().left_heel.local, standing.recognise().left_heel.local, atol=1e-12)


def test_a_foot_that_only_prolongs_its_shin_hides_the_heel() -> None:
    character = CHARACTERS["MotionBuilder"]
    lying = replace(character, positions=character.positions[:, [1, 0, 2]].copy(), tips=())
    for side in SIDES:
        knee, ankle = (lying.positions[character.truth[f"{side}_{role}"]] for role in ("knee", "ankle"))
        lying.positions[character.truth[f"{side}_toe"]] = ankle + 0.3 * (ankle - knee)
    found = lying.recognise()
    assert found.left_toe == character.truth["left_toe"]
    assert found.left_heel is None and "left heel" in found.missing


def test_feet_without_length_and_bodies_without_extent_give_finite_points() -> None:
    character = CHARACTERS["CMU"]
    footless = character.positions.copy()
    for side in SIDES:
        footless[character.truth[f"{side}_toe"]] = footless[character.truth[f"{side}_ankle"]]
    for positions in (footless, np.zeros_like(footless)):
        flat = replace(character, positions=positions, tips=tuple(BodyPoint(tip.joint) for tip in character.tips))
        found = flat.recognise()
        assert not [name for name in found.missing if name != "head top" and "fingertip" not in name]
        for side in SIDES:
            np.testing.assert_allclose(getattr(found, f"{side}_heel").offset, 0.0, atol=1e-12)


# Any input -----------------------------------------------------------------------------------------------------------

WORDS = (
    *("Hips", "pelvis", "Spine", "spine.001", "Neck", "head", "UpLeg", "Leg", "thigh", "Foot", "toe", "ankle", "heel"),
    *(
        "Shoulder",
        "arm",
        "ForeArm",
        "hand",
        "finger0",
        "Middle1",
        "thumb",
        "End",
        "IK",
        "twist",
        "DEF-",
        "ORG-",
        "l",
        "r",
    ),
    *("Left", "Right", ".L", "_r", "7", "", "é", "骨", ":", "|", " ", "subtalar", "face"),
)


@pytest.mark.parametrize("seed", range(300))
def test_any_hierarchy_is_answered(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    parents = np.array(
        [
            rng.integers(-1 if rng.random() < 0.1 else max(0, joint - 4), joint) if joint else -1
            for joint in range(count)
        ]
    )
    names = [
        f"{''.join(rng.choice(WORDS, size=rng.integers(0, 4)))}{joint if rng.random() < 0.5 else ''}"
        for joint in range(count)
    ]
    positions = rng.normal(size=(count, 3)) * (rng.random((count, 1)) < 0.8) * 10.0 ** rng.uniform(-6, 6)
    frames = rotations.normalize(rng.normal(size=(count, 4)))
    tips = [BodyPoint(int(joint), rng.normal(size=3)) for joint in rng.integers(count, size=rng.integers(0, 6))]
    found = recognise(names, parents, positions, frames, tips, str(rng.choice(["y", "z"])))

    above = np.eye(count, dtype=bool)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            above[joint] |= above[parent]
    marks = [mark for name in NAMES if isinstance(mark := getattr(found, name), int)]
    assert len(set(marks)) == len(marks), "no joint is two things"
    limbs = {joint for side in SIDES for joint in (*found.leg(side), *found.arm(side))}
    central = {joint for joint, name in enumerate(names) if name in ("Hips", "pelvis", "Spine", "Neck", "head")}
    assert "-" in "".join(names) or not limbs & central, "what belongs to no limb is not taken for one"
    assert not set(marks) & set(found.spine)
    for side in SIDES:
        for limb in (found.leg(side), found.arm(side)[1:]):
            joints = [joint for joint in limb if joint is not None]
            for upper, lower in itertools.pairwise(joints):
                assert above[lower, upper], "a limb hangs together"
    for name in NAMES:
        mark = getattr(found, name)
        if isinstance(mark, BodyPoint):
            assert 0 <= mark.joint < count and np.isfinite(mark.offset).all()
    assert set(found.missing) == {n.replace("_", " ") for n in NAMES if getattr(found, n) in (None, ())}


def test_a_very_deep_and_a_very_wide_hierarchy_take_no_time() -> None:
    deep = chain(5000, (0.0, 0.01, 0.001))
    wide = replace(deep, parents=np.array([-1] + [0] * 4999))
    for character in (deep, wide):
        for names in (character.names, tuple(f"LeftLeg{number}" for number in range(5000))):
            started = time.process_time()
            found = replace(character, names=names).recognise()
            # A tenth of a second; what grows with the square of the joints takes minutes.
            assert time.process_time() - started < 2.0
            known = {name for name in NAMES if getattr(found, name) not in (None, ())}
            assert known <= {"left_hip", "left_knee"}, "only names make a leg of it"


# Captured people -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["02_01", "49_06", "135_04"])
def test_captured_people(mocap: Path, name: str) -> None:
    from poise.solver.files.bvh import read_bvh

    skeleton = read_bvh(mocap / f"{name}.bvh").skeleton
    found = skeleton.landmarks
    assert not found.missing
    assert [skeleton.names[joint] for joint in found.leg("left")] == ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"]
    assert [skeleton.names[joint] for joint in found.arm("right")] == [
        "RightShoulder",
        "RightArm",
        "RightForeArm",
        "RightHand",
    ]
    assert [skeleton.names[joint] for joint in found.spine] == ["LowerBack", "Spine", "Spine1"]
    rest_rotations, rest_positions = skeleton.rest
    nameless = [f"j{joint}" for joint in range(len(skeleton))]
    by_shape = recognise(nameless, skeleton.parents, rest_positions, rest_rotations, skeleton.tips, skeleton.up)
    assert by_shape == found


def test_a_captured_heel_stands_as_low_as_the_ball_of_the_foot(mocap: Path) -> None:
    """In a walk, heel and toe joint rest at one height while the foot is flat and still: to 1 % of the leg."""
    from poise.solver.files.bvh import read_bvh

    clip = read_bvh(mocap / "02_01.bvh")
    found = clip.skeleton.landmarks
    for side in SIDES:
        heel = clip.position(getattr(found, f"{side}_heel"))[1:]
        toe = clip.position(getattr(found, f"{side}_toe"))[1:]
        speeds = [np.linalg.norm(np.gradient(points, axis=0), axis=1) for points in (heel, toe)]
        still = np.max(speeds, axis=0) < 0.002 * clip.skeleton.size
        assert still.sum() > 20, "the walk has frames with a foot flat on the floor"
        assert abs(np.median(heel[still, 1] - toe[still, 1])) < 0.01 * clip.skeleton.size
