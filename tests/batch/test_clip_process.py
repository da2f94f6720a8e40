# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that edits clips: its death, its memory and its time are noticed."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from poise.batch.clip_process import ClipProcess, ProcessLostError, _how
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job

ANSWERS = """
import json, os, signal, sys, time
sys.stdin.readline()
held = []
for line in sys.stdin:
    name = json.loads(line)["job"]["clip"]
    if name == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "hangs":
        time.sleep(600)
    if name.startswith("grows"):
        held.append(bytearray(os.urandom(1 << 20)) * int(name.removeprefix("grows")))
        time.sleep(0.5)
    print(json.dumps({"pid": os.getpid(), "attempt": json.loads(line)["attempt"]}), flush=True)
"""
"""A process that does what the name of the clip says."""


def process(**options: float) -> ClipProcess:
    return ClipProcess(BatchOptions(**options), [sys.executable, "-c", ANSWERS])  # type: ignore[arg-type]


def job(clip: str) -> Job:
    return Job(f"{clip}.bvh", clip, clip, "bvh")


def test_one_process_does_many_jobs() -> None:
    running = process()
    answers = [running.run(job("walk"), None, number) for number in (1, 2)]
    assert answers[0]["pid"] == answers[1]["pid"] and [told["attempt"] for told in answers] == [1, 2]
    running.close()
    assert running.run(job("walk"), None)["pid"] != answers[0]["pid"], "after it has ended there is another one"
    running.close()


def test_a_death_is_an_error_that_may_pass() -> None:
    running = process()
    with pytest.raises(ProcessLostError, match=r"worked on dies\.bvh ended by the signal SIGKILL\.") as caught:
        running.run(job("dies"), None)
    assert caught.value.may_pass
    assert running.run(job("walk"), None)["pid"] > 0
    running.close()


def test_a_clip_that_needs_too_much_memory_fails_for_good() -> None:
    running = process(memory=120 << 20)
    with pytest.raises(ProcessLostError, match=r"grows400\.bvh needs more memory than 120 MB: .*--memory") as caught:
        running.run(job("grows400"), None)
    assert not caught.value.may_pass
    running.close()


def test_memory_that_earlier_clips_have_left_behind_is_no_fault_of_the_clip() -> None:
    running = process(memory=200 << 20)
    running.run(job("grows40"), None)
    with pytest.raises(ProcessLostError) as caught:
        running.run(job("grows400"), None)
    assert caught.value.may_pass
    running.close()


def test_a_process_that_keeps_much_memory_is_replaced() -> None:
    running = process(memory=200 << 20)
    first = running.run(job("grows120"), None)
    assert running.run(job("walk"), None)["pid"] != first["pid"]
    running.close()


def test_a_clip_that_takes_too_long_fails_for_good() -> None:
    running = process(time_limit=0.5)
    begin = time.monotonic()
    with pytest.raises(ProcessLostError, match=r"hangs\.bvh took longer than 0\.5 s") as caught:
        running.run(job("hangs"), None)
    assert not caught.value.may_pass and time.monotonic() - begin < 60.0
    running.close()


def test_a_process_that_was_shut_starts_no_more() -> None:
    running = process()
    running.shut()
    with pytest.raises(ProcessLostError, match="being stopped"):
        running.run(job("walk"), None)
    assert running.process is None


def test_ends_have_words() -> None:
    assert [_how(code) for code in (3, -9, -250)] == ["with code 3", "by the signal SIGKILL", "by the signal 250"]


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ClipProcess(BatchOptions(), [str(tmp_path / "nothing")]).run(job("walk"), None)
