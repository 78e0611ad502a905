public import AssayCore

/// Why a well-formed JWS or JWE is not one of a key: a code that programs match, and a sentence.
///
/// The sentence shows nothing of a key or of what was encrypted.
public struct JOSEError: Error, CheckFinding, Equatable, CustomStringConvertible {
    /// What is wrong, in a word that programs match.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// The header names another algorithm than that of the key.
        public static let algorithmNotAllowed = Code("algorithm-not-allowed")
        /// A part has another length than its algorithm gives it. No cryptography was done.
        public static let wrongLength = Code("wrong-length")
        /// A parameter of the header that the algorithm needs is missing or has another form. No cryptography was done.
        public static let badParameter = Code("bad-parameter")
        /// The encrypted key was not encrypted with this key, or was changed.
        public static let keyUnwrapFailed = Code("key-unwrap-failed")
        /// The content does not authenticate under the content encryption key.
        public static let decryptionFailed = Code("decryption-failed")
        /// The signature or MAC is not that of this key over the signing input.
        public static let signatureInvalid = Code("signature-invalid")
        /// The header names no key where it must.
        public static let missingKeyID = Code("missing-key-id")
        /// The header names a key that is not there, or that serves for no algorithm that is known here.
        public static let unknownKeyID = Code("unknown-key-id")
    }

    /// What is wrong.
    public let reason: Code
    /// What was found, and what is allowed.
    public let detail: String

    /// Describes what is wrong with a JWS or JWE.
    public init(_ reason: Code, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// The stable code.
    public var code: String { reason.name }
    /// The sentence.
    public var description: String { detail }

    /// Demands that a part has the one length that its algorithm gives it.
    static func demandLength(_ expected: Int, of part: String, _ bytes: [UInt8]) throws(JOSEError) {
        guard bytes.count == expected else {
            throw JOSEError(.wrongLength, "the \(part) has \(bytes.count) bytes, expected \(expected)")
        }
    }

    /// Demands that a header names the algorithm of the key, byte for byte.
    static func demandAlgorithm(_ expected: String, of key: String, found: String) throws(JOSEError) {
        guard found.isByteEqual(to: expected) else {
            throw JOSEError(
                .algorithmNotAllowed, "the header names \(key) \"\(found.excerpt)\", the key allows only \(expected)")
        }
    }
}
