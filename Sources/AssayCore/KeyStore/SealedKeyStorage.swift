public import FoundationEssentials

/// The place where a ``SealedKeyStore`` stores its keys: a table in a file or a database.
///
/// The storage never sees a secret and decides nothing. Contract, tested by `KeyStoreContract` in `AssayTesting`:
/// - It stores all fields of a key unchanged, byte for byte. Names that differ in a byte are different keys.
/// - A change is durable when ``changeSealedKeys(by:at:_:)`` returns. Changes of all processes are serialised.
/// - Each change has an origin that no other change has, in this storage or another one. A key is read with the origin of the last
///   change of its name, also if that removed it. The storage keeps origins apart from the keys: whoever writes back an earlier row
///   of a key does not write back its origin.
/// - A storage that cannot be read or written throws ``KeyStoreOutage``. It never returns fewer keys.
public protocol SealedKeyStorage: Sendable {
    /// The place of the keys for messages, such as the path of a file.
    var keyLocation: String { get }

    /// All keys, each with its ``SealedKey/origin``, from one consistent snapshot, in the order of the UTF-8 bytes of their names.
    func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey]

    /// Makes one change in one transaction: reads all keys, passes them to `decide`, and applies the returned change.
    /// No other change happens in between.
    ///
    /// - Parameters:
    ///   - operatorName: the operator who makes the change; nil if unknown. A ledger writes it to its audit trail.
    ///   - now: the time of the change.
    ///   - decide: returns the change, or throws. If it throws, nothing changes, and its error is thrown. It gets the keys, and a
    ///     function for the origin of the change that it is about to return, which does not depend on the sealed bytes.
    func changeSealedKeys(by operatorName: String?, at now: Date, _ decide: @escaping SealedKeyDecision)
        async throws(KeyStoreFailure)
}

/// Decides about a change of a ``SealedKeyStorage``, given all keys and a function for the origin of a change.
public typealias SealedKeyDecision =
    @Sendable (_ keys: [SealedKey], _ origin: (SealedKeyChange) -> [UInt8]) throws(KeyStoreFailure) -> SealedKeyChange

/// A change of the keys of a ``SealedKeyStorage``.
public enum SealedKeyChange: Sendable {
    /// Inserts a key. No key with its name exists.
    case insert(SealedKey)
    /// Replaces the existing key with the same name.
    case replace(SealedKey)
    /// Replaces the existing key with the same name by the same key, sealed under another master key.
    case reseal(SealedKey)
    /// Removes the existing key with a name.
    case remove(name: String)
}

extension SealedKeyStorage {
    /// Removes a key. Needs no master key. A ``SealedKeyStore`` on this storage sees the change within a second.
    ///
    /// Evidence that needs the key cannot be verified any more. A file may keep the sealed bytes in free pages until
    /// it reuses them.
    /// - Throws: ``KeyStoreRefusal/unknownName(_:)`` if there is no such key.
    public func removeSealedKey(
        _ name: String, by operatorName: String? = nil, at now: Date
    ) async throws(KeyStoreFailure) {
        try await changeSealedKeys(by: operatorName, at: now) { (keys, _) throws(KeyStoreFailure) in
            guard keys.contains(where: { $0.name.isByteEqual(to: name) }) else { throw .refusal(.unknownName(name)) }
            return .remove(name: name)
        }
    }
}
