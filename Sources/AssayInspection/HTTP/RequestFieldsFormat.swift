import AssayCore

/// The fields of a request in a record: a JSON list of name-value pairs. Credentials are hidden, as in a request dump.
package enum RequestFieldsFormat: BlobFormat {
    /// Request fields.
    package static let name = "fields of an HTTP request"

    /// Recognises a JSON list of pairs of strings.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let node = LenientJSON.read(bytes[...])?.node, case .array(let pairs) = node.content, !pairs.isEmpty,
            pairs.allSatisfy({ pair($0) != nil })
        else { return nil }
        return Recognition(.structure, because: "it is a JSON array of pairs of strings")
    }

    private static func pair(_ node: JSONNode) -> (name: String, value: JSONNode)? {
        guard case .array(let parts) = node.content, parts.count == 2, let name = parts[0].text, parts[1].text != nil
        else { return nil }
        return (name, parts[1])
    }

    /// Annotates the fields.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = BlobContents([])
        guard let node = LenientJSON.read(bytes[...])?.node, case .array(let pairs) = node.content else {
            return BlobContents([Annotation("fields", at: bytes.indices, violation: "no list")])
        }
        for element in pairs {
            guard let (name, value) = pair(element) else {
                contents.annotations.append(
                    Annotation("field", at: element.range, violation: "no pair of name and value"))
                continue
            }
            let found = HTTPValue(
                Array((value.text ?? "").utf8), named: "\(name.excerpt) field", encoding: nil, at: value.range,
                isCredential: CredentialNames.contain(name))
            contents.annotations.append(
                Annotation(Words.name(name), at: element.range, value: found.value, meaning: found.meaning))
            if let blob = found.nested { contents.nested.append(blob) }
            if found.isSecret { contents.secrets.append(value.range) }
        }
        return contents
    }
}
