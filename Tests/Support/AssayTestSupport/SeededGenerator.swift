/// A reproducible random number generator (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator from a seed.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns the bytes with random changes, sometimes truncated or with a range removed.
    package mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let index = Int.random(in: bytes.indices, using: &self)
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            // Values at the limits of lengths and CBOR heads.
            case 2:
                bytes[index] = [0x00, 0x1F, 0x7F, 0x80, 0x9F, 0xBF, 0xDF, 0xFB, 0xFF].randomElement(using: &self) ?? 0
            default: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
            }
        }
        if Bool.random(using: &self) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &self)) }
        return bytes
    }
}
