import AssayCore

/// Annotates JSON values, finds the blobs in their strings, and hides secrets in both.
package struct JSONAnnotator {
    /// The meaning of a member in a format.
    /// - Returns: the meaning in words; nil to apply the general rules.
    package typealias Describe = (_ pointer: String, _ node: JSONNode) -> String?

    private let bytes: [UInt8]
    private let describe: Describe
    private var contents = BlobContents([])
    private var path: [String] = []
    /// The total size of the JSON pointers so far. A long name above many values would multiply the size of the
    /// document.
    private var pointerBytes = 0

    private init(_ bytes: [UInt8], _ describe: @escaping Describe) {
        self.bytes = bytes
        self.describe = describe
    }

    /// Annotates a document as one annotation. Every string that contains a blob gives a nested one, named by its JSON pointer.
    package static func annotate(
        _ node: JSONNode, named name: String, in bytes: [UInt8], describe: @escaping Describe = { _, _ in nil }
    ) -> BlobContents {
        var annotator = JSONAnnotator(bytes, describe)
        annotator.contents.annotations = [annotator.annotate(node, named: name, secret: nil)]
        return annotator.contents
    }

    private var pointer: String {
        var text = ""
        for token in path.prefix(LenientJSON.depth) {
            text += "/"
            for scalar in token.unicodeScalars.prefix(100) {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }

    /// - Parameter secret: a description of the secret value; nil if the value may be shown.
    private mutating func annotate(_ node: JSONNode, named name: String, secret: String?) -> Annotation {
        var annotation = Annotation(name, at: node.range, violation: node.violation)
        if let secret {
            contents.secrets.append(node.range)
            annotation.value = "(not shown)"
            annotation.meaning = secret
            return annotation
        }
        switch node.content {
        case .null: annotation.value = "null"
        case .flag(let flag): annotation.value = flag ? "true" : "false"
        case .number(let number):
            annotation.value = number
            annotation.meaning = EpochTime.meaning(of: number, under: name)
        case .text(let text): annotate(text, of: node, named: name, in: &annotation)
        case .array, .object:
            if let list = ByteList(node), list.isKnown {
                annotate(list, of: node, in: &annotation)
                break
            }
            annotateChildren(of: node, in: &annotation)
        case .broken(let reason):
            annotation.violation = reason
            annotation.meaning = node.range.isEmpty ? nil : "not decoded"
        }
        // The format's text about a field may quote the value.
        if !annotation.isSecret, pointerBytes <= bytes.count * 8 + 4096 {
            let pointer = self.pointer
            pointerBytes += pointer.utf8.count
            if let meaning = describe(pointer, node) { annotation.meaning = meaning }
        }
        return annotation
    }

    /// Bytes as a list of numbers.
    private mutating func annotate(_ list: ByteList, of node: JSONNode, in annotation: inout Annotation) {
        if let secret = PrivateKeys.describe(list.bytes) {
            contents.secrets.append(node.range)
            annotation.hide(meaning: secret)
            return
        }
        annotation.meaning = "\(list.form), \(Words.count(list.bytes.count, "byte"))"
        contents.nested.append(
            NestedBlob(pointer.isEmpty ? "bytes" : pointer, encoding: list.form, bytes: list.bytes, at: node.range))
    }

    private mutating func annotateChildren(of node: JSONNode, in annotation: inout Annotation) {
        switch node.content {
        case .array(let elements):
            annotation.meaning = "array of \(Words.count(elements.count, "element"))"
            annotation.children = elements.enumerated().map { index, element in
                path.append(String(index))
                defer { path.removeLast() }
                return annotate(element, named: "[\(index)]", secret: nil)
            }
        case .object(let members):
            annotation.meaning = "object of \(Words.count(members.count, "member"))"
            annotation.children = annotate(members)
        case .null, .flag, .number, .text, .broken: break
        }
    }

    private mutating func annotate(_ members: [(key: JSONNode, value: JSONNode)]) -> [Annotation] {
        var names: Set<[UInt8]> = []
        let isKey = members.contains { member in member.key.text.map(SecretMembers.isOfKey) ?? false }
        return members.map { key, value in
            guard let name = key.text else {
                var annotation = annotate(value, named: "(no name)", secret: nil)
                annotation.violation = annotation.violation ?? "the name is no string"
                return annotation
            }
            path.append(name)
            defer { path.removeLast() }
            var secret = SecretMembers.describe(name, inKey: isKey)
            // The absence of a value is no secret.
            if case .null = value.content { secret = nil }
            if case .flag = value.content { secret = nil }
            var annotation = annotate(value, named: Words.name(name), secret: secret)
            if !names.insert(Array(name.utf8)).inserted {
                annotation.violation = annotation.violation ?? "the name comes twice"
            }
            annotation.violation = annotation.violation ?? key.violation.map { "name: \($0)" }
            return annotation
        }
    }

    private mutating func annotate(
        _ text: String, of node: JSONNode, named name: String, in annotation: inout Annotation
    ) {
        guard let blob = EmbeddedBlob(text) else {
            annotation.value = "\"\(text)\""
            annotation.meaning =
                RFC3339.parse(text).map { TimeWords.describe($0) } ?? EpochTime.meaning(of: text, under: name)
            return
        }
        if let secret = blob.secret {
            contents.secrets.append(node.range)
            annotation.hide(meaning: secret)
            return
        }
        annotation.value = "\"\(text)\""
        if !blob.encoding.isByteEqual(to: "text") {
            annotation.meaning = "\(blob.encoding), \(Words.count(blob.bytes.count, "byte"))"
        }
        if blob.isWorthDecoding {
            contents.nested.append(NestedBlob(pointer, encoding: blob.encoding, bytes: blob.bytes, at: node.range))
        }
    }
}

/// Recognises members of JSON objects with secret values, by name.
enum SecretMembers {
    /// Names in lower case without `_` and `-`.
    private static let names = [
        "privatekey", "secret", "clientsecret", "sharedsecret", "secretkey", "password", "passwd", "passphrase",
        "decryptionkey", "symmetrickey", "apikey", "accesstoken", "refreshtoken", "sessiontoken", "authtoken",
        "bearertoken",
    ]
    /// Members of Approov tokens for measurement proofs: the proof key and the measurements.
    private static let measurements = ["mpk", "imh", "dmh"]
    /// Private parts of keys (RFC 7518 section 6).
    private static let keyParts = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Whether JSON Web Keys have this name and other objects rarely do. A truncated key may have only one of the two.
    static func isOfKey(_ name: String) -> Bool { name.isByteEqual(to: "kty") || name.isByteEqual(to: "crv") }

    /// A description of the secret under a name; nil for other names.
    /// - Parameter isKey: whether the object is a JSON Web Key, in which some short names are private parts.
    static func describe(_ name: String, inKey isKey: Bool) -> String? {
        guard name.utf8.count <= 32 else { return nil }
        if isKey, keyParts.containsBytes(of: name) {
            return name.isByteEqual(to: "k") ? "a symmetric key" : "a part of a private key"
        }
        if measurements.containsBytes(of: name) {
            return name.isByteEqual(to: "mpk")
                ? "the key of measurement proofs, which is a secret" : "a measurement, which is a secret"
        }
        let plain = LenientText.lowercased(name).filter { $0 != "_" && $0 != "-" }
        return names.containsBytes(of: plain) ? "a secret, as its name says" : nil
    }
}
