# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches by examples: where else bones and objects do what they do in some frames (Le Callennec 2006, chapter 6)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..properties import PoiseDetection, PoiseTemplate, character_of, follow_renames, name_bone, templates
from . import latest, noise_patterns, object_events, progress, solve
from .bakeable import Bakeable, bakeable_at
from .detect import Proposal, is_of_search, propose
from .detected_constraints import carrier_of, proposals_of
from .noise_patterns import NoisePattern, Span
from .subjects import Reference, Subject, tracked_in_steps

Kind = Literal["space", "line", "point"]

KINDS = ("SPACE", "LINE", "POINT")
"""What a search by examples finds, as `PoiseDetected` has it."""


@dataclass(frozen=True)
class FoundLikeExamples:
    """The result of a search by examples."""

    counts: dict[str, int]
    """How many times something was found, by the title of each subject."""


# The list of examples ---------------------------------------------------------------------------------------------


def detection_of(armature: bpy.types.Object) -> PoiseDetection:
    """The examples and settings of an armature."""
    settings: PoiseDetection = character_of(armature).detection
    return settings


def active_template(armature: bpy.types.Object) -> PoiseTemplate | None:
    """The active example; None where there is none."""
    settings = detection_of(armature)
    if 0 <= settings.active_template < len(settings.templates):
        found: PoiseTemplate = settings.templates[settings.active_template]
        return found
    return None


@dataclass(frozen=True, eq=False)
class NewExamples:
    """An example for each of some bones, or one for an object. Frames are those of the scene."""

    bones: Sequence[str]
    kind: Kind
    begin: int
    end: int
    target: bpy.types.Object | None = None

    def subjects(self, armature: bpy.types.Object) -> list[Subject]:
        """The subjects, relative to the reference of the panel; raises where they cannot be examples."""
        if not self.bones and self.target is None:
            raise translation.TranslationError("No bone is chosen: select the bones to look at in pose mode.")
        # Before hidden bones: those of control rigs are hidden on purpose, and showing them would not help.
        known = bakeable_at(armature, self.begin)
        if known is not None:
            known.check(self.bones, "position", has_offset=True)
        bridge.check_bones(armature, self.bones)
        _check_frames(self.begin, self.end)
        reference = Reference.of(armature, detection_of(armature))
        if reference.bone in self.bones:
            raise translation.TranslationError(
                f"Bone {reference.bone!r} never moves relative to itself: choose another bone under Relative To, or "
                "the world."
            )
        named = [Subject(object=self.target.name, reference=reference)] if self.target is not None else []
        return [*(Subject(bone=bone, reference=reference) for bone in self.bones), *named]


def add_examples(armature: bpy.types.Object | None, new: NewExamples) -> list[int]:
    """Add examples and return their indices; the last becomes the active one.

    One that is in the list already is switched on instead of being added again.
    """
    armature = bridge.check_armature(armature)
    follow_renames(armature)
    indices = _added(armature, new, new.subjects(armature))
    search_again(armature)
    return indices


def _added(armature: bpy.types.Object, new: NewExamples, subjects: Sequence[Subject]) -> list[int]:
    indices = [_ensured(armature, subject, new.kind, new.begin, new.end) for subject in subjects]
    settings: Any = detection_of(armature)
    settings.active_template = indices[-1]
    return indices


def _ensured(armature: bpy.types.Object, subject: Subject, kind: Kind, begin: int, end: int) -> int:
    """The index of an example, which is added where it is not in the list."""
    settings: Any = detection_of(armature)
    for number, other in enumerate(settings.templates):
        if (other.begin, other.end, other.kind) == (begin, end, kind.upper()) and _has(armature, other, subject):
            other.enabled = True
            return number
    added = settings.templates.add()
    added.kind, added.begin, added.end = kind.upper(), begin, end
    if subject.bone:
        name_bone(armature, added, subject.bone)
    else:
        added.object = bpy.data.objects[subject.object]
    if subject.reference.bone:
        added.reference = "BONE"
        name_bone(armature, added, subject.reference.bone, "reference_bone")
    elif subject.reference.object:
        added.reference, added.reference_object = "OBJECT", bpy.data.objects[subject.reference.object]
    return len(settings.templates) - 1


