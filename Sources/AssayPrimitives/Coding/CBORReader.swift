/// Reads CBOR (RFC 8949) item by item.
///
/// Strict: definite lengths, arguments in their shortest form, valid UTF-8, unique map keys that are text or integers,
/// no tags unless allowed, no undefined simple values, nesting up to ``InputLimits/cborDepth``. It checks neither the
/// order of keys, which genuine evidence does not sort, nor the width of floating-point numbers. Offsets are indices of
/// the given bytes. Do not use a reader after it has thrown.
package struct CBORReader: Sendable {
    package enum ItemType: Sendable {
        /// An integer from 0 to 2^64 - 1.
        case unsigned
        /// An integer from -2^64 to -1.
        case negative
        case byteString
        /// A text string.
        case text
        case array
        case map
        /// A tag; its item follows.
        case tag
        /// A boolean, null, undefined, or a floating-point number.
        case simple
    }

    private let bytes: ArraySlice<UInt8>
    private let allowsTags: Bool
    private var position: Int
    private var depth = 0
    /// The number of unread items in the containers whose heads were read.
    private var owed = 0
    /// The value of ``owed`` at which the body of a map or an array has read its one item; -1 outside any body.
    private var bound = -1

    /// Creates a reader for consecutive items.
    /// - Parameter allowingTags: whether tags may precede items; otherwise the reader rejects them.
    package init(_ bytes: ArraySlice<UInt8>, allowingTags: Bool = false) {
        self.bytes = bytes
        allowsTags = allowingTags
        position = bytes.startIndex
    }

    /// Creates a reader for consecutive items.
    package init(_ bytes: [UInt8], allowingTags: Bool = false) {
        self.init(bytes[...], allowingTags: allowingTags)
    }

    /// The index of the next item.
    package var offset: Int { position }

    package var isAtEnd: Bool { position == bytes.endIndex }

    /// The type of the next item, or nil at the end.
    package func peekType() -> ItemType? {
        guard !isAtEnd else { return nil }
        return CBORReader.type(of: bytes[position])
    }

    /// Throws if an array or a map is incomplete, or if bytes are left.
    package func finish() throws(DecodeError) {
        guard owed == 0 else {
            throw DecodeError(.truncated, at: position, "\(owed) items of an array or a map were not read")
        }
        guard isAtEnd else {
            let count = bytes.endIndex - position
            throw DecodeError(.trailingBytes, at: position, "\(count) bytes follow where nothing is allowed")
        }
    }

    /// Reads an unsigned integer.
    package mutating func readUnsigned() throws(DecodeError) -> UInt64 {
        try read(.unsigned, "an unsigned integer").argument
    }

    /// Reads an integer of either sign that fits into 64 bits.
    package mutating func readInteger() throws(DecodeError) -> Int64 {
        let start = position
        let head = try next()
        guard head.kind == .unsigned || head.kind == .negative else { throw mismatch("an integer", at: start) }
        guard let value = Int64(exactly: head.argument) else {
            throw DecodeError(.tooLarge, at: start, "the integer has more than 64 bits")
        }
        return head.kind == .unsigned ? value : -1 - value
    }

    /// Reads a byte string, without copying it.
    package mutating func readByteString() throws(DecodeError) -> ArraySlice<UInt8> {
        let head = try read(.byteString, "a byte string")
        return contents(head)
    }

    package mutating func readText() throws(DecodeError) -> String {
        let head = try read(.text, "text")
        let text = contents(head)
        try UTF8Text.validate(text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the head of an array, and returns its count. ``readArray(_:)`` also ensures that the items are read.
    package mutating func readArrayHeader() throws(DecodeError) -> Int {
        Int(try read(.array, "an array").argument)
    }

    /// Reads the head of a map. The caller must reject duplicate keys, which ``readMap(_:)`` does itself.
    package mutating func readMapHeader() throws(DecodeError) -> Int {
        Int(try read(.map, "a map").argument)
    }

    /// Reads a tag; its item follows. Requires a reader that allows tags.
    package mutating func readTag() throws(DecodeError) -> UInt64 {
        try read(.tag, "a tag").argument
    }

    /// Reads a map. Calls `body` for each pair: `body` must read or skip the value, exactly one item. A closure begins
    /// with `(key, reader) throws(DecodeError) in`.
    /// - Throws: ``DecodeError`` for a duplicate key, and the errors of `body`.
    package mutating func readMap(
        _ body: (_ key: CBORKey, _ reader: inout CBORReader) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        let start = position
        let count = try readMapHeader()
        try requireShallow(at: start)
        var keys = CBORKeys()
        for _ in 0..<count {
            let key = try readKey(notIn: &keys)
            try readOne { (reader) throws(DecodeError) in try body(key, &reader) }
        }
    }

    /// Reads an array. Calls `body` with each index: `body` must read or skip exactly one item. A closure begins with
    /// `(index, reader) throws(DecodeError) in`.
    package mutating func readArray(
        _ body: (_ index: Int, _ reader: inout CBORReader) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        let start = position
        let count = try readArrayHeader()
        try requireShallow(at: start)
        for index in 0..<count {
            try readOne { (reader) throws(DecodeError) in try body(index, &reader) }
        }
    }

    private mutating func readOne(_ body: (inout CBORReader) throws(DecodeError) -> Void) throws(DecodeError) {
        let start = position
        let outer = bound
        bound = owed - 1
        depth += 1
        try body(&self)
        guard owed == bound else {
            throw DecodeError(.unexpected, at: start, "the item was not read to its end")
        }
        depth -= 1
        bound = outer
    }

    /// Skips an item including its contents, which must satisfy the same rules.
    package mutating func skipItem() throws(DecodeError) {
        // Iterative: recursion on hostile input could exhaust the stack.
        var open: [OpenContainer] = []
        while true {
            if let last = open.indices.last, open[last].isKeyNext {
                _ = try readKey(notIn: &open[last].keys)
                open[last].remaining -= 1
            }
            let start = position
            let head = try next()
            switch head.kind {
            case .array, .map:
                try requireShallow(within: open.count, at: start)
                if head.argument > 0 {
                    let isMap = head.kind == .map
                    open.append(OpenContainer(remaining: Int(head.argument) * (isMap ? 2 : 1), isMap: isMap))
                    continue
                }
            case .tag: continue
            case .text: try UTF8Text.validate(contents(head))
            case .unsigned, .negative, .byteString, .other, .indefinite, .stop: break
            }
            while let last = open.indices.last {
                open[last].remaining -= 1
                if open[last].remaining > 0 { break }
                open.removeLast()
            }
            if open.isEmpty { return }
        }
    }

    private struct OpenContainer {
        var remaining: Int
        let isMap: Bool
        var keys = CBORKeys()

        var isKeyNext: Bool { isMap && remaining % 2 == 0 }
    }

    private mutating func readKey(notIn keys: inout CBORKeys) throws(DecodeError) -> CBORKey {
        let start = position
        let head = try next()
        let key: CBORKey
        switch head.kind {
        case .text:
            let text = contents(head)
            try UTF8Text.validate(text)
            key = CBORKey(text: text, offset: start)
        case .unsigned, .negative:
            key = CBORKey(head.argument, isNegative: head.kind == .negative, offset: start)
        case .byteString, .array, .map, .tag, .other, .indefinite, .stop:
            throw mismatch("text or an integer as the key of a map", at: start)
        }
        guard keys.insert(start..<position, of: bytes) else {
            throw DecodeError(.duplicateKey, at: start, "the key \(key) comes twice")
        }
        return key
    }

    private mutating func read(_ kind: CBORHead.Kind, _ name: String) throws(DecodeError) -> CBORHead {
        let start = position
        let head = try next()
        guard head.kind == kind else { throw mismatch(name, at: start) }
        return head
    }

    /// The contents of the string whose head was just read.
    private func contents(_ head: CBORHead) -> ArraySlice<UInt8> {
        bytes[position - Int(head.argument)..<position]
    }

    /// Reads the next head. Every read passes through here.
    private mutating func next() throws(DecodeError) -> CBORHead {
        if bound < 0, owed == 0 { owed = 1 }
        guard owed > bound else {
            throw DecodeError(.unexpected, at: position, "expected the end of the value, read on")
        }
        let start = position
        let head = try CBORHead.decode(bytes, at: start)
        position += head.length
        owed -= 1
        switch head.kind {
        case .array, .map:
            let left = UInt64(bytes.endIndex - position)
            let factor: UInt64 = head.kind == .map ? 2 : 1
            // Check before any caller loops or allocates: every item takes at least one byte.
            guard head.argument <= left / factor else {
                throw DecodeError(
                    .truncated, at: start,
                    "\(head.kind == .map ? "a map" : "an array") claims \(head.argument) entries, \(left) bytes follow")
            }
            owed += Int(head.argument * factor)
        case .tag:
            guard allowsTags else { throw DecodeError(.unexpected, at: start, "tags are not allowed here") }
            owed += 1
        case .unsigned, .negative, .byteString, .text, .other, .indefinite, .stop: break
        }
        return head
    }

    private func mismatch(_ expected: String, at start: Int) -> DecodeError {
        let found =
            switch CBORReader.type(of: bytes[start]) {
            case .unsigned, .negative: "an integer"
            case .byteString: "a byte string"
            case .text: "text"
            case .array: "an array"
            case .map: "a map"
            case .tag: "a tag"
            case .simple: "a simple value or a floating-point number"
            }
        return DecodeError(.unexpectedType, at: start, "expected \(expected), found \(found)")
    }

    /// Throws if a container that begins here exceeds the nesting limit. `skipped` counts open skipped containers.
    private func requireShallow(within skipped: Int = 0, at start: Int) throws(DecodeError) {
        guard depth + skipped < InputLimits.cborDepth else {
            throw DecodeError(.tooDeep, at: start, "items nest deeper than \(InputLimits.cborDepth)")
        }
    }

    private static func type(of byte: UInt8) -> ItemType {
        switch byte >> 5 {
        case 0: .unsigned
        case 1: .negative
        case 2: .byteString
        case 3: .text
        case 4: .array
        case 5: .map
        case 6: .tag
        default: .simple
        }
    }
}
