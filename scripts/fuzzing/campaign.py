# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of fuzzing: it goes on where the last one with its seed has ended, and saves what it finds."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .judgement import Finding
from .targets import case
from .workers import Worker, minimised_apart

MINIMISING = 30.0
"""Seconds for making one finding small."""

SAID = 60.0
"""Seconds between two lines about the progress."""


@dataclass
class Totals:
    """What a run has done."""

    cases: int = 0
    accepted: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_case: int = 0
    peak: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    """Cases by the key of what was found."""

    def sentence(self) -> str:
        """One line with the figures."""
        rate = self.cases / max(self.seconds, 1e-9)
        return (
            f"{self.cases} cases in {self.seconds:.0f} s ({rate:.0f}/s), {self.accepted} accepted, slowest "
            f"{self.slowest:.2f} s (case {self.slowest_case}), at most {self.peak >> 20} MB, "
            f"{len(self.findings)} findings"
        )


class Campaign:
    """Cases of one seed and some targets; `folder` holds the findings and how far it has come."""

    def __init__(self, folder: Path, seed: int, names: tuple[str, ...]) -> None:
        self.folder, self.seed, self.names = folder, seed, names
        self.totals = Totals()

    @property
    def _state(self) -> Path:
        return self.folder / f"state-{self.seed}-{'-'.join(self.names)}.json"

    def first(self) -> int:
        """Index of the first case that was not run before."""
        try:
            return int(json.loads(self._state.read_text())["next"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def run(self, seconds: float, first: int, cases: int | None = None) -> Totals:
        """Run cases from an index on for a time, or for a number of cases, and save what is found."""
        self.folder.mkdir(parents=True, exist_ok=True)
        begun = said = time.monotonic()
        worker = Worker(self.seed, first, self.names)
        try:
            while True:
                progress = worker.look()
                totals = self.totals
                totals.cases += progress.cases
                totals.accepted += progress.accepted
                totals.peak = max(totals.peak, progress.peak)
                if progress.slowest > totals.slowest:
                    totals.slowest, totals.slowest_case = progress.slowest, progress.slowest_case
                for index, found in progress.findings:
                    self._keep(index, found)
                totals.seconds = time.monotonic() - begun
                if progress.cases:
                    self._state.write_text(json.dumps({"next": worker.next}))
                if time.monotonic() - said > SAID:
                    print(totals.sentence(), flush=True)
                    said = time.monotonic()
                if totals.seconds > seconds or (cases is not None and totals.cases >= cases):
                    return totals
                if worker.ended:
                    worker = Worker(self.seed, worker.next, self.names)
        finally:
            worker.stop()

    def _keep(self, index: int, found: Finding) -> None:
        """Count a finding; of each cause one is made small and saved."""
        self.totals.findings[found.key] += 1
        folder = self.folder / f"{found.target}-{found.kind}-{hashlib.sha256(found.key.encode()).hexdigest()[:8]}"
        if self.totals.findings[found.key] > 1 or folder.exists():
            return
        print(f"Case {index}, {found.key}\n{found.text}", flush=True)
        name, data = case(self.seed, index, self.names)
        small = minimised_apart(found, data, MINIMISING)
        folder.mkdir(parents=True)
        (folder / "original").write_bytes(data)
        (folder / "minimised").write_bytes(small)
        again = f"python scripts/fuzz.py --seed {self.seed} --case {index} --targets {' '.join(self.names)}"
        (folder / "finding.txt").write_text(
            f"{found.key}\n{again}\npython scripts/fuzz.py --targets {name} --file {folder / 'minimised'}\n\n"
            f"{found.text}\n\n{small[:2000]!r}\n",
            encoding="utf-8",
            errors="backslashreplace",
        )
        print(f"Saved as {folder}: {small[:300]!r}", flush=True)
