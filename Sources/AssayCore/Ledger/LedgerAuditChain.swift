import AssayPrimitives

/// Follows an audit trail from its first entry, and reports changed entries.
package struct LedgerAuditChain {
    /// The number of followed entries.
    package private(set) var count = 0
    /// The hash of the last entry.
    package private(set) var hash = LedgerAuditEntry.noHash

    package init() {}

    /// Takes the next entry. Returns the problem with it, as a sentence; nil if it continues the trail.
    package mutating func problem(with entry: LedgerAuditEntry) -> String? {
        defer { (count, hash) = (entry.number, entry.hash) }
        guard entry.number == count + 1 else {
            return "entry \(entry.number) of the audit trail follows entry \(count): entries are missing"
        }
        guard entry.previousHash == hash else {
            return "entry \(entry.number) of the audit trail does not continue entry \(count): one of them was replaced"
        }
        guard Digest.sha256(Array(entry.text.utf8)) == entry.hash else {
            return "entry \(entry.number) of the audit trail was changed: its hash is that of another text"
        }
        return nil
    }
}

extension LedgerAuditEntry {
    /// The next entry of a trail.
    ///
    /// - Parameters:
    ///   - number: the number of the last entry; 0 for none.
    ///   - hash: its hash; ``noHash`` for none.
    package init(appending change: LedgerChange, to number: Int, _ hash: [UInt8]) {
        let open = LedgerAuditEntry(number: number + 1, change: change, previousHash: hash, hash: [])
        self.init(
            number: open.number, change: change, previousHash: hash, hash: Digest.sha256(Array(open.text.utf8)))
    }
}
