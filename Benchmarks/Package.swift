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
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "Assay", package: "assay"),
                .product(name: "Crypto", package: "swift-crypto"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
