# Set-up, checks and shortcuts. `make help` lists the targets.
PYTHON ?= python3
VENV   := .venv
BIN    := $(CURDIR)/$(VENV)/bin
TOOLS  := $(CURDIR)/.tools
CORES  ?= all
STEP   := tools/step.sh
INSTALL = $(BIN)/python tools/install_packages.py
SYSTEM  = $(PYTHON) tools/system_packages.py
# Which build of torch: cpu, cuda, or by whether this machine has a GPU.
TORCH  ?= auto
DOCKER ?= docker
EXTENSION_SOURCES := CMakeLists.txt pyproject.toml $(shell find cpp -type f)

export PATH := $(BIN):$(PATH)
# Set in many container images: every job would compile each module that it imports again.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
# Where `make package-*` puts modules: the editable installation's compiled half.
MODULES = $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/nlmt
# Prepares a build of the compiled modules in the folder that follows.
CONFIGURE = cmake -S . -G Ninja -DPython_EXECUTABLE=$(BIN)/python -DCMAKE_PREFIX_PATH=$(TOOLS)/kenlm -B
SANITIZED_PACKAGES := alignment classes decoder evaluation io neural phrases rescoring tuning tuples
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 1
FUZZ_EXAMPLES ?= 2000
MUTATIONS ?= 300
RUNS ?= 1
RECORDED = $(if $(RECORD),--record $(RECORD))
MIRROR ?= ../shared/wmt-mirror
LONG_TESTS := coverage sanitize sanitize-threads fuzz \
              $(addprefix acceptance-,docs site peers bytes faults load mutations soak snakemake wmt kubernetes storage slurm aarch64 fresh image)
.PHONY: help setup compiled debootstrap image wheel pretrained mtdata storage demo test lint unit workflow-test acceptance \
        $(LONG_TESTS) docs audit bench gpu-bench format generated lock clean

help: ## list the targets
	@grep -hE '^[a-z%-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 24

# Two jobs, unless make has some: KenLM and nlmt are compiled while Python packages are downloaded.
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,--jobs 2)
setup: ## install and compile everything that other targets need
	@$(MAKE) --silent --no-print-directory $(JOBS) $(VENV)/.compiled $(VENV)/.torch-$(TORCH)

compiled: ## the set-up without torch, to test it on a bare system
	@$(MAKE) --silent --no-print-directory $(JOBS) $(VENV)/.compiled

$(VENV)/.system: envs/installer.lock
	$(STEP) "system packages (1 of 4); a minute if some are missing" $(SYSTEM)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-compile --require-hashes --requirement envs/installer.lock
	touch $@

# For workflow-test. No two processes may use apt at once.
debootstrap: | $(VENV)/.system
	$(SYSTEM) $@ || echo "so the set-up is not tried on a bare Debian"

$(VENV)/.packages: envs/requirements.lock | $(VENV)/.system
	CC=$(CURDIR)/tools/portable_cc.sh $(STEP) "Python packages, 0.2 GB to download (2 of 4); half a minute to 2 minutes" \
	    $(INSTALL) --require-hashes --requirement envs/requirements.lock
	touch $@

$(VENV)/.torch-%: envs/torch-cpu.lock envs/torch-cuda.lock | $(VENV)/.packages
	$(STEP) "torch (2 of 4); seconds to 2 minutes" $(BIN)/python tools/install_torch.py $*
	touch $@

$(TOOLS)/kenlm/.ready: tools/build_kenlm.sh envs/kenlm.lock | $(VENV)/.system
	$(STEP) "KenLM's programs, compiled (3 of 4); a minute on two cores" \
	    tools/build_kenlm.sh $(BIN)/python $(TOOLS)/kenlm
	touch $@

