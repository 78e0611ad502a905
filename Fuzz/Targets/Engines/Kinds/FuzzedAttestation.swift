import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// An attestation. Its authenticator data, certificates and receipt are edited before the nonce binds them.
struct FuzzedAttestation: EditableEvidence {
    static let binaryFields: Set<String> = ["keyId", "attestation", "challenge"]

    /// Reserves the place of the nonce in the leaf. The nonce is known only when all other parts are.
    private static let placeholder = [UInt8](repeating: 0xA5, count: 32)
    private static let intermediate = AppleMint.authority.attestationAuthority.certificate
    private static let publicKeyInfo = AppleMint.device.key.subjectPublicKeyInfo()

    private let genuine: [UInt8]
    private var authenticatorData: [UInt8]
    private var leaf: DERTree
    private var isLeafEdited = false
    private var issuer: DERTree?
    private var receipt: Receipt?
    private var nonce: Edit?
    private var challenge = AppleMint.challenge
    private var keyID = AppleMint.device.keyID
    private var object: [Edit] = []
    private var delay = 0

    private struct Receipt {
        var payload: [Edit] = []
        var message: [Edit] = []
    }

    init(_ device: AppAttestDevice, hasReceipt: Bool) {
        let extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        genuine =
            AuthenticatorDataBlueprint(
                attesting: AppleMint.device, appID: AppleMint.appID, environment: .production,
                extensions: device.hasExtensions ? extensions : .none
            ).encoded
        authenticatorData = genuine
        leaf = AppleMint.signedPart(of: AppleMint.leaf(device, nonce: Self.placeholder))
        receipt = hasReceipt ? Receipt() : nil
    }

    mutating func apply(_ edit: Edit) {
        switch edit.part % 10 {
        case 0, 1: authenticatorData = edit.bytes(authenticatorData)
        case 2, 3:
            leaf.apply(edit)
            isLeafEdited = true
        case 4: nonce = edit
        case 5: challenge = edit.bytes(challenge)
        case 6: object.append(edit)
        case 7:
            if edit.operation & 0x80 == 0 { receipt?.payload.append(edit) } else { receipt?.message.append(edit) }
        case 8: delay = edit.number
        default:
            if edit.operation & 0x80 == 0 {
                keyID = edit.bytes(keyID)
            } else {
                var tree = issuer ?? AppleMint.signedPart(of: Self.intermediate)
                tree.apply(edit)
                issuer = tree
            }
        }
    }

