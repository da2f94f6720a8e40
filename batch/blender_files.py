# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the armatures of files in Blender: opens or imports, reads, edits, bakes and saves each of their takes."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import solver
from .clip_editing import edit_clip, failed_clip
from .command_line import BatchOptions
from .finding import format_of
from .gltf_files import own_resources, rename_resources
from .gltf_rates import frame_rate
from .jobs import Job
from .staging import Stage, reason_not_written

FIRST_FRAME = 1
"""First frame of an imported motion, as in Blender's scenes."""


def edit_in_blender(job: Job, options: BatchOptions, stage: Stage) -> list[dict[str, Any]]:
    """Edit all armatures of a file, or of the open file, and save it; returns the report of each clip.

    Each action of an armature is a clip of its own. What goes wrong with one clip does not stop the others.
    """
    _check_blender(job)
    if job.source:
        _open(Path(job.source))
    subjects = _subjects(options)
    if job.format == "bvh" and len(subjects) > 1:
        names = ", ".join(subject.armature.name for subject in subjects)
        raise solver.PoiseError(f"A BVH file holds one character, and here are {names}: name one with --armature.")
    has_several = len(subjects) > 1
    reports = [report for each in subjects for report in _edit_subject(each, job, options, stage, has_several)]
    if job.motion is not None and job.format != "bvh" and any(report["succeeded"] for report in reports):
        _save(job.motion, job.format or "", stage, subjects)
    return reports


def _check_blender(job: Job) -> None:
    """Raise an error that says what to do if Blender is missing."""
    try:
        import bpy  # noqa: F401
    except ImportError:
        raise solver.PoiseError(
            f"{Path(job.source).name} to {job.format or 'a report'} needs Blender: run scripts/batch.py with "
            "blender -b --python, or install the bpy module."
        ) from None


@dataclass(eq=False)
class _Subject:
    """An armature of the open file with its takes."""

    armature: Any
    takes: list[Any]
    """Of the bridge; the first is shown."""
    pose: Any
    """The channels of all bones as the file has them."""
    outcome: dict[str, Any] = field(default_factory=dict)
    """By the name of a take that succeeded: the action that now has its motion, None where only NLA strips do."""

    @property
    def has_several(self) -> bool:
        """Whether there are several takes."""
        return len(self.takes) > 1


def _edit_subject(
    subject: _Subject, job: Job, options: BatchOptions, stage: Stage, is_one_of_several: bool
) -> list[dict[str, Any]]:
    """Edit all takes of an armature; returns their reports. The shown take comes last, so that it is shown again."""
    from ..addon import bridge

    armature = subject.armature
    before = armature.name if is_one_of_several else ""
    if not subject.has_several:
        return [_edit_take(subject, subject.takes[0], job, options, stage, before, is_one_of_several)]
    reports = {}
    pose, uses_nla = subject.pose, armature.animation_data.use_nla
    for take in [*subject.takes[1:], subject.takes[0]]:
        bridge.assign_take(armature, take, subject.takes, pose, uses_nla=uses_nla)
        part = f"{before}.{take.name}" if before else take.name
        reports[take.name] = _edit_take(subject, take, job, options, stage, part, is_one_of_several)
    for take in subject.takes[1:]:
        made = subject.outcome.get(take.name)
        if made is not None and bridge.is_result(made):
            bridge.keep_result(armature, made)
    return [reports[take.name] for take in subject.takes]


def _edit_take(
    subject: _Subject, take: Any, job: Job, options: BatchOptions, stage: Stage, part: str, is_one_of_several: bool
) -> dict[str, Any]:
    """Read the motion that an armature shows, edit it, and bake it or write it as BVH; returns its report."""
    from ..addon import bridge

    armature = subject.armature
    common = {"armature": armature.name, "action": take.source.name if take.source is not None else None}
    try:
        if not options.changes_motions and take.result is not None:
            _show_result(subject, take, job)
        frames = bridge.frames_of(take) if subject.has_several and take.source is not None else (None, None)
        reading = bridge.read(armature, *frames)
        done = edit_clip(reading.clip, options, job, stage, part)
        report = done.report | common
        report |= {
            "first_frame": float(reading.times[0]),
            "reading": reading.method,
            "reading_reason": reading.reason,
        }
        if done.clip is None:
            return report
        made = take.source
        if job.format == "bvh":
            path = job.motion_of(part if subject.has_several else "")
            _check_free(path, job)
            solver.write_bvh(done.clip, stage.place_for(path))
        elif job.format is not None and options.changes_motions:
            longer, clip = solver.finished(bridge.frames_to_bake(reading, done.clip))
            # Layers of several takes would all play at once.
            has_layer = not subject.has_several or (take.is_shown and job.format == "blend")
            target = options.target if has_layer else "action"
            baked = bridge.bake(longer, clip, target=target, tolerance=options.tolerance)
            if done.clip.frames != reading.clip.frames and take.is_shown:
                _end_scene_with(reading, done.clip.frames, is_one_of_several)
            report["baked"] = baked.as_dict()
            report["notes"] += baked.notes
            made = bridge.animation_of(armature).result
        elif take.result is not None:
            made = take.result
        subject.outcome[take.name] = made
        return report
    except Exception as error:
        return failed_clip(part or job.clip, error) | common


