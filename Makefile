# Everything a developer needs. Each target installs what is missing first.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
CONFIGURATION := -c release
# All at once, over a thousand tests wait for a few processors, and limits of time mean nothing.
TESTS_AT_A_TIME := 8

.PHONY: demo test suites mutate build format lint install uninstall benchmark benchmark-http vectors clean packages

## Verifies real evidence, and shows a tampered copy being refused.
demo: build
	@Scripts/demo .build/release/assay

## Builds and passes every test. With ASSAY_SHARED set, the shared vectors and third-party suites run too.
test: packages
	Scripts/install-packages zstd || test "$${CI:-}$${ASSAY_SHARED:-}" = ""
	peers=$$(Scripts/install-peers) && browser=$$(Scripts/install-browser) && \
		ASSAY_PEERS="$$peers" ASSAY_BROWSER="$$browser" \
		SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TESTS_AT_A_TIME) \
		$(SWIFT) test $(CONFIGURATION) --disable-testable-imports --disable-xctest
	Scripts/test-spark .build/release/assay

## Runs every third-party suite and every vector, and writes the table to Docs/suites.md. Needs ASSAY_SHARED.
suites: packages
	@test -n "$${ASSAY_SHARED:-}" || { echo "ASSAY_SHARED is not set: the suites are not part of this repository" >&2; exit 1; }
	$(SWIFT) run $(CONFIGURATION) Trials suites --output Docs/suites.md

## Changes every accepted vector in every small way, on all processors; takes half an hour. MUTATE="--sample 100" is quicker.
mutate: packages
	$(SWIFT) run $(CONFIGURATION) Trials mutate $(MUTATE)

build: packages
	$(SWIFT) build $(CONFIGURATION) --product assay

## Rewrites the sources in the one format; `make lint` only checks it.
format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Examples/hummingbird Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources Fuzz/Targets

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Examples/hummingbird Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources Fuzz/Targets

## Installs a binary that needs no Swift at run time, with shell completions.
install: packages
	$(SWIFT) build $(CONFIGURATION) --static-swift-stdlib --product assay
	Scripts/install .build/release/assay "$(DESTDIR)$(PREFIX)"

uninstall:
	Scripts/install --remove "$(DESTDIR)$(PREFIX)"

## Measures rates, scaling and memory as ratios to bare cryptography, and to other implementations, in the same run.
benchmark: build
	peers=$$(Scripts/install-peers) && \
		ASSAY_PEERS="$$peers" $(SWIFT) run $(CONFIGURATION) --package-path Benchmarks Benchmarks

## Measures a Hummingbird server with the check of Approov tokens against the same server without it.
benchmark-http: packages
	Scripts/install-packages wrk
	$(SWIFT) build $(CONFIGURATION) --product HTTPBenchmarkServer
	Scripts/benchmark-http .build/release/HTTPBenchmarkServer

## Mints the test vectors anew, under the same test authority and keys.
vectors: build
	rm -rf TestVectors/app-attest/minted TestVectors/play-integrity/minted TestVectors/approov/minted
	.build/release/assay mint app-attest --output TestVectors/app-attest/minted \
		--seed "assay test vectors" --at 2026-09-21T12:00:00Z
	.build/release/assay mint play-integrity --output TestVectors/play-integrity/minted \
		--seed "assay test vectors" --at 2026-09-21T12:00:00Z
	.build/release/assay mint approov vectors --output TestVectors/approov/minted \
		--seed "assay test vectors" --at 2026-09-21T12:00:00Z

clean:
	$(SWIFT) package clean
	rm -rf Benchmarks/.build

packages:
	@Scripts/install-packages
