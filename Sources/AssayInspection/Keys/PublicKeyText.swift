package import AssayCore

/// Reads a public key in the forms in which libraries and tools store it.
package enum PublicKeyText {
    /// What is read, for messages.
    package static let allowed = "PEM, a JSON Web Key, a DER SubjectPublicKeyInfo or an X9.63 point"

    /// The SubjectPublicKeyInfo in DER of a key as PEM, JSON Web Key of P-256 or P-384, SubjectPublicKeyInfo or X9.63 point.
    /// - Parameter bytes: the decoded value of an option. Base64 around it is removed before.
    /// - Throws: ``DecodeError`` for anything else, which is then no statement on evidence.
    package static func subjectPublicKeyInfo(_ bytes: [UInt8]) throws(DecodeError) -> [UInt8] {
        if PrivateKeys.describe(bytes) != nil {
            throw DecodeError(
                .unexpected, at: 0, "it is a private key, which belongs nowhere here; give the public one")
        }
        let text = LenientText.body(bytes)
        if let block = PEMBlock.read(bytes).first {
            guard block.label.isByteEqual(to: "PUBLIC KEY"), block.isComplete else {
                throw DecodeError(
                    .unexpected, at: block.range.lowerBound,
                    "expected a PEM block PUBLIC KEY, found \(block.label.excerpt)")
            }
            let body = bytes[block.body].filter { !LenientText.isSpace($0) }
            do { return try info(try Base64.decode(body[...], .standard)) } catch { throw error.within("PEM") }
        }
        if text.first == UInt8(ascii: "{") { return try jsonWebKey(Array(text)).subjectPublicKeyInfo }
        return try info(bytes)
    }

    private static func info(_ bytes: [UInt8]) throws(DecodeError) -> [UInt8] {
        if let curve = PublicKeyAnnotator.curve(of: bytes[...]) {
            return try ECDSAPublicKey(x963: bytes, curve: curve).subjectPublicKeyInfo
        }
        guard bytes.first == 0x30, PublicKeyFormat.recognise(bytes)?.certainty == .certain else {
            throw DecodeError(
                .unexpectedValue, at: 0, "expected a public key as \(allowed), found \(bytes.count) other bytes")
        }
        try PublicKeyFormat.decodeStrictly(bytes)
        return bytes
    }

    private static func jsonWebKey(_ bytes: [UInt8]) throws(DecodeError) -> ECDSAPublicKey {
        let object = try JSONReader.readObject(bytes, limit: 16 * 1024)
        func text(_ name: String) throws(DecodeError) -> String {
            guard case .text(let text)? = object[name]?.content else {
                throw DecodeError(.missing, at: 0, field: "JSON Web Key", "expected \(name) as text")
            }
            return text
        }
        guard object["d"] == nil else {
            throw DecodeError(
                .unexpected, at: 0, field: "JSON Web Key", "d makes it a private key; give the public one")
        }
        let curve: ECDSAPublicKey.Curve
        switch (try text("kty"), try text("crv")) {
        case ("EC", "P-256"): curve = .p256
        case ("EC", "P-384"): curve = .p384
        case (let type, let name):
            throw DecodeError(
                .unexpectedValue, at: 0, field: "JSON Web Key",
                "expected kty EC and crv P-256 or P-384, found \(type.excerpt) and \(name.excerpt)")
        }
        let (x, y) = (try Base64.decode(text("x"), .url), try Base64.decode(text("y"), .url))
        guard x.count == y.count else {
            throw DecodeError(.unexpectedLength, at: 0, field: "JSON Web Key", "x and y have different lengths")
        }
        return try ECDSAPublicKey(x963: [0x04] + x + y, curve: curve)
    }
}