def _show_result(subject: _Subject, take: Any, job: Job) -> None:
    """Let an armature show the result of a take that is in the file.

    For BVH it becomes the source: `read` returns the source of a result, but the file shows the result.
    """
    from ..addon import bridge

    if subject.has_several:
        bridge.show_result_of(subject.armature, take)
    if job.format == "bvh":
        bridge.apply_result(subject.armature)


def _check_free(path: Path, job: Job) -> None:
    """Raise if the file of one action would have the name of another motion's result."""
    if str(path.with_suffix("")) in job.others:
        raise solver.PoiseError(f"{path.name} is the result of another motion: rename the action, or that motion.")


def _end_scene_with(reading: Any, frames: int, is_one_of_several: bool) -> None:
    """Let a scene that ended with the source end with its result, since what is exported is what the scene plays.

    A shorter result does not end a scene in which others move.
    """
    from ..addon import bridge

    scene, first = bridge.current_scene(), round(float(reading.times[0]))
    end = first + frames - 1
    if end > scene.frame_end or (scene.frame_end == first + len(reading.times) - 1 and not is_one_of_several):
        scene.frame_end = end


def _subjects(options: BatchOptions) -> list[_Subject]:
    """The named armature, or all that can be read, each with its takes."""
    import bpy

    from ..addon import bridge

    assert bpy.context.view_layer is not None
    found = sorted(
        (thing for thing in bpy.context.view_layer.objects if thing.type == "ARMATURE"), key=lambda thing: thing.name
    )
    if options.armature is not None:
        named = [armature for armature in found if armature.name == options.armature]
        if not named:
            there = ", ".join(armature.name for armature in found) or "none"
            raise solver.PoiseError(f"There is no armature {options.armature!r}; there are: {there}.")
        return [_subject(armature, found) for armature in named]
    if not found:
        raise solver.PoiseError("There is no armature in the scene, so there is no motion to work on.")
    readable, problems = [], []
    for armature in found:
        try:
            bridge.check_animation(bridge.check_armature(armature))
            readable.append(armature)
        except solver.PoiseError as error:
            problems.append(error)
    if not readable:
        raise problems[0]
    return [_subject(armature, found) for armature in readable]


def _subject(armature: Any, armatures: list[Any]) -> _Subject:
    """An armature with its takes. Where its result is a layer of NLA strips, that is the only one."""
    from ..addon import bridge

    bridge.check_armature(armature)
    takes = bridge.takes_of(armature, armatures)
    has_layer = bridge.animation_of(armature).layer is not None
    return _Subject(armature, takes[:1] if has_layer else takes, bridge.stored_pose(armature))


# Opening ----------------------------------------------------------------------------------------------------------


def _open(path: Path) -> None:
    import bpy

    kind = format_of(path)
    with _quiet():
        if kind == "blend":
            bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
            return
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        _IMPORTING[kind or ""](bpy, path)


def _import_bvh(bpy: Any, path: Path) -> None:
    # Read by the solver first: it explains broken files, and knows which frame rate a rounded frame time means.
    clip = solver.read_bvh(path)
    _set_rate(bpy, clip.fps)
    bpy.ops.import_anim.bvh(filepath=str(path), frame_start=FIRST_FRAME)
    bpy.context.scene.frame_start = FIRST_FRAME
    bpy.context.scene.frame_end = FIRST_FRAME + clip.frames - 1


