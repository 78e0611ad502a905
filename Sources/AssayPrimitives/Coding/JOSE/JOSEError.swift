/// Why a key rejects a well-formed JWS or JWE. The detail never shows key material or plaintext.
package struct JOSEError: Error, Equatable, CustomStringConvertible {
    package typealias Code = ErrorCode

    package let reason: Code
    /// The found value, and the allowed ones.
    package let detail: String

    package init(_ reason: Code, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// The stable name of the code.
    package var code: String { reason.name }
    package var description: String { detail }

    /// Throws unless a part has the length that its algorithm requires.
    static func requireLength(_ expected: Int, of part: String, _ bytes: [UInt8]) throws(JOSEError) {
        guard bytes.count == expected else {
            throw JOSEError(.wrongLength, "the \(part) has \(bytes.count) bytes, expected \(expected)")
        }
    }

    /// Throws unless the header's algorithm equals the key's, byte for byte.
    static func requireAlgorithm(_ expected: String, of key: String, found: String) throws(JOSEError) {
        guard found.isByteEqual(to: expected) else {
            throw JOSEError(
                .algorithmNotAllowed, "the header names \(key) \"\(found.excerpt)\", the key allows only \(expected)")
        }
    }
}

/// The codes of ``JOSEError``.
extension ErrorCode {
    package static let algorithmNotAllowed = ErrorCode(
        "algorithm-not-allowed",
        "The header names another algorithm than the key's: a forgery, or a key configured for another algorithm.")
    /// No cryptography was done.
    package static let wrongLength = ErrorCode(
        "wrong-length",
        "A part of the token has another length than its algorithm gives it: the token was cut or forged.")
    /// No cryptography was done.
    package static let badParameter = ErrorCode(
        "bad-parameter", "A header parameter that the algorithm needs is missing or has another form.")
    package static let keyUnwrapFailed = ErrorCode(
        "key-unwrap-failed", "The token was encrypted for another key, or was changed: check the configured keys.")
    package static let decryptionFailed = ErrorCode(
        "decryption-failed", "The token was encrypted for a configured key and was changed afterwards.")
    package static let signatureInvalid = ErrorCode(
        "signature-invalid",
        "No configured key made the signature or MAC over the header and content: a forgery, or a key of another account."
    )
    package static let missingKeyID = ErrorCode(
        "missing-key-id", "The header names no key, and every live key must be selected by its ID.")
    package static let unknownKeyID = ErrorCode(
        "unknown-key-id", "A key ID is named that no live key has: add the key, or correct its configured ID.")

    /// The codes for a rejected JWS.
    package static let ofSignature = [algorithmNotAllowed, wrongLength, signatureInvalid]
    /// The codes for a rejected JWE.
    package static let ofDecryption = [
        algorithmNotAllowed, wrongLength, badParameter, keyUnwrapFailed, decryptionFailed,
    ]
}
