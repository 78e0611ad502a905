public import FoundationEssentials

/// Small documents that all processes of one ledger share, each under a name: a status list, a sketch of distinct
/// devices.
///
/// A document changes by compare-and-swap: read it, compute the new bytes, store them with the revision that was read.
/// Repeat if another process was faster. The audit trail does not contain documents. A process that reads a document
/// trusts every process that may write to the ledger, as it does for keys and counters.
public protocol LedgerDocuments: Sendable {
    /// The document with a name; nil if there is none.
    func document(named name: String) async throws(LedgerOutage) -> LedgerDocument?

    /// Stores a document if the stored revision is the expected one. It is durable when the function returns.
    ///
    /// - Parameters:
    ///   - bytes: at most ``LedgerDocument/maximumSize``.
    ///   - name: a name that ``LedgerRules/requireStorable(_:named:)`` accepts. The ledger compares names byte by byte.
    ///   - revision: the revision to replace; 0 if there must be no document yet.
    /// - Returns: false if the stored revision is another one; nothing has changed then.
    /// - Throws: ``LedgerOutage``; also for bytes or a name that no ledger stores. If the answer was lost, the ledger
    ///   may have stored the document: read it again.
    func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool
}

/// Bytes that a ledger keeps under a name.
public struct LedgerDocument: Sendable, Equatable {
    /// The maximum size of a document: 16 MiB.
    public static let maximumSize = 16 * 1024 * 1024

    /// The bytes, as they were stored.
    public let bytes: [UInt8]
    /// 1 for the first bytes under a name; each replacement adds one.
    public let revision: Int64
    /// When these bytes were stored, to the microsecond.
    public let storedAt: Date

    /// Describes a document.
    public init(bytes: [UInt8], revision: Int64, storedAt: Date) {
        (self.bytes, self.revision, self.storedAt) = (bytes, revision, storedAt)
    }
}
