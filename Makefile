# Everything a developer needs. Each target installs what is missing first.

PREFIX ?= /usr/local
DESTDIR ?=
export SWIFT ?= swift
# SwiftPM gives a package's traits to the compiler in the order of a set. With an order of its own in each process, everything
# above would be compiled again each time.
export SWIFT_DETERMINISTIC_HASHING := 1
# More for every build, such as -debug-info-format none in CI.
BUILD_FLAGS ?=
CONFIGURATION := -c release $(BUILD_FLAGS)
# What the fuzzer is built with; without `address` it is many times as fast. And where, a folder for each, apart from what is
# not instrumented.
export FUZZ_SANITIZERS ?= fuzzer,address
FUZZ_BUILD ?= Fuzz/.build$(if $(findstring address,$(FUZZ_SANITIZERS)),,/fast)
TESTING := $(CONFIGURATION) --disable-testable-imports --disable-xctest
# A thousand tests at once would wait for few processors, and exceed their time limits. Four keep two processors busy.
TESTS_AT_A_TIME := 4
MEASURING := valgrind binutils python3
# Fuzz/ and Benchmarks/ import modules that no product names, and SwiftPM does not compile them again when such a module has
# changed: without its module in the build folder, a target is compiled in any case.
recompile = [ -z "$$(find Sources -newer $(1)/release/Modules/$(2).swiftmodule 2>/dev/null)" ] || \
	rm $(1)/release/Modules/$(2).swiftmodule
SWIFT_SOURCES := Package.swift Sources Tests Examples/demo Examples/hummingbird Examples/first-ten-minutes \
	Examples/own-handlers $(addprefix Clients/apple/,Package.swift Sources Tests Example) \
	Benchmarks/Package.swift Benchmarks/Sources Benchmarks/HotPaths \
	Fuzz/Package.swift Fuzz/Sources Fuzz/Targets

.PHONY: demo demo-service test test-swift test-clients test-build installs quick incremental build api graph measure-house docs format lint install uninstall fuzz bench bench-postgresql \
	grow-postgresql soak-postgresql soak soak-service sanitize instructions profile profile-service suites mutate vectors model failover scale clean packages package-program deb image sbom test-packages reproducible

## Verifies real evidence, and shows a tampered copy being refused. Builds the library alone, to compile less.
demo: packages
	$(SWIFT) build $(CONFIGURATION) --product AssayDemo
	@Scripts/demo .build/release/AssayDemo

## Starts the service, has one record accepted and one rejected by requests of curl, and stops it.
demo-service: packages
	Scripts/install-packages curl openssl
	$(SWIFT) build $(CONFIGURATION) --product assay
	@Scripts/demo-service .build/release/assay

## Builds and passes every test. With ASSAY_SHARED set, the shared vectors and third-party suites run too.
test: test-swift
	Scripts/test-spark .build/release/assay
	Scripts/test-clients .build/release/assay

## The tests of the kits for apps, in Clients/.
test-clients: build
	Scripts/test-clients .build/release/assay

# What tests use, and where it is.
INSTALL_FOR_TESTS = { Scripts/install-packages openssl zstd groff-base || test "$${CI:-}$${ASSAY_SHARED:-}" = ""; } && \
	peers=$$(Scripts/install-peers) && browser=$$(Scripts/install-browser) && \
	gateways=$$(Scripts/install-gateways) && prometheus=$$(Scripts/install-prometheus) && \
	postgresql=$$(Scripts/install-postgresql) && Scripts/install-jwt-libraries && Scripts/install-spark >/dev/null

test-swift: packages
	$(INSTALL_FOR_TESTS) && ASSAY_PEERS="$$peers" ASSAY_BROWSER="$$browser" ASSAY_GATEWAYS="$$gateways" \
		ASSAY_PROMETHEUS="$$prometheus" ASSAY_POSTGRESQL="$$postgresql" \
		SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TESTS_AT_A_TIME) \
		Scripts/test $(TESTING)

# The parts of .ci/run that go on beside each other: everything that is installed, and everything that is compiled.
installs:
	$(INSTALL_FOR_TESTS)
	Scripts/test-clients --installs
	Scripts/install-packages $(MEASURING) $(if $(filter 0,$(shell id -u)),$(PACKAGE_TESTS)) spin gcc libc6-dev curl openssl

