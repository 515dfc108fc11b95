# The only entry points: people, .ci/run and the workflows call nothing else. README.md says what each target does.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := site
.PHONY: site build pages test labs check outputs bench gpu locks system

PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
PORT ?= 8000
PAGE ?=
SITE_URL ?= http://127.0.0.1:$(PORT)
REPO_URL ?=
UPGRADE ?=

PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
KATEX := overrides/assets/vendor/katex/katex.min.css
PYTEST := $(PY) -m pytest -q

export PATH := $(abspath $(VENV))/bin:$(PATH)
export SITE_URL_EN := $(SITE_URL:/=)/en/
export SITE_URL_ZH := $(SITE_URL:/=)/zh/
export REPO_URL
export NO_MKDOCS_2_WARNING := 1
export EDIT_URI_EN := $(if $(REPO_URL),edit/main/docs/en/)
export EDIT_URI_ZH := $(if $(REPO_URL),edit/main/docs/zh/)

# --- what readers and authors run ------------------------------------------------------------------------------------

site: $(VENV)/.site $(KATEX)
	@$(PY) scripts/serve.py --free $(PORT)
	@$(MAKE) --no-print-directory build
	@exec $(PY) scripts/serve.py $(PORT)

build: $(VENV)/.site $(KATEX)
	$(PY) -m mkdocs build --strict -f mkdocs.yml
	$(PY) -m mkdocs build --strict -f mkdocs.zh.yml
	cp overrides/root/* site/

pages: $(VENV)/.test $(KATEX)
	$(VENV)/bin/infra-ref pages check $(PAGE)
	$(PYTEST) --codeblocks tests/pages/test_snippets.py docs $(if $(PAGE),-k '$(PAGE)')
	$(PYTEST) $$($(VENV)/bin/infra-ref pages tests $(PAGE))
	@$(MAKE) --no-print-directory build

outputs: $(VENV)/.test
	$(PY) -m infra_ref.publish.outputs $(PAGE)

# --- what proves the course ------------------------------------------------------------------------------------------

test: $(VENV)/.test $(KATEX)
	@scripts/need_chromium
	@$(PY) -m infra_ref.publish.report forget
	@scripts/part "lint, types and layers" $(MAKE) --no-print-directory check
	@scripts/part "unit tests" $(PYTEST) -n 2 tests --ignore=tests/pages --ignore=tests/site --durations=5
	@scripts/part "snippets alone" $(PYTEST) tests/pages/test_snippets.py --durations=5
	@scripts/part "pages" $(PYTEST) -n 2 --codeblocks tests/pages docs --ignore=tests/pages/test_snippets.py --durations=5
	@scripts/part "verification report" $(PY) -m infra_ref.publish.report
	@scripts/part "strict build of both languages" $(MAKE) --no-print-directory build
	@scripts/part "built HTML and browser" $(PYTEST) tests/site --durations=5

labs: $(VENV)/.test
	@echo "There are no labs yet, so nothing was built: each will have an environment of its own here."

check: $(VENV)/.test
	$(PY) -m ruff check --quiet
	$(PY) -m ruff format --check --quiet
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

# --- what measures ---------------------------------------------------------------------------------------------------

bench: $(VENV)/.test
	$(PY) -m infra_ref.bench cpu

gpu: $(VENV)/.test
	@$(PY) -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' \
	  || { echo "make gpu needs a CUDA device, and torch finds none on this machine." >&2; exit 1; }
	$(PYTEST) --codeblocks docs
	$(PYTEST) -m gpu tests || [ $$? -eq 5 ]
	$(PY) -m infra_ref.bench gpu
	$(PY) -m infra_ref.publish.report

# --- environments ----------------------------------------------------------------------------------------------------

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' \
	  || { echo "Python 3.11.5 or newer is needed; name one, for example: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.site: requirements/site.txt pyproject.toml | $(PY)
	$(PIP) --require-hashes -r requirements/site.txt
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.site
	$(PIP) --require-hashes -r requirements/test.txt
	$(PIP) $(TORCH)
	@touch $@

# Node renders the formulas; where the machine has none, PyPI has it.
ifeq ($(and $(shell command -v node),$(shell command -v npm)),)
NODE := $(VENV)/.node
endif

$(VENV)/.node: requirements/node.txt | $(PY)
	$(PIP) --require-hashes -r requirements/node.txt
	@touch $@

node_modules/.installed: package.json package-lock.json $(NODE)
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(KATEX): node_modules/.installed
	rm -rf $(@D)
	mkdir -p $(@D)/fonts
	cp node_modules/katex/dist/fonts/*.woff2 $(@D)/fonts/
	cp node_modules/katex/dist/katex.min.css $@

# UPGRADE=--upgrade takes newer versions; without it the pins change only where pyproject.toml asks for it.
LOCK = $(VENV)/bin/uv pip compile --quiet $(UPGRADE) --universal --generate-hashes --python-version 3.11.5 \
  --no-emit-index-url --custom-compile-command "make locks" pyproject.toml

locks: $(VENV)/.site
	$(PIP) uv
	$(LOCK) --extra site -o requirements/site.txt
	$(LOCK) --extra test -c requirements/site.txt -o requirements/test.txt
	$(LOCK) --extra node -c requirements/site.txt -o requirements/node.txt
	npm install --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund

# What a bare Debian or Ubuntu lacks for `make test`.
system:
	@scripts/system
