public import AssayPrimitives
public import FoundationEssentials
import Synchronization

extension SealedKeyStore {
    /// Seals a key and stores it. It is durable when this function returns.
    ///
    /// - Parameters:
    ///   - name: a name that is new in the store, of 1 to 255 bytes without invisible characters.
    ///   - purpose: the use of the key. The store must have a type for it.
    ///   - parts: the parts of the key by name, each with the contents of its file or variable.
    ///   - scope: the package name or the policy's app that the key is for; nil if any app may name it in the policy.
    ///   - window: when it may be used.
    ///   - operatorName: the operator who adds it, for the audit trail of a ledger; nil if unknown.
    ///   - now: the time of the addition.
    /// - Returns: the fields of the key, without its sealed bytes.
    /// - Throws: ``KeyStoreRefusal`` when there cannot be such a key, and an outage when it cannot be stored, including
    ///   ``OutageCode/wrongMasterKey`` when another master key has sealed keys of the store.
    @discardableResult
    public func add(
        _ name: String, for purpose: KeyPurpose, parts: [String: SecretBytes], scope: String? = nil,
        window: KeyWindow = .always, by operatorName: String? = nil, at now: Date
    ) async throws(KeyStoreFailure) -> SealedKey {
        if let objection = KeyName.objection(to: name) { throw .refusal(.invalidName(objection)) }
        if let objection = scope.flatMap({ KeyName.objection(to: $0) }) { throw .refusal(.invalidScope(objection)) }
        guard !window.isEmpty else { throw .refusal(.emptyWindow) }
        guard let type = materials.first(where: { $0.purpose == purpose }) else {
            throw .refusal(.unknownPurpose(purpose, known: materials.map { $0.purpose }))
        }
        let algorithm: String
        do { algorithm = try type.reading(parts).summary } catch { throw .refusal(.invalidKey(error)) }
        let times = SealedKey.Times(
            notBefore: window.notBefore?.microseconds, notAfter: window.notAfter?.microseconds, retiredAt: nil,
            addedAt: now.microseconds)
        let fields = SealedKey(
            name: name, purpose: purpose, scope: scope, algorithm: algorithm, times: times,
            masterKeyID: masterKey.identifier, sealed: [])
        let (masterKey, location) = (masterKey, storage.keyLocation)
        let loan = PartsLoan(parts)
        defer { loan.end() }
        try await change(by: operatorName, at: now) { (keys, origin) throws(KeyStoreFailure) in
            do throws(KeyStoreOutage) {
                for other in keys { try other.require(masterKey, location: location) }
            } catch {
                throw .outage(error)
            }
            guard !keys.contains(where: { $0.name.isByteEqual(to: name) }) else { throw .refusal(.nameTaken(name)) }
            guard let parts = loan.parts else {
                throw .outage(KeyStoreOutage(.unreachable, "\(location) decided after the addition of a key had ended"))
            }
            do throws(DecodeError) {
                return .insert(
                    try SealedKey(fields, parts: parts, origin: origin(.insert(fields)), under: masterKey))
            } catch {
                throw .refusal(.invalidKey(KeyError("too-large", part: "", error.message)))
            }
        }
        return fields
    }

    /// The names of the other keys of a purpose that have the same secrets as a key, and are not retired: retiring the key does not end
    /// the use of its secrets.
    ///
    /// - Parameter name: the name of the key, which is left out.
    package func names(
        withSecretsOf parts: [String: SecretBytes], for purpose: KeyPurpose, besides name: String, at now: Date
    ) async throws(KeyStoreOutage) -> [String] {
        guard let type = materials.first(where: { $0.purpose == purpose }) else { return [] }
        let secrets = type.parts.filter { $0.content == .secret }.map(\.name)
        // A line end at the end of a file is no part of a secret.
        func text(_ part: SecretBytes?) -> SecretBytes? {
            part.map { part in
                part.withUnsafeBytes { bytes in
                    let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
                    return SecretBytes(bytes[..<(end.map { $0 + 1 } ?? 0)])
                }
            }
        }
        var names: [String] = []
        for key in try await storage.sealedKeys() where key.purpose == purpose && !key.name.isByteEqual(to: name) {
            if case .retired = key.state(at: now) { continue }
            let other = try key.opened(under: masterKey, location: storage.keyLocation)
            let isSame = secrets.allSatisfy { part in
                switch (text(parts[part]), text(other[part])) {
                case (nil, nil): true
                case (let own?, let found?):
                    own.withUnsafeBytes { own in found.withUnsafeBytes { ConstantTime.equals(Array(own), Array($0)) } }
                default: false
                }
            }
            if isSame, secrets.contains(where: { parts[$0] != nil }) { names.append(key.name) }
        }
        return names
    }

