/// The encoding of a receipt's CMS message (RFC 5652 section 5.1, X.690 section 8.1.3).
package enum ReceiptEncoding: Sendable {
    /// BER with indefinite lengths and chunked content. Apple's service uses chunks of 1000 bytes.
    case indefinite(chunkSize: Int)
    /// DER, as in some refreshed receipts.
    case definite
    /// BER with the content in nested OCTET STRINGs of indefinite length.
    case nested(depth: Int)
    /// BER with indefinite lengths and the given bytes in place of the content's OCTET STRING.
    case content([UInt8])

    package func message(content: [UInt8], certificates: [[UInt8]], signerInfos: [UInt8]) -> [UInt8] {
        let octets: [UInt8]
        switch self {
        case .definite: octets = DERBuilder.octetString(content)
        case .indefinite(let chunkSize): octets = Self.chunked(content, by: chunkSize)
        case .nested(let depth):
            octets = (0..<depth).reduce(DERBuilder.octetString(content)) { inner, _ in
                DERBuilder.indefinite(0x24, inner)
            }
        case .content(let bytes): octets = bytes
        }
        let digests = DERBuilder.set(DERBuilder.sequence(OID.sha256, DERBuilder.null))
        let content = constructed(0x30, OID.data + constructed(0xA0, octets))
        let bag = constructed(0xA0, certificates.flatMap { $0 })
        let signedData = constructed(
            0x30, DERBuilder.integer(1) + digests + content + bag + DERBuilder.element(0x31, signerInfos))
        return constructed(0x30, OID.signedData + constructed(0xA0, signedData))
    }

    /// An OCTET STRING of indefinite length in chunks of at most `size` bytes (X.690 section 8.7.3).
    package static func chunked(_ content: [UInt8], by size: Int) -> [UInt8] {
        DERBuilder.indefinite(
            0x24,
            stride(from: 0, to: content.count, by: max(1, size)).flatMap {
                DERBuilder.octetString(Array(content[$0..<min($0 + max(1, size), content.count)]))
            })
    }

    private func constructed(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        if case .definite = self { return DERBuilder.element(identifier, contents) }
        return DERBuilder.indefinite(identifier, contents)
    }
}
