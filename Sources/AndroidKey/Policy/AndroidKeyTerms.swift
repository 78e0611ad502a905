import AssayCore

/// A version of Android as tag 705 has it: 160000 for 16.0.0.
package struct AndroidVersion: Sendable, Equatable, Comparable, CustomStringConvertible {
    /// Major version times 10000, minor times 100, and the rest.
    package let number: UInt64

    /// Takes the value of tag 705.
    package init(number: UInt64) { self.number = number }

    /// Reads `16`, `16.0` or `8.1.0`; nil for another text.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var number: UInt64 = 0
        for index in 0..<3 {
            guard parts.indices.contains(index) else {
                number *= 100
                continue
            }
            guard (1...2).contains(parts[index].utf8.count),
                parts[index].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let part = UInt64(parts[index])
            else { return nil }
            number = number * 100 + part
        }
        guard number > 0 else { return nil }
        self.number = number
    }

    /// The dotted form.
    package var description: String { "\(number / 10_000).\(number / 100 % 100).\(number % 100)" }

    /// Compares the numbers.
    package static func < (left: AndroidVersion, right: AndroidVersion) -> Bool { left.number < right.number }
}
