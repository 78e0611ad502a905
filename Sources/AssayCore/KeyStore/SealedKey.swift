import AssayPrimitives
package import FoundationEssentials

/// A key as a ``SealedKeyStorage`` stores it: fields that are readable without the master key, and the encrypted parts.
///
/// The seal covers all fields: an edited key does not open. It also covers the ``origin``: neither an earlier state of a key nor a
/// key of another storage opens. Until a key is opened, none of its fields is verified.
public struct SealedKey: Sendable, Equatable {
    /// The times of a key in microseconds since 1970, exactly as stored. The seal covers these numbers; a `Date` cannot
    /// represent all of them.
    public struct Times: Sendable, Equatable {
        /// The beginning of the window; nil for none.
        public let notBefore: Int64?
        /// The end of the window; nil for none.
        public let notAfter: Int64?
        /// When the key is retired; nil for never.
        public let retiredAt: Int64?
        /// When the key was added.
        public let addedAt: Int64

        /// States the times.
        public init(notBefore: Int64?, notAfter: Int64?, retiredAt: Int64?, addedAt: Int64) {
            (self.notBefore, self.notAfter, self.retiredAt, self.addedAt) = (notBefore, notAfter, retiredAt, addedAt)
        }
    }

    /// The name, unique in the store.
    public let name: String
    /// The use of the key.
    public let purpose: KeyPurpose
    /// The package name or the policy's app that the key is for; nil if any app may name it in the policy.
    public let scope: String?
    /// The algorithms of the key, and any ID by which evidence names it.
    public let algorithm: String
    /// Window, retirement and time of adding.
    public let times: Times
    /// Identifies the master key. The master key cannot be derived from it.
    public let masterKeyID: [UInt8]
    /// A byte for the format, a nonce, the encrypted parts and a tag.
    public let sealed: [UInt8]
    /// Identifies the last change of this name in the storage: in a ledger, the hash of its entry in the audit trail. The storage
    /// finds it when it reads the key, and does not store it in the row of the key. Empty if the storage knows of no change.
    public let origin: [UInt8]

    /// Reads a key from its stored fields.
    public init(
        name: String, purpose: KeyPurpose, scope: String?, algorithm: String, times: Times, masterKeyID: [UInt8],
        sealed: [UInt8], origin: [UInt8] = []
    ) {
        (self.name, self.purpose, self.scope, self.algorithm) = (name, purpose, scope, algorithm)
        (self.times, self.masterKeyID, self.sealed, self.origin) = (times, masterKeyID, sealed, origin)
    }

    /// The same key with another origin.
    package func with(origin: [UInt8]) -> SealedKey {
        SealedKey(
            name: name, purpose: purpose, scope: scope, algorithm: algorithm, times: times, masterKeyID: masterKeyID,
            sealed: sealed, origin: origin)
    }

    /// When the key may be used.
    package var window: KeyWindow {
        KeyWindow(
            notBefore: times.notBefore.map(Date.init(microseconds:)),
            notAfter: times.notAfter.map(Date.init(microseconds:)))
    }

    /// When the key is retired; nil for never.
    package var retiredAt: Date? { times.retiredAt.map(Date.init(microseconds:)) }

    /// When the key was added.
    package var addedAt: Date { Date(microseconds: times.addedAt) }

    /// The key's state at a time.
    package func state(at time: Date) -> KeyState { window.state(at: time, retiredAt: retiredAt) }

    /// The names and values of the fields in lists of keys. None is secret.
    package func texts(at now: Date) -> [(name: String, text: String)] {
        let all: [(name: String, text: String?)] = [
            ("name", name), ("use", purpose.name), ("for", scope), ("algorithm", algorithm),
            ("notBefore", window.notBefore.map(RFC3339.format)), ("notAfter", window.notAfter.map(RFC3339.format)),
            ("retiredAt", retiredAt.map(RFC3339.format)), ("state", state(at: now).name),
            ("addedAt", RFC3339.format(addedAt)),
        ]
        return all.compactMap { field in field.text.map { (field.name, $0) } }
    }
}

extension SealedKey {
    /// The format of sealed parts. Keys in another format are refused.
    private static let form: UInt8 = 1
    /// The length of format, nonce and tag.
    private static let overhead = 1 + AESGCM.nonceLength + AESGCM.tagLength

    /// Encrypts the parts of a key whose other fields are known, with a new nonce of 96 random bits: even after four billion
    /// encryptions with one master key, a repetition is unlikely (NIST SP 800-38D section 8.3).
    ///
    /// - Parameter origin: identifies the change that stores the key.
    init(
        _ fields: SealedKey, parts: [String: SecretBytes], origin: [UInt8], under masterKey: MasterKey
    ) throws(DecodeError) {
        let open = SealedKey(
            name: fields.name, purpose: fields.purpose, scope: fields.scope, algorithm: fields.algorithm,
            times: fields.times, masterKeyID: masterKey.identifier, sealed: [], origin: origin)
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<AESGCM.nonceLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let (ciphertext, tag) = try AESGCM.seal(
            SealedParts.encode(parts), key: masterKey.secret, nonce: nonce, additionalData: open.additionalData[...])
        self.init(
            name: open.name, purpose: open.purpose, scope: open.scope, algorithm: open.algorithm, times: open.times,
            masterKeyID: open.masterKeyID, sealed: [Self.form] + nonce + ciphertext + tag, origin: origin)
    }

