import AssayCore

/// Certificates as apps send them in text: base64 of DER, one certificate behind another or one in each element of a list. An element
/// is exactly one certificate, so that no text can be read in two ways.
struct CertificateText {
    /// The form in words, such as `base64, separated by commas`.
    let form: String
    /// The certificates in DER, and where each stands in the text.
    let certificates: [(range: Range<Int>, der: [UInt8])]

    /// Reads a text; nil for any other.
    init?(_ bytes: [UInt8]) {
        let text = LenientText.trimmed(bytes[...])
        // Base64 of a certificate begins so: a SEQUENCE with a length of one or two bytes.
        guard text.count >= 64, !text.contains(where: { $0 >= 0x80 }) else { return nil }
        if let whole = Self.base64(text.filter { !LenientText.isSpace($0) }[...]), let list = Self.sequence(whole) {
            form = "base64 of \(Words.count(list.count, "certificate"))"
            certificates = list.map { (text.indices, $0) }
            return
        }
        if text.first == UInt8(ascii: "["), let (node, end) = LenientJSON.read(bytes[...]), end == bytes.count,
            node.violation == nil, case .array(let elements) = node.content
        {
            let list = Self.list(elements.map { ($0.range, $0.text.map { Array($0.utf8)[...] } ?? []) })
            guard let list else { return nil }
            form = "a JSON array of base64"
            certificates = list
            return
        }
        let separator = text.first { $0 == 0x2C || $0 == 0x3B || $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
        guard let separator else { return nil }
        let items = text.split { $0 == separator || LenientText.isSpace($0) }.map { ($0.indices, $0) }
        guard let list = Self.list(items) else { return nil }
        form =
            switch separator {
            case 0x2C: "base64, separated by commas"
            case 0x3B: "base64, separated by semicolons"
            case 0x20: "base64, separated by spaces"
            default: "base64, one certificate a line"
            }
        certificates = list
    }

    /// The most certificates of a text. Genuine chains have at most five.
    private static let maximum = 32

    private static func list(
        _ items: [(range: Range<Int>, text: ArraySlice<UInt8>)]
    ) -> [(range: Range<Int>, der: [UInt8])]? {
        guard (1...maximum).contains(items.count) else { return nil }
        var list: [(range: Range<Int>, der: [UInt8])] = []
        for item in items {
            guard let der = base64(item.text), sequence(der)?.count == 1 else { return nil }
            list.append((item.range, der))
        }
        return list
    }

    /// Decodes base64 of either alphabet, with padding or without.
    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.first == UInt8(ascii: "M") else { return nil }
        let padding = text.reversed().prefix { $0 == 0x3D }.count
        guard padding <= 2 else { return nil }
        let body = text.dropLast(padding).map { byte in byte == 0x2B ? 0x2D : byte == 0x2F ? 0x5F : byte }
        let isMixed = text.contains { $0 == 0x2B || $0 == 0x2F } && text.contains { $0 == 0x2D || $0 == 0x5F }
        return isMixed ? nil : try? Base64.decode(body[...], .url)
    }

    /// The certificates that fill bytes, one behind another.
    private static func sequence(_ bytes: [UInt8]) -> [[UInt8]]? {
        var reader = DERReader(bytes)
        var list: [[UInt8]] = []
        while !reader.isAtEnd {
            guard list.count < maximum, let element = try? reader.read(.sequence) else { return nil }
            let der = Array(element.bytes)
            guard CertificateFormat.recognise(der)?.certainty == .certain else { return nil }
            list.append(der)
        }
        return list.isEmpty ? nil : list
    }
}
