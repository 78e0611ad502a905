import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// RFC 8949 appendices A and F, and the tests of QCBOR, fxamacker/cbor and the CBOR working group.
@Suite("Third-party suite: CBOR", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct CBORSuiteTests {
    private struct File: Decodable {
        let cases: [[SuiteColumn]]
    }

    /// What was refused although the suite accepts it, with what is needed to tell whether that is right.
    private struct Refusal {
        let error: DecodeError
        /// The byte at which the error shows.
        let byte: UInt8
        let isDeterministic: Bool

        var majorType: UInt8 { byte >> 5 }
    }

    @Test("Everything malformed or invalid is refused; what else is refused breaks a rule of ours")
    func all() throws {
        var report = SuiteReport()
        var refusals: [String: Refusal] = [:]
        for row in try SharedFiles.json("suites/cbor/cbor_vectors.json", as: File.self).cases {
            let bytes = try #require([UInt8](hex: row[1].text))
            let id = "\(row[0].text) \(row[1].text)"
            let error = decodeError {
                var reader = CBORReader(bytes)
                try reader.skipItem()
                try reader.finish()
            }
            report.record(id, expected: row[2].text == "ok", accepted: error == nil)
            guard let error, case .flag(let isDeterministic) = row[3] else { continue }
            let byte = bytes.indices.contains(error.offset) ? bytes[error.offset] : 0
            refusals[id] = Refusal(error: error, byte: byte, isDeterministic: isDeterministic)
        }
        let found = refusals
        func rule(
            _ name: String, _ reason: String, _ holds: @escaping @Sendable (Refusal) -> Bool
        ) -> Divergence {
            Divergence(all: name, where: { found[$0].map(holds) ?? false }, reason)
        }
        let register = [
            rule("indefinite lengths", "a second encoding of the same value; genuine evidence has none") {
                $0.error.reason == .indefiniteLength && !$0.isDeterministic && $0.byte & 0x1F == 31
            },
            rule("longer arguments than needed", "a second encoding of the same value") {
                $0.error.reason == .notMinimal && !$0.isDeterministic && $0.majorType < 7
            },
            rule("tags", "no evidence has tags") { $0.error.reason == .unexpected && $0.majorType == 6 },
            rule("keys that are neither text nor integers", "no evidence has such keys") {
                $0.error.reason == .unexpectedType && ![0, 1, 3].contains($0.majorType)
            },
            rule("simple values without a meaning", "libcbor knows no others, and no evidence has any") {
                $0.error.reason == .malformed && ((0xE0...0xF3).contains($0.byte) || $0.byte == 0xF8)
            },
            rule("nesting beyond the limit", "genuine evidence nests three deep") {
                $0.error.reason == .tooDeep && $0.error.offset >= InputLimits.cborDepth
            },
        ]
        #expect(report.problems(cases: 1522, register: register) == [])
    }
}