def _has(armature: bpy.types.Object, template: Any, subject: Subject) -> bool:
    try:
        return Subject.of(armature, template) == subject
    except translation.TranslationError:  # it lacks its bone, its object or its reference
        return False


def _check_frames(begin: int, end: int) -> None:
    """Raise where the frames of an example are outside of the scene, or too few."""
    scene = bridge.current_scene()
    if not scene.frame_start <= begin <= end <= scene.frame_end:
        raise translation.TranslationError(
            f"The example (frames {begin:g} to {end:g}) does not lie within the scene's frames "
            f"{scene.frame_start:g} to {scene.frame_end:g}: choose frames of the scene."
        )
    least = solver.Template.least_frames(scene.render.fps / scene.render.fps_base)
    if end - begin + 1 < least:
        raise translation.TranslationError(
            f"The example from frame {begin:g} to {end:g} is too short to learn from: at this frame rate it needs "
            f"{least} frames or more."
        )


def remove_example(armature: bpy.types.Object, index: int) -> None:
    """Remove an example from the list; its neighbour becomes the active one."""
    settings: Any = detection_of(armature)
    settings.templates.remove(index)
    if settings.active_template > index or settings.active_template >= len(settings.templates):
        settings.active_template = max(settings.active_template - 1, 0)
    search_again(armature)


# Following changes --------------------------------------------------------------------------------------------------


LARGEST_WAIT = 0.15
"""Seconds of processor time that a search may take to be repeated while a setting is dragged."""

_seconds: dict[str, float] = {}
"""How long the last search of each armature took after its source was read, by its name."""

_readings: dict[str, tuple[str, bridge.Reading]] = {}
"""The last reading of each armature, by its name, with the signature of what was read."""


def search_again(armature: bpy.types.Object) -> None:
    """Search again with changed examples or settings, if a search was made since the file was opened and was quick.

    What cannot be searched, such as an example that ends before it begins, changes nothing: the next search says why.
    """
    is_quick = _seconds.get(armature.name, LARGEST_WAIT) < LARGEST_WAIT
    if is_quick and noise_patterns.has_any(armature) and progress.of(armature.name) is None:
        with contextlib.suppress(solver.PoiseError):
            find_like_examples(armature)


def register() -> None:
    """Follow changes of examples and settings from now on."""
    templates.search_again = search_again


def unregister() -> None:
    """Follow changes no more."""
    templates.search_again = None
    forget()


def forget() -> None:
    """Drop what is kept of searches: it belongs to the file that was open."""
    noise_patterns.forget()
    _seconds.clear()
    _readings.clear()


# The search -------------------------------------------------------------------------------------------------------


def find_like_examples(armature: bpy.types.Object | None, new: NewExamples | None = None) -> FoundLikeExamples:
    """Propose where bones do again what they do in the enabled examples, and list where objects do.

    All examples of one bone or object are used together: each sets the thresholds of its part of the motion, so that a
    further example refines what the others have shown. Former proposals of the same bones are replaced. `new` examples
    are used too, and are added to the list.
    """
    return solver.finished(find_like_examples_in_steps(armature, new))


def find_like_examples_in_steps(
    armature: bpy.types.Object | None, new: NewExamples | None = None
) -> Generator[progress.StageShare, None, FoundLikeExamples]:
    """As `find_like_examples`, as a generator that yields its progress. Closing it changes nothing."""
    armature = bridge.check_armature(armature)
    subjects = new.subjects(armature) if new is not None else []
    groups = _grouped(armature, new, subjects)
    reading = yield from _read_in_steps(armature)
    searches = yield from _timed(reading.armature_name, _search_in_steps(reading, groups))
    armature = reading.armature
    if new is not None:
        _added(armature, new, subjects)
    _store(armature, reading, searches)
    return FoundLikeExamples({search.subject.title: len(search.seen.found) for search in searches})


def _read_in_steps(armature: bpy.types.Object) -> Generator[progress.StageShare, None, bridge.Reading]:
    """Read the source, or take the last reading where nothing has changed since."""
    signature = latest.source_signature(armature, *solve.frames(None, None), "final")
    kept = _readings.get(armature.name)
    if kept is None or kept[0] != signature:
        kept = signature, (yield from solve.read_in_steps(armature))
        _readings[armature.name] = kept
    return kept[1]


