# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the documentation, their examples, and the files that the examples read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from poise import solver
from poise.solver import synthetic

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(DOCS.rglob("*.md"))
"""All documents that are written by hand, and the page of the benchmarks."""

EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)

NAMES = {
    "HumanoidRoot": "Hips",
    "skullbase": "Head",
    "vl5": "Spine",
    "vt6": "Chest",
    "hip": "UpLeg",
    "knee": "Leg",
    "talocrural": "Foot",
    "metatarsal": "ToeBase",
    "sternoclavicular": "Shoulder",
    "shoulder": "Arm",
    "elbow": "ForeArm",
    "wrist": "Hand",
}
"""Names of captured files for joints of the made-up human, without their sides."""


def name_of(page: Path) -> str:
    """The path of a page from the root of the checkout."""
    return page.relative_to(ROOT).as_posix()


def examples(page: Path) -> list[str]:
    """The Python examples of a page, in their order."""
    return EXAMPLE.findall(page.read_text(encoding="utf-8"))


def needs_blender(page: Path) -> bool:
    """Whether an example of the page uses Blender."""
    return any("bpy" in example for example in examples(page))


def run_examples(page: Path, **given: Any) -> dict[str, Any]:
    """Run the examples of a page one after the other, in the working folder; the names that they define."""
    defined = dict(given)
    for number, example in enumerate(examples(page), start=1):
        exec(compile(example, f"{name_of(page)}, example {number}", "exec"), defined)
        defined[f"after {number}"] = dict(defined)
    return defined


def write_example_files(folder: Path) -> None:
    """The files that examples read: a made-up walk and a run, whose joints have names as captured files have."""
    motions = {"walk.bvh": synthetic.walk(steps=10, fps=60.0, skate=0.01), "run.bvh": synthetic.run(steps=3)}
    for name, motion in motions.items():
        skeleton = motion.clip.skeleton
        renamed = skeleton.replace(names=tuple(captured_name(joint) for joint in skeleton.names))
        solver.write_bvh(solver.Clip(renamed, motion.clip.motion, motion.clip.fps), folder / name)
    shown = folder / "build" / "demo" / "feet.bvh"
    shown.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "walk.bvh", shown)


def captured_name(joint: str) -> str:
    """The name that captured files have for a joint of the made-up human: RightHand for r_wrist."""
    side = {"l_": "Left", "r_": "Right"}.get(joint[:2], "")
    own = joint[2:] if side else joint
    return side + NAMES.get(own, own)
