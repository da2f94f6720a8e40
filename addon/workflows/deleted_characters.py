# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes the handles, the collection and the results of characters that the animator deletes.

`deleted_handles` says when Blender's own deletion has run, and when undo or redo has. Only what that deletion has left
is removed: what was left before, by a script or in the file that was loaded, stays until it is cleaned up by hand. The
step of the deletion still has all of it, since Blender stores the step first: so wherever undo or redo leads there, it
is removed again. The step before has the character, and nothing is left over.
"""

from __future__ import annotations

from . import leftovers

_left_before: set[int] = set()
"""The session uids of what was left over before and was not deleted here."""

_removed: set[int] = set()
"""The session uids of what was removed with a character."""


def after_deletion() -> None:
    """Remove what the characters have left that were deleted just now."""
    found = leftovers.find().without(_left_before)
    if found:
        _removed.update(found.uids)
        _remove(found)


def after_other_changes() -> None:
    """Remember what is left over although no animator has deleted a character: it stays."""
    _left_before.update(leftovers.find().uids - _removed)


def after_undo() -> None:
    """Remove again what undo or redo has brought back without its character."""
    if _removed:
        found = leftovers.find()
        _remove(found.without(found.uids - _removed))


def begin_anew() -> None:
    """Forget what was deleted: another file is loaded."""
    _left_before.clear()
    _removed.clear()
    after_other_changes()


def _remove(found: leftovers.Leftovers) -> None:
    if found:
        leftovers.remove_all(found)
        leftovers.forget_glance()
