package import AssayCore

/// What apps do to the signature base of a request (RFC 9421 section 2.5), other than what the server rebuilds: a finite list, tried
/// one after another against the signature.
package struct RequestMistakes {
    /// The signature with the tag of an engine.
    let signature: RequestSignature
    /// The signature base that the server rebuilds.
    let base: [UInt8]
    /// What an app may have signed in its place, with the sentence about it.
    let others: [UsualMistakes.Mistake]

    /// Reads the request of a record; nil for other records, and for requests without a signature of the engine.
    init?(_ record: EvidenceRecord, tag: String) {
        guard let request = try? SignedRequest(RecordFields(record.evidence, path: "evidence")) else { return nil }
        let message = request.parts
        guard let input = Self.input(of: message, tag: tag),
            let signature = try? RequestSignature(label: input.label, in: message),
            let base = try? SignatureBase.build(for: input, of: message)
        else { return nil }
        (self.signature, self.base) = (signature, base)
        var others: [UsualMistakes.Mistake] = []
        func add(_ bytes: [UInt8]?, _ sentence: String) {
            guard let bytes, bytes != base else { return }
            others.append(UsualMistakes.Mistake(bytes: bytes, sentence: "the app signed \(sentence)"))
        }
        let covered = Set(input.components.map(\.name))
        if covered.contains("@method") {
            for method in [message.method.lowercased(), message.method.uppercased()] {
                var other = message
                other.method = method
                add(try? SignatureBase.build(for: input, of: other), "the method as \(method.excerpt)")
            }
        }
        if covered.contains(where: { $0.hasPrefix("@") && $0 != "@method" }) {
            for (uri, sentence) in Self.targets(message.targetURI) {
                var other = message
                other.targetURI = uri
                add(try? SignatureBase.build(for: input, of: other), "the target URI \(sentence)")
            }
        }
        let lines = base.split(separator: 0x0A, omittingEmptySubsequences: false)
        add(
            Array(lines.joined(separator: [0x0D, 0x0A])),
            "lines that end with CR LF; those of a signature base end with LF")
        add(
            Array(lines.dropLast().joined(separator: [0x0A])),
            "the signature base without its last line, \"@signature-params\"")
        add(
            Array(lines.map { $0.filter { $0 != 0x22 } }.joined(separator: [0x0A])),
            "the signature base without the quotes around names and values")
        add(
            Self.asWritten(base, input, message),
            "\"@signature-params\" with other white space or quotes than RFC 9421 has")
        if case .bytes(let body) = request.body, !body.isEmpty { add(body, "the body, and not the signature base") }
        self.others = others
    }

    /// The `keyid` of the signature with a tag in a request; nil for other records.
    package static func keyID(of record: EvidenceRecord, tag: String) -> String? {
        (try? SignedRequest(RecordFields(record.evidence, path: "evidence"))).flatMap {
            input(of: $0.parts, tag: tag)?.keyID
        }
    }

    private static func input(of message: HTTPMessageParts, tag: String) -> SignatureInput? {
        guard let field = message.combinedValue(of: "Signature-Input"),
            let inputs = try? SignatureInputField(field[...])
        else { return nil }
        return inputs.inputs.first { $0.tag == tag }
    }

    /// The signature base with the parameters as the field has them, which a proxy may have written anew.
    private static func asWritten(_ base: [UInt8], _ input: SignatureInput, _ message: HTTPMessageParts) -> [UInt8]? {
        guard let field = message.combinedValue(of: "Signature-Input"), field.starts(with: "\(input.label)=".utf8)
        else {
            return nil
        }
        let last = base.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return Array(
            base[..<last] + Array("\"@signature-params\": ".utf8) + field.dropFirst(input.label.utf8.count + 1))
    }

    /// Other texts for a target URI, with what an app did to it.
    private static func targets(_ uri: String) -> [(uri: String, sentence: String)] {
        guard let scheme = uri.firstRange(of: "://") else { return [] }
        let rest = uri[scheme.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let (prefix, authority, path) = (uri[..<scheme.upperBound], rest[..<end], rest[end...])
        let withoutQuery = path.prefix { $0 != "?" }
        var targets: [(String, String)] = []
        func add(_ text: String, _ sentence: String) { if text != uri { targets.append((text, sentence)) } }
        add("\(prefix)\(authority)\(withoutQuery)", "without its query")
        add("\(prefix)\(authority)", "without its path")
        add("\(prefix)\(authority)\(withoutQuery)/\(path.dropFirst(withoutQuery.count))", "with a / behind its path")
        if withoutQuery.last == "/" {
            add(
                "\(prefix)\(authority)\(withoutQuery.dropLast())\(path.dropFirst(withoutQuery.count))",
                "without the / behind its path")
        }
        add("\(prefix == "https://" ? "http://" : "https://")\(authority)\(path)", "with another scheme")
        add("\(prefix)\(authority):\(prefix == "https://" ? 443 : 80)\(path)", "with the default port")
        add("\(prefix)\(authority.prefix { $0 != ":" })\(path)", "without its port")
        add("\(prefix)\(authority.uppercased())\(path)", "with the host in capitals")
        let decoded = String(decoding: PercentEncoding.decode(Array(path.utf8)[...]), as: UTF8.self)
        add("\(prefix)\(authority)\(decoded)", "with percent-encoding removed")
        return targets
    }
}
