# Every target sets itself up from a bare checkout; python3 (3.11 or newer, with venv), git and make suffice.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PYTEST_ARGS ?=

.PHONY: all demo test check format lock clean
.DEFAULT_GOAL := all

all: check test

# The lock files pin every package with its hashes; the project itself is installed editable on top.
$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=python3.x"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Setting up .venv (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Improves copies of two real files on the simulated engine; the checkout stays as it is.
demo: $(READY)
	@rm -rf .demo && mkdir -p .demo && cp -R evals plugins .demo/
	@echo "== scil: a skill's description (on a copy in .demo/) =="
	@$(BIN)/scil -C .demo run --eval code-review --engine simulated --apply --allow-simulated
	@echo "== acil: an agent's description =="
	@$(BIN)/acil -C .demo run --eval gap-analyzer --engine simulated --apply --allow-simulated
	@echo "== what changed in the two files =="
	@git --no-pager diff --no-index --stat --patch -- plugins .demo/plugins || true
	@echo
	@echo "The simulated engine asked no model: the numbers show how Skillwalker works, not Claude."
	@echo "Files: .demo/plugins   runs: .demo/output   undo: $(BIN)/skillwalker -C .demo undo"

test: $(READY)
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(READY)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

# Needs uv (from PyPI). Without index lines, so that the files name no registry.
LOCK := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11
lock:
	$(LOCK) --extra dev pyproject.toml --output-file requirements-dev.lock
	$(LOCK) pyproject.toml --constraint requirements-dev.lock --output-file requirements.lock

# .cache is what .ci fetched for the tests with the real CLI and Docker; a daemon in it is ended first.
clean:
	@.ci/stop-docker
	rm -rf .venv .demo .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf .coverage .coverage.* dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
