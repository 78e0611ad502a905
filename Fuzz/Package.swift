// swift-tools-version: 6.2

import PackageDescription

/// What the targets of the package above are compiled with.
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

/// What instrumented code calls with what it compares; see CComparisons.
let comparisons =
    ["cmp", "const_cmp"].flatMap { kind in [1, 2, 4, 8].map { "\(kind)\($0)" } } + ["switch"]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "assay", path: ".."),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
    ],
    targets: [
        // What is fuzzed. It imports modules of the package above that are no products, but parts of these.
        .target(
            name: "FuzzTargets",
            dependencies: [
                .product(name: "Assay", package: "assay"),
                .product(name: "AssayCapture", package: "assay"),
                .product(name: "AssayReplay", package: "assay"),
                .product(name: "AssayTesting", package: "assay"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            path: "Targets", packageAccess: false,
            swiftSettings: strict + [.unsafeFlags(["-package-name", assay])]),
        // What the compiler's runtime has, with -sanitize=fuzzer.
        .systemLibrary(name: "CLibFuzzer"),
        .target(name: "CComparisons"),
        .executableTarget(
            name: "Fuzz", dependencies: ["CLibFuzzer", "CComparisons", "FuzzTargets"],
            swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags(comparisons.flatMap { ["-Xlinker", "--wrap=__sanitizer_cov_trace_\($0)"] })
            ]),
    ],
    swiftLanguageModes: [.v6]
)
