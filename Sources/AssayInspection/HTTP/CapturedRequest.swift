package import AssayCore
package import AssayPrimitives

/// An HTTP request saved as text: a request line, fields, an empty line and the body.
///
/// Lines end with CRLF or LF. The request line is that of HTTP/1.1 (RFC 9112 section 3), or, for later versions, a
/// method and an absolute URI. Reading is strict, because readers that differ would see different signed content: no
/// folded fields, no bare CR, no second Host or Content-Length, no chunks, and a body as long as Content-Length states.
package struct CapturedRequest: Sendable {
    package let method: String
    /// The request target as written: an absolute URI, or a path with its query.
    package let target: String
    /// The fields in order. Values have no surrounding white space.
    package let fields: [SignedRequest.Field]
    package let body: [UInt8]

    /// Reads a request; throws ``DecodeError`` at the unexpected byte.
    package init(_ bytes: [UInt8]) throws(DecodeError) {
        var reader = CapturedRequestReader(bytes)
        (method, target) = try reader.requestLine()
        try reader.readFields()
        fields = reader.fields
        body = try reader.body()
    }

    /// The target URI (RFC 9110 section 7.1) of the request line; nil for a path, `*` or a host, which lack the scheme.
    package var targetURI: String? { Self.isAbsolute(target) ? target : nil }

    /// The target URI, assuming https and the host in the field Host; nil if the request line has neither an absolute
    /// URI nor a path, or Host is missing.
    package var likelyTargetURI: String? {
        if let targetURI { return targetURI }
        guard target.utf8.first == UInt8(ascii: "/"),
            let host = fields.first(where: { HTTPFieldText.isName($0.name, equalTo: "Host") })?.value, !host.isEmpty
        else { return nil }
        return "https://\(host)\(target)"
    }

    /// RFC 3986 section 3.1: a scheme begins with a letter.
    private static func isAbsolute(_ target: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        let scheme = target.utf8.prefix { $0 != 0x3A }
        return scheme.first.map(isLetter) ?? false
            && scheme.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
            && target.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
    }
}

/// Reads a request from first to last byte.
private struct CapturedRequestReader {
    private let bytes: [UInt8]
    private var position = 0
    private var isVersion1 = false
    private(set) var fields: [SignedRequest.Field] = []
    /// The start of each field found that must not repeat.
    private var single: [(name: String, offset: Int)] = []
    private var contentLength: (value: Int, offset: Int)?

    /// The maximum number of fields, above the usual limits of servers.
    private static let fieldLimit = 1000

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next line without its line end.
    private mutating func line() throws(DecodeError) -> ArraySlice<UInt8>? {
        guard let end = bytes[position...].firstIndex(of: 0x0A) else { return nil }
        var line = bytes[position..<end]
        if line.last == 0x0D { line = line.dropLast() }
        if let carriage = line.firstIndex(of: 0x0D) {
            throw DecodeError(.unexpected, at: carriage, "a CR that no LF follows (RFC 9112 section 2.2)")
        }
        position = end + 1
        return line
    }

