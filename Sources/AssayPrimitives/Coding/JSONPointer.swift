/// A JSON Pointer (RFC 6901): the path to a value in a JSON document.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// The unescaped reference tokens. Empty for the whole document.
    package let tokens: [String]

    /// Parses a pointer: empty, or tokens that each begin with `/`. `~0` encodes `~`, and `~1` encodes `/`.
    /// - Throws: ``DecodeError`` at the UTF-8 offset of the error.
    package init(_ text: String) throws(DecodeError) {
        var tokens: [String] = []
        var token: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        guard bytes.isEmpty || bytes.first == 0x2F else {
            throw DecodeError(.malformed, at: 0, "a JSON pointer is empty or begins with /")
        }
        bytes = bytes.dropFirst()
        while let byte = bytes.popFirst() {
            switch byte {
            case 0x2F:
                tokens.append(String(decoding: token, as: UTF8.self))
                token = []
            case 0x7E:
                let position = bytes.startIndex - 1
                switch bytes.popFirst() {
                case 0x30: token.append(0x7E)
                case 0x31: token.append(0x2F)
                default: throw DecodeError(.malformed, at: position, "~ is followed by 0 or 1 in a JSON pointer")
                }
            default: token.append(byte)
            }
        }
        if !text.isEmpty { tokens.append(String(decoding: token, as: UTF8.self)) }
        self.tokens = tokens
    }

    /// The value that the pointer identifies, or nil if it does not exist. Array indices are decimal without leading
    /// zeros. `-`, the element after the last, never has a value.
    package func evaluate(in document: RecordValue) -> RecordValue? {
        var value = document
        for token in tokens {
            switch value.content {
            case .object(let object):
                // Byte for byte: strings that are canonically equivalent in Unicode are different JSON keys.
                guard let member = object.members.first(where: { $0.name.isByteEqual(to: token) }) else {
                    return nil
                }
                value = member.value
            case .array(let elements):
                guard let index = JSONPointer.index(token), index < elements.count else { return nil }
                value = elements[index]
            case .null, .flag, .number, .text: return nil
            }
        }
        return value
    }

    private static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), token.utf8.first != 0x30 || token.utf8.count == 1
        else { return nil }
        return Int(token)
    }

    /// The pointer as escaped text.
    package var description: String {
        var text: [UInt8] = []
        for token in tokens {
            text.append(0x2F)
            for byte in token.utf8 {
                switch byte {
                case 0x7E: text += [0x7E, 0x30]
                case 0x2F: text += [0x7E, 0x31]
                default: text.append(byte)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Compares the pointers byte for byte.
    package static func == (first: JSONPointer, second: JSONPointer) -> Bool {
        first.description.isByteEqual(to: second.description)
    }

    /// Hashes the pointer's bytes.
    package func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }
}
