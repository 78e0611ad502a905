/// Annotates CBOR items, with values as in the diagnostic notation of RFC 8949 section 8.
package enum CBORAnnotator {
    /// Annotates an item and everything in it.
    /// - Parameters:
    ///   - name: the name of the item. Members of maps are named by their keys, elements of arrays by their index.
    ///   - bytes: the bytes to which the ranges of the node refer.
    package static func annotate(_ node: CBORNode, named name: String, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation(name, at: node.range)
        annotation.violation = node.broken ?? irregularity(of: node, in: bytes)
        switch node.content {
        case .array(let items):
            annotation.meaning = "array of \(Words.count(items.count, "entry", "entries"))"
            annotation.children = items.enumerated().map { annotate($1, named: "[\($0)]", in: bytes) }
        case .map(let members):
            annotation.meaning = "map of \(Words.count(members.count, "member"))"
            annotation.children = annotate(members, of: node, in: bytes)
        case .tag(let number, let item):
            annotation.value = "tag \(number)"
            annotation.meaning = meaning(ofTag: number, item)
            annotation.children = [annotate(item, named: "tagged item", in: bytes)]
        case .broken(let reason):
            annotation.violation = reason
            annotation.meaning = node.range.isEmpty ? nil : "not decoded"
        case .unsigned, .negative, .bytes, .text, .simple, .float:
            annotation.value = notation(node, in: bytes)
            if let range = node.byteRange { annotation.meaning = "byte string of \(Words.count(range.count, "byte"))" }
            if let secret = privateKey(in: node, bytes) { annotation.hide(meaning: secret) }
        }
        return annotation
    }

    /// Annotates a sequence of items. More than one item is a violation.
    package static func annotate(_ bytes: [UInt8]) -> [Annotation] {
        var annotations: [Annotation] = []
        for (index, node) in LenientCBOR.readAll(bytes[...]).enumerated() {
            var annotation = annotate(node, named: index == 0 ? "item" : "item \(index + 1)", in: bytes)
            if index == 1, annotation.violation == nil { annotation.violation = "bytes follow the first item" }
            annotations.append(annotation)
        }
        return annotations
    }

    /// A scalar in diagnostic notation; for arrays, maps and tags, a description.
    package static func notation(_ node: CBORNode, in bytes: [UInt8]) -> String {
        switch node.content {
        case .unsigned(let value): "\(value)"
        case .negative(let value): value == .max ? "-18446744073709551616" : "-\(value + 1)"
        case .bytes(let range): "h'\(Hexadecimal.text(bytes[range]))'"
        case .text(let text, _): "\"\(text)\""
        case .array: "[...]"
        case .map: "{...}"
        case .tag(let number, _): "\(number)(...)"
        case .simple(20): "false"
        case .simple(21): "true"
        case .simple(22): "null"
        case .simple(23): "undefined"
        case .simple(let number): "simple(\(number))"
        case .float(let value): "\(value)"
        case .broken: "(broken)"
        }
    }

    private static func annotate(
        _ members: [(key: CBORNode, value: CBORNode)], of map: CBORNode, in bytes: [UInt8]
    ) -> [Annotation] {
        var keys: Set<ArraySlice<UInt8>> = []
        return members.map { key, value in
            if key.isBroken { return annotate(key, named: "(key)", in: bytes) }
            let name = if case .text(let text, _) = key.content { Words.name(text) } else { notation(key, in: bytes) }
            var annotation = annotate(value, named: name, in: bytes)
            if let secret = COSEKeys.secret(key, in: map) {
                annotation.hide(meaning: secret)
            }
            if !keys.insert(bytes[key.range]).inserted {
                annotation.violation = annotation.violation ?? "the key comes twice"
            } else if annotation.violation == nil {
                annotation.violation = (key.broken ?? irregularity(of: key, in: bytes)).map { "key: \($0)" }
            }
            return annotation
        }
    }

    /// The kind of private key that a string contains; nil for none.
    private static func privateKey(in node: CBORNode, _ bytes: [UInt8]) -> String? {
        switch node.content {
        case .bytes(let range): PrivateKeys.describe(Array(bytes[range]))
        case .text(let text, _): PrivateKeys.describe(Array(text.utf8))
        default: nil
        }
    }

    /// The strict reader's error for the head of an item.
    private static func irregularity(of node: CBORNode, in bytes: [UInt8]) -> String? {
        guard let first = node.range.isEmpty ? nil : bytes[node.range.lowerBound] else { return nil }
        let information = first & 0x1F
        if information == 31 { return "indefinite length" }
        if case .text(let text, let range) = node.content,
            text.utf8.count != range.count
                || !text.utf8.elementsEqual(bytes[range])
        {
            return "not valid UTF-8"
        }
        guard first >> 5 != 7, (24...27).contains(information) else { return nil }
        let length = 1 << Int(information - 24)
        let argument = bytes[node.range].dropFirst().prefix(length)
        // The head is too long if half of the argument is zero, or if its only byte fits into the initial byte.
        let isLong = length == 1 ? (argument.first ?? 24) < 24 : argument.prefix(length / 2).allSatisfy { $0 == 0 }
        return isLong ? "the head is longer than it needs to be" : nil
    }

    /// The meaning of tags that can occur in evidence (IANA registry of CBOR tags).
    private static func meaning(ofTag number: UInt64, _ item: CBORNode) -> String? {
        switch number {
        case 0: return "a time as text"
        case 1:
            let seconds: Double? =
                switch item.content {
                case .unsigned(let value): Double(value)
                case .negative(let value): -1 - Double(value)
                case .float(let value): value
                default: nil
                }
            return seconds.flatMap { TimeWords.epoch($0) }.map { "a time: \($0.text), \($0.words)" } ?? "a time"
        case 2: return "an unsigned big number"
        case 3: return "a negative big number"
        case 16: return "COSE_Encrypt0"
        case 17: return "COSE_Mac0"
        case 18: return "COSE_Sign1"
        case 24: return "CBOR inside of a byte string"
        case 61: return "CBOR Web Token"
        case 55799: return "self-described CBOR"
        default: return nil
        }
    }
}

extension Annotation {
    /// Passes the annotation of each member of a map to `body`, with the value of the member.
    mutating func eachMember(of map: CBORNode, _ body: (inout Annotation, CBORNode) -> Void) {
        guard case .map(let members) = map.content else { return }
        for (index, member) in zip(children.indices, members) { body(&children[index], member.value) }
    }
}

/// Secrets in COSE keys (RFC 9052 section 7, RFC 9053 section 7).
enum COSEKeys {
    /// A description of the secret under a label of a COSE key; nil for other labels and other maps.
    static func secret(_ label: CBORNode, in map: CBORNode) -> String? {
        guard case .negative(let argument) = label.content, case .unsigned(let type)? = map[1]?.content else {
            return nil
        }
        switch (type, argument) {
        case (4, 0): return "a symmetric key"
        // In OKP and EC2 keys, -4 is d. In RSA keys, -3 to -12 are private.
        case (1, 3), (2, 3), (3, 2...11): return "a part of a private key"
        default: return nil
        }
    }
}
