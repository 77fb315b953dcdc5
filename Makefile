# articulado: `make demo` asks a real question on a fresh machine, `make test` runs the tests, `make check` is what CI runs,
# `make check-all` what a nightly run adds.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Tests start many processes: what one has compiled, the next need not.
export PYTHONDONTWRITEBYTECODE =

# Aegra, an Agent Server, takes a newer Python: its tests are skipped where there is none.
AEGRA := .venv-aegra
NEWER = $(shell for python in python3.12 python3.13 "$$HOME"/.pyenv/versions/3.1[23]*/bin/python; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && { echo "$$python"; break; }; done)

# The tests of the chat page drive Debian's Chromium, best without a desktop browser around it, which takes a third of the
# time: it is installed where that is possible; without any, they are skipped.
SHELL_BROWSER = $(shell command -v chromium-headless-shell)
BROWSER = $(firstword $(foreach name,chromium chromium-browser google-chrome,$(shell command -v $(name))))

# What locks, lists and audits the dependencies, apart from them.
TOOLS := .venv-tools

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup

.PHONY: demo test check cards-stale check-all coverage mutation types format install aegra browser lock sbom audit clean

install: $(READY)

# The constraints pin the whole set to versions that are known to work together.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "articulado necesita Python 3.11 o posterior (hay $$($(PYTHON) --version 2>&1)). Indique otro: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

aegra: pyproject.toml constraints.txt
	@if [ -z "$(NEWER)" ]; then echo "No hay Python 3.12: se omiten las pruebas con Aegra."; \
	elif [ ! $(AEGRA)/.ready -nt pyproject.toml ] || [ ! $(AEGRA)/.ready -nt constraints.txt ]; then \
		"$(NEWER)" -m venv $(AEGRA) && \
		$(AEGRA)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[aegra]' && \
		touch $(AEGRA)/.ready; fi

browser:
	@if [ -n "$(SHELL_BROWSER)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && timeout 180 sh -c 'apt-get update && \
		DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium-headless-shell' > /dev/null; then :; \
	elif [ -n "$(BROWSER)" ]; then :; \
	else echo "No hay Chromium: se omiten las pruebas de la página."; fi

demo: install
	$(BIN)/articulado ask "¿Cuántos días de vacaciones me corresponden?"

# Slow tests are skipped, and named at the end: `make check-all` runs them.
test: install browser
	$(PYTEST)

# What takes a second goes first; types are checked beside the tests, as they take one core only.
check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python -m tools.plain_english
	$(MAKE) --jobs=2 types test

types: install
	$(BIN)/mypy

# `make check` with the slow tests, more examples of every property, new ones in each run, and the coverage.
# Answer cards whose law has changed, in the index of the settings or in INDEX=…
cards-stale: install
	@$(BIN)/python -m tools.wordings --stale $(INDEX)

check-all: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python -m tools.plain_english
	$(MAKE) --jobs=2 types coverage

# The tests of `make check-all` in this process and its workers; the processes that tests start are not measured.
coverage: install aegra browser
	@mkdir -p build
	$(PYTEST) --slow --hypothesis-profile=long --cov --cov-report=
	@$(BIN)/coverage report --skip-covered --sort=cover

# A sample of mutants with a fixed seed; `make mutation MUTANTS=0` runs them all (hours).
MUTANTS ?= 300
mutation: install
	@$(BIN)/python -c 'import mutmut' 2> /dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev,mutation]'
	$(BIN)/python -m tools.mutation --sample $(MUTANTS)

$(TOOLS)/.ready:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check 'pip-tools>=7.6,<8' 'cyclonedx-bom>=7.5,<8' 'pip-audit>=2.10,<3'
	@touch $@

# Every file of every version in constraints.txt by its hash, for Python 3.11; the project itself, which has none, left out.
lock: $(TOOLS)/.ready
	$(TOOLS)/bin/pip-compile --quiet --generate-hashes --extra dev --constraint constraints.txt --strip-extras --allow-unsafe \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header --no-annotate \
		--output-file requirements.lock pyproject.toml
	sed -i -e '/^#/d' -e '/^articulado @/d' -e '/^$$/d' requirements.lock

# What is installed, as CycloneDX.
sbom: install $(TOOLS)/.ready
	@mkdir -p build
	$(TOOLS)/bin/cyclonedx-py environment $(BIN)/python --output-file build/sbom.json
	@echo "build/sbom.json"

audit: $(TOOLS)/.ready
	@$(TOOLS)/bin/pip-audit --requirement requirements.lock --require-hashes --disable-pip --progress-spinner off --strict

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(AEGRA) $(TOOLS) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache mutants .coverage
