# SPDX-License-Identifier: GPL-3.0-or-later
# Every target sets up what it needs by itself. An environment is made once, and brought up to date when pyproject.toml
# has changed. PYTHON=/path/to/python3.11 says which interpreter to take.

PYTHON =
# The oldest NumPy that is promised goes with the oldest Python, the newest with the newest.
MATRIX = 3.11 3.13
NUMPY_3.11 = numpy~=1.26.0
NUMPY_3.13 = numpy>=2
# The Blenders that the add-on promises to run in, and the one Python that each is made for. 4.5 lives in .venv.
BLENDERS = 42 45 50 52
PYTHON_FOR_52 = 3.13

SOLVER_TESTS = tests/solver tests/examples tests/test_architecture.py

# How OpenBLAS, which NumPy's wheels bring along, may round: by its kernels for processors of several ages.
KERNELS = Prescott Haswell Zen SkylakeX

# As many processes as there are cores, up to eight: each that has imported Blender takes half a gigabyte. The tests of
# a file stay together, since they share what is slow to make.
PYTEST = bin/python -m pytest -n auto --maxprocesses=8 --dist=loadfile

# $(call python,VERSION,INTERPRETER): the interpreter, or one sentence and the end.
python = $(or $(shell scripts/find-python $(1) "$(2)" 2>/dev/null),$(error $(shell scripts/find-python $(1) "$(2)" 2>&1)))
install = bin/python -m pip install --quiet --disable-pip-version-check --editable

.PHONY: help test test-all gui-test test-solver test-matrix test-kernels lint bench fuzz random-solves soak batch-trial demo pictures docs extension wheel release clean clean-all
.DELETE_ON_ERROR:
# Without this, make takes the stamp of an environment that only a pattern asked for as its own to delete.
.PRECIOUS: .venv-%/ready .venv-bpy%/ready

help:
	@echo "make demo         edit a character in Blender and show it on a page, build/demo/index.html; CLIP=file.bvh takes yours"
	@echo "make pictures     draw postures and motions of the cited works into build/pictures"
	@echo "make test         every test that needs no window, with Blender and with the peers"
	@echo "make test-all     the tests that need Blender, in each of Blender 4.2, 4.5, 5.0 and 5.2"
	@echo "make gui-test     the add-on in Blenders with a window; pictures go to build/gui"
	@echo "make test-solver  the solver's tests alone, without the slow ones: no Blender, a few minutes"
	@echo "make test-matrix  the solver's tests under each of Python $(MATRIX) that is here"
	@echo "make test-kernels the solver's tests under each of OpenBLAS's kernels $(KERNELS) that runs here"
	@echo "make lint         ruff, mypy, the order of the packages, and refused words"
	@echo "make fuzz         read mutated files for SECONDS=60; findings go to build/fuzz"
	@echo "make random-solves  solve COUNT=100000 random postures: finite, within limits, in order of priority"
	@echo "make soak         ROUNDS=1000 of edits, solves, undo and reloads in one Blender process"
	@echo "make bench        measure, beside other libraries; writes build/bench.json and docs/benchmarks.md"
	@echo "make docs         build the documentation as a site into build/docs"
	@echo "make batch-trial  clean 500 clips on a Dask cluster whose processes are killed at random"
	@echo "make extension    build the Blender extension into build/; PHYSICS=1 puts CasADi for this platform into it"
	@echo "make wheel        build the Python package into build/"
	@echo "make release      walk through the checklist of a release"
	@echo "make clean        remove what was built; clean-all: the environments too"

# Everything but the peers: Blender 4.5 holds NumPy below 2.
.venv/ready: pyproject.toml
	"$(call python,3.11,$(PYTHON))" -m venv .venv
	.venv/$(install) ".[dev,blender]"
	@touch $@

# The peers in their present versions ask for NumPy 2, so they cannot live beside Blender 4.5.
.venv-peers/ready: pyproject.toml
	"$(call python,3.11,$(PYTHON))" -m venv .venv-peers
	.venv-peers/$(install) ".[dev,peers]"
	@touch $@

# NumPy and pytest only, for those who have not made .venv.
.venv-solver/ready: pyproject.toml
	"$(call python,3.11,$(PYTHON))" -m venv .venv-solver
	.venv-solver/$(install) ".[test]"
	@touch $@

.venv-%/ready: pyproject.toml
	"$(call python,$*,)" -m venv .venv-$*
	.venv-$*/$(install) ".[test]" "$(or $(NUMPY_$*),numpy)"
	@touch $@

# One Blender more than .venv has: a gigabyte each.
.venv-bpy%/ready: pyproject.toml
	"$(call python,$(or $(PYTHON_FOR_$*),3.11),)" -m venv .venv-bpy$*
	.venv-bpy$*/$(install) ".[test,blender$*]"
	@touch $@

