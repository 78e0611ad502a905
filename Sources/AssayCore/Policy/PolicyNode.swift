import AssayPrimitives
package import FoundationEssentials

/// A value of a policy file. Every error contains file, line, field, what was found and what is allowed.
package struct PolicyNode: Sendable {
    package indirect enum Content: Sendable {
        case null
        /// A scalar as written.
        case scalar(String)
        case sequence([PolicyNode])
        /// A mapping with unique keys, in the order written.
        case mapping([(key: String, line: Int, value: PolicyNode)])
    }

    package let content: Content
    /// The path of the field.
    package let path: String
    /// The line of the file, counted from 1.
    package let line: Int
    /// The file; nil for text that is not from a file.
    package let file: String?

    package init(_ content: Content, path: String, line: Int, file: String?) {
        (self.content, self.path, self.line, self.file) = (content, path, line, file)
    }

    /// An error at this place.
    package func error(_ message: String) -> PolicyError {
        PolicyError(file: file, line: line, field: path, message)
    }

    /// What was found, for error messages. Long text is shortened, and control characters are escaped.
    package var found: String {
        switch content {
        case .null: "nothing"
        case .scalar(let text): "\"\(text.excerpt)\""
        case .sequence(let elements): elements.isEmpty ? "an empty list" : "a list"
        case .mapping: "a mapping"
        }
    }

    /// The members of a mapping whose keys are all among `fields`.
    package func members(_ fields: [String]) throws(PolicyError) -> [String: PolicyNode] {
        guard case .mapping(let entries) = content else {
            throw error("expected a mapping of \(fields.joined(separator: ", ")), found \(found)")
        }
        var members: [String: PolicyNode] = [:]
        for entry in entries {
            guard fields.containsBytes(of: entry.key) else {
                throw PolicyError(
                    file: file, line: entry.line,
                    field: path.isEmpty ? entry.key.excerpt : "\(path).\(entry.key.excerpt)",
                    "unknown field; allowed are \(fields.joined(separator: ", "))"
                        + Nearest.advice(for: entry.key, among: fields))
            }
            members[entry.key] = entry.value
        }
        return members
    }

    /// The elements of a sequence that is not empty.
    package func elements() throws(PolicyError) -> [PolicyNode] {
        guard case .sequence(let elements) = content, !elements.isEmpty else {
            let advice = if case .scalar = content { "; write it as [\(found)]" } else { "" }
            throw error("expected a list of at least one value, found \(found)\(advice)")
        }
        return elements
    }

    /// The text of a scalar that is not empty.
    package func text() throws(PolicyError) -> String {
        guard case .scalar(let text) = content, !text.isEmpty else { throw error("expected text, found \(found)") }
        return text
    }

    /// A scalar that is one of a few words.
    package func word<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) throws(PolicyError) -> Word {
        guard case .scalar(let text) = content,
            let word = Word.allCases.first(where: { $0.rawValue.isByteEqual(to: text) })
        else {
            throw mismatch(with: Word.allCases.map(\.rawValue))
        }
        return word
    }

    /// The error for a scalar that is not one of the allowed words.
    package func mismatch(with allowed: [String]) -> PolicyError {
        let advice = if case .scalar(let text) = content { Nearest.advice(for: text, among: allowed) } else { "" }
        return error("expected one of \(allowed.joined(separator: ", ")), found \(found)\(advice)")
    }

    /// A length of time in seconds: one or more whole numbers, each with its unit, larger units first, such as `3d12h`. The
    /// units are `y` (365 days), `d`, `h`, `m` and `s`.
    package func duration() throws(PolicyError) -> Double {
        guard case .scalar(let text) = content, let seconds = Self.seconds(text) else {
            throw error("expected a length of time, such as 90s, 5m, 3d12h or 1y, found \(found)")
        }
        return seconds
    }

    private static func seconds(_ text: String) -> Double? {
        var rest = text.utf8[...]
        var seconds = 0.0
        for (unit, length) in [("y", 365 * 86_400.0), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)] {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            let after = rest[digits.endIndex...]
            guard after.first == unit.utf8.first else { continue }
            guard let count = UInt32(Substring(digits)) else { return nil }
            seconds += Double(count) * length
            rest = after.dropFirst()
        }
        return rest.isEmpty && !text.isEmpty ? seconds : nil
    }

    /// The longest time that ``text(ofSeconds:)`` writes: the most days that ``duration()`` reads.
    private static let longestText = Double(UInt32.max) * 86_400

    /// The text of a length of time, in whole seconds, as ``duration()`` reads it. A time longer than ``duration()``
    /// can read becomes the longest one. A negative time and NaN become `0s`.
    package static func text(ofSeconds seconds: Double) -> String {
        var rest = seconds > 0 ? Int64(min(seconds, longestText)) : 0
        var text = ""
        for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)] as [(String, Int64)] {
            if rest >= length { text += "\(rest / length)\(unit)" }
            rest %= length
        }
        return text.isEmpty ? "0s" : text
    }

    /// A point in time, RFC 3339.
    package func time() throws(PolicyError) -> Date {
        guard case .scalar(let text) = content, let time = RFC3339.parse(text) else {
            throw error("expected an RFC 3339 time such as 2027-01-31T00:00:00Z, found \(found)")
        }
        return time
    }

    /// A list of different texts.
    ///
    /// - Parameter repeated: the error for a text that is in the list twice.
    package func uniqueTexts(
        repeated: (String) -> String = { "\($0.excerpt) is in the list twice" }
    ) throws(PolicyError) -> [String] {
        var texts: [String] = []
        for element in try elements() {
            let text = try element.text()
            guard !texts.containsBytes(of: text) else { throw element.error(repeated(text)) }
            texts.append(text)
        }
        return texts
    }

    /// The error for a required field that this mapping lacks.
    package func missing(_ field: String, _ allowed: String) -> PolicyError {
        PolicyError(
            file: file, line: line, field: path.isEmpty ? field : "\(path).\(field)",
            "required field is missing; \(allowed)")
    }
}
