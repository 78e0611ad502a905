// swift-tools-version: 6.2

import PackageDescription

/// What every Swift target is compiled with: no import leaks into a public interface by accident, and an existential
/// is written as one.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Settings of targets on the path of each verification: async functions run on their caller's executor, because a
/// check of the executor costs more than some checks.
let callerIsolated = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
/// For targets that call C.
let memorySafe = strict + [.strictMemorySafety()]

/// Other packages, their products that targets use, and the traits that need them. Without such a trait SwiftPM does not
/// even fetch the package, as long as every use of it has the condition.
let others: [(path: String, from: Version, products: String, traits: Set<String>)] = [
    ("apple/swift-argument-parser", "1.8.0", "ArgumentParser", ["Program"]),
    ("apple/swift-crypto", "4.5.0", "Crypto", []),
    ("apple/swift-distributed-tracing", "1.7.0", "InMemoryTracing Instrumentation Tracing", []),
    ("apple/swift-http-types", "1.8.0", "HTTPTypes", ["HTTP"]),
    ("apple/swift-log", "1.14.0", "Logging", ["HTTP"]),
    ("apple/swift-metrics", "2.13.0", "CoreMetrics MetricsTestKit", []),
    ("apple/swift-nio", "2.101.0", "NIOCore NIOHTTP1 NIOPosix NIOTLS", ["Hummingbird", "Platforms"]),
    ("apple/swift-nio-extras", "1.35.0", "NIOExtras NIOHTTPTypes NIOHTTPTypesHTTP1", ["Hummingbird"]),
    ("apple/swift-nio-ssl", "2.37.0", "NIOSSL", ["Platforms"]),
    ("groue/GRDB.swift", "7.10.0", "GRDB GRDBSQLite", ["SQLite"]),
    (
        "hummingbird-project/hummingbird", "2.28.1",
        "Hummingbird HummingbirdCore HummingbirdTLS HummingbirdTesting", ["Hummingbird"]
    ),
    ("jpsim/Yams", "6.2.0", "Yams", []),
    ("swift-server/async-http-client", "1.37.0", "AsyncHTTPClient", ["Platforms"]),
    ("swift-server/swift-service-lifecycle", "2.0.0", "ServiceLifecycle UnixSignals", ["HTTP"]),
]

/// Targets of this package and products of others, by name, separated by spaces.
func uses(_ names: [String]) -> [Target.Dependency] {
    names.flatMap { $0.split(separator: " ") }.map { name in
        guard let other = others.first(where: { $0.products.split(separator: " ").contains(name) }) else {
            return .byName(name: String(name))
        }
        return .product(
            name: String(name), package: String(other.path.split(separator: "/")[1]),
            condition: other.traits.isEmpty ? nil : .when(traits: other.traits))
    }
}

func library(_ name: String, _ used: String..., with settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: uses(used), swiftSettings: settings)
}

func program(_ name: String, _ used: String..., path: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: uses(used), path: path ?? "Tests/Programs/\(name)", swiftSettings: strict)
}

/// What tests share.
func support(_ name: String, _ used: String...) -> Target {
    .target(name: name, dependencies: uses(used), path: "Tests/Support/\(name)", swiftSettings: strict)
}

/// Tests are not optimised, which takes longer than it saves. What they test is.
func tests(_ name: String, _ used: String...) -> Target {
    .testTarget(name: name, dependencies: uses(used), swiftSettings: strict + [.unsafeFlags(["-Onone"])])
}

/// A program that sees what a user's package sees.
func example(_ name: String, _ used: String..., path: String, excluding files: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: uses(used), path: path, exclude: files, packageAccess: false,
        swiftSettings: strict)
}

func system(_ name: String, _ library: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: library, providers: [.apt([apt]), .brew([brew])])
}

