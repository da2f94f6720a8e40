# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for `scripts/draw_pictures.py`: `bodies` draws mannequins, `motions` edited motions, `feet` detection and
cleanup, `kinds` each kind of constraint, `moving` the animation of the README, `physics` motions that are transformed
by their physics."""
