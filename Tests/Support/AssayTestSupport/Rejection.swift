package import AssayCore

/// An input that must be refused: for which rule, at which byte.
package struct Rejection: Sendable, CustomStringConvertible {
    package let input: String
    package let reason: DecodeError.Code
    package let offset: Int
    /// The rule that it breaks.
    package let rule: String

    package init(_ input: String, _ reason: DecodeError.Code, _ offset: Int, _ rule: String) {
        self.input = input
        self.reason = reason
        self.offset = offset
        self.rule = rule
    }

    package var description: String { "\(rule): \(input)" }

    /// The input as bytes written in hexadecimal digits.
    package var hexBytes: [UInt8] { [UInt8](hex: input) ?? [] }

    package func matches(_ error: DecodeError?) -> Bool { error?.reason == reason && error?.offset == offset }
}

/// The error that reading ends in, and nil when it succeeds.
package func decodeError(_ read: () throws -> Void) -> DecodeError? {
    do {
        try read()
        return nil
    } catch {
        return error as? DecodeError ?? DecodeError(DecodeError.Code("foreign", ""), at: -1, "\(error)")
    }
}
