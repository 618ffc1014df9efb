# Every command a person types. Each sets up .venv first; a second run reuses it.
PYTHON ?= python3
BIN := .venv/bin
# The PyTorch release the results were made with. Pinned so that pip does not fetch
# the newest CUDA build where a CPU build of this one is at hand.
TORCH := torch==2.13.0
# From Python 3.12 on, coverage is measured at little cost; before, in some of the tests only
# (tests/conftest.py).
COVERAGE := $(shell $(PYTHON) -c "import sys; print('COVERAGE_CORE=sysmon' * (sys.version_info >= (3, 12)))")
# The files are named, as every process would import all others to find nothing in them.
PROCESSOR_TESTS := $(BIN)/python -m pytest -n 2 -q -m "processor and not slow" \
	$(shell grep -rl --include='test_*.py' mark.processor tests)

.PHONY: test check lint types test-slow test-cluster test-processors test-lowest test-wheel docs fuzz demo bench bench-profile leaderboard clean

test: check test-wheel     ## lint, types, all fast tests and the wheel: what CI runs

check: lint types
	$(COVERAGE) $(BIN)/python -m pytest -n 2 -q --cov --cov-report=
	ATEN_CPU_CAPABILITY=default MKL_CBWR=COMPATIBLE $(PROCESSOR_TESTS)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

test-slow: .venv/ready     ## the tests that take minutes
	$(BIN)/python -m pytest -m slow

test-cluster: .venv/ready  ## the tests that start Dask and Ray
	$(BIN)/python -m pytest -m cluster

test-processors: .venv/ready  ## what compares bits or last digits, as other processors
	ATEN_CPU_CAPABILITY=default $(PROCESSOR_TESTS)
	ATEN_CPU_CAPABILITY=avx2 $(PROCESSOR_TESTS)
	MKL_ENABLE_INSTRUCTIONS=AVX2 $(PROCESSOR_TESTS)
	ONEDNN_MAX_CPU_ISA=AVX2 $(PROCESSOR_TESTS)
	MKL_CBWR=COMPATIBLE $(PROCESSOR_TESTS)

test-lowest: .venv-lowest/ready  ## the tests with the lowest versions allowed; 7 GB
	PYTHONPATH=$(CURDIR)/src .venv-lowest/bin/python -m pytest -n 2 -q --ignore tests/paper

test-wheel:                ## a wheel in a fresh environment; EXTRA=onnx for one with an extra
	rm -rf .venv-wheel
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet --no-compile build $(TORCH)
	.venv-wheel/bin/python -m build --wheel --outdir .venv-wheel/dist .
	.venv-wheel/bin/python -m pip install --quiet --no-compile "$$(ls .venv-wheel/dist/*.whl)$(if $(EXTRA),[$(EXTRA)])"
	cd .venv-wheel && bin/python -P ../tests/wheel_smoke.py $(EXTRA)

docs: .venv-docs/ready     ## the site, docs/_build/html/index.html
	cd docs && ../.venv-docs/bin/python -m sphinx -W --keep-going -q . _build/html

fuzz: .venv/ready          ## 20,000 spoiled files, an hour at most
	$(BIN)/python -m tests.fuzzing --files 20000 --seconds 3600 --seed 0

demo: .venv/ready          ## results/demo/index.html
	$(BIN)/python -m antireg.paper.demo

bench: .venv-bench/ready   ## speed beside peers, and how cost grows
	.venv-bench/bin/python -m benchmarks.speed
	.venv-bench/bin/python -m benchmarks.speed.whole_fits
	.venv-bench/bin/python -m benchmarks.speed.scaling

bench-profile: .venv-bench/ready  ## where the time of a fit goes; docs/speed.md
	.venv-bench/bin/python -m benchmarks.speed.profile
	.venv-bench/bin/python -m benchmarks.speed.tables

leaderboard: .venv-bench/ready  ## what is missing of the leaderboard, then docs/leaderboard.md; a day
	OMP_NUM_THREADS=1 .venv-bench/bin/python -m benchmarks.leaderboard --processes 2
	.venv-bench/bin/python -m benchmarks.leaderboard.page

clean:
	rm -rf .venv .venv-bench .venv-docs .venv-lowest .venv-wheel .coverage
	rm -rf results/demo docs/_build docs/gallery docs/generated

.venv/ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

.venv-bench/ready: benchmarks/requirements.txt pyproject.toml
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet $(TORCH) -r benchmarks/requirements.txt
	.venv-bench/bin/python -m pip install --quiet --editable ".[shifts]"
	.venv-bench/bin/python -m pip install --quiet --no-deps ISLP  # for its table Bikeshare
	touch $@

.venv-docs/ready: docs/requirements.txt pyproject.toml
	test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet $(TORCH) -r docs/requirements.txt
	.venv-docs/bin/python -m pip install --quiet --editable ".[dask,examples,onnx,serve,tables]" pandas
	touch $@

.venv-lowest/ready: pyproject.toml
	test -x .venv-lowest/bin/python || $(PYTHON) -m venv .venv-lowest
	$(PYTHON) -m tests.lowest_versions > .venv-lowest/versions.txt
	.venv-lowest/bin/python -m pip install --quiet -r .venv-lowest/versions.txt
	touch $@
