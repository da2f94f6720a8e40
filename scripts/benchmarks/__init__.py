# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make bench` measures, one benchmark a module; `catalogue` lists them, `figures` says what each yields."""
