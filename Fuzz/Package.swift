// swift-tools-version: 6.2

import PackageDescription

/// What the targets of the package above are compiled with.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// The driver alone: what is fuzzed is `Targets/` beside it, which the package above builds too, so that its tests run
// every target over the inputs that once found something.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "assay", path: "..")],
    targets: [
        // What the compiler's runtime has, with -sanitize=fuzzer.
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz", dependencies: ["CLibFuzzer", .product(name: "_AssayFuzzTargets", package: "assay")],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
