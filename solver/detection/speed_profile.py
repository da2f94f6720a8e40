# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a point of the body is, and up to which speed it counts as at rest, learnt from the clip itself.

Where a point is slow compared with the largest speed around, it is probably at rest. What it moves there, without
outliers, is the noise of the clip, and gives the speeds that are allowed at rest.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import MovingObject
from ..core.arrays import Array, BoolArray, IntArray, median, runs
from ..core.running import running_maximum, running_mean, running_median
from .displacements import local_displacements, stride_of, track
from .noise import NoiseCurve, largest
from .settings import DEFAULT_REST, RestSettings
from .sigma_epsilon import sigma_epsilon


@dataclass(frozen=True, eq=False)
class PointTrack:
    """The positions of a point without single outlying frames, and its speeds."""

    positions: Array
    """(frames, 3) in the world, each the mean over the frames of half a displacement."""
    outliers: BoolArray
    """(frames,) the frames whose position was replaced."""
    profile: SpeedProfile

    @staticmethod
    def of(clip: Clip, point: BodyPoint, settings: RestSettings = DEFAULT_REST) -> PointTrack | None:
        """The track of a point; None where the clip is too short to have speeds."""
        stride, size = stride_of(clip, settings.displacement_rate), clip.skeleton.size
        if clip.frames <= stride + 1:
            return None
        positions, outliers = steady_positions(clip, point, settings)
        body = MovingObject(positions, track(clip, point).rotations)
        lengths = sigma_epsilon(local_displacements(body, stride)).space_residual
        profile = SpeedProfile.of(lengths * (clip.fps / stride / size), stride, clip.fps, settings)
        return PointTrack(body.positions, outliers, profile)


