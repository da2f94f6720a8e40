# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutations of JSON as a tree: values, keys, nesting and repetition; some of its text follow."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from . import extremes
from .text_mutation import LARGEST, mutate, random_bytes

Place = tuple[Any, Any]
"""A container and one of its keys or indices."""

MOST_VALUES = 50_000
"""Values of a tree: the memory of a process is that of the reader."""

DEEPEST = 200
"""Levels of values that are nested in the tree; deeper nesting is made of text, which recurses nowhere here."""


def places(value: Any) -> list[Place]:
    """Every place of a tree that holds a value."""
    found: list[Place] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        steps = list(each) if isinstance(each, dict) else range(len(each)) if isinstance(each, list) else []
        for step in steps:
            found.append((each, step))
            waiting.append(each[step])
    return found


def _odd_value(rng: Random, others: list[Any]) -> Any:
    chance = rng.random()
    if chance < 0.5:
        return copy.deepcopy(rng.choice(extremes.VALUES))
    if chance < 0.6:
        return rng.uniform(-1.0, 1.0) * 10.0 ** rng.randint(-200, 200)
    if chance < 0.7:
        return rng.uniform(-20.0, 40.0)
    if chance < 0.8:
        return extremes.text(rng)
    return copy.deepcopy(rng.choice(others))


def _mutate_tree(rng: Random, tree: Any, donor: Any) -> Any:
    """The tree with one change."""
    there = places(tree)
    if not there:
        return copy.deepcopy(rng.choice(extremes.VALUES))
    others = [holder[step] for holder, step in places(donor)] or [donor]
    holder, step = rng.choice(there)
    way = rng.random()
    if way < 0.4:
        holder[step] = _odd_value(rng, others)
    elif way < 0.52:
        del holder[step]
    elif way < 0.64:
        _add(rng, holder, step, others)
    elif way < 0.74:
        other_holder, other_step = rng.choice(there)
        holder[step], other_holder[other_step] = copy.deepcopy(other_holder[other_step]), copy.deepcopy(holder[step])
    elif way < 0.80:
        holder[step] = [holder[step]] if rng.random() < 0.5 else {rng.choice(("name", "kind", "x")): holder[step]}
    elif way < 0.86:
        inner = holder[step]
        if isinstance(inner, (list, dict)) and inner:
            holder[step] = rng.choice(list(inner.values()) if isinstance(inner, dict) else inner)
    elif way < 0.93:
        _repeat(rng, holder, step)
    else:
        _nest(rng, holder, step)
    return tree


def _add(rng: Random, holder: Any, step: Any, others: list[Any]) -> None:
    """A new key or item."""
    if isinstance(holder, list):
        holder.insert(step, _odd_value(rng, others))
    elif rng.random() < 0.5:
        holder[extremes.text(rng)] = _odd_value(rng, others)
    else:
        holder[f"{step}{extremes.text(rng)}"] = holder.pop(step)


def _repeat(rng: Random, holder: Any, step: Any) -> None:
    """Items of a list many times."""
    value = holder[step]
    many = rng.choice((2, 3, 50, 1000))
    if isinstance(value, list) and many * (1 + len(places(value))) < MOST_VALUES:
        holder[step] = value * many


def _nest(rng: Random, holder: Any, step: Any) -> None:
    """A value inside many of its own containers: handles of handles, lists of lists."""
    inner: Any = holder[step]
    for _ in range(rng.choice((2, 10, DEEPEST))):
        if isinstance(holder, dict) and isinstance(step, str) and rng.random() < 0.98:
            outer = {key: value for key, value in holder.items() if not isinstance(value, (dict, list))}
            outer[step] = inner
            inner = outer
        else:
            inner = [inner]
    holder[step] = inner


def _deep_text(rng: Random, text: str) -> str:
    """Text in which one value stands inside thousands of brackets."""
    depth = rng.choice((100, 990, 5000, 100_000))
    before, after = rng.choice((("[", "]"), ('{"a":', "}"), ('{"kind":"unit","vector":', "}")))
    place = text.find(":", rng.randrange(len(text) + 1)) + 1
    return text[:place] + before * depth + "1" + (after * depth if rng.random() < 0.7 else "") + text[place:]


def mutated(rng: Random, corpus: tuple[bytes, ...]) -> bytes:
    """A mutated file of the corpus, or random bytes."""
    chance = rng.random()
    if chance < 0.02:
        return random_bytes(rng)
    data = rng.choice(corpus)
    if chance < 0.15:
        return mutate(rng, data)
    tree, donor = json.loads(data), json.loads(rng.choice(corpus))
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 5))):
        if len(places(tree)) < MOST_VALUES:
            tree = _mutate_tree(rng, tree, donor)
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 1)))[:LARGEST]
    if chance > 0.985:
        text = _deep_text(rng, text)
    written = text.encode("utf-8", "surrogatepass")
    return mutate(rng, written) if chance > 0.93 else written
