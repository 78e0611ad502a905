// swift-tools-version: 6.0

import PackageDescription

let crypto: Target.Dependency = .product(
    name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))

/// On Linux, `ASSAY_CLIENT_STUBS=1 swift test` compiles the adapters of Apple's frameworks too, against modules of the same
/// names and signatures whose keys are in software. Without the variable, nothing of them is in the package.
#if os(Linux)
    let hasStubs = Context.environment["ASSAY_CLIENT_STUBS"] == "1"
#else
    let hasStubs = false
#endif
let stubs = hasStubs ? ["CryptoKit", "DeviceCheck", "Security"] : []

let package = Package(
    name: "assay-client",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "AssayClient", targets: ["AssayClient"])],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0")],
    targets: [
        .target(name: "AssayClient", dependencies: [crypto] + stubs.map { .byName(name: $0) }),
        .target(
            name: "SoftwareAttester", dependencies: [crypto], path: "Tests/Support/SoftwareAttester"),
        .testTarget(
            name: "AssayClientTests", dependencies: ["AssayClient", "SoftwareAttester", crypto],
            swiftSettings: hasStubs ? [.define("ASSAY_CLIENT_STUBS")] : []),
    ]
)

if hasStubs {
    package.targets += [
        .target(name: "CryptoKit", dependencies: [crypto, "Security"], path: "Tests/Stubs/CryptoKit"),
        .target(name: "DeviceCheck", dependencies: ["SoftwareAttester"], path: "Tests/Stubs/DeviceCheck"),
        .target(name: "Security", path: "Tests/Stubs/Security"),
        .target(name: "SwiftUI", path: "Tests/Stubs/SwiftUI"),
        .executableTarget(name: "Example", dependencies: ["AssayClient", "SwiftUI"], path: "Example"),
    ]
}
