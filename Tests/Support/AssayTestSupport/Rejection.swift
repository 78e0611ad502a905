package import AssayCore

/// An input that must be rejected, the violated rule and the offset of the error.
package struct Rejection: Sendable, CustomStringConvertible {
    package let input: String
    package let reason: DecodeError.Code
    package let offset: Int
    /// The violated rule.
    package let rule: String

    package init(_ input: String, _ reason: DecodeError.Code, _ offset: Int, _ rule: String) {
        self.input = input
        self.reason = reason
        self.offset = offset
        self.rule = rule
    }

    package var description: String { "\(rule): \(input)" }

    /// The input decoded from hexadecimal digits.
    package var hexBytes: [UInt8] { [UInt8](hex: input) ?? [] }

    package func matches(_ error: DecodeError?) -> Bool { error?.reason == reason && error?.offset == offset }
}

/// The error that `read` throws; nil if it succeeds.
package func decodeError(_ read: () throws -> Void) -> DecodeError? {
    do {
        try read()
        return nil
    } catch {
        return error as? DecodeError ?? DecodeError(DecodeError.Code("foreign", ""), at: -1, "\(error)")
    }
}
