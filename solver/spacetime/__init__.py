# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforms a motion by its physics (Popović 1999): a simplified character, an optimised motion of it, and back.

The optimiser is CasADi with IPOPT. This package alone imports it, and only when something is optimised: without CasADi
every other part of Poise works.

    fit = spacetime.fit(clip, recipe="biped")
    moon = spacetime.transform(fit, spacetime.Edit(gravity=0.165, flight=3.0))
    solver.write_bvh(moon.clip, "moon.bvh")
"""

from .characters.recipe import BIPED, HOPPER, JUMPER, RECIPES, Contact, KeptHandle, KeptJoint, Recipe, recipe_from_dict
from .editing.edit import Edit, FootprintEdit, LimbEdit, LockedJoint, Obstacle, edit_from_dict
from .gait_cycle import Advance, GaitCycle, cycle_advance, find_gait_cycle, make_cyclic, repeat
from .handles.handle import (
    AxisHandle,
    CenterOfMassHandle,
    DirectionHandle,
    DistanceHandle,
    Handle,
    MidpointHandle,
    PointHandle,
    handle_from_dict,
)
from .motion_fit import Fit, HandleFit, fit, fitting
from .optimiser_package import MISSING, is_available
from .problem.objectives import HandleObjective, Objectives
from .problem.simplified_motion import GroundForce, SimplifiedMotion
from .problem.stances import Push, Stance
from .progress import PhysicsProgress
from .reconstruction.time_warp import warped
from .settings import PhysicsSettings
from .transformation import Transformation, transform, transforming

__all__ = [
    "BIPED",
    "HOPPER",
    "JUMPER",
    "MISSING",
    "RECIPES",
    "Advance",
    "AxisHandle",
    "CenterOfMassHandle",
    "Contact",
    "DirectionHandle",
    "DistanceHandle",
    "Edit",
    "Fit",
    "FootprintEdit",
    "GaitCycle",
    "GroundForce",
    "Handle",
    "HandleFit",
    "HandleObjective",
    "KeptHandle",
    "KeptJoint",
    "LimbEdit",
    "LockedJoint",
    "MidpointHandle",
    "Objectives",
    "Obstacle",
    "PhysicsProgress",
    "PhysicsSettings",
    "PointHandle",
    "Push",
    "Recipe",
    "SimplifiedMotion",
    "Stance",
    "Transformation",
    "cycle_advance",
    "edit_from_dict",
    "find_gait_cycle",
    "fit",
    "fitting",
    "handle_from_dict",
    "is_available",
    "make_cyclic",
    "recipe_from_dict",
    "repeat",
    "transform",
    "transforming",
    "warped",
]
