# SPDX-License-Identifier: GPL-3.0-or-later
"""Values at which readers break: numbers at the ends of their ranges, odd words, odd characters."""

from __future__ import annotations

from random import Random
from typing import Any

NUMBERS = (
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "1e-300",
    "-1e-300",
    "5e-324",
    "1e-20",
    "1e16",
    "1e25",
    "1e49",
    "1e50",
    "1.00001e50",
    "1e99",
    "1e100",
    "-1e100",
    "1.0000001e100",
    "1e154",
    "1e308",
    "-1e308",
    "1e309",
    "1e-999999",
    "1e999999",
    "1" + 400 * "0",
    "0." + 400 * "3",
    "nan",
    "NaN",
    "-inf",
    "Infinity",
    "1_000",
    "0x10",
    "1e",
    ".",
    "+",
    "--1",
    "1,5",
    "١٢٣",
    "2147483647",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "999999999999999999",
    "1000000000000000000",
    "360",
    "1e9",
    "-7",
    "100000",
    "2000001",
)
"""As text, since not all of them are numbers in every format."""

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**6,
    2**31,
    2**53 + 1,
    2**63,
    10**30,
    10**400,
    0.0,
    -0.0,
    0.5,
    -0.5,
    5e-324,
    1e-200,
    1e-20,
    1e20,
    1e25,
    -1e49,
    1e50,
    1.1e50,
    1e100,
    -1e100,
    1.1e100,
    1e200,
    1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    "0",
    "left",
    "x",
    [],
    {},
    [[]],
    [0, 0, 0],
    [0, 0, 0, 0],
    [1e50, -1e50, 1e50],
    [1e-200, 1e-200, 1e-200, 1e-200],
    [float("nan")] * 3,
    ["a"],
    {"": 0},
    {"name": None},
    {"kind": "point"},
)
"""Values of JSON, and some that only Python's reader takes."""

TEXTS = (
    "é",
    "\u0000",
    "\ufeff",
    "\u202e",
    "\U0001f9cd",
    "e\u0301",
    "\u2028",
    "\x85",
    "\xa0",
    "\v",
    "\f",
    "\x1c",
    "ﬀ",
    "İ",
    "ſ",
    "{",
    "}",
    '"',
    "\\",
    "\n",
    "\r",
    "\t",
    "%s",
    "{0}",
    "../x",
    "a" * 300,
    " ",
)

LONGEST_WORD = 200_000


def number(rng: Random) -> str:
    """A number at an end of its range, or a random one."""
    chance = rng.random()
    if chance < 0.7:
        return rng.choice(NUMBERS)
    if chance < 0.85:
        return repr(rng.uniform(-1.0, 1.0) * 10.0 ** rng.randint(-320, 308))
    return str(rng.randint(-(2 ** rng.randint(0, 80)), 2 ** rng.randint(0, 80)))


def text(rng: Random) -> str:
    """Some odd characters, rarely very many."""
    if rng.random() < 0.01:
        return rng.choice(TEXTS) * rng.randint(10, LONGEST_WORD // 300)
    return "".join(rng.choice(TEXTS) for _ in range(rng.randint(1, 3)))
