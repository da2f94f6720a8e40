# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse words that readers had to guess at, in code and documents: `check_words.py FILE_OR_FOLDER …`.

Prints each place with the word to use instead. The exit code is 1 if there is one. A line may keep a word with the
comment `# words: ok`, for instance where a test needs the name of a joint that does not exist.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

INSTEAD = {
    r"documents? `?00\d`?": "the author and the year, see docs/references.md",
    r"nobody|somebody|someone|everybody|anybody|whoever": "the array, the joint or the constraint",
    r"wish(es|ed|ing)?": "task specification, target",
    r"insist(s|ed|ing)?": "resolve blocked frames",
    r"(gives?|gave|giving|given) way": "relax, relaxed",
    r"(puts?|putting) (it |them )?right": "correct",
    r"polish(es|ed|ing)?": "correct, correction",
    r"lumps?": "composite bodies",
    r"liveliness": "acceleration baseline",
    r"spoil(t|s|ed|ing)?": "exceeds it",
    r"aground": "stance frames",
    r"flown": "swing frames",
}
"""For each pattern of whole words: what to write instead."""

ALLOWED = "words: ok"
SUFFIXES = {".py", ".md", ".toml"}

_PATTERNS = {re.compile(rf"(?<![a-z]){words}(?![a-z])", re.IGNORECASE): use for words, use in INSTEAD.items()}


def complaints(name: str, text: str) -> Iterator[str]:
    """One sentence for each refused word of a text; `name` is the file's. Words inside identifiers count too."""
    for number, line in enumerate(text.splitlines(), start=1):
        if ALLOWED in line:
            continue
        for pattern, use in _PATTERNS.items():
            if found := pattern.search(line):
                yield f"{name}:{number}: instead of {found[0]!r} write: {use}"


def files_of(places: Iterable[str]) -> Iterator[Path]:
    """The files of code and documents among files and folders."""
    for place in map(Path, places):
        if place.is_dir():
            yield from sorted(path for path in place.rglob("*") if path.suffix in SUFFIXES)
        else:
            yield place


def main(places: list[str]) -> int:
    """Print the complaints about files and folders; returns the exit code."""
    this = Path(__file__).resolve()
    found = [
        text
        for path in files_of(places)
        if path.resolve() != this
        for text in complaints(str(path), path.read_text(encoding="utf-8"))
    ]
    print("\n".join(found) or "No refused words.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
