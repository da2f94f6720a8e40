# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the demonstration: each chapter with its animation, its figures and its files. It needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from .chapters import Chapter

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; font: 17px/1.55 system-ui, sans-serif; color: #23262b; background: #f3f1ed; }
header, main, footer { max-width: 1060px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 52px; }
h1 { font-size: 44px; line-height: 1.1; margin: 0 0 12px; letter-spacing: -0.02em; }
header p { font-size: 20px; max-width: 46em; margin: 0 0 8px; }
article { background: #fff; border-radius: 14px; margin: 36px 0; overflow: hidden;
  box-shadow: 0 1px 2px #0002, 0 8px 28px #0000000f; }
.seen { position: relative; background: #d6dde4; line-height: 0; }
.seen video, .seen img { width: 100%; display: block; }
.seen span { position: absolute; top: 14px; padding: 7px 14px; border-radius: 99px; line-height: 1;
  font-size: 15px; font-weight: 600; }
.seen .before { left: 14px; background: #fffc; color: #555; }
.seen .after { right: 14px; background: #1f5fc4; color: #fff; }
.told { padding: 22px 28px 24px; }
h2 { font-size: 27px; margin: 0 0 6px; letter-spacing: -0.01em; }
.told p { margin: 0 0 16px; max-width: 46em; }
table { border-collapse: collapse; width: 100%; margin: 0 0 14px; }
td, th { text-align: left; padding: 7px 12px 7px 0; border-top: 1px solid #e6e3de; vertical-align: top; }
th { font-weight: 400; }
td { width: 24%; font-variant-numeric: tabular-nums; color: #767a80; }
td.now { color: #174ea6; font-weight: 650; }
thead td, thead th { border: 0; padding-bottom: 2px; font-size: 14px; color: #767a80; font-weight: 400; }
.files a { display: inline-block; margin-right: 18px; color: #174ea6; }
.problem { color: #8a3b12; }
footer { padding-bottom: 60px; color: #5d6167; }
"""

WORDS = {
    "picture": "picture",
    "animation": "animation",
    "blend": "Blender file, with the constraints and the result",
    "bvh": "motion (BVH)",
}


def html(chapters: Sequence[Chapter], missing: Sequence[str] = (), note: str = "", of_file: str = "") -> str:
    """The page of some chapters; `missing` are the titles of those that are still being made."""
    about = (
        f"Made from the motion <b>{escape(of_file)}</b>. {escape(note)}"
        if of_file
        else "The character, its walk with sliding feet, and all that follows were made by <code>make demo</code>."
    )
    waiting = f"<p>Still being made: {escape(', '.join(missing))}. Reload this page.</p>" if missing else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Poise: edit motion by what must hold</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>Poise edits motion by what must hold</h1>
<p>You have a motion: captured, bought, or keyed. You say what must hold: this foot stands here, this hand reaches
there, the body stays balanced; and how important each is. Poise changes the motion as little as that allows, smoothly,
and bakes it to an action in Blender, beside the one that you had.</p>
<p>{about} On the left is the motion as it was, on the right the result.</p>
{waiting}
</header>
<main>
{"".join(_article(chapter) for chapter in chapters)}
</main>
<footer><p>All figures were measured on the results that you see. A leg is the way from hip to heel. The Blender files
open with the constraints, their handles and the result in place: install the extension
(<code>make extension</code>) to go on from there, or begin in an empty scene with <i>Add Example</i>.</p></footer>
</body>
</html>
"""


def _article(chapter: Chapter) -> str:
    if chapter.problem:
        return (
            f'<article id="{escape(chapter.name)}"><div class="told"><h2>{escape(chapter.title)}</h2>'
            f'<p class="problem">{escape(chapter.problem)}</p></div></article>\n'
        )
    files = chapter.files
    links = " ".join(f'<a href="{escape(files[kind])}">{words}</a>' for kind, words in WORDS.items() if kind in files)
    return f"""<article id="{escape(chapter.name)}">
<div class="seen">{_seen(files)}
<span class="before">grey: before</span><span class="after">in colour: after</span></div>
<div class="told">
<h2>{escape(chapter.title)}</h2>
<p>{escape(chapter.text)}</p>
<table><thead><tr><th></th><td>before</td><td>after</td></tr></thead>
{"".join(_row(*figure) for figure in chapter.figures)}</table>
<div class="files">{links}</div>
</div>
</article>
"""


def _seen(files: Mapping[str, str]) -> str:
    """The animation, or the picture as long as there is none."""
    picture = escape(files["picture"])
    if "animation" not in files:
        return f'<img src="{picture}" alt="">'
    return f'<video src="{escape(files["animation"])}" poster="{picture}" autoplay loop muted playsinline></video>'


def _row(name: str, before: str, after: str) -> str:
    return f'<tr><th>{escape(name)}</th><td>{escape(before)}</td><td class="now">{escape(after)}</td></tr>\n'
