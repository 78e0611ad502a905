package import Assay
package import AssayTesting
import Crypto
package import FoundationEssentials

/// The test vectors of an engine: what must be accepted, and for every check what must fail it.
///
/// Each file of records is to be judged under the `policy.yaml` of its folder, as captured and in order, with a ledger
/// that is empty at its start. The expectation of a record names every check that fails, with its code. The files in
/// `unreadable` hold records that have no verdict: reading or judging them is an error.
package protocol VectorSet: SendableMetatype {
    /// The name of the engine, which is also the command that writes the vectors.
    static var name: String { get }
    /// The engines whose verdicts the vectors must have.
    static var engines: EngineRegistry { get }
    /// What the vectors are, as the help of the command says it.
    static var abstract: String { get }
    /// Which test keys the vectors rest on, as the help of the command says it.
    static var trust: String { get }

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
}

/// The engines that have test vectors. `assay mint` and `make vectors` go by this list.
package enum VectorSets {
    /// Every set. Tests bind another list, with a set of their own.
    @TaskLocal package static var all: [any VectorSet.Type] = [
        AppAttestVectors.self, PlayIntegrityVectors.self, ApproovVectors.self,
    ]
}
