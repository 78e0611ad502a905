import Approov
import Assay
import AssayPrimitives
import Foundation
import Testing

/// Known client deviations are refused unless the policy allows them. The standard form is always accepted.
@Suite("Quirks of Approov's clients")
struct MessageQuirkTests {
    private typealias Quirk = MessageSigning.Quirk

    /// A message with one deviation, the quirk that allows it, and the check that otherwise refuses it.
    private static func deviations() -> [(fixture: MessageFixture, quirk: Quirk, refusal: String)] {
        var signature = MessageFixture()
        signature.signatureText = { "\"\(Base64.encode($0, .standard))\"" }
        var digest = MessageFixture.post()
        digest.contentDigest = MessageFixture.digestText(digest.body).replacingOccurrences(of: ":", with: "\"")
        var authority = MessageFixture()
        authority.targetURI = "https://API.example.com:8443/v1"
        authority.components = [#""@method""#, #""@target-uri""#, #""approov-token""#, #""@authority""#]
        authority.signedValues["@authority"] = "api.example.com"
        var fragment = MessageFixture()
        fragment.targetURI += "#top"
        func signing(_ signed: String, _ uri: String, host: String? = nil) -> MessageFixture {
            var fixture = MessageFixture()
            fixture.targetURI = uri
            fixture.signedValues["@target-uri"] = signed
            if let host { fixture.fields = [.init("Host", host)] }
            return fixture
        }
        let api = "https://api.example.com"
        let invalid = "approov.message.signature signature-invalid"
        return [
            (signing(api, "\(api)/"), .targetURIWithoutPath, invalid),
            (signing("\(api)?a=1", "\(api)/?a=1"), .targetURIWithoutPath, invalid),
            (
                signing("https://API.Example.com/v1", "\(api)/v1", host: "API.Example.com"),
                .targetURIWithUpperCaseHost, invalid
            ),
            (
                signing("https://API.Example.com/v1", "\(api)/v1", host: "API.Example.com:443"),
                .targetURIWithUpperCaseHost, invalid
            ),
            (
                signing("https://API.Example.com:8443/v1", "\(api):8443/v1", host: "API.Example.com:8443"),
                .targetURIWithUpperCaseHost, invalid
            ),
            (signing("\(api):443/v1", "\(api)/v1"), .targetURIWithDefaultPort, invalid),
            (signing("http://[::1]:80/v1", "http://[::1]/v1"), .targetURIWithDefaultPort, invalid),
            (signature, .signatureAsString, "approov.message.decode unexpected-type"),
            (digest, .digestAsString, "approov.message.content-digest unexpected-type"),
            (authority, .authorityWithoutPort, "approov.message.signature signature-invalid"),
            (fragment, .targetURIWithFragment, "approov.message.components uri-with-fragment"),
        ]
    }

    @Test("each deviation is accepted with its own quirk, and refused with all others")
    func each() async throws {
        for (fixture, quirk, refusal) in Self.deviations() {
            let own = try await fixture.verdict(MessageSigning(signer: .installation, quirks: [quirk]))
            #expect(own.failures == [])
            #expect(own.outcome == .accept)
            let others = Set(Quirk.allCases).subtracting([quirk])
            #expect(
                try await fixture.verdict(MessageSigning(signer: .installation, quirks: others)).failures == [refusal])
        }
    }

    @Test("the quirks of @target-uri can be combined")
    func together() async throws {
        let quirks = MessageSigning(signer: .installation, quirks: Set(Quirk.allCases))
        var fixture = MessageFixture()
        fixture.targetURI = "https://api.example.com/"
        fixture.fields = [.init("Host", "API.EXAMPLE.COM")]
        fixture.signedValues["@target-uri"] = "https://API.EXAMPLE.COM:443"
        #expect(try await fixture.verdict(quirks).failures == [])
    }