def _timed(
    name: str, steps: Generator[progress.StageShare, None, list[_Search]]
) -> Generator[progress.StageShare, None, list[_Search]]:
    """Run a search and store how long its own steps take, without what happens between them."""
    spent = 0.0
    try:
        while True:
            begun = time.process_time()
            try:
                step = next(steps)
            except StopIteration as stop:
                _seconds[name] = spent + time.process_time() - begun
                found: list[_Search] = stop.value
                return found
            spent += time.process_time() - begun
            yield step
    finally:
        steps.close()


def _search_in_steps(
    reading: bridge.Reading, groups: dict[Subject, list[_Example]]
) -> Generator[progress.StageShare, None, list[_Search]]:
    clip = translation.clip_with_settings(reading.armature, reading)
    bones = [subject.bone for subject in groups if subject.bone]
    Bakeable(reading.armature, reading).check(bones, "position", has_offset=True)
    bridge.check_bones(reading.armature, bones)
    bodies = {}
    for subject in groups:
        body = yield from tracked_in_steps(reading, clip, subject.bone, subject.object)
        reference = yield from tracked_in_steps(reading, clip, subject.reference.bone, subject.reference.object)
        assert body is not None
        bodies[subject] = body, reference
    searches = []
    for number, (subject, examples) in enumerate(groups.items()):
        yield progress.DETECTING, number / len(groups)
        searches.append(_searched(reading, clip, subject, examples, *bodies[subject]))
    return searches


@dataclass(frozen=True)
class _Example:
    """An example in frames of the scene."""

    kind: Kind
    begin: int
    end: int
    tolerance: float

    @property
    def span(self) -> Span:
        """The example as a noise pattern has it."""
        return Span(self.begin, self.end, self.kind.upper(), self.tolerance)

    def template(self, reading: bridge.Reading) -> solver.Template:
        if not reading.times[0] <= self.begin <= self.end <= reading.times[-1]:
            raise translation.TranslationError(
                f"The example (frames {self.begin:g} to {self.end:g}) does not lie within the scene's frames "
                f"{reading.times[0]:g} to {reading.times[-1]:g}: change it, or switch it off."
            )
        return solver.Template(
            reading.frame_of(self.begin), reading.frame_of(self.end), self.kind, tolerance=self.tolerance
        )


@dataclass(frozen=True, eq=False)
class _Search:
    """What was seen of one subject."""

    subject: Subject
    clip: solver.Clip
    examples: list[_Example]
    reference: str | solver.MovingObject | None
    seen: solver.Examination


def _example(template: Any) -> _Example:
    return _Example(template.kind.lower(), template.begin, template.end, template.tolerance)


def _grouped(
    armature: bpy.types.Object, new: NewExamples | None, subjects: Sequence[Subject]
) -> dict[Subject, list[_Example]]:
    """The enabled and the new examples of each subject; raises where there is none."""
    groups: dict[Subject, list[_Example]] = {}
    listed: Any = detection_of(armature).templates
    for template in listed:
        if template.enabled:
            groups.setdefault(Subject.of(armature, template), []).append(_example(template))
    for subject in subjects:
        assert new is not None
        known = groups.setdefault(subject, [])
        if (new.kind, new.begin, new.end) not in [(other.kind, other.begin, other.end) for other in known]:
            known.append(_Example(new.kind, new.begin, new.end, 1.0))
    if not groups:
        raise translation.TranslationError(
            "There is no example: select a bone, set the preview range (P in the timeline) to frames in which it does "
            "what you are looking for, and add them as an example."
            if not len(listed)
            else "Every example is switched off: switch on those to learn from."
        )
    return groups


def _searched(
    reading: bridge.Reading,
    clip: solver.Clip,
    subject: Subject,
    examples: list[_Example],
    body: str | solver.MovingObject,
    reference: str | solver.MovingObject | None,
) -> _Search:
    with bridge.in_scene_frames(reading.times):
        shown = [example.template(reading) for example in examples]
        seen = solver.examine(clip, body, shown, reference, settings_of(reading.armature, subject, clip))
    return _Search(subject, clip, examples, reference, seen)


