import Foundation

/// Where things are, seen from the sources.
enum Places {
    /// The folder of the benchmarks' package.
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL
    /// The folder of Assay.
    static let root = package.deletingLastPathComponent()
    static let vectors = root.appendingPathComponent("TestVectors")
    /// The command line program, once `make build` has built it.
    static let program = root.appendingPathComponent(".build/release/assay")
    /// The same as it is installed, once `Scripts/link-program` has linked it.
    static let installed = root.appendingPathComponent(".build/release/assay.product/assay")
    /// The bare server, once `make bench` has built it.
    static let bareServer = root.appendingPathComponent(".build/release/HTTPBenchmarkServer")
}
