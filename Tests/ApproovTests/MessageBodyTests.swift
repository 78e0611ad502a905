import Approov
import Assay
import AssayTestSupport
import Crypto
import Foundation
import Testing

/// Bodies that are not available as a whole.
@Suite("Bodies of Approov messages")
struct MessageBodyTests {
    private func failures(_ fixture: MessageFixture, _ body: ApproovMessageInput.Body) async throws -> [String] {
        let minted = try fixture.mint()
        let input = ApproovMessageInput(
            method: minted.method, targetURI: minted.targetURI, fields: minted.fields, body: body)
        let verifier = try MessageFixture.verifier(MessageSigning(signer: .installation))
        return try await verifier.verify(input, at: MessageFixture.now).failures
    }

    private func sha256(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
    private func sha512(_ text: String) -> [UInt8] { Array(SHA512.hash(data: Data(text.utf8))) }

    @Test(
        "digests supplied by the caller are compared; a missing digest proves nothing",
        .produces("approov.message.content-digest", "digest-not-computed"))
    func digests() async throws {
        let fixture = MessageFixture.post("x")
        #expect(try await failures(fixture, .digests(sha256: sha256("x"), sha512: sha512("x"))) == [])
        #expect(try await failures(fixture, .digests(sha256: sha256("x"), sha512: nil)) == [])
        #expect(
            try await failures(fixture, .digests(sha256: sha256("y"), sha512: sha512("x")))
                == ["approov.message.content-digest digest-differs"])
        for body in [
            ApproovMessageInput.Body.digests(sha256: nil, sha512: sha512("x")), .digests(sha256: nil, sha512: nil),
        ] {
            #expect(try await failures(fixture, body) == ["approov.message.content-digest digest-not-computed"])
        }
        #expect(
            try await failures(fixture, .digests(sha256: [], sha512: []))
                == ["approov.message.content-digest digest-differs"])
    }

    @Test("the digests of an empty body are those of no body")
    func empty() async throws {
        let fixture = MessageFixture()
        #expect(try await failures(fixture, .digests(sha256: sha256(""), sha512: sha512(""))) == [])
        #expect(try await failures(fixture, .digests(sha256: nil, sha512: sha512(""))) == [])
        for body in [
            ApproovMessageInput.Body.digests(sha256: sha256("x"), sha512: sha512("")),
            .digests(sha256: nil, sha512: nil),
            .unread, .bytes([0]),
        ] {
            #expect(try await failures(fixture, body) == ["approov.message.components body-not-covered"])
        }
    }

    @Test("for an unread body, the digest must be present, well-formed and covered")
    func unread() async throws {
        var fixture = MessageFixture.post("x")
        #expect(try await failures(fixture, .unread) == [])
        fixture.contentDigest = "sha-256=:AAAA:"
        #expect(try await failures(fixture, .unread) == ["approov.message.content-digest unexpected-length"])
        fixture.contentDigest = "md5=:AAAA:"
        #expect(try await failures(fixture, .unread) == ["approov.message.content-digest no-known-algorithm"])
        fixture = MessageFixture.post("x")
        fixture.components = [#""@method""#, #""@target-uri""#, #""approov-token""#]
        #expect(try await failures(fixture, .unread) == ["approov.message.components body-not-covered"])
    }
}