$(VENV)/.compiled: $(VENV)/.packages $(TOOLS)/kenlm/.ready $(EXTENSION_SOURCES)
	ln -sf $(TOOLS)/kenlm/bin/lmplz $(TOOLS)/kenlm/bin/build_binary $(BIN)/
	$(INSTALL) --no-deps $(TOOLS)/kenlm/kenlm-*.whl
	CMAKE_PREFIX_PATH=$(TOOLS)/kenlm $(STEP) "nlmt itself, compiled (4 of 4); 2 to 5 minutes on two cores" \
	    $(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

wheel: setup ## build and test build/wheel/nlmt-*.whl, which installs without a compiler
	rm -rf build/wheel
	tools/build_wheel.sh $(BIN)/python $(TOOLS)/kenlm build/wheel
	$(BIN)/pytest tests/acceptance/test_wheel.py

# Packages of one kind of model, of corpora, of results. Those of pretrained after torch, as both have some in common.
OPTIONAL := pretrained mtdata storage mutations
$(OPTIONAL:%=$(VENV)/.%): $(VENV)/.%: envs/%.lock $(VENV)/.packages
	$(INSTALL) --require-hashes --requirement envs/$*.lock
	touch $@
$(VENV)/.pretrained: | $(VENV)/.torch-$(TORCH)

pretrained: $(VENV)/.pretrained ## install packages for language models of kind: pretrained (90 MB)

mtdata: $(VENV)/.mtdata ## install mtdata, for corpora of kind: mtdata

storage: setup $(VENV)/.storage ## install packages for results in S3 (docs/clusters.md)

image: ## the container image nlmt, of the last commit (docker or podman: DOCKER=podman); TORCH=cuda
	git archive HEAD | $(DOCKER) build --tag nlmt --build-arg TORCH=$(TORCH:auto=cpu) --file envs/Dockerfile -

nlmt.sif: ## the image for Apptainer, of the last commit; TORCH=cuda
	mkdir -p build
	git archive --output build/nlmt.tar HEAD
	apptainer build --build-arg TORCH=$(TORCH:auto=cpu) $@ envs/nlmt.def

demo: setup ## French to English: n-gram baseline against neural rescoring
	$(BIN)/snakemake --cores $(CORES) demo
	@echo; cat results/help/fr-en/report/results.txt

# apt, which waits for the network, has its turn while all is compiled. Lint takes a minute or two, most of it mypy
# on one core: the unit tests use the other one.
test: ## every check
	@$(MAKE) --silent --no-print-directory $(JOBS) $(VENV)/.compiled $(VENV)/.pretrained debootstrap
	@$(MAKE) --no-print-directory $(JOBS) lint unit
	@$(MAKE) --no-print-directory workflow-test

lint: setup ## format, lint and types
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	find cpp -name '*.cpp' -o -name '*.h' | xargs $(BIN)/clang-format --dry-run --Werror

UNIT_TESTS := $(BIN)/pytest --numprocesses logical tests/unit
unit: setup ## unit tests
	$(UNIT_TESTS)

WORKFLOW_TESTS := $(BIN)/pytest --numprocesses logical --dist worksteal tests/workflow
workflow-test: setup ## the whole workflow on a tiny corpus; the set-up's compiled parts on a bare Debian
	@$(MAKE) --silent --no-print-directory debootstrap
	$(WORKFLOW_TESTS)

acceptance: $(LONG_TESTS) ## long tests, some of which need data or a cluster

acceptance-fresh: setup ## the README's commands on bare Debian 12 and 13, as root and as a user (root)
	$(SYSTEM) debootstrap
	$(BIN)/pytest -rP tests/acceptance/test_fresh.py

acceptance-image: setup ## the container image, built by podman, and the demo in it (root)
	$(SYSTEM) debootstrap podman crun fuse-overlayfs
	$(BIN)/pytest -rP tests/acceptance/test_image.py

acceptance-wmt: setup ## scale mini, six pairs to BLEU, from a copy of the WMT site: MIRROR=folder
	tools/acceptance_wmt.sh $(MIRROR) $(CORES)

acceptance-slurm: setup ## the workflow on a Slurm cluster of two nodes on this machine (root)
	$(SYSTEM) slurm-wlm munge slurmdbd mariadb-server
	$(BIN)/pytest tests/acceptance/test_slurm.py

acceptance-snakemake: setup ## the workflow with the oldest and the newest Snakemake, in build/snakemake
	$(BIN)/pytest -rP tests/acceptance/test_snakemake.py

acceptance-kubernetes: setup ## the workflow on Kubernetes, with a stand-in for kubectl
	$(BIN)/pytest tests/acceptance/test_kubernetes.py

acceptance-storage: storage ## the workflow with results in S3, on a server on this machine
	$(BIN)/pytest tests/acceptance/test_storage.py

acceptance-soak: setup ## the default system five times: memory, handles, files and results do not drift
	$(BIN)/pytest -rP tests/acceptance/test_soak.py

acceptance-faults: setup ## kills, full disks, lost and damaged files, clocks, memory (root); NLMT_KILLS=20
	$(SYSTEM) faketime
	$(BIN)/pytest tests/acceptance/faults
	NLMT_TURNS=500 $(BIN)/pytest tests/unit/io/test_two_users.py
	NLMT_FAULT_POINTS=200 $(BIN)/pytest -rP tests/unit/test_fault_points.py

acceptance-load: setup $(VENV)/.pretrained debootstrap ## unit and workflow tests beside four times the machine's load, again and again: RUNS=1
	$(BIN)/python -m tests.acceptance.load build/load --runs $(RUNS) $(RECORDED) \
	    "$(UNIT_TESTS)" "$(WORKFLOW_TESTS)"

acceptance-mutations: setup $(VENV)/.mutations ## what share of faults put into the code do tests see? MUTATIONS=300
	$(BIN)/python -m tests.mutations.run build/mutations --mutations $(MUTATIONS) $(RECORDED)

acceptance-peers: setup ## answers compared with those of the programs themselves; MOSES=, MERT=, WCLUSTER=, MKCLS=
	$(BIN)/pytest tests/acceptance/peers

acceptance-bytes: setup ## the same artefacts with other builds and other kernels of libraries
	$(BIN)/pytest tests/acceptance/test_bytes.py

# qemu tells a process another time of its own start than others see, by which locks and temporary folders
# know whose they are. The three of nlmt.neural emulate torch for hours and compiled code for seconds.
NOT_UNDER_QEMU := io/test_locks.py io/test_temporary.py neural/test_neural_launch.py neural/test_neural_matrix.py \
                  neural/test_neural_ranks.py
acceptance-aarch64: setup ## a cross-compiled build for aarch64, tests of compiled packages under qemu (root)
	$(SYSTEM) g++-aarch64-linux-gnu mmdebstrap qemu-user-static
	tools/run_aarch64.sh tools/build_aarch64.sh $(BIN)/python
	tools/run_aarch64.sh python3 -m pytest $(SANITIZED_PACKAGES:%=tests/unit/%) \
	    $(addprefix --ignore tests/unit/,$(NOT_UNDER_QEMU))
	$(BIN)/pytest tests/acceptance/test_aarch64.py

acceptance-docs: setup ## every command and snippet of README.md and docs/, on small real data
	$(BIN)/pytest tests/acceptance/test_docs.py

READER_TESTS := io phrases alignment/test_alignment_symmetrisation.py decoder/test_decoder_binary_tables.py \
                decoder/test_decoder_errors.py decoder/test_decoder_flags.py decoder/test_decoder_markup.py \
                decoder/test_decoder_tables.py neural/test_neural_encoded.py rescoring/test_conversion.py \
                tuning/test_tuning_files.py
# In a copy of the library, modules with readers are replaced by some that count.
coverage: setup ## lines and branches of the readers of outside files that their tests reach
	$(CONFIGURE) build/coverage -DNLMT_COVERAGE=ON
	cmake --build build/coverage --target _alignment _decoder _lattice _links _mert _nbest _phrases _text
	mkdir -p build/coverage/site
	cp -r src/nlmt "$(MODULES)" build/coverage/site
	cd build/coverage/cpp && cp --parents */_*.so ../site/nlmt
	cp tools/start_with_path.py build/coverage/site/sitecustomize.py
	find build/coverage -name '*.gcda' -delete
	PYTHONPATH=$(CURDIR)/build/coverage/site $(BIN)/pytest $(addprefix tests/unit/,$(READER_TESTS))
	$(BIN)/gcovr --config cpp/gcovr.cfg build/coverage

# The sanitizer must be loaded before Python is, and before the library that throws exceptions.
sanitize: setup ## compiled packages under address and undefined-behaviour sanitizers; FUZZ_SECONDS=60
	$(CONFIGURE) build/sanitize -DNLMT_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Debug
	cmake --build build/sanitize
	cmake --install build/sanitize --prefix build/sanitize/site
	tools/run_sanitized.sh $(BIN)/pytest $(SANITIZED_PACKAGES:%=tests/unit/%)
	tools/run_sanitized.sh $(BIN)/python tests/unit/decoder/decoder_fuzz.py \
	    --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) $(RECORDED)