    /// Retires a key: from `time` on it is not used. The store keeps it, for messages in verdicts.
    ///
    /// A retirement can be moved to an earlier time, never to a later one.
    ///
    /// - Parameters:
    ///   - name: the name of the key.
    ///   - time: the time of retirement.
    ///   - operatorName: the operator who retires it, for the audit trail of a ledger; nil if unknown.
    ///   - now: the time of the change.
    /// - Throws: ``KeyStoreRefusal`` when there is no such key, or when it is already retired at this time or before.
    public func retire(
        _ name: String, at time: Date, by operatorName: String? = nil, now: Date
    ) async throws(KeyStoreFailure) {
        let (masterKey, location) = (masterKey, storage.keyLocation)
        try await change(by: operatorName, at: now) { (keys, origin) throws(KeyStoreFailure) in
            guard let key = keys.first(where: { $0.name.isByteEqual(to: name) }) else {
                throw .refusal(.unknownName(name))
            }
            if let retiredAt = key.times.retiredAt, retiredAt <= time.microseconds {
                throw .refusal(.alreadyRetired(name, at: Date(microseconds: retiredAt)))
            }
            do throws(KeyStoreOutage) {
                return .replace(
                    try key.resealed(retiredAt: time, under: masterKey, location: location) { origin(.replace($0)) })
            } catch {
                throw .outage(error)
            }
        }
    }

    /// Seals again, under the first of the store's master keys, all keys that another one has sealed: each in a change of its own, so
    /// that a call after an error goes on. Afterwards the others are no longer needed for keys.
    ///
    /// Processes that have the store open need both master keys meanwhile.
    ///
    /// - Parameters:
    ///   - operatorName: the operator who changes the master key, for the audit trail of a ledger; nil if unknown.
    ///   - now: the time of the changes.
    /// - Returns: the names of these keys.
    /// - Throws: ``OutageCode/wrongMasterKey`` when a key is sealed under none of the master keys, before anything is changed.
    @discardableResult
    public func reseal(by operatorName: String? = nil, at now: Date) async throws(KeyStoreFailure) -> [String] {
        let (masterKey, location) = (masterKey, storage.keyLocation)
        let former: [SealedKey]
        do throws(KeyStoreOutage) {
            let keys = try await storage.sealedKeys()
            for key in keys { _ = try key.opened(under: masterKey, location: location) }
            former = keys.filter { $0.masterKeyID != masterKey.identifier }
        } catch {
            throw .outage(error)
        }
        var names: [String] = []
        for name in former.map(\.name) {
            do throws(KeyStoreFailure) {
                try await change(by: operatorName, at: now) { (keys, origin) throws(KeyStoreFailure) in
                    guard let key = keys.first(where: { $0.name.isByteEqual(to: name) }) else {
                        throw .refusal(.unknownName(name))
                    }
                    do throws(KeyStoreOutage) {
                        return .reseal(try key.resealed(under: masterKey, location: location) { origin(.reseal($0)) })
                    } catch {
                        throw .outage(error)
                    }
                }
                names.append(name)
            } catch .refusal(.unknownName) {
                // It was removed meanwhile.
                continue
            }
        }
        return names
    }

    /// Removes a key. Evidence that needs it cannot be verified any more.
    ///
    /// A file may keep the sealed bytes in free pages until it reuses them.
    /// - Throws: ``KeyStoreRefusal`` when there is no such key.
    public func remove(_ name: String, by operatorName: String? = nil, at now: Date) async throws(KeyStoreFailure) {
        // Also after an error: the storage may have applied the change.
        defer { invalidate() }
        try await storage.removeSealedKey(name, by: operatorName, at: now)
    }

    private func change(
        by operatorName: String?, at now: Date,
        _ decide: @escaping SealedKeyDecision
    ) async throws(KeyStoreFailure) {
        // Also after an error: the storage may have applied the change.
        defer { invalidate() }
        try await storage.changeSealedKeys(by: operatorName, at: now, decide)
    }
}

/// The parts of a key for a decision that a thread of the storage may hold for longer than the change takes.
private final class PartsLoan: Sendable {
    private let lent: Mutex<[String: SecretBytes]?>

    init(_ parts: [String: SecretBytes]) { lent = Mutex(parts) }

    /// The parts; nil after the end.
    var parts: [String: SecretBytes]? { lent.withLock { $0 } }

    /// Releases the parts.
    func end() { lent.withLock { $0 = nil } }
}
