# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of `poise batch`."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from .. import solver
from .memory import usable_processes

MotionFormat = Literal["bvh", "blend", "fbx", "glb", "gltf"]
FORMATS: tuple[MotionFormat, ...] = get_args(MotionFormat)
"""Motion formats; each is also its file name extension."""

Target = Literal["action", "replace", "combine"]

GIGABYTE = 1 << 30
_UNITS = {"": GIGABYTE, "g": GIGABYTE, "m": 1 << 20}

DESCRIPTION = """\
Find footplants, clean feet and apply constraints to many motions at once, without a window.

examples:
  # find the footplants of a clip, and write them to walk.constraints.json
  poise batch walk.bvh -o found --detect

  # make all feet of a folder stand still; nothing but NumPy is needed from BVH to BVH
  poise batch captures -o clean --clean stretch

  # the same again, after a power failure or with more clips in the folder: only what is missing is done
  poise batch captures -o clean --clean stretch

  # the same on a Dask cluster whose machines share the folders
  poise batch captures -o clean --clean stretch --scheduler tcp://192.168.0.10:8786

  # apply constraints, edited by hand, to the clips they belong to
  poise batch captures -o edited --constraints found

  # let runs take place on the moon: moon.json holds {"gravity": 0.165, "flight": 3.0}
  poise batch runs -o moon --physics moon.json

  # clean feet in Blender, on the file that it opens
  blender -b scene.blend --python scripts/batch.py -- -o clean.blend --clean rigid
"""

EPILOG = """\
Beside each motion stands a report, NAME.report.json: what was done, faults of the capture, the footplants, how feet
stood before and after, which joint jumps most, how near each constraint came, what would help, how long it took. The
folder OUT gets report.html and report.json about the whole run, the worst clips first. No input is ever overwritten,
and no file is ever half-written.

A run that was stopped, killed or had failures is continued by the same command: clips that succeeded with the same
options, input and version of Poise are not done again. Several runs may work on one folder at once.

The exit code is 0 if every clip succeeded, 1 if one failed (the others are done all the same), 2 if the command line is
wrong or something is not installed, 3 if the cluster cannot be used, 130 after Ctrl-C.

.blend, .fbx, .glb and .gltf files need Blender: run scripts/batch.py in it (blender -b --python …), or this command
with a Python that has the bpy module. Each action of a file that animates an armature is a clip of its own.
"""


@dataclass(frozen=True)
class BatchOptions:
    """The options of a run. Plain values only, because they are sent to worker processes as JSON."""

    inputs: tuple[str, ...] = ()
    """Files and folders; none means the file that is open in Blender."""
    output: str = ""
    """A folder, or with one input a file."""
    format: MotionFormat | None = None
    """Format of the results; None means that of the output's name, else that of each input."""
    detect: bool = False
    clean: solver.CleanMethod | None = None
    plants: str | None = None
    """Footplants to use instead of detected ones: a file, or a folder with a file for each clip."""
    constraints: str | None = None
    """Constraints: a file, or a folder with a file for each clip."""
    physics: str | None = None
    """A file with an edit of the motion's physics."""
    recipe: str = "biped"
    """How the character is simplified: the name of a recipe, or a file with one."""
    ground: float | None = None
    repair: bool = False
    """Whether faults of the capture are interpolated first."""
    armature: str | None = None
    target: Target = "action"
    tolerance: float = 0.0
    jobs: int = 1
    """How many processes work at once on this machine."""
    scheduler: str | None = None
    """Address of a Dask scheduler, or its file; None means processes of this machine."""
    memory: int = 2 * GIGABYTE
    """Bytes that a process may use; 0 means no bound."""
    time_limit: float = 0.0
    """Seconds that one file may take; 0 means no bound."""
    retries: int = 2
    """How often a file is tried again whose process died, or that could not be read or written for a moment."""
    redo: bool = False
    """Whether clips are done again that were done before."""

    @property
    def changes_motions(self) -> bool:
        """Whether results may differ from their inputs."""
        return self.clean is not None or self.constraints is not None or self.physics is not None or self.repair

    @property
    def asked(self) -> list[str]:
        """The requested steps, in the order in which they are done."""
        cleaning = [] if self.clean is None else [f"clean {self.clean}"]
        repairing, detecting = (["repair"] if self.repair else []), (["detect"] if self.detect else [])
        constraining = ["constraints"] if self.constraints else []
        return [*repairing, *detecting, *cleaning, *constraining, *(["physics"] if self.physics else [])]


