# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzzing of what reads files: mutated inputs, run in processes with limits, and the minimised findings."""
