public import AssayCore
public import FoundationEssentials

extension SealedKeyStore {
    /// Seals a key and stores it. It is durable when this returns.
    ///
    /// - Parameters:
    ///   - name: a name that the store does not have; see ``KeyName``.
    ///   - purpose: what it is for, one of those whose types the store was given.
    ///   - parts: what it consists of, each as its file or variable holds it.
    ///   - scope: the package name or the policy's app that it is for, and nil for every app whose policy names it.
    ///   - window: when it may be used.
    ///   - now: the time at which it is added.
    /// - Throws: ``KeyStoreRefusal`` when there cannot be such a key, and an outage when it cannot be stored: also under
    ///   ``KeyStoreOutage/Code/wrongMasterKey`` when the store has keys that are sealed under another one.
    @discardableResult
    public func add(
        _ name: String, for purpose: KeyPurpose, parts: [String: SecretBytes], scope: String? = nil,
        window: KeyWindow = .always, at now: Date
    ) async throws(KeyStoreFailure) -> SealedKeyEntry {
        let columns = try columns(name, for: purpose, parts: parts, scope: scope, window: window, at: now)
        let row: SealedKeyRow
        do {
            row = try SealedKeyRow(columns, parts: parts, under: masterKey)
        } catch {
            throw .refusal(.invalidKey(KeyError("too-large", part: "", error.message)))
        }
        let (masterKey, path) = (masterKey, ledger.path)
        try await change { (tables) throws in
            for other in try tables.sealedKeys() { try other.demand(masterKey, path: path) }
            guard try tables.insert(row) else { throw KeyStoreRefusal.nameTaken(name) }
        }
        return columns.entry
    }

    private func columns(
        _ name: String, for purpose: KeyPurpose, parts: [String: SecretBytes], scope: String?, window: KeyWindow,
        at now: Date
    ) throws(KeyStoreFailure) -> SealedKeyColumns {
        if let objection = KeyName.objection(to: name) { throw .refusal(.invalidName(objection)) }
        if let objection = scope.flatMap({ KeyName.objection(to: $0) }) { throw .refusal(.invalidScope(objection)) }
        guard !window.isEmpty else { throw .refusal(.emptyWindow) }
        guard let type = materials.first(where: { $0.purpose == purpose }) else {
            throw .refusal(.unknownPurpose(purpose, known: materials.map { $0.purpose }))
        }
        do {
            return SealedKeyColumns(
                name: name, purpose: purpose.name, scope: scope, algorithm: try type.reading(parts).summary,
                notBefore: window.notBefore?.stored, notAfter: window.notAfter?.stored, retiredAt: nil,
                addedAt: now.stored)
        } catch {
            throw .refusal(.invalidKey(error))
        }
    }

    /// Retires a key: from `time` on it is not used any more, and the store keeps it to say so.
    ///
    /// A retirement can be brought forward and never put off.
    /// - Throws: ``KeyStoreRefusal`` when there is no such key or it was to be retired no later already.
    @discardableResult
    public func retire(_ name: String, at time: Date) async throws(KeyStoreFailure) -> SealedKeyEntry {
        let (masterKey, path) = (masterKey, ledger.path)
        return try await change { (tables) throws in
            guard let row = try tables.sealedKey(name) else { throw KeyStoreRefusal.unknownName(name) }
            if let retiredAt = row.columns.retiredAt, retiredAt <= time.stored {
                throw KeyStoreRefusal.alreadyRetired(name, at: Date(stored: retiredAt))
            }
            let parts = try row.opened(under: masterKey, path: path)
            var columns = row.columns
            columns.retiredAt = time.stored
            try tables.retire(SealedKeyRow(columns, parts: parts, under: masterKey))
            return columns.entry
        }
    }

    /// Removes a key. Evidence under it will not be opened again.
    ///
    /// What was sealed may stay in free pages of the file until these are used again.
    /// - Throws: ``KeyStoreRefusal`` when there is no such key.
    public func remove(_ name: String) async throws(KeyStoreFailure) {
        try await change { (tables) throws in
            guard try tables.removeSealedKey(name) else { throw KeyStoreRefusal.unknownName(name) }
        }
    }

    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTables) throws -> Value
    ) async throws(KeyStoreFailure) -> Value {
        // Also when it fails: whether a write that was cut off is in the file is for the file to say.
        defer { forget() }
        return try await ledger.changeKeys(body)
    }
}