def steady_positions(clip: Clip, point: BodyPoint, settings: RestSettings = DEFAULT_REST) -> tuple[Array, BoolArray]:
    """(frames, 3) the positions of a point without single outlying frames, each the mean over the frames of half a
    displacement, and (frames,) which frames were outliers."""
    jump, stride = settings.outlier_jump * clip.skeleton.size, stride_of(clip, settings.displacement_rate)
    positions, outliers = without_jumps(clip.position(point), jump)
    return running_mean(positions, stride // 2), outliers


@dataclass(frozen=True, eq=False)
class SpeedProfile:
    """The speeds of a point and the thresholds they are compared with: (n,) displacements, sizes a second."""

    speeds: Array
    local_maximum: Array
    """The largest speed around each displacement."""
    slow: Array
    """Up to this a point is slow compared with the local maximum."""
    allowed: Array
    """Up to this a point is at rest."""
    rolling: Array
    """Up to this a foot rolls over its heel, or its ball."""
    rest: float
    """Up to this a point is at rest in any part of the clip."""
    stride: int
    """Frames that a displacement spans."""
    settings: RestSettings

    @staticmethod
    def of(speeds: Array, stride: int, fps: float, settings: RestSettings = DEFAULT_REST) -> SpeedProfile:
        """The profile of speeds (n,), each over `stride` frames."""
        steady = running_median(speeds, settings.median_width)
        fast = float(np.quantile(steady, 1.0 - settings.fast_share))
        rest = min(max(settings.rest_share_of_fast * fast, settings.least_rest_speed), settings.largest_rest_speed)
        moving = steady[steady > settings.moving_ratio * rest]
        usual = float(median(moving)) if len(moving) else rest
        local_maximum = running_maximum(steady, round(settings.speed_window * fps))
        bounded = np.minimum(local_maximum, settings.peak_ratio * usual)
        slow = np.maximum(settings.slow_share * local_maximum, rest)
        allowed = allowed_speeds(speeds, slow, stride, settings.noise_sample * fps, settings)
        return SpeedProfile(
            speeds=speeds,
            local_maximum=local_maximum,
            slow=slow,
            allowed=np.minimum(allowed, np.maximum(settings.rest_share * bounded, rest)),
            rolling=np.maximum(settings.roll_share * bounded, rest),
            rest=rest,
            stride=stride,
            settings=settings,
        )

    @cached_property
    def rolls(self) -> BoolArray:
        """(n,) whether it is no faster than a heel, or a ball, that a foot rolls over."""
        return self.speeds <= np.minimum(self.settings.roll_ratio * self.allowed, self.rolling)

    def shortest_rest(self, fps: float) -> int:
        """The fewest frames of a rest, never fewer than one displacement spans."""
        return max(self.stride + 1, 2, round(self.settings.shortest * fps))

    def is_noisy(self, frame: int) -> bool:
        """Whether a point at rest in a frame still moves, so that the allowed speed was learnt from noise."""
        return bool(self.allowed[min(frame, len(self.allowed) - 1)] > self.settings.noise_floor)

    def confidence(self, begin: int, end: int) -> float:
        """From 0 to 1, for a rest from frame `begin` to frame `end`: the geometric mean of how far its speeds are below
        the allowed ones, and of how far these are below the local maximum."""
        within = slice(begin, end - self.stride + 1)
        speeds, allowed, fastest = self.speeds[within], self.allowed[within], float(self.local_maximum[within].max())
        below = min(max(1.0 - float(median(speeds / allowed)), 0.0), 1.0)
        contrast = 1.0 if fastest <= self.rest else max(0.0, 1.0 - float(median(allowed)) / fastest)
        return math.sqrt(below * contrast)

    @cached_property
    def _fast(self) -> IntArray:
        """The displacements that are not slow."""
        return np.flatnonzero(self.speeds > self.slow)

    def swings(self, begin: int, end: int) -> bool:
        """Whether the point moves shortly before, during or after frames `begin` to `end`."""
        fastest = float(self.local_maximum[begin : end - self.stride + 1].max())
        return fastest > self.settings.moving_ratio * self.rest

    def slow_share(self, begin: int, end: int) -> float:
        """The median speed, as a share of the slow one, over the whole slow interval around frames `begin` to `end`."""
        before, after = np.searchsorted(self._fast, [begin, end - self.stride + 1])
        first = int(self._fast[before - 1]) + 1 if before else 0
        last = int(self._fast[after]) if after < len(self._fast) else len(self.speeds)
        return float(median(self.speeds[first:last] / self.slow[first:last]))


def allowed_speeds(
    speeds: Array, slow: Array, stride: int, sample: float, settings: RestSettings = DEFAULT_REST
) -> Array:
    """(n,) the speeds that noise gives a point at rest, learnt from the slow intervals of the clip.

    `speeds` (n,) are in sizes a second, `slow` (n,) the thresholds of slow intervals. An interval gives several samples
    of about `sample` displacements: the noise of a long rest may change.
    """
    examples = []
    for run in runs(running_median(speeds, settings.median_width) <= slow):
        length = run[1] - run[0] + 1
        parts = max(1, round(length / sample))
        edges = [run[0] + part * length // parts for part in range(parts + 1)]
        for first, after in itertools.pairwise(edges):
            ends = first + 0.5 * stride, after - 1 + 0.5 * stride
            examples.append((*ends, settings.noise_margin * largest(speeds[first:after])))
    curve = NoiseCurve.through(examples, settings.noise_floor)
    return np.minimum(curve.at(np.arange(len(speeds)) + 0.5 * stride), slow)


def without_jumps(positions: Array, jump: float) -> tuple[Array, BoolArray]:
    """Positions (frames, 3) in which single frames further than `jump` from the mean of their neighbours are replaced
    by that mean, and which frames these are (frames,).

    The first and the last frame are compared with their one neighbour: captures begin with a calibration pose.
    """
    padded = np.concatenate([positions[1:2], positions, positions[-2:-1]])
    between = 0.5 * (padded[:-2] + padded[2:])
    off = np.linalg.norm(positions - between, axis=1)
    beside = np.maximum(np.append(off[1:], 0.0), np.append(0.0, off[:-1]))
    outliers = (off > jump) & (off > beside)
    return np.where(outliers[:, None], between, positions), outliers
