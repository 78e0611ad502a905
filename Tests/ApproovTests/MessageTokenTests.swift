import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation
import Testing

/// The token of a message is checked first. It authenticates the message key.
@Suite("Tokens of Approov messages")
struct MessageTokenTests {
    private func verdict(
        _ fixture: MessageFixture, _ change: (inout ApproovConfiguration.Settings) -> Void = { _ in }
    ) async throws -> Verdict {
        var settings = MessageFixture.settings(MessageSigning(signer: .installation))
        change(&settings)
        return try await MessageFixture.verifier(settings).verify(fixture.mint(), at: MessageFixture.now)
    }

    @Test("the field with the token occurs once, and is not empty")
    func field() async throws {
        var fixture = MessageFixture()
        for (code, change) in [
            ("token-missing", { $0.removeFirst() }),
            ("token-empty", { $0[0] = .init("approov-token", " \t") }),
            ("token-repeated", { $0.append($0[0]) }),
            ("token-repeated", { $0.insert(.init("APPROOV-TOKEN", ""), at: 0) }),
            ("status-word", { $0[0] = .init("Approov-Token", "NO_NETWORK") }),
            ("unexpected", { $0[0] = .init("Approov-Token", "Bearer " + $0[0].value) }),
        ] as [(String, (inout [ApproovMessageInput.Field]) -> Void)] {
            fixture.changeFields = change
            let verdict = try await verdict(fixture)
            #expect(verdict.failures == ["approov.token.decode \(code)"])
            #expect(verdict.checks.dropFirst().allSatisfy { $0.status == .skipped })
            for check in ApproovCheck.messageChecks {
                #expect(verdict.messageResult(check)?.because == .check(.approovTokenDecode))
            }
        }
    }

    @Test("a token field of 64 KiB, a folded one, and one with other bytes are refused")
    func oversized() async throws {
        var fixture = MessageFixture()
        for value in [
            String(repeating: "A", count: 65_537), try fixture.token.replacingOccurrences(of: ".", with: ".\r\n "),
            "\u{0}", "é.é.é", "..",
        ] {
            fixture.changeFields = { $0[0] = .init("Approov-Token", value) }
            #expect(try await verdict(fixture).failed == [CheckID.approovTokenDecode])
        }
    }

    @Test("the prefix of the policy is required")
    func prefix() async throws {
        var fixture = MessageFixture()
        #expect(
            try await verdict(fixture) { $0.tokenPrefix = "Bearer " }.failures == ["approov.token.decode missing"])
        fixture.tokenPrefix = "Bearer "
        #expect(try await verdict(fixture) { $0.tokenPrefix = "Bearer " }.outcome == .accept)
    }

    @Test("the token of an app that failed attestation does not authenticate a message key")
    func rejected() async throws {
        var fixture = MessageFixture()
        fixture.tokenSecret[0] ^= 1
        let verdict = try await verdict(fixture)
        #expect(verdict.failed == [CheckID.approovTokenSignature])
        #expect(verdict.messageResult(CheckID.approovMessageDecode)?.because == .check(.approovTokenSignature))
        #expect(verdict.approov?.claimed?.responseCode == "ABCDEF")
    }

    @Test("the installation key of an expired token still verifies the signature")
    func expired() async throws {
        var fixture = MessageFixture()
        fixture.expiry = MessageFixture.seconds
        let verdict = try await verdict(fixture)
        #expect(verdict.failed == [CheckID.approovTokenExpiry])
        #expect(verdict.messageResult(CheckID.approovMessageSignature)?.status == .passed)
    }

    @Test("bound values are looked up in the fields of the request")
    func binding() async throws {
        var fixture = MessageFixture()
        let pay = Data(SHA256.hash(data: Data("Bearer user".utf8))).base64EncodedString()
        fixture.otherClaims = #","pay":"\#(pay)""#
        func failures(_ fields: [ApproovMessageInput.Field]) async throws -> [String] {
            fixture.fields = fields
            return try await verdict(fixture) {
                $0.binding = ["Authorization"]
                $0.failover = .reject
            }.failures
        }
        #expect(try await failures([.init("authorization", " Bearer user")]) == [])
        #expect(try await failures([]) == ["approov.token.binding binding-missing"])
        #expect(
            try await failures([.init("Authorization", "Bearer other")]) == ["approov.token.binding binding-differs"])
        #expect(
            try await failures([.init("Authorization", "Bearer user"), .init("Authorization", "x")])
                == ["approov.token.binding binding-repeated"])
    }

    @Test("a failover token names no key")
    func failover() async throws {
        let token =
            "eyJhbGciOiJIUzI1NiJ9."
            + Data(#"{"exp":1790000300}"#.utf8).base64EncodedString()
            .replacingOccurrences(of: "=", with: "")
        let tag = HMAC<SHA256>.authenticationCode(
            for: Data(token.utf8), using: SymmetricKey(data: MessageFixture.secret))
        let text =
            token + "."
            + Data(tag).base64EncodedString().replacingOccurrences(of: "=", with: "")
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        var fixture = MessageFixture()
        fixture.signedValues["approov-token"] = text
        fixture.changeFields = { $0[0] = .init("Approov-Token", text) }
        #expect(try await verdict(fixture).failures == ["approov.message.key ipk-missing"])
    }

    @Test("keys that are not points on P-256 are refused")
    func keys() async throws {
        let p384 = "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE"
        var fixture = MessageFixture()
        for claim in [p384, "", "AAAA", (fixture.installationKeyClaim ?? "").dropLast(4) + "AAA="] {
            fixture.installationKeyClaim = String(claim)
            #expect(try await verdict(fixture).failed == [CheckID.approovMessageKey])
        }
        fixture.installationKeyClaim = Data(
            TestKey(.p384, seed: "messages", label: "p384").subjectPublicKeyInfo()
        ).base64EncodedString()
        #expect(try await verdict(fixture).failures == ["approov.message.key wrong-curve"])
    }
}
