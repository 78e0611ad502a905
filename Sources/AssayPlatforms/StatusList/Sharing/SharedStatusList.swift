import AndroidKey
import AssayCore
import FoundationEssentials

/// The status list in the ledger, shared by the servers of the ledger that ask the same URL for it: what one is told to trust decides
/// for no other. Two documents: the list, and an index with its digest and times, which alone changes when the list is confirmed. Where
/// the digests differ, between the two writes of another server, nothing is read.
struct SharedStatusList: Sendable {
    /// The name of the document with the list.
    let listName: String
    /// The name of the document with its digest and times.
    let indexName: String
    private let documents: any LedgerDocuments
    private let origin: String
    private let time: ClientTime

    init(documents: any LedgerDocuments, origin: ServerURL, time: ClientTime) {
        self.documents = documents
        self.origin = origin.text
        self.time = time
        listName = Self.listName(of: origin)
        indexName = listName + ".index"
    }

    /// The name of the document with the list of a URL.
    static func listName(of origin: ServerURL) -> String {
        "android-key.status-list." + Array(Digest.sha256(Array(origin.text.utf8)).prefix(8)).hexadecimal
    }

    /// The list of the ledger; nil if there is none, if it is damaged, or if the ledger cannot be reached: a list from the server
    /// serves as well.
    /// - Parameter held: the list that this process has, whose bytes need not be read again.
    func read(besides held: HeldStatusList?) async -> HeldStatusList? {
        guard let document = try? await documents.document(named: indexName),
            let index = SharedStatusListIndex(document.bytes), index.origin.isByteEqual(to: origin)
        else { return nil }
        // The time of the document bounds the time in it.
        let checkedAt = min(index.checkedAt, document.storedAt)
        if let held, held.list.digest == index.digest { return index.held(held.list, checkedAt, time) }
        guard let bytes = (try? await documents.document(named: listName))?.bytes,
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
            let index = try await documents.document(named: indexName)
            let stored = index.flatMap { SharedStatusListIndex($0.bytes) }
            if let stored, stored.origin.isByteEqual(to: origin), stored.checkedAt > held.checkedAt { return }
            if stored?.digest != held.list.digest {
                let list = try await documents.document(named: listName)
                guard
                    try await documents.store(
                        held.list.json, named: listName, replacing: list?.revision ?? 0, at: time.now())
                else { return }
            }
            _ = try await documents.store(
                SharedStatusListIndex(held, origin: origin).bytes, named: indexName, replacing: index?.revision ?? 0,
                at: time.now())
        } catch {
            return
        }
    }
}

/// The index: origin, digest, times and validators of the list, as JSON.
private struct SharedStatusListIndex {
    let origin: String
    let digest: [UInt8]
    let checkedAt: Date
    let lifetime: Double
    let entityTag: String?
    let lastModified: String?

    init(_ held: HeldStatusList, origin: String) {
        self.origin = origin
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
            let origin = text("origin", object),
            let digest = text("digest", object).flatMap({ try? Base64.decode($0, .standard) }), digest.count == 32,
            let checkedAt = text("checkedAt", object).flatMap(RFC3339.parse),
            case .number(let digits)? = object["lifetime"]?.content, let lifetime = Double(digits),
            (0...1e9).contains(lifetime)
        else { return nil }
        (self.origin, self.digest, self.checkedAt, self.lifetime) = (origin, digest, checkedAt, lifetime)
        entityTag = text("entityTag", object)
        lastModified = text("lastModified", object)
    }

    var bytes: [UInt8] {
        var members: [(String, RecordValue.Content)] = [
            ("origin", .text(origin)), ("digest", .text(Base64.encode(digest, .standard))),
            ("checkedAt", .text(RFC3339.format(checkedAt))),
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
