package import Assay
import AssayCore
import AssayPrimitives
package import AssayTesting
package import AssayVectors
package import FoundationEssentials

/// Stamps that must be accepted and rejected.
package enum ToyVectors: VectorSet {
    package static let name = "toy"
    package static let engines = EngineRegistry(EngineRegistry.standard.engines + [ToyEngine.self])

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        func record(_ id: String, _ word: String, failed: [String]) -> VectorCase {
            {
                EvidenceRecord(
                    id: id, kind: ToyEngine.kind, app: nil, receivedAt: time,
                    evidence: RecordObject([("stamp", .text("TOY:\(word)"))]),
                    expect: EvidenceRecord.Expectation(
                        outcome: failed.isEmpty ? .accept : .reject, failed: failed.map { .init(check: $0, code: nil) })
                )
            }
        }
        return [
            VectorDraft("policy.yaml", text: "version: 1\napps: [{ name: box, toy: { word: hello } }]\n"),
            VectorDraft(
                "stamps.json",
                [
                    record("stamp-accepted", "hello", failed: []),
                    record("stamp-of-another-toy", "bye", failed: [ToyEngine.word.name]),
                ]),
        ]
    }
}
