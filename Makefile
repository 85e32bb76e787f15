# make demo and make test need nothing but Python 3.11 or newer; the rest is set up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: demo test lint types bench clean

demo: $(READY)
	rm -f demo.db
	$(BIN)/dalang run kali first random twin=random --seats 3 --blocks 20 --seed demo --db demo.db
	@echo "Next: $(BIN)/dalang match kali first random; $(BIN)/dalang standings demo.db --crosstable; $(BIN)/dalang rules kali"

test: lint types
	$(BIN)/pytest -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m tests.bench.engine
	$(BIN)/python -m tests.bench.messages
	$(BIN)/python -m tests.bench.tournament
	$(BIN)/python -m tests.bench.rating
	$(BIN)/python -m tests.bench.seer

clean:
	rm -rf $(VENV) build dist demo.db* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dalang needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)
