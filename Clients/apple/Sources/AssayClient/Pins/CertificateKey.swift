import Foundation

/// The public key of a certificate (RFC 5280 section 4.1), found by position: the system has validated the certificate.
enum CertificateKey {
    /// SHA-256 of the SubjectPublicKeyInfo, which pins name; nil for bytes of another form.
    ///
    /// - Parameter certificate: DER.
    static func hash(of certificate: Data) -> Data? {
        var outer = DERElements(ArraySlice(certificate))
        guard let certificate = outer.next(0x30) else { return nil }
        var members = DERElements(certificate.content)
        guard let signed = members.next(0x30) else { return nil }
        var fields = DERElements(signed.content)
        if fields.tag == 0xa0 { _ = fields.next(0xa0) }
        // serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo
        for tag: UInt8 in [0x02, 0x30, 0x30, 0x30, 0x30] where fields.next(tag) == nil { return nil }
        return fields.next(0x30).map { Data($0.whole).sha256 }
    }
}

/// The elements of DER, one after the other (X.690).
private struct DERElements {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The tag of the next element; nil at the end.
    var tag: UInt8? { rest.first }

    /// The next element, if it has the tag.
    mutating func next(_ tag: UInt8) -> (whole: ArraySlice<UInt8>, content: ArraySlice<UInt8>)? {
        let start = rest
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first & 0x80 != 0 {
            let count = Int(first & 0x7f)
            guard (1...3).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return (start[..<content.endIndex], content)
    }
}
