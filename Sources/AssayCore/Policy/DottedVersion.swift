/// A version of numbers and periods, such as `16.0` or `1.2.3`. Missing numbers count as 0.
package struct DottedVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The numbers, without zeros at the end.
    package let parts: [UInt64]
    /// The version as written.
    package let description: String

    /// Reads a version; nil unless it has decimal numbers of at most 18 digits, separated by single periods.
    package init?(_ text: String) {
        var parts: [UInt64] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard (1...18).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt64(part), parts.count < 8
            else { return nil }
            parts.append(number)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
        description = text
    }

    /// The first number.
    package var major: UInt64 { parts.first ?? 0 }

    /// Compares the numbers: `16` equals `16.0`.
    package static func == (lhs: DottedVersion, rhs: DottedVersion) -> Bool { lhs.parts == rhs.parts }

    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// Compares number by number.
    package static func < (lhs: DottedVersion, rhs: DottedVersion) -> Bool {
        lhs.parts.lexicographicallyPrecedes(rhs.parts)
    }
}

extension FieldForm where Value == DottedVersion {
    /// A version of numbers and periods.
    package static var version: Self {
        text(\.description) { (node) throws(PolicyError) in
            guard let version = try DottedVersion(node.text()) else {
                throw node.error("expected a version of numbers and periods, such as \"16.0\", found \(node.found)")
            }
            return version
        }
    }
}