    mutating func requestLine() throws(DecodeError) -> (method: String, target: String) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw DecodeError(.unexpected, at: 0, "a byte order mark; save the request without it")
        }
        let expected = "expected a request line: METHOD TARGET HTTP/1.1, or METHOD URI"
        guard let line = try line() else {
            throw DecodeError(.truncated, at: bytes.count, "\(expected), found no line")
        }
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
            throw DecodeError(.malformed, at: line.startIndex, "\(expected), with one space between each")
        }
        guard parts[0].allSatisfy(HTTPFieldText.isTokenCharacter) else {
            throw DecodeError(.malformed, at: parts[0].startIndex, "\(expected); a method is letters and some signs")
        }
        if let strange = parts[1].firstIndex(where: { !(0x21...0x7E).contains($0) }) {
            throw DecodeError(.malformed, at: strange, "a target is printable ASCII; encode other characters with %")
        }
        if parts.count == 3 {
            let version = String(decoding: parts[2], as: UTF8.self)
            guard ["HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/2.0", "HTTP/3", "HTTP/3.0"].contains(version) else {
                throw DecodeError(
                    .unexpectedValue, at: parts[2].startIndex,
                    "expected HTTP/1.1, HTTP/2 or HTTP/3, found \"\(version.excerpt)\"")
            }
            isVersion1 = version.utf8.starts(with: "HTTP/1".utf8)
        }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }

    mutating func readFields() throws(DecodeError) {
        while true {
            let start = position
            guard let line = try line() else {
                throw DecodeError(
                    .truncated, at: bytes.count,
                    "the fields end without an empty line, so that some may be missing; the empty line is part of a request"
                )
            }
            guard !line.isEmpty else { return }
            guard fields.count < Self.fieldLimit else {
                throw DecodeError(.tooLarge, at: start, "more than \(Self.fieldLimit) fields")
            }
            try readField(line)
        }
    }

    private mutating func readField(_ line: ArraySlice<UInt8>) throws(DecodeError) {
        let start = line.startIndex
        guard let first = line.first, !HTTPFieldText.isSpace(first) else {
            throw DecodeError(
                .unexpected, at: start,
                "a line that begins with white space: folded fields are obsolete and refused (RFC 9112 section 5.2)")
        }
        guard let colon = line.firstIndex(of: 0x3A), colon > start,
            line[..<colon].allSatisfy(HTTPFieldText.isTokenCharacter)
        else {
            throw DecodeError(
                .malformed, at: start, "expected a field, NAME: VALUE, without white space before the colon")
        }
        let rest = line[(colon + 1)...]
        if let strange = rest.firstIndex(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
            throw DecodeError(.unexpected, at: strange, "a control character in the value of a field")
        }
        let trimmed = HTTPFieldText.trimmed(rest)
        guard let value = String(validating: trimmed, as: UTF8.self) else {
            throw DecodeError(.invalidText, at: trimmed.startIndex, "the value of the field is no UTF-8")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        fields.append(SignedRequest.Field(name, value))
        for unique in ["Host", "Content-Length", "Transfer-Encoding"] where HTTPFieldText.isName(name, equalTo: unique)
        {
            guard !single.contains(where: { $0.name.isByteEqual(to: unique) }) else {
                throw DecodeError(.duplicateKey, at: start, field: unique, "the field comes twice")
            }
            single.append((unique, start))
            switch unique {
            case "Content-Length": contentLength = (try Self.length(trimmed, value), start)
            case "Transfer-Encoding":
                throw DecodeError(
                    .unexpected, at: start, field: unique,
                    "a body in chunks is not taken apart here; save what is in the chunks with its Content-Length, or "
                        + "without this field after METHOD URI")
            default: break
            }
        }
    }

    private static func length(_ digits: ArraySlice<UInt8>, _ text: String) throws(DecodeError) -> Int {
        // RFC 9110 section 8.6: digits only, no list, no sign.
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text) else {
            throw DecodeError(
                .malformed, at: digits.startIndex, field: "Content-Length",
                "expected a number of bytes, found \"\(text.excerpt)\"")
        }
        return value
    }

    /// The bytes after the empty line.
    mutating func body() throws(DecodeError) -> [UInt8] {
        let rest = bytes[position...]
        guard let contentLength else {
            // RFC 9112 section 6.3: a request without a length has no body. Later HTTP versions need no length.
            guard rest.isEmpty || !isVersion1 else {
                throw DecodeError(
                    .unexpected, at: position, field: "Content-Length",
                    "\(rest.count) bytes follow the empty line, and a request without the field has no body")
            }
            return Array(rest)
        }
        guard rest.count >= contentLength.value else {
            throw DecodeError(
                .truncated, at: bytes.count, field: "Content-Length",
                "the body is cut: it has \(rest.count) bytes, and the field says \(contentLength.value)")
        }
        guard rest.count == contentLength.value else {
            throw DecodeError(
                .trailingBytes, at: position + contentLength.value, field: "Content-Length",
                "\(rest.count - contentLength.value) more than the \(contentLength.value) bytes of the body, such as a line end "
                    + "that an editor has added")
        }
        return Array(rest)
    }
}