# The second part runs even where the first fails.
test: .venv/ready .venv-peers/ready
	@here=passed; peers=passed; \
	.venv/$(PYTEST) -m "not peers" --ignore=tests/gui || here=FAILED; \
	.venv-peers/$(PYTEST) -m peers --ignore=tests/gui --ignore=tests/addon || peers=FAILED; \
	echo "With Blender: $$here. Against the peers: $$peers."; \
	[ "$$here $$peers" = "passed passed" ]

# Everything that needs Blender, the part of batches too. QUICK=yes leaves out the slow tests, here and below.
BLENDER_TESTS = -m "blender$(if $(QUICK), and not slow)" tests/addon tests/batch

test-all: $(foreach blender,$(BLENDERS),test-blender-$(blender))

test-blender-45: .venv/ready
	.venv/$(PYTEST) $(BLENDER_TESTS)

test-blender-%: .venv-bpy%/ready
	.venv-bpy$*/$(PYTEST) $(BLENDER_TESTS)

gui-test: .venv/ready
	.venv/bin/python -m pytest -rP tests/gui

SOLVER_VENV = $(if $(wildcard .venv/ready),.venv,.venv-solver)
test-solver: $(SOLVER_VENV)/ready
	$(SOLVER_VENV)/$(PYTEST) -m "not peers and not slow" $(SOLVER_TESTS)

test-matrix:
	@scripts/test-matrix $(MATRIX)

test-matrix-%: .venv-%/ready
	.venv-$*/$(PYTEST) -m "not peers$(if $(QUICK), and not slow)" $(SOLVER_TESTS)

test-kernels: $(SOLVER_VENV)/ready
	@scripts/test-kernels $(SOLVER_VENV)/bin/python $(KERNELS)

test-kernel-%: $(SOLVER_VENV)/ready
	OPENBLAS_CORETYPE=$* $(SOLVER_VENV)/$(PYTEST) -m "not peers$(if $(QUICK), and not slow)" $(SOLVER_TESTS)

# mypy and mkdocstrings name a module after its folder, and a checkout may have any name: they read the package through
# links.
TYPING = build/typing
.PHONY: links
links:
	@rm -rf $(TYPING) && mkdir -p $(TYPING)/poise
	@ln -s "$(CURDIR)/__init__.py" "$(CURDIR)/__main__.py" "$(CURDIR)/version.py" "$(CURDIR)/addon" "$(CURDIR)/batch" "$(CURDIR)/examples" "$(CURDIR)/solver" $(TYPING)/poise/

# Where scripts/check_words.py refuses words that readers had to guess at.
PLAIN = README.md CHANGELOG.md CONTRIBUTING.md __main__.py version.py docs addon batch examples scripts solver tests
lint: .venv/ready links
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports --no-logo
	MYPYPATH=$(TYPING) .venv/bin/mypy -p poise
	MYPYPATH=$(TYPING):scripts .venv/bin/mypy --explicit-package-bases scripts
	.venv/bin/python scripts/check_words.py $(PLAIN)

bench: .venv-peers/ready
	.venv-peers/bin/python scripts/bench.py

# Each goes on where the last one has ended; SEED=7 begins another series.
SECONDS = 60
SEED = 0
fuzz: .venv/ready
	.venv/bin/python scripts/fuzz.py --seconds $(SECONDS) --seed $(SEED)

COUNT = 100000
PROCESSES = 1
random-solves: .venv/ready
	.venv/bin/python scripts/random_solves.py --count $(COUNT) --processes $(PROCESSES)

ROUNDS = 1000
soak: .venv/ready
	.venv/bin/python scripts/soak.py --rounds $(ROUNDS)

batch-trial: .venv/ready
	.venv/bin/python scripts/batch_trial.py

# Pages of the API are read from the sources through the same links. A warning ends the build.
docs: .venv/ready links
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --strict --quiet
	@echo "The site: build/docs/index.html"

# CLIP=file.bvh takes a motion of yours.
demo: .venv/ready
	.venv/bin/python scripts/demo.py $(if $(CLIP),--clip "$(CLIP)")

pictures: .venv/ready
	.venv/bin/python scripts/draw_pictures.py

# PHYSICS=1 makes the archive with the optimiser of the physical method: see docs/physics_package.md.
extension: .venv/ready
	.venv/bin/python scripts/build_extension.py $(if $(PHYSICS),--physics) build

release: .venv/ready
	.venv/bin/python scripts/release.py

# build/lib keeps modules that are gone from the tree, and would put them into the wheel.
wheel: .venv/ready
	@rm -rf build/lib build/bdist.*
	.venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build .

clean:
	rm -rf build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find addon batch examples solver scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +

clean-all: clean
	rm -rf .venv .venv-peers .venv-solver $(foreach version,$(MATRIX),.venv-$(version)) .venv-bpy* poise.egg-info
