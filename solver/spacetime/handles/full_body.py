# SPDX-License-Identifier: GPL-3.0-or-later
"""The full character as a body on which handles are evaluated, without and with derivatives, all frames at once."""

from __future__ import annotations

import numpy as np

from ...body.degrees_of_freedom import Dofs
from ...body.kinematics import WorldState
from ...core import rotations
from ...core.arrays import Array
from .body_axes import body_axes
from .duals import ArrayAlgebra, Dual, DualAlgebra
from .handle import Axis
from .named_points import named_joint, named_point


class FullBody:
    """A character in a batch of frames; values are arrays (frames, 3) or (frames, 1)."""

    algebra = ArrayAlgebra()

    def __init__(self, state: WorldState) -> None:
        """Take the state of all frames."""
        self._state = state

    def point(self, name: str) -> Array:
        """(frames, 3) the world places of a landmark or joint."""
        return self._state.point(named_point(self._state.skeleton, name))

    def center_of_mass(self, joint: str | None) -> Array:
        """(frames, 3) the centres, in the world, of all mass that moves with a joint; None: of the whole body."""
        state = self._state
        if joint is None:
            return state.center_of_mass()
        return state.subtree_center_of_mass(named_joint(state.skeleton, joint))

    def axis(self, joint: str, axis: Axis) -> Array:
        """(frames, 3) a body axis, in the world, as a joint has carried it along from the rest pose."""
        skeleton = self._state.skeleton
        index = named_joint(skeleton, joint)
        at_rest = rotations.rotate(rotations.conjugate(skeleton.rest[0][index]), body_axes(skeleton)[axis])
        return rotations.rotate(self._state.rotations[:, index], at_rest)


class FullBodyDerivatives:
    """The same with derivatives over the columns of `dofs`; values are duals."""

    algebra = DualAlgebra()

    def __init__(self, state: WorldState, dofs: Dofs) -> None:
        """Take the state of all frames, and the columns of the derivatives."""
        self._state, self._dofs = state, dofs
        self._values = FullBody(state)

    def point(self, name: str) -> Dual:
        """As `FullBody.point`."""
        point = named_point(self._state.skeleton, name)
        return Dual(self._state.point(point), self._state.point_jacobian(point, self._dofs))

    def center_of_mass(self, joint: str | None) -> Dual:
        """As `FullBody.center_of_mass`."""
        value = self._values.center_of_mass(joint)
        if joint is None:
            return Dual(value, self._state.center_of_mass_jacobian(self._dofs))
        index = named_joint(self._state.skeleton, joint)
        return Dual(value, self._state.subtree_center_of_mass_jacobian(index, self._dofs))

    def axis(self, joint: str, axis: Axis) -> Dual:
        """As `FullBody.axis`."""
        value = self._values.axis(joint, axis)
        spin = self._state.rotation_jacobian(named_joint(self._state.skeleton, joint), self._dofs)
        return Dual(value, -np.cross(value[:, :, None], spin, axis=1))
