import Foundation

/// A secret in the forms in which it might show, for searching them. Nobody may see as much as 16 bytes of it in a row.
public struct SecretForms: Sendable {
    /// One form of a part of the secret.
    public struct Needle: Sendable {
        /// What the secret is called, and the form.
        public let name: String
        /// The bytes to search for.
        public let bytes: [UInt8]
    }

    /// What to search for.
    public let needles: [Needle]

    /// A secret of 16 bytes and more.
    ///
    /// Parts are searched for one by one, because allocators write over the beginning of what was freed.
    public init(_ name: String, bytes: [UInt8]) {
        let starts = stride(from: 0, through: max(0, bytes.count - 16), by: 16)
        needles = starts.flatMap { start in SecretForms.forms(name, Array(bytes[start..<min(start + 16, bytes.count)]))
        }
    }

    /// A secret that is text, such as a token. Its forms are its own characters alone.
    public init(_ name: String, text: String) {
        let bytes = Array(text.utf8)
        let starts = stride(from: 0, through: max(0, bytes.count - 24), by: max(24, bytes.count / 8))
        needles = starts.map { Needle(name: "\(name), text", bytes: Array(bytes[$0..<min($0 + 24, bytes.count)])) }
    }

    private static func forms(_ name: String, _ part: [UInt8]) -> [Needle] {
        let digits = part.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var forms = [
            Needle(name: "\(name), bytes", bytes: part),
            Needle(name: "\(name), backwards", bytes: part.reversed()),
            Needle(name: "\(name), hexadecimal", bytes: Array(digits.utf8)),
            Needle(name: "\(name), hexadecimal", bytes: Array(digits.uppercased().utf8)),
            // As dumps of arrays show them.
            Needle(name: "\(name), numbers", bytes: Array(part.map(String.init).joined(separator: ", ").utf8)),
        ]
        for offset in 0..<3 {
            // The characters that depend on the part alone, wherever it stands among other bytes.
            let text = Data([UInt8](repeating: 0, count: offset) + part).base64EncodedString()
            let core = Array(text.utf8.dropFirst(offset == 0 ? 0 : offset + 1).prefix((part.count * 8 - 8) / 6 - 1))
            forms.append(Needle(name: "\(name), base64", bytes: core))
            let url = core.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
            if url != core { forms.append(Needle(name: "\(name), base64url", bytes: url)) }
        }
        return forms
    }

    /// The forms that stand in some bytes.
    public func found(in bytes: [UInt8]) -> [String] {
        NeedleSearch(needles).counts(in: bytes).keys.sorted()
    }

    /// The forms that stand in a text.
    public func found(in text: String) -> [String] { found(in: Array(text.utf8)) }
}

/// A search for many needles in one pass.
struct NeedleSearch {
    private let needles: [SecretForms.Needle]
    /// For each pair of bytes the needles that begin with it.
    private var beginnings: [[Int]] = Array(repeating: [], count: 1 << 16)
    private var isBeginning = [Bool](repeating: false, count: 1 << 16)

    /// Needles have two bytes and more.
    init(_ needles: [SecretForms.Needle]) {
        self.needles = needles
        for (index, needle) in needles.enumerated() {
            let pair = Int(needle.bytes[0]) << 8 | Int(needle.bytes[1])
            beginnings[pair].append(index)
            isBeginning[pair] = true
        }
    }

    /// How often the needles that are there stand in some bytes, by their names.
    func counts(in bytes: [UInt8]) -> [String: Int] {
        var counts: [String: Int] = [:]
        guard bytes.count > 1 else { return counts }
        bytes.withUnsafeBufferPointer { bytes in
            isBeginning.withUnsafeBufferPointer { isBeginning in
                for index in 0..<bytes.count - 1 {
                    let pair = Int(bytes[index]) << 8 | Int(bytes[index + 1])
                    guard isBeginning[pair] else { continue }
                    for candidate in beginnings[pair] where bytes[index...].starts(with: needles[candidate].bytes) {
                        counts[needles[candidate].name, default: 0] += 1
                    }
                }
            }
        }
        return counts
    }
}
