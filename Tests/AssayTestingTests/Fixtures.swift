import AssayTesting
import Foundation

/// A fixed authority and time, so that a failure can be repeated.
enum Fixtures {
    static let time = Date(timeIntervalSince1970: 1_776_795_192)
    static let appID = "1234567890.com.example.myapp"

    static func authority() throws -> TestAuthority {
        try TestAuthority(seed: "tests", notBefore: time.addingTimeInterval(-400 * 86_400))
    }
}

/// The structure of BER: tags, nesting, lengths of primitive values and object identifiers, one line each.
///
/// Written apart from the builders, so that a mistake there can not hide itself.
struct BEROutline {
    private(set) var lines: [String] = []

    init(_ bytes: [UInt8], showsLengths: Bool = false) {
        var index = 0
        while index < bytes.count { walk(bytes, &index, depth: 0, end: bytes.count, showsLengths) }
    }

    private mutating func walk(_ bytes: [UInt8], _ index: inout Int, depth: Int, end: Int, _ showsLengths: Bool) {
        let start = index
        index += 1
        if bytes[start] & 0x1F == 0x1F {
            while bytes[index] & 0x80 != 0 { index += 1 }
            index += 1
        }
        let tag = bytes[start..<index].map { String($0, radix: 16) }.joined()
        let first = Int(bytes[index])
        index += 1
        var length: Int? = first
        if first == 0x80 {
            length = nil
        } else if first > 0x80 {
            length = bytes[index..<index + first - 0x80].reduce(0) { $0 << 8 | Int($1) }
            index += first - 0x80
        }
        let indentation = String(repeating: " ", count: depth)
        guard bytes[start] & 0x20 != 0 else {
            let contents = bytes[index..<index + (length ?? 0)]
            let detail = tag == "6" ? contents.map { String($0, radix: 16) }.joined(separator: ".") : ""
            lines.append("\(indentation)\(tag) \(detail)\(showsLengths ? " \(length ?? 0)" : "")")
            index += length ?? 0
            return
        }
        lines.append("\(indentation)\(tag)\(length == nil ? " indefinite" : "")")
        let stop = length.map { index + $0 } ?? end
        while index < stop {
            if length == nil, bytes[index] == 0, bytes[index + 1] == 0 {
                index += 2
                return
            }
            walk(bytes, &index, depth: depth + 1, end: stop, showsLengths)
        }
    }
}

/// The byte strings of a genuine attestation object, found by their order: leaf, intermediate, receipt, data.
struct GenuineAttestation {
    let byteStrings: [[UInt8]]

    init(_ bytes: [UInt8]) {
        var strings: [[UInt8]] = []
        var index = 0
        while index < bytes.count {
            let (type, information) = (bytes[index] >> 5, Int(bytes[index] & 0x1F))
            index += 1
            var argument = information
            if information >= 24 {
                let count = 1 << (information - 24)
                argument = bytes[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
                index += count
            }
            guard type == 2 || type == 3 else { continue }
            if type == 2 { strings.append(Array(bytes[index..<index + argument])) }
            index += argument
        }
        byteStrings = strings
    }
}