# Not by `swift test list`, which builds with other options than `swift test`.
test-build: packages
	$(SWIFT) test $(TESTING) --filter 'the build alone'

## Builds in debug what a suite of tests needs, in a folder of its own, and runs it: make quick T=AppAttest
quick: packages
	@test -n "$(T)" || { echo "name a target of Tests/ without its ending: make quick T=AppAttest" >&2; exit 1; }
	ASSAY_TESTS=$(T)Tests $(SWIFT) test --scratch-path .build/quick-$(T) --disable-xctest $(if $(F),--filter '$(F)')

## The tests under ThreadSanitizer, and then under AddressSanitizer with its search for leaks of C libraries, but those
## that limit or search memory: an hour, and not part of CI.
sanitize: packages
	Scripts/install-packages openssl zstd || test "$${CI:-}$${ASSAY_SHARED:-}" = ""
	Scripts/sanitize thread
	Scripts/sanitize address

## Adds a stored property to a struct of a small package with the end of our manifest, and builds on: its program must print the same.
incremental:
	Scripts/test-incremental $(CONFIGURATION)

## Runs every third-party suite and every vector, and writes the table to Docs/measurements/suites.md. Needs ASSAY_SHARED.
suites: packages
	@test -n "$${ASSAY_SHARED:-}" || { echo "ASSAY_SHARED is not set: the suites are not part of this repository" >&2; exit 1; }
	$(SWIFT) run $(CONFIGURATION) Trials suites --output Docs/measurements/suites.md

## Changes every accepted vector in every small way, on all processors; takes half an hour. MUTATE="--sample 100" is quicker.
## Then inspects a million cut and changed blobs, of which `make test` takes a fifth.
mutate: packages
	$(SWIFT) run $(CONFIGURATION) Trials mutate $(MUTATE)
	$(SWIFT) run $(CONFIGURATION) InspectionStress 1000000

build: packages
	$(SWIFT) build $(CONFIGURATION) --product assay

## Rewrites the sources in the one format. `make lint` checks it, that targets declare what they import, and Docs/architecture.md.
format:
	$(SWIFT) format --in-place --recursive --parallel $(SWIFT_SOURCES)

lint:
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	Scripts/check-imports . Fuzz Benchmarks
	Scripts/graph --check

## Writes the public declarations of every product to Docs/api, so that a change of the API is a reviewed line.
api: packages
	$(SWIFT) build $(CONFIGURATION)
	Scripts/api .build/release

## Draws the targets and who uses whom into Docs/architecture.md, from Package.swift.
graph:
	Scripts/graph

## Counts what an addition costs: lines, targets, public declarations. PACKAGES=1 also counts the packages that users resolve, TIMES=1
## measures a first build and edits.
measure-house:
	@Scripts/measure-house $(if $(PACKAGES),--packages) $(if $(TIMES),--times)

## Builds the DocC catalogue of every product into .build/docs; a warning is an error.
docs: packages
	$(SWIFT) build $(CONFIGURATION)
	Scripts/docs .build/release

## Installs the program, shell completions and manual pages. It runs without a toolchain.
install: build
	Scripts/install-packages python3
	program=$$(Scripts/link-program .build/release) && Scripts/install "$$program" "$(DESTDIR)$(PREFIX)"

uninstall:
	Scripts/install --remove "$(DESTDIR)$(PREFIX)"

## The program of packages: its bytes do not depend on this folder.
PACKAGE_PROGRAM := .build/package/release/assay.product/assay
package-program: packages
	Scripts/build-package-program $(SWIFT)

## Makes a Debian package in .build/packages. VERSION and MAINTAINER replace those of the commit.
deb: package-program
	Scripts/install-packages $(PACKAGING)
	Scripts/deb $(PACKAGE_PROGRAM) .build/packages

## Makes an OCI image of the Debian package.
image: sbom
	Scripts/install-packages $(PACKAGING) buildah ca-certificates
	. Scripts/common/package.sh && version=$$(package_version $(PACKAGE_PROGRAM)) && \
		Scripts/image "$$(Scripts/deb $(PACKAGE_PROGRAM) .build/packages)" ".build/packages/assay_$$version.cdx.json" .build/packages

