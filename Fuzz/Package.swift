// swift-tools-version: 6.2

import PackageDescription

/// What the targets of the package above are compiled with.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// What instrumented code calls with what it compares; see CComparisons.
let comparisons =
    ["cmp", "const_cmp"].flatMap { kind in [1, 2, 4, 8].map { "\(kind)\($0)" } } + ["switch"]

// The driver alone: what is fuzzed is `Targets/` beside it, which the package above builds too, so that its tests run
// every target over the inputs that once found something.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "assay", path: "..")],
    targets: [
        // What the compiler's runtime has, with -sanitize=fuzzer.
        .systemLibrary(name: "CLibFuzzer"),
        .target(name: "CComparisons"),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["CLibFuzzer", "CComparisons", .product(name: "_AssayFuzzTargets", package: "assay")],
            swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags(comparisons.flatMap { ["-Xlinker", "--wrap=__sanitizer_cov_trace_\($0)"] })
            ]),
    ],
    swiftLanguageModes: [.v6]
)
