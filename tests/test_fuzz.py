# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/fuzz.py`: its cases are the same in every run, its limits hold, and what it finds is small and saved."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from poise import solver

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import fuzz  # noqa: E402
from fuzzing import json_mutation, targets, text_mutation, workers  # noqa: E402
from fuzzing.bvh_mutation import STRUCTURAL  # noqa: E402
from fuzzing.judgement import Finding, judged  # noqa: E402
from fuzzing.minimisation import minimised  # noqa: E402
from fuzzing.targets import TARGETS, case  # noqa: E402

NAMES = tuple(TARGETS)
READERS = tuple(name for name in NAMES if name != "solve")


def reads_badly(data: bytes) -> None:
    """A reader with every defect, each asked for by a letter."""
    if b"R" in data:
        raise ZeroDivisionError("nothing left")
    if b"W" in data:
        np.float64(1e308) * np.float64(1e308)
    if b"H" in data:
        while True:
            pass
    if b"S" in data:
        time.sleep(600)
    if b"M" in data:
        bytearray(2**31)
    if b"C" in data:
        os._exit(9)
    if b"L" in data:
        raise solver.PoiseError("no end")
    if b"P" in data:
        raise solver.PoiseError("The letter P is refused.")


@pytest.fixture
def bad_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "bvh", replace(TARGETS["bvh"], run=reads_badly))


@pytest.mark.parametrize("name", NAMES)
def test_the_files_that_mutations_begin_with_are_accepted(name: str) -> None:
    files = TARGETS[name].corpus()
    if name == "solve":
        files = files[::4]
    for data in files:
        assert judged(name, data) == (True, None), data


def test_a_case_is_the_same_in_every_run() -> None:
    some = [case(3, index, NAMES) for index in range(60)]
    assert some == [case(3, index, NAMES) for index in range(60)]
    assert some != [case(4, index, NAMES) for index in range(60)]
    assert {name for name, _ in some} >= {"bvh", "constraints", "edit"}


@pytest.mark.parametrize("mutation", [function for function, _ in STRUCTURAL], ids=lambda function: function.__name__)
def test_every_mutation_of_text_takes_any_text(mutation: text_mutation.Mutation) -> None:
    corpus = (b"", b"x", b"\xff\x00", *TARGETS["bvh"].corpus())
    made = [mutation(Random(seed), data) for seed in range(20) for data in corpus]
    assert all(isinstance(data, bytes) for data in made)
    assert set(made) - set(corpus), "it changes something"
    large = b"x" * text_mutation.LARGEST
    assert max(len(mutation(Random(seed), large)) for seed in range(40)) <= 5 * len(large), "memory is the reader's"


def test_mutated_json_is_mostly_json_and_some_of_it_is_accepted() -> None:
    corpus = TARGETS["constraints"].corpus()
    made = [json_mutation.mutated(Random(seed), corpus) for seed in range(200)]
    answers = [judged("constraints", data)[0] for data in made]
    assert 10 < sum(answers) < 190


def test_some_hundred_cases_find_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--cases", "300", "--seed", "1", "--folder", str(tmp_path), "--targets", *READERS]
    assert fuzz.main(arguments) == 0
    told = capsys.readouterr().out
    assert "from case 0" in told and "0 findings" in told
    assert fuzz.main([*arguments[:1], "1", *arguments[2:]]) == 0, "a second run goes on"
    assert "from case 0" not in capsys.readouterr().out


@pytest.mark.usefixtures("bad_reader")
@pytest.mark.parametrize(
    ("letter", "kind"), [("R", "traceback"), ("W", "warning"), ("L", "sentence"), ("M", "memory"), ("C", "crash")]
)
def test_each_kind_of_defect_is_found(letter: str, kind: str) -> None:
    found = workers.judged_apart("bvh", f"a{letter}b".encode())
    assert found is not None and found.kind == kind
    assert workers.judged_apart("bvh", b"aPb") is None and workers.judged_apart("bvh", b"ab") is None


@pytest.mark.usefixtures("bad_reader")
def test_a_reader_that_does_not_end_is_found() -> None:
    found = workers.judged_apart("bvh", b"H", longest=0.2)
    assert found is not None and found.kind == "hang"


@pytest.mark.usefixtures("bad_reader")
def test_a_reader_that_waits_for_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LONGEST_WAIT", 0.2)
    found = workers.judged_apart("bvh", b"S")
    assert found is not None and found.kind == "hang"


@pytest.mark.usefixtures("bad_reader")
def test_a_finding_is_made_small_and_saved_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = [b"abc", b"xxRyy", b"zzRz", b"aaC", b"H", b"end"]
    monkeypatch.setattr(workers, "case", lambda seed, index, names: ("bvh", inputs[index % len(inputs)]))
    monkeypatch.setattr("fuzzing.campaign.case", lambda seed, index, names: ("bvh", inputs[index % len(inputs)]))
    monkeypatch.setattr(workers, "LONGEST", 0.3)
    assert fuzz.main(["--cases", "6", "--folder", str(tmp_path), "--targets", "bvh"]) == 1
    assert "3 findings" in capsys.readouterr().out
    saved = {
        folder.name.split("-")[1]: (folder / "minimised").read_bytes()
        for folder in tmp_path.iterdir()
        if folder.is_dir()
    }
    assert saved == {"traceback": b"R", "crash": b"C", "hang": b"H"}
    (told,) = (folder / "finding.txt" for folder in tmp_path.iterdir() if "traceback" in folder.name)
    assert "--case 1 " in told.read_text() and "ZeroDivisionError" in told.read_text()
    (small,) = (folder / "minimised" for folder in tmp_path.iterdir() if "traceback" in folder.name)
    assert fuzz.main(["--targets", "bvh", "--file", str(small)]) == 1


def test_the_smallest_input_is_found() -> None:
    assert minimised(b"some words and an x inside", lambda data: b"x" in data, 10.0) == b"x"
    record = b'{"a": [1, 2, {"keep": null, "b": "text"}], "c": {}}'
    assert minimised(record, lambda data: b'"keep"' in data, 10.0) == b'"keep"'
    begun = time.monotonic()
    assert minimised(b"x" * 1000, lambda data: True, 0.0) in (b"", b"x" * 1000)
    assert time.monotonic() - begun < 60.0


def test_findings_of_one_cause_have_one_key() -> None:
    first, second = (Finding("bvh", "traceback", "ValueError in a.py:1", text) for text in ("a", "b"))
    assert first.key == second.key
    assert targets.CheckError.__mro__[1] is Exception, "what is read wrongly is no refusal"
