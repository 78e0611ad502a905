import AssayCore
import Foundation

/// The keys of rows of one table, each once and with a place. They are kept as the server takes an array of `bytea`: a batch copies none.
struct RowSet {
    /// Each key after its length in four bytes.
    private(set) var elements: [UInt8] = []
    /// Where each key ends in `elements`.
    private var ends: [Int] = []
    /// A hash table with linear probing, of which at most half is used: places, and -1 for none.
    private var table: [Int32] = []

    /// How many keys there are.
    var count: Int { ends.count }

    mutating func reserveCapacity(_ count: Int) {
        elements.reserveCapacity(48 * count)
        ends.reserveCapacity(count)
        resize(to: 2 * count)
    }

    /// The place of a key, which is added if it is new.
    mutating func add(_ key: RowKey) -> Int {
        begin(key.bytes.count)
        elements += key.bytes
        return end()
    }

    /// The place of the row of an enrolled key, as of ``RowKey/init(_:)-(KeyIdentifier)``.
    mutating func add(_ key: KeyIdentifier) -> Int {
        let engine = key.engine.utf8.count
        guard 1 + engine + key.value.count <= RowKey.limit else { return add(RowKey(key)) }
        begin(1 + engine + key.value.count)
        elements.append(UInt8(engine))
        elements += key.engine.utf8
        elements += key.value
        return end()
    }

    /// The place of a key; nil if it is not there.
    func place(of key: UnsafeRawBufferPointer) -> Int? {
        guard !table.isEmpty else { return nil }
        let place = unsafe table[slot(of: key)]
        return place < 0 ? nil : Int(place)
    }

    /// A key after its length.
    func element(at place: Int) -> ArraySlice<UInt8> { elements[range(of: place)] }

    /// - Parameter length: at most 255, which is more than a ``RowKey`` has.
    private mutating func begin(_ length: Int) {
        for byte in [0, 0, 0, UInt8(clamping: length)] { elements.append(byte) }
    }

    private mutating func end() -> Int {
        let start = ends.last ?? 0
        if 2 * (count + 1) > table.count { resize(to: 4 * (count + 1)) }
        let found = slot(ofElement: start..<elements.count)
        guard table[found] < 0 else {
            elements.removeLast(elements.count - start)
            return Int(table[found])
        }
        table[found] = Int32(clamping: count)
        ends.append(elements.count)
        return count - 1
    }

    private mutating func resize(to size: Int) {
        var capacity = 16
        while capacity < size { capacity *= 2 }
        table = Array(repeating: -1, count: capacity)
        for place in ends.indices {
            table[slot(ofElement: range(of: place))] = Int32(clamping: place)
        }
    }

    private func range(of place: Int) -> Range<Int> { (place == 0 ? 0 : ends[place - 1])..<ends[place] }

    private func slot(ofElement range: Range<Int>) -> Int {
        unsafe elements.withUnsafeBytes { elements in
            unsafe slot(of: UnsafeRawBufferPointer(rebasing: elements[range.dropFirst(4)]))
        }
    }

    /// The slot with a key, or the free one for it.
    private func slot(of key: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: key)
        let mask = table.count - 1
        var slot = hasher.finalize() & mask
        unsafe elements.withUnsafeBytes { elements in
            while table[slot] >= 0 {
                let stored = range(of: Int(table[slot])).dropFirst(4)
                if unsafe Self.isEqual(UnsafeRawBufferPointer(rebasing: elements[stored]), key) { return }
                slot = (slot + 1) & mask
            }
        }
        return slot
    }

    private static func isEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
        return unsafe memcmp(start, otherStart, one.count) == 0
    }
}
