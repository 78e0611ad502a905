import AssayTestSupport

/// Structured field values made at random, nearly all of them well-formed.
struct StructuredFieldFixture {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &generator)]
    }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func key() -> String { pick(["a", "b", "key", "*", "x-1", "sf", "created", "a.b_c*", "A", "1", ""]) }

    mutating func bareItem() -> String {
        pick([
            "1", "0", "-0", "042", "-999999999999999", "1000000000000000", "1.5", "1.50", "-0.001", "1.", "1.2345",
            "123456789012.1", "1234567890123.1", "\"\"", "\"a b\"", "\"\\\"\\\\\"", "\"\\x\"", "token", "*t/o:k", "t\"",
            ":aGVsbG8=:", "::", ":AAECAw==:", "?1", "?0", "?2", "@1659578233", "@-1", "@1.5", "%\"f%c3%bc\"",
            "%\"%C3\"",
            "%\"\"", "%\"%c3\"", "",
        ])
    }

    mutating func parameters() -> String {
        (0..<pick([0, 0, 0, 1, 2, 3])).map { _ in
            ";" + pick(["", "", " ", "\t"]) + key() + (pick([true, false]) ? "=" + bareItem() : "")
        }.joined()
    }

    mutating func item() -> String { bareItem() + parameters() }

    mutating func member() -> String {
        guard pick([true, false, false]) else { return item() }
        let items = (0..<count(0...4)).map { _ in item() }.joined(separator: pick([" ", " ", "  ", ",", "\t"]))
        return "(" + pick(["", " "]) + items + pick(["", " "]) + ")" + parameters()
    }

    mutating func list() -> String {
        (0..<count(0...4)).map { _ in member() }.joined(separator: pick([",", ", ", " ,\t", " ", ",,"]))
    }

    mutating func dictionary() -> String {
        (0..<count(0...4)).map { _ in
            pick([true, true, false]) ? key() + "=" + member() : key() + parameters()
        }.joined(separator: pick([",", ", ", " ,\t", " ", ",,"]))
    }

    /// Bytes with some of them changed.
    mutating func mutated(_ text: String) -> [UInt8] { generator.mutated(Array(text.utf8)) }
}
