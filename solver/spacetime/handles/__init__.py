# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles, which a full and a simplified character have in common, and their values on the full one."""
