import AppAttest
import AssayCore
import AssayPrimitives
import AssayTesting

extension FuzzTarget {
    /// CMS messages, as in receipts: if a message verifies, its content is one that was signed.
    static let signedData = FuzzTarget(
        name: "signed-data", maximumLength: 4096,
        dictionary: ["\u{30}", "\u{24}", "\u{4}\u{2}", "\u{2}\u{1}\u{1}", "\u{5}\u{0}", "\u{0}\u{0}"],
        seeds: { try MintedSeeds.receipts() },
        run: { input in
            let read = Reading(input, by: SignedDataReading.read, isSame: SignedDataReading.isSame)
            if let message = read.value {
                require(message.certificates.count <= InputLimits.certificates, "too many certificates")
                require(message.content.count + message.signer.signature.count <= input.count, "more than there is")
            }
            guard case .success(let verified) = CMSSignedData.verify(input[...]) else { return false }
            require(SignedDataReading.contents.contains(verified.content), "a content that nobody signed")
            guard let message = read.value else { return true }
            require(message.content == verified.content, "one message with two contents")
            return true
        })

    /// The payload of receipts: a set of fields.
    static let receiptPayload = FuzzTarget(
        name: "receipt-payload", maximumLength: 2048,
        dictionary: ["ATTEST", "RECEIPT", "production", "sandbox", "2026-09-21T12:00:00.153Z", "\u{2}\u{1}\u{1}"],
        seeds: { Array(SignedDataReading.contents) },
        run: { input in
            guard let receipt = try? Receipt(payload: input) else { return false }
            guard let again = try? Receipt(payload: input) else { broken("accepted once and refused once") }
            require(receipt.creationTime <= receipt.expirationTime, "a receipt that expires before it is made")
            require(
                receipt.creationTime == again.creationTime && receipt.riskMetric == again.riskMetric
                    && receipt.attestedCertificate == again.attestedCertificate, "two readings of the same bytes differ"
            )
            return true
        })
}

/// The contents of the seeds.
private enum SignedDataReading {
    static let contents: Set<[UInt8]> = {
        let receipts = (try? MintedSeeds.receipts()) ?? []
        return Set(receipts.compactMap { try? SignedDataMessage($0[...]).content })
    }()

    static func read(_ bytes: ArraySlice<UInt8>) throws(DecodeError) -> SignedDataMessage {
        try SignedDataMessage(bytes)
    }

    static func isSame(_ first: SignedDataMessage, _ second: SignedDataMessage) -> Bool {
        first.content == second.content && first.certificates == second.certificates
            && first.signer.signature == second.signer.signature && first.signer.issuer == second.signer.issuer
    }
}
