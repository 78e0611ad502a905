import AssayCore

/// A dump of one or more HTTP requests and responses.
package enum HTTPDumpFormat: BlobFormat {
    /// HTTP dump.
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
