# SPDX-License-Identifier: GPL-3.0-or-later
"""Random clips with random constraints, and checks of what must hold of every deformation."""
