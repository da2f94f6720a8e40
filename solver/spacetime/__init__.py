# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforms a motion by its physics (Popović 1999): a simplified character, an optimised motion of it, and back.

The optimiser is CasADi with IPOPT. This package alone imports it, and only when something is optimised: without CasADi
every other part of Poise works.
"""
