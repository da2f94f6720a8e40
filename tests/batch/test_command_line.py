# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments become options."""

from __future__ import annotations

import pytest

from poise.batch import command_line
from poise.batch.command_line import BatchOptions, options_from_dict, parse_arguments


@pytest.mark.parametrize(
    ("text", "size"), [("2G", 2 << 30), ("500M", 500 << 20), ("1.5", 3 << 29), ("4gb", 4 << 30), ("0", 0)]
)
def test_sizes_have_units(text: str, size: int) -> None:
    assert parse_arguments(["in", "-o", "out", "--memory", text]).memory == size


@pytest.mark.parametrize("wrong", [["--memory", "much"], ["--retries", "-1"], ["--time-limit", "-2"]])
def test_wrong_numbers_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_arguments(["in", "-o", "out", *wrong])
    assert caught.value.code == 2 and wrong[0] in capsys.readouterr().err


def test_all_cores_work_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line, "usable_processes", lambda memory: memory >> 30)
    assert parse_arguments(["in", "-o", "out", "--memory", "7G"]).jobs == 7
    assert parse_arguments(["in", "-o", "out", "--jobs", "3"]).jobs == 3


def test_options_can_be_sent() -> None:
    options = BatchOptions(("a",), "out", scheduler="tcp://x", retries=0)
    assert options_from_dict(vars(options) | {"inputs": ["a"]}) == options
