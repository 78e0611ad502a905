import AssayCore

/// Bytes as a list of numbers, as debuggers and serialisers of languages print them.
package enum ByteListFormat: BlobFormat {
    package static let name = "list of bytes"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let list = ByteList(bytes) else { return nil }
        // A list of any numbers may be a list of bytes.
        return Recognition(
            list.isKnown ? .certain : .guess,
            because: "it is \(list.form) of \(Words.count(list.bytes.count, "byte"))")
    }

    /// Names the form. The bytes become a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let list = ByteList(bytes) else {
            return BlobContents([Annotation("list", at: bytes.indices, violation: "it is no list of bytes")])
        }
        return BlobContents(
            "list", at: bytes.indices, form: list.form, holding: "listed bytes", list.bytes, problem: list.problem)
    }
}

struct ByteList {
    private(set) var bytes: [UInt8]
    /// Who writes such a list: `a Buffer of Node`.
    private(set) var form: String
    /// What is missing of it; nil for a whole list.
    private(set) var problem: String?

    /// Whether the bytes have the structure of evidence. Other numbers stay numbers.
    var isKnown: Bool {
        StructuredBytes.isKnown(bytes)
    }

    /// The least number of bytes. Fewer numbers are no evidence.
    private static let minimum = 16

    /// Reads a text; nil for any other.
    init?(_ input: [UInt8]) {
        let text = LenientText.body(input)
        guard text.count >= Self.minimum * 2,
            text.prefix(64).allSatisfy({ LenientText.isSpace($0) || (0x20...0x7E).contains($0) })
        else { return nil }
        let list = Self.hexadecimal(text) ?? Self.members(text) ?? Self.numbers(text)
        if let list, list.bytes.count >= Self.minimum, list.isKnown || list.problem != nil {
            self = list
        } else if let found = NumberSequence(in: text) {
            // JSON, plain digits and dumps have formats of their own, which name them better.
            guard !Self.isDocument(text), HexDumpFormat.recognise(input) == nil,
                EncodedText(input)?.bytes != found.bytes
            else { return nil }
            self.init(found.bytes, found.form)
        } else {
            guard let list, list.bytes.count >= Self.minimum else { return nil }
            self = list
        }
    }

    /// Reads a JSON value: an array of numbers, `{"type": "Buffer", "data": [...]}` or `{"0": 162, "1": 105, ...}`; nil for others.
    init?(_ node: JSONNode) {
        switch node.content {
        case .array(let elements):
            guard elements.count >= Self.minimum else { return nil }
            var bytes: [UInt8] = []
            for element in elements {
                guard case .number(let text) = element.content, let byte = Self.byte(text.utf8) else { return nil }
                bytes.append(byte)
            }
            self.init(bytes, "an array of numbers")
        case .object(let members):
            if members.count == 2, node["type"]?.text == "Buffer", let data = node["data"], let list = ByteList(data) {
                self.init(list.bytes, "a Buffer of Node in JSON")
                return
            }
            guard members.count >= Self.minimum else { return nil }
            var bytes: [UInt8] = []
            for (index, member) in members.enumerated() {
                guard member.key.text == "\(index)", case .number(let text) = member.value.content,
                    let byte = Self.byte(text.utf8)
                else { return nil }
                bytes.append(byte)
            }
            self.init(bytes, "a Uint8Array in JSON")
        default: return nil
        }
    }

    private init(_ bytes: [UInt8], _ form: String, problem: String? = nil) {
        (self.bytes, self.form, self.problem) = (bytes, form, problem)
    }

