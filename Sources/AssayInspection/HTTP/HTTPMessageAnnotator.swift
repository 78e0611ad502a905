import AssayCore

/// Annotates HTTP messages in order.
struct HTTPMessageAnnotator {
    private let bytes: [UInt8]
    private var fields: HTTPFieldAnnotator
    private var bodies: [NestedBlob] = []
    private(set) var unknown: [String] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        fields = HTTPFieldAnnotator(bytes)
    }

    /// The blobs in headers and forms, and the bodies.
    var nested: [NestedBlob] { fields.nested + bodies }
    /// Credentials that must not be shown.
    var secrets: [Range<Int>] { fields.secrets }

    mutating func annotate(_ message: HTTPMessage) -> Annotation {
        let name = message.startLine == nil ? "headers" : message.isResponse ? "response" : "request"
        var annotation = Annotation(name)
        if let line = message.startLine {
            annotation.children.append(message.isResponse ? statusLine(line) : requestLine(line))
        }
        var types: [String: String] = [:]
        for field in message.fields {
            let key = LenientText.lowercased(String(decoding: bytes[field.name], as: UTF8.self))
            types[key] = LenientText.lowercased(String(decoding: bytes[field.value], as: UTF8.self))
            annotation.children.append(fields.header(field))
        }
        if let body = message.body { annotation.children.append(self.body(body, types, of: name)) }
        let ranges = annotation.children.compactMap(\.range)
        if let start = ranges.map(\.lowerBound).min(), let end = ranges.map(\.upperBound).max() {
            annotation.range = start..<end
        }
        annotation.meaning = Words.count(message.fields.count, "header")
        return annotation
    }

    private mutating func requestLine(_ range: Range<Int>) -> Annotation {
        var annotation = Annotation("request line", at: range)
        let parts = bytes[range].split(separator: 0x20, omittingEmptySubsequences: true)
        guard let method = parts.first, let version = parts.last, parts.count >= 3 else { return annotation }
        let target = LenientText.trimmed(bytes[method.endIndex..<version.startIndex])
        let path = target.prefix { $0 != 0x3F }
        annotation.children = [
            Annotation("method", at: method.indices, value: String(decoding: method, as: UTF8.self)),
            Annotation("target", at: path.indices, value: String(decoding: path, as: UTF8.self)),
        ]
        if path.count < target.count {
            let query = target[path.endIndex...].dropFirst()
            annotation.children.append(
                Annotation("query", at: query.indices, children: fields.form(query.indices, of: "query")))
        }
        annotation.children.append(
            Annotation("version", at: version.indices, value: String(decoding: version, as: UTF8.self)))
        return annotation
    }

    private func statusLine(_ range: Range<Int>) -> Annotation {
        let text = String(decoding: bytes[range], as: UTF8.self)
        let code = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let classes = [1: "informational", 2: "success", 3: "redirection", 4: "client error", 5: "server error"]
        return Annotation("status line", at: range, value: text, meaning: classes[code / 100])
    }

    private mutating func body(_ range: Range<Int>, _ types: [String: String], of message: String) -> Annotation {
        var annotation = Annotation("body", at: range, meaning: Words.count(range.count, "byte"))
        let type = types["content-type"] ?? ""
        if let coding = types["content-encoding"], !coding.isByteEqual(to: "identity") {
            unknown.append("What is in the body of the \(message): it is compressed with \(coding.excerpt).")
        }
        if types["transfer-encoding"]?.hasSuffix("chunked") ?? false {
            let chunks = ChunkedBody(bytes[range])
            annotation.meaning = "\(Words.count(chunks.count, "chunk")), \(Words.count(chunks.bytes.count, "byte"))"
            annotation.violation = chunks.violation
            if !chunks.bytes.isEmpty {
                bodies.append(
                    NestedBlob("body of the \(message)", encoding: "chunked", bytes: chunks.bytes, at: range))
            }
            return annotation
        }
        if let length = types["content-length"].flatMap({ Int($0) }), length != range.count {
            annotation.violation = "Content-Length says \(Words.count(length, "byte"))"
        }
        if type.hasPrefix("application/x-www-form-urlencoded") {
            let form = LenientText.trimmed(bytes[range])
            annotation.children = fields.form(form.indices, of: "form")
            return annotation
        }
        bodies.append(
            NestedBlob("body of the \(message)", encoding: "as it is", bytes: Array(bytes[range]), at: range))
        return annotation
    }
}

/// A chunked body (RFC 9112 section 7.1), joined as far as possible.
struct ChunkedBody {
    /// The joined data.
    private(set) var bytes: [UInt8] = []
    /// The number of chunks with data.
    private(set) var count = 0
    /// Why the body does not end correctly; nil if it does.
    private(set) var violation: String?

    init(_ body: ArraySlice<UInt8>) {
        var rest = body
        while true {
            let line = rest.prefix { $0 != 0x0A }
            let digits = line.prefix { $0.hexadecimalValue != nil }
            guard !digits.isEmpty, digits.count <= 8 else {
                violation =
                    rest.isEmpty
                    ? "the last chunk, of length 0, is missing" : "no length of a chunk at byte \(rest.startIndex)"
                return
            }
            let length = digits.reduce(0) { $0 << 4 | Int($1.hexadecimalValue ?? 0) }
            rest = rest[line.endIndex...].dropFirst()
            guard length > 0 else { return }
            bytes += rest.prefix(length)
            count += 1
            guard rest.count >= length else {
                violation = "a chunk claims \(length) bytes, \(rest.count) are left"
                return
            }
            rest = rest.dropFirst(length)
            if rest.first == 0x0D { rest = rest.dropFirst() }
            if rest.first == 0x0A { rest = rest.dropFirst() }
        }
    }
}
