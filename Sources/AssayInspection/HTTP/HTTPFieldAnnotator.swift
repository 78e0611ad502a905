import AssayCore

/// Annotates headers, cookies, queries and forms of HTTP messages.
struct HTTPFieldAnnotator {
    let bytes: [UInt8]
    /// The nested blobs found so far.
    private(set) var nested: [NestedBlob] = []
    private(set) var secrets: [Range<Int>] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Annotates a header.
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