def parser() -> argparse.ArgumentParser:
    """The argument parser."""
    made = argparse.ArgumentParser(
        prog="poise batch", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument(
        "inputs",
        nargs="*",
        metavar="IN",
        help="motions and folders of them (.bvh, .blend, .fbx, .glb, .gltf); in Blender, without any: the open file",
    )
    made.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="the folder for results, made if needed; with one input also a file, such as result.bvh",
    )
    made.add_argument(
        "--format", choices=FORMATS, help="how motions are saved; without it as OUT is called, else as they came"
    )
    doing = made.add_argument_group("what to do", "Without any of these, motions are only converted.")
    doing.add_argument(
        "--repair",
        action="store_true",
        help="interpolate faults of the capture first: a calibration pose, and joints that are elsewhere for a moment",
    )
    doing.add_argument(
        "--detect", action="store_true", help="find footplants and write them to NAME.constraints.json; alone, no more"
    )
    doing.add_argument(
        "--clean",
        choices=get_args(solver.CleanMethod),
        help="plant the feet: legs stretch a little; or bones keep their lengths; or the whole body shares the change",
    )
    doing.add_argument(
        "--plants",
        metavar="JSON",
        help="footplants to clean with instead of detected ones: a file, or a folder with NAME.constraints.json",
    )
    doing.add_argument(
        "--constraints",
        metavar="JSON",
        help="deform motions by the constraints of a file, or of a folder with NAME.constraints.json; footplants of "
        "--detect, --clean or --plants are kept meanwhile, above all else, unless the file has footplants of its own",
    )
    doing.add_argument(
        "--physics",
        metavar="JSON",
        help="transform motions by their physics, as the edit of a file says (gravity, footprints, …): needs CasADi",
    )
    doing.add_argument(
        "--recipe",
        default=BatchOptions.recipe,
        metavar="NAME",
        help="how --physics simplifies a character: biped for runs, jumper or hopper for jumps, or a file with a "
        "recipe (biped)",
    )
    doing.add_argument(
        "--ground", type=_number, metavar="HEIGHT", help="feet stand on a ground of this height, and never below"
    )
    blender = made.add_argument_group("in Blender")
    blender.add_argument("--armature", metavar="NAME", help="only this armature; without it all that are animated")
    blender.add_argument(
        "--target",
        choices=get_args(Target),
        default="action",
        help="bake to a new action beside the source (the default), or to an NLA strip above it",
    )
    blender.add_argument(
        "--tolerance",
        type=_tolerance,
        default=0.0,
        metavar="T",
        help="leave out keys as long as channels stay within T (radians, or shares of the size); 0: key every frame",
    )
    running = made.add_argument_group("the run")
    running.add_argument("--redo", action="store_true", help="do clips again that were done before")
    running.add_argument(
        "--jobs",
        type=_jobs,
        default=None,
        metavar="N",
        help="how many processes work at once (as many as this machine has cores, and memory for)",
    )
    running.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="work on a Dask cluster instead: the address of its scheduler, such as tcp://host:8786, or its file",
    )
    running.add_argument(
        "--memory",
        type=_bytes,
        default=BatchOptions.memory,
        metavar="SIZE",
        help="what one process may use, such as 500M or 4G: a clip that needs more fails; 0 for no bound (2G)",
    )
    running.add_argument(
        "--time-limit",
        type=_tolerance,
        default=0.0,
        metavar="SECONDS",
        help="what one file may take before it fails (no limit)",
    )
    running.add_argument(
        "--retries",
        type=_count,
        default=BatchOptions.retries,
        metavar="N",
        help="how often a file is tried again whose process died (2)",
    )
    return made


def parse_arguments(arguments: Sequence[str]) -> BatchOptions:
    """The options of command-line arguments. A wrong argument ends the program with one sentence and exit code 2."""
    line = parser()
    given = vars(line.parse_args(arguments))
    if given["plants"] and not (given["clean"] or given["constraints"] or given["physics"]):
        line.error("--plants says what to clean with or to keep: give --clean or --constraints too")
    if given["recipe"] != BatchOptions.recipe and not given["physics"]:
        line.error("--recipe says how --physics simplifies the character: give --physics too")
    if given["jobs"] is None:
        given["jobs"] = usable_processes(given["memory"])
    return BatchOptions(**given | {"inputs": tuple(given["inputs"])})


def options_from_dict(plain: dict[str, Any]) -> BatchOptions:
    """Options that were sent as JSON."""
    return BatchOptions(**plain | {"inputs": tuple(plain["inputs"])})


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError("it must be a finite number")
    return number


def _tolerance(text: str) -> float:
    number = _number(text)
    if number < 0.0:
        raise argparse.ArgumentTypeError("it must not be negative")
    return number


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("it must not be negative")
    return count


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([gm]?)b?", text.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write it as 500M or 4G")
    return round(float(found[1]) * _UNITS[found[2]])


def _jobs(text: str) -> int:
    jobs = int(text)
    if jobs < 1:
        raise argparse.ArgumentTypeError("at least one process must work")
    return jobs
