import AssayCore
import AssayPrimitives
import Foundation

/// One row of the table: what is open to see, and the parts of the key, sealed together with it.
struct SealedKeyRow: Sendable, Equatable {
    /// What is open to see.
    let columns: SealedKeyColumns
    /// Which master key it is sealed under.
    let masterKey: [UInt8]
    /// The form, a nonce, the sealed parts and a tag.
    let sealed: [UInt8]

    /// The form in which parts are sealed. Another one has another number, and is refused until it is known.
    static let form: UInt8 = 1
    /// What a sealed key has at least: form, nonce and tag.
    static let overhead = 1 + AESGCM.nonceLength + AESGCM.tagLength

    /// Keeps what was read.
    init(columns: SealedKeyColumns, masterKey: [UInt8], sealed: [UInt8]) {
        self.columns = columns
        self.masterKey = masterKey
        self.sealed = sealed
    }

    /// Seals parts under a nonce that was never used: 96 random bits, so that even after four billion sealings under one
    /// master key a repetition is unlikely (NIST SP 800-38D section 8.3).
    init(_ columns: SealedKeyColumns, parts: [String: SecretBytes], under masterKey: MasterKey) throws(DecodeError) {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<AESGCM.nonceLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let (ciphertext, tag) = try AESGCM.seal(
            SealedParts.encode(parts), key: masterKey.secret, nonce: nonce,
            additionalData: columns.additionalData(form: Self.form, masterKey: masterKey.identifier)[...])
        self.init(
            columns: columns, masterKey: masterKey.identifier, sealed: [Self.form] + nonce + ciphertext + tag)
    }

    /// The parts of the key, and nil when anything of the row is not as it was sealed.
    ///
    /// The caller has seen that the row names this master key.
    private func parts(under masterKey: MasterKey) -> [String: SecretBytes]? {
        guard sealed.count >= Self.overhead, sealed.first == Self.form else { return nil }
        let nonce = Array(sealed[1..<1 + AESGCM.nonceLength])
        let ciphertext = Array(sealed[(1 + AESGCM.nonceLength)...].dropLast(AESGCM.tagLength))
        let plaintext = AESGCM.openSecret(
            ciphertext, tag: Array(sealed.suffix(AESGCM.tagLength)), key: masterKey.secret, nonce: nonce,
            additionalData: columns.additionalData(form: Self.form, masterKey: self.masterKey)[...])
        return plaintext.flatMap(SealedParts.decode)
    }

    /// The parts of the key.
    ///
    /// - Throws: ``KeyStoreOutage`` that tells another master key from damage.
    func opened(under masterKey: MasterKey, path: String) throws(KeyStoreOutage) -> [String: SecretBytes] {
        try demand(masterKey, path: path)
        guard let parts = parts(under: masterKey) else {
            throw KeyStoreOutage(
                .corrupt,
                "the key \(columns.name.excerpt) of \(path) was damaged or changed after it was sealed; "
                    + "restore the file, or remove the key with `assay keys remove` and add it again")
        }
        return parts
    }

    /// Sees that the key is sealed under a master key.
    func demand(_ masterKey: MasterKey, path: String) throws(KeyStoreOutage) {
        guard self.masterKey == masterKey.identifier else {
            throw KeyStoreOutage(
                .wrongMasterKey,
                "the key \(columns.name.excerpt) of \(path) is sealed under another master key; give that one")
        }
    }
}
