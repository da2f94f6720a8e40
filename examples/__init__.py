# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions, postures and edits for tests, benchmarks and the demonstration; not part of the extension or the package."""
