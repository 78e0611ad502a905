package import AssayPrimitives
package import FoundationEssentials

/// A pin of a public key, with the window in which it counts.
package struct Pin: Sendable, Hashable {
    /// SHA-256 of the DER SubjectPublicKeyInfo in base64, 44 characters (as RFC 7469 section 2.4 forms it).
    package let text: String
    /// When it begins to count; nil for always.
    package var notBefore: Date?
    /// The last second in which it counts; nil for no end.
    package var notAfter: Date?

    /// The pin of a public key.
    package init(subjectPublicKeyInfo: ArraySlice<UInt8>) {
        text = Base64.encode(Digest.sha256(subjectPublicKeyInfo), .standard)
    }

    /// Reads a pin in base64 with padding.
    package init(_ text: String) throws(DecodeError) {
        let digest = try Base64.decode(text, .standard)
        guard digest.count == 32 else {
            throw DecodeError(
                .unexpectedLength, at: 0,
                "a pin is the SHA-256 of a public key in base64, 44 characters for 32 bytes; found \(digest.count) bytes"
            )
        }
        self.text = text
    }

    /// Whether it counts at a time.
    package func isInForce(at time: Date) -> Bool {
        // notAfter is a whole second.
        (notBefore.map { $0 <= time } ?? true) && (notAfter.map { time < $0 + 1 } ?? true)
    }

    /// Whether two pins are of one key, in any windows.
    package func isSameKey(as other: Pin) -> Bool { text.isByteEqual(to: other.text) }
}
