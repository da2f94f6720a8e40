# SPDX-License-Identifier: GPL-3.0-or-later
"""One process at a time works on a clip, also after its owner was killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from poise.batch import claims
from poise.batch.claims import Claim


def files_of(folder: Path) -> list[str]:
    return sorted(path.name.rpartition(".")[2] for path in folder.glob(".*claim*"))


def test_a_clip_is_claimed_once_and_again_after_its_release(tmp_path: Path) -> None:
    stem = str(tmp_path / "new folder" / "walk")
    first = Claim.take(stem)
    assert first is not None and first.is_held
    assert Claim.take(stem) is None
    assert Claim.take(str(tmp_path / "new folder" / "run")) is not None, "other clips are free"
    first.release()
    assert not first.is_held
    second = Claim.take(stem)
    assert second is not None and second.generation == 0 and second.token != first.token


def test_of_many_that_try_at_once_one_succeeds(tmp_path: Path) -> None:
    stem = str(tmp_path / "walk")
    with ThreadPoolExecutor(16) as threads:
        taken = [claim for claim in threads.map(lambda _: Claim.take(stem), range(64)) if claim is not None]
    assert len(taken) == 1


def test_a_clip_of_a_killed_process_is_taken_over_at_once(tmp_path: Path) -> None:
    stem = str(tmp_path / "walk")
    code = (
        "import sys, time; from poise.batch.claims import Claim\n"
        "print(Claim.take(sys.argv[1]) is not None, flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen([sys.executable, "-c", code, stem], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None and owner.stdout.readline() == "True\n"
    assert Claim.take(stem) is None
    owner.kill()
    owner.communicate()
    taken = Claim.take(stem)
    assert taken is not None and taken.generation == 1 and taken.is_held
    assert Claim.take(stem) is None
    taken.release()
    assert files_of(tmp_path) == []


def foreign(stem: str, age: float) -> Path:
    """A claim of another machine that was touched `age` seconds ago."""
    path = claims._path(stem, 0)
    path.write_text(json.dumps({"token": "0", "machine": "elsewhere", "pid": 1, "birth": "1"}))
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_a_claim_of_another_machine_expires(tmp_path: Path) -> None:
    stem = str(tmp_path / "walk")
    foreign(stem, age=claims.EXPIRY / 2)
    assert Claim.take(stem) is None
    foreign(stem, age=2 * claims.EXPIRY)
    taken = Claim.take(stem)
    assert taken is not None and taken.generation == 1
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".clock")]


def test_an_owner_that_was_replaced_knows_it(tmp_path: Path) -> None:
    stem = str(tmp_path / "walk")
    slow = Claim.take(stem)
    assert slow is not None
    quick = Claim.take(stem, expiry=-1.0)
    assert quick is not None and quick.generation == 1
    assert quick.is_held and not slow.is_held
    slow.release()
    assert quick.is_held, "the slow one must not free what it no longer holds"
    assert Claim.take(stem) is None
    quick.release()
    assert files_of(tmp_path) == []


def test_a_later_process_with_the_same_number_is_another_one(tmp_path: Path) -> None:
    stem = str(tmp_path / "walk")
    claim = Claim.take(stem)
    assert claim is not None
    path = claims._path(stem, 0)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"birth": "0"}))
    taken = Claim.take(stem)
    assert taken is not None and taken.generation == 1


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_claim_that_is_being_written_is_respected(tmp_path: Path, content: str) -> None:
    stem = str(tmp_path / "walk")
    claims._path(stem, 0).write_text(content)
    assert Claim.take(stem) is None


def test_claims_are_touched_while_they_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "BEAT", 0.01)
    monkeypatch.setattr(claims, "_beats", claims._Beats())
    claim = Claim.take(str(tmp_path / "walk"))
    assert claim is not None
    path = claims._path(claim.stem, 0)
    os.utime(path, (0.0, 0.0))
    end = time.monotonic() + 30.0
    while path.stat().st_mtime == 0.0 and time.monotonic() < end:
        time.sleep(0.01)
    assert path.stat().st_mtime > 0.0
    claim.release()
    assert claim not in claims._beats.claims


def test_hidden_names_are_short_whatever_the_clip_is_called() -> None:
    names = [claims.hidden_name(name) for name in ("a/walk", "b/walk", "a/run", "x" * 250, "walk\udcff")]
    assert names[0] == names[1] and len(set(names)) == 4
    assert all(name.startswith(".") and len(name) < 20 for name in names)
