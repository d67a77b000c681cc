# Two commands matter: `make run` and `make test`. Both work on a clean clone.
# PYTHON may name another interpreter: make run PYTHON=python3.12
PYTHON ?= python3
UV ?= uv
BIN := .venv/bin
ARGS ?=
# Processes the suite runs in: a core each, at most four. One file's tests stay together and in
# their order, so that those that drive a browser come last in each.
JOBS ?= logical
PARALLEL := -n $(JOBS) --maxprocesses 4 --dist loadfile --no-loadscope-reorder
COMPILE := UV_CUSTOM_COMPILE_COMMAND="make lock" $(UV) pip compile pyproject.toml \
	--universal --generate-hashes --no-emit-index-url --python-version 3.11 --quiet

.DEFAULT_GOAL := help
.PHONY: help run test check format lock clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

run: .venv/.installed ## start everything: database, web server, worker, sample
	@$(BIN)/python manage.py up $(ARGS)

test: .venv/.installed-dev ## run the whole suite with the coverage floor
	@$(BIN)/coverage erase
	@$(BIN)/pytest $(PARALLEL) --cov --cov-report=term $(ARGS)

check: .venv/.installed-dev ## format, lint, types, layers, migrations, deployment checks
	@.ci/check

format: .venv/.installed-dev ## rewrite files the way `check` wants them
	@$(BIN)/ruff check --fix --exit-zero --quiet
	@$(BIN)/ruff format --quiet
	@git ls-files --cached --others --exclude-standard 'templates/*.html' | xargs -r $(BIN)/djade --target-version 5.2 || true

lock: ## resolve the dependencies again (needs uv: pip install uv)
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: pip install uv"; exit 1; }
	$(COMPILE) -o requirements.lock
	$(COMPILE) --group dev -c requirements.lock -o requirements-dev.lock

clean: ## remove what was installed and built, never data
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*

.venv/bin/python:
	@PYTHON="$(PYTHON)" .ci/make-venv

.venv/.installed: requirements.lock | .venv/bin/python
	@echo "Installing the locked packages into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.venv/.installed-dev: requirements-dev.lock | .venv/bin/python
	@echo "Installing the locked packages and the tools for tests into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@ .venv/.installed