    @Test("the standard form is accepted with every quirk")
    func standard() async throws {
        let quirks = MessageSigning(signer: .installation, quirks: Set(Quirk.allCases))
        var authority = MessageFixture()
        authority.targetURI = "https://api.example.com:8443/v1"
        authority.components = [#""@method""#, #""@target-uri""#, #""approov-token""#, #""@authority""#]
        authority.signedValues["@authority"] = "api.example.com:8443"
        var fragment = MessageFixture()
        fragment.targetURI += "#top"
        fragment.signedValues["@target-uri"] = MessageFixture.uri
        var both = authority
        both.targetURI += "#top"
        both.signedValues = ["@authority": "api.example.com", "@target-uri": "https://api.example.com:8443/v1"]
        for fixture in [MessageFixture(), .post(), authority, fragment, both] {
            #expect(try await fixture.verdict(quirks).failures == [])
        }
    }

    @Test("a quirk allows nothing else: not another host, another fragment, half a signature or another body")
    func narrow() async throws {
        let quirks = MessageSigning(signer: .installation, quirks: Set(Quirk.allCases))
        var host = MessageFixture()
        host.targetURI = "https://api.example.com:8443/v1"
        host.components = [#""@method""#, #""@target-uri""#, #""approov-token""#, #""@authority""#]
        host.signedValues["@authority"] = "api.example.org"
        var fragment = MessageFixture()
        fragment.targetURI += "#top"
        fragment.signedValues["@target-uri"] = MessageFixture.uri + "#bottom"
        func signing(_ signed: String, _ uri: String, host: String) -> MessageFixture {
            var fixture = MessageFixture()
            fixture.targetURI = uri
            fixture.signedValues["@target-uri"] = signed
            fixture.fields = [.init("Host", host)]
            return fixture
        }
        let targets = [
            // Another path, host and port, and a spelling that differs from Host.
            signing("https://a.example", "https://a.example/v1", host: "a.example"),
            signing("https://B.example/v1", "https://a.example/v1", host: "B.example"),
            signing("https://A.example/v1", "https://a.example/v1", host: "a.example"),
            signing("https://A.example/v1", "https://a.example/v1", host: "A.example:8443"),
            signing("https://a.example:80/v1", "https://a.example/v1", host: "a.example"),
            signing("https://a.example:443/v1", "https://a.example:8443/v1", host: "a.example:8443"),
            signing("https://a.example/V1", "https://a.example/v1", host: "a.example"),
        ]
        for fixture in [host, fragment] + targets {
            #expect(try await fixture.verdict(quirks).failures == ["approov.message.signature signature-invalid"])
        }
        var text = MessageFixture()
        for (value, code) in [
            ("\"AAAA\"", "wrong-length"), ("\"AAA\"", "unexpected-length"), ("\"@@@@\"", "invalid-text"),
            ("AAAA", "unexpected-type"), ("1", "unexpected-type"), ("?1", "unexpected-type"),
            ("(\"AAAA\")", "unexpected-type"),
        ] {
            text.signatureText = { _ in value }
            #expect(try await text.verdict(quirks).failures == ["approov.message.decode \(code)"])
        }
        var digest = MessageFixture.post()
        digest.contentDigest = MessageFixture.digestText([1]).replacingOccurrences(of: ":", with: "\"")
        #expect(try await digest.verdict(quirks).failures == ["approov.message.content-digest digest-differs"])
    }

    @Test("a replay is detected in every form of the fields")
    func replay() async throws {
        let verifier = try MessageFixture.verifier(
            MessageSigning(signer: .installation, quirks: Set(Quirk.allCases)))
        var fixture = MessageFixture()
        #expect(try await verifier.verify(fixture.mint(), at: MessageFixture.now).failures == [])
        fixture.signatureText = { "\"\(Base64.encode($0, .standard))\"" }
        #expect(
            try await verifier.verify(fixture.mint(), at: MessageFixture.now).failures
                == ["approov.message.replay digest-used"])
    }
}
