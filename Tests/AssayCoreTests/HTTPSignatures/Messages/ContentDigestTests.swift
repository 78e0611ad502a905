import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("Content digests") struct ContentDigestTests {
    private static let content = Array(#"{"hello": "world"}"#.utf8)
    private static let sha256 = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="
    private static let sha512 =
        "WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew=="

    private static func compare(_ text: String, form: ByteForm = .byteSequence) throws -> ContentDigest.Comparison {
        try ContentDigest(Array(text.utf8)[...], form: form).compare(with: content[...])
    }

    @Test("Every digest that counts must be that of the content, and one must")
    func comparison() throws {
        let other = Base64.encode([UInt8](repeating: 7, count: 32), .standard)
        #expect(try Self.compare("sha-256=:\(Self.sha256):") == .matches)
        #expect(try Self.compare("sha-512=:\(Self.sha512):, sha-256=:\(Self.sha256):") == .matches)
        #expect(try Self.compare("sha-512=:\(Self.sha512):, sha-256=:\(other):") == .differs(.sha256))
        #expect(try Self.compare("sha-256=:\(other):, sha-512=:\(Self.sha512):") == .differs(.sha256))
        #expect(try Self.compare("") == .noKnownAlgorithm)
        #expect(try Self.compare("md5=:AAAA:, sha=:AAAA:, crc32c=1, x") == .noKnownAlgorithm)
        #expect(try Self.compare("md5=:AAAA:, sha-256=:\(Self.sha256):") == .matches)
    }

    @Test("Algorithms that do not count are reported")
    func ignored() throws {
        let digest = try ContentDigest(Array("md5=:AAAA:, sha-256=:\(Self.sha256):, x=(1)".utf8)[...])
        #expect(digest.ignored == ["md5", "x"])
        #expect(digest.values.map(\.algorithm) == [.sha256])
    }

    static let refused = [
        Rejection("sha-256=:AAAA:", .unexpectedLength, 0, "a digest has its algorithm's length"),
        Rejection("sha-512=:\(sha256):", .unexpectedLength, 0, "and not another's"),
        Rejection("sha-256=::", .unexpectedLength, 0, "nor none"),
        Rejection("sha-256=\"\(sha256)\"", .unexpectedType, 8, "digests are Byte Sequences"),
        Rejection("sha-256", .unexpectedType, 0, "digests are there"),
        Rejection("sha-256=:\(sha256):,sha-256=:\(sha256):", .duplicateKey, 55, "an algorithm comes once"),
        Rejection("SHA-256=:\(sha256):", .malformed, 0, "keys are in lower case"),
        Rejection("sha-256=:\(sha256.dropLast()):", .unexpectedLength, 52, "base64 has its padding"),
    ]

    @Test("Malformed digests are refused with the byte offset", arguments: refused)
    func refusal(_ rejection: Rejection) {
        let error = decodeError { _ = try Self.compare(rejection.input) }
        #expect(rejection.matches(error), "\(error.map { "\($0.code) \($0)" } ?? "accepted")")
    }

    @Test("Strings of base64 are taken only where that is allowed")
    func strings() throws {
        #expect(try Self.compare("sha-256=\"\(Self.sha256)\"", form: .byteSequenceOrString) == .matches)
    }

    @Test("A digest that is made for content is read back and matches it")
    func making() throws {
        let digest = ContentDigest(of: Self.content[...], [.sha256, .sha512])
        let text = try digest.write()
        #expect(String(decoding: text, as: UTF8.self) == "sha-256=:\(Self.sha256):, sha-512=:\(Self.sha512):")
        #expect(try ContentDigest(text[...]).values == digest.values)
    }

    @Test("Digests supplied by the caller are compared one by one; a missing one proves nothing")
    func elsewhere() throws {
        let digest = ContentDigest(of: Self.content[...], [.sha512, .sha256])
        let (short, long) = (Digest.sha256(Self.content), Digest.sha512(Self.content))
        func compare(sha256: [UInt8]?, sha512: [UInt8]?) -> ContentDigest.Comparison {
            digest.compare { $0 == .sha256 ? sha256 : sha512 }
        }
        #expect(compare(sha256: short, sha512: long) == .matches)
        #expect(compare(sha256: short, sha512: nil) == .notComputed(.sha512))
        #expect(compare(sha256: nil, sha512: long) == .notComputed(.sha256))
        #expect(compare(sha256: short, sha512: []) == .differs(.sha512))
        #expect(compare(sha256: Array(short.dropLast()), sha512: long) == .differs(.sha256))
        #expect(try ContentDigest([]).compare { _ in nil } == .noKnownAlgorithm)
    }
}
