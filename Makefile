# make demo and make test need nothing but Python 3.11 or newer; the rest is set up in .venv. With another Python, in a
# folder of its own: make test PYTHON=python3.13 VENV=.venv-3.13; some of the tests: make test SUITE="-k kali".
PYTHON ?= python3
VENV ?= .venv
SUITE ?=
BIN := $(VENV)/bin
READY := $(VENV)/ready
PYTEST := $(BIN)/pytest -n auto
# Without bytecode on the disk, each of the thousands of processes that the suite starts would compile dalang anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test suite check lint types docs bench soak clean

demo: $(READY)
	rm -f demo-*.db* demo-*.html
	$(BIN)/dalang run kali seer:40 cautious bold random --seats 4 --blocks 40 --seed demo --db demo-kali.db
	$(BIN)/dalang run bali_wrede seer:20 planner random examples/shell --seats 4 --blocks 10 --seed demo --db demo-wrede.db
	$(BIN)/dalang run bali_rosenberg guardian random first --seats 3 --blocks 30 --seed demo --db demo-rosenberg.db
	@for game in kali wrede rosenberg; do $(BIN)/dalang report demo-$$game.db --matches 12 -o demo-$$game.html || exit 1; done
	@echo "Open demo-kali.html, demo-wrede.html and demo-rosenberg.html in a browser. Then try:"
	@echo "  $(BIN)/dalang play kali"
	@echo "  $(BIN)/dalang replay demo-wrede.db 0.0"
	@echo "  $(BIN)/dalang new my_bot --language python"

test: lint types suite

suite: $(READY)
	$(PYTEST) $(SUITE)

# What to run while working: everything but the tests that are marked as slow, and of random games fewer.
check: lint types
	$(PYTEST) -m "not slow" --hypothesis-profile lean --quiet --durations 5

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The documentation as a site: build/site/index.html, which needs no network.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open build/site/index.html in a browser."

bench: $(READY)
	$(BIN)/python -m tests.bench.engine
	$(BIN)/python -m tests.bench.messages
	$(BIN)/python -m tests.bench.hostile
	$(BIN)/python -m tests.bench.tournament
	$(BIN)/python -m tests.bench.machinery
	$(BIN)/python -m tests.bench.cpu
	$(BIN)/python -m tests.bench.isolation
	$(BIN)/python -m tests.bench.rating
	$(BIN)/python -m tests.bench.ranks
	$(BIN)/python -m tests.bench.growth
	$(BIN)/python -m tests.bench.seer
	$(BIN)/python -m tests.bench.startup
	$(BIN)/python -m tests.bench.sequential
	$(BIN)/python -m tests.bench.planning
	$(BIN)/python -m tests.bench.luck
	$(BIN)/python -m tests.bench.decided
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m tests.bench.learning
	$(BIN)/python -m tests.bench.cluster
	$(BIN)/python -m tests.bench.scale
	$(BIN)/python -m tests.bench.serve

# Trouble of all kinds, for as long as you like: make soak HOURS=24, make soak MINUTES=30 SEED=other. 10 minutes if not said.
soak: $(READY)
	$(BIN)/python -m tests.soak $(if $(HOURS),--hours $(HOURS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed '$(SEED)')

clean:
	rm -rf .venv .venv-* build dist demo-* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt hatch_build.py $(wildcard harness/face/*.py)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dalang needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)
