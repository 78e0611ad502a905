package import Assay
package import AssayTesting
import Crypto
package import Foundation

/// The test vectors of an engine: what must be accepted, and for every check what must fail it.
///
/// Each file of records is to be judged under the `policy.yaml` of its folder, as captured and in order, with a ledger
/// that is empty at its start. The expectation of a record names every check that fails, with its code. The files in
/// `unreadable` hold records that have no verdict: reading or judging them is an error.
package protocol VectorSet: SendableMetatype {
    /// The name of the engine.
    static var name: String { get }
    /// The engines whose verdicts the vectors must have.
    static var engines: EngineRegistry { get }

    /// All files, among them the policies and their keys.
    ///
    /// A record depends on the seed, the time and its own name only: the same seed and time give the same bytes, and a
    /// new record changes no other one.
    ///
    /// - Parameters:
    ///   - seed: what keys, nonces and IVs are derived from.
    ///   - time: when the evidence is received, in whole seconds.
    static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft]
}

extension VectorSet {
    /// Those of Assay.
    package static var engines: EngineRegistry { .standard }

    /// Mints and judges all files.
    ///
    /// - Parameters:
    ///   - seed: what keys, nonces and IVs are derived from; nil for random ones.
    ///   - time: when the evidence is received; fractions of a second are dropped.
    /// - Throws: ``MintingError`` when evidence cannot be minted, or its verdict is not the expected one.
    package static func files(seed: String? = nil, at time: Date) async throws(MintingError) -> [VectorFile] {
        let whole = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
        let random = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }
        return try await VectorJudge.files(drafts(seed: seed ?? random, at: whole), engines: engines)
    }

    /// Mints all files and writes them into a folder. Only their owner can read secret keys, as policies demand.
    package static func write(to folder: URL, seed: String? = nil, at time: Date) async throws {
        for file in try await files(seed: seed, at: time) {
            let url = folder.appendingPathComponent(file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.contents.utf8).write(to: url)
            if file.isSecret {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            }
        }
    }
}

/// The engines that have test vectors.
package enum VectorSets {
    /// Every set.
    package static let all: [any VectorSet.Type] = [
        AppAttestVectors.self, AndroidKeyVectors.self, PlayIntegrityVectors.self, ApproovVectors.self,
    ]
}
