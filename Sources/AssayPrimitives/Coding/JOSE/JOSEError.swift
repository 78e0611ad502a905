package import AssayCore

/// Why a well-formed JWS or JWE is not one of a key: a code that programs match, and a sentence.
///
/// The sentence shows nothing of a key or of what was encrypted.
package struct JOSEError: Error, CheckFinding, Equatable, CustomStringConvertible {
    /// What is wrong, in a word that programs match.
    package typealias Code = CheckCode

    /// What is wrong.
    package let reason: Code
    /// What was found, and what is allowed.
    package let detail: String

    /// Describes what is wrong with a JWS or JWE.
    package init(_ reason: Code, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// The stable code.
    package var code: String { reason.name }
    /// The sentence.
    package var description: String { detail }

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

/// The codes of JOSE, for keys and their headers.
extension CheckCode {
    package static let algorithmNotAllowed = CheckCode(
        "algorithm-not-allowed",
        "The header names another algorithm than the key's: a forgery, or a key configured for another algorithm.")
    /// No cryptography was done.
    package static let wrongLength = CheckCode(
        "wrong-length",
        "A part of the token has another length than its algorithm gives it: the token was cut or forged.")
    /// No cryptography was done.
    package static let badParameter = CheckCode(
        "bad-parameter", "A header parameter that the algorithm needs is missing or has another form.")
    package static let keyUnwrapFailed = CheckCode(
        "key-unwrap-failed", "The token was encrypted for another key, or was changed: check the configured keys.")
    package static let decryptionFailed = CheckCode(
        "decryption-failed", "The token was encrypted for a configured key and was changed afterwards.")
    package static let signatureInvalid = CheckCode(
        "signature-invalid",
        "No configured key made the signature or MAC over the header and content: a forgery, or a key of another account."
    )
    package static let missingKeyID = CheckCode(
        "missing-key-id", "The header names no key, and every live key must be selected by its ID.")
    package static let unknownKeyID = CheckCode(
        "unknown-key-id", "A key ID is named that no live key has: add the key, or correct its configured ID.")

    /// The codes with which a key refuses a signed token.
    package static let ofSignature = [algorithmNotAllowed, wrongLength, signatureInvalid]
    /// The codes with which a key refuses an encrypted token.
    package static let ofDecryption = [
        algorithmNotAllowed, wrongLength, badParameter, keyUnwrapFailed, decryptionFailed,
    ]
}
