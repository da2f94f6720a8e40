# SPDX-License-Identifier: GPL-3.0-or-later
"""Show what Poise does: edit a made-up character, or a clip of yours, in Blender, and write a page about it.

`demo.py [--clip FILE.bvh] [FOLDER]`, by default build/demo. Chapters are made by two processes beside each other; each
is shown on the page index.html as soon as there is a picture of it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

# Read when NumPy is first imported: two processes share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from demonstration import chapters, page, rendering
from demonstration.chapters import Chapter

ROOT = Path(__file__).resolve().parents[1]
WORKERS = 2
SLOWEST = ("moon",)
"""Chapters that are begun first, since they take longest."""
LONGEST = 900
"""Seconds after which a chapter that is not ready is given up."""


def main(arguments: Sequence[str]) -> int:
    """Make all chapters and the page; the exit code is 0 if at least one chapter has a result."""
    given = _parsed(arguments)
    if given.clip is not None and not given.clip.is_file():
        sys.exit(f"There is no file {given.clip}: name a BVH file, as in make demo CLIP=walk.bvh.")
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.chapter:
        _make_chapter(given)
    _remove_old(given.folder)
    given.engine = given.engine or rendering.usable_engine()
    if given.engine == "CYCLES":
        print("There is no graphics driver for Blender here, so Cycles draws: pictures are smaller and rougher.")
    return Demonstration(given).run()


class Demonstration:
    """The processes that make chapters, and what they have made so far."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.folder = given, Path(given.folder)
        self.names = chapters.names(given.clip)
        self.waiting = sorted(self.names, key=lambda name: name not in SLOWEST)
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.made: dict[str, Chapter] = {}
        self.begin = time.monotonic()

    def run(self) -> int:
        """Make all chapters, and write the page whenever there is something new."""
        while self.waiting or self.running:
            while self.waiting and len(self.running) < WORKERS:
                name = self.waiting.pop(0)
                self.running[name] = self._started(name)
            time.sleep(0.1)
            for name, process in list(self.running.items()):
                self._look_at(name, process)
        self._say(f"→ {self.folder / 'index.html'}")
        return 0 if any(not chapter.problem for chapter in self.made.values()) else 1

    def _started(self, name: str) -> subprocess.Popen[bytes]:
        """A process that makes one chapter."""
        given = self.given
        command = [sys.executable, __file__, str(self.folder), "--chapter", name, "--engine", given.engine]
        command += ["--clip", str(given.clip)] if given.clip is not None else []
        command += ["--tiny"] if given.tiny else []
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    def _look_at(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Take over what a process has published; where it has ended, what it has made."""
        if time.monotonic() - self.begin > LONGEST:
            process.kill()
            process.wait()
        ended = process.poll() is not None
        path, log = self.folder / f"{name}.json", self.folder / f"{name}.log"
        chapter = Chapter.from_json(path.read_text(encoding="utf-8")) if path.is_file() else None
        if ended:
            del self.running[name]
            path.unlink(missing_ok=True)
            if process.returncode == 0:
                log.unlink(missing_ok=True)
            if chapter is None or process.returncode != 0:
                problem = f"Blender has ended with an error: see {log.name}."
                chapter = Chapter(name, chapters.TITLES[name], "", problem=problem)
        if chapter is not None and (ended or name not in self.made):
            is_news = self.made.get(name) != chapter or not chapter.problem
            self.made[name] = chapter
            self._write_page()
            if is_news:
                self._say(f"{chapter.title}: {chapter.problem or ('ready' if ended else 'a picture')}")

    def _write_page(self) -> None:
        shown = [self.made[name] for name in self.names if name in self.made]
        left = [chapters.TITLES[name] for name in self.names if name not in self.made or name in self.running]
        note = next((chapter.note for chapter in shown if chapter.note), "")
        clip = self.given.clip.name if self.given.clip is not None else ""
        (self.folder / "index.html").write_text(page.html(shown, left, note, clip), encoding="utf-8")

    def _say(self, words: str) -> None:
        print(f"{time.monotonic() - self.begin:4.0f} s  {words}", flush=True)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "demo", help="where to write to")
    parser.add_argument("--clip", type=Path, help="a BVH file to take instead of the made-up motions")
    parser.add_argument("--engine", choices=("BLENDER_WORKBENCH", "CYCLES"), help="what draws; else what works here")
    parser.add_argument("--tiny", action="store_true", help="small and few pictures, for tests")
    parser.add_argument("--chapter", default="", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _remove_old(folder: Path) -> None:
    """Remove what an earlier demonstration has made."""
    for name in chapters.TITLES:
        for kind in ("png", "mp4", "blend", "bvh", "json", "log"):
            (folder / f"{name}.{kind}").unlink(missing_ok=True)
    (folder / "index.html").unlink(missing_ok=True)


def _make_chapter(given: argparse.Namespace) -> None:
    """Make one chapter in this process, write what the page needs of it, and end the process."""
    quality = rendering.usual_quality(given.engine)
    if given.tiny:
        quality = replace(quality, still=(160, 90), animation=(96, 54), rate=5, seconds=0.6)

    def publish(chapter: Chapter) -> None:
        path = given.folder / f"{given.chapter}.json"
        unfinished = path.with_suffix(".part")
        unfinished.write_text(chapter.to_json(), encoding="utf-8")
        unfinished.replace(path)

    publish(chapters.make(given.chapter, chapters.Job(given.folder, given.engine, quality, given.clip, publish)))
    sys.stdout.flush()
    # Blender's own end of a process crashes where a class is still registered.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
