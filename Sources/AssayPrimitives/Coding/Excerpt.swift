extension Unicode.Scalar {
    /// Whether terminals or line readers interpret the character instead of showing it: controls, line and paragraph
    /// separators, and invisible formatting, such as marks that reverse the direction of text.
    package var isActedOn: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Substring {
    /// The first 60 characters, for errors and logs. Escapes characters that terminals interpret.
    package var excerpt: String { String(unicodeScalars.prefix(61)).excerpt }
}

extension String {
    /// The first 60 characters, for errors and logs. Escapes characters that terminals interpret.
    package var excerpt: String { excerpt(atMost: 60) }

    /// The first `limit` characters, for errors and logs. Escapes characters that terminals interpret.
    package func excerpt(atMost limit: Int) -> String {
        if utf8.count <= limit, utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var result = ""
        for scalar in unicodeScalars.prefix(limit) {
            result += scalar.isActedOn ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return unicodeScalars.dropFirst(limit).isEmpty ? result : result + "..."
    }
}

extension ArraySlice<UInt8> {
    /// The first 64 bytes for errors and logs: printable ASCII in quotes, other bytes in hexadecimal.
    package var shown: String {
        let first = prefix(64)
        let more = first.count < count ? "..." : ""
        guard !isEmpty, allSatisfy({ (0x20...0x7E).contains($0) }) else { return Array(first).hexadecimal + more }
        return "\"\(String(decoding: first, as: UTF8.self))\(more)\""
    }
}

extension RecordValue {
    /// The value for a verdict: the excerpt of a scalar, or the type of any other value.
    package var excerpt: String {
        switch content {
        case .text(let text): "\"\(text.excerpt)\""
        case .number(let text): text.excerpt
        case .flag(let flag): "\(flag)"
        case .null, .array, .object: kindName
        }
    }
}
