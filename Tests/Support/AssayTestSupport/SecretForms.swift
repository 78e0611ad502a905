import Foundation

/// A secret in the encodings in which it could leak, for searching. A leak is any 16 consecutive bytes of it, or any 24
/// consecutive characters of a text secret.
package struct SecretForms: Sendable {
    /// One encoding of a part of the secret.
    package struct Needle: Sendable {
        /// The name of the secret and the encoding.
        package let name: String
        /// The bytes to search for.
        package let bytes: [UInt8]
    }

    /// The byte strings to search for.
    package let needles: [Needle]

    /// Creates the forms of a binary secret of at least 16 bytes.
    ///
    /// Searches for every window of 16 bytes, because allocators overwrite the start of freed memory.
    package init(_ name: String, bytes: [UInt8]) {
        needles = Self.windows(of: bytes, length: 16).flatMap { Self.forms(name, $0) }
    }

    /// Creates the forms of a text secret, such as a token: its characters alone.
    package init(_ name: String, text: String) {
        needles = Self.windows(of: Array(text.utf8), length: 24).map { Needle(name: "\(name), text", bytes: $0) }
    }

    /// All windows of a length; the whole input if it is shorter.
    private static func windows(of bytes: [UInt8], length: Int) -> [[UInt8]] {
        (0...max(0, bytes.count - length)).map { Array(bytes[$0..<min($0 + length, bytes.count)]) }
    }

    private static func forms(_ name: String, _ part: [UInt8]) -> [Needle] {
        let digits = part.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var forms = [
            Needle(name: "\(name), bytes", bytes: part),
            Needle(name: "\(name), backwards", bytes: part.reversed()),
            Needle(name: "\(name), hexadecimal", bytes: Array(digits.utf8)),
            Needle(name: "\(name), hexadecimal", bytes: Array(digits.uppercased().utf8)),
            // The form that `dump` and `print` give to arrays.
            Needle(name: "\(name), numbers", bytes: Array(part.map(String.init).joined(separator: ", ").utf8)),
        ]
        for offset in 0..<3 {
            // Only the characters that depend on this part alone, at each alignment of base64.
            let text = Data([UInt8](repeating: 0, count: offset) + part).base64EncodedString()
            let core = Array(text.utf8.dropFirst(offset == 0 ? 0 : offset + 1).prefix((part.count * 8 - 8) / 6 - 1))
            forms.append(Needle(name: "\(name), base64", bytes: core))
            let url = core.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
            if url != core { forms.append(Needle(name: "\(name), base64url", bytes: url)) }
        }
        return forms
    }

    /// The names of the forms that occur in the bytes.
    package func found(in bytes: [UInt8]) -> [String] {
        NeedleSearch(needles).counts(in: bytes).keys.sorted()
    }

    /// The names of the forms that occur in the text.
    package func found(in text: String) -> [String] { found(in: Array(text.utf8)) }
}

/// Searches for many needles in one pass.
struct NeedleSearch {
    private let needles: [SecretForms.Needle]
    /// The needles by their first two bytes.
    private var beginnings: [[Int]] = Array(repeating: [], count: 1 << 16)
    private var isBeginning = [Bool](repeating: false, count: 1 << 16)

    /// Each needle has at least two bytes.
    init(_ needles: [SecretForms.Needle]) {
        self.needles = needles
        for (index, needle) in needles.enumerated() {
            let pair = Int(needle.bytes[0]) << 8 | Int(needle.bytes[1])
            beginnings[pair].append(index)
            isBeginning[pair] = true
        }
    }

    /// Counts the places where needles occur, by needle name. Overlapping needles with the same name count as one
    /// place, so that a whole copy of a secret, or the rest of one, counts once.
    func counts(in bytes: [UInt8]) -> [String: Int] {
        var counts: [String: Int] = [:]
        var ends: [String: Int] = [:]
        guard bytes.count > 1 else { return counts }
        bytes.withUnsafeBufferPointer { bytes in
            isBeginning.withUnsafeBufferPointer { isBeginning in
                for index in 0..<bytes.count - 1 {
                    let pair = Int(bytes[index]) << 8 | Int(bytes[index + 1])
                    guard isBeginning[pair] else { continue }
                    for candidate in beginnings[pair] where bytes[index...].starts(with: needles[candidate].bytes) {
                        let needle = needles[candidate]
                        if index >= ends[needle.name, default: 0] { counts[needle.name, default: 0] += 1 }
                        ends[needle.name] = index + needle.bytes.count
                    }
                }
            }
        }
        return counts
    }
}
