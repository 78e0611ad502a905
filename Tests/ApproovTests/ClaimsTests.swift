import Approov
import Assay
import AssayCore
import AssayTesting
import Crypto
import Foundation
import Testing

/// Every claim is read by its type, and appears only in verdicts that may contain it.
@Suite("Claims of Approov tokens")
struct ClaimsTests {
    private static let measurement = Data((0..<32).map { UInt8(0xA0 + $0) }).base64EncodedString()
    private static let proofKey = Data((0..<16).map { UInt8(0xC0 + $0) }).base64EncodedString()

    private static let everything: JSONItem = [
        "exp": .raw("1790000240.25"), "iat": 1_790_000_000, "nbf": .raw("1789999999.5"),
        "did": .text(TokenFixtures.deviceID), "ip": "2001:db8::1", "iss": "issuer", "aud": ["a", "b"],
        "sub": "subject", "anno": ["debug", "new-word"], "arc": "ABCDEF", "pay": .text(TokenFixtures.digest("x")),
        "ipk": .text(Data(TokenFixtures.signingKey.subjectPublicKeyInfo()).base64EncodedString()), "mskid": "account",
        "mpk": .text(proofKey), "imh": .text(measurement), "dmh": .text(measurement), "x-new": .text("kept"),
        "y-new": ["a": 1],
    ]

    private static var settings: ApproovConfiguration.Settings {
        var settings = ApproovConfiguration.Settings()
        settings.audiences = ["b"]
        settings.issuers = ["issuer"]
        return settings
    }

    @Test("Every claim is typed, and unknown ones are kept")
    func types() async throws {
        let verdict = try await TokenFixtures.judge(TokenFixtures.token(Self.everything), Self.settings)
        #expect(verdict.outcome == .accept)
        let claims = try #require(verdict.approov?.claims)
        #expect(claims.expiry == 1_790_000_240.25)
        #expect(claims.expiresAt == Date(timeIntervalSince1970: 1_790_000_240.25))
        #expect(claims.issuedAt == 1_790_000_000)
        #expect(claims.notBefore == 1_789_999_999.5)
        #expect(claims.deviceID == TokenFixtures.deviceID)
        #expect(claims.address == "2001:db8::1")
        #expect(claims.issuer == "issuer")
        #expect(claims.audiences == ["a", "b"])
        #expect(claims.subject == "subject")
        #expect(claims.annotations == ["debug", "new-word"])
        #expect(claims.responseCode == "ABCDEF")
        #expect(claims.boundDigest == Array(SHA256.hash(data: Data("x".utf8))))
        #expect(claims.installationKey == TokenFixtures.signingKey.subjectPublicKeyInfo())
        #expect(claims.messageKeyID == "account")
        let measurements = try #require(claims.measurements)
        #expect(
            [measurements.proofKey, measurements.integrity, measurements.device].map { $0?.count } == [16, 32, 32])
        #expect(claims.unknown.map(\.name) == ["x-new", "y-new"])
    }

    @Test("The verdict has the device, the response code, noted annotations and unknown claims")
    func subject() async throws {
        let verdict = try await TokenFixtures.judge(TokenFixtures.token(Self.everything), Self.settings)
        let fields = verdict.approov?.fields ?? []
        for field in [
            SubjectField("form", .text("jws")), SubjectField("source", .text("app")),
            SubjectField("deviceId", .text(TokenFixtures.deviceID)), SubjectField("arc", .text("ABCDEF")),
            SubjectField("expiresAt", .text("2026-09-21T14:17:20.250Z")),
            SubjectField("annotations", .texts(["debug", "new-word"])), SubjectField("isBound", .flag(true)),
            SubjectField("unknownClaims", .texts(["x-new: \"kept\"", "y-new: an object"])),
        ] {
            #expect(fields.contains(field), "\(field)")
        }
        #expect(verdict.annotated == [CheckID.approovTokenAnnotations, CheckID.approovTokenAddress])
    }

    @Test("A token with only exp is recognised as a failover token")
    func minimal() async throws {
        let verdict = try await TokenFixtures.judge(
            TokenFixtures.token(["exp": .integer(TokenFixtures.seconds + 1)]), ApproovConfiguration.Settings())
        #expect(verdict.outcome == .accept && verdict.isProven)
        #expect(
            verdict.approov?.fields.map(\.name) == ["form", "key", "source", "expiresAt", "isBound"])
    }

    @Test("For a token with a wrong secret, the verdict has only the ARC and device ID, marked as claims")
    func claimed() async throws {
        let foreign = TokenFixtures.hs256(TokenFixtures.otherSecret)
        let verdict = try await TokenFixtures.judge(
            TokenFixtures.jws(Self.everything.text, by: foreign), Self.settings)
        #expect(verdict.failed == [CheckID.approovTokenSignature])
        #expect(!verdict.isProven, "forgeries take no room from genuine evidence")
        #expect(verdict.approov?.claims == nil)
        #expect(verdict.approov?.deviceID == nil)
        #expect(verdict.approov?.responseCode == nil)
        #expect(
            verdict.approov?.fields == [
                SubjectField("claimedDeviceId", .text(TokenFixtures.deviceID)),
                SubjectField("claimedArc", .text("ABCDEF")),
            ])
    }

    @Test(
        "Claims of unauthentic tokens are shown only in the service's own form",
        arguments: [
            #"{"arc":"<script>","did":"ExampleApproovTokenDID"}"#, #"{"arc":"AB\u0000","did":"\u202e"}"#,
            #"{"arc":"","did":""}"#, #"{"arc":["ABCDEF"],"did":7}"#, #"{"exp":1}"#, "not JSON", "[]", "",
            #"{"arc":"ABCDEF","arc":"ABCDEF"}"#, "{\"arc\":\"\(String(repeating: "A", count: 65))\"}",
        ])
    func claimedForms(payload: String) async throws {
        let verdict = try await TokenFixtures.judge(
            TokenFixtures.jws(payload, by: TokenFixtures.hs256(TokenFixtures.otherSecret)))
        #expect(verdict.failed == [CheckID.approovTokenSignature])
        #expect(verdict.subject == nil)
    }
}
