# SPDX-License-Identifier: GPL-3.0-or-later
"""What a proposal was detected as: for lists and for drawing."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, StringProperty
from bpy.types import PropertyGroup

DETECTED_KINDS = (
    ("NONE", "Not Detected", "It was made by hand, or is a plant"),
    ("SPACE", "Stands Still", "The bone does not move at all: a place with an orientation"),
    ("LINE", "Turns About a Line", "The bone turns about a line: a point of it and a direction"),
    ("POINT", "Turns About a Point", "The bone turns about a point"),
    ("SLIDE_LINE", "Slides Along a Line", "The bone moves along a line: a point of it and a direction"),
    ("SLIDE_PLANE", "Slides on a Plane", "The bone moves on a plane: a point of it and its normal"),
)


class PoiseDetected(PropertyGroup):
    """The geometry of a detected constraint, in the world, and in frames of the scene.

    With a reference it is where the reference has carried it to at frame `begin`.
    """

    kind: EnumProperty(name="Detected As", description="What the bone does", items=DETECTED_KINDS)
    group: StringProperty(options={"HIDDEN"})
    """The same for all proposals of one detection: the position and the orientation of a bone at rest."""
    begin: FloatProperty(name="Begin", description="The first frame in which it holds")
    end: FloatProperty(name="End", description="The last frame in which it holds")
    location: FloatVectorProperty(
        name="Location", description="The place, or a point of the line or plane", subtype="TRANSLATION"
    )
    rotation: FloatVectorProperty(
        name="Rotation",
        description="The rotation of a bone at rest",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
    )
    direction: FloatVectorProperty(
        name="Direction", description="Along the line, or normal to the plane; zero for other kinds", subtype="XYZ"
    )
    extent: FloatProperty(
        name="Extent", description="How long the path is along the line, or how broad on the plane", unit="LENGTH"
    )
    residual: FloatProperty(
        name="Residual", description="How far the bone is from it, root mean square", unit="LENGTH", precision=4
    )
