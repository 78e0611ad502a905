package import AssayCore

/// A format that inspection can recognise and decode: lenient where verification is strict, for any bytes without failure or trap, and
/// in linear time.
package protocol BlobFormat: Sendable {
    /// The display name, such as `App Attest attestation object`.
    static var name: String { get }

    /// Recognises bytes of this format, also broken and truncated ones as long as enough is left of them; nil for other bytes.
    static func recognise(_ bytes: [UInt8]) -> Recognition?

    /// Decodes bytes as far as possible.
    static func annotate(_ bytes: [UInt8]) -> BlobContents

    /// Runs the strict decoder that verification uses, which throws its first error. Without one, verification does not
    /// decode this format on its own.
    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError)
}

/// The confidence that bytes are of a format, and the reason.
package struct Recognition: Sendable, Equatable {
    package enum Certainty: Int, Sendable, Comparable {
        /// Weak: only the length or the first byte fits.
        case guess
        /// Strong: the examined structure fits, such as a DER sequence that fills the bytes.
        case structure
        /// Certain: the structure has names or identifiers that only this format uses.
        case certain

        package static func < (left: Certainty, right: Certainty) -> Bool { left.rawValue < right.rawValue }
    }

    package let certainty: Certainty
    /// The reason, as the continuation of "because ...".
    package let reason: String

    package init(_ certainty: Certainty, because reason: String) {
        self.certainty = certainty
        self.reason = reason
    }
}

/// The result of decoding a blob.
package struct BlobContents: Sendable {
    /// The annotations, in the order of the bytes.
    package var annotations: [Annotation]
    /// Blobs that must be decoded first: base64 in JSON, the parts of a JWT. A blob that needs no decoding, such as a
    /// certificate in CBOR, is annotated in place.
    package var nested: [NestedBlob]
    /// The facts that inspection cannot determine without keys or other inputs, one sentence each.
    package var unknown: [String]
    /// The ranges of private keys, symmetric keys and credentials. No view of the bytes, such as a hexadecimal dump,
    /// may show them. Annotations and nested blobs do not contain them.
    package var secrets: [Range<Int>]

    package init(
        _ annotations: [Annotation], nested: [NestedBlob] = [], unknown: [String] = [], secrets: [Range<Int>] = []
    ) {
        (self.annotations, self.nested, self.unknown, self.secrets) = (annotations, nested, unknown, secrets)
    }
}

extension BlobContents {
    /// Bytes in another form, such as a list of numbers: one annotation names the form, and the bytes are a nested blob. A private
    /// key in them is named instead of measured.
    init(
        _ part: String, at range: Range<Int>, form: String, holding name: String, _ bytes: [UInt8],
        problem: String? = nil
    ) {
        let secret = PrivateKeys.describe(bytes)
        self.init(
            [
                Annotation(
                    part, at: range, value: form, meaning: secret ?? Words.count(bytes.count, "byte"),
                    violation: problem)
            ], nested: [NestedBlob(name, encoding: form, bytes: bytes, at: range)],
            secrets: secret == nil ? [] : [range])
    }
}

/// A blob inside another one.
package struct NestedBlob: Sendable {
    /// Its position in words: `payload of the JWS`, `evidence.attestation of the record`.
    package let name: String
    /// Its encoding in the outer blob: `base64url`, `percent-encoding`.
    package let encoding: String
    package let bytes: [UInt8]
    /// Its format if the outer blob determines it; nil if it must be recognised.
    package let format: (any BlobFormat.Type)?
    /// The range of its encoding in the outer blob; nil if it is not contiguous. If the blob contains secrets, this
    /// range must not be shown either.
    package let range: Range<Int>?
    /// Whether it is a bearer credential, such as a session token. Its claims are shown; its signature is hidden.
    package var isCredential = false

    package init(
        _ name: String, encoding: String, bytes: [UInt8], format: (any BlobFormat.Type)? = nil,
        at range: Range<Int>? = nil
    ) {
        (self.name, self.encoding, self.bytes) = (name, encoding, bytes)
        (self.format, self.range) = (format, range)
    }
}

extension BlobFormat {
    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {}

    /// The first error of the strict decoder; nil if it accepts the bytes.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) { try decodeStrictly(bytes) } catch { return error }
        return nil
    }
}
