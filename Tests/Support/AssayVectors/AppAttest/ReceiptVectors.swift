import AssayTesting
import FoundationEssentials

/// Genuine attestations with a foreign, incomplete or forged receipt, under a policy that demands a receipt.
extension AppAttestVectorMint {
    func strictAttestationReceipt() throws(MintingError) -> [VectorCase] {
        (try signers()) + encodings + fields + (try foreign())
    }

    private func receipt(
        _ id: String, _ outcome: VectorOutcome = .reject("receipt"),
        _ change: @escaping @Sendable (inout ReceiptBlueprint) -> Void
    ) -> VectorCase {
        attestation("receipt-\(id)", outcome, device: .iOS27) { $0.receipt = .minted(change) }
    }

    private func field(_ id: String, _ number: UInt64, _ value: String?) -> VectorCase {
        receipt(id) { $0[number] = value.map { ReceiptField(number, $0) } }
    }

    func strictAttestationReceiptAccept() throws(MintingError) -> [VectorCase] {
        let time = time
        // The signer expires before the attestation is received, but was valid when it made the receipt.
        let shortLived = try authority.receiptSigner(
            seed: "\(seed)/short-lived", notBefore: time.addingTimeInterval(-10 * 86_400),
            notAfter: time.addingTimeInterval(60))
        let certificates = [shortLived, authority.receiptAuthority, authority.root].map(\.certificate)
        return [
            receipt("genuine", .accept) { _ in },
            receipt("definite", .accept) { $0.encoding = .definite },
            receipt("fields-reversed", .accept) { $0.fields.reverse() },
            receipt("two-fraction-digits", .accept) {
                $0[12] = ReceiptField(12, ReceiptBlueprint.time(time).replacingLastDigits(2))
            },
            receipt("unknown-field", .accept) { $0.fields.append(ReceiptField(99, "future")) },
            receipt("attributes-signed", .accept) { $0.signedAttributes = .signed(time) },
            attestation("receipt-signer-expired-since", .accept, device: .iOS27, delay: 86_400) {
                $0.receipt = .minted {
                    $0.signers = [shortLived]
                    $0.certificates = certificates
                }
            },
        ]
    }

    private func signers() throws(MintingError) -> [VectorCase] {
        let (authority, time) = (authority, time)
        let lookalike = try lookalike()
        let unmarked = try authority.receiptSigner(
            seed: "\(seed)/unmarked", notBefore: time.addingTimeInterval(-10 * 86_400),
            notAfter: time.addingTimeInterval(10 * 86_400), isMarked: false)
        let expired = try authority.receiptSigner(
            seed: "\(seed)/expired", notBefore: time.addingTimeInterval(-10 * 86_400),
            notAfter: time.addingTimeInterval(-1))
        let upper = [authority.receiptAuthority.certificate, authority.rootCertificate]
        return [
            receipt("without-signer") { $0.signers = [] },
            receipt("with-two-signers") { $0.signers = [authority.receiptSigner, authority.receiptSigner] },
            receipt("with-second-signer-of-an-attacker") {
                $0.signers = [authority.receiptSigner, lookalike.receiptSigner]
                $0.certificates.append(lookalike.receiptSigner.certificate)
            },
            receipt("signer-without-marker") {
                $0.signers = [unmarked]
                $0.certificates = [unmarked.certificate] + upper
            },
            receipt("signer-expired-at-creation") {
                $0.signers = [expired]
                $0.certificates = [expired.certificate] + upper
            },
            receipt("signer-is-the-authority") { $0.signers = [authority.receiptAuthority] },
            receipt("signer-is-the-attestation-authority") {
                $0.signers = [authority.attestationAuthority]
                $0.certificates.append(authority.attestationAuthority.certificate)
            },
            receipt("root-of-an-attacker-in-the-bag") {
                $0.signers = [lookalike.receiptSigner]
                $0.certificates = [lookalike.receiptSigner, lookalike.receiptAuthority, lookalike.root].map(
                    \.certificate)
            },
            receipt("signer-of-an-attacker-under-genuine-certificates") { $0.signers = [lookalike.receiptSigner] },
            receipt("without-certificates") { $0.certificates = [] },
            receipt("without-signer-certificate") { $0.certificates = upper },
            receipt("signature-broken") { $0.changeSignature = { $0.flippingLastBit() } },
            receipt("signature-empty") { $0.changeSignature = { _ in [] } },
            receipt("attributes-not-signed") { $0.signedAttributes = .ignored(time) },
        ]
    }

