import AssayCore
import AssayPrimitives

/// A key identifier in 32 bytes, stored inline: a replay holds millions.
struct LedgerName: Hashable, Sendable {
    // Needed: different engines may use the same bytes. Swift stores strings of up to 15 bytes inline.
    private let engine: String
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Stores an identifier of 32 bytes unchanged (as in App Attest), and the digest of any other.
    init(_ identifier: KeyIdentifier) {
        engine = identifier.engine
        let bytes = identifier.value.count == 32 ? identifier.value : Digest.sha256(identifier.value)
        words = (bytes.word(0), bytes.word(1), bytes.word(2), bytes.word(3))
    }

    static func == (left: LedgerName, right: LedgerName) -> Bool {
        left.words == right.words && left.engine == right.engine
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

/// 128 bits of the digest of a challenge or token. A collision takes about 2^64 attempts.
struct LedgerDigest: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64

    init(of bytes: [UInt8]) {
        let digest = Digest.sha256(bytes)
        (first, second) = (digest.word(0), digest.word(1))
    }
}

extension [UInt8] {
    fileprivate func word(_ index: Int) -> UInt64 {
        self[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Stores equal values once and numbers them.
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
