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

/// Those of targets that take part in each verification: an asynchronous function stays on its caller's executor. To look whether it must
/// change to another takes longer than some checks.
let staying = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// What tests are compiled with: optimising them takes longer than it saves. What they test is optimised.
let unoptimized = strict + [.unsafeFlags(["-Onone"])]

let package = Package(
    name: "assay",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Assay", targets: ["Assay"]),
        .library(name: "AssayKeyStore", targets: ["AssayKeyStore"]),
        .library(name: "AssayLedgerSQLite", targets: ["AssayLedgerSQLite"]),
        .library(name: "AssayLedgerPostgreSQL", targets: ["AssayLedgerPostgreSQL"]),
        .library(name: "AssayGooglePlay", targets: ["AssayGooglePlay"]),
        .library(name: "AssayAndroidStatus", targets: ["AssayAndroidStatus"]),
        .library(name: "AssayAppleServices", targets: ["AssayAppleServices"]),
        .library(name: "AssayHummingbird", targets: ["AssayHummingbird"]),
        .library(name: "AssayCapture", targets: ["AssayCapture"]),
        .library(name: "AssayReplay", targets: ["AssayReplay"]),
        .library(name: "AssayTesting", targets: ["AssayTesting"]),
        .executable(name: "assay", targets: ["AssayProgram"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
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
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "AssayCore", swiftSettings: staying),
        .target(
            name: "AssayPrimitives",
            dependencies: [
                "AssayCore", "COpenSSL", "CCBOR", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict + [.strictMemorySafety()]),
        // Structured fields, signature bases and content digests (RFC 9651, 9421, 9530).
        .target(name: "AssayHTTPSignatures", dependencies: ["AssayCore", "AssayPrimitives"], swiftSettings: strict),
        // Lenient where AssayPrimitives is strict: shows what is in a blob, and judges nothing.
        .target(
            name: "AssayInspection",
            dependencies: [
                "AssayCore", "AssayHTTPSignatures", "AssayPrimitives",
            ], swiftSettings: strict),
        .target(
            name: "AppAttest",
            dependencies: ["AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives"],
            swiftSettings: staying),
        .target(
            name: "PlayIntegrity",
            dependencies: ["AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives"],
            swiftSettings: staying),
        .target(
            name: "Approov",
            dependencies: [
                "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives",
            ], swiftSettings: staying),
        .target(
            name: "AndroidKey",
            dependencies: ["AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives"],
            swiftSettings: staying),
        // Tokens of our own: issuing them after an attestation, and verifying them.
        .target(
            name: "AssayTokens",
            dependencies: ["AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayKeyStore", "AssayPrimitives"],
            swiftSettings: staying),
        // Keys that are sealed under a master key, over a small storage protocol.
        .target(
            name: "AssayKeyStore", dependencies: ["AssayCore", "AssayPrimitives"], swiftSettings: strict),
        .target(
            name: "AssayLedgerSQLite",
            dependencies: [
                "AssayCore", "AssayKeyStore", "AssayPrimitives",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: staying),
        // The ledger that servers on several machines share.
        .target(
            name: "AssayLedgerPostgreSQL",
            dependencies: [
                "AssayCore", "AssayKeyStore", "AssayPrimitives", "CPostgreSQL",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict + [.strictMemorySafety()]),
        .target(
            name: "Assay",
            dependencies: [
                "AndroidKey", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives", "AppAttest",
                "Approov", "AssayTokens", "PlayIntegrity", "Yams",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: staying),
        // Writes records as they arrive, for replays later.
        .target(
            name: "AssayCapture",
            dependencies: [
                "AndroidKey", "Assay", "AssayCore", "AssayPrimitives",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        // Judges captured evidence in bulk, and reports on it.
        .target(
            name: "AssayReplay",
            dependencies: ["Assay", "AssayCapture", "AssayCore", "AssayPrimitives", "CZlib", "CZstd"],
            swiftSettings: strict + [.strictMemorySafety()]),
        // Requests to servers within limits of time and size. What every client of a platform's servers needs.
        .target(
            name: "AssayHTTPClient",
            dependencies: [
                "AssayCore",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // Speaks with Google's servers. A product of its own, so that whoever imports only Assay builds no HTTP.
        .target(
            name: "AssayGooglePlay",
            dependencies: [
                "AssayCore", "AssayHTTPClient", "AssayPrimitives", "PlayIntegrity",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        // Fetches Google's list of revoked attestation certificates. A product of its own for the same reason.
        .target(
            name: "AssayAndroidStatus",
            dependencies: [
                "AndroidKey", "AssayCore", "AssayHTTPClient", "AssayPrimitives",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        // Exchanges receipts of App Attest, and speaks with DeviceCheck. A product of its own for the same reason.
        .target(
            name: "AssayAppleServices",
            dependencies: [
                "AppAttest", "Assay", "AssayCore", "AssayHTTPClient", "AssayKeyStore", "AssayPrimitives",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        // The check in a server of Hummingbird. A product of its own, so that whoever imports only Assay builds no HTTP.
        .target(
            name: "AssayHummingbird",
            dependencies: [
                "Assay", "AssayCore", "AssayHTTPSignatures", "AssayPrimitives",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // The verifier behind HTTP, for backends in any language. The web framework stops here.
        .target(
            name: "AssayService",
            dependencies: [
                "Assay", "AssayCore", "AssayHTTPSignatures", "AssayHummingbird", "AssayInspection", "AssayKeyStore",
                "AssayPrimitives", "AssayTokens",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: staying),
        .target(
            name: "AssayTesting",
            dependencies: [
                "AssayCore", "AssayHTTPSignatures", "AssayKeyStore", "AssayPrimitives", "COpenSSL",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict + [.strictMemorySafety()]),
        // Mints corpora for replays: `assay mint corpus`.
        .target(
            name: "AssayCorpus", dependencies: ["AssayCore", "AssayHTTPSignatures", "AssayPrimitives", "AssayTesting"],
            swiftSettings: strict),
        // The commands of the program `assay`.
        .target(
            name: "AssayCLI",
            dependencies: [
                "AndroidKey", "Approov", "Assay", "AssayCapture", "AssayCore", "AssayCorpus", "AssayInspection",
                "AssayKeyStore",
                "AssayLedgerSQLite", "AssayPrimitives", "AssayReplay", "AssayTesting", "AssayTokens",
                "PlayIntegrity",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // The program `assay`, with what speaks HTTP.
        .executableTarget(
            name: "AssayProgram",
            dependencies: [
                "Assay", "AssayAndroidStatus", "AssayAppleServices", "AssayCLI", "AssayCore", "AssayGooglePlay",
                "AssayHTTPClient", "AssayKeyStore", "AssayLedgerPostgreSQL", "AssayService",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        // The same without HTTP, which builds in half the time: for `make demo`.
        .executableTarget(name: "AssayDemo", dependencies: ["AssayCLI"], swiftSettings: strict),

        // Tests, and what they run.
        .target(
            name: "AssayTestSupport", dependencies: ["AssayCore", "AssayInspection"],
            path: "Tests/Support/AssayTestSupport",
            swiftSettings: strict),
        // Mints the test vectors in TestVectors/.
        .target(
            name: "AssayVectors",
            dependencies: [
                "Assay", "AssayCore", "AssayHTTPSignatures", "AssayPrimitives", "AssayTesting",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/Support/AssayVectors", swiftSettings: strict),
        // Writes TestVectors/: `make vectors`.
        .executableTarget(
            name: "MintVectors",
            dependencies: [
                "AssayCore", "AssayVectors", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Programs/MintVectors", swiftSettings: strict),
        // Third-party suites, vectors and mutations: what tests run a little of, and Trials all.
        .target(
            name: "AssayTrials",
            dependencies: [
                "AndroidKey", "AppAttest", "Approov", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection",
                "AssayPrimitives", "AssayTesting", "AssayTestSupport", "AssayTokens", "PlayIntegrity",
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
            name: "LedgerStress",
            dependencies: ["Assay", "AssayCore", "AssayKeyStore", "AssayLedgerSQLite", "AssayTestSupport"],
            path: "Tests/Programs/LedgerStress", swiftSettings: strict),
        // Lets processes of LedgerStress contend for one ledger, and kills them.
        .executableTarget(
            name: "LedgerSoak",
            dependencies: ["Assay", "AssayCore", "AssayLedgerSQLite", "AssayTestSupport", "LedgerStress"],
            path: "Tests/Programs/LedgerSoak", swiftSettings: strict),
        // Races other processes on one ledger in PostgreSQL.
        .executableTarget(
            name: "PostgreSQLStress",
            dependencies: ["AssayCore", "AssayKeyStore", "AssayLedgerPostgreSQL", "AssayLedgerSQLite"],
            path: "Tests/Programs/PostgreSQLStress", swiftSettings: strict),
        // Captures records from a process of its own, so that tests can race it, kill it and take its disk away.
        .executableTarget(
            name: "CaptureStress", dependencies: ["AssayCapture", "AssayCore"], path: "Tests/Programs/CaptureStress",
            swiftSettings: strict),
        // Uses secrets in a process of its own, so that tests can search its memory.
        .executableTarget(
            name: "SecretStress",
            dependencies: [
                "Assay", "AssayCapture", "AssayCore", "AssayGooglePlay", "AssayKeyStore", "AssayLedgerSQLite",
                "AssayPrimitives", "PlayIntegrity",
            ],
            path: "Tests/Programs/SecretStress", swiftSettings: strict),
        // Serves with the check and without it, for Benchmarks.
        .executableTarget(
            name: "HTTPBenchmarkServer",
            dependencies: [
                "Approov", "Assay", "AssayCore", "AssayHummingbird", "AssayPrimitives", "AssayTesting",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Programs/HTTPBenchmarkServer", swiftSettings: strict),
        // Does what a service does for each request, for Scripts/count-instructions.
        .executableTarget(
            name: "HotPaths",
            dependencies: [
                "AndroidKey", "AppAttest", "Approov", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection",
                "AssayPrimitives", "AssayTesting", "AssayTokens", "PlayIntegrity",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            path: "Benchmarks/HotPaths", swiftSettings: strict),
        // The README's server, so that it is built with everything else.
        .executableTarget(
            name: "HummingbirdExample",
            dependencies: [
                "Assay", "AssayHummingbird", "AssayLedgerSQLite",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Examples/hummingbird", exclude: ["policy.yaml"], packageAccess: false,
            swiftSettings: strict),
        // The backend of Docs/first-ten-minutes.md.
        .executableTarget(
            name: "FirstTenMinutes", dependencies: ["Assay", "AssayLedgerSQLite", "AssayTesting"],
            path: "Examples/first-ten-minutes", exclude: ["policy.yaml"], packageAccess: false,
            swiftSettings: strict),
        .testTarget(
            name: "AssayCoreTests", dependencies: ["AssayCore", "AssayTestSupport"], swiftSettings: unoptimized),
        .testTarget(
            name: "AssayPrimitivesTests",
            dependencies: [
                "AssayCore", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayHTTPSignaturesTests",
            dependencies: ["AssayCore", "AssayHTTPSignatures", "AssayPrimitives", "AssayTestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AppAttestTests",
            dependencies: [
                "AppAttest", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives",
                "AssayTesting",
                "AssayTestSupport",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AndroidKeyTests",
            dependencies: [
                "AndroidKey", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives",
                "AssayTesting", "AssayTestSupport", "PlayIntegrity",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "PlayIntegrityTests",
            dependencies: [
                "AppAttest", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives",
                "AssayTesting",
                "AssayTestSupport", "PlayIntegrity",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "ApproovTests",
            dependencies: [
                "Approov", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayLedgerSQLite",
                "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayGooglePlayTests",
            dependencies: [
                "Assay", "AssayCore", "AssayGooglePlay", "AssayHTTPClient", "AssayHTTPTestSupport", "AssayPrimitives",
                "AssayTestSupport", "PlayIntegrity",
            ],
            swiftSettings: unoptimized),
        // Clocks for tests of clients.
        .target(
            name: "AssayHTTPTestSupport",
            dependencies: [
                "AssayHTTPClient", "AssayTestSupport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/Support/AssayHTTPTestSupport", swiftSettings: strict),
        .testTarget(
            name: "AssayAndroidStatusTests",
            dependencies: [
                "AndroidKey", "AssayAndroidStatus", "AssayCore", "AssayHTTPClient", "AssayHTTPTestSupport",
                "AssayTestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayAppleServicesTests",
            dependencies: [
                "AppAttest", "Assay", "AssayAppleServices", "AssayCore", "AssayHTTPClient", "AssayHTTPTestSupport",
                "AssayKeyStore", "AssayLedgerSQLite", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayHummingbirdTests",
            dependencies: [
                "AndroidKey", "AppAttest", "Approov", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayHummingbird",
                "AssayPrimitives", "AssayTesting", "AssayTestSupport", "HTTPBenchmarkServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayServiceTests",
            dependencies: [
                "Assay", "AssayCore", "AssayHTTPTestSupport", "AssayLedgerSQLite", "AssayPrimitives", "AssayProgram",
                "AssayService", "AssayTesting", "AssayTestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: unoptimized),
        // A file system for SQLite that fails by plan.
        .target(name: "CFaultyVFS", path: "Tests/Support/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        .testTarget(
            name: "AssayKeyStoreTests",
            dependencies: ["AssayCore", "AssayKeyStore", "AssayTesting"], swiftSettings: unoptimized),
        .testTarget(
            name: "AssayLedgerSQLiteTests",
            dependencies: [
                "Assay", "AssayCore", "AssayKeyStore", "AssayLedgerSQLite", "AssayPrimitives",
                "AssayTesting",
                "AssayTestSupport", "PlayIntegrity",
                "CFaultyVFS",
                "LedgerSoak", "LedgerStress",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayLedgerPostgreSQLTests",
            dependencies: [
                "AssayCore", "AssayKeyStore", "AssayLedgerPostgreSQL", "AssayLedgerSQLite", "AssayTesting",
                "AssayTestSupport", "PostgreSQLStress", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: unoptimized),
        // An engine with one check, to which nothing but its registration refers.
        .target(
            name: "ToyEngine",
            dependencies: [
                "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayTesting", "AssayVectors",
            ],
            path: "Tests/Support/ToyEngine",
            swiftSettings: strict),
        .testTarget(
            name: "AssayTokensTests",
            dependencies: [
                "AndroidKey", "AppAttest", "Approov", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayKeyStore",
                "AssayLedgerSQLite", "AssayPrimitives", "AssayTesting", "AssayTestSupport", "AssayTokens",
                "PlayIntegrity",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "ToyEngineTests",
            dependencies: [
                "Assay", "AssayCapture", "AssayCLI", "AssayCore", "AssayHummingbird", "AssayInspection",
                "AssayTestSupport", "AssayVectors", "ToyEngine",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayTests",
            dependencies: [
                "AppAttest", "Approov", "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection",
                "AssayPrimitives",
                "AssayTesting", "AssayTestSupport", "AssayTokens", "AssayVectors", "PlayIntegrity",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayInspectionTests",
            dependencies: [
                "Assay", "AssayCore", "AssayInspection", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                "InspectionStress",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayCaptureTests",
            dependencies: [
                "AndroidKey", "AppAttest", "Approov", "Assay", "AssayCapture", "AssayCore", "AssayPrimitives",
                "AssayTesting",
                "AssayTestSupport", "CaptureStress", "PlayIntegrity",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayReplayTests",
            dependencies: [
                "Assay", "AssayCapture", "AssayCore", "AssayPrimitives", "AssayReplay", "AssayTesting",
                "AssayTestSupport",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayTestingTests",
            dependencies: [
                "AssayCore", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayCorpusTests",
            dependencies: ["Assay", "AssayCore", "AssayCorpus", "AssayTesting", "AssayVectors"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayVectorsTests", dependencies: ["AssayCore", "AssayTesting", "AssayTestSupport", "AssayVectors"],
            swiftSettings: unoptimized),
        // Searches logs, errors, crash output and memory for secrets that went in.
        .testTarget(
            name: "SecretTests",
            dependencies: [
                "AppAttest", "Approov", "Assay", "AssayCapture", "AssayCore", "AssayGooglePlay",
                "AssayHTTPSignatures", "AssayHummingbird", "AssayKeyStore", "AssayLedgerSQLite", "AssayPrimitives",
                "AssayProgram", "AssayTesting", "AssayTestSupport", "PlayIntegrity", "SecretStress",
            ],
            swiftSettings: unoptimized),
        // Compiles and runs the examples of the README, of Docs/ and of the DocC catalogues.
        .testTarget(
            name: "ReadmeTests",
            dependencies: [
                "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayPrimitives", "AssayProgram",
                "AssayService", "AssayTesting", "AssayTestSupport", "FirstTenMinutes", "HummingbirdExample",
                "ReadmeExamples", "Yams",
            ],
            swiftSettings: unoptimized),
        // The blocks of the documentation, which see what a user's package sees.
        .target(
            name: "ReadmeExamples",
            dependencies: [
                "Assay", "AssayAndroidStatus", "AssayAppleServices", "AssayCapture", "AssayGooglePlay",
                "AssayHummingbird", "AssayKeyStore", "AssayLedgerSQLite", "AssayTesting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Support/ReadmeExamples", packageAccess: false,
            swiftSettings: [.unsafeFlags(["-suppress-warnings"])]),
        .testTarget(
            name: "AssayTrialsTests", dependencies: ["Assay", "AssayTestSupport", "AssayTrials"],
            swiftSettings: unoptimized),
        // Ours against implementations of JOSE and of signed messages from elsewhere, which Scripts/install-peers installs.
        .testTarget(
            name: "PeerTests",
            dependencies: [
                "Approov", "AssayCore", "AssayHTTPSignatures", "AssayPrimitives", "AssayTesting", "AssayTestSupport",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "AssayCLITests",
            dependencies: [
                "Assay", "AssayCore", "AssayHTTPSignatures", "AssayInspection", "AssayLedgerSQLite", "AssayPrimitives",
                "AssayProgram", "AssayTesting", "AssayTestSupport", "PlayIntegrity",
            ],
            swiftSettings: unoptimized),
    ],
    swiftLanguageModes: [.v6]
)

// A struct's size is part of the code of every module that holds a value of it, also where that module imports another one
// through which the value comes. SwiftPM compiles a target again only when a module that it declares has changed: without
// the modules further down, what it compiled earlier would go on with the old size. Scripts/check-imports compares the
// dependencies that are declared above, by name, with the imports.
let declared = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0.dependencies) })
func names(of dependencies: [Target.Dependency]) -> [String] {
    dependencies.compactMap { dependency in
        guard case .byNameItem(let name, _) = dependency, declared[name] != nil else { return nil }
        return name
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

// Optimizing the tests themselves takes longer than running them does. What they call is optimized.
for target in package.targets where target.type == .test {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
}

// `ASSAY_TESTS=AppAttestTests,AssayTests swift test` builds these test targets and what they use, and nothing else.
if let chosen = Context.environment["ASSAY_TESTS"]?.split(separator: ",").map(String.init) {
    let needed = Set(
        chosen
            + package.targets.filter { chosen.contains($0.name) }.flatMap(\.dependencies).compactMap {
                switch $0 {
                case .byNameItem(let name, _), .targetItem(let name, _): name
                default: nil
                }
            })
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
        return !needed.isSuperset(of: targets)
    }
}
