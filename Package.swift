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

let package = Package(
    name: "assay",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Assay", targets: ["Assay"]),
        .library(name: "AssayLedgerSQLite", targets: ["AssayLedgerSQLite"]),
        .library(name: "AssayGooglePlay", targets: ["AssayGooglePlay"]),
        .library(name: "AssayHummingbird", targets: ["AssayHummingbird"]),
        .library(name: "AssayCapture", targets: ["AssayCapture"]),
        .library(name: "AssayReplay", targets: ["AssayReplay"]),
        .library(name: "AssayTesting", targets: ["AssayTesting"]),
        .executable(name: "assay", targets: ["AssayCLI"]),
        // For the fuzzer in Fuzz/, not for users.
        .library(name: "_AssayFuzzTargets", targets: ["AssayFuzzTargets"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CCBOR", pkgConfig: "libcbor",
            providers: [.apt(["libcbor-dev"]), .brew(["libcbor"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "AssayCore", swiftSettings: strict),
        .target(
            name: "AssayPrimitives",
            dependencies: [
                "AssayCore", "COpenSSL", "CCBOR", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict + [.strictMemorySafety()]),
        // Lenient where AssayPrimitives is strict: shows what is in a blob, and judges nothing.
        .target(name: "AssayInspection", dependencies: ["AssayCore", "AssayPrimitives"], swiftSettings: strict),
        .target(
            name: "AppAttest", dependencies: ["AssayCore", "AssayInspection", "AssayPrimitives"], swiftSettings: strict),
        .target(
            name: "PlayIntegrity", dependencies: ["AssayCore", "AssayInspection", "AssayPrimitives"],
            swiftSettings: strict),
        .target(
            name: "Approov", dependencies: ["AssayCore", "AssayInspection", "AssayPrimitives"], swiftSettings: strict),
        .target(
            name: "AssayLedgerSQLite",
            dependencies: [
                "AssayCore", "AssayPrimitives", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Assay",
            dependencies: [
                "AssayCore", "AssayInspection", "AssayPrimitives", "AppAttest", "Approov", "PlayIntegrity", "Yams",
            ],
            swiftSettings: strict),
        // Writes records as they arrive, for replays later.
        .target(
            name: "AssayCapture",
            dependencies: [
                "Assay", "AssayCore", "AssayPrimitives", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        // Judges captured evidence in bulk, and reports on it.
        .target(
            name: "AssayReplay",
            dependencies: ["Assay", "AssayCapture", "AssayCore", "AssayPrimitives", "CZlib", "CZstd"],
            swiftSettings: strict + [.strictMemorySafety()]),
        // Speaks with Google's servers. A product of its own, so that whoever imports only Assay builds no HTTP.
        .target(
            name: "AssayGooglePlay",
            dependencies: [
                "AssayCore", "AssayPrimitives", "PlayIntegrity",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // The check in a server of Hummingbird. A product of its own, so that whoever imports only Assay builds no HTTP.
        .target(
            name: "AssayHummingbird",
            dependencies: [
                "Assay", "AssayCore", "AssayPrimitives",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "AssayTesting",
            dependencies: [
                "AssayCore", "AssayPrimitives",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "AssayCLI",
            dependencies: [
                "Assay", "AssayCapture", "AssayCore", "AssayGooglePlay", "AssayInspection", "AssayLedgerSQLite",
                "AssayPrimitives", "AssayReplay", "AssayTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // What is fuzzed. Fuzz/ drives it; tests run it over the inputs that once found something.
        .target(
            name: "AssayFuzzTargets",
            dependencies: [
                "AppAttest", "Approov", "Assay", "AssayCapture", "AssayCore", "AssayInspection", "AssayPrimitives",
                "AssayReplay", "AssayTesting", "COpenSSL", "CCBOR",
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            path: "Fuzz/Targets", swiftSettings: strict),
        // Runs a fuzz target over inputs without the fuzzer, in a process that may end with a trap.
        .executableTarget(
            name: "FuzzReplay", dependencies: ["AssayFuzzTargets"], path: "Tests/Programs/FuzzReplay",
            swiftSettings: strict),
        .target(
            name: "AssayTestSupport", dependencies: ["AssayCore", "AssayInspection"],
            path: "Tests/Support/AssayTestSupport",
            swiftSettings: strict),
        // Third-party suites, vectors and mutations: what tests run a little of, and Trials all.
        .target(
            name: "AssayTrials",
            dependencies: [
                "Assay", "AssayCore", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/Support/AssayTrials", swiftSettings: strict),
        .executableTarget(
            name: "Trials",
            dependencies: ["AssayTrials", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/Programs/Trials", swiftSettings: strict),
        // Inspects hostile blobs in a process of its own.
        .executableTarget(
            name: "InspectionStress", dependencies: ["Assay", "AssayInspection", "AssayTestSupport"],
            path: "Tests/Programs/InspectionStress", swiftSettings: strict),
        // Commits to a ledger from a process of its own, so that tests can race it and kill it.
        .executableTarget(
            name: "LedgerStress", dependencies: ["Assay", "AssayCore", "AssayLedgerSQLite", "AssayTestSupport"],
            path: "Tests/Programs/LedgerStress", swiftSettings: strict),
        // Lets processes of LedgerStress contend for one ledger, and kills them.
        .executableTarget(
            name: "LedgerSoak",
            dependencies: ["AssayCore", "AssayLedgerSQLite", "AssayTestSupport", "LedgerStress"],
            path: "Tests/Programs/LedgerSoak", swiftSettings: strict),
        // Captures records from a process of its own, so that tests can race it, kill it and take its disk away.
        .executableTarget(
            name: "CaptureStress", dependencies: ["AssayCapture", "AssayCore"], path: "Tests/Programs/CaptureStress",
            swiftSettings: strict),
        // Uses secrets in a process of its own, so that tests can search its memory.
        .executableTarget(
            name: "SecretStress",
            dependencies: [
                "Assay", "AssayCapture", "AssayCore", "AssayGooglePlay", "AssayLedgerSQLite", "AssayPrimitives",
                "PlayIntegrity",
            ],
            path: "Tests/Programs/SecretStress", swiftSettings: strict),
        // Serves with the check and without it, for Scripts/benchmark-http.
        .executableTarget(
            name: "HTTPBenchmarkServer",
            dependencies: [
                "Assay", "AssayHummingbird", "AssayPrimitives", "AssayTesting",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Programs/HTTPBenchmarkServer", swiftSettings: strict),
        // Does what a service does for each request, for Scripts/count-instructions.
        .executableTarget(
            name: "HotPaths", dependencies: ["Assay", "AssayCore", "AssayPrimitives", "AssayTesting"],
            path: "Benchmarks/HotPaths", swiftSettings: strict),
        // The README's server, so that it is built with everything else.
        .executableTarget(
            name: "HummingbirdExample",
            dependencies: [
                "Assay", "AssayHummingbird", "AssayLedgerSQLite",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Examples/hummingbird", exclude: ["policy.yaml"], swiftSettings: strict),
        // The backend of Docs/first-ten-minutes.md.
        .executableTarget(
            name: "FirstTenMinutes", dependencies: ["Assay", "AssayLedgerSQLite", "AssayTesting"],
            path: "Examples/first-ten-minutes", exclude: ["policy.yaml"], swiftSettings: strict),
        .testTarget(name: "AssayCoreTests", dependencies: ["AssayCore", "AssayTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "AssayPrimitivesTests",
            dependencies: [
                "AssayCore", "AssayFuzzTargets", "AssayPrimitives", "AssayTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppAttestTests",
            dependencies: [
                "AppAttest", "Assay", "AssayInspection", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PlayIntegrityTests",
            dependencies: [
                "Assay", "AssayInspection", "AssayPrimitives", "AssayTesting", "AssayTestSupport", "PlayIntegrity",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ApproovTests",
            dependencies: [
                "Approov", "Assay", "AssayInspection", "AssayLedgerSQLite", "AssayPrimitives", "AssayTesting",
                "AssayTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssayGooglePlayTests",
            dependencies: [
                "Assay", "AssayCore", "AssayGooglePlay", "AssayPrimitives", "PlayIntegrity",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssayHummingbirdTests",
            dependencies: [
                "Assay", "AssayHummingbird", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // A file system for SQLite that fails by plan.
        .target(name: "CFaultyVFS", path: "Tests/Support/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        .testTarget(
            name: "AssayLedgerSQLiteTests",
            dependencies: [
                "Assay", "AssayCore", "AssayLedgerSQLite", "AssayTesting", "AssayTestSupport", "CFaultyVFS",
                "LedgerSoak", "LedgerStress",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssayTests", dependencies: ["Assay", "AssayPrimitives", "AssayTesting", "AssayTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AssayInspectionTests",
            dependencies: [
                "Assay", "AssayCore", "AssayInspection", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                "InspectionStress",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssayCaptureTests",
            dependencies: [
                "AppAttest", "Assay", "AssayCapture", "AssayCore", "AssayPrimitives", "AssayTesting",
                "AssayTestSupport", "CaptureStress", "PlayIntegrity",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssayReplayTests",
            dependencies: [
                "Assay", "AssayCapture", "AssayCore", "AssayPrimitives", "AssayReplay", "AssayTesting",
                "AssayTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssayTestingTests",
            dependencies: [
                "AssayTesting", "AssayTestSupport", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        // Searches logs, errors, crash output and memory for secrets that went in.
        .testTarget(
            name: "SecretTests",
            dependencies: [
                "AppAttest", "Approov", "Assay", "AssayCLI", "AssayCapture", "AssayCore", "AssayGooglePlay",
                "AssayHummingbird", "AssayLedgerSQLite", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                "PlayIntegrity", "SecretStress",
            ],
            swiftSettings: strict),
        // Compiles and runs the examples of the README, of Docs/ and of the DocC catalogues.
        .testTarget(
            name: "ReadmeTests",
            dependencies: [
                "Assay", "AssayCLI", "AssayCapture", "AssayCore", "AssayGooglePlay", "AssayHummingbird",
                "AssayLedgerSQLite",
                "AssayTestSupport", "AssayTesting", "FirstTenMinutes",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [.unsafeFlags(["-suppress-warnings"])]),
        .testTarget(
            name: "AssayTrialsTests", dependencies: ["Assay", "AssayTestSupport", "AssayTrials"],
            swiftSettings: strict),
        // Ours against implementations of JOSE and of signed messages from elsewhere, which Scripts/install-peers installs.
        .testTarget(
            name: "PeerTests",
            dependencies: ["Approov", "AssayCore", "AssayPrimitives", "AssayTesting", "AssayTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "FuzzRegressionTests", dependencies: ["AssayFuzzTargets", "AssayTestSupport", "FuzzReplay"],
            swiftSettings: strict),
        .testTarget(
            name: "AssayCLITests",
            dependencies: [
                "Assay", "AssayCLI", "AssayCore", "AssayLedgerSQLite", "AssayPrimitives", "AssayTesting",
                "AssayTestSupport", "PlayIntegrity",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// Optimizing the tests themselves takes longer than running them does. What they call is optimized.
for target in package.targets where target.type == .test {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
}
