public import AssayCore

extension MeasurementToken {
    /// The public key of offline hardware: P-256.
    public struct PublicKey: Sendable, Hashable {
        /// The uncompressed point.
        let point: [UInt8]

        /// Reads a key as text.
        ///
        /// - Parameter text: A PEM block `PUBLIC KEY`, or base64 of the DER SubjectPublicKeyInfo.
        /// - Throws: ``KeyError`` for another text, or another curve than P-256.
        public init(text: String) throws(KeyError) {
            let reader = PublicKeyText(
                part: "", expected: "the base64 of the SubjectPublicKeyInfo of a P-256 key, or a PEM block PUBLIC KEY")
            let key = try reader.decode(SecretBytes(Array(text.utf8))) { (info) throws(DecodeError) in
                try ECDSAPublicKey(subjectPublicKeyInfo: info)
            }
            guard key.curve == .p256 else {
                throw KeyError("wrong-curve", part: "", "expected P-256, found \(key.curve)")
            }
            point = key.x963Representation
        }

        /// Reads an uncompressed point, `04 || X || Y`, 65 bytes (ANSI X9.63 section 4.3.6).
        ///
        /// - Throws: ``DecodeError`` for another form, or a point that is not on P-256.
        public init(x963Representation point: [UInt8]) throws(DecodeError) {
            self.point = try ECDSAPublicKey(x963: point, curve: .p256).x963Representation
        }

        /// Reads a JSON Web Key of P-256 for key agreement (RFC 7518 section 6.2.1).
        /// - Throws: ``DecodeError`` for a private key, another type, or a key that is not for `ECDH-ES`.
        package init(jwk: RecordObject) throws(DecodeError) { point = try JSONWebKey.agreementPoint(jwk) }
    }

    /// The private key of offline hardware: P-256.
    public struct PrivateKey: Sendable {
        let key: AgreementPrivateKey

        /// Reads a PEM block `PRIVATE KEY` (PKCS #8, RFC 5958), as `openssl genpkey -algorithm EC -pkeyopt
        /// ec_paramgen_curve:P-256` writes it.
        ///
        /// - Throws: ``KeyError``, which contains no part of the text.
        public init(pem: SecretBytes) throws(KeyError) {
            key = try PrivateKeyText(part: "").decode(pem)
        }

        /// The public key.
        public var publicKey: PublicKey { PublicKey(of: key) }
    }
}

extension MeasurementToken.PublicKey {
    fileprivate init(of key: AgreementPrivateKey) { point = key.publicPoint }
}

/// A private key in PEM, PKCS #8.
struct PrivateKeyText {
    private static let begin = Array("-----BEGIN PRIVATE KEY-----".utf8)
    private static let end = Array("-----END PRIVATE KEY-----".utf8)
    static let form = "a P-256 private key: a PEM block PRIVATE KEY (PKCS #8)"

    /// The name of the part of a key, for errors.
    let part: String

    /// Decodes the text. Ignores white space.
    func decode(_ text: SecretBytes) throws(KeyError) -> AgreementPrivateKey {
        var characters = text.withUnsafeBytes { $0.filter { $0 > 0x20 } }
        defer { SecretBytes.wipe(&characters) }
        let (begin, end) = (Self.begin.filter { $0 > 0x20 }, Self.end.filter { $0 > 0x20 })
        guard !characters.isEmpty else { throw error("empty", "nothing") }
        guard characters.starts(with: begin), characters.count > begin.count + end.count,
            characters.suffix(end.count).elementsEqual(end)
        else {
            let isOther = characters.starts(with: "-----BEGIN".utf8)
            throw error(
                "pem", isOther ? "another PEM block, or more than one" : "\(text.count) bytes that are no PEM block")
        }
        characters.removeFirst(begin.count)
        characters.removeLast(end.count)
        guard var info = try? Base64.decode(characters[...], .standard) else {
            throw error("not-base64", "a block that is no base64")
        }
        defer { SecretBytes.wipe(&info) }
        do {
            return try AgreementPrivateKey(privateKeyInfo: SecretBytes(info))
        } catch {
            throw self.error("wrong-key", error.message)
        }
    }

    private func error(_ code: String, _ found: String) -> KeyError {
        KeyError(code, part: part, "expected \(Self.form); found \(found)")
    }
}
