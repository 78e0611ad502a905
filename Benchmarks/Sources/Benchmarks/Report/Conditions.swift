import CBareCBOR
import CBareOpenSSL
import Foundation

/// What the figures depend on: the machine, and the versions of all that takes part.
struct Conditions: Sendable {
    /// A name and its value, in the order of the report.
    let entries: [(name: String, value: String)]

    /// - Parameters:
    ///   - package: the folder of the benchmarks' package, where the versions of Swift packages are pinned.
    ///   - peers: the names and versions of implementations in other languages.
    init(package: URL, peers: [(name: String, value: String)]) {
        let pins = Self.pins(package)
        let libraries = ["swift-crypto", "swift-certificates", "jwt-kit", "swift-http-structured-headers"]
        entries =
            [
                ("Processor", "\(Self.processor), \(ProcessInfo.processInfo.activeProcessorCount) cores"),
                ("System", ProcessInfo.processInfo.operatingSystemVersionString),
                ("Swift", Self.compiler),
                ("OpenSSL", OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "unknown"),
                ("libcbor", "\(CBOR_MAJOR_VERSION).\(CBOR_MINOR_VERSION).\(CBOR_PATCH_VERSION)"),
            ] + libraries.compactMap { name in pins[name].map { (name, $0) } } + peers
    }

    private static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    private static var compiler: String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "--version"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil, let data = try? output.fileHandleForReading.readToEnd() else {
            return "unknown"
        }
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map { String($0) } ?? "unknown"
    }

    /// The versions that the package manager has chosen.
    private static func pins(_ package: URL) -> [String: String] {
        struct Resolved: Decodable {
            struct Pin: Decodable {
                struct State: Decodable { let version: String? }
                let identity: String
                let state: State
            }
            let pins: [Pin]
        }
        guard let data = try? Data(contentsOf: package.appendingPathComponent("Package.resolved")),
            let resolved = try? JSONDecoder().decode(Resolved.self, from: data)
        else { return [:] }
        return Dictionary(
            resolved.pins.compactMap { pin in pin.state.version.map { (pin.identity, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
