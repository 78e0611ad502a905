import AssayCore
import AssayPrimitives

/// The name of a key in 32 bytes besides that of its engine, kept without memory of its own: a replay has millions of them.
struct LedgerName: Hashable, Sendable {
    // Two engines may call different keys by the same bytes. Swift keeps texts of up to 15 bytes in place.
    private let engine: String
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Names a key: by its identifier where that has 32 bytes, as App Attest's have, else by a digest of it.
    init(_ identifier: KeyIdentifier) {
        self.init(
            identifier.value.count == 32 ? identifier.value : Digest.sha256(identifier.value), of: identifier.engine)
    }

    private init(_ bytes: [UInt8], of engine: String) {
        self.engine = engine
        func word(_ index: Int) -> UInt64 {
            bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
    }
}

/// 128 bits of a digest, which stand for a challenge or a token: nobody finds two of the same within 2^64 attempts.
struct LedgerDigest: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64

    /// Digests what is to be recognised.
    init(of bytes: [UInt8]) {
        let digest = Digest.sha256(bytes)
        first = digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        second = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Distinct values by small numbers: what many entries have in common is kept once.
struct Interned<Value: Hashable & Sendable>: Sendable {
    private var values: [Value] = []
    private var numbers: [Value: UInt32] = [:]

    subscript(number: UInt32) -> Value { values[Int(number)] }

    mutating func number(of value: Value) -> UInt32 {
        if let number = numbers[value] { return number }
        let number = UInt32(truncatingIfNeeded: values.count)
        values.append(value)
        numbers[value] = number
        return number
    }
}
