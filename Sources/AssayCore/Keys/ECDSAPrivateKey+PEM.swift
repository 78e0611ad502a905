package import AssayPrimitives

extension ECDSAPrivateKey {
    /// Reads a PrivateKeyInfo (PKCS #8, RFC 5958) in PEM (RFC 7468): one block `PRIVATE KEY` and white space around it.
    /// - Throws: ``DecodeError`` without any of the text.
    package init(pem: SecretBytes) throws(DecodeError) {
        let body: SecretBytes? = pem.withUnsafeBytes { text in
            guard let start = text.firstRange(of: Self.begin), let end = text.firstRange(of: Self.end),
                start.upperBound <= end.lowerBound,
                text[..<start.lowerBound].allSatisfy({ Self.isSpace($0) }),
                text[end.upperBound...].allSatisfy({ Self.isSpace($0) })
            else { return nil }
            return SecretBytes(text[start.upperBound..<end.lowerBound])
        }
        guard let body else {
            throw DecodeError(.unexpectedValue, at: 0, "expected one PEM block PRIVATE KEY, and nothing else")
        }
        guard let info = try? SecretKeyText.decodeBase64(body, byteCounts: 32...256),
            let key = try? ECDSAPrivateKey(privateKeyInfo: info)
        else {
            throw DecodeError(.unexpectedValue, at: 0, "the PEM block does not hold a private key of P-256 in PKCS #8")
        }
        self = key
    }

    private static let begin = Array("-----BEGIN PRIVATE KEY-----".utf8)
    private static let end = Array("-----END PRIVATE KEY-----".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
