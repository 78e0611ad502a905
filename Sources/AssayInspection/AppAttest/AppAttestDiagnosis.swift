package import AppAttest
import AssayCore

extension AppAttestEngine {
    /// Names the mistake that explains a nonce or a signature that differs.
    package static func diagnose(_ rejected: RejectedEvidence) -> [String] {
        switch rejected.check {
        case .appAttestAttestationNonce:
            guard let input = try? AttestationInput(rejected.record.evidence) else { return [] }
            return AttestationDiagnosis(input)?.sentences ?? []
        case .appAttestAssertionSignature where rejected.record.kind == .appAttestRequest:
            let fields = RecordFields(rejected.record.evidence, path: "evidence")
            guard let request = RequestMistakes(rejected.record, tag: AppAttestConfiguration.engine),
                let key = rejected.enrolledKey ?? (try? AssertionKeys.Supplied(in: fields))?.publicKey
            else { return [] }
            let input = AssertionInput(keyID: [], assertion: request.signature.bytes, clientData: .data(request.base))
            return AssertionDiagnosis(
                input, key: key, named: "the signature base",
                others: request.others.map { .init(bytes: Digest.sha256($0.bytes), sentence: $0.sentence) }
            )?.sentences(rejected) ?? []
        case .appAttestAssertionSignature:
            guard let (input, supplied) = try? AssertionInput.read(rejected.record.evidence),
                let key = rejected.enrolledKey ?? supplied?.publicKey
            else { return [] }
            return AssertionDiagnosis(input, key: key)?.sentences(rejected) ?? []
        default: return []
        }
    }
}

/// Why the certified nonce of an attestation differs.
private struct AttestationDiagnosis {
    private let input: AttestationInput
    private let evidence: AttestationEvidence
    private let nonce: ArraySlice<UInt8>

    init?(_ input: AttestationInput) {
        guard
            let evidence = try? AttestationEvidence(
                input.attestation, authorities: AppAttestTrust.apple.attestation),
            let nonce = try? AttestedCertificate.nonce(of: evidence.leaf)
        else { return nil }
        (self.input, self.evidence, self.nonce) = (input, evidence, nonce)
    }

    var sentences: [String] {
        var sentences = [cause]
        if !evidence.credential.credentialID.isByteEqual(to: input.keyID) {
            let own = Base64.encode(evidence.credential.credentialID, .standard)
            sentences.append(
                "the attestation is of another key than keyId, of \(own): parts of two devices or installations?")
        }
        return sentences
    }

    private var cause: String {
        let mistakes = UsualMistakes(input.clientData, named: "this challenge").all
        let stated = statedHash
        if let mistake = mistakes.first(where: { explains($0.bytes[...]) }) {
            let isStated = stated.map { $0.isByteEqual(to: mistake.bytes) } ?? false
            return mistake.sentence + (isStated ? " (field 4 of the receipt states this clientDataHash too)" : "")
        }
        guard let stated, explains(stated) else {
            return
                "none of \(mistakes.count) usual mistakes with this challenge explains the nonce: it was made for another challenge"
        }
        return
            "the app passed the clientDataHash \(stated.shown), of \(Words.count(stated.count, "byte")), as field 4 of the receipt "
            + "states, and none of \(mistakes.count) usual mistakes makes it of this challenge: it was made for another one"
    }

    private func explains(_ hash: ArraySlice<UInt8>) -> Bool {
        nonce.isByteEqual(to: Digest.sha256(evidence.authenticatorDataBytes, hash))
    }

    /// What the app passed, as the receipt says; nil without a receipt.
    private var statedHash: ArraySlice<UInt8>? {
        evidence.receipt.flatMap { try? SignedReceipt($0, authorities: AppAttestTrust.apple.receipts) }?
            .payload.clientDataHash
    }
}

/// Why the signature of an assertion does not hold.
private struct AssertionDiagnosis {
    private let input: AssertionInput
    private let evidence: AssertionEvidence
    private let key: ECDSAPublicKey
    private let name: String
    private let others: [UsualMistakes.Mistake]

    /// - Parameters:
    ///   - name: what the client data is called.
    ///   - others: further mistakes, with the clientDataHash that they make.
    init?(
        _ input: AssertionInput, key: [UInt8], named name: String = "this client data",
        others: [UsualMistakes.Mistake] = []
    ) {
        guard let evidence = try? AssertionEvidence(input.assertion), let key = Self.key(key) else { return nil }
        (self.input, self.evidence, self.key) = (input, evidence, key)
        (self.name, self.others) = (name, others)
    }

    private static func key(_ bytes: [UInt8]) -> ECDSAPublicKey? {
        bytes.count == ECDSAPublicKey.Curve.p256.pointLength
            ? try? ECDSAPublicKey(x963: bytes, curve: .p256) : try? ECDSAPublicKey(subjectPublicKeyInfo: bytes[...])
    }

    func sentences(_ rejected: RejectedEvidence) -> [String] {
        let mistakes = UsualMistakes(input.clientData, named: name).all + others
        if let remark = remark(on: input.clientData.hash) { return [remark] }
        for mistake in mistakes {
            let remark = remark(on: mistake.bytes, after: "\(mistake.sentence): the signature verifies so")
            if let remark { return [remark] }
        }
        let message = Digest.sha256(evidence.authenticatorDataBytes, input.clientData.hash[...])
        let other = rejected.sentence { Self.key($0).map { verifies(message, by: $0) } ?? false }
        if let other { return [other] }
        let form = isSideBySide ? "the signature has 64 bytes and is no DER: r and s side by side; " : ""
        return [
            form
                + "none of \(mistakes.count) usual mistakes with \(name) explains the signature: the app signed other bytes, or "
                + "another key did, such as that of another device or of an earlier installation"
        ]
    }

    private var isSideBySide: Bool { evidence.signature.count == 64 }

    /// What is to be said if the signature verifies with this clientDataHash in some way; nil if it does not. For the right hash,
    /// without `sentence`, the way is what is wrong.
    private func remark(on hash: [UInt8], after sentence: String? = nil) -> String? {
        let signed = Array(evidence.authenticatorDataBytes) + hash
        var remarks = [sentence].compactMap(\.self)
        if !verifies(Digest.sha256(signed)) {
            guard verifies(signed) else { return nil }
            remarks.append(
                "it verifies with the nonce as the digest: SHA-256(authenticatorData || clientDataHash) was signed without the last "
                    + "SHA-256")
        }
        if isSideBySide {
            remarks.append("the signature has 64 bytes and is no DER: r and s side by side, of which DER is to be made")
        }
        return remarks.joined(separator: "; ")
    }

    private func verifies(_ message: [UInt8]) -> Bool { verifies(message, by: key) }

    private func verifies(_ message: [UInt8], by key: ECDSAPublicKey) -> Bool {
        isSideBySide
            ? key.isValidSignature(p1363: Array(evidence.signature), for: message[...], digest: .sha256)
            : key.isValidSignature(der: evidence.signature, for: message[...], digest: .sha256)
    }
}
