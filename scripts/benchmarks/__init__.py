# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks of `make bench`, one a module; `catalogue` lists them, and each yields `figures`."""
