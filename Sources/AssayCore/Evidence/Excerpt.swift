extension Unicode.Scalar {
    /// Whether terminals or line readers act on the character instead of showing it: controls, line and paragraph
    /// separators, and invisible formatting, such as marks that reverse the direction of text.
    package var isActedOn: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension StringProtocol {
    /// The beginning of a text for errors and logs: at most 60 characters, with those escaped that a terminal acts on.
    package var excerpt: String { excerpt(atMost: 60) }

    /// The beginning of a text for errors and logs, of another length, such as for a path.
    package func excerpt(atMost limit: Int) -> String {
        var result = ""
        for scalar in unicodeScalars.prefix(limit) {
            result += scalar.isActedOn ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return unicodeScalars.dropFirst(limit).isEmpty ? result : result + "..."
    }
}

extension RecordValue {
    /// The value for a verdict: the beginning of a scalar, or the type of any other value.
    package var excerpt: String {
        switch content {
        case .text(let text): "\"\(text.excerpt)\""
        case .number(let text): text.excerpt
        case .flag(let flag): "\(flag)"
        case .null, .array, .object: kindName
        }
    }
}