sanitize-threads: setup ## compiled packages under the thread sanitizer: tests of work in several threads
	$(CONFIGURE) build/threads -DNLMT_SANITIZE=thread -DCMAKE_BUILD_TYPE=Debug
	cmake --build build/threads
	cmake --install build/threads --prefix build/threads/site
	SANITIZER=thread tools/run_sanitized.sh $(BIN)/pytest $(SANITIZED_PACKAGES:%=tests/unit/%) -m threads

fuzz: setup ## readers of outside files under libFuzzer and hypothesis; FUZZ_SECONDS=60 a target
	$(SYSTEM) clang libclang-rt-14-dev
	cmake -S tests/fuzz -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ \
	    -DCMAKE_PREFIX_PATH=$(TOOLS)/kenlm
	cmake --build build/fuzz
	$(BIN)/python -m tests.fuzz.run build/fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) $(RECORDED)
	$(BIN)/python tests/unit/pipeline_fuzz.py --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) $(RECORDED)
	NLMT_FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/pytest -rP tests/unit/test_damaged_files.py

audit: setup ## bill of materials, licences, known vulnerabilities: ADVISORIES=folder
	$(BIN)/python tools/audit.py results/audit --debian $(shell $(SYSTEM) --list) \
	    $(if $(ADVISORIES),--advisories $(ADVISORIES))

