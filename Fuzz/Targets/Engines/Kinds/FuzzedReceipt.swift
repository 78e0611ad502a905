import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A refreshed receipt. Its fields are edited before it is signed, and its message after.
struct FuzzedReceipt: EditableEvidence {
    static let binaryFields: Set<String> = ["keyId", "receipt"]

    private static let leaf = AppleMint.leaf(.iOS26, nonce: Digest.sha256([]))
    private static let fields = AppleMint.receipt(of: leaf, riskMetric: 2)

    private var payload = fields
    private var bytes: [Edit] = []
    private var message: [Edit] = []
    private var keyID = AppleMint.device.keyID
    private var delay = 0

    mutating func apply(_ edit: Edit) {
        switch edit.part % 6 {
        case 0, 1: payload.apply(edit)
        case 2: bytes.append(edit)
        case 3: message.append(edit)
        case 4: delay = edit.number
        default: keyID = edit.bytes(keyID)
        }
    }

    func close() -> Submission? {
        let content = bytes.reduce(payload.encoded) { $1.bytes($0) }
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind.appAttestReceipt, app: "shop", receivedAt: nil,
            evidence: RecordObject([
                ("keyId", .text(Base64.encode(keyID, .standard))),
                ("receipt", .text(Base64.encode(AppleMint.signed(content, edits: message), .standard))),
            ]), expect: nil)
        return Submission(record, now: AppleMint.now + Double(delay), objection: objection(content))
    }

    private func objection(_ content: [UInt8]) -> String? {
        guard keyID == AppleMint.device.keyID else { return "the key ID is another" }
        guard content.contains(Array(AppleMint.appID.utf8)) else { return "the receipt is of another app" }
        guard content.contains(AppleMint.device.publicPoint) else { return "the receipt is of another key" }
        let isEdited = content != Self.fields.encoded
        guard isEdited || (-120...300).contains(delay) else { return "it was not made just now" }
        return nil
    }

    /// Receipts are BER: the signed content has several encodings. The changed receipt must still contain the signed
    /// content.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        guard case .text(let text)? = changed["receipt"]?.content, let bytes = try? Base64.decode(text, .standard)
        else { return "it is no base64" }
        guard let before = closed["keyId"]?.content, let after = changed["keyId"]?.content,
            RecordLeaves.isSame(before, after)
        else { return "the key ID is another" }
        return bytes.contains(AppleMint.device.publicPoint) ? nil : "what is signed is changed"
    }
}

extension FuzzTarget {
    /// `verify` of refreshed receipts.
    static let receipt = engine(
        "verify-app-attest-receipt", dictionary: ["2026-09-21T14:13:20Z", "production", "RECEIPT", "ATTEST"]
    ) { () -> EngineFuzz<FuzzedReceipt> in
        EngineFuzz(.init(FuzzedReceipt(), AppleMint.verifier(), isSingleUse: false))
    }
}
