# SPDX-License-Identifier: GPL-3.0-or-later
"""The terms of each library in the trimmed wheel, and the texts that go with it.

A library that is not listed here, or one whose text is gone from the full wheel, stops the build: the next version of
CasADi may bring something under other terms, and then this table has to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXTS_OF_WHEEL = "casadi/include/licenses/"
"""Where CasADi's wheels have the texts of what is in them."""

ADDED_TEXTS = {
    "GPL-3.0.txt": ROOT / "LICENSE",
    "LGPL-2.1.txt": Path(__file__).parent / "texts" / "LGPL-2.1.txt",
    "GCC-exception-3.1.txt": Path(__file__).parent / "texts" / "GCC-exception-3.1.txt",
}
"""Texts that the full wheel lacks although its libraries come under them."""

OTHERS_OF_WHEEL = "LicenseRef-CasADi-wheel"
"""The other terms of a wheel that was left whole: each is in its folder of texts."""


class UnknownLicenceError(Exception):
    """A library whose terms are not in the table, or have changed."""


@dataclass(frozen=True)
class Component:
    """One work that is inside libraries of the wheel.

    `libraries` are patterns of file names; `marker` is text in the library without which the work is not in it.
    `texts` are files in the wheel's folder of texts, `added` are names of `ADDED_TEXTS`. `note` says what a reader of
    the texts has to know besides.
    """

    name: str
    spdx: str
    libraries: tuple[str, ...]
    texts: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    marker: bytes = b""
    note: str = ""

    def is_in(self, library: str, data: bytes) -> bool:
        """Whether the work is in a library, given by its file name and its bytes."""
        return any(fnmatchcase(library, pattern) for pattern in self.libraries) and self.marker in data


COMPONENTS = (
    Component(
        "CasADi",
        "LGPL-3.0-or-later",
        ("_casadi.*", "libcasadi.so*", "libcasadi_nlpsol_ipopt.*"),
        texts=("casadi/LICENSE/LICENSE.txt",),
        added=("GPL-3.0.txt",),
        note="The LGPL adds permissions to the GPL, so that both texts are needed.",
    ),
    Component(
        "IPOPT",
        "EPL-2.0",
        ("libipopt.*",),
        texts=("ipopt-external/LICENSE",),
        note="It names no secondary licence.",
    ),
    Component(
        "SPRAL",
        "BSD-3-Clause",
        ("libipopt.*",),
        marker=b"spral_ssids",
        note="Copyright (C) 2014-2023 The Science and Technology Facilities Council (STFC). "
        "It is linked into libipopt; CasADi's wheel has no text of it. The text is in the file LICENCE "
        "of its source, github.com/ralna/spral.",
    ),
    Component(
        "MUMPS",
        "CECILL-C",
        ("libcoinmumps.*",),
        texts=("mumps-external/MUMPS/LICENSE", "mumps-external/LICENSE"),
        note="CasADi's wheel has the notice but not the text, which is at "
        "https://cecill.info/licences/Licence_CeCILL-C_V1-en.html. Its orderings PORD and SCOTCH are not inside.",
    ),
    Component(
        "METIS 4.0",
        "LicenseRef-METIS-4.0",
        ("libcoinmetis.*",),
        texts=("metis-external/metis-4.0/LICENSE", "metis-external/LICENSE"),
        note="NOT FREE SOFTWARE: it may not be redistributed without approval, and only non-profit institutions and "
        "US government agencies may use it, for education and research; others only to evaluate it. (METIS 5 is "
        "Apache-2.0, but this is METIS 4.)",
    ),
    Component(
        "OpenBLAS",
        "BSD-3-Clause",
        ("libcasadi-tp-openblas.*",),
        texts=("openblas-external/LICENSE", "openblas-external/lapack-netlib/LAPACKE/LICENSE"),
    ),
    Component(
        "LAPACK",
        "BSD-3-Clause-Open-MPI",
        ("libcasadi-tp-openblas.*",),
        texts=("openblas-external/lapack-netlib/LICENSE",),
    ),
    Component(
        "GCC runtime (libgfortran, libgomp)",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
        ("libgfortran-*", "libgomp-*"),
        added=("GPL-3.0.txt", "GCC-exception-3.1.txt"),
    ),
    Component(
        "libbacktrace",
        "BSD-3-Clause",
        ("libgfortran-*",),
        marker=b"libbacktrace",
        note="Copyright (C) Free Software Foundation, Inc. It is linked into libgfortran; the text is in "
        "libbacktrace/backtrace.h of GCC's source.",
    ),
    Component("libquadmath", "LGPL-2.1-or-later", ("libquadmath-*",), added=("LGPL-2.1.txt",)),
    Component("zlib", "Zlib", ("libz.*",), texts=("libz-external/LICENSE",)),
)


def components_of(libraries: Mapping[str, bytes]) -> list[Component]:
    """The works inside libraries, which are given as file names with their bytes, in the order of the table."""
    found = {name: [each for each in COMPONENTS if each.is_in(name, data)] for name, data in libraries.items()}
    if unknown := sorted(name for name, works in found.items() if not works):
        raise UnknownLicenceError(
            f"The terms of {', '.join(unknown)} are not known: find them out and add them to "
            "scripts/physics_wheel/licences.py."
        )
    return [each for each in COMPONENTS if any(each in works for works in found.values())]


def texts_of(components: Iterable[Component], wheel: Mapping[str, bytes]) -> dict[str, bytes]:
    """The texts of the works by their path in a folder of texts; `wheel` has those of the full wheel by its paths."""
    texts = {}
    for component in components:
        for path in component.texts:
            if TEXTS_OF_WHEEL + path not in wheel:
                raise UnknownLicenceError(
                    f"The full wheel has no {path} any more, so the terms of {component.name} may have changed: "
                    "compare them with scripts/physics_wheel/licences.py."
                )
            texts[path] = wheel[TEXTS_OF_WHEEL + path]
        for name in component.added:
            texts[name] = ADDED_TEXTS[name].read_bytes()
    return texts


def spdx_of(components: Iterable[Component]) -> list[str]:
    """The SPDX expressions of the works, each once, in the order of the table."""
    return list(dict.fromkeys(component.spdx for component in components))


def table_of(components: Iterable[Component]) -> str:
    """What a reader finds beside the texts: each work with its terms and the files that have their text."""
    return "\n".join(
        f"{component.name}: {component.spdx}\n"
        f"  texts: {', '.join((*component.texts, *component.added)) or 'none here'}\n"
        + (f"  {component.note}\n" if component.note else "")
        for component in components
    )
