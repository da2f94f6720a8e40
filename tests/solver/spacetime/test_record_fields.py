# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of a dataclass in a record: all that are needed, and no others."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from poise.solver.core.errors import RecipeError
from poise.solver.spacetime.record_fields import record_fields


@dataclass
class Part:
    name: str
    weight: float = 1.0
    more: list[int] = field(default_factory=list)


def test_the_fields_that_are_there_are_returned() -> None:
    assert record_fields("part", {"name": "a"}, Part, RecipeError) == {"name": "a"}
    assert record_fields("part", {"name": "a", "more": [1]}, Part, RecipeError) == {"name": "a", "more": [1]}


@pytest.mark.parametrize(
    ("what", "data", "message"),
    [
        ("part", [], "^A part has name, weight, more, not \\[\\]\\.$"),
        ("edge", None, "^An edge has name, weight, more, not None\\.$"),
        ("part", {"name": "a", "wait": 1}, "^A part has no 'wait'; it has name, weight, more\\.$"),
        ("part", {"weight": 1}, "^A part needs 'name'\\.$"),
    ],
)
def test_other_records_are_refused_with_a_sentence(what: str, data: object, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        record_fields(what, data, Part, RecipeError)
