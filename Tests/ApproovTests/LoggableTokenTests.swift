import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A logged token proves that Approov issued it, and nothing more.
@Suite("Loggable tokens of Approov")
struct LoggableTokenTests {
    /// Claims, sorted by name.
    static let claims: JSONItem = [
        "anno": ["debug"], "arc": "ABCDEF", "aud": .text(TokenFixtures.audience), "did": .text(TokenFixtures.deviceID),
        "exp": .integer(TokenFixtures.seconds + 240), "ip": "",
    ]

    private func judge(
        _ text: String, keys: [NamedKey]? = nil, _ settings: ApproovConfiguration.Settings = TokenFixtures.strict,
        binding: [ApproovBoundValue] = [], use: VerdictUse = .analysis
    ) async throws -> Verdict {
        try await TokenFixtures.verifier(settings, keys: keys, use: use).verify(
            ApproovTokenInput(.loggable(text), binding: binding), at: TokenFixtures.now)
    }

    @Test(
        "A verifier of requests rejects it for every token form, and reports whether the signature matches",
        .produces("approov.token.signature", "loggable-token"))
    func admitsNothing() async throws {
        let text = try TokenFixtures.loggable(Self.claims)
        for settings in [TokenFixtures.strict, TokenFixtures.lenient] {
            let verdict = try await judge(text, settings, use: .admission)
            #expect(verdict.outcome == .reject && verdict.failed == [CheckID.approovTokenSignature])
            #expect(verdict.tokenCode(CheckID.approovTokenSignature) == "loggable-token")
            #expect(verdict.approov?.claimed?.responseCode == "ABCDEF")
        }
        let record = EvidenceRecord(ApproovTokenInput(.loggable(text)), receivedAt: TokenFixtures.now)
        let fromRecord = try await TokenFixtures.verifier().verify(record, at: TokenFixtures.now)
        #expect(fromRecord.tokenCode(CheckID.approovTokenSignature) == "loggable-token")
        let foreign = try TokenFixtures.loggable(Self.claims, secret: TokenFixtures.otherSecret)
        let other = try await judge(foreign, use: .admission)
        #expect(other.tokenCode(CheckID.approovTokenSignature) == "signature-invalid")
    }

    @Test(
        "Bound values that come with it fail the binding, for any values and any policy",
        .produces("approov.token.binding", "binding-of-loggable"))
    func boundValues() async throws {
        var claims = Self.claims
        let digest = Digest.sha256(Array("custom-data".utf8))
        claims["pay"] = .text(Base64.encode(digest, .standard))
        for claims in [Self.claims, claims] {
            let text = try TokenFixtures.loggable(claims)
            for settings in [TokenFixtures.strict, TokenFixtures.lenient] {
                let presented: [[ApproovBoundValue]] = [
                    [.value("custom-data")], [.missing], [.repeated], [.value(""), .value("x")],
                ]
                for values in presented {
                    let verdict = try await judge(text, settings, binding: values)
                    #expect(verdict.failed == [CheckID.approovTokenBinding], "\(values)")
                    #expect(verdict.tokenCode(CheckID.approovTokenBinding) == "binding-of-loggable")
                }
            }
        }
    }

    @Test("A match is reported: the binding is not checked, and the subject contains the form")
    func match() async throws {
        let verdict = try await judge(TokenFixtures.loggable(Self.claims))
        #expect(verdict.outcome == .accept)
        #expect(verdict.approov?.form == "loggable")
        #expect(verdict.approov?.key == "approov")
        #expect(verdict.approov?.responseCode == "ABCDEF")
        #expect(verdict.tokenResult(CheckID.approovTokenBinding)?.because == .notApplicable)
        #expect(verdict.tokenCode(CheckID.approovTokenBinding) == "no-request")
    }

    @Test("The vendor's example of an expired one is authentic and expired")
    func expired() async throws {
        var claims = Self.claims
        claims["exp"] = .integer(1_558_626_228)
        let verdict = try await judge(TokenFixtures.loggable(claims))
        #expect(verdict.failed == [CheckID.approovTokenExpiry])
        #expect(verdict.approov?.deviceID == TokenFixtures.deviceID)
    }

