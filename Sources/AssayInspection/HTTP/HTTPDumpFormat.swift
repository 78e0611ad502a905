import AssayCore

/// A dump of one or more HTTP requests and responses.
package enum HTTPDumpFormat: BlobFormat {
    package static let name = "HTTP message"

    /// Recognises a request line or status line, or lines that can only be headers.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.prefix(64).allSatisfy({ LenientText.isSpace($0) || $0 >= 0x20 }) else { return nil }
        let dump = HTTPDump(bytes)
        guard let first = dump.messages.first else { return nil }
        if let line = first.startLine {
            let kind = first.isResponse ? "status line" : "request line"
            let isFirst = bytes[..<line.lowerBound].allSatisfy { LenientText.isSpace($0) || $0 == 0x3E || $0 == 0x3C }
            return Recognition(
                isFirst || dump.hasPrefixes ? .certain : .structure,
                because: "it has a \(kind) of HTTP and \(Words.count(first.fields.count, "header"))")
        }
        let names = first.fields.map { LenientText.lowercased(String(decoding: bytes[$0.name], as: UTF8.self)) }
        let known = names.filter { headers.containsBytes(of: $0) || $0.hasPrefix("x-") }
        guard let name = known.first else { return nil }
        return Recognition(
            .structure, because: "it is \(Words.count(names.count, "line")) of headers, such as \(name.excerpt)")
    }

    private static let headers = [
        "host", "authorization", "content-type", "content-length", "user-agent", "accept", "cookie", "set-cookie",
        "date",
        "approov-token", "signature", "signature-input", "content-digest", "proxy-authorization", "location", "server",
        "www-authenticate", "origin", "referer", "cache-control", "connection", "transfer-encoding",
    ]

    /// Annotates the messages. Bodies, and values with blobs, become nested blobs.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let dump = HTTPDump(bytes)
        var annotator = HTTPMessageAnnotator(bytes)
        var contents = BlobContents([])
        for message in dump.messages { contents.annotations.append(annotator.annotate(message)) }
        var secrets = annotator.secrets
        for note in dump.notes where !bytes[note].isEmpty {
            var annotation = Annotation("line beside the messages", at: note)
            let text = String(decoding: bytes[note], as: UTF8.self)
            // For example, the command that sent the request.
            if CredentialNames.contain(text) {
                annotation.value = "(not shown)"
                annotation.meaning = "\(Words.count(note.count, "character")), among which may be a credential"
                secrets.append(note)
            } else {
                annotation.value = text
            }
            contents.annotations.append(annotation)
        }
        // Notes of `curl -v` can stand between the headers of a message, so sort by position.
        contents.annotations.sort { ($0.range?.lowerBound ?? 0) < ($1.range?.lowerBound ?? 0) }
        contents.nested = annotator.nested
        contents.secrets = secrets
        contents.unknown = annotator.unknown
        return contents
    }
}

/// An HTTP/1.1 message (RFC 9112) in copied text: the offsets of its lines and its body.
package struct HTTPMessage {
    /// The request line or status line; nil if the text begins with headers.
    package var startLine: Range<Int>?
    /// The headers: names and values without white space around them.
    package var fields: [(name: Range<Int>, value: Range<Int>)] = []
    /// The bytes after the empty line that ends the headers.
    package var body: Range<Int>?
    package var isResponse = false
}

