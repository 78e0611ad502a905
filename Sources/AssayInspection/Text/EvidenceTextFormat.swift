import AssayCore

/// Text of any form with encoded blobs in it: log lines, commands, forms without their headers, multipart bodies, YAML, CSV, source
/// code, descriptions such as `Optional("...")`.
package enum EvidenceTextFormat: BlobFormat {
    package static let name = "text with encoded blobs"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        if let text = EncodedText(bytes), text.isPlausible, text.isOnePiece { return nil }
        guard let first = TextScan(bytes).finds.first else { return nil }
        return Recognition(
            .structure,
            because:
                "behind \"\(first.label)\" it has \(Words.count(first.range.count, "character")) of an encoded blob")
    }

    /// Names the blobs, each by the word in front of it. The rest of the text is not shown.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = BlobContents([])
        for find in TextScan(bytes).finds {
            let value = HTTPValue(
                find.text, named: find.label, encoding: find.encoding, at: find.range,
                isCredential: CredentialNames.contain(find.label))
            contents.annotations.append(
                Annotation(find.label, at: find.range, value: value.value, meaning: value.meaning))
            if let blob = value.nested { contents.nested.append(blob) }
            if value.isSecret { contents.secrets.append(find.range) }
        }
        contents.unknown = ["what the rest of the text says: only encoded blobs were looked for"]
        return contents
    }
}

/// Finds encoded blobs in text, in one pass.
private struct TextScan {
    struct Find {
        /// The word in front of the blob: the name of a member, a field or a variable.
        let label: String
        let range: Range<Int>
        /// The text of the blob, in one line and without percent-encoding.
        let text: [UInt8]
        /// The encoding that was removed; nil for none.
        let encoding: String?
    }

    private(set) var finds: [Find] = []

    private let bytes: [UInt8]
    /// The least length of a blob. An assertion has 140 bytes, a digest in base64 44 characters.
    private static let minimum = 48
    private static let maximumFinds = 64
    /// Text beyond is not scanned.
    private static let scanned = 4 * 1024 * 1024

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.prefix(64).allSatisfy({ $0 >= 0x20 || LenientText.isSpace($0) }) else { return }
        var position = 0
        let end = min(bytes.count, Self.scanned)
        while position < end, finds.count < Self.maximumFinds {
            guard Self.isOfAlphabet(bytes[position]) else {
                position += 1
                continue
            }
            let run = run(from: position)
            position = run.upperBound
            guard run.count >= Self.minimum else { continue }
            let whole = continued(run)
            position = whole.upperBound
            add(whole)
        }
    }

    private mutating func add(_ range: Range<Int>) {
        var text = bytes[range].filter { !LenientText.isSpace($0) && $0 != 0x5C }
        var encoding: String?
        if PercentEncoding.isUsed(in: text[...]) {
            text = PercentEncoding.decode(text[...])
            encoding = "percent-encoding"
        }
        guard let blob = EmbeddedBlob(String(decoding: text, as: UTF8.self)),
            blob.secret != nil || blob.isWorthDecoding && HTTPValue.isKnown(blob)
        else { return }
        finds.append(Find(label: label(before: range.lowerBound), range: range, text: text, encoding: encoding))
    }

    /// The characters of base64 in both alphabets, of hexadecimal, of tokens with dots, of percent-encoding, and `\/` of JSON.
    private func run(from start: Int) -> Range<Int> {
        var position = start
        while position < bytes.count {
            let byte = bytes[position]
            if Self.isOfAlphabet(byte) || byte == 0x2E && position > start {
                position += 1
            } else if byte == 0x25, position + 2 < bytes.count, bytes[position + 1].hexadecimalValue != nil,
                bytes[position + 2].hexadecimalValue != nil
            {
                position += 3
            } else if byte == 0x5C, position + 1 < bytes.count, bytes[position + 1] == 0x2F {
                position += 2
            } else {
                break
            }
        }
        while position < bytes.count, bytes[position] == 0x3D, position - start >= Self.minimum { position += 1 }
        // A dot at the end closes a sentence.
        while position > start, bytes[position - 1] == 0x2E { position -= 1 }
        return start..<position
    }

    /// A run with the lines behind it that have nothing but more of it, as in YAML and in PEM without its boundaries.
    private func continued(_ run: Range<Int>) -> Range<Int> {
        var end = run.upperBound
        var length = run.count
        while length % 4 == 0, bytes[end - 1] != 0x3D {
            var next = end
            if next < bytes.count, bytes[next] == 0x0D { next += 1 }
            guard next < bytes.count, bytes[next] == 0x0A else { break }
            next += 1
            while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
            var stop = next
            while stop < bytes.count, Self.isOfAlphabet(bytes[stop]) || bytes[stop] == 0x3D { stop += 1 }
            let isWholeLine = stop == bytes.count || bytes[stop] == 0x0A || bytes[stop] == 0x0D
            guard isWholeLine, stop - next >= 2, stop - next <= length else { break }
            (length, end) = (stop - next, stop)
        }
        return run.lowerBound..<end
    }

    private func label(before start: Int) -> String {
        let line = bytes[max(0, start - 200)..<start]
        let trimmed = line.reversed().drop { !Self.isOfName($0) }
        let name = trimmed.prefix(while: Self.isOfName).prefix(40)
        return name.isEmpty ? "text" : String(decoding: name.reversed(), as: UTF8.self)
    }

    private static func isOfAlphabet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x5F: true
        default: false
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