## Writes a bill of materials, CycloneDX.
sbom: package-program
	mkdir -p .build/packages
	. Scripts/common/package.sh && version=$$(package_version $(PACKAGE_PROGRAM)) && \
		Scripts/sbom $(PACKAGE_PROGRAM) "$$version" .build/package >".build/packages/assay_$$version.cdx.json"

## Makes the packages of the program for tests, installs and runs them. Needs root. The first time it fetches an empty Debian.
PACKAGING := binutils debhelper lintian python3
PACKAGE_TESTS := $(PACKAGING) buildah ca-certificates curl debootstrap iproute2 systemd systemd-container
test-packages: build
	Scripts/install-packages $(PACKAGE_TESTS)
	Scripts/test-packages .build/release/assay

## Builds two clones in different folders, makes packages of both, and compares their bytes. Takes two whole builds.
reproducible: packages
	Scripts/install-packages $(PACKAGING) buildah ca-certificates
	Scripts/test-reproducible

## Measures ratios to bare operations and to peers in the same run, and writes them to Docs/measurements as Markdown and SVG.
## `make bench SECTIONS="rate threads"` runs some, and `QUICK=1` takes a rough look; both write nothing.
bench: build
	Scripts/link-program .build/release
	$(SWIFT) build $(CONFIGURATION) --product HTTPBenchmarkServer
	$(call recompile,Benchmarks/.build,Benchmarks)
	peers=$$(Scripts/install-peers benchmarks) && \
		ASSAY_PEERS="$$peers" $(SWIFT) run $(CONFIGURATION) --package-path Benchmarks Benchmarks \
		$(if $(SECTIONS)$(QUICK),$(SECTIONS) $(if $(QUICK),--quick),--output Docs/measurements)

## Measures the PostgreSQL ledger against libpq alone, on a cluster of its own. SECONDS=10 ROUNDS=5 takes longer.
bench-postgresql: packages
	$(SWIFT) build $(CONFIGURATION) --product PostgreSQLStress
	Scripts/benchmark-postgresql $(or $(SECONDS),4) $(or $(ROUNDS),3)

## Compares commits in a small PostgreSQL ledger with those in a large one that is purged, and heaps with their live size: 20 minutes.
## KEYS=100000 DIGESTS=1000000 SECONDS=30 take a rough look.
grow-postgresql: packages
	$(SWIFT) build $(CONFIGURATION) --product PostgreSQLStress
	Scripts/grow-postgresql $(or $(KEYS),1000000) $(or $(DIGESTS),10000000) $(or $(SECONDS),300)

## Commits crossing batches from four processes to one PostgreSQL ledger, and fails after a deadlock or a lost counter. The same in short is
## a test of AssayLedgerPostgreSQLTests. SECONDS=3600 runs longer.
soak-postgresql: packages
	$(SWIFT) build $(CONFIGURATION) --product PostgreSQLStress
	Scripts/soak-postgresql $(or $(SECONDS),300)

## Counts the instructions of the hot paths, and fails when one takes over 5 % more than is stored. STORE=1 stores them.
instructions: packages
	Scripts/install-packages $(MEASURING)
	$(SWIFT) build $(CONFIGURATION) --product HotPaths
	Scripts/count-instructions .build/release/HotPaths $(if $(STORE),--store)

## Writes to Docs/measurements/profile.md what the hot paths spend their instructions on.
profile: packages
	Scripts/install-packages $(MEASURING)
	$(SWIFT) build $(CONFIGURATION) --product HotPaths
	Scripts/count-instructions .build/release/HotPaths --table Docs/measurements/profile.md

## Writes to Docs/measurements/service-profile.md where the processor time of the service's and the middleware's requests goes.
profile-service: build
	Scripts/install-packages linux-perf valgrind python3
	$(SWIFT) build $(CONFIGURATION) --product HTTPBenchmarkServer
	Scripts/profile-service .build/release/assay .build/release/HTTPBenchmarkServer --output Docs/measurements/service-profile.md

