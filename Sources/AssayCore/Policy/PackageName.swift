/// The package name of an Android app (Android, "Set the application ID").
package enum PackageName {
    /// The reason why a text is not a package name; nil if it may be one.
    package static func objection(to text: String) -> String? {
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 255, segments.count >= 2, segments.allSatisfy(isSegment) else {
            return "a package name has at least two segments between periods, each of which begins with a letter and "
                + "goes on with letters, digits or underscores of ASCII; found \"\(text.excerpt)\""
        }
        return nil
    }

    private static func isSegment(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
