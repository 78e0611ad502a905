/// Why no signature base could be built (RFC 9421 section 2.5): the component, and the reason.
package struct SignatureBaseError: Error, CheckFinding, Equatable, CustomStringConvertible {
    package typealias Code = CheckCode

    package let reason: Code
    /// The component identifier, as in a signature base.
    package let component: String
    /// The found value, and the allowed ones.
    package let message: String

    package init(_ reason: Code, _ component: SignatureComponent, _ message: String) {
        self.reason = reason
        self.component = component.text
        self.message = message
    }

    /// The stable name of the code.
    package var code: String { reason.name }
    /// Component and message.
    package var detail: String { "\(component): \(message)" }
    /// Component and message.
    package var description: String { detail }
}

/// The codes of ``SignatureBaseError``.
extension CheckCode {
    package static let unknownComponent = CheckCode(
        "unknown-component",
        "The signature covers a component that begins with `@` and is unknown, or `@signature-params` itself.")
    package static let invalidName = CheckCode(
        "invalid-name", "The signature covers a field name that no HTTP field can have: upper case or other characters."
    )
    package static let invalidParameter = CheckCode(
        "invalid-parameter",
        "A covered component has a parameter that is unknown, has a wrong value or does not fit the component.")
    package static let notInMessage = CheckCode(
        "not-in-message",
        "The request lacks a covered field, query parameter or dictionary key: look for a proxy that removes it.")
    package static let ambiguous = CheckCode(
        "ambiguous", "The query has a covered parameter several times, and each server may read another one.")
    package static let invalidValue = CheckCode(
        "invalid-value", "A covered component's value has characters that it cannot have, such as line breaks.")
    package static let notStructured = CheckCode(
        "not-structured", "A covered component's parameter demands a structured field, and the field is none.")

    /// The codes of ``SignatureBaseError``.
    package static let ofSignatureBase = [
        unknownComponent, invalidName, invalidParameter, notInMessage, ambiguous, invalidValue, notStructured,
    ]
}
