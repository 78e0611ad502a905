import AssayCore
import Foundation
import Synchronization

/// Documents in memory, as a ledger keeps them, with a switch for its outage.
final class SharedDocuments: LedgerDocuments {
    private let documents = Mutex<[String: LedgerDocument]>([:])
    private let isDown = Mutex(false)

    func setDown(_ value: Bool) { isDown.withLock { $0 = value } }

    func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        try requireUp()
        return documents.withLock { $0[name] }
    }

    func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try requireUp()
        return documents.withLock { documents in
            guard documents[name]?.revision ?? 0 == revision else { return false }
            documents[name] = LedgerDocument(bytes: bytes, revision: revision + 1, storedAt: now)
            return true
        }
    }

    /// The names of all documents.
    var names: [String] { documents.withLock { $0.keys.sorted() } }

    /// Stores a document under another name.
    func copy(_ name: String, to other: String) {
        documents.withLock { $0[other] = $0[name] }
    }

    /// Removes all documents.
    func forget() { documents.withLock { $0 = [:] } }

    /// Changes the bytes of a document, as damage would.
    func damage(_ name: String, _ change: (inout [UInt8]) -> Void) {
        documents.withLock { documents in
            guard let document = documents[name] else { return }
            var bytes = document.bytes
            change(&bytes)
            documents[name] = LedgerDocument(
                bytes: bytes, revision: document.revision, storedAt: document.storedAt)
        }
    }

    private func requireUp() throws(LedgerOutage) {
        if isDown.withLock({ $0 }) { throw LedgerOutage(.unreachable, "the test says so") }
    }
}