/// Reads dumps of HTTP messages from logs and terminals: with LF or CRLF, and with the prefixes `> ` and `< ` of `curl
/// -v`. Its lines with `* ` are notes.
package struct HTTPDump {
    package private(set) var messages: [HTTPMessage] = []
    /// Lines that belong to no message.
    private(set) var notes: [Range<Int>] = []
    /// Whether lines have the prefixes of `curl -v`.
    private(set) var hasPrefixes = false

    private let bytes: [UInt8]
    private static let messageLimit = 64

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var isInHeaders = false
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while position < bytes.count {
            let start = position
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            position = min(end + 1, bytes.count)
            let (line, prefix) = content(of: start..<end)
            if prefix == 0x2A || prefix == 0x7B || prefix == 0x7D {
                notes.append(start..<end)
                continue
            }
            if prefix != nil { hasPrefixes = true }
            if isInHeaders {
                if line.isEmpty {
                    isInHeaders = false
                    // In a dump with prefixes, a prefixed line or the next message ends the body.
                    let bodyEnd = hasPrefixes ? endOfBody(from: position) : bytes.count
                    if bodyEnd > position { messages[messages.count - 1].body = position..<bodyEnd }
                    position = bodyEnd
                } else {
                    addField(line)
                }
                continue
            }
            if line.isEmpty { continue }
            guard messages.count < HTTPDump.messageLimit else {
                notes.append(start..<bytes.count)
                break
            }
            if let isResponse = HTTPDump.startLine(bytes[line]) {
                messages.append(HTTPMessage(startLine: line, isResponse: isResponse))
                isInHeaders = true
            } else if messages.isEmpty, field(line) != nil {
                messages.append(HTTPMessage())
                isInHeaders = true
                addField(line)
            } else {
                notes.append(start..<end)
            }
        }
    }

    /// A line without its end and without the prefix of `curl -v`, and that prefix.
    private func content(of range: Range<Int>) -> (Range<Int>, UInt8?) {
        var line = bytes[range]
        if line.last == 0x0D { line = line.dropLast() }
        guard let first = line.first, [0x3E, 0x3C, 0x2A, 0x7B, 0x7D].contains(first) else { return (line.indices, nil) }
        let rest = line.dropFirst()
        guard rest.isEmpty && first != 0x7B && first != 0x7D || rest.first == 0x20 else { return (line.indices, nil) }
        return (rest.dropFirst().indices, first)
    }

    /// The start of the next line from `curl -v`.
    private func endOfBody(from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
            let (line, prefix) = content(of: position..<end)
            switch prefix {
            case 0x2A: return position
            case 0x3C, 0x3E: if line.isEmpty || HTTPDump.startLine(bytes[line]) != nil { return position }
            default: break
            }
            position = min(end + 1, bytes.count)
        }
        return bytes.count
    }

    private mutating func addField(_ line: Range<Int>) {
        guard let last = messages.indices.last else { return }
        // A folded line continues the previous value (RFC 9112 section 5.2).
        if LenientText.isSpace(bytes[line.lowerBound]), let field = messages[last].fields.last {
            let end = LenientText.trimmed(bytes[line]).endIndex
            messages[last].fields[messages[last].fields.count - 1].value =
                min(field.value.lowerBound, end)..<max(field.value.upperBound, end)
        } else if let field = field(line) {
            messages[last].fields.append(field)
        } else {
            notes.append(line)
        }
    }

    /// `name: value`, where the name is a token (RFC 9110 section 5.6.2).
    private func field(_ line: Range<Int>) -> (name: Range<Int>, value: Range<Int>)? {
        guard let colon = bytes[line].prefix(128).firstIndex(of: 0x3A), colon > line.lowerBound else { return nil }
        // HTTP/2 pseudo-headers begin with a colon and have a second one after the name.
        let name = bytes[line.lowerBound..<colon]
        guard name.allSatisfy(HTTPFieldText.isTokenCharacter) else { return nil }
        let value = LenientText.trimmed(bytes[colon + 1..<line.upperBound])
        return (name.indices, value.indices)
    }

    /// True for a status line, false for a request line, nil for other lines.
    private static func startLine(_ line: ArraySlice<UInt8>) -> Bool? {
        if line.starts(with: "HTTP/".utf8) {
            let parts = line.prefix(32).split(separator: 0x20)
            guard parts.count >= 2, parts[1].count == 3, parts[1].allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return true
        }
        guard let space = line.prefix(20).firstIndex(of: 0x20), space > line.startIndex,
            line[..<space].allSatisfy({ (0x41...0x5A).contains($0) }),
            let last = line.lastIndex(of: 0x20), last > space, line[(last + 1)...].starts(with: "HTTP/".utf8)
        else { return nil }
        return false
    }
}