    private var encodings: [VectorCase] {
        [
            attestation("receipt-stripped", .reject("receipt"), device: .iOS27) { $0.receipt = .none },
            attestation("receipt-empty", .reject("receipt"), device: .iOS27) { $0.receipt = .bytes([]) },
            attestation("receipt-garbage", .reject("receipt"), device: .iOS27) {
                $0.receipt = .bytes(Array("receipt".utf8))
            },
            receipt("truncated") { $0.changeEncoded = { Array($0.dropLast(2)) } },
            receipt("trailing-byte") { $0.changeEncoded = { $0 + [0x00] } },
            receipt("nested-200-deep") { $0.encoding = .nested(depth: 200) },
            receipt("chunk-bomb") {
                $0.encoding = .content(
                    DERBuilder.indefinite(0x24, (0..<15_000).flatMap { _ in DERBuilder.octetString([]) }))
            },
            receipt("chunks-never-end") { $0.encoding = .content([0x24, 0x80, 0x04, 0x01, 0x31]) },
            receipt("chunk-of-4-gigabytes") {
                $0.encoding = .content([0x24, 0x80, 0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x31, 0x00, 0x00])
            },
            receipt("without-content") { $0.encoding = .content([]) },
        ]
    }

    private var fields: [VectorCase] {
        [
            receipt("payload-empty") { $0.payload = [] },
            receipt("payload-is-no-set") { $0.payload = DERBuilder.octetString("receipt") },
            receipt("payload-with-trailing-byte") {
                $0.payload = DERBuilder.element(0x31, $0.fields.flatMap(\.encoded)) + [0x00]
            },
            receipt("app-id-twice") { $0.fields.append(ReceiptField(2, Self.otherAppID)) },
            receipt("certificate-twice") { $0.fields.append(ReceiptField(3, $0[3]?.value ?? [])) },
            field("app-id-missing", 2, nil), field("app-id-of-another", 2, Self.otherAppID),
            field("certificate-missing", 3, nil), field("certificate-of-another", 3, "another"),
            field("client-data-hash-of-another", 4, "another"),
            field("type-missing", 6, nil), field("type-receipt", 6, "RECEIPT"), field("type-unknown", 6, "attest"),
            field("environment-of-another", 7, "sandbox"),
            field("creation-missing", 12, nil), field("creation-is-no-time", 12, "yesterday"),
            field("creation-on-february-30", 12, "2026-02-30T00:00:00.000Z"),
            field("expiry-is-no-time", 21, "9999"),
            field("risk-metric-negative", 17, "-1"), field("risk-metric-is-no-number", 17, "low"),
            field("risk-metric-in-attest", 17, "1"),
        ]
    }

    private func foreign() throws(MintingError) -> [VectorCase] {
        guard let other = try attestation("receipt-of-another-key", device: .iOS27).mint().receipt else {
            throw MintingError("a genuine attestation has a receipt")
        }
        return [
            attestation("receipt-of-another-attestation", .reject("receipt"), device: .iOS27) {
                $0.receipt = .bytes(other)
            }
        ]
    }
}

extension String {
    /// A time with another number of fraction digits than three.
    fileprivate func replacingLastDigits(_ count: Int) -> String {
        guard let point = lastIndex(of: ".") else { return self }
        return prefix(through: point) + String(self[index(after: point)...].prefix(count)) + "Z"
    }
}
