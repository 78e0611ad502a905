import AndroidKey
import AppAttest
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// A diagnosis names what an app did, and nothing where no usual mistake fits.
@Suite("Diagnoses of rejections")
struct DiagnosisTests {
    private static let key = AttestedKey(seed: "diagnosis", label: "shop")
    private static let appID = "1234567890.com.example.shop"
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    private static func text(_ bytes: some Sequence<UInt8>) -> RecordValue.Content {
        .text(Base64.encode(Array(bytes), .standard))
    }

    private static func record(_ kind: String, _ members: [(String, RecordValue.Content)]) throws -> EvidenceRecord {
        let fields = members.map { name, content -> String in
            if case .text(let text) = content { return "\"\(name)\":\"\(text)\"" }
            return "\"\(name)\":null"
        }
        let line = #"{"kind":"\#(kind)","evidence":{\#(fields.joined(separator: ","))}}"#
        return try #require(try RecordFile.read(Array(line.utf8)).first?.get())
    }

    /// The sentences on a record of App Attest that fails at a check.
    private static func sentences(
        _ record: EvidenceRecord, failing check: String, key: [UInt8]? = nil
    ) throws -> [String] {
        let engine = try #require(
            EngineRegistry.standard.engine(for: record.kind) as? any InspectableEngine.Type)
        return engine.diagnose(RejectedEvidence(record, failing: CheckID(check), enrolledKey: key))
    }

    private static let challenge = Array("aGVsbG8tY2hhbGxlbmdlLTAwMDE=".utf8)

    /// What the app passed as clientDataHash for the challenge, and what is said of it.
    private static let mistakes: [(passed: [UInt8], sentence: String)] = [
        (
            Digest.sha256(Array("hello-challenge-0001".utf8)),
            "the app hashed the decoded bytes of this challenge (base64)"
        ),
        (Digest.sha256(Digest.sha256(challenge)), "the app hashed this challenge twice"),
        (challenge, "the app passed this challenge itself, not its SHA-256"),
        (Digest.sha256(challenge + [0x0A]), "the app hashed this challenge with a line end behind it"),
        (
            Array(Digest.sha256(challenge).hexadecimal.utf8),
            "the app passed the hexadecimal text of the SHA-256 of this challenge"
        ),
        (
            Digest.sha256(Array(Base64.encode(challenge, .standard).utf8)),
            "the app hashed the base64 text of this challenge"
        ),
    ]

    @Test("A nonce that differs is explained by what the app passed")
    func nonces() throws {
        let authority = try TestAuthority(seed: "diagnosis", notBefore: Self.now.addingTimeInterval(-90 * 86_400))
        for mistake in Self.mistakes + [(Digest.sha256([1, 2, 3]), "it was made for another")] {
            let minted = try AttestationBlueprint(
                authority: authority, key: Self.key, appID: Self.appID, clientData: .hash(mistake.passed),
                issuedAt: Self.now
            ).mint()
            let record = try Self.record(
                "app-attest.attestation",
                [
                    ("keyId", Self.text(Digest.sha256(minted.publicPoint))),
                    ("attestation", Self.text(minted.attestation)),
                    ("challenge", Self.text(Self.challenge)),
                ])
            let found = try Self.sentences(record, failing: "app-attest.attestation.nonce")
            #expect(found.count == 1 && found[0].contains(mistake.sentence), "\(mistake.sentence): \(found)")
            // Only what the failed check is about is diagnosed.
            #expect(try Self.sentences(record, failing: "app-attest.attestation.chain").isEmpty)
        }
    }

    @Test("A signature that does not hold is explained with the enrolled key")
    func signatures() throws {
        let mistakes = Self.mistakes + [(Digest.sha256([1, 2, 3]), "the app signed other bytes, or another key did")]
        for mistake in mistakes {
            let minted = try AssertionBlueprint(
                key: Self.key, appID: Self.appID, counter: 7, clientData: .hash(mistake.passed)
            ).mint()
            let record = try Self.record(
                "app-attest.assertion",
                [
                    ("keyId", Self.text(Digest.sha256(Self.key.publicPoint))),
                    ("assertion", Self.text(minted.assertion)),
                    ("clientData", Self.text(Self.challenge)),
                ])
            let found = try Self.sentences(record, failing: "app-attest.assertion.signature", key: Self.key.publicPoint)
            let sentence = mistake.sentence.replacing("this challenge", with: "this client data")
            #expect(found.count == 1 && found[0].contains(sentence), "\(sentence): \(found)")
            #expect(try Self.sentences(record, failing: "app-attest.assertion.signature").isEmpty, "no key is known")
        }
    }

    @Test("Client data of any size is diagnosed in bounded time: mistakes are not tried on more than 64 KiB")
    func size() throws {
        let data = [UInt8](repeating: 0x41, count: 1 << 20)
        let minted = try AssertionBlueprint(
            key: Self.key, appID: Self.appID, counter: 7, clientData: .bytes([1])
        ).mint()
        let record = try Self.record(
            "app-attest.assertion",
            [
                ("keyId", Self.text(Digest.sha256(Self.key.publicPoint))), ("assertion", Self.text(minted.assertion)),
                ("clientData", Self.text(data)),
            ])
        let found = try Self.sentences(record, failing: "app-attest.assertion.signature", key: Self.key.publicPoint)
        #expect(found.count == 1 && found[0].contains("none of 0 usual mistakes"), "\(found)")
    }

    // MARK: Requests

    private static let body = Array(#"{"amount":42}"#.utf8)

    private static func blueprint(_ evidence: SignedRequestBlueprint.Evidence) -> SignedRequestBlueprint {
        var blueprint = SignedRequestBlueprint(
            method: "POST", targetURI: "https://api.example.com/v1/orders?page=2", evidence: evidence, createdAt: now)
        blueprint.body = body
        return blueprint
    }

    private static func request(_ minted: MintedRequest, replacing signature: [UInt8]? = nil) -> SignedRequest {
        SignedRequest(
            method: minted.method, targetURI: minted.targetURI,
            fields: minted.headers.map { field in
                guard let signature, field.name == "Signature" else {
                    return SignedRequest.Field(field.name, field.value)
                }
                let label = field.value.prefix { $0 != "=" }
                return SignedRequest.Field("Signature", "\(label)=:\(Base64.encode(signature, .standard)):")
            }, body: .bytes(minted.body))
    }

    /// What an app signs in place of the signature base, and what is said of it.
    private struct Mistake: Sendable {
        let sentence: String
        let signed: @Sendable (_ base: [UInt8]) -> [UInt8]

        init(_ sentence: String, _ signed: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            (self.sentence, self.signed) = (sentence, signed)
        }

        init(_ sentence: String, _ part: String, as other: String) {
            self.init(sentence) { Array(String(decoding: $0, as: UTF8.self).replacing(part, with: other).utf8) }
        }
    }

    private static let bases = [
        Mistake("the signature base with a line end behind it") { $0 + [0x0A] },
        Mistake("end with CR LF", "\n", as: "\r\n"), Mistake("the method as post", "POST", as: "post"),
        Mistake("without its query", "?page=2", as: ""), Mistake("with another scheme", "https:", as: "http:"),
        Mistake("with the default port", "com/", as: "com:443/"),
        Mistake("the body, and not the signature base") { _ in body },
        Mistake("usual mistakes with the signature base explains the signature") { _ in [1, 2, 3] },
    ]

    @Test("The signature of a request is explained by what the app signed in place of the signature base")
    func requests() throws {
        let base = try Self.blueprint(.assertion(Self.key, appID: Self.appID, counter: 7)).mint().signatureBase
        let hashed = Mistake("hashed the hexadecimal text of the SHA-256 of the signature base") {
            Array(Digest.sha256($0).hexadecimal.utf8)
        }
        for mistake in Self.bases + [hashed] {
            var blueprint = Self.blueprint(.assertion(Self.key, appID: Self.appID, counter: 7))
            let bytes = mistake.signed(base)
            blueprint.changeAssertion = { $0.clientData = .bytes(bytes) }
            let record = try EvidenceRecord(appAttestRequest: Self.request(try blueprint.mint()), receivedAt: Self.now)
            #expect(RequestMistakes.keyID(of: record, tag: "app-attest") == Base64.encode(Self.key.keyID, .standard))
            let check = "app-attest.assertion.signature"
            let found = try Self.sentences(record, failing: check, key: Self.key.publicPoint)
            #expect(found.count == 1 && found[0].contains(mistake.sentence), "\(mistake.sentence): \(found)")
            #expect(
                try Self.sentences(record, failing: "app-attest.request.freshness", key: Self.key.publicPoint).isEmpty)
        }
    }

    @Test("A request that an Android key signed over something else, or in DER, is explained")
    func androidRequests() throws {
        let key = try AndroidAttestedKey(.p256, seed: "diagnosis", label: "android")
        let minted = try Self.blueprint(.androidKey(key)).mint()
        let right = try key.signature(over: minted.signatureBase)
        let der = ECDSASignature(r: Array(right.prefix(32)), s: Array(right.suffix(32))).der
        let check = "android-key.request.signature"
        func sentences(_ signature: [UInt8], _ others: [EnrolledKey] = []) throws -> [String] {
            let record = try EvidenceRecord(
                androidKeyRequest: Self.request(minted, replacing: signature), receivedAt: Self.now)
            return AndroidKeyEngine.diagnose(
                RejectedEvidence(
                    record, failing: CheckID(check), enrolledKey: key.publicKey, otherKeys: others))
        }
        for mistake in Self.bases + [Mistake("the app hashed the signature base") { Digest.sha256($0) }] {
            let found = try sentences(try key.signature(over: mistake.signed(minted.signatureBase)))
            #expect(found.count == 1 && found[0].contains(mistake.sentence), "\(mistake.sentence): \(found)")
        }
        #expect(
            try sentences(der) == [
                "the signature is DER, as the keystore returns it; the request has r and s, 32 bytes each"
            ])
        #expect(try sentences(right).isEmpty, "nothing is wrong with it")
        let other = try AndroidAttestedKey(.p256, seed: "diagnosis", label: "another")
        let foreign = try other.signature(over: minted.signatureBase)
        #expect(try sentences(foreign).first?.contains("none of") == true)
        let enrolled = EnrolledKey(
            identifier: KeyIdentifier(engine: "android-key", value: other.keyID), app: "shop",
            publicKey: other.publicKey, counter: 0, enrolledAt: Self.now, properties: [:], account: "alice")
        let found = try sentences(foreign, [enrolled])
        #expect(
            found.count == 1 && found[0].contains(Base64.encode(other.keyID, .standard))
                && found[0].contains("same account"))
    }

    @Test("An assertion of another key of the account is said to be that key's")
    func otherKeys() throws {
        let other = AttestedKey(seed: "diagnosis", label: "another")
        let minted = try AssertionBlueprint(
            key: other, appID: Self.appID, counter: 7, clientData: .bytes(Self.challenge)
        ).mint()
        let record = try Self.record(
            "app-attest.assertion",
            [
                ("keyId", Self.text(Digest.sha256(Self.key.publicPoint))), ("assertion", Self.text(minted.assertion)),
                ("clientData", Self.text(Self.challenge)),
            ])
        let enrolled = EnrolledKey(
            identifier: KeyIdentifier(engine: "app-attest", value: other.keyID), app: "shop",
            publicKey: other.publicPoint,
            counter: 0, enrolledAt: Self.now, properties: [:], account: "alice")
        let found = AppAttestEngine.diagnose(
            RejectedEvidence(
                record, failing: .appAttestAssertionSignature, enrolledKey: Self.key.publicPoint,
                otherKeys: [enrolled]))
        #expect(found.count == 1 && found[0].contains(Base64.encode(other.keyID, .standard)), "\(found)")
    }
}
