import Assay
import AssayCore

/// An engine with fuzz targets. Each engine conforms in its own file; the registry finds it.
protocol FuzzedEngine: EvidenceEngine {
    /// A target for each kind of its evidence.
    static var targets: [FuzzTarget] { get }
    /// Records of genuine evidence, as files have them.
    static var records: [[UInt8]] { get }
    /// A policy with the apps of these records.
    static var policy: VerificationPolicy { get }
    /// Policy files with the fields that the engine reads. `file:key.pem` contains a public key, and any other file a
    /// root certificate.
    static var policyTexts: [String] { get }
}

extension EngineRegistry {
    /// The engines as fuzzed engines. An engine that does not conform ends the process.
    var fuzzed: [any FuzzedEngine.Type] {
        engines.map { engine in
            guard let fuzzed = engine as? any FuzzedEngine.Type else { FuzzTarget.broken("\(engine) is not fuzzed") }
            return fuzzed
        }
    }
}
