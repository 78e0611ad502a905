import AssayCore
import AssayPrimitives

extension FuzzTarget {
    /// JSON: within the limits, the same value after writing and reading, and each part reads the same by itself.
    static let json = FuzzTarget(
        name: "json", maximumLength: 512,
        dictionary: ["{", "}", "[", "]", "\\u0000", "\\ud83d\\ude00", "\\ud800", "1e400", "-0.5E+2", "null", "true"],
        seeds: { JSONReading.seeds() },
        run: { input in
            let read = Reading(input) { (bytes) throws(DecodeError) in
                try JSONReader.read(bytes, limit: 1 << 16)
            } isSame: {
                JSONReading.written($0) == JSONReading.written($1)
            }
            guard let value = read.value else { return false }
            let depth = JSONReading.check(value, of: input)
            require(depth <= InputLimits.nestingDepth, "nested \(depth) deep")
            let written = JSONReading.written(value)
            guard let again = try? JSONReader.read(written, limit: 1 << 20) else {
                broken("what was written is refused: \(String(decoding: written, as: UTF8.self))")
            }
            require(JSONReading.written(again) == written, "another value when written again")
            for part in JSONReading.parts(of: value) {
                let bytes = JSONReading.written(part)
                guard let alone = try? JSONReader.read(bytes, limit: 1 << 20) else { broken("a part is refused") }
                require(JSONReading.written(alone) == bytes, "a part that is another value by itself")
            }
            return true
        })

    /// JSON pointers: writing gives the same text, and the value is the one that a manual walk finds.
    ///
    /// The input is a pointer, a zero byte, and a document.
    static let jsonPointer = FuzzTarget(
        name: "json-pointer", maximumLength: 256, dictionary: ["/", "~0", "~1", "/0", "/-", "/a", "\u{0}"],
        seeds: {
            ["/a/1\u{0}{\"a\":[1,{\"b\":2}]}", "\u{0}[]", "/~0~1\u{0}{\"~/\":3}", "/0\u{0}[4]"].map { Array($0.utf8) }
        },
        run: { input in
            let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            guard let text = String(validating: parts[0], as: UTF8.self), let pointer = try? JSONPointer(text) else {
                return false
            }
            require(pointer.description.isByteEqual(to: text), "another text: \(pointer)")
            guard parts.count == 2, let document = try? JSONReader.read(parts[1], limit: 1 << 16) else {
                return false
            }
            let found = pointer.evaluate(in: document).map(JSONReading.written)
            let expected = text.isEmpty ? document : JSONReading.paths(in: document)[Array(text.utf8)]
            require(found == expected.map(JSONReading.written), "\(text) points elsewhere")
            return found != nil
        })
}

/// The rules for JSON values.
enum JSONReading {
    static func seeds() -> [[UInt8]] {
        [
            #"{"a":[1,-2.5e3,"\u00e9\n",true,null]}"#, #" [ "\ud83d\ude00" , {"" : { } } ] "#, "-0",
            "\"plain text of some length\"",
            String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
            "{" + (0..<20).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + "}",
        ].map { Array($0.utf8) }
    }

    static func written(_ value: RecordValue) -> [UInt8] {
        var bytes: [UInt8] = []
        RecordJSON.append(value.content, to: &bytes)
        return bytes
    }

    /// The depth of a value. Checks that every offset points at the beginning of its value and that names are unique.
    static func check(_ value: RecordValue, of input: [UInt8]) -> Int {
        guard input.indices.contains(value.offset) else { FuzzTarget.broken("a value at \(value.offset)") }
        let first = input[value.offset]
        switch value.content {
        case .null: FuzzTarget.require(first == UInt8(ascii: "n"), "no null at \(value.offset)")
        case .flag(let flag): FuzzTarget.require(first == UInt8(ascii: flag ? "t" : "f"), "no flag at \(value.offset)")
        case .number(let text): FuzzTarget.require(input[value.offset...].starts(with: text.utf8), "no \(text)")
        case .text: FuzzTarget.require(first == UInt8(ascii: "\""), "no text at \(value.offset)")
        case .array(let values):
            FuzzTarget.require(first == UInt8(ascii: "["), "no array at \(value.offset)")
            return 1 + (values.map { check($0, of: input) }.max() ?? 0)
        case .object(let object):
            FuzzTarget.require(first == UInt8(ascii: "{"), "no object at \(value.offset)")
            let names = object.members.map { Array($0.name.utf8) }
            FuzzTarget.require(Set(names).count == names.count, "a name twice: \(object.members.map(\.name))")
            return 1 + (object.members.map { check($0.value, of: input) }.max() ?? 0)
        }
        return 0
    }

    /// The direct children of a value.
    static func parts(of value: RecordValue) -> [RecordValue] {
        switch value.content {
        case .null, .flag, .number, .text: []
        case .array(let values): values
        case .object(let object): object.members.map(\.value)
        }
    }

    /// The values of a document by their pointers, as RFC 6901 section 5 writes them.
    static func paths(in value: RecordValue) -> [[UInt8]: RecordValue] {
        var paths: [[UInt8]: RecordValue] = [:]
        func add(_ token: String, _ value: RecordValue) {
            let escaped = token.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case UInt8(ascii: "~"): Array("~0".utf8)
                case UInt8(ascii: "/"): Array("~1".utf8)
                default: [byte]
                }
            }
            let path = [UInt8(ascii: "/")] + escaped
            paths[path] = value
            for (rest, inner) in self.paths(in: value) { paths[path + rest] = inner }
        }
        switch value.content {
        case .null, .flag, .number, .text: break
        case .array(let values): for (index, value) in values.enumerated() { add(String(index), value) }
        case .object(let object): for member in object.members { add(member.name, member.value) }
        }
        return paths
    }
}