def settings_of(armature: bpy.types.Object, subject: Subject, clip: solver.Clip) -> solver.DetectionSettings:
    """The settings of the panel for a subject. Distances of an object are relative to its own size."""
    panel: Any = detection_of(armature)
    settings = solver.DetectionSettings(
        shortest=panel.shortest, bridged=panel.bridged, distance=panel.distance, angle=panel.angle
    )
    return object_events.scaled_to(settings, subject.object, clip.skeleton.size) if subject.object else settings


def _store(armature: bpy.types.Object, reading: bridge.Reading, searches: list[_Search]) -> None:
    """Store proposals, what objects do, noise patterns, and the thresholds of the examples."""
    proposals: list[Proposal] = []
    for search in searches:
        clip = search.clip
        if search.subject.bone:
            for found in search.seen.found:
                confidence = _confidence(search.seen, found)
                proposals += proposals_of(clip, search.subject, search.reference, found, reading, confidence)
        else:
            carrier = carrier_of(clip, search.reference)
            object_events.store(armature, reading, search.subject, search.seen.found, carrier)
    bones = {search.subject.bone for search in searches if search.subject.bone}
    if bones:
        propose(reading, proposals, lambda item: is_of_search(item, bones, KINDS))
    noise_patterns.keep(armature, [_pattern(search, reading) for search in searches])
    _store_thresholds(armature, searches, reading)


def _confidence(seen: solver.Examination, found: solver.Detected) -> float:
    """The share of the frames of something found in which the signals that decide about it are below their thresholds;
    the others were bridged."""
    measures = ("rotation", "translation") if found.kind == "space" else ("slip",)
    signals = [signal for signal in seen.signals if signal.measure in measures]
    below = [signal.values <= signal.thresholds for signal in signals]
    within = (signals[0].times > found.begin) & (signals[0].times < found.end)
    return float(np.mean(np.all(below, axis=0)[within])) if within.any() else 1.0


def _pattern(search: _Search, reading: bridge.Reading) -> NoisePattern:
    step = float(reading.times[1] - reading.times[0]) if len(reading.times) > 1 else 1.0
    signals = tuple(replace(signal, times=reading.times[0] + step * signal.times) for signal in search.seen.signals)
    return NoisePattern(
        search.subject,
        signals,
        tuple(example.span for example in search.examples),
        tuple(
            Span(float(reading.times[found.begin]), float(reading.times[found.end]), found.kind.upper())
            for found in search.seen.found
        ),
        search.clip.skeleton.size,
    )


def _store_thresholds(armature: bpy.types.Object, searches: list[_Search], reading: bridge.Reading) -> None:
    """Write to each example the thresholds that were learnt from it, for the panel."""
    for search in searches:
        curves = {signal.measure: signal for signal in search.seen.signals}
        for template in _templates_of(armature, search.subject):
            middle = reading.frame_of(0.5 * (template.begin + template.end))
            moved = curves.get("translation" if template.kind == "SPACE" else "slip")
            turned = curves.get("rotation") if template.kind == "SPACE" else None
            template.distance = _at(moved, middle)
            template.rotation = _at(turned, middle)


def pattern_of(armature: bpy.types.Object, template: Any) -> NoisePattern | None:
    """The noise pattern of the bone or object of an example, as all its examples are now; None where there is none."""
    try:
        subject = Subject.of(armature, template)
    except translation.TranslationError:  # an example without a bone, or without its reference
        return None
    spans = tuple(_example(each).span for each in _templates_of(armature, subject))
    return noise_patterns.of(armature, subject, spans)


def _templates_of(armature: bpy.types.Object, subject: Subject) -> list[Any]:
    listed: Any = detection_of(armature).templates
    return [template for template in listed if template.enabled and _has(armature, template, subject)]


def _at(signal: solver.NoiseSignal | None, frame: int) -> float:
    """The threshold of a signal at a frame of the clip; -1 where there is none."""
    return -1.0 if signal is None else float(np.interp(frame, signal.times, signal.thresholds))
