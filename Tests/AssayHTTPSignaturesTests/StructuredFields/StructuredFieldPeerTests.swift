import AssayCore
import AssayFuzzTargets
import AssayHTTPSignatures
import AssayPrimitives
import Testing

/// Ours against swift-http-structured-headers, which was written apart from it, over values that are mostly well made.
/// Where they may differ is declared with the fuzz target.
@Suite("Structured fields, ours and those of another implementation") struct StructuredFieldPeerTests {
    @Test("Both accept the same values and write them alike, made well and damaged")
    func agreement() {
        var fixture = StructuredFieldFixture(seed: 9651)
        var (accepted, refused, strict) = (0, 0, 0)
        for round in 0..<60_000 {
            let kind = StructuredFieldComparison.Kind.allCases[round % 3]
            let text =
                switch kind {
                case .item: fixture.item()
                case .list: fixture.list()
                case .dictionary: fixture.dictionary()
                }
            let bytes = round % 2 == 0 ? Array(text.utf8) : fixture.mutated(text)
            let comparison = StructuredFieldComparison(kind, bytes)
            if comparison.ours == nil { refused += 1 } else { accepted += 1 }
            if comparison.hasStrayBase64 { strict += 1 }
            if comparison.isDisagreement {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(comparison)")
            }
        }
        #expect(accepted > 10_000)
        #expect(refused > 10_000)
        #expect(strict > 10)
    }

    @Test("The other one lets the last of equal keys win, which ours does only when asked")
    func duplicates() throws {
        let bytes = Array("a=1, a=2".utf8)
        let comparison = StructuredFieldComparison(.dictionary, bytes)
        #expect(comparison.theirs == Array("a=2".utf8))
        #expect(comparison.ours == Array("a=2".utf8))
        #expect(throws: DecodeError.self) { try StructuredFieldReader.readDictionary(bytes[...]) }
    }
}
