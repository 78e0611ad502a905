import Assay
import AssayInspection
import AssayInspectionTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Spellings of one attestation")
struct SpellingTests {
    @Test("inspect finds the attestation in each spelling, and shows its key ID")
    func found() throws {
        let minted = try Samples().attestation
        let keyID = Data(minted.keyID).base64EncodedString()
        for spelling in Spelling.all(of: minted.attestation) {
            let layer = Verifier.inspector.inspect(spelling.bytes, name: "blob")
            let found = layer.all.filter {
                $0.format == "App Attest attestation object" && $0.bytes == minted.attestation
            }
            #expect(LayerShape.problem(layer) == nil, "\(spelling.name)")
            if case .lost(let reason) = spelling.result {
                #expect(found.isEmpty, "\(spelling.name): \(reason)")
                continue
            }
            let inner = try #require(found.first, "\(spelling.name): \(layer.all.map { $0.format ?? "unknown" })")
            #expect(inner.annotations.shown.contains(keyID), "\(spelling.name)")
        }
    }

    @Test("A spelling that is cut anywhere breaks nothing")
    func cut() throws {
        let minted = try Samples().attestation
        for spelling in Spelling.all(of: minted.attestation) {
            for count in [1, 2, 47, 49, 200, spelling.bytes.count / 2, spelling.bytes.count - 1] {
                let layer = Verifier.inspector.inspect(Array(spelling.bytes.prefix(count)), name: "blob")
                #expect(LayerShape.problem(layer) == nil, "\(spelling.name), \(count) bytes")
            }
        }
    }

    @Test("Bytes in which nothing is found end with what was looked for")
    func unknown() {
        let inputs: [[UInt8]] = [
            [], Array("hello, how are you?".utf8), (0..<23).map { UInt8(truncatingIfNeeded: $0 * 89 + 0xF1) },
        ]
        for bytes in inputs {
            let layer = Verifier.inspector.inspect(bytes, name: "blob")
            #expect(layer.format == nil, "\(layer.format ?? "")")
            #expect(layer.unknown.last?.hasSuffix(Inspector.lookedFor) == true, "\(layer.unknown)")
        }
    }
}
