# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make docs` makes besides the pages of docs/: the pages of the API."""
