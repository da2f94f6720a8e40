# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make demo` does: `clips` has the motions, `edits` the constraints, `stage` the scene in Blender, `chapters` the
work of the add-on, `rendering` pictures and animations, `page` the page that shows all of it."""