generated: setup ## write the JSON schema, docs/configuration.md, docs/commands.md and tables of the docs
	$(BIN)/nlmt config generate .
	$(BIN)/python -m tools.write_tables

# Notebooks are run where the demo has been.
DEMO := $(wildcard results/help/fr-en/report/results.json)
NOTEBOOKS := $(if $(DEMO),$(patsubst docs/%,build/%,$(wildcard docs/notebooks/*.ipynb)))

docs: $(VENV)/.docs $(NOTEBOOKS) ## the documentation as a site in build/site, all links checked
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "build/site/index.html"

acceptance-site: setup docs ## the site in a browser (chromium): nothing cut off, nothing from the network
	$(BIN)/pytest tests/acceptance/test_site.py

build/notebooks/%.ipynb: docs/notebooks/%.ipynb tools/run_notebook.py $(DEMO)
	$(STEP) "$(notdir $@), run on the demo's results; a minute" \
	    $(BIN)/python tools/run_notebook.py $< $@

$(VENV)/.docs: envs/docs.lock | $(VENV)/.system
	$(STEP) "packages for the documentation; half a minute" \
	    $(INSTALL) --require-hashes --requirement envs/docs.lock
	touch $@

bench: setup ## speed and memory, beside the figures of the existing tools
	$(BIN)/python -m benchmarks

# Of the version of Python of the machine with the GPU, with pip and nanobind.
GPU_PYTHON ?= $(BIN)/python
gpu-bench: setup ## make .gpu, for benchmarks/gpu.sh on a machine with a GPU and no network; GPU_PYTHON=program
	rm -rf .gpu
	$(GPU_PYTHON) -m pip download --quiet --no-deps --only-binary :all: --dest .gpu/whl $$(sed -nE \
	    's/^((annotated-types|pydantic|pydantic-core|pyyaml|typing-extensions|typing-inspection)==[^ ]+).*/\1/p' \
	    envs/requirements.lock)
	cmake -S . -B build/gpu -G Ninja -DNLMT_PACKAGES="neural;io;classes" -DPython_EXECUTABLE=$(GPU_PYTHON)
	cmake --build build/gpu
	cmake --install build/gpu --prefix .gpu

format: setup ## rewrite all code in the project's format
	$(BIN)/snakefmt Snakefile rules
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find cpp -name '*.cpp' -o -name '*.h' | xargs $(BIN)/clang-format -i

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
        --no-emit-index-url --no-emit-find-links

# pretrained, docs, storage, mutations and torch have the versions of requirements where both name a package.
lock: ## write envs/*.lock from envs/*.in (needs uv, and PyTorch's index of CPU builds)
	for name in installer kenlm requirements pretrained docs storage mutations; do \
	    $(LOCK) envs/$$name.in -o envs/$$name.lock || exit 1; \
	done
	mkdir -p build
	sed -n '/^portalocker/d; s/^\([^ #]*==[^\\]*\).*/\1/p' envs/requirements.lock > build/constraints.txt
	$(LOCK) envs/mtdata.in -c build/constraints.txt -o envs/mtdata.lock
	$(LOCK) envs/torch.in -c envs/requirements.lock -o envs/torch-cuda.lock
	$(LOCK) envs/torch.in --no-deps --torch-backend cpu -o envs/torch-cpu.lock

package-%: ## build one compiled package again while working on it (package-decoder, package-neural ...)
	$(CONFIGURE) build/$* -DNLMT_PACKAGES=$* -DNLMT_OUTPUT="$(MODULES)"
	cmake --build build/$*

clean: ## remove all that set-up and builds made; results and data stay
	rm -rf $(VENV) $(TOOLS) build .mypy_cache .ruff_cache .pytest_cache
