# SPDX-License-Identifier: GPL-3.0-or-later
"""The motions that are transformed by their physics: a made-up run and jump, with their true contacts as footplants."""

from __future__ import annotations

from ..solver.body.clip import Clip
from ..solver.constraints.footplant import Footplant
from ..solver.spacetime import Fit, PhysicsSettings, fit
from ..solver.synthetic import SyntheticMotion, jump, run

RATE = 60.0

PATIENT = PhysicsSettings(seconds=600.0, edit_seconds=600.0)
"""A solve ends by its iterations, so that results are the same on a busy machine."""


def planted(motion: SyntheticMotion) -> tuple[Clip, list[Footplant]]:
    """The clip of a made-up motion with a footplant for each contact."""
    return motion.clip, [
        Footplant(
            foot=contact.foot,
            heel_strike=contact.heel_strike,
            toe_strike=contact.toe_strike,
            heel_off=contact.heel_off,
            toe_off=contact.toe_off,
        )
        for contact in motion.contacts
    ]


def fitted_run(steps: int = 3, settings: PhysicsSettings = PATIENT) -> Fit:
    """A fit of a made-up run."""
    return fit(*planted(run(steps=steps, fps=RATE)), "biped", settings)


def fitted_jump(settings: PhysicsSettings = PATIENT, recipe: str = "hopper") -> Fit:
    """A fit of a made-up broad jump: with the recipe "hopper" that of the document, with "jumper" one that is nearer to
    the source, has knees, and takes more than twice as long."""
    return fit(*planted(jump(fps=RATE)), recipe, settings)
