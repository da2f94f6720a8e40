# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains: their lengths, their degrees of freedom, and the arc of a bent one."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.skeleton import Up
from poise.solver.core.errors import SkeletonError

from .checks import UPS, in_drawing_axes, standing


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize(("kind", "freedoms"), [("ball", 60), ("hinge", 20), ("hinge_triple", 60)])
def test_a_chain_is_as_long_as_asked_on_a_base_that_stays(up: Up, kind: synthetic.ChainKind, freedoms: int) -> None:
    skeleton = synthetic.chain(20, 0.5, kind, up)
    assert skeleton.dofs.count == freedoms
    assert skeleton.dofs.translating.size == 0
    assert skeleton.size == pytest.approx(0.5)
    assert standing(skeleton).position(skeleton.tips[0])[0] == pytest.approx((0, 0.5, 0) if up == "y" else (0, 0, 0.5))
    assert standing(skeleton).center_of_mass()[0, skeleton.up_axis] == pytest.approx(0.25)


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("kind", ["ball", "hinge", "hinge_triple"])
def test_a_bent_chain_is_an_arc(up: Up, kind: synthetic.ChainKind) -> None:
    skeleton = synthetic.chain(4, 2.0, kind, up)
    clip = solver.Clip(skeleton, synthetic.bent(skeleton, 1.2).motion)
    angles = np.cumsum(np.full(4, 0.3))
    tip = in_drawing_axes(skeleton, clip.position(skeleton.tips[0]))[0]
    assert tip == pytest.approx((-0.5 * np.sin(angles).sum(), 0.5 * np.cos(angles).sum(), 0.0))


@pytest.mark.parametrize(
    "arguments",
    [{"joints": 0}, {"joints": 3, "length": 0.0}, {"joints": 3, "length": np.nan}, {"joints": 3, "kind": "?"}],
)
def test_an_impossible_chain_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(SkeletonError):
        synthetic.chain(**arguments)
