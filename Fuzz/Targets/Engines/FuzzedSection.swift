import Assay
import AssayCore

/// A section of a policy with fuzz targets for its evidence. Each conforms in its own file; the registry finds it.
protocol FuzzedSection: PolicySection {
    /// A target for each kind of its evidence.
    static var targets: [FuzzTarget] { get }
    /// Records of genuine evidence, as files have them.
    static var records: [[UInt8]] { get }
    /// A policy with the apps of these records.
    static var policy: VerificationPolicy { get }
    /// Policy files with the fields of the section. `file:key.pem` contains a public key, and any other file a root
    /// certificate.
    static var policyTexts: [String] { get }
}

extension EngineRegistry {
    /// The sections as fuzzed sections. One that does not conform ends the process.
    var fuzzed: [any FuzzedSection.Type] {
        sections.map { section in
            guard let fuzzed = section as? any FuzzedSection.Type else { FuzzTarget.broken("\(section) is not fuzzed") }
            return fuzzed
        }
    }
}

extension FuzzedSection {
    /// The policy of a text that names no files.
    static func policy(reading text: String) -> VerificationPolicy {
        do { return try PolicyFile.parse(text, file: nil, files: NoFiles()) } catch {
            FuzzTarget.broken("no policy: \(error)")
        }
    }
}

private struct NoFiles: PolicyFiles {
    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { throw node.error("there are no files") }
}
