import Approov
import Assay
import AssayCore
import AssayTesting
import Crypto
import Foundation
import Testing

/// Genuine messages are accepted, and each check can fail alone.
@Suite("Approov messages")
struct MessageCheckTests {
    /// A change to a genuine message.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: [String]
        let signing: MessageSigning?
        let age: Double
        let apply: @Sendable (inout MessageFixture) -> Void

        init(
            _ description: String, _ expected: String..., signing: MessageSigning? = nil, age: Double = 0,
            _ apply: @escaping @Sendable (inout MessageFixture) -> Void
        ) {
            testDescription = description
            self.expected = expected
            self.signing = signing
            self.age = age
            self.apply = apply
        }
    }

    private static func sha512(_ body: String) -> String {
        "sha-512=:\(Data(SHA512.hash(data: Data(body.utf8))).base64EncodedString()):"
    }

    private static let genuine = [
        Change("a request without a body") { _ in },
        Change("a request with a body") { $0 = .post() },
        Change("the account's signature") { $0.signer = .account },
        Change("the account's signature over a body") {
            $0 = .post()
            $0.signer = .account
        },
        Change("SHA-512") {
            $0 = .post("x")
            $0.contentDigest = sha512("x")
        },
        Change("both digests, and one that nobody knows") {
            $0 = .post("x")
            $0.contentDigest = MessageFixture.digestText($0.body) + ", " + sha512("x") + ", crc32c=:AAAAAA==:"
        },
        Change("the digest of no body") { $0.contentDigest = MessageFixture.digestText([]) },
        Change("a signature that does not name its algorithm") {
            $0.parameters = ";created=\($0.created);expires=\($0.expires)"
        },
        Change("a signature without expires") { $0.parameters = ";created=\($0.created)" },
        Change("a nonce, a key and a tag, which are signed and not looked at") {
            $0.parameters = ";created=\($0.created);nonce=\"n\";keyid=\"k\";tag=\"t\""
        },
        Change("more components than the policy demands") {
            $0.fields = [.init("Authorization", "Bearer x"), .init("X-Two", "a"), .init("x-two", " b ")]
            $0.components = [
                #""approov-token""#, #""@path""#, #""x-two""#, #""@target-uri""#, #""@method""#, #""authorization""#,
                #""@query-param";name="a""#,
            ]
            $0.signedValues = ["@path": "/v1/items", "@query-param": "1"]
        },
        Change("another signature beside it, which covers what nobody knows") {
            $0.changeFields = { fields in
                fields.append(.init("signature-input", #"proxy=("@unknown" "x-gone";bs);created=1;future=?1"#))
                fields.append(.init("SIGNATURE", "proxy=:AAAA:"))
            }
        },
        Change("the signature's fields with white space and in other cases") {
            $0.changeFields = { fields in
                fields = fields.map { .init($0.name.uppercased(), "\t \($0.value)  ") }
            }
        },
        Change("both ends of the window", age: 58) { $0.parameters = ";created=\($0.created)" },
        Change("the other end of the window", age: -17) { _ in },
        Change("the last moment of its life", age: 12.999) { _ in },
    ]

    @Test("genuine messages are accepted", arguments: genuine)
    func accepted(_ change: Change) async throws {
        var fixture = MessageFixture()
        change.apply(&fixture)
        let verdict = try await fixture.verdict(change.signing, at: MessageFixture.now.addingTimeInterval(change.age))
        #expect(verdict.failures == [])
        #expect(verdict.outcome == .accept)
    }

    private static let prefix = "approov.message."
    private static let alone = [
        Change("no fields of a signature", "decode signature-input-missing") {
            $0.changeFields = { fields in fields.removeAll { $0.name.hasPrefix("Signature") } }
        },
        Change("the account's label under a policy for installations", "decode other-label") { $0.signer = .account },
        Change("no key in the token", "key ipk-missing") { $0.installationKeyClaim = nil },
        Change("no key of the account in the token", "key mskid-missing") {
            $0.signer = .account
            $0.messageKeyClaim = nil
        },
        Change("a key of the account that nobody has", "key unknown-key-id") {
            $0.signer = .account
            $0.messageKeyClaim = "other"
        },
        Change("nothing covered", "components nothing-covered") { $0.components = [] },
        Change("the token not covered", "components not-covered") {
            $0.components = [#""@method""#, #""@target-uri""#]
        },
        Change("the body not covered", "components body-not-covered") {
            $0 = .post()
            $0.components = [#""@method""#, #""@target-uri""#, #""approov-token""#]
        },
        Change("a body without a digest", "components body-not-covered") {
            $0 = .post()
            $0.contentDigest = ""
        },
        Change("another method", "signature signature-invalid") { $0.signedValues["@method"] = "PUT" },
        Change("another URI", "signature signature-invalid") {
            $0.signedValues["@target-uri"] = MessageFixture.uri + "&"
        },
        Change("another token", "signature signature-invalid") { $0.signedValues["approov-token"] = "other" },
        Change("another key", "signature signature-invalid") { $0.signingKey = .init(.p256, seed: "other", label: "") },
        Change("another secret", "signature signature-invalid") {
            $0.signer = .account
            $0.accountSecret[0] ^= 1
        },
        Change("expired", "freshness expired", age: 13) { _ in },
        Change("too old", "freshness too-old", age: 58.001) { $0.parameters = ";created=\($0.created)" },
        Change("made in the future", "freshness from-the-future", age: -17.001) { _ in },
        Change("expired before it was made", "freshness expires-before-created") { $0.expires = $0.created },
        Change("no time", "freshness created-missing") { $0.parameters = ";expires=\($0.expires)" },
        Change("another body", "content-digest digest-differs") {
            $0 = .post()
            $0.body = Array("mallory".utf8)
            $0.contentDigest = MessageFixture.digestText(Array("alice".utf8))
        },
        Change("a body that was taken away", "content-digest digest-differs") {
            $0 = .post()
            $0.contentDigest = MessageFixture.digestText($0.body)
            $0.body = []
        },
        Change("one of two digests wrong", "content-digest digest-differs") {
            $0 = .post("x")
            $0.contentDigest = MessageFixture.digestText($0.body) + ", " + sha512("y")
        },
        Change("only digests that nobody knows", "content-digest no-known-algorithm") {
            $0 = .post()
            $0.contentDigest = "md5=:AAAA:, sha=:AAAA:"
        },
        Change("a digest that ends early", "content-digest truncated") {
            $0 = .post()
            $0.contentDigest = "sha-256=:"
        },
        Change("a digest of another length", "content-digest unexpected-length") {
            $0 = .post()
            $0.contentDigest = "sha-256=:AAAA:"
        },
    ]

    @Test("each check fails alone", arguments: alone)
    func failing(_ change: Change) async throws {
        var fixture = MessageFixture()
        change.apply(&fixture)
        let signing = MessageSigning(
            signer: change.expected == ["decode other-label"] ? .installation : fixture.signer)
        let verdict = try await fixture.verdict(signing, at: MessageFixture.now.addingTimeInterval(change.age))
        #expect(verdict.failures == change.expected.map { Self.prefix + $0 })
        #expect(verdict.outcome == .reject)
        // Every check has a result, whichever check fails.
        let all = ApproovCheck.signedTokenChecks + ApproovCheck.messageChecks + [CheckID.approovMessageReplay]
        #expect(verdict.checks.map(\.check) == all)
    }

    @Test("checks that do not depend on a failed check still run; dependent ones are skipped and name it")
    func skipping() async throws {
        var fixture = MessageFixture.post()
        fixture.components = [#""@method""#]
        fixture.expires = MessageFixture.seconds
        var verdict = try await fixture.verdict()
        #expect(
            verdict.failures == ["approov.message.components not-covered", "approov.message.freshness expired"])
        #expect(verdict.messageResult(CheckID.approovMessageSignature)?.status == .passed)
        #expect(
            verdict.messageResult(CheckID.approovMessageContentDigest)?.because == .check(.approovMessageComponents))
        #expect(verdict.messageResult(CheckID.approovMessageReplay)?.status == .skipped)

        fixture = MessageFixture.post()
        fixture.signedValues["@method"] = "GET"
        verdict = try await fixture.verdict()
        for check in [CheckID.approovMessageFreshness, CheckID.approovMessageContentDigest] {
            #expect(verdict.messageResult(check)?.because == .check(.approovMessageSignature))
        }
        #expect(verdict.messageResult(CheckID.approovMessageComponents)?.status == .passed)
        #expect(verdict.approov?.message == nil)
    }

    @Test("a verdict has the covered components and the time of the signature")
    func facts() async throws {
        let verdict = try await MessageFixture.post("x").verdict()
        let facts = try #require(verdict.approov?.message)
        #expect(facts.label == "install")
        #expect(facts.components == ["@method", "@target-uri", "approov-token", "content-digest"])
        #expect(facts.created?.timeIntervalSince1970 == Double(MessageFixture.seconds - 2))
        #expect(facts.expires?.timeIntervalSince1970 == Double(MessageFixture.seconds + 13))
        #expect(facts.contentDigests.map(\.algorithm) == ["sha-256"])
        #expect(facts.contentDigests.map(\.value) == [Array(SHA256.hash(data: Data("x".utf8)))])
        #expect(verdict.approov?.deviceID == "h4gubfCFzJu81j/U2BJsdg==")
        #expect(verdict.approov?.fields.contains { $0.name == "signatureLabel" } == true)
    }

    @Test("a policy without messageSigning is an error of the caller")
    func unsigned() async throws {
        let verifier = try MessageFixture.verifier(ApproovConfiguration.Settings())
        let input = try MessageFixture().mint()
        await #expect {
            try await verifier.verify(input, at: MessageFixture.now)
        } throws: { error in
            guard case VerificationError.request(let problem) = error else { return false }
            return problem.reason == .unknownApp && problem.message.contains("messageSigning")
        }
    }

    @Test("without a live key of the account, messages are not judged")
    func accountKeys() async throws {
        let keys = try MessageFixture.keys().filter { $0.name == "tokens" }
        let verifier = try MessageFixture.verifier(
            MessageFixture.settings(MessageSigning(signer: .account)), keys: keys)
        var fixture = MessageFixture()
        fixture.signer = .account
        let input = try fixture.mint()
        await #expect {
            try await verifier.verify(input, at: MessageFixture.now)
        } throws: { error in
            guard case VerificationError.request(let problem) = error else { return false }
            return problem.reason == .noKey
        }
    }
}
