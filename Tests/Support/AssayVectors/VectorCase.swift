package import AssayCore
package import AssayTesting
package import FoundationEssentials

/// The test evidence that all vectors of an engine are derived from: its keys, apps and time.
package protocol VectorMint {
    /// The time at which the evidence is received.
    var time: Date { get }
}

/// Evidence that differs from a genuine one in one respect.
package protocol VectorCase<Mint> {
    associatedtype Mint: VectorMint

    /// Mints the record. It depends on the mint and on this case only, so that a new case changes no other record.
    func record(_ mint: Mint) throws(MintingError) -> EvidenceRecord
}

/// Cases that defend related rules, with the files that they are written to.
protocol VectorGroup<Mint> {
    associatedtype Mint: VectorMint

    init(mint: Mint)

    /// The files, in any order.
    func files() throws(MintingError) -> [VectorDraft]
}

extension VectorMint {
    /// A file with the records of some cases.
    package func file<Case: VectorCase<Self>>(_ path: String, _ cases: [Case]) -> VectorDraft {
        VectorDraft(
            path: path,
            records: cases.map { vectorCase in { try vectorCase.record(self) } })
    }

    /// A file with records that depend on each other.
    func file(_ path: String, _ records: [EvidenceRecord]) -> VectorDraft {
        VectorDraft(path: path, records: records.map { record in { record } })
    }

    /// The files of some groups.
    func files(_ groups: [any VectorGroup<Self>.Type]) throws(MintingError) -> [VectorDraft] {
        var files: [VectorDraft] = []
        for group in groups { files += try group.init(mint: self).files() }
        return files
    }
}

/// What the verdict on a vector has to be.
package struct VectorOutcome: Sendable {
    /// The checks that fail, in their order, without the prefix of their kind or engine.
    let failed: [String]

    /// No check fails.
    package static let accept = VectorOutcome(failed: [])

    /// Some checks fail.
    package static func reject(_ checks: String...) -> VectorOutcome { VectorOutcome(failed: checks) }

    /// - Parameter prefix: what the names of the checks begin with, such as `app-attest.assertion`.
    func expectation(_ prefix: String) -> EvidenceRecord.Expectation {
        .init(
            outcome: failed.isEmpty ? .accept : .reject,
            failed: failed.map { .init(check: "\(prefix).\($0)", code: nil) })
    }
}

extension [UInt8] {
    /// The bytes with the lowest bit of the last one flipped.
    func flippingLastBit() -> [UInt8] { last.map { dropLast() + [$0 ^ 1] } ?? [] }
}
