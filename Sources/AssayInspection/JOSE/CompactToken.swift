import AssayCore

/// A possible JWS or JWE in compact serialisation, split at its dots.
struct CompactToken {
    /// The ranges of the parts, which may contain white space.
    let parts: [Range<Int>]
    /// The decoded first part if it is a JSON object.
    let headerBytes: [UInt8]?
    /// The header if it is a JSON object.
    let header: JSONNode?
    /// The text before the token, such as `Bearer `.
    let prefix: Range<Int>
    /// The errors of a strict reader for the text around the parts.
    let irregularities: [String]

    /// More parts than any token has.
    private static let parts = 6

    /// Splits a text; nil if it has a character that tokens do not have, or no dot.
    init?(_ bytes: [UInt8]) {
        let whole = LenientText.body(bytes)
        var body = whole
        var irregularities: [String] = []
        if let quote = body.first, quote == 0x22 || quote == 0x27 {
            body = body.dropFirst()
            if body.last == quote { body = body.dropLast() }
            irregularities.append("in quotes")
        }
        if LenientText.begins(body, with: "bearer ") {
            body = LenientText.trimmed(body.dropFirst(7))
            irregularities.append("after the word Bearer")
        }
        guard body.count >= 8, body.contains(0x2E) else { return nil }
        var parts: [Range<Int>] = []
        var start = body.startIndex
        var hasSpace = false
        for index in body.indices {
            switch body[index] {
            case 0x2E:
                guard parts.count < CompactToken.parts else { return nil }
                parts.append(start..<index)
                start = index + 1
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: break
            case let byte where LenientText.isSpace(byte): hasSpace = true
            default: return nil
            }
        }
        parts.append(start..<body.endIndex)
        if hasSpace { irregularities.append("line breaks or spaces inside") }
        self.parts = parts
        self.irregularities = irregularities
        prefix = whole.startIndex..<body.startIndex
        let decoded = LenientBase64.decode(bytes[parts[0]]).bytes
        let node = decoded.first == 0x7B ? LenientJSON.read(decoded[...])?.node : nil
        headerBytes = node == nil ? nil : decoded
        header = node
    }

    /// How certain it is that this is a token of `count` parts, with a parameter of the header to name.
    func recognition(of count: Int, naming parameter: String) -> Recognition {
        let beginning = "it has \(parts.count) parts between dots"
        guard isToken else { return Recognition(.guess, because: "\(beginning), the first of which is JSON") }
        let name = self.parameter(parameter).map { " with \(parameter) \($0.excerpt)" } ?? ""
        return Recognition(
            parts.count == count ? .certain : .structure, because: "\(beginning), and the first is a JOSE header\(name)"
        )
    }

    /// Whether the first part is a header: JSON with an algorithm or a type.
    var isToken: Bool { ["alg", "enc", "typ", "kid"].contains { header?[$0] != nil } }

    /// Whether it is encrypted: the header names a content encryption, or there are five parts.
    var isEncrypted: Bool { header?["enc"] != nil || parts.count == 5 }

    func parameter(_ name: String) -> String? { header?[name]?.text }
}
