import Approov
package import AssayCore
package import AssayPrimitives

/// The output of Approov's command-line tool for the account's secret (Approov, Token Secret Extraction and Token Secret Update).
///
/// The reader finds the secret by its form, because the tool's wording may change: base64 of 64 bytes, possibly quoted or wrapped by a
/// terminal. Two different candidates are an error: a wrong secret rejects every app.
package struct ApproovToolOutput: Sendable {
    /// The secret, base64 on one line without padding, for the part `secret` of ``ApproovKey``.
    package let secret: SecretBytes
    /// The number of lines with other text.
    package let otherLines: Int

    /// The number of base64 characters of a secret, without padding.
    private static let length = 86

    /// Finds the secret. Throws if there is none or more than one; no error contains a part of the text.
    package init(_ text: SecretBytes) throws(KeyError) {
        let found = unsafe try text.withUnsafeBytes { (bytes) throws(KeyError) in unsafe try Self.find(in: bytes) }
        (secret, otherLines) = (found.secret, found.otherLines)
    }

    /// A run of base64 characters.
    private struct Word {
        let range: Range<Int>
        let line: Int
        /// True if only white space and quotes precede it on its line.
        let isFirst: Bool
        /// True if only white space, quotes and padding follow it on its line.
        let isLast: Bool
    }

    private static func find(
        in bytes: UnsafeRawBufferPointer
    ) throws(KeyError) -> (secret: SecretBytes, otherLines: Int) {
        if unsafe bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw KeyError(
                "not-text", part: "", "the text is UTF-16, as PowerShell writes files; save it in UTF-8 or ASCII")
        }
        let words = unsafe words(of: bytes)
        var secrets: [(text: SecretBytes, lines: ClosedRange<Int>)] = []
        for index in words.indices {
            guard let candidate = unsafe candidate(from: index, in: words, bytes) else { continue }
            // The tool may print the same secret twice.
            if !secrets.contains(where: { isSame($0.text, candidate.text) }) { secrets.append(candidate) }
        }
        guard secrets.count < 2 else {
            throw KeyError(
                "ambiguous", part: "",
                "\(secrets.count) different texts could be the secret, on lines "
                    + secrets.map { "\($0.lines.lowerBound)" }.joined(separator: " and ")
                    + "; leave only one of them")
        }
        guard let only = secrets.first else { throw unsafe absence(words, bytes) }
        let lines = Set(words.filter { !only.lines.contains($0.line) }.map(\.line))
        return (only.text, lines.count)
    }

    private static func words(of bytes: UnsafeRawBufferPointer) -> [Word] {
        var words: [Word] = []
        var line = 1
        var isFirst = true
        var position = unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while position < bytes.count {
            let byte = unsafe bytes[position]
            if isBase64(byte) {
                let start = position
                while position < bytes.count, unsafe isBase64(bytes[position]) { position += 1 }
                var end = position
                while end < bytes.count, unsafe isAround(bytes[end]) || bytes[end] == 0x3D { end += 1 }
                let isLast = unsafe end == bytes.count || bytes[end] == 0x0A || bytes[end] == 0x0D
                words.append(Word(range: start..<position, line: line, isFirst: isFirst, isLast: isLast))
                isFirst = false
            } else {
                if byte == 0x0A {
                    line += 1
                    isFirst = true
                } else if byte == 0x0D {
                    isFirst = true
                } else if !isAround(byte), byte != 0x3D {
                    isFirst = false
                }
                position += 1
            }
        }
        return words
    }

    /// The secret that starts at a word, possibly wrapped over several lines.
    private static func candidate(
        from start: Int, in words: [Word], _ bytes: UnsafeRawBufferPointer
    ) -> (text: SecretBytes, lines: ClosedRange<Int>)? {
        guard unsafe isBeginning(words[start], in: bytes) else { return nil }
        var count = 0
        for index in start..<words.count {
            let word = words[index]
            if index > start {
                let previous = words[index - 1]
                guard previous.isLast, word.isFirst, word.line <= previous.line + 1 else { return nil }
            }
            count += word.range.count
            guard count <= length else { return nil }
            guard count == length else { continue }
            guard unsafe isEnd(word, in: bytes) else { return nil }
            let text = unsafe SecretBytes(count: count) { output in
                var position = 0
                for word in words[start...index] {
                    for index in word.range {
                        unsafe output[position] = bytes[index]
                        position += 1
                    }
                }
            }
            return isSecret(text) ? (text, words[start].line...word.line) : nil
        }
        return nil
    }

    /// True if the word is at the start of a line, or follows white space, a quote, `:` or `=`.
    private static func isBeginning(_ word: Word, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard word.range.lowerBound > 0 else { return true }
        let before = unsafe bytes[word.range.lowerBound - 1]
        // 0xBF is the last byte of a byte order mark.
        return isAround(before) || [0x0A, 0x0D, 0x3A, 0x3D, 0xBF].contains(before)
    }

    private static func isEnd(_ word: Word, in bytes: UnsafeRawBufferPointer) -> Bool {
        var end = word.range.upperBound
        while end < bytes.count, unsafe bytes[end] == 0x3D { end += 1 }
        return unsafe end == bytes.count || isAround(bytes[end]) || bytes[end] == 0x0A || bytes[end] == 0x0D
    }

    /// True for base64 of 64 bytes that is not prose: it has upper case, lower case, and digits or signs.
    private static func isSecret(_ text: SecretBytes) -> Bool {
        guard (try? ApproovSecret.decode(text, part: "", lengths: ApproovSecret.tokenLengths)) != nil else {
            return false
        }
        return unsafe text.withUnsafeBytes { bytes in
            unsafe bytes.contains { (0x41...0x5A).contains($0) } && bytes.contains { (0x61...0x7A).contains($0) }
                && bytes.contains { !(0x41...0x5A).contains($0) && !(0x61...0x7A).contains($0) }
        }
    }

    private static func isSame(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
        func bytes(_ text: SecretBytes) -> SecretBytes? {
            try? ApproovSecret.decode(text, part: "", lengths: ApproovSecret.tokenLengths)
        }
        guard let first = bytes(left), let second = bytes(right) else { return false }
        return ConstantTime.equals(first, second)
    }

    private static func absence(_ words: [Word], _ bytes: UnsafeRawBufferPointer) -> KeyError {
        let expected = "expected \(ApproovSecret.form)"
        guard let longest = words.max(by: { $0.range.count < $1.range.count }) else {
            return KeyError("missing", part: "", "there is no secret: \(expected), found no such text")
        }
        return KeyError(
            "missing", part: "",
            "there is no secret: \(expected); the longest word in these characters has \(longest.range.count), on line "
                + "\(longest.line). Was it cut?")
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || [0x2B, 0x2D, 0x2F, 0x5F].contains(byte)
    }

    /// True for white space within a line and for quotes.
    private static func isAround(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0B, 0x0C, 0x22, 0x27, 0x60].contains(byte) }
}