    @Test("Order, white space and escapes may differ, at every depth")
    func spelling() async throws {
        var claims = Self.claims
        claims["x"] = ["a": ["c": 1, "b": "é"], "d": [["f": .null, "e": .flag(true)]]]
        let sorted = #"{"a":{"b":"é","c":1},"d":[{"e":true,"f":null}]}"#
        let signed = claims.text.replacing(try #require(claims["x"]).text, with: sorted)
        let signature = try TokenFixtures.jws(signed).split(separator: ".")[2].prefix(6)
        let sip = #""sip" : "\#(signature)""#
        for text in [
            "{\(sip),\(claims.text.dropFirst())", "\(claims.text.dropLast()), \(sip)}\n",
            "\(claims.text.dropLast().replacing("/", with: "\\/")),\(sip)}",
            "\(claims.text.dropLast().replacing("é", with: "\\u00e9").replacing("debug", with: "d\\u0065bug")),\(sip)}",
        ] {
            #expect(try await judge(text).failed == [], "\(text)")
        }
    }

    @Test(
        "sip has six characters of base64url",
        arguments: [#""ABCDE""#, #""ABCDEFG""#, #""""#, #""ABCDE+""#, #""ABCDE=""#, "null", "123456", "[]"])
    func malformed(sip: String) async throws {
        let verdict = try await judge("\(Self.claims.text.dropLast()),\"sip\":\(sip)}")
        #expect(verdict.failed == [CheckID.approovTokenDecode])
        #expect(verdict.tokenDetail(CheckID.approovTokenDecode).contains("sip"))
    }

    @Test("A text without sip, one that is not an object, and one with duplicate members are not loggable tokens")
    func unreadable() async throws {
        let text = try TokenFixtures.loggable(Self.claims)
        let cases = [
            Self.claims.text, "", "[]", "\"\"", try TokenFixtures.token(), "\(text)\(text)",
            "\(text.dropLast()),\"sip\":\"AAAAAA\"}", "\(text.dropLast()),\"exp\":1}", #"{"error":"JWE"}"#,
            #"{"error":7}"#,
        ]
        for text in cases {
            #expect(try await judge(text).failed == [CheckID.approovTokenDecode], "\(text.prefix(40))")
        }
        let sealed = try await judge(#"{"error":"JWE"}"#)
        #expect(sealed.tokenDetail(CheckID.approovTokenDecode).contains("no loggable form"))
        var settings = TokenFixtures.strict
        settings.format = .jwe
        #expect(try await judge(text, settings).failed == [CheckID.approovTokenDecode])
    }

    @Test("All live secrets are tried, other secrets are named, and public keys are ignored")
    func keys() async throws {
        let text = try TokenFixtures.loggable(Self.claims, secret: TokenFixtures.otherSecret)
        let other = try TokenFixtures.material(TokenFixtures.otherSecret, keyID: "anything")
        let current = try TokenFixtures.key("now")
        #expect(try await judge(text, keys: [current, TokenFixtures.key("old", other)]).approov?.key == "old")
        let retired = try TokenFixtures.key("old", other, retiredAt: TokenFixtures.now)
        let late = try await judge(text, keys: [current, retired])
        #expect(late.failed == [CheckID.approovTokenSignature])
        #expect(late.tokenCode(CheckID.approovTokenSignature) == "key-not-live")
        let foreign = try await judge(text, keys: [current])
        #expect(foreign.tokenCode(CheckID.approovTokenSignature) == "signature-invalid")
        #expect(foreign.tokenDetail(CheckID.approovTokenSignature).hasSuffix("tried now"))
        #expect(foreign.approov?.claimed?.responseCode == "ABCDEF")
        let publicKeys = try await judge(text, keys: Array(TokenFixtures.keys().dropFirst()))
        #expect(publicKeys.failed == [CheckID.approovTokenKey])
        #expect(publicKeys.tokenCode(CheckID.approovTokenKey) == "no-secret")
    }
}
