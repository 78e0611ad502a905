package import AssayCore

/// An X.509 certificate in DER.
package enum CertificateFormat: BlobFormat {
    package static let name = "X.509 certificate"

    /// Recognises a sequence with the fields of a certificate.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, let (node, end) = LenientDER.readOne(bytes[...]), let shape = CertificateShape(node)
        else { return nil }
        guard shape.isComplete, node.broken == nil else {
            return Recognition(.structure, because: "it begins with the fields of a certificate, and breaks off")
        }
        return Recognition(
            .certain,
            because: end == bytes.count
                ? "a DER SEQUENCE that fills all \(end) bytes has the fields of a certificate"
                : "a DER SEQUENCE of \(end) bytes has the fields of a certificate")
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents(
            [CertificateAnnotator.annotate(bytes, at: bytes.indices)],
            unknown: ["Whether the issuer signed the certificate: that needs the issuer's, and `assay verify`."])
    }

    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try Certificate(der: bytes[...])
    }
}

/// The fields of a certificate (RFC 5280 section 4.1), identified by their types, as far as present.
struct CertificateShape {
    let tbsCertificate: DERNode
    let outerAlgorithm: DERNode?
    let signature: DERNode?
    private(set) var version: DERNode?
    private(set) var serialNumber: DERNode?
    private(set) var algorithm: DERNode?
    private(set) var issuer: DERNode?
    private(set) var validity: DERNode?
    private(set) var subject: DERNode?
    private(set) var publicKey: DERNode?
    private(set) var extensions: DERNode?
    /// The values that match no field.
    private(set) var others: [DERNode] = []

    /// Finds the fields; nil unless the value is a sequence that begins with a sequence of serial number, algorithm,
    /// issuer and two times.
    init?(_ node: DERNode) {
        guard node.isUniversal(16), let first = node.children.first, first.isUniversal(16) else { return nil }
        tbsCertificate = first
        let outer = node.children.dropFirst()
        outerAlgorithm = outer.first.flatMap { $0.isUniversal(16) ? $0 : nil }
        signature = outer.dropFirst().first.flatMap { $0.isUniversal(3) ? $0 : nil }
        var rest = first.children[...]
        func take(where fits: (DERNode) -> Bool) -> DERNode? {
            guard let next = rest.first, fits(next) else { return nil }
            rest = rest.dropFirst()
            return next
        }
        func isSequence(_ node: DERNode) -> Bool { node.isUniversal(16) }
        func isContext(_ number: UInt64) -> (DERNode) -> Bool {
            { $0.tagClass == .contextSpecific && $0.tagNumber == number }
        }
        version = take(where: isContext(0))
        serialNumber = take { $0.isUniversal(2) }
        algorithm = take(where: isSequence)
        issuer = take(where: isSequence)
        validity = take(where: isSequence)
        subject = take(where: isSequence)
        publicKey = take(where: isSequence)
        while let next = rest.popFirst() {
            if extensions == nil, isContext(3)(next) { extensions = next } else { others.append(next) }
        }
        guard serialNumber != nil, issuer != nil, let time = validity?.children.first,
            time.isUniversal(23) || time.isUniversal(24)
        else { return nil }
    }

    /// True if all mandatory fields are present.
    var isComplete: Bool { publicKey != nil && outerAlgorithm != nil && signature != nil }
}
