# The short way to the common tasks; CMake does the work (docs/building.md). `make help` lists the targets.

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
# Instruction sets of the program: native (the default, the quickest to build), all (for packages), or a list.
ISAS   ?=

# A build folder holds absolute paths: where the checkout was moved or copied, it is configured again.
FORGOTTEN := $(shell for cache in build*/CMakeCache.txt; do \
    made_in=$$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$$cache" 2>/dev/null); \
    test -z "$$made_in" -o "$$made_in" -ef "$${cache%/*}" || rm -rf "$$cache" "$${cache%/*}/CMakeFiles"; done)

# Ninja where it is installed. Read by CMake when a build folder is made; an existing one keeps its generator.
export CMAKE_GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)
CONFIGURE := cmake $(if $(ISAS),"-DCONTINUA_ISAS=$(ISAS)") --log-level=NOTICE --preset
# CMake may run make itself: it must not think that it is part of this one.
COMPILE   := env -u MAKEFLAGS -u MAKELEVEL cmake --build --parallel $(JOBS) --preset
TEST      := ctest --output-on-failure --parallel $(JOBS) --preset

.DEFAULT_GOAL := all
.PHONY: all mpi mpi-test demo view test wheel deb docs install uninstall clean help format lint debug asan tsan v4-test coverage fuzz kill-campaign svd-campaign \
    plasticity-campaign courant-campaign room-campaign interop web-test bench reproduce verify mutations

all: ## build the command (build/continua) and the library
	@scripts/setup build
	@test -f build/CMakeCache.txt -a -z "$(ISAS)" || $(CONFIGURE) release -DCONTINUA_TESTS=OFF
	@$(COMPILE) release --target continua continua_shared

mpi: ## build the command for several processes (build-mpi/continua): mpirun -n 4 build-mpi/continua run SCENE
	@scripts/setup mpi
	@test -f build-mpi/CMakeCache.txt -a -z "$(ISAS)" || $(CONFIGURE) mpi -DCONTINUA_TESTS=OFF
	@$(COMPILE) mpi --target continua

mpi-test: ## the tests of several processes
	@scripts/setup mpi
	@scripts/setup test
	@$(CONFIGURE) mpi -DCONTINUA_TESTS=ON
	@$(COMPILE) mpi --target continua
	@ctest --output-on-failure --preset mpi -L ranks

demo: ## simulate falling jelly and make a film of it (under a minute)
	@scripts/setup demo
	@$(MAKE) --no-print-directory all
	build/continua run examples/jelly/scene.yaml -o out/demo --force --film
	-build/continua render out/demo --quality high --light --frames 42:42 --size 960x540 -o out/demo/traced.png
	@printf '%s\n' '' \
	    'frames:   out/demo/run.pvd (ParaView) and out/demo/frames/ (one file each)' \
	    'film:     out/demo/film.mp4' \
	    'pictures: out/demo/picture.png, drawn as it ran, and out/demo/traced.png, by path tracing' \
	    '' \
	    'try next:' \
	    '  build/continua examples' \
	    '  build/continua run examples/jelly/scene.yaml --set time.end=3s -o out/longer --film' \
	    '  build/continua render out/demo --color-by speed -o out/speed.mp4'

view: ## build the command with its viewer in the browser
	@scripts/setup view
	@$(CONFIGURE) release -DCONTINUA_VIEW=ON
	@$(MAKE) --no-print-directory all
	@printf '%s\n' '' 'try:' '  build/continua view examples --open' '  build/continua run examples/jelly/scene.yaml --view'

test: ## build everything and run all tests
	@scripts/setup test
	@$(CONFIGURE) release -DCONTINUA_TESTS=ON
	@$(COMPILE) release
	@$(TEST) release

install: all ## install under PREFIX (/usr/local); DESTDIR is respected
	cmake --install build --prefix "$(PREFIX)"

wheel: ## make a wheel of the Python module with the library and every instruction set (or ISAS=native) inside: dist/continua-*.whl
	@scripts/setup build
	@$(CONFIGURE) release -B build-wheel -DCONTINUA_ISAS=$(or $(ISAS),all) -DCONTINUA_TESTS=OFF -DCONTINUA_CHOLMOD=OFF -DCONTINUA_EMBREE=OFF
	@env -u MAKEFLAGS -u MAKELEVEL cmake --build build-wheel --parallel $(JOBS) --target continua_shared
	@scripts/wheel build-wheel/src/libcontinua.so dist

deb: ## make a Debian package with every instruction set (or ISAS=native, for this machine): dist/continua_*.deb
	@scripts/setup deb
	@$(CONFIGURE) release -B build-deb -DCONTINUA_ISAS=$(or $(ISAS),all) -DCONTINUA_TESTS=OFF -DCONTINUA_CHOLMOD=OFF \
	    -DCMAKE_INSTALL_PREFIX=/usr -DCONTINUA_PYTHON_DIR=lib/python3/dist-packages
	@env -u MAKEFLAGS -u MAKELEVEL cmake --build build-deb --parallel $(JOBS)
	@scripts/deb build-deb dist

docs: ## make the site of the documentation, for reading without a network: build-docs/html/index.html
	@scripts/setup docs
	@scripts/docs

uninstall: ## remove what the last `make install` installed
	@test -f build/install_manifest.txt || { echo "nothing was installed from this folder"; exit 1; }
	xargs -d '\n' rm -f -- < build/install_manifest.txt

clean: ## remove all build folders
	rm -rf build build-mpi build-debug build-asan build-tsan build-v4 build-coverage build-fuzz build-mutations build-wheel build-deb build-docs dist

# ---- For those who change continua -------------------------------------------------------------------------

format: ## put every C file into the project's format
	@scripts/setup test
	@scripts/lint --fix

lint: ## check format, layers and house rules
	@scripts/setup test
	@scripts/lint

debug asan: ## run all tests with invariants checked at each step; asan: with sanitizers, too
	@scripts/setup test
	@$(CONFIGURE) $@
	@$(COMPILE) $@
	@$(TEST) $@

tsan: ## run the tests that use threads under the thread sanitizer
	@scripts/setup test
	@$(CONFIGURE) tsan
	@$(COMPILE) tsan
	@$(TEST) tsan

v4-test: ## run the code for AVX-512 on machines that lack it, by emulation
	@scripts/setup v4-test
	@$(CONFIGURE) v4
	@$(COMPILE) v4
	@CONTINUA_ISA=v4_emulated $(TEST) v4

coverage: ## which share of each file's lines the tests reach
	@scripts/setup test
	@$(CONFIGURE) coverage
	@$(COMPILE) coverage
	@find build-coverage -name '*.gcda' -delete
	@$(TEST) coverage
	@scripts/coverage build-coverage

bench: ## measure the step on this machine and write docs/benchmarks.md (leave the machine alone meanwhile)
	@$(MAKE) --no-print-directory all
	@scripts/bench

reproduce verify: ## repeat the papers' experiments, or compare with known truths: out/NAME/index.html
	@$(MAKE) --no-print-directory all
	build/continua $@ all --report out/$@

mutations: ## plant mistakes in a copy of the sources and see which tests and experiments notice; writes docs/mutations.md
	@scripts/setup test
	@scripts/mutations --write

interop: ## run the tests with ParaView, Blender, a USD reader and meshio (a large installation)
	@scripts/setup interop
	@$(CONFIGURE) release -DCONTINUA_TESTS=ON
	@$(COMPILE) release
	@$(TEST) release -L interop

web-test: ## run the tests of the viewer, its page in a browser included
	@scripts/setup web-test
	@$(CONFIGURE) release -DCONTINUA_TESTS=ON -DCONTINUA_VIEW=ON
	@$(COMPILE) release
	@$(TEST) release -R '^(web|view)_'

TARGET ?= all
RUNS   ?= 60s
fuzz: ## feed broken files to the readers: TARGET=scene|mesh|checkpoint|particles|all RUNS=5000000|60s
	@scripts/fuzz $(TARGET) $(RUNS)

KILLS ?= 50
kill-campaign: ## kill -9 a run at KILLS random moments and resume it: the result must not change
	@scripts/setup test
	@$(MAKE) --no-print-directory all
	CT_KILLS=$(KILLS) CONTINUA=$(CURDIR)/build/continua python3 tests/cli/test_kill.py

MATRICES ?= 100000000
svd-campaign: ## decompose MATRICES random and adversarial matrices in every variant; prints the largest errors
	@scripts/setup test
	@$(CONFIGURE) release -DCONTINUA_TESTS=ON
	@$(COMPILE) release
	@for test in build/tests/test_svd_*; do \
	    echo "$$test"; CT_SVD_MATRICES=$(MATRICES) $$test 2>/dev/null | grep -E 'epsilon|FAILED'; done

STATES ?= 10000000
plasticity-campaign: ## map STATES random states of every plastic material back to its yield surface; prints the worst
	@scripts/setup test
	@$(CONFIGURE) release -DCONTINUA_TESTS=ON
	@$(COMPILE) release
	@for test in build/tests/test_plasticity_[23][fd]_*; do \
	    CT_CAMPAIGN=$(STATES) CT_MATERIAL=$(MATERIAL) $$test 2>&1 | grep -E ' states,|FAILED'; done

courant-campaign: ## measure how many cells sound may cross in a step, by scheme, kernel and force form
	@scripts/setup test
	@$(CONFIGURE) release -DCONTINUA_TESTS=ON
	@$(COMPILE) release
	CT_CAMPAIGN=1 build/tests/test_physics_courant

ROOMS ?= 1000
room-campaign: ## fill ROOMS random rooms with random bodies, walls, materials and colliders: nothing may get out
	@scripts/setup test
	@$(CONFIGURE) release -DCONTINUA_TESTS=ON
	@$(COMPILE) release
	CT_ROOMS=$(ROOMS) build/tests/test_physics_rooms

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z -]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