let package = Package(
    name: "assay",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Assay", targets: ["Assay"]),
        .library(name: "AssayCore", targets: ["AssayCore"]),
        .library(name: "AssayLedgerSQLite", targets: ["AssayLedgerSQLite"]),
        .library(name: "AssayLedgerPostgreSQL", targets: ["AssayLedgerPostgreSQL"]),
        .library(name: "AssayPlatforms", targets: ["AssayPlatforms"]),
        .library(name: "AssayHTTP", targets: ["AssayHTTP"]),
        .library(name: "AssayHummingbird", targets: ["AssayHummingbird"]),
        .library(name: "AssayReplay", targets: ["AssayReplay"]),
        .library(name: "AssayTesting", targets: ["AssayTesting"]),
        .executable(name: "assay", targets: ["AssayProgram"]),
        // For Fuzz/.
        .library(name: "_AssayInspection", targets: ["AssayInspection"]),
    ],
    traits: [
        .trait(name: "SQLite", description: "AssayLedgerSQLite"),
        .trait(name: "Platforms", description: "AssayPlatforms: the servers of Google and Apple"),
        .trait(name: "HTTP", description: "AssayHTTP: the check of requests in a server of any framework"),
        .trait(name: "Hummingbird", description: "AssayHummingbird", enabledTraits: ["HTTP"]),
        .trait(
            name: "Program", description: "assay and all tests", enabledTraits: ["SQLite", "Platforms", "Hummingbird"]),
        .default(enabledTraits: ["Program"]),
    ],
    dependencies: others.map { .package(url: "https://github.com/\($0.path)", from: $0.from) },
    targets: [
        system("COpenSSL", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        system("CCBOR", "libcbor", apt: "libcbor-dev", brew: "libcbor"),
        system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
        system("CZstd", "libzstd", apt: "libzstd-dev", brew: "zstd"),
        system("CPostgreSQL", "libpq", apt: "libpq-dev", brew: "libpq"),
        .target(name: "CPostgreSQLLoader", dependencies: uses(["CPostgreSQL"])),
        library("AssayPrimitives", "CCBOR COpenSSL Crypto", with: memorySafe),
        library("AssayCore", "AssayPrimitives", with: callerIsolated),
        library("AppAttest", "AssayCore AssayPrimitives", with: callerIsolated),
        library("PlayIntegrity", "AssayCore AssayPrimitives", with: callerIsolated),
        library("Approov", "AssayCore AssayPrimitives", with: callerIsolated),
        library("AndroidKey", "AssayCore AssayPrimitives", with: callerIsolated),
        // Tokens of our own: issuing them after an attestation, and verifying them.
        library("AssayTokens", "AssayCore AssayPrimitives", with: callerIsolated),
        library("AssayLedgerSQLite", "AssayCore AssayPrimitives CoreMetrics GRDB GRDBSQLite", with: callerIsolated),
        library(
            "AssayLedgerPostgreSQL",
            "AssayCore AssayPrimitives CPostgreSQL CPostgreSQLLoader CoreMetrics", with: memorySafe),
        library(
            "Assay",
            "AndroidKey AppAttest Approov AssayCore AssayPrimitives AssayTokens PlayIntegrity CoreMetrics Crypto",
            "Tracing Yams", with: callerIsolated),
        // Lenient where AssayPrimitives is strict: shows what is in a blob, and judges nothing.
        library(
            "AssayInspection",
            "AndroidKey AppAttest Approov Assay AssayCore AssayPrimitives AssayTokens CZlib PlayIntegrity",
            with: memorySafe),
        // Judges captured evidence in bulk, and reports on it.
        library("AssayReplay", "Assay AssayCore AssayPrimitives CZlib CZstd", with: memorySafe),
        // Speaks with Google's and Apple's servers, within limits. A product of its own: others build no HTTP.
        library(
            "AssayPlatforms",
            "AndroidKey AppAttest Assay AssayCore AssayPrimitives PlayIntegrity AsyncHTTPClient CoreMetrics NIOCore",
            "NIOHTTP1 NIOPosix NIOSSL NIOTLS"),
        // The check in a server of any framework. A product of its own: a backend with Assay alone builds no HTTP.
        library(
            "AssayHTTP",
            "Assay AssayCore AssayPrimitives CoreMetrics HTTPTypes Logging ServiceLifecycle UnixSignals"),
        // The same as a middleware of Hummingbird.
        library(
            "AssayHummingbird", "AssayCore AssayHTTP HTTPTypes Hummingbird NIOCore NIOHTTP1 NIOHTTPTypesHTTP1"),
        // The verifier behind HTTP, for backends in any language.
        library(
            "AssayService",
            "Approov Assay AssayCore AssayHTTP AssayInspection AssayPrimitives AssayReplay AssayTokens CoreMetrics",
            "HTTPTypes Instrumentation Logging NIOCore NIOExtras NIOHTTP1 NIOPosix NIOSSL ServiceLifecycle Tracing UnixSignals",
            with: callerIsolated),
        library("AssayTesting", "AssayCore AssayPrimitives COpenSSL Crypto", with: memorySafe),
        program(
            "AssayProgram",
            "AndroidKey Approov Assay AssayCore AssayHTTP AssayInspection AssayLedgerPostgreSQL AssayLedgerSQLite",
            "AssayPlatforms AssayPrimitives AssayReplay AssayService AssayTesting AssayTokens PlayIntegrity",
            "ArgumentParser CoreMetrics", path: "Sources/AssayProgram"),

        // Tests, and what they run.
        support("AssayTestSupport", "AssayCore"),
        support("AssayInspectionTestSupport", "AssayInspection"),
        // Mints the test vectors in TestVectors/.
        support("AssayVectors", "Assay AssayCore AssayPrimitives AssayTesting Crypto"),
        // Writes TestVectors/: `make vectors`.
        program("MintVectors", "AssayCore AssayVectors ArgumentParser"),
        // Third-party suites, vectors and mutations: what tests run a little of, and Trials all.
        support(
            "AssayTrials",
            "AndroidKey AppAttest Approov Assay AssayCore AssayInspection AssayPrimitives AssayTesting",
            "AssayTestSupport AssayTokens PlayIntegrity Crypto"),
        program("Trials", "AssayTrials ArgumentParser"),
        // Inspects hostile blobs in a process of its own.
        program("InspectionStress", "Assay AssayInspection AssayInspectionTestSupport AssayTestSupport"),
        // Commits to a ledger from a process of its own, so that tests can race it and kill it.
        program("LedgerStress", "Assay AssayCore AssayLedgerSQLite AssayPrimitives AssayTestSupport"),
        // Lets processes of LedgerStress contend for one ledger, and kills them.
        program("LedgerSoak", "Assay AssayCore AssayLedgerSQLite AssayTestSupport LedgerStress"),
        // Races other processes on one ledger in PostgreSQL.
        program("PostgreSQLStress", "AssayCore AssayLedgerPostgreSQL AssayLedgerSQLite"),
        // Captures records from a process of its own, so that tests can race it, kill it and take its disk away.
        program("CaptureStress", "Assay AssayCore AssayPrimitives"),
        // Uses secrets in a process of its own, so that tests can search its memory.
        program("SecretStress", "Assay AssayCore AssayLedgerSQLite AssayPlatforms AssayPrimitives PlayIntegrity"),
        // Serves with the check and without it, for Benchmarks.
        program(
            "HTTPBenchmarkServer",
            "Approov Assay AssayCore AssayHTTP AssayHummingbird AssayPrimitives AssayTesting Hummingbird Logging"),
        // Does what a service does for each request, for Scripts/count-instructions.
        program(
            "HotPaths", "AndroidKey AppAttest Approov Assay AssayCore AssayPrimitives AssayTesting AssayTokens",
            "PlayIntegrity CoreMetrics", path: "Benchmarks/HotPaths"),
        // The README's server, so that it is built with everything else.
        example(
            "HummingbirdExample",
            "Assay AssayHummingbird AssayLedgerSQLite Hummingbird Logging", path: "Examples/hummingbird",
            excluding: ["policy.yaml"]),
        // The backend of Docs/first-ten-minutes.md.
        example(
            "FirstTenMinutes", "Assay AssayLedgerSQLite AssayTesting", path: "Examples/first-ten-minutes",
            excluding: ["policy.yaml"]),
        // Verifies records with the library alone: `make demo`.
        example("AssayDemo", "Assay", path: "Examples/demo"),
        // A backend with handlers of its own and their tests, which see what a user's package sees.
        .testTarget(
            name: "OwnHandlersTests",
            dependencies: uses([
                "Assay AssayHTTP AssayHummingbird AssayTesting HTTPTypes Hummingbird HummingbirdTesting Logging NIOCore"
            ]),
            path: "Examples/own-handlers", packageAccess: false,
            swiftSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-Onone"])]),
        // Threads for all tests, which are one program: tests that wait for another program block theirs.
        .target(name: "CTestThreads", path: "Tests/Support/CTestThreads"),
        tests("AssayCoreTests", "AssayCore AssayPrimitives AssayTestSupport CTestThreads"),
        tests("AssayPrimitivesTests", "AssayCore AssayPrimitives AssayTesting AssayTestSupport Crypto"),
        tests(
            "AppAttestTests",
            "AppAttest Assay AssayCore AssayInspection AssayPrimitives AssayTesting AssayTestSupport"),
        tests(
            "AndroidKeyTests",
            "AndroidKey Assay AssayCore AssayInspection AssayPrimitives AssayTesting AssayTestSupport PlayIntegrity"),
        tests(
            "PlayIntegrityTests",
            "AppAttest Assay AssayCore AssayInspection AssayPrimitives AssayTesting AssayTestSupport PlayIntegrity",
            "Crypto"),
        tests(
            "ApproovTests",
            "Approov Assay AssayCore AssayInspection AssayLedgerSQLite AssayPrimitives AssayTesting AssayTestSupport",
            "Crypto"),
        tests(
            "AssayPlatformsTests",
            "AndroidKey AppAttest Assay AssayCore AssayHTTPTestSupport AssayLedgerSQLite AssayPlatforms",
            "AssayPrimitives AssayTesting AssayTestSupport PlayIntegrity CoreMetrics Crypto MetricsTestKit NIOCore"),
        // A local HTTP server and a clock, for tests of the clients in AssayPlatforms.
        support(
            "AssayHTTPTestSupport", "AssayPlatforms AssayTesting AssayTestSupport NIOCore NIOHTTP1 NIOPosix NIOSSL"),
        tests(
            "AssayHummingbirdTests",
            "AndroidKey AppAttest Approov Assay AssayCore AssayHTTP AssayHummingbird AssayPrimitives AssayTesting",
            "AssayTestSupport HTTPBenchmarkServer HTTPTypes Hummingbird HummingbirdTesting Logging NIOCore NIOPosix",
            "CoreMetrics MetricsTestKit ServiceLifecycle"),
        tests(
            "AssayServiceTests",
            "AppAttest Approov Assay AssayCore AssayHTTP AssayHTTPTestSupport AssayLedgerSQLite AssayPrimitives",
            "AssayProgram AssayService AssayTesting AssayTestSupport AssayTokens CoreMetrics HTTPTypes InMemoryTracing",
            "Instrumentation NIOCore NIOPosix Tracing"),
        // A file system for SQLite that fails by plan.
        .target(name: "CFaultyVFS", path: "Tests/Support/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        tests(
            "AssayLedgerSQLiteTests",
            "Assay AssayCore AssayLedgerSQLite AssayPrimitives AssayTesting AssayTestSupport CFaultyVFS LedgerSoak",
            "LedgerStress PlayIntegrity CoreMetrics MetricsTestKit"),
        tests(
            "AssayLedgerPostgreSQLTests",
            "AssayCore AssayLedgerPostgreSQL AssayLedgerSQLite AssayTesting AssayTestSupport PostgreSQLStress",
            "CoreMetrics MetricsTestKit"),
        // An engine with one check, to which nothing but its registration refers.
        support("ToyEngine", "Assay AssayCore AssayInspection AssayPrimitives AssayTesting AssayVectors"),
        tests(
            "AssayTokensTests",
            "AndroidKey AppAttest Approov Assay AssayCore AssayLedgerSQLite AssayPrimitives AssayService AssayTesting",
            "AssayTestSupport AssayTokens PlayIntegrity"),
        tests(
            "ToyEngineTests",
            "Assay AssayCore AssayHTTP AssayHummingbird AssayInspection AssayProgram AssayTestSupport AssayVectors",
            "ToyEngine HTTPTypes Hummingbird HummingbirdTesting Logging"),
        tests(
            "AssayTests",
            "AndroidKey AppAttest Approov Assay AssayCore AssayHTTP AssayPrimitives AssayService AssayTesting AssayTestSupport",
            "AssayTokens AssayVectors PlayIntegrity CoreMetrics InMemoryTracing MetricsTestKit Tracing"),
        tests(
            "AssayInspectionTests",
            "AndroidKey AppAttest Assay AssayCore AssayInspection AssayInspectionTestSupport AssayPrimitives AssayTesting",
            "AssayTestSupport Approov InspectionStress"),
        tests(
            "AssayReplayTests",
            "AndroidKey AppAttest Approov Assay AssayCore AssayPrimitives AssayReplay AssayTesting",
            "AssayTestSupport CaptureStress PlayIntegrity"),
        tests("AssayTestingTests", "AssayCore AssayPrimitives AssayTesting AssayTestSupport Crypto"),
        tests("AssayVectorsTests", "AssayCore AssayTesting AssayTestSupport AssayVectors"),
        // Searches logs, errors, crash output and memory for secrets that went in.
        tests(
            "SecretTests",
            "AppAttest Approov Assay AssayCore AssayHTTP AssayInspection AssayLedgerSQLite AssayPlatforms AssayPrimitives",
            "AssayProgram AssayTesting AssayTestSupport PlayIntegrity SecretStress"),
        // Compiles and runs the examples of the README, of Docs/ and of the DocC catalogues.
        tests(
            "ReadmeTests",
            "Assay AssayCore AssayPrimitives AssayProgram AssayService AssayTesting AssayTestSupport FirstTenMinutes",
            "HummingbirdExample ReadmeExamples Yams"),
        // The blocks of the documentation, which see what a user's package sees.
        .target(
            name: "ReadmeExamples",
            dependencies: uses([
                "Assay AssayHummingbird AssayLedgerSQLite AssayPlatforms AssayTesting Hummingbird Logging"
            ]),
            path: "Tests/Support/ReadmeExamples", packageAccess: false,
            swiftSettings: [.unsafeFlags(["-suppress-warnings"])]),
        tests("AssayTrialsTests", "Assay AssayTestSupport AssayTrials"),
        // Ours against implementations of JOSE and of signed messages from elsewhere, which Scripts/install-peers installs.
        tests("PeerTests", "Approov AssayCore AssayPrimitives AssayTesting AssayTestSupport"),
        tests(
            "AssayProgramTests",
            "Assay AssayCore AssayHTTPTestSupport AssayInspection AssayLedgerSQLite AssayPrimitives AssayProgram",
            "AssayTesting AssayInspectionTestSupport AssayTestSupport AssayVectors PlayIntegrity"),
    ],
    swiftLanguageModes: [.v6]
)

// A struct's size is part of the code of every module that holds a value of it, also where that module imports another one
// through which the value comes. SwiftPM compiles a target again only when a module that it declares has changed: without
// the modules further down, what it compiled earlier would go on with the old size. Scripts/check-imports compares the
// dependencies that are declared above, by name, with the imports.
let declared = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0.dependencies) })
func names(of dependencies: [Target.Dependency]) -> [String] {
    dependencies.compactMap {
        switch $0 {
        case .byNameItem(let name, _), .targetItem(let name, _): declared[name] == nil ? nil : name
        default: nil
        }
    }
}
for target in package.targets {
    var reached = names(of: target.dependencies)
    var next = 0
    while next < reached.count {
        for name in names(of: declared[reached[next]] ?? []) where !reached.contains(name) {
            reached.append(name)
            target.dependencies.append(.target(name: name))
        }
        next += 1
    }
}

// `ASSAY_TESTS=AppAttestTests,AssayTests swift test` builds these test targets and what they use, and nothing else.
if let chosen = Context.environment["ASSAY_TESTS"]?.split(separator: ",").map(String.init) {
    let needed = Set(
        chosen + package.targets.filter { chosen.contains($0.name) }.flatMap { names(of: $0.dependencies) })
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
        return !needed.isSuperset(of: targets)
    }
}
