// Hides tokens and bound values from interpolation, `dump` and debuggers: a token authorises its holder until it
// expires, and a bound value is often a user's session.

extension ApproovTokenInput.Evidence: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The form and length, without the text.
    public var description: String {
        switch self {
        case .token(let text): "(token of \(text.utf8.count) bytes)"
        case .loggable(let text): "(loggable token of \(text.utf8.count) bytes)"
        case .missing: "(missing)"
        case .repeated: "(repeated)"
        }
    }
    /// The form and length, without the text.
    public var debugDescription: String { description }
    /// No children: `dump` prints no text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ApproovBoundValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The presence and length, without the value.
    public var description: String {
        switch self {
        case .value(let text): "(value of \(text.utf8.count) bytes)"
        case .missing: "(missing)"
        case .repeated: "(repeated)"
        }
    }
    /// The presence and length, without the value.
    public var debugDescription: String { description }
    /// No children: `dump` prints no value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ApproovProofInput.Source: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of source, without its content.
    public var description: String {
        switch self {
        case .measurements: "(measurements)"
        case .token(let text): "(token of \(text.utf8.count) bytes)"
        case .sealed(let text): "(measurement token of \(text.utf8.count) bytes)"
        }
    }
    /// The kind of source, without its content.
    public var debugDescription: String { description }
    /// No children: `dump` prints no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ApproovTextInput: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length, without the text and its token.
    public var description: String { "(signed text of \(text.utf8.count) bytes)" }
    /// The length, without the text and its token.
    public var debugDescription: String { description }
    /// No children: `dump` prints no text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
