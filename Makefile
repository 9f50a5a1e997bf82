# Everything a developer runs. It needs make and Python 3.11 or newer; the rest is installed into $(VENV).
#
#   make train [ARGS="experiments/atari/pong.yaml --workers 2"]    train; without a file: experiments/*.yaml
#   make test  [ARGS="tests/envs -x"]                              the tests, except the slow ones
#   make slow                                                      the slow tests, minutes each
#   make check                                                     format, lint, types
#   make bench [ARGS="--only sb3-ratio"]                           benchmarks/online.py
#   make format                                                    let ruff put format and lint right
#   make setup                                                     only install
#   make clean                                                     remove caches and builds; $(VENV) and results/ stay
#
# PYTHON=python3.12 chooses another interpreter for a new $(VENV).

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
OLD_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

.PHONY: train test slow check format bench setup clean

train: $(VENV)/.installed
	$(BIN)/merlin train $(ARGS)

test: $(VENV)/.installed
	$(BIN)/pytest $(ARGS)

slow: $(VENV)/.installed
	$(BIN)/pytest -m slow $(ARGS)

check: $(VENV)/.installed
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/ty check

format: $(VENV)/.installed
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/online.py $(ARGS)

setup: $(VENV)/.installed

# Made anew when the dependencies change. The stamp is written last, so a broken installation is tried again.
$(VENV)/.installed: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is not there. Install Python 3.11 or newer, or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c '$(OLD_ENOUGH)' || { echo "merlin needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	@echo "Installing merlin and what it needs into $(VENV) (minutes the first time: PyTorch is large)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[dev]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed
	$(PIP) -e '.[dev,bench]'
	@touch $@

clean:
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
