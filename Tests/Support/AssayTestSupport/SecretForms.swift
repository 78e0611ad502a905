import Foundation

/// A secret in the forms in which it might show, for searching them. Nobody may see as much as 16 bytes of it in a row,
/// nor 24 characters of one that is text, wherever in it these begin.
package struct SecretForms: Sendable {
    /// One form of a part of the secret.
    package struct Needle: Sendable {
        /// What the secret is called, and the form.
        package let name: String
        /// The bytes to search for.
        package let bytes: [UInt8]
    }

    /// What to search for.
    package let needles: [Needle]

    /// A secret of 16 bytes and more.
    ///
    /// Every 16 bytes are searched for, because allocators write over the beginning of what was freed.
    package init(_ name: String, bytes: [UInt8]) {
        needles = Self.windows(of: bytes, length: 16).flatMap { Self.forms(name, $0) }
    }

    /// A secret that is text, such as a token. Its forms are its own characters alone.
    package init(_ name: String, text: String) {
        needles = Self.windows(of: Array(text.utf8), length: 24).map { Needle(name: "\(name), text", bytes: $0) }
    }

    /// The parts of a length from every byte on; what is shorter is one.
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
    package func found(in bytes: [UInt8]) -> [String] {
        NeedleSearch(needles).counts(in: bytes).keys.sorted()
    }

    /// The forms that stand in a text.
    package func found(in text: String) -> [String] { found(in: Array(text.utf8)) }
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

    /// At how many places the needles that are there stand in some bytes, by their names. Needles of one name that overlap
    /// are at one place, so that a whole copy of a secret counts once, and so does what is left of one.
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
