import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A key attestation of Android. Its leaf and attestation certificate are edited before they are signed, and its chain
/// after.
struct FuzzedKeyAttestation: EditableEvidence {
    static let binaryFields: Set<String> = ["certificates", "challenge", "publicKey"]

    private let genuine: [[UInt8]]
    private let isRemote: Bool
    private var leaf: DERTree
    private var isLeafEdited = false
    private var attestation: DERTree
    private var isAttestationEdited = false
    private var order: [Edit] = []
    private var bytes: [Edit] = []
    private var forgery: Edit?
    private var challenge = AndroidMint.challenge
    private var publicKey: [UInt8]?
    private var delay = 0

    init(_ model: AndroidKeyDevice, isRemote: Bool) {
        genuine = AndroidMint.certificates(AndroidMint.chain(model))
        self.isRemote = isRemote
        leaf = AppleMint.signedPart(of: genuine[0])
        attestation = AppleMint.signedPart(of: genuine[1])
    }

    mutating func apply(_ edit: Edit) {
        switch edit.part % 10 {
        case 0, 1, 2, 3:
            leaf.apply(edit)
            isLeafEdited = true
        case 4:
            attestation.apply(edit)
            isAttestationEdited = true
        case 5: order.append(edit)
        case 6: bytes.append(edit)
        case 7: if edit.operation & 0x80 == 0 { challenge = edit.bytes(challenge) } else { forgery = edit }
        case 8: publicKey = edit.bytes(publicKey ?? AndroidMint.device.publicKey)
        default: delay = edit.number
        }
    }

    func close() -> Submission? {
        let signedPart = leaf.encoded
        var certificates = genuine
        certificates[0] = AppleMint.certificate(signedPart, by: AndroidMint.attestationSigner)
        certificates[1] = AppleMint.certificate(attestation.encoded, by: AndroidMint.intermediateSigner)
        let signed = certificates
        if let forgery { certificates.insert(forged(forgery, signedPart), at: 0) }
        for edit in order { Self.reorder(&certificates, edit) }
        for edit in bytes where !certificates.isEmpty {
            let index = edit.node % certificates.count
            certificates[index] = edit.bytes(certificates[index])
        }
        var evidence: [(String, RecordValue.Content)] = [
            (
                "certificates",
                .array(certificates.map { RecordValue(.text(Base64.encode($0, .standard)), offset: 0) })
            ),
            ("challenge", .text(Base64.encode(challenge, .standard))),
        ]
        if let publicKey { evidence.append(("publicKey", .text(Base64.encode(publicKey, .standard)))) }
        let record = EvidenceRecord(
            id: nil, kind: .androidKeyAttestation, app: "shop", receivedAt: nil, evidence: RecordObject(evidence),
            expect: nil)
        return Submission(
            record, now: AndroidMint.now + Double(delay),
            objection: objection(to: signedPart, signed, sent: certificates), mayBeUnreadable: challenge.isEmpty)
    }

    /// A leaf that an app forges: signed with the attested key, and with another public key.
    private func forged(_ edit: Edit, _ signedPart: [UInt8]) -> [UInt8] {
        var forged = signedPart
        if let place = forged.place(of: AndroidMint.device.publicKey) {
            forged.replaceSubrange(place, with: AndroidMint.otherKey)
        }
        return AppleMint.certificate(edit.node & 1 == 0 ? forged : edit.bytes(forged), by: AndroidMint.deviceSigner)
    }

    private static func reorder(_ certificates: inout [[UInt8]], _ edit: Edit) {
        guard !certificates.isEmpty else { return }
        let (from, to) = (edit.node % certificates.count, edit.place % certificates.count)
        switch edit.operation & 3 {
        case 0: certificates.remove(at: from)
        case 1: certificates.insert(certificates[from], at: to)
        case 2: certificates.swapAt(from, to)
        default: certificates.insert(edit.operand, at: to)
        }
    }

    private func objection(to signedPart: [UInt8], _ signed: [[UInt8]], sent: [[UInt8]]) -> String? {
        if let objection = Self.objection(to: sent, insteadOf: signed) { return objection }
        guard challenge == AndroidMint.challenge else { return "the ledger issued another challenge" }
        guard publicKey.map({ $0 == AndroidMint.device.publicKey }) ?? true else { return "another key is claimed" }
        for (part, problem) in Self.parts where !signedPart.contains(part) { return problem }
        guard delay >= -30 * 86_400 || isAttestationEdited else { return "the chain is not valid yet" }
        if isRemote, !isAttestationEdited, !(-86_400...29 * 86_400).contains(delay) {
            return "the attestation certificate is not valid at the time of judgement"
        }
        guard delay < 300 else { return "the challenge has expired" }
        return nil
    }

    private static let parts: [([UInt8], String)] = [
        (DERBuilder.octetString(AndroidMint.challenge), "the key was made for another challenge"),
        (AndroidMint.device.publicKey, "the leaf certifies another key"),
        (DERBuilder.octetString(AndroidMint.packageName), "another app made the key"),
        (DERBuilder.octetString(AndroidMint.digest), "the app is signed by somebody else"),
        // Origin: generated.
        (DERBuilder.context(702, DERBuilder.integer(0)), "the key is not generated"),
        (Array(DERBuilder.context(704, []).prefix(3)), "there is no root of trust"),
    ]

    /// Why a changed chain must not be accepted; nil if only the root certificate is missing or different.
    private static func objection(to sent: [[UInt8]], insteadOf signed: [[UInt8]]) -> String? {
        let below = signed.dropLast()
        guard sent.count >= below.count, sent.count <= signed.count, sent.prefix(below.count).elementsEqual(below)
        else {
            return "the chain was changed"
        }
        guard let root = sent.dropFirst(below.count).first else { return nil }
        let key = (try? Certificate(der: signed[below.count][...]))?.subjectPublicKeyInfo ?? []
        return root.contains(Array(key)) ? nil : "another certificate is in the place of the root"
    }

    private static func certificates(_ record: RecordObject) -> [[UInt8]]? {
        guard case .array(let values)? = record["certificates"]?.content else { return nil }
        let certificates = values.compactMap { value -> [UInt8]? in
            guard case .text(let text) = value.content else { return nil }
            return try? Base64.decode(text, .standard)
        }
        return certificates.count == values.count ? certificates : nil
    }

    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        guard let before = certificates(closed), let after = certificates(changed) else {
            return "a field is no base64"
        }
        guard let one = closed["challenge"]?.content, let other = changed["challenge"]?.content,
            RecordLeaves.isSame(one, other)
        else { return "the challenge is another" }
        return objection(to: after, insteadOf: before)
    }

    /// The verdict contains the serial numbers of all certificates, including the root.
    static func isSameVerdict(_ changed: RecordObject, insteadOf closed: RecordObject) -> Bool {
        certificates(changed) == certificates(closed)
    }
}

extension FuzzTarget {
    /// `verify` of key attestations: provisioned in the factory, and remotely.
    static let keyAttestation = engine(
        "verify-android-key-attestation",
        dictionary: ["com.example.shop", "TEE", "StrongBox", "\u{2B}\u{6}\u{1}\u{4}\u{1}", "Droid CA3"]
    ) { () -> EngineFuzz<FuzzedKeyAttestation> in
        EngineFuzz(
            .init(
                FuzzedKeyAttestation(.factory, isRemote: false), AndroidMint.verifier, challenges: [AndroidMint.issued],
                isSingleUse: true),
            .init(
                FuzzedKeyAttestation(.remote, isRemote: true), AndroidMint.verifier, challenges: [AndroidMint.issued],
                isSingleUse: true))
    }
}
