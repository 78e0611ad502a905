// swift-tools-version: 6.2

import PackageDescription

/// As in the package of Assay.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The name under which SwiftPM compiles the package above, made from that of its folder. A target that is compiled under it
/// can use what is `package` there.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased() ?? ""
let assay = String(folder.enumerated().map { $1.isLetter || $1.isNumber && $0 > 0 ? $1 : "_" })

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "assay", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CBareOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CBareSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CBareCBOR", pkgConfig: "libcbor", providers: [.apt(["libcbor-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBareCBOR",
                "CBareOpenSSL",
                "CBareSQLite",
                .product(name: "Assay", package: "assay"),
                .product(name: "AssayLedgerSQLite", package: "assay"),
                .product(name: "AssayReplay", package: "assay"),
                .product(name: "AssayTesting", package: "assay"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            packageAccess: false,
            swiftSettings: strict + [.unsafeFlags(["-package-name", assay])]),
    ],
    swiftLanguageModes: [.v6]
)
