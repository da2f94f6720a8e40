# SPDX-License-Identifier: GPL-3.0-or-later
"""Error messages name their location in a JSON file."""

from __future__ import annotations

import pytest

from poise.solver import synthetic
from poise.solver.core.errors import ConstraintError, FileFormatError, SkeletonError
from poise.solver.files.conversion import Conversion
from poise.solver.files.json_location import LONGEST_QUOTE, JsonLocation, check_keys, quoted, suggestion

WHERE = JsonLocation("walk.json: constraint 2", Conversion(synthetic.human(), 10))


def test_the_innermost_key_comes_first() -> None:
    with pytest.raises(FileFormatError) as error:
        WHERE.at("points").at(3).at("location").fail("must be a number")
    assert str(error.value) == 'walk.json: constraint 2: "location" of item 3 of "points" must be a number.'


def test_a_record_itself_is_called_it() -> None:
    with pytest.raises(FileFormatError, match=r"^walk.json: constraint 2: it must be a record\.$"):
        WHERE.fail("must be a record")


def test_a_question_keeps_its_mark() -> None:
    with pytest.raises(FileFormatError, match=r'did you mean "joint"\?$'):
        WHERE.fail(f'has an unknown key "joit"; {suggestion("joit", ["joint", "begin"])}')


def test_another_error_is_quoted_with_the_location() -> None:
    with pytest.raises(ConstraintError, match=r'^Constraint 1: "joint": There is no joint here\.$'):
        JsonLocation("Constraint 1", WHERE.conversion, ("joint",), error=ConstraintError).quote(
            SkeletonError("There is no joint here.")
        )


def test_a_word_like_no_other_gets_the_list() -> None:
    assert suggestion("xyz", ["joint", "begin"]) == "there are joint, begin"


def test_a_long_value_is_cut() -> None:
    assert quoted([1, 2]) == "[1, 2]"
    assert len(quoted("x" * 1000)) == LONGEST_QUOTE + 1


def test_unknown_and_missing_keys_fail() -> None:
    check_keys({"joint": 1}, ("joint", "begin"), ("joint",), WHERE)
    with pytest.raises(FileFormatError, match='unknown key "end"'):
        check_keys({"joint": 1, "end": 2}, ("joint", "begin"), (), WHERE)
    with pytest.raises(FileFormatError, match='needs the key "begin"'):
        check_keys({"joint": 1}, ("joint", "begin"), ("begin",), WHERE)
