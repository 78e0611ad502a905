import AssayCore
import AssayPrimitives

/// Text that is compared, hashed and ordered by its bytes.
struct ByteText: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: ByteText, right: ByteText) -> Bool { left.text.isByteEqual(to: right.text) }

    static func < (left: ByteText, right: ByteText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
    }
}

/// What is counted by value, for at most so many values.
///
/// Of more values than that, those with the smallest digests are kept, and the rest is counted together: a choice that
/// depends on which values there are and not on the order in which they come, so that the tables of the parts of a corpus
/// merge to that of the whole. What is kept of a value is exact: once a value has been left out, so many with smaller
/// digests are there that it never comes back.
struct BoundedTable<Value: Mergeable>: Sendable {
    /// What decides which values are kept.
    private struct Rank: Comparable {
        let digest: UInt64
        let key: ByteText

        init(_ key: ByteText) {
            self.key = key
            digest = Digest.sha256(Array(key.text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }

        static func < (left: Rank, right: Rank) -> Bool {
            (left.digest, left.key) < (right.digest, right.key)
        }
    }

    private struct Entry {
        let digest: UInt64
        var value: Value
    }

    /// How many values are kept.
    let limit: Int
    /// What was counted for all values that are not kept.
    private(set) var others = Value()
    private var entries: [ByteText: Entry] = [:]
    /// The greatest rank, once the table is full.
    private var greatest: Rank?

    /// An empty table.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether nothing was counted.
    var isEmpty: Bool { entries.isEmpty }

    /// What is kept, in the order of the values' bytes.
    var sorted: [(key: String, value: Value)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value.value) }
    }

    /// What is kept, in no order.
    var all: some Sequence<(key: String, value: Value)> { entries.lazy.map { ($0.key.text, $0.value.value) } }

    /// What is kept of a value.
    subscript(key: String) -> Value? { entries[ByteText(key)]?.value }

    /// Changes what is counted for a value.
    mutating func update(_ key: String, _ body: (inout Value) -> Void) {
        let key = ByteText(key)
        if let index = entries.index(forKey: key) { return body(&entries.values[index].value) }
        let rank = Rank(key)
        guard makeRoom(for: rank) else { return body(&others) }
        var value = Value()
        body(&value)
        insert(value, rank)
    }

    /// Adds what another table counted.
    mutating func merge(_ other: BoundedTable) {
        for (key, entry) in other.entries { update(key.text) { $0.merge(entry.value) } }
        others.merge(other.others)
    }

    /// Adds what was counted for values that are not kept.
    mutating func mergeOthers(_ value: Value) { others.merge(value) }

    /// Whether a new value is to be kept. The one with the greatest rank is left out for it if there is no room.
    private mutating func makeRoom(for rank: Rank) -> Bool {
        guard entries.count >= limit else { return true }
        guard let greatest, rank < greatest else { return false }
        if let entry = entries.removeValue(forKey: greatest.key) { others.merge(entry.value) }
        return true
    }

    private mutating func insert(_ value: Value, _ rank: Rank) {
        entries[rank.key] = Entry(digest: rank.digest, value: value)
        guard entries.count >= limit else { return }
        let last = entries.max { ($0.value.digest, $0.key) < ($1.value.digest, $1.key) }
        greatest = last.map { Rank($0.key) }
    }
}
