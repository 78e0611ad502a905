import AssayCore

/// Annotates headers, cookies, queries and forms of HTTP messages.
struct HTTPFieldAnnotator {
    let bytes: [UInt8]
    /// The nested blobs found so far.
    private(set) var nested: [NestedBlob] = []
    private(set) var secrets: [Range<Int>] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func header(_ field: (name: Range<Int>, value: Range<Int>)) -> Annotation {
        let name = String(decoding: bytes[field.name], as: UTF8.self)
        let lower = LenientText.lowercased(name)
        var annotation = Annotation(
            name, at: field.name.lowerBound..<max(field.name.upperBound, field.value.upperBound))
        let isCookie = lower.isByteEqual(to: "cookie") || lower.isByteEqual(to: "set-cookie")
        if isCookie {
            annotation.children = cookies(field.value, isSetting: lower.isByteEqual(to: "set-cookie"))
            annotation.meaning = Words.count(annotation.children.count, "part")
            return annotation
        }
        if lower.isByteEqual(to: "signature") { signatures(field.value, named: name) }
        var value = field.value
        var scheme = ""
        // `Bearer x`, `Basic x`: show the scheme.
        if lower.hasSuffix("authorization"), let space = bytes[value].firstIndex(of: 0x20),
            space - value.lowerBound <= 20
        {
            scheme = String(decoding: bytes[value.lowerBound..<space], as: UTF8.self) + " "
            value = LenientText.trimmed(bytes[space..<value.upperBound]).indices
        }
        let found = add(value, Array(bytes[value]), named: "\(name) header", encoding: nil, nameOfValue: name)
        annotation.value = scheme + found.value
        annotation.meaning = found.meaning
        return annotation
    }

    /// Finds CBOR in the field Signature (RFC 9421 section 4.2): an assertion of App Attest is one, under any label. Other signatures
    /// have no parts.
    private mutating func signatures(_ range: Range<Int>, named name: String) {
        guard let field = try? SignatureField(bytes[range], form: .byteSequenceOrString) else { return }
        for entry in field.entries where (CBORFormat.recognise(entry.bytes)?.certainty ?? .guess) > .guess {
            nested.append(
                NestedBlob(
                    "\(entry.label.excerpt) of the \(name) header", encoding: "base64", bytes: entry.bytes, at: range))
        }
    }

    /// Annotates `a=1; b=2`. Attributes of `Set-Cookie` are shown; the value of the cookie is not.
    private mutating func cookies(_ range: Range<Int>, isSetting: Bool) -> [Annotation] {
        var annotations: [Annotation] = []
        for part in bytes[range].split(separator: 0x3B) {
            let pair = LenientText.trimmed(part)
            guard !pair.isEmpty else { continue }
            let name = pair.prefix { $0 != 0x3D }
            let text = String(decoding: name, as: UTF8.self)
            let value = pair[name.endIndex...].dropFirst()
            var annotation = Annotation(Words.name(text), at: pair.indices)
            if isSetting, !annotations.isEmpty {
                annotation.value = String(decoding: value, as: UTF8.self)
            } else {
                let found = add(
                    value.indices, Array(value), named: "cookie \(text)", encoding: nil, nameOfValue: "cookie")
                annotation.value = found.value
                annotation.meaning = found.meaning
            }
            annotations.append(annotation)
        }
        return annotations
    }

    /// Annotates `a=1&b=2` with percent-encoding, as in queries and forms.
    mutating func form(_ range: Range<Int>, of place: String) -> [Annotation] {
        var annotations: [Annotation] = []
        for pair in bytes[range].split(separator: 0x26) {
            let name = pair.prefix { $0 != 0x3D }
            let text = String(decoding: PercentEncoding.decode(name, plusIsSpace: true), as: UTF8.self)
            let value = pair[name.endIndex...].dropFirst()
            // A plus is a space in forms, but may also be an unencoded base64 character.
            let plain = PercentEncoding.decode(value)
            let isBase64 = EmbeddedBlob(String(decoding: plain, as: UTF8.self)) != nil
            let decoded = isBase64 ? plain : PercentEncoding.decode(value, plusIsSpace: true)
            let found = add(
                value.indices, decoded, named: "field \(text.excerpt) of the \(place)",
                encoding: PercentEncoding.isUsed(in: value) ? "percent-encoding" : nil, nameOfValue: text)
            annotations.append(
                Annotation(Words.name(text), at: pair.indices, value: found.value, meaning: found.meaning))
        }
        return annotations
    }

