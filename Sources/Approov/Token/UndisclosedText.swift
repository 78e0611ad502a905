// A token authorises its holder until it expires, and a bound value is often a user's session. Neither appears when a value
// is interpolated, dumped, or inspected in a debugger.

extension ApproovTokenInput.Evidence: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The form and the length, and nothing of the text.
    public var description: String {
        switch self {
        case .token(let text): "(token of \(text.utf8.count) bytes)"
        case .loggable(let text): "(loggable token of \(text.utf8.count) bytes)"
        }
    }
    /// The form and the length, and nothing of the text.
    public var debugDescription: String { description }
    /// Nothing to look into, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ApproovBoundValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether there is a value and how long it is, and nothing of it.
    public var description: String {
        switch self {
        case .value(let text): "(value of \(text.utf8.count) bytes)"
        case .missing: "(missing)"
        case .repeated: "(repeated)"
        }
    }
    /// Whether there is a value and how long it is, and nothing of it.
    public var debugDescription: String { description }
    /// Nothing to look into, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ApproovProofInput.Source: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What the source is, and nothing of it.
    public var description: String {
        switch self {
        case .measurements: "(measurements)"
        case .token(let text): "(token of \(text.utf8.count) bytes)"
        }
    }
    /// What the source is, and nothing of it.
    public var debugDescription: String { description }
    /// Nothing to look into, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
