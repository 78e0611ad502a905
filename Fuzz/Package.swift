// swift-tools-version: 6.2

import PackageDescription

/// The compiler settings of the package above.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The name under which SwiftPM compiles the package above; SwiftPM derives it from the folder's name. A target
/// compiled under the same name can use the `package` declarations there.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased() ?? ""
let assay = String(folder.enumerated().map { $1.isLetter || $1.isNumber && $0 > 0 ? $1 : "_" })

/// The functions that instrumented code calls with compared numbers; see CComparisons.
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
        // The fuzz targets. They import modules that the package above does not export as products, but that are parts
        // of these products.
        .target(
            name: "FuzzTargets",
            dependencies: [
                .product(name: "Assay", package: "assay"),
                .product(name: "AssayReplay", package: "assay"),
                .product(name: "AssayTesting", package: "assay"),
                .product(name: "_AssayInspection", package: "assay"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            path: "Targets", packageAccess: false,
            swiftSettings: strict + [.unsafeFlags(["-package-name", assay])]),
        // A part of the compiler's runtime, linked with -sanitize=fuzzer.
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
