public import AssayCore
public import FoundationEssentials

/// Where a ``SealedKeyStore`` keeps its keys: a table in a file or a database.
///
/// The storage never sees a secret and decides nothing. Contract, tested by `KeyStoreContract` in `AssayTesting`:
/// - All fields of a key are kept as they are, byte for byte. Names that differ in a byte are different keys.
/// - A change is durable when ``changeSealedKeys(by:at:_:)`` returns. Changes of all processes happen one after the other.
/// - A storage that cannot be read or written throws ``KeyStoreOutage``. It never returns fewer keys.
public protocol SealedKeyStorage: Sendable {
    /// The place of the keys for messages, such as the path of a file.
    var keyLocation: String { get }

    /// All keys, from one consistent snapshot, in the order of the UTF-8 bytes of their names.
    func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey]

    /// Makes one change in one transaction: reads all keys, passes them to `decide`, and applies what it returns. No other
    /// change happens between the two.
    ///
    /// - Parameters:
    ///   - operatorName: who makes the change; nil if that is not known. A ledger notes it in its audit trail.
    ///   - now: the time of the change.
    ///   - decide: returns the change, or throws. Then nothing is changed, and its error is thrown.
    func changeSealedKeys(
        by operatorName: String?, at now: Date,
        _ decide: @escaping @Sendable ([SealedKey]) throws(KeyStoreFailure) -> SealedKeyChange
    ) async throws(KeyStoreFailure)
}

/// A change of the keys of a ``SealedKeyStorage``.
public enum SealedKeyChange: Sendable {
    /// Inserts a key. There is none of its name.
    case insert(SealedKey)
    /// Replaces the key of the same name. There is one.
    case replace(SealedKey)
    /// Removes the key of a name. There is one.
    case remove(name: String)
}

extension SealedKeyStorage {
    /// Removes a key. It takes no master key. A ``SealedKeyStore`` on this storage sees the change within a second.
    ///
    /// Evidence under the key will not be opened again. A file may keep the sealed bytes in free pages until it reuses them.
    /// - Throws: ``KeyStoreRefusal/unknownName(_:)`` if there is no such key.
    public func removeSealedKey(
        _ name: String, by operatorName: String? = nil, at now: Date
    ) async throws(KeyStoreFailure) {
        try await changeSealedKeys(by: operatorName, at: now) { (keys) throws(KeyStoreFailure) in
            guard keys.contains(where: { $0.name.isByteEqual(to: name) }) else { throw .refusal(.unknownName(name)) }
            return .remove(name: name)
        }
    }
}
