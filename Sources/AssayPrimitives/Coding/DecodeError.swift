/// Input that cannot be decoded: a code, the byte where decoding failed, and a sentence.
public struct DecodeError: Error, Equatable, CustomStringConvertible {
    package typealias Code = ErrorCode

    package let reason: Code
    /// The byte of the input where decoding failed, counted from 0.
    package let offset: Int
    /// The part of the input, in the terms of its standard, such as `attStmt.x5c`; empty when there is only one.
    package let field: String
    /// What was found, and what is allowed.
    public let message: String

    /// Describes why input cannot be decoded.
    package init(_ reason: Code, at offset: Int, field: String = "", _ message: String) {
        (self.reason, self.offset, self.field, self.message) = (reason, offset, field, message)
    }

    /// The same error for a part of a larger input: the path of the field begins with `outer`.
    package func within(_ outer: String) -> DecodeError {
        DecodeError(reason, at: offset, field: field.isEmpty ? outer : "\(outer).\(field)", message)
    }

    /// The stable code.
    public var code: String { reason.name }
    /// Field, byte and sentence.
    public var detail: String {
        field.isEmpty ? "byte \(offset): \(message)" : "\(field), byte \(offset): \(message)"
    }
    /// Field, byte and sentence.
    public var description: String { detail }
}

/// The codes of the decoders, which all formats share.
extension ErrorCode {
    package static let truncated = ErrorCode(
        "truncated", "The bytes end before the item does: look for a transport or a column that cuts long values.")
    package static let trailingBytes = ErrorCode(
        "trailing-bytes", "Bytes follow the item: look for a line end, padding or a second item appended on the way.")
    /// The bytes are not of the expected format.
    package static let malformed = ErrorCode(
        "malformed", "The bytes are not of the expected format: look for a missing or doubled encoding.")
    package static let notMinimal = ErrorCode(
        "not-minimal", "A length or number is encoded longer than necessary: no genuine encoder writes this.")
    /// An indefinite length where the format demands a definite one.
    package static let indefiniteLength = ErrorCode(
        "indefinite-length", "A length is indefinite where the format demands a definite one: look for re-encoding.")
    /// An item of another type than the format demands.
    package static let unexpectedType = ErrorCode(
        "unexpected-type", "A part has another type than the format demands: compare the part that the detail names.")
    /// A value that is not allowed.
    package static let unexpectedValue = ErrorCode(
        "unexpected-value", "A part has a value that is not allowed: the detail says which values are.")
    /// A length other than the format demands.
    package static let unexpectedLength = ErrorCode(
        "unexpected-length", "A part has another length than the format demands: look for truncation or padding.")
    /// The same key twice.
    package static let duplicateKey = ErrorCode(
        "duplicate-key", "A key or field occurs twice, so that two parsers may read different values: a forgery.")
    package static let missing = ErrorCode(
        "missing", "A required part is absent: the detail names it; check that this is evidence of the right kind.")
    /// A part that is not allowed is present.
    package static let unexpected = ErrorCode(
        "unexpected", "A part is present that the format does not allow: the detail names it.")
    /// Text that is not valid UTF-8, or has characters outside its alphabet.
    package static let invalidText = ErrorCode(
        "invalid-text", "Text is not valid UTF-8, or has characters outside its alphabet: look for re-encoding.")
    package static let tooDeep = ErrorCode(
        "too-deep", "The nesting is deeper than the limit: no genuine evidence is nested so deep.")
    /// Larger than the limit, or more items than the limit.
    package static let tooLarge = ErrorCode(
        "too-large", "The input or one of its parts is larger than the limit, which the detail names.")

    /// The codes of ``DecodeError``.
    package static let ofDecoding: [ErrorCode] = [
        truncated, trailingBytes, malformed, notMinimal, indefiniteLength, unexpectedType, unexpectedValue,
        unexpectedLength, duplicateKey, missing, unexpected, invalidText, tooDeep, tooLarge,
    ]
}