def _import_fbx(bpy: Any, path: Path) -> None:
    from ..addon import bridge

    bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    for armature in (thing for thing in bpy.data.objects if thing.type == "ARMATURE"):
        bridge.free_moved_bones(armature)
    _fit_range(bpy)


def _import_gltf(bpy: Any, path: Path) -> None:
    rate = frame_rate(path)
    if rate is not None:
        _set_rate(bpy, rate)
    # Without this, the importer adds an icosphere as the shape of bones.
    bpy.ops.import_scene.gltf(filepath=str(path), disable_bone_shape=True)
    _fit_range(bpy)


_IMPORTING: dict[str, Callable[[Any, Path], None]] = {
    "bvh": _import_bvh,
    "fbx": _import_fbx,
    "glb": _import_gltf,
    "gltf": _import_gltf,
}


def _set_rate(bpy: Any, rate: float) -> None:
    """Set the scene's frame rate, which Blender stores as a whole number and a divisor."""
    render = bpy.context.scene.render
    render.fps = max(1, round(rate))
    render.fps_base = render.fps / rate


def _fit_range(bpy: Any) -> None:
    """Set the scene's range to that of the imported motion."""
    ranges = [tuple(action.frame_range) for action in bpy.data.actions]
    if ranges:
        bpy.context.scene.frame_start = round(min(begin for begin, _ in ranges))
        bpy.context.scene.frame_end = round(max(end for _, end in ranges))


# Saving -----------------------------------------------------------------------------------------------------------


def _save(path: Path, kind: str, stage: Stage, subjects: list[_Subject]) -> None:
    """Save the open file to the stage, in a format other than BVH."""
    import bpy

    has_several = any(subject.has_several for subject in subjects)
    if has_several and kind != "blend":
        _play_takes(subjects)
    place = stage.place_for(path)
    try:
        with _quiet():
            _SAVING[kind](bpy, str(place), has_several)
    except RuntimeError as error:
        reason = reason_not_written(place.parent)
        if reason:
            raise solver.PoiseError(f"{path.name} cannot be written ({reason}).") from error
        raise
    if not place.is_file():
        reason = reason_not_written(place.parent) or "Blender does not say why"
        raise solver.PoiseError(f"{path.name} cannot be written ({reason}).")
    if kind == "gltf":
        stage.obsolete |= own_resources(path)
        del stage.moves[place]  # the file moves after those that it refers to
        for resource in rename_resources(place):
            stage.moves[resource] = path.with_name(resource.name)
        stage.moves[place] = path


def _play_takes(subjects: list[_Subject]) -> None:
    """Let each take that succeeded be an animation of its own, as exporters write it."""
    from ..addon import bridge

    for subject in subjects:
        actions = {name: action for name, action in subject.outcome.items() if action is not None}
        shown = subject.takes[0].name
        if subject.outcome.get(shown, True) is None:
            raise solver.PoiseError(
                f"NLA strips move armature {subject.armature.name!r}, and there are other actions: save it as .blend, "
                "or bake the strips to an action."
            )
        bridge.play_as_tracks(subject.armature, actions, shown, subject.pose)


def _save_blend(bpy: Any, path: str, has_several: bool) -> None:
    from ..addon import bridge

    bpy.ops.wm.save_as_mainfile(filepath=str(Path(path).resolve()), copy=True, check_existing=False)
    if not bridge.is_saved_whole(Path(path)):
        raise RuntimeError("Blender has saved only a part of the file.")


def _export_fbx(bpy: Any, path: str, has_several: bool) -> None:
    bpy.ops.export_scene.fbx(
        filepath=path,
        add_leaf_bones=False,
        bake_anim_use_all_actions=False,
        bake_anim_use_nla_strips=has_several,
        bake_anim_simplify_factor=0.0,
    )


def _export_gltf(bpy: Any, path: str, has_several: bool) -> None:
    bpy.ops.export_scene.gltf(
        filepath=path,
        export_format="GLB" if path.endswith(".glb") else "GLTF_SEPARATE",
        # Without several takes the visible motion: older versions would mix all actions of the file.
        export_animation_mode="NLA_TRACKS" if has_several else "SCENE",
        export_anim_scene_split_object=False,
        export_optimize_animation_size=False,
    )


_SAVING: dict[str, Callable[[Any, str, bool], None]] = {
    "blend": _save_blend,
    "fbx": _export_fbx,
    "glb": _export_gltf,
    "gltf": _export_gltf,
}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the output and warnings of Blender's importers and exporters."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