## Fuzzes each target for FUZZ_SECONDS=60, and fails while a finding is open; Fuzz/README.md has the other settings.
fuzz: packages
	$(call recompile,$(FUZZ_BUILD),FuzzTargets)
	$(SWIFT) build $(CONFIGURATION) --package-path Fuzz --scratch-path $(FUZZ_BUILD) --product Fuzz \
		-Xswiftc -sanitize=$(FUZZ_SANITIZERS) -Xswiftc -use-ld=lld
	peers=$$(Scripts/install-peers) && ASSAY_PEERS="$$peers" Scripts/fuzz $(FUZZ_BUILD)/release/Fuzz

## Checks the model of the PostgreSQL ledger's commit protocol with spin, see Docs/commit-protocol.md: less than two minutes. And walks
## the state machine of the kits for apps at random, see Docs/client-model.md.
model:
	Scripts/install-packages python3
	Model/check
	python3 -B Model/client/vectors.py --check TestVectors/client
	python3 -B Model/client/vectors.py --walk 1000000

## Kills the primary of a PostgreSQL ledger under load and promotes its standby, PROMOTIONS=1 times, and compares what clients were
## answered with the ledger, see Docs/postgresql.md. BUILT=1 takes the program that is there.
failover: $(if $(BUILT),,build)
	Scripts/install-packages python3
	programs=$$(Scripts/install-postgresql) && gateways=$$(Scripts/install-gateways) && \
		{ test -z "$$programs" || test -z "$$gateways" || ASSAY_POSTGRESQL="$$programs" ASSAY_GATEWAYS="$$gateways" \
		Scripts/failover .build/release/assay --promotions $(or $(PROMOTIONS),1); }

## Shows two clusters of PostgreSQL that share the keys, see Docs/scale.md.
scale:
	Scripts/install-packages python3 python3-psycopg2
	programs=$$(Scripts/install-postgresql) && { test -z "$$programs" || Examples/scale/two-clusters; }

## Mints the test vectors of all engines, those of configurations of apps and the list of all checks again. Nothing changes unless the
## code that mints or judges them, or a check, has changed.
vectors: packages
	$(SWIFT) build $(CONFIGURATION) --product MintVectors
	for engine in $$(.build/release/MintVectors --list); do \
		rm -rf TestVectors/$$engine/minted && \
		.build/release/MintVectors $$engine --output TestVectors/$$engine/minted \
			--seed "assay test vectors" --at 2026-09-21T12:00:00Z || exit 1; \
	done
	.build/release/MintVectors --checks >TestVectors/checks.txt
	mkdir -p TestVectors/configuration
	.build/release/MintVectors --configuration --seed "assay test vectors" --at 2026-09-21T12:00:00Z \
		>TestVectors/configuration/configuration.ndjson

## Lets 2, 4 and 8 processes contend for one ledger and kills them at random, for SOAK_SECONDS; prints a table. Then hits
## every operation of a ledger's work with every fault of a disk.
SOAK_SECONDS ?= 300
FAULT_TESTS := AssayLedgerSQLiteTests.DiskFaultTests
soak: packages
	$(SWIFT) build $(CONFIGURATION) --product LedgerStress
	$(SWIFT) build $(CONFIGURATION) --product LedgerSoak
	.build/release/LedgerSoak $(SOAK_SECONDS)
	$(SWIFT) test list $(TESTING) | grep '^$(FAULT_TESTS)/' || \
		{ echo "there are no tests $(FAULT_TESTS)" >&2; exit 1; }
	ASSAY_EVERY_FAULT=1 Scripts/test $(TESTING) --filter '^$(FAULT_TESTS)/'

## Sends changed and generated requests to a service, and kills it under load, for SOAK_SECONDS each; opens 100,000 connections to a
## service that is busy. SEED is another run.
soak-service: packages
	peers=$$(Scripts/install-peers) && ASSAY_PEERS="$$peers" ASSAY_SERVICE_SECONDS=$(SOAK_SECONDS) \
		ASSAY_SERVICE_EXAMPLES=1000 ASSAY_SERVICE_CONNECTIONS=100000 $(if $(SEED),ASSAY_SERVICE_SEED=$(SEED)) \
		Scripts/test $(TESTING) --filter '^AssayServiceTests.SoakTests/'

clean:
	$(SWIFT) package clean
	rm -rf Benchmarks/.build Fuzz/.build .build/thread .build/address

packages:
	@Scripts/install-packages
