# SPDX-License-Identifier: GPL-3.0-or-later
"""The CasADi wheel inside the extension with physics: everything that IPOPT loads, and nothing else of CasADi.

`download` gets the full wheel with pip, `elf` reads which libraries a library needs, `trim` writes the smaller wheel,
`licences` knows under which terms its libraries are, `check` installs it and solves a small problem with it.
"""
