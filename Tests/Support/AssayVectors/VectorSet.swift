package import Assay
package import AssayTesting
import Crypto
package import Foundation

/// The test vectors of an engine: accepted evidence, and rejected evidence for every check.
///
/// Each file of records must be judged under the `policy.yaml` of its folder, as captured and in order, with an empty
/// ledger. A record's expectation names every check that fails, with its code. The files in `unreadable` have records
/// without a verdict: reading or judging them is an error.
package protocol VectorSet: SendableMetatype {
    /// The name of the engine.
    static var name: String { get }
    /// The engines that judge the vectors.
    static var engines: EngineRegistry { get }

    /// All files, including the policies and their keys.
    ///
    /// A record depends only on the seed, the time and its own name: equal seeds and times give equal bytes, and a new
    /// record changes no other one.
    ///
    /// - Parameters:
    ///   - seed: the source of keys, nonces and IVs.
    ///   - time: the time of receipt, in whole seconds.
    static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft]
}

extension VectorSet {
    /// The engines of Assay.
    package static var engines: EngineRegistry { .standard }

    /// Mints and judges all files.
    ///
    /// - Parameters:
    ///   - seed: the source of keys, nonces and IVs; nil for random ones.
    ///   - time: the time of receipt. Fractions of a second are dropped.
    /// - Throws: ``MintingError`` when evidence cannot be minted, or its verdict is not the expected one.
    package static func files(seed: String? = nil, at time: Date) async throws(MintingError) -> [VectorFile] {
        let whole = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
        let random = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }
        return try await VectorJudge.files(drafts(seed: seed ?? random, at: whole), engines: engines)
    }

    /// Mints all files and writes them into a folder. Secret keys get mode 0600, as policies demand.
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

/// All sets of test vectors.
package enum VectorSets {
    /// Every set.
    package static let all: [any VectorSet.Type] = [
        AppAttestVectors.self, AndroidKeyVectors.self, PlayIntegrityVectors.self, ApproovVectors.self,
        TokenVectors.self, NoEvidenceVectors.self, CertificateVectors.self,
    ]
}
