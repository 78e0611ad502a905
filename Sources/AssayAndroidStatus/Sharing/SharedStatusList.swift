import AndroidKey
import AssayCore
import AssayHTTPClient
import AssayPrimitives
import FoundationEssentials

/// The status list in the ledger, which all servers of the ledger share.
///
/// Two documents: the list with what it retains, and an index with its digest and times. A list that was only confirmed changes the
/// index alone. A server that reads both between the two writes of another one finds digests that differ, and reads nothing.
struct SharedStatusList: Sendable {
    /// The name of the document with the list.
    static let listName = "android-key.status-list"
    /// The name of the document with its digest and times.
    static let indexName = "android-key.status-list.index"

    let documents: any LedgerDocuments
    let time: ClientTime

    /// The list of the ledger; nil if there is none, if it is damaged, or if the ledger cannot be reached: a list from the server
    /// serves as well.
    ///
    /// - Parameter held: the list that this process has, whose bytes need not be read again.
    func read(besides held: HeldStatusList?) async -> HeldStatusList? {
        guard let document = try? await documents.document(named: Self.indexName),
            let index = SharedStatusListIndex(document.bytes)
        else { return nil }
        // The time of the document bounds the time in it.
        let checkedAt = min(index.checkedAt, document.storedAt)
        if let held, held.list.digest == index.digest { return index.held(held.list, checkedAt, time) }
        guard let bytes = (try? await documents.document(named: Self.listName))?.bytes,
            let list = try? AttestationStatusList(
                json: bytes, fetchedAt: checkedAt, issuedAt: index.lastModified.flatMap(HTTPDate.parse)),
            list.digest == index.digest
        else { return nil }
        return index.held(list, checkedAt, time)
    }

    /// Stores a list for the other servers, unless one of them has stored a list meanwhile. Ledger outages are ignored
    /// here: other operations report them.
    func write(_ held: HeldStatusList) async {
        do throws(LedgerOutage) {
            let index = try await documents.document(named: Self.indexName)
            let stored = index.flatMap { SharedStatusListIndex($0.bytes) }
            if let stored, stored.checkedAt > held.checkedAt { return }
            if stored?.digest != held.list.digest {
                let list = try await documents.document(named: Self.listName)
                guard
                    try await documents.store(
                        held.list.json, named: Self.listName, replacing: list?.revision ?? 0, at: time.now())
                else { return }
            }
            _ = try await documents.store(
                SharedStatusListIndex(held).bytes, named: Self.indexName, replacing: index?.revision ?? 0,
                at: time.now())
        } catch {
            return
        }
    }
}

/// The index: digest, times and validators of the list, as JSON.
private struct SharedStatusListIndex {
    let digest: [UInt8]
    let checkedAt: Date
    let lifetime: Double
    let entityTag: String?
    let lastModified: String?

    init(_ held: HeldStatusList) {
        digest = held.list.digest
        (checkedAt, lifetime) = (held.checkedAt, held.lifetime)
        (entityTag, lastModified) = (held.entityTag, held.lastModified)
    }

    /// Reads a document; nil if it is damaged.
    init?(_ bytes: [UInt8]) {
        func text(_ name: String, _ object: RecordObject) -> String? {
            if case .text(let text)? = object[name]?.content { text } else { nil }
        }
        guard let object = try? JSONReader.readObject(bytes, limit: 4096),
            let digest = text("digest", object).flatMap({ try? Base64.decode($0, .standard) }), digest.count == 32,
            let checkedAt = text("checkedAt", object).flatMap(RFC3339.parse),
            case .number(let digits)? = object["lifetime"]?.content, let lifetime = Double(digits),
            (0...1e9).contains(lifetime)
        else { return nil }
        self.digest = digest
        self.checkedAt = checkedAt
        self.lifetime = lifetime
        entityTag = text("entityTag", object)
        lastModified = text("lastModified", object)
    }

    var bytes: [UInt8] {
        var members: [(String, RecordValue.Content)] = [
            ("digest", .text(Base64.encode(digest, .standard))), ("checkedAt", .text(RFC3339.format(checkedAt))),
            ("lifetime", .number(String(Int(lifetime)))),
        ]
        if let entityTag { members.append(("entityTag", .text(entityTag))) }
        if let lastModified { members.append(("lastModified", .text(lastModified))) }
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(members)), to: &bytes)
        return bytes
    }

    func held(_ list: AttestationStatusList, _ checkedAt: Date, _ time: ClientTime) -> HeldStatusList {
        HeldStatusList(
            list, checkedAt: checkedAt, lifetime: lifetime, entityTag: entityTag, lastModified: lastModified, time)
    }
}
