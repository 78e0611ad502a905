// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "assay", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .systemLibrary(name: "CBareOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBareOpenSSL",
                .product(name: "Assay", package: "assay"),
                .product(name: "AssayReplay", package: "assay"),
                .product(name: "AssayTesting", package: "assay"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
