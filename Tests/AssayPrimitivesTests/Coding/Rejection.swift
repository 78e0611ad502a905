import AssayCore
import AssayTestSupport

/// An input that must be refused: for which rule, at which byte.
struct Rejection: Sendable, CustomStringConvertible {
    let input: String
    let reason: DecodeError.Code
    let offset: Int
    /// The rule that it breaks.
    let rule: String

    init(_ input: String, _ reason: DecodeError.Code, _ offset: Int, _ rule: String) {
        self.input = input
        self.reason = reason
        self.offset = offset
        self.rule = rule
    }

    var description: String { "\(rule): \(input)" }

    /// The input as bytes written in hexadecimal digits.
    var hexBytes: [UInt8] { [UInt8](hex: input) ?? [] }

    func matches(_ error: DecodeError?) -> Bool { error?.reason == reason && error?.offset == offset }
}

/// The error that reading ends in, and nil when it succeeds.
func decodeError(_ read: () throws -> Void) -> DecodeError? {
    do {
        try read()
        return nil
    } catch {
        return error as? DecodeError ?? DecodeError(DecodeError.Code("foreign", ""), at: -1, "\(error)")
    }
}