    /// `<Buffer a2 69>`, `<a2697369 676e6174>` and `{length = 140, bytes = 0xa269}`.
    private static func hexadecimal(_ text: ArraySlice<UInt8>) -> ByteList? {
        let body: ArraySlice<UInt8>
        let form: String
        if text.first == 0x3C, text.last == 0x3E {
            let isBuffer = text.starts(with: "<Buffer ".utf8)
            body = text.dropFirst(isBuffer ? 8 : 1).dropLast()
            form = isBuffer ? "a Buffer of Node" : "the description of an NSData"
        } else if text.starts(with: "{length".utf8), text.last == 0x7D, let start = text.firstRange(of: "= 0x".utf8) {
            body = text[start.upperBound...].dropLast()
            form = "the description of an NSData"
        } else {
            return nil
        }
        // What follows the dots is the end of the bytes, or how many are missing.
        let digits = body.prefix { $0 != 0x2E }
        let rest = body[digits.endIndex...]
        guard let bytes = [UInt8](hexadecimal: digits.filter { !LenientText.isSpace($0) }) else { return nil }
        return ByteList(
            bytes, form,
            problem: rest.isEmpty ? nil : "the list is cut in the middle: print all bytes, or base64 of them")
    }

    /// Whether a text is JSON with a structure of its own, and no list.
    private static func isDocument(_ text: ArraySlice<UInt8>) -> Bool {
        guard let (node, end) = LenientJSON.read(text), end == text.endIndex else { return false }
        if case .array(let elements) = node.content, case .array? = elements.first?.content { return true }
        if case .array(let elements) = node.content { return elements.first?.isObject ?? false }
        return node.isObject
    }

    private static func members(_ text: ArraySlice<UInt8>) -> ByteList? {
        guard text.first == 0x7B, let (node, end) = LenientJSON.read(text), end == text.endIndex, node.isObject else {
            return nil
        }
        return ByteList(node)
    }

    /// Numbers between brackets, separated by commas or spaces: `[162, 105]`, `[162 105]`, `Uint8Array(140) [ 162, 105 ]`,
    /// `Data([162, 105])`, `new byte[] {-94, (byte) 0x69}`, `[]byte{0xa2, 0x69}`, `let bytes: [UInt8] = [162, 105]`,
    /// `byteArrayOf(-94, 105)`.
    private static func numbers(_ text: ArraySlice<UInt8>) -> ByteList? {
        let bracket = text.lastIndex { $0 == 0x5D || $0 == 0x7D }
        guard let last = bracket ?? text.lastIndex(of: 0x29),
            text[last...].allSatisfy({ [0x5D, 0x7D, 0x29, 0x3B].contains($0) || LenientText.isSpace($0) })
        else { return nil }
        // Behind the last bracket that opens before the first number.
        let opening: [UInt8] = bracket == nil ? [0x28] : [0x5B, 0x7B]
        let head = text.prefix(64)
        guard let start = head.lastIndex(where: opening.contains), start < last,
            head[..<start].allSatisfy({ $0 != 0x22 && $0 != 0x0A })
        else { return nil }
        var bytes: [UInt8] = []
        for token in text[(start + 1)..<last].split(whereSeparator: { $0 == 0x2C || LenientText.isSpace($0) }) {
            // The cast of Java stands alone or directly before the number.
            let number = token.starts(with: "(byte)".utf8) ? token.dropFirst(6) : token
            if number.isEmpty { continue }
            guard let byte = byte(number) else { return nil }
            bytes.append(byte)
        }
        let isSigned = text[start..<last].contains(0x2D)
        let form =
            start > text.startIndex
            ? "an array that a program printed"
            : isSigned ? "an array of signed numbers, as of Java" : "an array of numbers"
        return ByteList(bytes, form)
    }

    /// A number from -128 to 255, decimal or with `0x`.
    static func byte(_ text: some Collection<UInt8>) -> UInt8? {
        guard (1...4).contains(text.count) else { return nil }
        let word = String(decoding: text, as: UTF8.self)
        if word.hasPrefix("0x") || word.hasPrefix("0X") { return UInt8(word.dropFirst(2), radix: 16) }
        guard let number = Int(word), word.utf8.first != 0x2B else { return nil }
        return UInt8(exactly: number) ?? Int8(exactly: number).map { UInt8(bitPattern: $0) }
    }
}
