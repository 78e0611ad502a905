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
}
