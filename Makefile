# The short front: every target says what it needs and calls CMake or a script under tools/.
PREFIX ?= /usr/local

.PHONY: all build demo test test-long bench install clean

all: build

build:
	@tools/deps.sh build
	@tools/build.sh release

demo:
	@tools/demo.sh

test:
	@tools/test.sh

test-long:
	@tools/test.sh --long

bench: build
	@tools/deps.sh bench
	@bench/run.sh

install: build
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build
