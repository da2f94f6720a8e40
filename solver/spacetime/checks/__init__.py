# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a motion obeys physics, computed without the optimiser."""
