# A front for the commands a person types; the build itself is CMake's (CMakePresets.json).
.PHONY: setup build test clients quickstart bench lint sanitize fuzz hostile format clean

setup:
	@scripts/setup

build: setup
	@cmake --preset release
	@cmake --build --preset release

test: build
	@ctest --preset release -LE slow

# Clients from PyPI (openai, libretranslatepy) against the server; downloads them.
clients: build
	@ctest --preset release -R '^serve[.]clients$$'

# Builds the programs alone: tests and benchmarks are most of a whole build.
quickstart:
	@scripts/setup build
	@cmake --preset release
	@cmake --build --preset release --target memsizer memsizer-train
	@build/release/bin/memsizer quickstart

bench: build
	@build/release/bin/bench_mixers

lint:
	@scripts/lint

# ASan and UBSan over all that builds without LibTorch, TSan over engine, library and server.
sanitize: setup
	@scripts/sanitize

# A short search for files that break the readers; tests/fuzz/run SECONDS searches longer.
fuzz: setup
	@tests/fuzz/run 10

# Damaged and forged files, ugly text, odd options, signals, limits, two programs at once: all inputs of tests/hostile.
hostile: build
	@tests/hostile/run build/release/bin --long

format:
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

clean:
	@rm -rf build
