# articulado: `make demo` asks a real question on a fresh machine, `make test` runs the tests, `make check` is what CI runs.
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

# The tests of the chat page drive Debian's Chromium: it is installed where that is possible, else they are skipped.
BROWSER = $(firstword $(foreach name,chromium chromium-browser google-chrome,$(shell command -v $(name))))

.PHONY: demo test check format install aegra browser clean

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
	@if [ -n "$(BROWSER)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium; } > /dev/null || \
			echo "No se ha podido instalar Chromium: se omiten las pruebas de la página."; \
	else echo "No hay Chromium: se omiten las pruebas de la página."; fi

demo: install
	$(BIN)/articulado ask "¿Cuántos días de vacaciones me corresponden?"

test: install aegra browser
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(AEGRA) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