    private mutating func add(
        _ range: Range<Int>, _ value: [UInt8], named name: String, encoding: String?, nameOfValue: String
    ) -> HTTPValue {
        let found = HTTPValue(
            value, named: name, encoding: encoding, at: range, isCredential: CredentialNames.contain(nameOfValue))
        if let blob = found.nested { nested.append(blob) }
        if found.isSecret { secrets.append(range) }
        return found
    }
}

/// The value of a header, a cookie or a form field: shown, decoded or hidden.
package struct HTTPValue {
    package private(set) var value: String
    package private(set) var meaning: String?
    package private(set) var nested: NestedBlob?
    /// Whether the whole value must not be shown.
    package private(set) var isSecret = false

    /// The number of characters of a credential to show, so that people can distinguish credentials.
    private static let shown = 6

    /// Examines a value behind an outer encoding, such as percent-encoding. A credential is hidden unless it is evidence.
    package init(_ bytes: [UInt8], named name: String, encoding: String?, at range: Range<Int>, isCredential: Bool) {
        let text = String(decoding: bytes, as: UTF8.self)
        let blob = EmbeddedBlob(text)
        if let blob, let secret = blob.secret {
            value = "(not shown)"
            meaning = secret
            isSecret = true
            return
        }
        if let blob, blob.isWorthDecoding, !isCredential || HTTPValue.isKnown(blob) {
            let isText = blob.encoding.isByteEqual(to: "text")
            let encodings = [encoding, isText ? nil : blob.encoding].compactMap { $0 }
            value = isCredential ? HTTPValue.beginning(of: bytes) : text
            meaning = isText ? "a blob of its own" : "\(blob.encoding), \(Words.count(blob.bytes.count, "byte"))"
            nested = NestedBlob(
                name, encoding: encodings.isEmpty ? "text" : encodings.joined(separator: " of "), bytes: blob.bytes,
                at: range)
            nested?.isCredential = isCredential
            // Any holder of the whole token can use it.
            isSecret = isCredential && isText
            return
        }
        value = isCredential ? HTTPValue.beginning(of: bytes) : text
        if isCredential {
            meaning = "a credential, of which no more is shown"
            isSecret = true
        } else if let blob, !blob.encoding.isByteEqual(to: "text") {
            meaning = "\(blob.encoding), \(Words.count(blob.bytes.count, "byte"))"
        }
    }

    /// True if the credential is a token or evidence with contents to decode, false for random bytes.
    static func isKnown(_ blob: EmbeddedBlob) -> Bool {
        if blob.encoding.isByteEqual(to: "text") { return true }
        let recognitions = [CBORFormat.recognise(blob.bytes), DERFormat.recognise(blob.bytes)]
        return recognitions.contains { $0.map { $0.certainty >= .structure } ?? false }
            || LenientText.body(blob.bytes).first == 0x7B && JSONFormat.violation(in: blob.bytes) == nil
    }

    /// The first characters and the length. Shows no characters of a short value.
    private static func beginning(of bytes: [UInt8]) -> String {
        let beginning = bytes.count >= 4 * shown ? String(decoding: bytes.prefix(shown), as: UTF8.self) + "..." : "..."
        return "\(beginning) (\(Words.count(bytes.count, "character")))"
    }
}

/// The names of headers, cookies and fields with credentials.
package enum CredentialNames {
    private static let parts = [
        "auth", "token", "secret", "password", "passwd", "api-key", "apikey", "api_key", "session", "credential",
        "cookie", "jwt", "bearer", "csrf", "xsrf", "passphrase", "private-key", "private_key", "privatekey",
        "access-key", "access_key", "accesskey", "functions-key", "subscription-key", "master-key",
    ].map { Array($0.utf8) }

    /// Whether values with this name are credentials.
    package static func contain(_ name: String) -> Bool {
        let lower = LenientText.lowercased(name)
        guard lower.utf8.count <= 128 else { return true }
        let isMetadata = lower.hasSuffix("-type") || lower.hasSuffix("_type") || lower.hasPrefix("www-authenticate")
        let bytes = Array(lower.utf8)
        return !isMetadata && parts.contains { LenientText.contains(bytes, $0) }
    }
}