    func close() -> Submission? {
        var signedPart = leaf.encoded
        let expected = Digest.sha256(authenticatorData + Digest.sha256(challenge))
        let nonce = nonce.map { $0.bytes(expected) } ?? expected
        let hasNonce = signedPart.place(of: Self.placeholder).map { signedPart.replaceSubrange($0, with: nonce) } != nil
        let leaf = AppleMint.certificate(signedPart, by: AppleMint.intermediateSigner)
        let issuer = issuer.map { AppleMint.certificate($0.encoded, by: AppleMint.rootSigner) } ?? Self.intermediate
        var statement: [(String, CBORItem)] = [("x5c", .array([.bytes(leaf), .bytes(issuer)]))]
        var payload: [UInt8]?
        if let receipt {
            var fields = AppleMint.receipt(of: leaf, riskMetric: nil)
            for edit in receipt.payload { fields.apply(edit) }
            let encoded = fields.encoded
            payload = encoded
            statement.append(("receipt", .bytes(AppleMint.signed(encoded, edits: receipt.message))))
        }
        var object = CBORItem.map(text: [
            ("fmt", .text("apple-appattest")), ("attStmt", .map(text: statement)),
            ("authData", .bytes(authenticatorData)),
        ])
        for edit in self.object { object.apply(edit) }
        let encoded = object.encoded
        let evidence = RecordObject([
            ("keyId", .text(Base64.encode(keyID, .standard))),
            ("attestation", .text(Base64.encode(encoded, .standard))),
            ("challenge", .text(Base64.encode(AppleMint.challenge, .standard))),
        ])
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind.appAttestAttestation, app: "shop", receivedAt: nil, evidence: evidence,
            expect: nil)
        let isBound = hasNonce && nonce == expected && challenge == AppleMint.challenge
        return Submission(
            record, now: AppleMint.now + Double(delay),
            objection: isBound
                ? objection(to: signedPart, leaf: leaf, receipt: payload, encoded)
                : "the nonce is not that of authenticator data and challenge",
            mayBeUnreadable: keyID.isEmpty)
    }

    /// Why an attestation with the right nonce must not be accepted; nil if no reason is known.
    private func objection(
        to signedPart: [UInt8], leaf: [UInt8], receipt: [UInt8]?, _ encoded: [UInt8]
    ) -> String? {
        let data = authenticatorData
        guard keyID == AppleMint.device.keyID else { return "the key ID is another" }
        guard data.count >= 164, data[..<32] == genuine[..<32] else { return "it is for another app" }
        guard data[33..<37] == [0, 0, 0, 0] else { return "the counter is not 0" }
        guard data[37..<164] == genuine[37..<164] else { return "environment, credential ID or key is another" }
        guard signedPart.contains(Self.publicKeyInfo) else { return "the leaf certifies another key" }
        guard encoded.contains(leaf), encoded.contains(data) else { return "leaf or authenticator data is not in it" }
        if !isLeafEdited, abs(delay) > 3 * 86_400 { return "the leaf is not valid at the time of judgement" }
        guard let receipt else { return nil }
        guard receipt.contains(leaf) else { return "the receipt is of another leaf" }
        guard receipt.contains(Array(AppleMint.appID.utf8)) else { return "the receipt is of another app" }
        return nil
    }

    /// Unknown keys of the object are not signed, and a receipt is BER: these bytes may change. The protected parts
    /// must still be present.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        guard let (before, after) = Self.bytes("attestation", closed, changed) else { return "a field is no base64" }
        for name in ["keyId", "challenge"] where !isSame(name, closed, changed) { return "\(name) is another" }
        guard let chain = before.place(of: Array("x5c".utf8)), let issuer = before.place(of: intermediate),
            let data = before.place(of: Array("authData".utf8))
        else { return "it is not what was closed" }
        let protected = [Array(before[chain.lowerBound..<issuer.upperBound]), Array(before[data.lowerBound...])]
        return protected.allSatisfy { after.contains($0) } ? nil : "protected bytes are changed"
    }

    private static func bytes(_ name: String, _ left: RecordObject, _ right: RecordObject) -> ([UInt8], [UInt8])? {
        guard case .text(let one)? = left[name]?.content, case .text(let other)? = right[name]?.content,
            let first = try? Base64.decode(one, .standard), let second = try? Base64.decode(other, .standard)
        else { return nil }
        return (first, second)
    }

    private static func isSame(_ name: String, _ left: RecordObject, _ right: RecordObject) -> Bool {
        guard let one = left[name]?.content, let other = right[name]?.content else { return false }
        return RecordLeaves.isSame(one, other)
    }
}

extension FuzzTarget {
    /// `verify` of attestations: with and without a receipt, of iOS 26 and 27.
    static let attestation = engine(
        "verify-app-attest-attestation",
        dictionary: ["apple_bundle_version_01", "apple_validation_category_01", "appattestdevelop", "receipt", "x5c"]
    ) { () -> EngineFuzz<FuzzedAttestation> in
        let enforced = AppleMint.verifier(modes: [.appAttestAttestationReceipt: .enforce])
        let lenient = AppleMint.verifier(modes: [.appAttestAttestationReceipt: .off])
        let challenges = [AppleMint.issued(EvidenceKind.appAttestAttestation)]
        return EngineFuzz(
            .init(FuzzedAttestation(.iOS26, hasReceipt: false), lenient, challenges: challenges, isSingleUse: true),
            .init(FuzzedAttestation(.iOS27, hasReceipt: false), lenient, challenges: challenges, isSingleUse: true),
            .init(FuzzedAttestation(.iOS27, hasReceipt: true), enforced, challenges: challenges, isSingleUse: true))
    }
}
