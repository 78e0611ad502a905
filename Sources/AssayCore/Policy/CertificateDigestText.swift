import AssayPrimitives

/// The SHA-256 of a signing certificate as text: hexadecimal with colons in the Play Console, base64url in tokens.
package enum CertificateDigestText {
    /// The reason why a text is not a digest.
    package struct Problem: Error {
        package let message: String
    }

    /// Decodes 32 bytes. The forms are unambiguous: 64 characters of base64 would be 48 bytes.
    package static func decode(_ text: String) throws(Problem) -> [UInt8] {
        let expected =
            "expected a SHA-256 digest: 32 bytes as hexadecimal digits, with or without colons, base64url or base64"
        if let bytes = hexadecimal(text) {
            guard bytes.count == 32 else {
                throw Problem(
                    message: "\(expected); found \(bytes.count) bytes in hexadecimal digits"
                        + (bytes.count == 20 ? ", the length of a SHA-1 digest" : ""))
            }
            return bytes
        }
        if let bytes = AnyBase64.decode(text) {
            guard bytes.count == 32 else {
                throw Problem(
                    message: "\(expected); found \(bytes.count) bytes in base64"
                        + (bytes.count == 20 ? ", the length of a SHA-1 digest" : ""))
            }
            return bytes
        }
        throw Problem(message: "\(expected); found \"\(text.excerpt)\", which is neither")
    }

    /// Two digits per byte, with colons between all bytes or none.
    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        let hasColons = characters.contains(UInt8(ascii: ":"))
        let stride = hasColons ? 3 : 2
        guard !characters.isEmpty, (characters.count + (hasColons ? 1 : 0)) % stride == 0 else { return nil }
        var bytes: [UInt8] = []
        for start in Swift.stride(from: 0, to: characters.count, by: stride) {
            guard let high = characters[start].hexadecimalValue, let low = characters[start + 1].hexadecimalValue else {
                return nil
            }
            if hasColons, start + 2 < characters.count, characters[start + 2] != UInt8(ascii: ":") { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
