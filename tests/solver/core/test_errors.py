# SPDX-License-Identifier: GPL-3.0-or-later
"""Every exception of the solver is caught as one class."""

from __future__ import annotations

import inspect
import warnings

import pytest

from poise import solver
from poise.solver.core import errors

EXCEPTIONS = [
    each
    for _, each in inspect.getmembers(errors, inspect.isclass)
    if each.__module__ == errors.__name__ and not issubclass(each, Warning)
]


@pytest.mark.parametrize("exception", EXCEPTIONS)
def test_every_exception_is_a_poise_error_and_a_value_error(exception: type[Exception]) -> None:
    with pytest.raises(errors.PoiseError, match="Joint 'knee' is missing"):
        raise exception("Joint 'knee' is missing.")
    assert issubclass(exception, ValueError), "callers that know nothing of Poise catch bad input as ValueError"
    assert exception.__doc__


def test_there_is_one_class_for_each_kind_of_input() -> None:
    assert len(EXCEPTIONS) == 12
    assert solver.PoiseError is errors.PoiseError


def test_a_breach_of_the_recruiting_rule_is_a_warning_that_can_be_an_error() -> None:
    assert not issubclass(errors.RecruitingWarning, errors.PoiseError)
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.RecruitingWarning)
        with pytest.raises(errors.RecruitingWarning, match="broken"):
            warnings.warn("broken", errors.RecruitingWarning, stacklevel=1)


def test_a_message_that_quotes_a_whole_file_is_cut_in_its_middle() -> None:
    error = errors.FileFormatError(f"file: the key {'x' * 100_000!r} is unknown; remove it.")
    message = str(error)
    assert len(message) <= errors.LONGEST_MESSAGE
    assert message.startswith("file: the key") and message.endswith("is unknown; remove it.")
    assert str(errors.FileFormatError("short.")) == "short."
