import AssayPrimitives

extension MasterKey {
    /// The form of sealed bytes. Bytes of another form do not open.
    private static let form: UInt8 = 1

    /// Seals bytes that are kept in a ledger: AES-256-GCM under a new nonce of 96 random bits.
    ///
    /// - Parameters:
    ///   - label: the use, which no other use shares.
    ///   - context: what the bytes belong to, such as the identifier of a key. They open with the same label and context only.
    package func seal(_ bytes: [UInt8], label: String, context: [UInt8]) -> [UInt8]? {
        let nonce = (0..<AESGCM.nonceLength).map { _ in UInt8.random(in: .min ... .max) }
        let sealed = try? AESGCM.seal(
            SecretBytes(bytes), key: secret, nonce: nonce, additionalData: Self.covered(label, context)[...])
        return sealed.map { [Self.form] + nonce + $0.ciphertext + $0.tag }
    }

    /// Opens bytes that ``seal(_:label:context:)`` sealed; nil if they were sealed under another key or for another use, or changed.
    ///
    /// - Returns: the bytes, and whether this key has sealed them, and not one that only opens.
    package func open(_ sealed: [UInt8], label: String, context: [UInt8]) -> (bytes: [UInt8], isOwn: Bool)? {
        guard sealed.first == Self.form, sealed.count >= 1 + AESGCM.nonceLength + AESGCM.tagLength else { return nil }
        let nonce = Array(sealed[1..<1 + AESGCM.nonceLength])
        let ciphertext = Array(sealed[(1 + AESGCM.nonceLength)...].dropLast(AESGCM.tagLength))
        return first { key in
            AESGCM.open(
                ciphertext, tag: Array(sealed.suffix(AESGCM.tagLength)), key: key.secret, nonce: nonce,
                additionalData: Self.covered(label, context)[...]
            ).map { ($0, key.identifier == identifier) }
        }
    }

    /// The label ends with a zero byte, which no label has, so that no two pairs give the same bytes.
    private static func covered(_ label: String, _ context: [UInt8]) -> [UInt8] { Array(label.utf8) + [0] + context }
}
