# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the armatures of files in Blender: opens or imports, reads, edits, bakes and saves."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from poise import solver

from .clip_editing import edit_clip
from .command_line import BatchOptions
from .gltf_rates import frame_rate
from .jobs import Job, format_of

FIRST_FRAME = 1
"""First frame of an imported motion, as in Blender's scenes."""


def edit_in_blender(job: Job, options: BatchOptions) -> list[dict[str, Any]]:
    """Edit all armatures of a file, or of the open file, and save it; returns the report of each armature."""
    _check_blender(job)
    if job.source:
        _open(Path(job.source))
    armatures = _armatures(options.armature)
    if job.format == "bvh" and len(armatures) > 1:
        names = ", ".join(armature.name for armature in armatures)
        raise solver.PoiseError(f"A BVH file holds one character, and here are {names}: name one with --armature.")
    has_several = len(armatures) > 1
    reports = [_edit_armature(armature, job, options, has_several) for armature in armatures]
    if job.motion is not None and job.format != "bvh":
        _save(job.motion, job.format or "")
    return reports


def _check_blender(job: Job) -> None:
    """Raise an error that says what to do if Blender is missing."""
    try:
        import bpy  # noqa: F401
    except ImportError:
        raise solver.PoiseError(
            f"{Path(job.source).name} to {job.format or 'a report'} needs Blender: run this script with blender -b "
            "--python, or install the bpy module."
        ) from None


def _edit_armature(armature: Any, job: Job, options: BatchOptions, is_one_of_several: bool) -> dict[str, Any]:
    """Read an armature's motion, edit it, and bake it or write it as BVH; returns its report."""
    from poise.addon import bridge

    if job.format == "bvh" and not options.changes_motions and bridge.animation_of(armature).result is not None:
        bridge.apply_result(armature)  # `read` returns the source of a solved motion, but the file shows the result
    reading = bridge.read(armature)
    done = edit_clip(reading.clip, options, job, armature.name if is_one_of_several else "")
    report = done.report | {
        "armature": reading.armature_name,
        "first_frame": float(reading.times[0]),
        "reading": reading.method,
        "reading_reason": reading.reason,
    }
    if job.format == "bvh":
        assert job.motion is not None
        job.motion.parent.mkdir(parents=True, exist_ok=True)
        solver.write_bvh(done.clip, job.motion)
    elif job.format is not None and options.changes_motions:
        longer, clip = solver.finished(bridge.frames_to_bake(reading, done.clip))
        baked = bridge.bake(longer, clip, target=options.target, tolerance=options.tolerance)
        if done.clip.frames != reading.clip.frames:
            _end_scene_with(reading, done.clip.frames, is_one_of_several)
        report["baked"] = baked.as_dict()
        report["notes"] += baked.notes
    return report


def _end_scene_with(reading: Any, frames: int, is_one_of_several: bool) -> None:
    """Let a scene that ended with the source end with its result, since what is exported is what the scene plays.

    A shorter result does not end a scene in which others move.
    """
    from poise.addon import bridge

    scene, first = bridge.current_scene(), round(float(reading.times[0]))
    end = first + frames - 1
    if end > scene.frame_end or (scene.frame_end == first + len(reading.times) - 1 and not is_one_of_several):
        scene.frame_end = end


def _armatures(name: str | None) -> list[Any]:
    """The named armature, or all that can be read."""
    import bpy

    from poise.addon import bridge

    assert bpy.context.view_layer is not None
    found = sorted(
        (thing for thing in bpy.context.view_layer.objects if thing.type == "ARMATURE"), key=lambda thing: thing.name
    )
    if name is not None:
        named = [armature for armature in found if armature.name == name]
        if not named:
            there = ", ".join(armature.name for armature in found) or "none"
            raise solver.PoiseError(f"There is no armature {name!r}; there are: {there}.")
        return named
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
    return readable


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
    bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
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


def _save(path: Path, kind: str) -> None:
    """Save the open file in a format other than BVH."""
    import bpy

    path.parent.mkdir(parents=True, exist_ok=True)
    with _quiet():
        _SAVING[kind](bpy, str(path))
    if not path.is_file():
        raise solver.PoiseError(f"Blender did not write {path}.")


def _save_blend(bpy: Any, path: str) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(path).resolve()), copy=True, check_existing=False)


def _export_fbx(bpy: Any, path: str) -> None:
    bpy.ops.export_scene.fbx(
        filepath=path,
        add_leaf_bones=False,
        bake_anim_use_all_actions=False,
        bake_anim_use_nla_strips=False,
        bake_anim_simplify_factor=0.0,
    )


def _export_gltf(bpy: Any, path: str) -> None:
    bpy.ops.export_scene.gltf(
        filepath=path,
        export_format="GLB" if path.endswith(".glb") else "GLTF_SEPARATE",
        export_animation_mode="SCENE",  # the visible motion: older versions would mix all actions of the file
        export_anim_scene_split_object=False,
        export_optimize_animation_size=False,
    )


_SAVING: dict[str, Callable[[Any, str], None]] = {
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
