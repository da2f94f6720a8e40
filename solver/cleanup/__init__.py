# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic methods that plant hands and feet: fast alternatives to the prioritized solver."""
