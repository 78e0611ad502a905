package import AssayCore

/// A format of inspection: recognises bytes of it, and decodes them as far as possible.
///
/// Inspection is lenient where verification is strict. No function of a format fails, traps or takes more than linear
/// time, whatever the bytes are.
package protocol BlobFormat: Sendable {
    /// The name for people, such as `App Attest attestation object`.
    static var name: String { get }

    /// Whether bytes are of this format, how sure that is, and why; nil when they are not.
    ///
    /// Broken and truncated blobs should be recognised as long as enough of them is left.
    static func recognise(_ bytes: [UInt8]) -> Recognition?

    /// Decodes bytes as far as possible.
    static func annotate(_ bytes: [UInt8]) -> BlobContents

    /// The first error of the strict decoder that verification uses; nil if it accepts the bytes.
    static func violation(in bytes: [UInt8]) -> DecodeError?
}

/// The confidence that bytes are of a format, and the reason.
package struct Recognition: Sendable, Equatable {
    /// The confidence.
    package enum Certainty: Int, Sendable, Comparable {
        /// Weak: only the length or the first byte fits.
        case guess
        /// The structure fits as far as it was looked at, such as a DER sequence that fills the bytes.
        case structure
        /// A structure with names or identifiers that only this format has.
        case certain

        /// Orders by certainty.
        package static func < (left: Certainty, right: Certainty) -> Bool { left.rawValue < right.rawValue }
    }

    /// The confidence.
    package let certainty: Certainty
    /// The reason, as the rest of "because ...".
    package let reason: String

    /// Recognises a format.
    package init(_ certainty: Certainty, because reason: String) {
        self.certainty = certainty
        self.reason = reason
    }
}

/// The result of decoding a blob.
package struct BlobContents: Sendable {
    /// The annotations, in the order of the bytes.
    package var annotations: [Annotation]
    /// Blobs that have to be decoded before their bytes are there: base64 in JSON, the parts of a JWT. What needs no
    /// decoding, such as a certificate in CBOR, is annotated in place instead.
    package var nested: [NestedBlob]
    /// What cannot be known without keys or other missing inputs, one sentence each.
    package var unknown: [String]
    /// Where the bytes of the blob are a private key, a symmetric key or a credential: no view of the bytes, such as a dump
    /// in hexadecimal, may show them. Annotations and nested blobs do not have them anyway.
    package var secrets: [Range<Int>]

    /// Collects what was found.
    package init(
        _ annotations: [Annotation], nested: [NestedBlob] = [], unknown: [String] = [], secrets: [Range<Int>] = []
    ) {
        self.annotations = annotations
        self.nested = nested
        self.unknown = unknown
        self.secrets = secrets
    }
}

/// A blob inside another one.
package struct NestedBlob: Sendable {
    /// Its place, in words: `payload of the JWS`, `evidence.attestation of the record`.
    package let name: String
    /// How its bytes were decoded from the outer ones: `base64url`, `percent-encoding`.
    package let encoding: String
    /// Its bytes.
    package let bytes: [UInt8]
    /// Its format if the outer blob determines it; nil if it must be recognised.
    package let format: (any BlobFormat.Type)?
    /// The range of its encoding in the outer blob; nil if that is not one range. If it contains secrets, this range must not be
    /// shown either.
    package let range: Range<Int>?
    /// Whether it is a bearer credential, such as a session token: its claims are shown, its signature is hidden.
    package var isCredential = false

    /// Describes a blob inside another one.
    package init(
        _ name: String, encoding: String, bytes: [UInt8], format: (any BlobFormat.Type)? = nil,
        at range: Range<Int>? = nil
    ) {
        self.name = name
        self.encoding = encoding
        self.bytes = bytes
        self.format = format
        self.range = range
    }
}

extension BlobFormat {
    /// No error: verification does not decode this format on its own.
    package static func violation(in bytes: [UInt8]) -> DecodeError? { nil }
}
