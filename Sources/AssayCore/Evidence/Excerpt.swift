extension Unicode.Scalar {
    /// Whether terminals or readers of lines act on the character instead of showing it: controls, separators of lines
    /// and paragraphs, and invisible formatting, such as marks that turn the direction of text around.
    package var isActedOn: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension StringProtocol {
    /// The beginning of a text that was found, as it may stand in an error or a log: at most 60 characters, and those
    /// escaped that something would act on.
    package var excerpt: String { excerpt(atMost: 60) }

    /// The beginning of a text, of a length that fits what it is, such as a path.
    package func excerpt(atMost limit: Int) -> String {
        var result = ""
        for scalar in unicodeScalars.prefix(limit) {
            result += scalar.isActedOn ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return unicodeScalars.dropFirst(limit).isEmpty ? result : result + "..."
    }
}

extension RecordValue {
    /// The value as it may stand in a verdict: the beginning of a scalar, and what kind of value the others are.
    package var excerpt: String {
        switch content {
        case .text(let text): "\"\(text.excerpt)\""
        case .number(let text): text.excerpt
        case .flag(let flag): "\(flag)"
        case .null, .array, .object: kindName
        }
    }
}
