# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims: files beside the results by which one process at a time works on a clip, also from several machines.

A claim is made by creating a file that must not exist yet, which file systems do atomically, and its owner touches the
file every few seconds. A claim whose owner has died is taken over by creating the file of the next generation: so of
several processes that notice it, one succeeds, and an owner that only seemed to have died sees that it has been
replaced before it writes anything.

Ages are differences between times of one file system, so the clocks of machines need not agree.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import socket
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

BEAT = 5.0
"""Seconds between two touches of a claim."""

EXPIRY = 60.0
"""Seconds without a touch after which the owner is taken for dead; on the same machine a dead owner is seen at once."""


def hidden_name(stem: str) -> str:
    """Beginning of the names of a clip's hidden files: short, whatever the clip is called."""
    name = os.path.basename(stem)
    return f".{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"


@dataclass(frozen=True)
class Claim:
    """The right to write the results of one clip. Plain values only, because claims are sent to worker processes."""

    stem: str
    """Path of the clip's outputs, without extension."""
    generation: int
    """How often the clip was taken over from an owner that had died."""
    token: str
    """Random digits that no other claim has."""

    @staticmethod
    def take(stem: str, expiry: float = EXPIRY) -> Claim | None:
        """Claim a clip; None if another process holds it."""
        Path(os.path.dirname(stem)).mkdir(parents=True, exist_ok=True)
        generation = 0
        token = secrets.token_hex(8)
        while True:
            path = _path(stem, generation)
            owner = _owner(path)
            if owner is None:
                break
            if not _path(stem, generation + 1).exists() and not _is_dead(owner, path, expiry):
                return None
            generation += 1
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return None
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"token": token, "clip": os.fsencode(stem).decode("utf-8", "replace")} | _this_process(), file)
        claim = Claim(stem, generation, token)
        _beats.add(claim)
        return claim

    @property
    def is_held(self) -> bool:
        """Whether no other process has taken the claim over."""
        owner = _owner(_path(self.stem, self.generation))
        has_next = _path(self.stem, self.generation + 1).exists()
        return owner is not None and owner.get("token") == self.token and not has_next

    def release(self) -> None:
        """Let others claim the clip. The own file goes last: until then no other claim is made above it."""
        _beats.remove(self)
        if self.is_held:
            for generation in range(self.generation + 1):
                with contextlib.suppress(OSError):
                    _path(self.stem, generation).unlink()

    def as_dict(self) -> dict[str, Any]:
        """The fields, as JSON can write them."""
        return asdict(self)


def has_claim(stem: str) -> bool:
    """Whether a claim of a clip is there, of an owner that works or that was killed."""
    return _path(stem, 0).exists()


def _path(stem: str, generation: int) -> Path:
    return Path(os.path.dirname(stem)) / f"{hidden_name(stem)}.claim-{generation}"


def _owner(path: Path) -> dict[str, Any] | None:
    """The content of a claim's file; empty while it is being written, None if there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_dead(owner: dict[str, Any], path: Path, expiry: float) -> bool:
    """Whether the owner of a claim has ended, or has not touched it for `expiry` seconds."""
    if owner.get("machine") == _machine():
        here = _birth(int(owner.get("pid", 0)))
        if here is not None and here != owner.get("birth"):
            return True
    try:
        return _time_of(path.parent) - path.stat().st_mtime > expiry
    except FileNotFoundError:  # released meanwhile
        return True


def _time_of(folder: Path) -> float:
    """The present time as the file system of a folder has it."""
    probe = folder / f".{secrets.token_hex(8)}.clock"
    try:
        probe.touch()
        return probe.stat().st_mtime
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()


# Processes ----------------------------------------------------------------------------------------------------------


def _this_process() -> dict[str, Any]:
    return {"machine": _machine(), "pid": os.getpid(), "birth": _birth(os.getpid())}


def _machine() -> str:
    """Name of this machine, and of the numbering of its processes, which containers have of their own."""
    try:
        numbering = os.readlink("/proc/self/ns/pid")
    except OSError:
        numbering = ""
    return f"{socket.gethostname()} {numbering}"


def _birth(pid: int) -> str | None:
    """When a process of this machine was started, by which a later one with the same number is told from it.

    Empty if there is no such process, None where the system does not say.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()
    return "" if state == "Z" else fields[18]


# Heartbeat ----------------------------------------------------------------------------------------------------------


class _Beats:
    """Touches the claims that this process holds, in one thread for all of them."""

    def __init__(self) -> None:
        self.claims: set[Claim] = set()
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None

    def add(self, claim: Claim) -> None:
        """Touch a claim from now on."""
        with self.lock:
            self.claims.add(claim)
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self._run, daemon=True, name="claims")
                self.thread.start()

    def remove(self, claim: Claim) -> None:
        """Touch a claim no longer."""
        with self.lock:
            self.claims.discard(claim)

    def _run(self) -> None:
        while True:
            time.sleep(BEAT)
            with self.lock:
                held = list(self.claims)
                if not held:
                    self.thread = None
                    return
            for claim in held:
                with contextlib.suppress(OSError):  # lost, or out of reach for a moment
                    os.utime(_path(claim.stem, claim.generation))


_beats = _Beats()
