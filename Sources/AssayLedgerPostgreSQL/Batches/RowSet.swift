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
        unsafe add(length: key.bytes.count) { unsafe $0.copyBytes(from: key.bytes) }
    }

    /// The place of the row of an enrolled key, as of ``RowKey/init(_:)-(KeyIdentifier)``.
    mutating func add(_ key: KeyIdentifier) -> Int {
        let engine = key.engine.utf8.count
        guard 1 + engine + key.value.count <= RowKey.limit else { return add(RowKey(key)) }
        return unsafe add(length: 1 + engine + key.value.count) { bytes in
            unsafe bytes[0] = UInt8(engine)
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[1...]).copyBytes(from: key.engine.utf8)
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[(1 + engine)...]).copyBytes(from: key.value)
        }
    }

    /// The place of a key; nil if it is not there.
    func place(of key: UnsafeRawBufferPointer) -> Int? {
        guard !table.isEmpty else { return nil }
        let place = unsafe table[slot(of: key)]
        return place < 0 ? nil : Int(place)
    }

    /// A key after its length.
    func element(at place: Int) -> ArraySlice<UInt8> { elements[range(of: place)] }

    /// The place of a key that `write` writes.
    private mutating func add(length: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) -> Int {
        if 2 * (count + 1) > table.count { resize(to: 4 * (count + 1)) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 4 + length, alignment: 4) { element in
            unsafe element.storeBytes(of: UInt32(clamping: length).bigEndian, as: UInt32.self)
            let key = unsafe UnsafeMutableRawBufferPointer(rebasing: element[4...])
            unsafe write(key)
            let found = unsafe slot(of: UnsafeRawBufferPointer(key))
            guard table[found] < 0 else { return Int(table[found]) }
            table[found] = Int32(clamping: count)
            unsafe elements.append(contentsOf: element)
            ends.append(elements.count)
            return count - 1
        }
    }

    private mutating func resize(to size: Int) {
        var capacity = 16
        while capacity < size { capacity *= 2 }
        table = Array(repeating: -1, count: capacity)
        unsafe elements.withUnsafeBytes { elements in
            for place in ends.indices {
                let key = unsafe UnsafeRawBufferPointer(rebasing: elements[range(of: place).dropFirst(4)])
                table[unsafe slot(of: key)] = Int32(clamping: place)
            }
        }
    }

    private func range(of place: Int) -> Range<Int> { (place == 0 ? 0 : ends[place - 1])..<ends[place] }

    /// The slot with a key, or the free one for it.
    private func slot(of key: UnsafeRawBufferPointer) -> Int {
        let mask = table.count - 1
        var slot = unsafe Self.hash(key) & mask
        unsafe elements.withUnsafeBytes { elements in
            while table[slot] >= 0 {
                let stored = range(of: Int(table[slot])).dropFirst(4)
                if unsafe Self.isEqual(UnsafeRawBufferPointer(rebasing: elements[stored]), key) { return }
                slot = (slot + 1) & mask
            }
        }
        return slot
    }

    /// Multiplies eight bytes at a time. `Hasher` takes five times as long, and resists keys that are chosen to collide. A batch has
    /// too few of those to matter: to compare each with all others takes less than its round trips.
    private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
        var hash = seed ^ UInt64(key.count)
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low
        }
        var offset = 0
        while offset + 8 <= key.count {
            mix(unsafe key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < key.count {
            rest = rest << 8 | UInt64(unsafe key[offset])
            offset += 1
        }
        mix(rest)
        return Int(truncatingIfNeeded: hash >> 1)
    }

    private static let seed = UInt64.random(in: .min ... .max)

    private static func isEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
        return unsafe memcmp(start, otherStart, one.count) == 0
    }
}
