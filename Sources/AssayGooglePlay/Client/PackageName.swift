/// The package name of an Android app, which becomes part of a URL.
enum PackageName {
    /// Whether a text is one: at least two segments with dots between, each of a letter and then letters, digits and
    /// underscores ("Set the application ID"), of at most 255 bytes.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 255 else { return false }
        let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return segments.count >= 2
            && segments.allSatisfy { segment in
                guard let first = segment.first, isLetter(first) else { return false }
                return segment.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
