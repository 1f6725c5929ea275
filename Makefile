# `make demo` and `make test` are all the set-up there is: Python >= 3.11 and make.

VENV   := .venv
BIN    := $(VENV)/bin
FIND   := for p in $$PYTHON python3 python3.13 python3.12 python3.11 python3.14; do \
            "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
              && { command -v "$$p"; exit 0; }; \
          done; echo "launchplan needs Python >= 3.11 with venv" >&2; exit 1
PIP    := $(BIN)/python -m pip -qq --disable-pip-version-check

.PHONY: help demo test executors e2e browser lint docs bench clean

help:            ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

$(BIN)/python:
	@python=$$($(FIND)) && "$$python" -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'

$(VENV)/.run: pyproject.toml | $(BIN)/python
	@$(PIP) install --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@$(PIP) install --editable . --group dev
	@$(BIN)/python -m compileall -q src
	@touch $@ $(VENV)/.run

$(VENV)/.executors: pyproject.toml | $(VENV)/.dev
	@$(PIP) install --group executors
	@$(BIN)/python tests/executors/fetch_kubectl.py
	@touch $@

$(VENV)/.browser: pyproject.toml | $(VENV)/.dev
	@$(PIP) install --group browser
	@touch $@

demo: $(VENV)/.run   ## check and render the two-node Qwen3.8 recipe
	@$(BIN)/launchplan check recipes/Qwen/qwen3.8-fp8-2x8-b300.yaml
	@$(BIN)/launchplan render recipes/Qwen/qwen3.8-fp8-2x8-b300.yaml -o launch/qwen3.8-fp8-2x8-b300

test: $(VENV)/.dev   ## set up, then lint and run the tests
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m pytest -n auto -q

executors: $(VENV)/.executors   ## run the rendered files by what runs them: Slurm, Compose, Kubernetes schemas, systemd
	@$(BIN)/python -m pytest tests/executors -q

E2E := .e2e

$(E2E)/.installed: tests/e2e/install.sh $(wildcard tests/e2e/engines/*.txt)
	@bash tests/e2e/install.sh $(E2E)
	@touch $@

e2e: $(VENV)/.dev $(E2E)/.installed   ## start rendered bundles with the real engines, on the CPU
	@$(BIN)/python -m pytest tests/e2e -q

browser: $(VENV)/.browser   ## work with the pages in Chromium: copy, tabs, keyboard, accessibility, small screens
	@$(BIN)/python -m pytest tests/browser -q

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

docs: $(VENV)/.dev   ## write the generated pages again
	@$(BIN)/launchplan docs --write docs

bench: $(VENV)/.run  ## time verdicts, lint of a runbook, a search over layouts, and a bundle of 64 hosts
	@$(BIN)/python tests/benchmarks/verdicts.py
	@$(BIN)/python tests/benchmarks/lint.py
	@$(BIN)/python tests/benchmarks/fit.py
	@$(BIN)/python tests/benchmarks/bundles.py

clean:           ## remove what make made
	@rm -rf $(VENV) launch dist
