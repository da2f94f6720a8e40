# SPDX-License-Identifier: GPL-3.0-or-later
"""A skinned body for a character: a mannequin of closed smooth pieces around its joints, with the weights of joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.skeleton import Skeleton
from ..core.arrays import Array, IntArray
from .body_parts import FACE, TRUNK, RoundPart, body_parts
from .iso_surface import iso_surface

COLORED = ("Body", "Left", "Right", "Face", "Left Shoe", "Right Shoe")
"""What quads belong to, which tells their colour, in the order of `BodyMesh.colored`."""
_COLORED_PIECES = {
    TRUNK: "Body",
    FACE: "Face",
    **{f"{side} {limb}": side.title() for side in ("left", "right") for limb in ("leg", "arm")},
    **{f"{side} shoe": f"{side.title()} Shoe" for side in ("left", "right")},
}

_CELL = 0.018
"""Sizes of the character from one vertex to the next: thumbs and nose are just seen."""
_BLEND = 0.014
"""Sizes of the character over which one part of a piece goes over into the next."""
_REACH = 6.0
"""Blends from a part beyond which it does not count: there it would change the distance by a four-hundredth of one."""
_SOFTNESS, _TRUNK_SOFTNESS = 0.022, 0.036
"""Sizes of the character: by so much a part must be nearer than another to have e times its weight. The trunk bends
over a longer way than a knee does."""
_ROUNDS = 12
"""Rounds of averaging of weights over neighbouring vertices, so that no joint has an edge."""
_LEAST_WEIGHT = 1e-3
"""Weights below this are dropped."""


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """A mesh of closed pieces with weights. Places are in the world at rest, in the skeleton's units and axes."""

    vertices: Array
    """(vertices, 3)"""
    quads: IntArray
    """(quads, 4) indices of vertices, counter-clockwise seen from outside."""
    weights: Array
    """(vertices, joints) the share with which each joint carries a vertex; each row has the sum 1."""
    colored: IntArray
    """(quads,) what each quad belongs to, an index of `COLORED`."""


def body_mesh(skeleton: Skeleton) -> BodyMesh:
    """A body for a character, in its rest pose."""
    pieces: dict[str, list[RoundPart]] = {}
    for part in body_parts(skeleton):
        pieces.setdefault(part.piece, []).append(part)
    floor = _floor(skeleton)
    vertices, quads, weights, colored = [], [], [], []
    count = 0
    for name, parts in pieces.items():
        places, faces = _surface(skeleton, parts, floor)
        vertices.append(places)
        quads.append(faces + count)
        weights.append(_weights(skeleton, parts, places, faces))
        colored.append(np.full(len(faces), COLORED.index(_COLORED_PIECES[name])))
        count += len(places)
    return BodyMesh(np.concatenate(vertices), np.concatenate(quads), np.concatenate(weights), np.concatenate(colored))


def _floor(skeleton: Skeleton) -> float:
    """The height of the soles at rest, below which there is no body; minus infinity where no heel is known."""
    heels = [getattr(skeleton.landmarks, f"{side}_heel") for side in ("left", "right")]
    return min((float(skeleton.rest_place(heel)[skeleton.up_axis]) for heel in heels if heel), default=-np.inf)


def _surface(skeleton: Skeleton, parts: list[RoundPart], floor: float) -> tuple[Array, IntArray]:
    """The vertices and quads of one piece."""
    cell, blend = _CELL * skeleton.size, _BLEND * skeleton.size

    def field(points: Array) -> Array:
        total = np.zeros(len(points))
        for part in parts:
            near = np.flatnonzero(part.may_reach(points, _REACH * blend))
            total[near] += np.exp(-part.distance(points[near]) / blend)
        distance = -blend * np.log(np.maximum(total, np.exp(-_REACH)))
        return np.maximum(distance, floor - points[:, skeleton.up_axis])

    boxes = np.array([part.box(_REACH * blend) for part in parts])
    return iso_surface(field, boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0), cell)


def _weights(skeleton: Skeleton, parts: list[RoundPart], vertices: Array, quads: IntArray) -> Array:
    """(vertices, joints) by the distances to the parts of joints: of the nearest one and those above and below it."""
    nearest = np.full((len(vertices), len(skeleton)), np.inf)
    for part in parts:
        nearest[:, part.joint] = np.minimum(nearest[:, part.joint], part.distance(vertices))
    related = skeleton.tree.ancestry | skeleton.tree.ancestry.T
    behind = nearest - nearest.min(axis=1, keepdims=True)
    softness = (_TRUNK_SOFTNESS if parts[0].piece == TRUNK else _SOFTNESS) * skeleton.size
    weights = np.where(related[nearest.argmin(axis=1)], np.exp(-behind / softness), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    # Each edge of a closed mesh is in two quads, once in each direction: so every vertex has all of its neighbours.
    begins, ends = quads.ravel(), np.roll(quads, -1, axis=1).ravel()
    neighbours = ends[np.argsort(begins, kind="stable")]
    counts = np.bincount(begins, minlength=len(vertices))
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    for _ in range(_ROUNDS):
        around = np.add.reduceat(weights[neighbours], first) / counts[:, None]
        weights = 0.5 * (weights + around)
    weights[weights < _LEAST_WEIGHT] = 0.0
    return weights / weights.sum(axis=1, keepdims=True)
