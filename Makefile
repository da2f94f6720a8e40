# SPDX-License-Identifier: GPL-3.0-or-later
# Each target sets up what it needs by itself. Environments are made once and again when pyproject.toml changes.

PYTHON ?= python3.11

.PHONY: test test-solver lint
.DELETE_ON_ERROR:

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --editable ".[dev,blender]"
	@touch $@

test: .venv/ready
	.venv/bin/python -m pytest

test-solver: .venv/ready
	.venv/bin/python -m pytest tests/solver tests/test_architecture.py

lint: .venv/ready
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	rm -rf build/typing && mkdir -p build/typing/poise
	for name in __init__.py addon solver; do ln -s "$(CURDIR)/$$name" build/typing/poise/$$name; done
	MYPYPATH=build/typing .venv/bin/mypy -p poise
