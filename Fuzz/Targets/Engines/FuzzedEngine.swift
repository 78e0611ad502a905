import Assay
import AssayCore
import AssayInspection

/// An engine that is fuzzed. A file for each engine conforms it; the registry finds it.
protocol FuzzedEngine: InspectableEngine {
    /// A target for each kind of its evidence.
    static var targets: [FuzzTarget] { get }
    /// Records of genuine evidence, as files have them.
    static var records: [[UInt8]] { get }
    /// A policy that knows the apps of these records.
    static var policy: VerificationPolicy { get }
    /// Policy files with what the engine reads from them. `file:key.pem` has a public key, and any other file a
    /// root certificate.
    static var policyTexts: [String] { get }
}

extension EngineRegistry {
    /// The engines that are fuzzed, which is all of them.
    var fuzzed: [any FuzzedEngine.Type] {
        engines.map { engine in
            guard let fuzzed = engine as? any FuzzedEngine.Type else { FuzzTarget.broken("\(engine) is not fuzzed") }
            return fuzzed
        }
    }
}
