# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of a character in the 3D viewport; each part can be switched off."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import Context, PropertyGroup

from ..bridge.context import redraw_viewports

TRAJECTORIES = (
    ("ALL", "All Constraints", "The paths of all constrained points"),
    ("ACTIVE", "Active Constraint", "Only the path of the constraint that is chosen in the list"),
)
GHOSTS_OF = (
    ("SOURCE", "Source", "The motion as it was"),
    ("RESULT", "Result", "The motion as solved; the source where nothing is solved yet"),
)
GHOSTS_AT = (
    ("AROUND", "Around the Frame", "Before and after the current frame"),
    ("CHOSEN", "Chosen Frames", "At the frames of a list"),
)


def _redraw(display: Any, context: Context) -> None:
    redraw_viewports()


def _switch(display: Any, context: Context) -> None:
    """Try again after a problem, where it is switched on again."""
    if display.show and display.problem:
        display.problem = ""
    redraw_viewports()


class PoiseDisplay(PropertyGroup):
    """What is drawn of a character in the 3D viewport."""

    show: BoolProperty(
        name="Show in Viewport",
        description="Draw footprints, paths, points and balance of the character in the 3D viewport; they are hidden "
        "with Blender's own overlays too",
        default=True,
        update=_switch,
    )
    problem: StringProperty(
        name="Problem", description="Why nothing is drawn any more", options={"HIDDEN", "SKIP_SAVE"}
    )
    footprints: BoolProperty(
        name="Footprints",
        description="Where feet stand, with the number of the plant and its frames; those of the current frame are "
        "bright",
        default=True,
        update=_redraw,
    )
    points: BoolProperty(
        name="Points",
        description="The points of pins, paths, orientations and gazes, with the frames at which they are held",
        default=True,
        update=_redraw,
    )
    trajectories: BoolProperty(
        name="Paths",
        description="The paths of constrained points with a mark at each frame: thin as they were in the source, bold "
        "as solved",
        default=True,
        update=_redraw,
    )
    trajectories_of: EnumProperty(
        name="Paths Of", description="Which paths are drawn", items=TRAJECTORIES, update=_redraw
    )
    gizmos: BoolProperty(
        name="Gizmos",
        description="Grab plants and points with the mouse, in pose mode too; off where they are in the way of bones",
        default=True,
        update=_redraw,
    )
    misses: BoolProperty(
        name="Missed Targets",
        description="A line from a point of the body to the target that it does not reach in the current frame, with "
        "the distance",
        default=True,
        update=_redraw,
    )
    proposals: BoolProperty(
        name="Proposals",
        description="What was found and is not accepted yet: footprints, points, axes, and bodies that rest",
        default=True,
        update=_redraw,
    )
    balance: BoolProperty(
        name="Balance",
        description="The centre of mass, the line down to the ground, and the area that the planted feet support; red "
        "where it is not over that area",
        default=True,
        update=_redraw,
    )
    ghosts: BoolProperty(
        name="Ghosts",
        description="The character as sticks at other frames, to compare poses or to see the source behind the result",
        update=_redraw,
    )
    ghosts_of: EnumProperty(name="Ghosts Of", description="Which motion they show", items=GHOSTS_OF, update=_redraw)
    ghosts_at: EnumProperty(name="Ghosts At", description="At which frames", items=GHOSTS_AT, update=_redraw)
    ghost_count: IntProperty(
        name="Ghosts",
        description="How many before the current frame, and how many after it; 0 shows only the current frame",
        default=2,
        min=0,
        max=20,
        update=_redraw,
    )
    ghost_step: IntProperty(
        name="Step", description="Frames from one ghost to the next", default=5, min=1, soft_max=60, update=_redraw
    )
    ghost_frames: StringProperty(
        name="Frames", description="Frames with commas between them, such as 1, 20, 35", default="1", update=_redraw
    )
    physics_body: BoolProperty(
        name="Simple Body",
        description="The simple body of the physics with its centre of mass: as fitted, and as solved",
        default=True,
        update=_redraw,
    )
    physics_forces: BoolProperty(
        name="Forces",
        description="The forces of the ground on the simple body: an arrow of half a leg is the weight of the body",
        default=True,
        update=_redraw,
    )
    physics_path: BoolProperty(
        name="Path of Mass",
        description="The path of the centre of mass of the simple body: thin as fitted, bold as solved",
        default=True,
        update=_redraw,
    )
    texts: BoolProperty(
        name="Texts", description="Numbers, frames and distances beside what is drawn", default=True, update=_redraw
    )
