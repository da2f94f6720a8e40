# SPDX-License-Identifier: GPL-3.0-or-later
"""The full character's motion from the change of the simplified one's."""
