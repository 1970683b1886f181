# Two commands do everything on a fresh machine with Python 3.11 or newer: make demo, make test.
# Each makes the virtual environment it needs; PYTHON=python3.12 make test picks another Python.
PYTHON ?= python3
VENV ?= .venv
BIN = $(abspath $(VENV))/bin

.PHONY: demo test lint clean

demo: $(VENV)/.installed
	cd example_project && $(BIN)/python -m pytest --irbench=all

# Coverage runs pytest, not pytest coverage: a plugin is imported before a coverage plugin could start.
test: $(VENV)/.tested
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(VENV)/.tested
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group test --group lint
	touch $@

clean:
	rm -rf $(VENV)
