# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that the analytic methods share: all but the displacement of the root."""