    /// The parts of the key.
    ///
    /// - Throws: ``KeyStoreOutage``: ``OutageCode/wrongMasterKey``, or ``OutageCode/corrupt`` if any field was changed
    ///   after sealing, or if the key is not that of the last change of its name.
    func opened(under masterKey: MasterKey, location: String) throws(KeyStoreOutage) -> [String: SecretBytes] {
        guard let parts = parts(under: try require(masterKey, location: location)) else {
            throw KeyStoreOutage(
                .corrupt,
                "the key \(name.excerpt) of \(location) was damaged or changed after it was sealed, or is an earlier state of it "
                    + "or a key of another ledger that was written here; restore the ledger, or remove the key with "
                    + "`assay keys remove` and add it again")
        }
        return parts
    }

    /// The key sealed again under the master key, with a time of retirement or the one that it has.
    ///
    /// - Parameter origin: the origin of the change that stores the returned key.
    func resealed(
        retiredAt time: Date? = nil, under masterKey: MasterKey, location: String, origin: (SealedKey) -> [UInt8]
    ) throws(KeyStoreOutage) -> SealedKey {
        let parts = try opened(under: masterKey, location: location)
        let times = Times(
            notBefore: times.notBefore, notAfter: times.notAfter, retiredAt: time?.microseconds ?? times.retiredAt,
            addedAt: times.addedAt)
        let fields = SealedKey(
            name: name, purpose: purpose, scope: scope, algorithm: algorithm, times: times, masterKeyID: masterKeyID,
            sealed: [])
        do {
            return try SealedKey(fields, parts: parts, origin: origin(fields), under: masterKey)
        } catch {
            throw KeyStoreOutage(.corrupt, "the key \(name.excerpt) of \(location) is too large to be sealed")
        }
    }

    /// The master key, or one beside it, that has sealed the key. Throws if none has.
    @discardableResult
    func require(_ masterKey: MasterKey, location: String) throws(KeyStoreOutage) -> MasterKey {
        if let sealing = masterKey.with(identifier: masterKeyID) { return sealing }
        throw KeyStoreOutage(
            .wrongMasterKey, "the key \(name.excerpt) of \(location) is sealed under another master key; give that one")
    }

    private func parts(under masterKey: MasterKey) -> [String: SecretBytes]? {
        guard sealed.count >= Self.overhead, sealed.first == Self.form else { return nil }
        let nonce = Array(sealed[1..<1 + AESGCM.nonceLength])
        let ciphertext = Array(sealed[(1 + AESGCM.nonceLength)...].dropLast(AESGCM.tagLength))
        let plaintext = AESGCM.openSecret(
            ciphertext, tag: Array(sealed.suffix(AESGCM.tagLength)), key: masterKey.secret, nonce: nonce,
            additionalData: additionalData[...])
        return plaintext.flatMap(SealedParts.decode)
    }

    /// All fields except the sealed parts, and the origin. Different keys always give different bytes.
    private var additionalData: [UInt8] {
        var fields = SealedFields()
        fields.add("assay key store: sealed key")
        fields.add([Self.form])
        fields.add(masterKeyID)
        fields.add(name)
        fields.add(purpose.name)
        fields.add(optional: scope)
        fields.add(algorithm)
        for time in [times.notBefore, times.notAfter, times.retiredAt, times.addedAt] { fields.add(time) }
        fields.add(origin)
        return fields.bytes
    }

    /// The problem with the fields of a stored key; nil for none. Needs no master key, and does not test whether the
    /// key opens.
    package var problem: String? {
        let key = "the sealed key \(name.excerpt)"
        if KeyName.objection(to: name) != nil { return "\(key) has a name that no key has" }
        if window.isEmpty { return "\(key) has a window that ends before it begins" }
        if masterKeyID.count != MasterKey.identifierLength || sealed.count < Self.overhead {
            return "\(key) is too short or too long"
        }
        return sealed.first == Self.form ? nil : "\(key) is sealed in a form that is not known"
    }
}

/// Concatenated fields. Different sequences of fields always give different bytes.
private struct SealedFields {
    private(set) var bytes: [UInt8] = []

    /// Adds a field after its length.
    mutating func add(_ field: [UInt8]) {
        append(UInt64(field.count))
        bytes += field
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    /// Adds an optional field. Missing and empty differ.
    mutating func add(optional text: String?) {
        bytes.append(text == nil ? 0 : 1)
        if let text { add(text) }
    }

    /// Adds an optional number.
    mutating func add(_ number: Int64?) {
        bytes.append(number == nil ? 0 : 1)
        if let number { append(UInt64(bitPattern: number)) }
    }

    private mutating func append(_ number: UInt64) {
        bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}
