import AssayCore
import AssayPrimitives

/// The primary key of a row whose name may have any length: the name itself up to 64 bytes, else 33 of its bytes and its
/// SHA-256. A B-tree entry ends at 2,704 bytes. Both forms differ in length, so that no two names share a key.
struct RowKey: Hashable, Sendable {
    private static let limit = 64
    /// The key.
    let bytes: [UInt8]
    /// The name, if it is longer than the key.
    let whole: [UInt8]?

    /// The key of a name.
    init(_ name: [UInt8]) {
        guard name.count > Self.limit else {
            (bytes, whole) = (name, nil)
            return
        }
        (bytes, whole) = (Array(name.prefix(33)) + Digest.sha256(name), name)
    }

    /// A key as it is stored, to find a row with.
    init(key: [UInt8]) { (bytes, whole) = (key, nil) }

    /// The key of an enrolled key: its engine and its identifier.
    init(_ identifier: KeyIdentifier) { self.init(Self.joined(identifier.engine.utf8, identifier.value)) }

    /// The key of a subject.
    init(_ subject: LedgerSubject) { self.init(Self.joined(subject.kind.rawValue.utf8, subject.name.utf8)) }

    /// The key of the subject under which a key is blocked. Not by ``KeyIdentifier/subject``, whose base64 is Foundation's and
    /// takes as long as the rest.
    init(blockOn key: KeyIdentifier) {
        self.init(Self.joined(LedgerSubject.Kind.key.rawValue.utf8, Base64.encode(key.value, .standard).utf8))
    }

    /// The key of a task: its queue and its key.
    init(task key: [UInt8], in queue: String) { self.init(Self.joined(Array(queue.utf8), key)) }

    static func == (left: RowKey, right: RowKey) -> Bool { left.bytes == right.bytes }

    func hash(into hasher: inout Hasher) { unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }

    /// Length-prefixed concatenation: 1 byte below 255, else 0xFF and 8 bytes.
    private static func joined(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) -> [UInt8] {
        let (count, others) = (first.count, second.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity((count < 255 ? 1 : 9) + count + others)
        if count < 255 {
            bytes.append(UInt8(count))
        } else {
            bytes.append(255)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(count) >> (56 - 8 * UInt64($0))) }
        }
        bytes += first
        bytes += second
        return bytes
    }

    /// The two names that ``joined(_:_:)`` has put together; nil for bytes that no ledger writes.
    static func parts(_ name: [UInt8]) -> (first: [UInt8], second: [UInt8])? {
        guard let short = name.first else { return nil }
        var (length, start) = (Int(short), 1)
        if short == 255 {
            guard name.count >= 9 else { return nil }
            let long = name[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let exact = Int(exactly: long) else { return nil }
            (length, start) = (exact, 9)
        }
        guard length <= name.count - start else { return nil }
        return (Array(name[start..<start + length]), Array(name[(start + length)...]))
    }
}
