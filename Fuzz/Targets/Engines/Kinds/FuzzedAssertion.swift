import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// An assertion. Its authenticator data and client data are edited before they are signed.
struct FuzzedAssertion: EditableEvidence {
    static let binaryFields: Set<String> = ["keyId", "assertion", "clientData"]

    /// The key's counter in the ledger.
    static let storedCounter: UInt32 = 7
    private static let challengeText = Base64.encode(AppleMint.challenge, .standard)

    private let isRaw: Bool
    private var authenticatorData: [UInt8]
    private var clientData: [UInt8]
    private var signature: Edit?
    private var object: [Edit] = []
    private var keyID = AppleMint.device.keyID

    /// - Parameter isRaw: true if the client data is the challenge itself; false if it is JSON with the challenge.
    init(extensions: AppAttestExtensions, isRaw: Bool) {
        self.isRaw = isRaw
        authenticatorData =
            AuthenticatorDataBlueprint(
                assertingFor: AppleMint.appID, counter: Self.storedCounter + 1, extensions: extensions
            ).encoded
        clientData =
            isRaw
            ? AppleMint.challenge : Array(#"{"item":12,"challenge":"\#(Self.challengeText)","more":[true]}"#.utf8)
    }

    mutating func apply(_ edit: Edit) {
        switch edit.part % 6 {
        case 0, 1: authenticatorData = edit.bytes(authenticatorData)
        case 2: clientData = edit.bytes(clientData)
        case 3: signature = edit
        case 4: object.append(edit)
        default: keyID = edit.bytes(keyID)
        }
    }

    func close() -> Submission? {
        let nonce = Digest.sha256(authenticatorData + Digest.sha256(clientData))
        let genuine = AppleMint.deviceSigner.signature(over: nonce).der
        let signature = signature.map { $0.bytes(genuine) } ?? genuine
        var object = CBORItem.map(text: [
            ("signature", .bytes(signature)), ("authenticatorData", .bytes(authenticatorData)),
        ])
        for edit in self.object { object.apply(edit) }
        let encoded = object.encoded
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind.appAttestAssertion, app: "shop", receivedAt: nil,
            evidence: RecordObject([
                ("keyId", .text(Base64.encode(keyID, .standard))),
                ("assertion", .text(Base64.encode(encoded, .standard))),
                ("clientData", .text(Base64.encode(clientData, .standard))),
            ]), expect: nil)
        return Submission(
            record, now: AppleMint.now,
            objection: objection(genuine, encoded))
    }

    /// Why an assertion must not be accepted; nil if no reason is known. `signature` is the valid signature. Searches
    /// the encoding instead of comparing it, because one edit may undo another.
    private func objection(_ signature: [UInt8], _ encoded: [UInt8]) -> String? {
        let data = authenticatorData
        guard keyID == AppleMint.device.keyID else { return "the key ID is another" }
        guard data.count >= 37, Array(data[..<32]) == Digest.sha256(Array(AppleMint.appID.utf8)) else {
            return "it is for another app"
        }
        guard data[33..<37].reduce(0, { $0 << 8 | UInt32($1) }) > Self.storedCounter else {
            return "the counter is not greater"
        }
        guard encoded.contains(CBORItem.bytes(signature).encoded) else { return "the signature was changed" }
        guard encoded.contains(data) else { return "what is signed is not in it" }
        let isBound =
            isRaw
            ? clientData == AppleMint.challenge || clientData == Array(Self.challengeText.utf8)
            : clientData.contains(UInt8(ascii: "\\")) || clientData.contains(Array(Self.challengeText.utf8.prefix(40)))
        return isBound ? nil : "the challenge is not in the client data"
    }
}

extension FuzzTarget {
    /// `verify` of assertions by an enrolled key.
    static let assertion = engine("verify-app-attest-assertion", dictionary: ["challenge", "\\u0063"]) {
        () -> EngineFuzz<FuzzedAssertion> in
        let json: Verifier
        do {
            json = AppleMint.verifier(clientData: .challengeAt(try JSONPointer("/challenge")))
        } catch {
            broken("no pointer: \(error)")
        }
        let raw = AppleMint.verifier(clientData: .raw)
        let extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        let challenges = [
            AppleMint.issued(EvidenceKind.appAttestAssertion),
            AppleMint.issued(EvidenceKind.appAttestAssertion, asText: true),
        ]
        func effects(_ verifier: Verifier) -> [LedgerEffect] { [AppleMint.enrolment(verifier)] }
        return EngineFuzz(
            .init(
                FuzzedAssertion(extensions: .none, isRaw: true), raw, challenges: challenges, effects: effects(raw),
                isSingleUse: true),
            .init(
                FuzzedAssertion(extensions: extensions, isRaw: true), raw, challenges: challenges,
                effects: effects(raw), isSingleUse: true),
            .init(
                FuzzedAssertion(extensions: .none, isRaw: false), json, challenges: challenges,
                effects: effects(json), isSingleUse: true))
    }
}

extension AppleMint {
    /// The enrolment of the device's key, as the attestation under a verifier's policy commits it.
    static func enrolment(_ verifier: Verifier) -> LedgerEffect {
        let attestation = FuzzedAttestation(.iOS26, hasReceipt: false)
        let assessment = Blocking.wait { () async -> Assessment? in
            guard let closed = attestation.close() else { return nil }
            return try? await verifier.assess(closed.record, ledger: MemoryLedger(), at: now)
        }
        guard let effect = assessment?.effects.last else { FuzzTarget.broken("the attestation has no effect") }
        switch effect.action {
        case .enrol(let key, _):
            return LedgerEffect(effect.check, .enrol(key.with(CounterState(greatest: FuzzedAssertion.storedCounter))))
        default: FuzzTarget.broken("the key of the device is not enrolled")
        }
    }
}
