# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions on bad input; each message names the joint, frame, line or task and says what to do.

Everything that the solver raises on bad input derives from `PoiseError`, so that a caller (the add-on, a batch over
thousands of clips) catches one class, shows its message and goes on.
"""

from __future__ import annotations

from typing import Self

from .sentences import Part, SayFrame, told

LONGEST_MESSAGE = 800
"""Characters of a message. Longer ones quote a name or a value of a broken file, and are cut in their middle."""


class PoiseError(ValueError):
    """Base of every exception that the solver raises on bad input.

    Its message is given in one part, or in several of which some are frames of the clip.
    """

    def __init__(self, *parts: Part) -> None:
        super().__init__(_cut(told(parts)))
        self.parts = parts

    def in_frames(self, frame: SayFrame) -> Self:
        """The same error, with frames of the clip as `frame` says them."""
        return type(self)(told(self.parts, frame))


def _cut(message: str) -> str:
    """A message without its middle where it is too long: its beginning says where, its end what to do."""
    part = LONGEST_MESSAGE // 2 - 2
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:part]} … {message[-part:]}"


class SkeletonError(PoiseError):
    """A hierarchy that cannot be a character: cycles, wrong shapes, non-finite offsets."""


class UnknownJointError(PoiseError):
    """A joint that the skeleton does not have."""


class MotionError(PoiseError):
    """Rotations or translations that do not fit the skeleton, or are not finite."""


class LimitError(PoiseError):
    """A joint limit that no joint can obey, or one that does not fit the kind of its joint."""


class LandmarkError(PoiseError):
    """A landmark that does not exist, or one that is needed and was not found."""


class TaskError(PoiseError):
    """A task that cannot be evaluated: wrong target, weight, priority or recruiting."""


class ConstraintError(PoiseError):
    """A constraint over time that cannot be: bad times, locations, joints or event orders."""


class HandleError(PoiseError):
    """A handle that cannot be: an unknown kind, a missing field, operands that do not fit each other."""


class RecipeError(PoiseError):
    """A recipe for a simplified character that cannot be: an unknown form, wrong bounds, joints out of order."""


class FileFormatError(PoiseError):
    """A file that cannot be read; the sentence names the file and, where there is one, the line."""


class MissingPackageError(PoiseError):
    """An optional Python package that is needed and not installed; the sentence says how to get it."""


class RecruitingWarning(UserWarning):
    """Two tasks whose joint sets break the recruiting rule."""
