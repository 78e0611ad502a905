package import AssayCore
import AssayPrimitives
import FoundationEssentials

/// The number of records in each section of a ledger, and a digest of them that does not depend on their order.
package struct LedgerInventory: Sendable, Equatable {
    /// For each section, the number of records and the exclusive-or of their fingerprints. Rows are distinct: no two
    /// cancel each other out.
    package private(set) var sections: [String: Section] = [:]

    /// The records of one section.
    package struct Section: Sendable, Equatable {
        /// The number of records.
        package var count = 0
        /// The exclusive-or of their fingerprints.
        package var digest = [UInt8](repeating: 0, count: 32)
    }

    package init() {}

    /// Counts a record.
    package mutating func add(_ record: LedgerRecord) {
        var section = sections[record.section] ?? Section()
        section.count += 1
        for (index, byte) in record.fingerprint.enumerated() { section.digest[index] ^= byte }
        sections[record.section] = section
    }

    /// The number of all records.
    package var count: Int { sections.values.reduce(0) { $0 + $1.count } }

    /// The differences between two ledgers, as a sentence; nil if there are none.
    package func difference(from other: LedgerInventory) -> String? {
        for name in Set(sections.keys).union(other.sections.keys).sorted() {
            let (own, others) = (sections[name] ?? Section(), other.sections[name] ?? Section())
            if own.count != others.count { return "\(own.count) and \(others.count) \(name)" }
            if own.digest != others.digest { return "\(own.count) \(name), and not the same ones" }
        }
        return nil
    }
}

extension LedgerRecord {
    /// SHA-256 over all fields. Different records always give different input bytes.
    fileprivate var fingerprint: [UInt8] {
        var fields = FingerprintFields()
        fields.add(section)
        switch self {
        case .challenge(let challenge, let consumedAt):
            fields.add(challenge.value)
            fields.add(challenge.app)
            fields.add(challenge.purpose.name)
            for time in [challenge.issuedAt, challenge.expiresAt, consumedAt] { fields.add(time) }
        case .key(let key):
            fields.add(key.identifier.engine)
            for bytes in [key.identifier.value, key.publicKey, key.counters.skipped] { fields.add(bytes) }
            for text in [key.app, key.account] { fields.add(text) }
            fields.add(Int64(key.counter))
            for time in [key.enrolledAt, key.retiredAt] { fields.add(time) }
            for (name, value) in key.properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                fields.add(name)
                fields.add(value)
            }
        case .digest(let use):
            fields.add(use.digest)
            for text in [use.app, use.kind.name] { fields.add(text) }
            for time in [use.madeAt, use.usedAt, use.until] { fields.add(time) }
        case .forgotten(let app, let kind, let madeAt):
            for text in [app, kind] { fields.add(text) }
            fields.add(madeAt)
        case .standing(let standing):
            let checks = standing.allowance?.checks.map(\.name).joined(separator: " ")
            for text in [
                standing.subject.kind.rawValue, standing.subject.name, standing.reason, checks, standing.setBy,
            ] {
                fields.add(text)
            }
            for time in [standing.since, standing.until] { fields.add(time) }
        case .operator(let stored, let tokenHash):
            fields.add(tokenHash)
            for text in [stored.name, stored.role.rawValue, stored.addedBy, stored.revokedBy] { fields.add(text) }
            for time in [stored.addedAt, stored.until, stored.revokedAt] { fields.add(time) }
        case .sealedKey(let key):
            for text in [key.name, key.purpose.name, key.scope, key.algorithm] { fields.add(text) }
            for time in [key.times.notBefore, key.times.notAfter, key.times.retiredAt, key.times.addedAt] {
                fields.add(time)
            }
            for bytes in [key.masterKeyID, key.sealed] { fields.add(bytes) }
        case .document(let document, let name):
            fields.add(name)
            fields.add(document.bytes)
            fields.add(document.revision)
            fields.add(document.storedAt)
        case .task(let task):
            for text in [task.queue, task.holder] { fields.add(text) }
            for bytes in [task.key, task.bytes] { fields.add(bytes) }
            fields.add(task.dueAt)
            fields.add(task.revision)
        case .audit(let entry):
            // The hash covers the text.
            fields.add(entry.text)
            for bytes in [entry.previousHash, entry.hash] { fields.add(bytes) }
        }
        return Digest.sha256(fields.bytes)
    }

    /// SHA-256 over what a ledger keeps of this record as long as it lives; nil for a record that is changed, removed or purged.
    var lastingFingerprint: [UInt8]? {
        var fields = FingerprintFields()
        fields.add(section)
        switch self {
        case .key(let key):
            fields.add(key.identifier.engine)
            for bytes in [key.identifier.value, key.publicKey] { fields.add(bytes) }
            fields.add(key.app)
        case .operator(let stored, let tokenHash):
            fields.add(tokenHash)
            fields.add(stored.name)
            fields.add(stored.addedAt)
        case .audit(let entry): fields.add(entry.hash)
        case .challenge, .digest, .forgotten, .standing, .sealedKey, .document, .task: return nil
        }
        return Digest.sha256(fields.bytes)
    }
}

/// Fields, each after its length; a missing field differs from an empty one.
private struct FingerprintFields {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ field: [UInt8]?) {
        guard let field else { return append(.max) }
        append(UInt64(field.count))
        bytes += field
    }

    mutating func add(_ text: String?) { add(text.map { Array($0.utf8) }) }

    mutating func add(_ time: Date?) { add(time?.microseconds) }

    mutating func add(_ number: Int64?) {
        bytes.append(number == nil ? 0 : 1)
        if let number { append(UInt64(bitPattern: number)) }
    }

    private mutating func append(_ number: UInt64) {
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}
