import AssayCore

/// Why something is not a summary.
public struct SummaryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The byte at which it shows.
    public let offset: Int
    /// What was found, and what is allowed.
    public let message: String

    init(_ value: RecordValue, _ message: String) {
        offset = value.offset
        self.message = message
    }

    init(_ error: DecodeError) {
        offset = error.offset
        message = error.detail
    }

    /// Byte and sentence.
    public var description: String { "byte \(offset): \(message)" }
}

// Reads the values that summaries are written with.

extension RecordValue {
    /// An array.
    func elements() throws(SummaryError) -> [RecordValue] {
        guard case .array(let elements) = content else { throw expected("an array") }
        return elements
    }

    /// An array of so many.
    func elements(_ count: Int) throws(SummaryError) -> [RecordValue] {
        let elements = try elements()
        guard elements.count == count else { throw expected("\(count) elements") }
        return elements
    }

    /// The members of an object.
    func members(atMost limit: Int) throws(SummaryError) -> [RecordObject.Member] {
        guard case .object(let object) = content else { throw expected("an object") }
        guard object.members.count <= limit else {
            throw SummaryError(self, "expected at most \(limit) members, found \(object.members.count)")
        }
        return object.members
    }

    /// A member of an object.
    func member(_ name: String) throws(SummaryError) -> RecordValue {
        guard let value = try optional(name) else { throw SummaryError(self, "\(name) is missing") }
        return value
    }

    /// A member of an object, and nil when it is not there.
    func optional(_ name: String) throws(SummaryError) -> RecordValue? {
        guard case .object(let object) = content else { throw expected("an object") }
        return object[name]
    }

    /// A whole number in a range.
    func integer(in range: ClosedRange<Int> = 0...1 << 53) throws(SummaryError) -> Int {
        guard case .number(let text) = content, let number = Int(text), range.contains(number) else {
            throw expected("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A text.
    func text() throws(SummaryError) -> String {
        guard case .text(let text) = content else { throw expected("a string") }
        return text
    }

    /// A text of a row, within what one may have.
    func text(atMost limit: Int) throws(SummaryError) -> String {
        let text = try text()
        // Escaping makes a character ten at most, and the mark of what was cut off is three more.
        guard text.unicodeScalars.count <= limit * 10 + 3 else { throw expected("at most \(limit) characters") }
        return text
    }

    /// A time.
    func time() throws(SummaryError) -> ReplayTime {
        guard let time = ReplayTime(try text()) else { throw expected("a time in RFC 3339") }
        return time
    }

    /// What is not what it should be.
    func expected(_ what: String) -> SummaryError {
        SummaryError(self, "expected \(what), found \(found)")
    }

    private var found: String {
        switch content {
        case .number(let text): text.excerpt
        case .text(let text): "\"\(text.excerpt)\""
        case .null, .flag, .array, .object: kindName
        }
    }
}
