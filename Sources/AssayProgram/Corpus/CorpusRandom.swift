import AssayPrimitives

/// Random numbers that are the same for the same seed, on every platform: SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators"). For habits and defects only: keys come from HKDF.
struct CorpusRandom: Sendable {
    private var state: UInt64

    /// Creates a generator from a seed and a label.
    init(seed: String, _ label: String) {
        let digest = Digest.sha256(Array("\(seed)\u{0}corpus\u{0}\(label)".utf8))
        state = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `limit`, which is at least 1.
    mutating func below(_ limit: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(limit)).high) }

    mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// True with a probability of `perMille` thousandths.
    mutating func happens(perMille: Int) -> Bool { below(1000) < perMille }

    mutating func choose<Choice>(_ choices: [(weight: Int, choice: Choice)], _ standard: Choice) -> Choice {
        var rest = below(max(1, choices.reduce(0) { $0 + $1.weight }))
        for (weight, choice) in choices {
            if rest < weight { return choice }
            rest -= weight
        }
        return standard
    }
}
